/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roles of a solve file. A set that has members is in the unit of their nodes: members of one set
 * in two units, or more members than a set has, are refused with the position.
 */
#include "server/solve/roles.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/base/json_field.h"

static void *array(struct skr_solve_reader *r, size_t n, size_t size)
{
    return skr_arena_array(r->file->arena, n > 0 ? n : 1, size);
}

static size_t n_roles(const struct skr_solve_reader *r)
{
    return r->roles->roles.n_roles;
}

/* False: all members are equal, which is one role without a name. */
static bool are_named(const struct skr_solve_reader *r)
{
    return r->file->group->n_roles > 0;
}

/* ---- the group ---- */

static bool begin_role(struct skr_solve_reader *r, struct skr_solve_roles *s, size_t i)
{
    const struct skr_tree *tree = r->file->tree;
    const int32_t size = r->file->group->size;
    const struct skr_group_role all = {.name = "", .size = size, .minimum = size};
    const struct skr_group_role *from = are_named(r) ? &r->file->group->role[i] : &all;
    struct skr_rule *rule = array(r, (size_t)tree->n_levels, sizeof *rule);
    uint8_t *has_rule = array(r, (size_t)tree->n_levels, sizeof *has_rule);
    s->demand[i] = array(r, SKR_SOLVE_RESOURCES_MAX, sizeof *s->demand[i]);
    s->eligible[i] = array(r, (size_t)tree->n_leaves, sizeof *s->eligible[i]);
    s->claimed[i] = array(r, (size_t)tree->n_leaves, sizeof *s->claimed[i]);
    if (!rule || !has_rule || !s->demand[i] || !s->eligible[i] || !s->claimed[i]) {
        return false;
    }
    s->kind_of[i] = -1;
    s->role[i] = (struct skr_role){.name = from->name,
                                   .n = from->size,
                                   .minimum = from->minimum,
                                   .demand = s->demand[i],
                                   .eligible = s->eligible[i],
                                   .claimed = s->claimed[i]};
    skr_group_rules(r->file->group, from->name, tree, rule, has_rule, NULL);
    if (memchr(has_rule, 1, (size_t)tree->n_levels)) {
        s->role[i].rule = rule;
        s->role[i].has_rule = has_rule;
    }
    return true;
}

static bool begin_sets(struct skr_solve_reader *r, struct skr_solve_roles *s)
{
    const struct skr_group_spec *group = r->file->group;
    struct skr_resolved_set resolved[SKR_SET_KINDS_MAX];
    skr_group_resolve_sets(group, group->role, group->n_roles, r->file->tree, resolved);
    for (size_t k = 0; k < group->n_sets; k++) {
        s->n_sets[k] = resolved[k].count;
        s->alive[k] = array(r, (size_t)r->file->tree->n_units, sizeof *s->alive[k]);
        s->set_unit[k] = array(r, (size_t)resolved[k].count, sizeof *s->set_unit[k]);
        if (!s->alive[k] || !s->set_unit[k]) {
            return false;
        }
        s->kind[k] = (struct skr_set_kind){
            .level = resolved[k].level, .exclusive = resolved[k].exclusive, .alive = s->alive[k]};
        memcpy(s->kind[k].each, resolved[k].each, sizeof s->kind[k].each);
        for (int32_t i = 0; i < resolved[k].count; i++) {
            s->set_unit[k][i] = -1;
        }
        for (size_t i = 0; i < group->n_roles; i++) {
            if (resolved[k].each[i] > 0) {
                s->kind_of[i] = (int32_t)k;
                s->set_members[i] = array(r, (size_t)resolved[k].count, sizeof(int32_t));
                if (!s->set_members[i]) {
                    return false;
                }
            }
        }
    }
    return true;
}

int skr_solve_roles_begin(struct skr_solve_reader *r)
{
    const struct skr_group_spec *group = r->file->group;
    const size_t n = are_named(r) ? group->n_roles : 1;
    struct skr_solve_roles *s = array(r, 1, sizeof *s);
    bool ok = s;
    for (size_t i = 0; ok && i < n; i++) {
        ok = begin_role(r, s, i);
    }
    if (!ok || !begin_sets(r, s)) {
        return skr_solve_no_memory(r);
    }
    s->roles = (struct skr_roles){
        .n_roles = n, .role = s->role, .n_kinds = group->n_sets, .kind = s->kind, .cap = s->cap};
    r->roles = s;
    r->file->problem.roles = are_named(r) ? &s->roles : NULL;
    r->file->problem.demand = s->role[0].demand;
    r->file->problem.eligible = s->role[0].eligible;
    r->file->problem.claimed = s->role[0].claimed;
    return 0;
}

