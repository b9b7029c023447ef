/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members roles and sets of the key constraints: own rules of roles, role -> level -> rule, and set
 * kinds, an array of {level, roles: role -> members, exclusive}. Nothing of sets is ignored; own
 * rules are read as those of the group are. Whether the roles exist, and have whole numbers of sets,
 * is checked afterwards (core/group/roles.c).
 *
 * Limits: SKR_ROLES_MAX roles in each, SKR_SET_KINDS_MAX set kinds, SKR_GROUP_RULES_MAX levels a
 * role.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "core/group/constraints.h"
#include "core/group/lint.h"
#include "topology/base/json_field.h"
#include "topology/base/json_position.h"
#include "topology/base/suggest.h"

static const char *const members[] = {"level", "roles", "exclusive"};
enum { N_MEMBERS = sizeof members / sizeof *members };

struct reader {
    struct skr_group_spec *spec;
    const char *text;
    const json_t *root;
    struct skr_error *error;
};

static struct skr_subject at(const struct reader *r, const char *const *path)
{
    struct skr_subject about = {.key = r->spec->constraints_key, .at = {1, 1}};
    (void)skr_json_find_path(r->text, path, &about.at);
    return about;
}

static int limit(const struct reader *r, const char *const *path, size_t n, const char *what,
                 int most)
{
    const struct skr_subject about = at(r, path);
    int rc =
        skr_error_set_at(r->error, SKR_LIMIT, &about, "%zu %s, at most %d are read", n, what, most);
    return skr_group_defect(r->spec, "Limit", rc, r->error);
}

/* An object of roles: at most SKR_ROLES_MAX, each once. */
static int check_names(const struct reader *r, const char *const *path, const json_t *object)
{
    struct skr_subject about = at(r, path);
    if (json_object_size(object) > SKR_ROLES_MAX) {
        return limit(r, path, json_object_size(object), "roles", SKR_ROLES_MAX);
    }
    if (!skr_json_find_twice(r->text, path, &about.see, &about.at)) {
        return 0;
    }
    int rc = skr_error_set_at(r->error, SKR_INVALID, &about, "one role twice in an object");
    return skr_group_defect(r->spec, "DuplicateName", rc, r->error);
}

/* ---- own rules ---- */

/* Members of a role of the key roles; 0: not known, or a minimum leaves it open. */
static int32_t size_of(const struct skr_group_spec *spec, const char *name)
{
    const size_t r = skr_group_role_find(spec, name);
    const bool open = r == spec->n_roles || spec->role[r].minimum < spec->role[r].size;
    return open ? 0 : spec->role[r].size;
}

static int read_own_rules(const struct reader *r, const char *name, json_t *value,
                          struct skr_role_rules *ret)
{
    const char *const path[] = {SKR_GROUP_ROLES, name, NULL};
    const struct skr_subject about = at(r, path);
    const struct skr_rules_text t = {r->spec, r->text, name, size_of(r->spec, name)};
    if (!json_is_object(value)) {
        return skr_group_refuse_type(r->spec, r->text, about, name, "an object", value, r->error);
    }
    const size_t n = json_object_size(value);
    struct skr_role_rules own = {.role = skr_arena_strdup(r->spec->arena, name), .at = about.at};
    own.rule = skr_arena_array(r->spec->arena, n < SKR_GROUP_RULES_MAX ? n : SKR_GROUP_RULES_MAX,
                               sizeof *own.rule);
    if (!own.role || !own.rule) {
        return skr_group_no_room(r->error);
    }
    int rc = skr_rules_read(&t, value, own.rule, &own.n_rules, r->error);
    *ret = own;
    return rc;
}

static int read_roles(const struct reader *r)
{
    static const char *const path[] = {SKR_GROUP_ROLES, NULL};
    json_t *object = json_object_get(r->root, SKR_GROUP_ROLES);
    const char *name;
    json_t *value;
    if (skr_object_is_absent(object)) {
        return 0;
    }
    if (!json_is_object(object)) {
        return skr_group_refuse_type(r->spec, r->text, at(r, path), SKR_GROUP_ROLES, "an object",
                                     object, r->error);
    }
    int rc = check_names(r, path, object);
    if (rc < 0) {
        return rc;
    }
    r->spec->role_rules =
        skr_arena_array(r->spec->arena, json_object_size(object), sizeof *r->spec->role_rules);
    if (!r->spec->role_rules) {
        return skr_group_no_room(r->error);
    }
    json_object_foreach(object, name, value)
    {
        if (!skr_group_go_on(r->spec, rc) || json_is_null(value)) {
            continue;
        }
        int one = read_own_rules(r, name, value, &r->spec->role_rules[r->spec->n_role_rules]);
        r->spec->n_role_rules += one == 0 ? 1 : 0;
        rc = rc < 0 ? rc : one;
    }
    return rc;
}

