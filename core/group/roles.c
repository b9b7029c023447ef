/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roles and sets of a group that has been read: look-ups by name, comparison, whether the
 * constraints fit the roles, and the rules resolved against a tree. Key roles is read by
 * core/group/roles_key.c, constraints.roles and constraints.sets by core/group/role_constraints.c.
 */
#include "core/group/roles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/group/lint.h"
#include "topology/base/suggest.h"

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

char skr_role_letter(const char *name, bool one, const char *taken, size_t n)
{
    const char *const letters[] = {name, "abcdefghijklmnopqrstuvwxyz"};
    for (size_t k = 0; k < 2; k++) {
        for (const char *c = letters[k]; *c; c++) {
            const char small = lower(*c);
            bool is_free = small >= 'a' && small <= 'z';
            for (size_t i = 0; i < n; i++) {
                is_free = is_free && lower(taken[i]) != small;
            }
            if (is_free) {
                return one ? (char)(small - 'a' + 'A') : small;
            }
        }
    }
    return '?';
}

const struct skr_level_rule *skr_level_rule_find(const struct skr_level_rule *rule, size_t n,
                                                 const char *level)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(rule[i].level, level) == 0) {
            return &rule[i];
        }
    }
    return NULL;
}

size_t skr_group_role_find(const struct skr_group_spec *spec, const char *name)
{
    size_t r = 0;
    while (r < spec->n_roles && strcmp(spec->role[r].name, name) != 0) {
        r++;
    }
    return r;
}

const struct skr_role_rules *skr_group_role_rules(const struct skr_group_spec *spec,
                                                  const char *name)
{
    for (size_t i = 0; i < spec->n_role_rules; i++) {
        if (strcmp(spec->role_rules[i].role, name) == 0) {
            return &spec->role_rules[i];
        }
    }
    return NULL;
}

static const struct skr_set_part *find_part(const struct skr_group_set *set, const char *name)
{
    for (size_t i = 0; i < set->n_parts; i++) {
        if (strcmp(set->part[i].role, name) == 0) {
            return &set->part[i];
        }
    }
    return NULL;
}

size_t skr_group_set_of(const struct skr_group_spec *spec, const char *name)
{
    size_t k = 0;
    while (k < spec->n_sets && !find_part(&spec->set[k], name)) {
        k++;
    }
    return k;
}

int32_t skr_group_set_each(const struct skr_group_spec *spec, const char *name, int32_t *ret_kind)
{
    const size_t k = skr_group_set_of(spec, name);
    *ret_kind = k < spec->n_sets ? (int32_t)k : -1;
    return k < spec->n_sets ? find_part(&spec->set[k], name)->each : 0;
}

struct in_sets {
    const char *role;
    int32_t kind, each; /* each 0: it is in none */
};

static int by_role(const void *a, const void *b)
{
    const struct in_sets *left = a, *right = b;
    return strcmp(left->role, right->role);
}

char *skr_group_composition(const struct skr_group_spec *spec)
{
    struct in_sets item[SKR_SET_KINDS_MAX * SKR_ROLES_MAX];
    struct skr_strbuf b;
    int32_t number[SKR_SET_KINDS_MAX] = {0}, n_kinds = 0;
    size_t n = 0;
    for (size_t r = 0; r < spec->n_roles; r++) {
        struct in_sets *to = &item[n++];
        to->role = spec->role[r].name;
        to->each = skr_group_set_each(spec, to->role, &to->kind);
    }
    for (size_t k = 0; k < spec->n_sets && spec->n_roles == 0; k++) {
        for (size_t i = 0; i < spec->set[k].n_parts && n < sizeof item / sizeof *item; i++) {
            const struct skr_set_part *part = &spec->set[k].part[i];
            item[n++] = (struct in_sets){part->role, (int32_t)k, part->each};
        }
    }
    if (spec->n_roles == 0) {
        qsort(item, n, sizeof *item, by_role);
    }
    skr_strbuf_init(&b);
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_addf(&b, "%s%s", i > 0 ? "," : "", item[i].role);
        if (item[i].each > 0) {
            int32_t *kind = &number[item[i].kind];
            *kind = *kind > 0 ? *kind : ++n_kinds;
            skr_strbuf_addf(&b, ":%d:%d", (int)*kind - 1, (int)item[i].each);
        }
    }
    char *text = skr_strbuf_take(&b, NULL);
    if (n == 0) {
        free(text);
    }
    return n > 0 ? text : NULL;
}

bool skr_group_names_role(const struct skr_group_spec *spec, const char *name)
{
    return skr_group_role_rules(spec, name) || skr_group_set_of(spec, name) < spec->n_sets;
}

/* ---- comparison ---- */

bool skr_level_rules_equal(const struct skr_level_rule *a, size_t n_a,
                           const struct skr_level_rule *b, size_t n_b)
{
    if (n_a != n_b) {
        return false;
    }
    for (size_t i = 0; i < n_a; i++) {
        const struct skr_level_rule *other = skr_level_rule_find(b, n_b, a[i].level);
        if (!other || !skr_rules_equal(&a[i].rule, &other->rule, 1)) {
            return false;
        }
    }
    return true;
}

/* Whether every role with own rules has the same ones in the other spec. */
static bool own_rules_within(const struct skr_group_spec *a, const struct skr_group_spec *b)
{
    for (size_t i = 0; i < a->n_role_rules; i++) {
        const struct skr_role_rules *own = &a->role_rules[i];
        const struct skr_role_rules *other = skr_group_role_rules(b, own->role);
        if (!skr_level_rules_equal(own->rule, own->n_rules, other ? other->rule : NULL,
                                   other ? other->n_rules : 0)) {
            return false;
        }
    }
    return true;
}