/* The role of this name; -1: refused at the path. */
static int32_t find_role(const struct skr_solve_reader *r, const char *const *path,
                         const char *name)
{
    const size_t i = skr_group_role_find(r->file->group, name);
    if (i < n_roles(r)) {
        return (int32_t)i;
    }
    char quoted[SKR_SOLVE_QUOTE_MAX], text[SKR_SOLVE_QUOTE_MAX + 40];
    size_t last = 0;
    while (path[last] && path[last + 1]) {
        last++;
    }
    const bool said = path[last] && strcmp(path[last], name) == 0;
    skr_solve_quote(name, quoted);
    snprintf(text, sizeof text, "%s%s%sis no role of the group", said ? "" : "\"",
             said ? "" : quoted, said ? "" : "\" ");
    (void)skr_solve_refuse(r, path, text);
    return -1;
}

/* ---- members ---- */

/* The index of a resource, which is added when it is new; -1: refused at the path. */
static int32_t resource_index(struct skr_solve_reader *r, const char *const *path, const char *name)
{
    size_t i = 0;
    while (i < r->n_resources && strcmp(r->resource[i], name) != 0) {
        i++;
    }
    if (i == SKR_SOLVE_RESOURCES_MAX) {
        (void)skr_solve_refuse(r, path, "more than 32 resources");
        return -1;
    }
    if (i == r->n_resources) {
        r->resource[r->n_resources++] = name;
    }
    return (int32_t)i;
}

/* The requests of a member at "member", or at "members" for a role. */
static int read_demand(struct skr_solve_reader *r, const char *section, const char *role,
                       json_t *object, int64_t *demand)
{
    const char *path[4] = {section, role};
    const char *resource;
    json_t *value;
    if (!json_is_object(object)) {
        return skr_solve_refuse_type(r, path, "an object", object);
    }
    json_object_foreach(object, resource, value)
    {
        path[role ? 2 : 1] = resource;
        const int32_t at = resource_index(r, path, resource);
        if (at < 0) {
            return -SKR_INVALID;
        }
        int rc = skr_solve_read_amount(r, path, resource, value, &demand[at]);
        if (rc != 0) {
            return rc;
        }
        if (demand[at] < 0) {
            return skr_solve_refuse(r, path, "must not be negative");
        }
    }
    return 0;
}

static int read_of_roles(struct skr_solve_reader *r, json_t *members)
{
    static const char *const whole[] = {"members", NULL};
    uint32_t seen = 0;
    const char *name;
    json_t *value;
    if (!members) {
        return skr_solve_refuse(r, whole, "is missing: the requests of each role");
    }
    if (!json_is_object(members)) {
        return skr_solve_refuse_type(r, whole, "an object", members);
    }
    json_object_foreach(members, name, value)
    {
        const char *const path[] = {"members", name, NULL};
        const int32_t role = find_role(r, path, name);
        int rc = role < 0 ? -SKR_INVALID
                          : read_demand(r, "members", name, value, r->roles->demand[role]);
        if (rc != 0) {
            return rc;
        }
        seen |= 1U << role;
    }
    for (size_t i = 0; i < n_roles(r); i++) {
        if ((seen >> i & 1) == 0) {
            char text[SKR_SOLVE_PHRASE_MAX];
            snprintf(text, sizeof text, "role %s is missing", r->file->group->role[i].name);
            return skr_solve_refuse(r, whole, text);
        }
    }
    return 0;
}

int skr_solve_roles_read_members(struct skr_solve_reader *r)
{
    static const char *const one[] = {"member", NULL}, *const several[] = {"members", NULL};
    json_t *member = json_object_get(r->root, "member");
    json_t *members = json_object_get(r->root, "members");
    if (are_named(r)) {
        return member ? skr_solve_refuse(r, one, "members are those of roles: use members")
                      : read_of_roles(r, members);
    }
    if (members) {
        return skr_solve_refuse(r, several, "needs group.roles");
    }
    r->by_slots = !member;
    if (r->by_slots) {
        r->resource[r->n_resources++] = "slots";
        r->roles->demand[0][0] = 1;
        return 0;
    }
    return read_demand(r, "member", NULL, member, r->roles->demand[0]);
}

/* ---- nodes ---- */

