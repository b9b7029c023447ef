/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GROUP_ROLES_H
#define SKR_CORE_GROUP_ROLES_H
/*
 * Groups whose members are not equal: what a user writes about roles and sets.
 *
 * Key `roles` of a group ConfigMap lists the roles in role order. `constraints.roles` has rules over
 * the amounts of one role, `constraints.sets` the set kinds. These two name roles, and come from
 * annotation sakkara.group.constraints as well. Without key `roles` the roles are those of the
 * pods. Whatever needs the sizes of all roles is then checked by skr_group_roles_check(), as soon
 * as they are known; with key `roles` the parser has done that.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/solver/roles.h"
#include "topology/base/error.h"
#include "topology/tree.h"

struct skr_group_spec;

/* A rule under the name of its level. */
struct skr_level_rule {
    const char *level;
    struct skr_rule rule;   /* as written: ignored numbers are 0, an ignored min/max pair is 0 */
    struct skr_position at; /* of its object in the key constraints; line 0: from labels */
};

/* That of the level; NULL: it has none. */
const struct skr_level_rule *skr_level_rule_find(const struct skr_level_rule *rule, size_t n,
                                                 const char *level);

/* One role of the key roles. */
struct skr_group_role {
    const char *name; /* a label value */
    int32_t size;     /* >= 1 */
    int32_t minimum;  /* 1..size; size unless the user wrote less */
};

/* Own rules of one role: an entry of constraints.roles. */
struct skr_role_rules {
    const char *role;
    size_t n_rules; /* may be 0 */
    struct skr_level_rule *rule;
    struct skr_position at; /* of its object in the key constraints */
};

struct skr_set_part {
    const char *role;
    int32_t each;           /* members of the role in one set, >= 1 */
    struct skr_position at; /* of the number */
};

/* One set kind: an entry of constraints.sets. A role is in one kind at most. */
struct skr_group_set {
    const char *level;
    bool exclusive; /* at most one set of the kind in a unit of the level */
    size_t n_parts; /* >= 1, order of the document */
    struct skr_set_part *part;
    struct skr_position at;       /* of its object in the key constraints */
    struct skr_position level_at; /* of the name of its level */
};

/* The set kinds of a group, resolved: each[r] of the r-th role, 0 where it is in none. */
struct skr_resolved_set {
    int32_t level; /* 1 .. n_levels; 0: the tree does not have it, and the group is malformed */
    bool exclusive;
    int32_t each[SKR_ROLES_MAX];
    int32_t count; /* sets to end with: size of each role of the kind / each */
};

/* Whether two lists of rules mean the same; the order does not matter. Levels are distinct. */
bool skr_level_rules_equal(const struct skr_level_rule *a, size_t n_a,
                           const struct skr_level_rule *b, size_t n_b);
/* Whether two specs have the same roles, own rules and sets. */
bool skr_group_roles_equal(const struct skr_group_spec *a, const struct skr_group_spec *b);

/* Index of a role of key roles, or n_roles. */
size_t skr_group_role_find(const struct skr_group_spec *spec, const char *name);

/* What pictures and tables call a role: the first letter of its name, else of the alphabet, that is
 * not among taken[n] in any case; a capital if the role has one member. '?': all are taken. */
char skr_role_letter(const char *name, bool one, const char *taken, size_t n);

/* Own rules of the role of this name; NULL: constraints.roles does not name it. */
const struct skr_role_rules *skr_group_role_rules(const struct skr_group_spec *spec,
                                                  const char *name);
/* The set kind that the role of this name is in, or n_sets. */
size_t skr_group_set_of(const struct skr_group_spec *spec, const char *name);
/* Members of the role in one set of that kind; 0 with kind -1: it is in none. */
int32_t skr_group_set_each(const struct skr_group_spec *spec, const char *name, int32_t *ret_kind);
/* What must not change while members run: the names of key roles in their order, and the members of
 * each set, as "ps,leader:0:1,worker:0:7" (role, number of its kind, members in one set). Without
 * key roles those of sets alone, by name. Kinds are numbered as they come. free() it. NULL:
 * neither. */
char *skr_group_composition(const struct skr_group_spec *spec);
/* Whether constraints.roles or constraints.sets name the role. The members of such a role are one
 * role, whatever their shapes. */
bool skr_group_names_role(const struct skr_group_spec *spec, const char *name);

/* Whether the constraints fit these roles: known names; whole numbers of sets, the same number for
 * all roles of a kind; no minimum below the size for a role in a set. role: n in role order, n at
 * most SKR_ROLES_MAX. Errors: SKR_INVALID with the position in the constraints. Done by the parser
 * where the spec has the key roles. */
int skr_group_roles_check(const struct skr_group_spec *spec, const struct skr_group_role *role,
                          size_t n, struct skr_error *error);

/* Fills ret[0 .. spec->n_sets - 1]. The roles have passed skr_group_roles_check(). */
void skr_group_resolve_sets(const struct skr_group_spec *spec, const struct skr_group_role *role,
                            size_t n, const struct skr_tree *tree, struct skr_resolved_set *ret);

#endif
