/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Key roles of a group map: a JSON object in role order, name -> {size, minimum}. Nothing in it is
 * ignored: an unknown member, a name twice or a number out of range refuses the map.
 *
 * Limits: SKR_ROLES_MAX roles; their sizes add up to SKR_GROUP_SIZE_MAX at most.
 */
#include <jansson.h>
#include <string.h>

#include "core/group/constraints.h"
#include "core/group/label_value.h"
#include "core/group/lint.h"
#include "topology/base/json_field.h"
#include "topology/base/json_position.h"
#include "topology/base/suggest.h"

static const char key[] = "roles";
static const char *const members[] = {"size", "minimum"};

struct reader {
    struct skr_group_spec *spec;
    const char *text;
    struct skr_error *error;
};

/* Of a role's value, or of a member of it. */
static struct skr_subject at(const struct reader *r, const char *role, const char *member)
{
    const char *path[] = {role, member, NULL};
    struct skr_subject about = {.key = key, .at = {1, 1}};
    (void)skr_json_find_path(r->text, path, &about.at);
    return about;
}

static int refuse_member(const struct reader *r, const char *role, const char *member)
{
    char quoted[SKR_QUOTE_MAX], quoted_role[SKR_QUOTE_MAX];
    const char *near = skr_suggest(member, members, sizeof members / sizeof *members);
    const struct skr_subject about = at(r, role, member);
    skr_group_quote(member, quoted);
    skr_group_quote(role, quoted_role);
    int rc = skr_error_set_at(
        r->error, SKR_INVALID, &about, "unknown member \"%s\" of role \"%s\"%s%s%s", quoted,
        quoted_role, near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
    return skr_group_defect(r->spec, "MisspeltRule", rc, r->error);
}

/* A number of a role, 1..most. absent: 0 where it has to be there. */
static int read_count(const struct reader *r, const char *role, const json_t *object,
                      const char *member, int32_t most, int32_t absent, int32_t *ret)
{
    const json_t *value = json_object_get(object, member);
    struct skr_subject about = at(r, role, member);
    int rc;
    if (!value && absent > 0) {
        *ret = absent;
        return 0;
    }
    if (!value) {
        about = at(r, role, NULL);
        rc = skr_error_set_at(r->error, SKR_INVALID, &about, "role \"%s\" needs a size", role);
        return skr_group_defect(r->spec, "MissingSize", rc, r->error);
    }
    if (!json_is_integer(value)) {
        return skr_group_refuse_type(r->spec, r->text, about, member, "an integer", value,
                                     r->error);
    }
    const json_int_t number = json_integer_value(value);
    if (number < 1 || number > most) {
        rc = skr_error_set_at(r->error, SKR_INVALID, &about,
                              "%s of role \"%s\" must be 1 to %d, got %lld", member, role,
                              (int)most, (long long)number);
        return skr_group_defect(r->spec, "InvalidNumber", rc, r->error);
    }
    *ret = (int32_t)number;
    return 0;
}

static int read_numbers(const struct reader *r, const char *name, json_t *object,
                        struct skr_group_role *role)
{
    const char *member;
    json_t *value;
    int rc = 0;
    json_object_foreach(object, member, value)
    {
        if (skr_group_go_on(r->spec, rc) && strcmp(member, members[0]) != 0 &&
            strcmp(member, members[1]) != 0) {
            rc = refuse_member(r, name, member);
        }
    }
    if (skr_group_go_on(r->spec, rc)) {
        int one = read_count(r, name, object, members[0], SKR_GROUP_SIZE_MAX, 0, &role->size);
        rc = rc < 0 ? rc : one;
        one = one < 0
                  ? one
                  : read_count(r, name, object, members[1], role->size, role->size, &role->minimum);
        rc = rc < 0 ? rc : one;
    }
    return rc;
}

static int read_role(const struct reader *r, const char *name, json_t *value,
                     struct skr_group_role *role)
{
    const struct skr_subject about = at(r, name, NULL);
    if (name[0] == '\0' || !skr_label_value_is_valid(name)) {
        char quoted[SKR_QUOTE_MAX];
        skr_group_quote(name, quoted);
        int rc = skr_error_set_at(r->error, SKR_INVALID, &about,
                                  "the name of a role must be usable as a label value (1 to %d "
                                  "letters, digits, '-', '_', '.', a letter or digit at both "
                                  "ends), got \"%s\"",
                                  (int)SKR_LABEL_VALUE_MAX, quoted);
        return skr_group_defect(r->spec, "InvalidName", rc, r->error);
    }
    if (!json_is_object(value)) {
        return skr_group_refuse_type(r->spec, r->text, about, name, "an object", value, r->error);
    }
    role->name = skr_arena_strdup(r->spec->arena, name);
    return role->name ? read_numbers(r, name, value, role) : skr_group_no_room(r->error);
}

static int check_sum(const struct reader *r, int64_t sum)
{
    if (sum <= SKR_GROUP_SIZE_MAX) {
        return 0;
    }
    int rc =
        skr_error_set_key(r->error, SKR_LIMIT, key, "%lld members together, a group has at most %d",
                          (long long)sum, (int)SKR_GROUP_SIZE_MAX);
    return skr_group_defect(r->spec, "Limit", rc, r->error);
}

static int read_roles(const struct reader *r, json_t *root)
{
    struct skr_group_role *role;
    const char *name;
    json_t *value;
    const size_t n = json_object_size(root);
    int64_t sum = 0;
    int rc;
    if (n == 0) {
        rc =
            skr_error_set_at(r->error, SKR_INVALID, &(struct skr_subject){.key = key, .at = {1, 1}},
                             "no role: name one, or leave the key out");
        return skr_group_defect(r->spec, "EmptyValue", rc, r->error);
    }
    if (n > SKR_ROLES_MAX) {
        rc = skr_error_set_key(r->error, SKR_LIMIT, key, "%zu roles, a group has at most %d", n,
                               (int)SKR_ROLES_MAX);
        return skr_group_defect(r->spec, "Limit", rc, r->error);
    }
    role = skr_arena_array(r->spec->arena, n, sizeof *role);
    if (!role) {
        return skr_group_no_room(r->error);
    }
    rc = 0;
    size_t i = 0;
    json_object_foreach(root, name, value)
    {
        if (skr_group_go_on(r->spec, rc)) {
            int one = read_role(r, name, value, &role[i]);
            sum += role[i++].size;
            rc = rc < 0 ? rc : one;
        }
    }
    rc = rc < 0 ? rc : check_sum(r, sum);
    if (rc == 0) {
        r->spec->role = role;
        r->spec->n_roles = n;
    }
    return rc;
}

int skr_group_roles_key_parse(struct skr_group_spec *spec, const char *text,
                              struct skr_error *error)
{
    const struct reader r = {spec, text, error};
    json_t *root;
    int rc = skr_json_text_parse_unique(key, text, SKR_GROUP_CONSTRAINTS_MAX, &root, error);
    if (rc < 0) {
        const char *code = rc == -SKR_LIMIT ? "Limit" : "InvalidJSON";
        return skr_group_defect(spec, error && error->see.line > 0 ? "DuplicateName" : code, rc,
                                error);
    }
    if (json_is_object(root)) {
        rc = read_roles(&r, root);
    } else {
        const struct skr_subject about = {.key = key, .at = {1, 1}};
        rc = skr_error_set_at(error, SKR_INVALID, &about, "must be an object, got %s",
                              skr_object_type_name(root));
        skr_group_defect(spec, "WrongType", rc, error);
    }
    json_decref(root);
    return rc;
}