int skr_solve_roles_read_eligible(struct skr_solve_reader *r, const char **path, size_t n,
                                  const json_t *value, uint8_t *eligible)
{
    const char *name;
    json_t *one;
    path[n] = "eligible";
    path[n + 1] = NULL;
    if (json_is_boolean(value)) {
        memset(eligible, json_is_true(value), n_roles(r));
        return 0;
    }
    if (!are_named(r) || !json_is_object(value)) {
        return skr_solve_refuse_type(
            r, path, are_named(r) ? "true, false or an object of roles" : "true or false", value);
    }
    json_t *object = skr_object_unconst(value);
    json_object_foreach(object, name, one)
    {
        path[n + 1] = name;
        path[n + 2] = NULL;
        const int32_t role = find_role(r, path, name);
        if (role < 0) {
            return -SKR_INVALID;
        }
        if (!json_is_boolean(one)) {
            return skr_solve_refuse_type(r, path, "true or false", one);
        }
        eligible[role] = json_is_true(one);
    }
    return 0;
}

/* One live member of a set. */
static int claim_in_set(struct skr_solve_reader *r, const char *const *path, int32_t role,
                        json_int_t set, int32_t leaf)
{
    struct skr_solve_roles *s = r->roles;
    const struct skr_tree *tree = r->file->tree;
    const int32_t k = s->kind_of[role];
    char text[SKR_SOLVE_PHRASE_MAX];
    if (set < 0 || set >= s->n_sets[k]) {
        snprintf(text, sizeof text, "set %lld, the sets are 0 to %" PRId32, (long long)set,
                 s->n_sets[k] - 1);
        return skr_solve_refuse(r, path, text);
    }
    const int32_t unit = skr_tree_unit_at(tree, leaf, s->kind[k].level);
    const int32_t before = s->set_unit[k][set];
    if (before >= 0 && before != unit) {
        char here[SKR_SOLVE_QUOTE_MAX], there[SKR_SOLVE_QUOTE_MAX];
        skr_solve_quote(tree->unit_name[unit], here);
        skr_solve_quote(tree->unit_name[before], there);
        snprintf(text, sizeof text, "set %lld has members in %s and in %s: a set is in one",
                 (long long)set, there, here);
        return skr_solve_refuse(r, path, text);
    }
    if (++s->set_members[role][set] > s->kind[k].each[role]) {
        snprintf(text, sizeof text, "set %lld has %" PRId32 " members of the role, not more",
                 (long long)set, s->kind[k].each[role]);
        return skr_solve_refuse(r, path, text);
    }
    if (before < 0) {
        s->set_unit[k][set] = unit;
        s->alive[k][unit]++;
    }
    s->claimed[role][leaf]++;
    return 0;
}

static int read_sets_of_role(struct skr_solve_reader *r, const char *const *path, int32_t role,
                             const json_t *list, int32_t leaf)
{
    int rc = 0;
    if (!json_is_array(list)) {
        return skr_solve_refuse_type(r, path, "a list of set numbers, as the role is in sets",
                                     list);
    }
    for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
        const json_t *set = json_array_get(list, i);
        rc = json_is_integer(set) ? claim_in_set(r, path, role, json_integer_value(set), leaf)
                                  : skr_solve_refuse_type(r, path, "a list of set numbers", set);
    }
    return rc;
}

static int read_count(struct skr_solve_reader *r, const char *const *path, int32_t role,
                      const json_t *value, int32_t leaf)
{
    if (!json_is_integer(value)) {
        return skr_solve_refuse_type(r, path, "a number of members", value);
    }
    const json_int_t count = json_integer_value(value);
    if (count < 0 || count > SKR_SOLVER_MEMBERS_MAX) {
        return skr_solve_refuse(r, path, "must be 0 to 1048576");
    }
    r->roles->claimed[role][leaf] = (int32_t)count;
    return 0;
}

int skr_solve_roles_read_claimed(struct skr_solve_reader *r, const char **path, size_t n,
                                 json_t *value, int32_t leaf)
{
    const char *name;
    json_t *one;
    int rc = 0;
    path[n] = "claimed";
    path[n + 1] = NULL;
    if (!are_named(r)) {
        return read_count(r, path, 0, value, leaf);
    }
    if (!json_is_object(value)) {
        return skr_solve_refuse_type(r, path, "an object of roles", value);
    }
    json_object_foreach(value, name, one)
    {
        path[n + 1] = name;
        path[n + 2] = NULL;
        const int32_t role = rc == 0 ? find_role(r, path, name) : -1;
        if (role < 0) {
            return rc == 0 ? -SKR_INVALID : rc;
        }
        rc = r->roles->kind_of[role] >= 0 ? read_sets_of_role(r, path, role, one, leaf)
                                          : read_count(r, path, role, one, leaf);
    }
    return rc;
}