static bool sets_equal(const struct skr_group_set *a, const struct skr_group_set *b)
{
    if (strcmp(a->level, b->level) != 0 || a->exclusive != b->exclusive ||
        a->n_parts != b->n_parts) {
        return false;
    }
    for (size_t i = 0; i < a->n_parts; i++) {
        const struct skr_set_part *other = find_part(b, a->part[i].role);
        if (!other || other->each != a->part[i].each) {
            return false;
        }
    }
    return true;
}

bool skr_group_roles_equal(const struct skr_group_spec *a, const struct skr_group_spec *b)
{
    if (a->n_roles != b->n_roles || a->n_sets != b->n_sets || !own_rules_within(a, b) ||
        !own_rules_within(b, a)) {
        return false;
    }
    for (size_t r = 0; r < a->n_roles; r++) {
        if (strcmp(a->role[r].name, b->role[r].name) != 0 || a->role[r].size != b->role[r].size ||
            a->role[r].minimum != b->role[r].minimum) {
            return false;
        }
    }
    for (size_t k = 0; k < a->n_sets; k++) {
        if (!sets_equal(&a->set[k], &b->set[k])) {
            return false;
        }
    }
    return true;
}

/* ---- do the constraints fit the roles? ---- */

struct check {
    const struct skr_group_spec *spec;
    const struct skr_group_role *role;
    size_t n;
    struct skr_error *error;
};

static const struct skr_group_role *role_of(const struct check *check, const char *name)
{
    for (size_t r = 0; r < check->n; r++) {
        if (strcmp(check->role[r].name, name) == 0) {
            return &check->role[r];
        }
    }
    return NULL;
}

static struct skr_subject at(const struct check *check, struct skr_position position)
{
    return (struct skr_subject){.key = check->spec->constraints_key, .at = position};
}

static int unknown_role(const struct check *check, const char *name, struct skr_position position)
{
    const char *names[SKR_ROLES_MAX];
    char quoted[SKR_QUOTE_MAX];
    char hint[SKR_QUOTE_MAX + 32] = "";
    const struct skr_subject here = at(check, position);
    for (size_t r = 0; r < check->n; r++) {
        names[r] = check->role[r].name;
    }
    const char *near = skr_suggest(name, names, check->n);
    skr_group_quote(name, quoted);
    if (near) {
        (void)snprintf(hint, sizeof hint, " (did you mean \"%s\"?)", near);
    }
    int rc = skr_error_set_at(check->error, SKR_INVALID, &here, "no role \"%s\"%s", quoted, hint);
    return skr_group_defect(check->spec, "UnknownRole", rc, check->error);
}

/* One role of a kind. *sets: how many sets the roles before it make, 0: none yet. */
static int check_part(const struct check *check, const struct skr_set_part *part,
                      const struct skr_set_part *first, int32_t *sets)
{
    const struct skr_group_role *role = role_of(check, part->role);
    const struct skr_subject here = at(check, part->at);
    int rc = 0;
    if (!role) {
        return unknown_role(check, part->role, part->at);
    }
    if (role->size % part->each != 0) {
        rc = skr_error_set_at(check->error, SKR_INVALID, &here,
                              "role \"%s\" has %d members, which is no whole number of sets of %d",
                              role->name, (int)role->size, (int)part->each);
    } else if (role->minimum < role->size) {
        rc = skr_error_set_at(check->error, SKR_INVALID, &here,
                              "role \"%s\" is in sets and has a minimum of %d below its size %d: "
                              "leave minimum out",
                              role->name, (int)role->minimum, (int)role->size);
    } else if (*sets > 0 && *sets != role->size / part->each) {
        rc = skr_error_set_at(check->error, SKR_INVALID, &here,
                              "role \"%s\" makes %d sets of %d, role \"%s\" makes %d of %d",
                              role->name, (int)(role->size / part->each), (int)part->each,
                              first->role, (int)*sets, (int)first->each);
    } else {
        *sets = role->size / part->each;
    }
    return skr_group_defect(check->spec, "RoleSizes", rc, check->error);
}

int skr_group_roles_check(const struct skr_group_spec *spec, const struct skr_group_role *role,
                          size_t n, struct skr_error *error)
{
    const struct check check = {spec, role, n, error};
    int rc = 0;
    for (size_t i = 0; skr_group_go_on(spec, rc) && i < spec->n_role_rules; i++) {
        const struct skr_role_rules *own = &spec->role_rules[i];
        int one = role_of(&check, own->role) ? 0 : unknown_role(&check, own->role, own->at);
        rc = rc < 0 ? rc : one;
    }
    for (size_t k = 0; k < spec->n_sets; k++) {
        const struct skr_group_set *set = &spec->set[k];
        int32_t sets = 0;
        for (size_t i = 0; skr_group_go_on(spec, rc) && i < set->n_parts; i++) {
            int one = check_part(&check, &set->part[i], &set->part[0], &sets);
            rc = rc < 0 ? rc : one;
        }
    }
    return rc;
}

/* ---- against a tree ---- */

void skr_group_resolve_sets(const struct skr_group_spec *spec, const struct skr_group_role *role,
                            size_t n, const struct skr_tree *tree, struct skr_resolved_set *ret)
{
    for (size_t k = 0; k < spec->n_sets; k++) {
        const struct skr_group_set *set = &spec->set[k];
        int32_t level = skr_tree_find_level(tree, set->level);
        ret[k] =
            (struct skr_resolved_set){.level = level > 0 ? level : 0, .exclusive = set->exclusive};
        for (size_t r = 0; r < n; r++) {
            const struct skr_set_part *part = find_part(set, role[r].name);
            if (part) {
                ret[k].each[r] = part->each;
                ret[k].count = role[r].size / part->each;
            }
        }
    }
}