/* ---- sets ---- */

static int refuse_member(const struct reader *r, const char *const *path, const char *member)
{
    char quoted[SKR_QUOTE_MAX];
    const char *near = skr_suggest(member, members, N_MEMBERS);
    const struct skr_subject about = at(r, path);
    skr_group_quote(member, quoted);
    int rc = skr_error_set_at(r->error, SKR_INVALID, &about, "unknown member \"%s\" of a set%s%s%s",
                              quoted, near ? " (did you mean \"" : "", near ? near : "",
                              near ? "\"?)" : "");
    return skr_group_defect(r->spec, "MisspeltRule", rc, r->error);
}

static int check_members(const struct reader *r, const char *index, json_t *object)
{
    const char *member;
    json_t *value;
    int rc = 0;
    json_object_foreach(object, member, value)
    {
        const char *const path[] = {SKR_GROUP_SETS, index, member, NULL};
        bool known = false;
        for (size_t i = 0; i < N_MEMBERS; i++) {
            known = known || strcmp(member, members[i]) == 0;
        }
        if (skr_group_go_on(r->spec, rc) && !known) {
            rc = refuse_member(r, path, member);
        }
    }
    return rc;
}

/* A member that is missing, or of another type than what. */
static int refuse_value(const struct reader *r, const char *index, const char *member,
                        const char *what, const json_t *value)
{
    const char *const path[] = {SKR_GROUP_SETS, index, member, NULL};
    const char *const whole[] = {SKR_GROUP_SETS, index, NULL};
    const struct skr_subject about = at(r, value ? path : whole);
    if (value) {
        return skr_group_refuse_type(r->spec, r->text, about, member, what, value, r->error);
    }
    int rc =
        skr_error_set_at(r->error, SKR_INVALID, &about, "a set needs \"%s\": %s", member, what);
    return skr_group_defect(r->spec, "MissingKey", rc, r->error);
}

/* Whether the members are there and of their types. */
static int check_values(const struct reader *r, const char *index, const json_t *object)
{
    const json_t *level = json_object_get(object, "level");
    const json_t *roles = json_object_get(object, "roles");
    const json_t *exclusive = json_object_get(object, "exclusive");
    const struct {
        bool right;
        const char *what;
        const json_t *value;
    } value[N_MEMBERS] = {{json_is_string(level) && json_string_value(level)[0] != '\0',
                           "the name of a level", level},
                          {json_is_object(roles) && json_object_size(roles) > 0,
                           "an object with the members of each role in a set", roles},
                          {!exclusive || json_is_boolean(exclusive), "true or false", exclusive}};
    int rc = 0;
    for (size_t i = 0; i < N_MEMBERS; i++) {
        if (skr_group_go_on(r->spec, rc) && !value[i].right) {
            rc = refuse_value(r, index, members[i], value[i].what, value[i].value);
        }
    }
    return rc;
}

/* A role of an earlier kind, or of an earlier part of this one? */
static int check_one_kind(const struct reader *r, const char *const *path, const char *name)
{
    struct skr_subject about = at(r, path);
    const size_t k = skr_group_set_of(r->spec, name);
    char quoted[SKR_QUOTE_MAX];
    if (k == r->spec->n_sets) {
        return 0;
    }
    for (size_t i = 0; i < r->spec->set[k].n_parts; i++) {
        if (strcmp(r->spec->set[k].part[i].role, name) == 0) {
            about.see = r->spec->set[k].part[i].at;
        }
    }
    skr_group_quote(name, quoted);
    int rc = skr_error_set_at(r->error, SKR_INVALID, &about,
                              "role \"%s\" is in two sets: a role is in one at most", quoted);
    return skr_group_defect(r->spec, "DuplicateName", rc, r->error);
}