/* ---- apart ---- */

static int read_cap_roles(struct skr_solve_reader *r, const char *const *path, const json_t *list,
                          uint32_t *ret)
{
    if (!json_is_array(list)) {
        return skr_solve_refuse(r, path, "must be a list of roles");
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        const int32_t role = name ? find_role(r, path, name) : -1;
        if (role < 0) {
            return name
                       ? -SKR_INVALID
                       : skr_solve_refuse_type(r, path, "a list of roles", json_array_get(list, i));
        }
        *ret |= 1U << role;
    }
    return *ret != 0 ? 0 : skr_solve_refuse(r, path, "names no role");
}

static int read_cap(struct skr_solve_reader *r, const char *index, const json_t *object,
                    struct skr_role_cap *cap)
{
    static const char *const known[] = {"level", "roles", "most", "from", NULL};
    const char *path[5] = {"apart", index, NULL};
    if (!json_is_object(object)) {
        return skr_solve_refuse_type(r, path, "an object", object);
    }
    int rc = skr_solve_check_keys(r, object, path, 2, known);
    if (rc != 0) {
        return rc;
    }
    const char *level = json_string_value(json_object_get(object, "level"));
    const json_t *roles = json_object_get(object, "roles");
    const json_t *most = json_object_get(object, "most");
    const json_t *from = json_object_get(object, "from");
    path[3] = NULL;
    path[2] = "level";
    cap->level = level ? skr_tree_find_level(r->file->tree, level) : 0;
    if (cap->level <= 0) {
        return skr_solve_refuse(r, path, "must be the name of a level of the tree");
    }
    path[2] = "roles";
    rc = read_cap_roles(r, path, roles, &cap->roles);
    if (rc == 0 && from) {
        path[2] = "from";
        rc = read_cap_roles(r, path, from, &cap->against);
        return rc != 0 ? rc
               : (cap->roles & cap->against) != 0
                   ? skr_solve_refuse(r, path, "names a role that \"roles\" names, too")
               : most ? skr_solve_refuse(r, path, "and \"most\" exclude each other")
                      : 0;
    }
    path[2] = "most";
    if (rc == 0 && (!json_is_integer(most) || json_integer_value(most) < 0 ||
                    json_integer_value(most) > SKR_SOLVER_MEMBERS_MAX)) {
        return skr_solve_refuse(r, path, "must be a number of members, 0 or more");
    }
    cap->most = (int32_t)json_integer_value(most);
    return rc;
}

static int read_apart(struct skr_solve_reader *r)
{
    static const char *const path[] = {"apart", NULL};
    const json_t *list = json_object_get(r->root, "apart");
    int rc = 0;
    if (!list) {
        return 0;
    }
    if (!json_is_array(list)) {
        return skr_solve_refuse_type(r, path, "a list", list);
    }
    if (json_array_size(list) > SKR_ROLE_CAPS_MAX) {
        return skr_solve_refuse(r, path, "more than 16 entries");
    }
    for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
        char index[24];
        snprintf(index, sizeof index, "%zu", i);
        rc = read_cap(r, index, json_array_get(list, i), &r->roles->cap[r->roles->roles.n_caps++]);
    }
    return rc;
}

int skr_solve_roles_finish(struct skr_solve_reader *r)
{
    static const char *const nodes[] = {"nodes", NULL}, *const apart[] = {"apart", NULL};
    if (!are_named(r)) {
        return json_object_get(r->root, "apart") ? skr_solve_refuse(r, apart, "needs group.roles")
                                                 : 0;
    }
    for (size_t i = 0; i < n_roles(r); i++) {
        int64_t claims = 0;
        for (int32_t leaf = 0; leaf < r->file->tree->n_leaves; leaf++) {
            claims += r->roles->claimed[i][leaf];
        }
        if (claims > r->roles->role[i].n) {
            char text[SKR_SOLVE_PHRASE_MAX];
            snprintf(text, sizeof text,
                     "%" PRId64 " members of role %s are claimed, its size is %d", claims,
                     r->roles->role[i].name, (int)r->roles->role[i].n);
            return skr_solve_refuse(r, nodes, text);
        }
    }
    return read_apart(r);
}