static int read_part(const struct reader *r, const char *index, const char *name,
                     const json_t *value, struct skr_set_part *ret)
{
    const char *const path[] = {SKR_GROUP_SETS, index, "roles", name, NULL};
    const struct skr_subject about = at(r, path);
    const json_int_t number = json_integer_value(value);
    char quoted[SKR_QUOTE_MAX];
    int rc = check_one_kind(r, path, name);
    if (rc < 0) {
        return rc;
    }
    if (!json_is_integer(value)) {
        return skr_group_refuse_type(r->spec, r->text, about, name, "an integer", value, r->error);
    }
    if (number < 1 || number > SKR_GROUP_SIZE_MAX) {
        skr_group_quote(name, quoted);
        rc = skr_error_set_at(r->error, SKR_INVALID, &about,
                              "members of role \"%s\" in a set must be 1 to %d, got %lld", quoted,
                              (int)SKR_GROUP_SIZE_MAX, (long long)number);
        return skr_group_defect(r->spec, "InvalidNumber", rc, r->error);
    }
    *ret = (struct skr_set_part){
        .role = skr_arena_strdup(r->spec->arena, name), .each = (int32_t)number, .at = about.at};
    return ret->role ? 0 : skr_group_no_room(r->error);
}

static int read_parts(const struct reader *r, const char *index, json_t *object,
                      struct skr_group_set *set)
{
    const char *const path[] = {SKR_GROUP_SETS, index, "roles", NULL};
    const char *name;
    json_t *value;
    int rc = check_names(r, path, object);
    if (rc < 0) {
        return rc;
    }
    set->part = skr_arena_array(r->spec->arena, json_object_size(object), sizeof *set->part);
    if (!set->part) {
        return skr_group_no_room(r->error);
    }
    json_object_foreach(object, name, value)
    {
        if (skr_group_go_on(r->spec, rc)) {
            int one = read_part(r, index, name, value, &set->part[set->n_parts]);
            set->n_parts += one == 0 ? 1 : 0;
            rc = rc < 0 ? rc : one;
        }
    }
    return rc;
}

static int read_set(const struct reader *r, const char *index, json_t *object,
                    struct skr_group_set *set)
{
    const char *const whole[] = {SKR_GROUP_SETS, index, NULL};
    const char *const level_path[] = {SKR_GROUP_SETS, index, "level", NULL};
    const struct skr_subject about = at(r, whole);
    if (!json_is_object(object)) {
        return skr_group_refuse_type(r->spec, r->text, about, SKR_GROUP_SETS, "a list of objects",
                                     object, r->error);
    }
    int rc = check_members(r, index, object);
    if (skr_group_go_on(r->spec, rc)) {
        int one = check_values(r, index, object);
        rc = rc < 0 ? rc : one;
    }
    if (rc < 0) {
        return rc;
    }
    const char *level = json_string_value(json_object_get(object, "level"));
    *set = (struct skr_group_set){.level = skr_arena_strdup(r->spec->arena, level),
                                  .exclusive = json_is_true(json_object_get(object, "exclusive")),
                                  .at = about.at,
                                  .level_at = at(r, level_path).at};
    if (!set->level) {
        return skr_group_no_room(r->error);
    }
    return read_parts(r, index, json_object_get(object, "roles"), set);
}

static int read_sets(const struct reader *r)
{
    static const char *const path[] = {SKR_GROUP_SETS, NULL};
    const json_t *array = json_object_get(r->root, SKR_GROUP_SETS);
    if (skr_object_is_absent(array)) {
        return 0;
    }
    if (!json_is_array(array)) {
        return skr_group_refuse_type(r->spec, r->text, at(r, path), SKR_GROUP_SETS, "an array",
                                     array, r->error);
    }
    const size_t n = json_array_size(array);
    if (n > SKR_SET_KINDS_MAX) {
        return limit(r, path, n, "sets", SKR_SET_KINDS_MAX);
    }
    r->spec->set = skr_arena_array(r->spec->arena, n, sizeof *r->spec->set);
    if (!r->spec->set) {
        return skr_group_no_room(r->error);
    }
    int rc = 0;
    for (size_t k = 0; k < n && skr_group_go_on(r->spec, rc); k++) {
        char index[24];
        (void)snprintf(index, sizeof index, "%zu", k);
        int one = read_set(r, index, json_array_get(array, k), &r->spec->set[r->spec->n_sets]);
        r->spec->n_sets += one == 0 ? 1 : 0;
        rc = rc < 0 ? rc : one;
    }
    return rc;
}

int skr_group_role_constraints_read(struct skr_group_spec *spec, const char *text,
                                    const json_t *root, struct skr_error *error)
{
    const struct reader r = {spec, text, root, error};
    int rc = read_roles(&r);
    if (skr_group_go_on(spec, rc)) {
        int one = read_sets(&r);
        rc = rc < 0 ? rc : one;
    }
    return rc;
}
