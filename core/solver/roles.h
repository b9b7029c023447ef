/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLES_H
#define SKR_CORE_SOLVER_ROLES_H
/*
 * Gangs whose members are not equal: the part of a problem, and of its answer, about roles.
 *
 * A role is a number of members with one demand and one eligibility. Roles share the leaves: on a
 * leaf the new members of all roles together need at most max(0, free) of every resource. The
 * amount of a unit for the scope of a role is the number of its members below the unit; for the
 * scope of the group it is the sum over all roles.
 *
 * A set kind divides its roles into sets of one composition. Each set lies in one unit of the
 * kind's level. A role is in at most one kind.
 *
 * A cap bounds the sum of some roles in every unit of a level, or keeps some roles apart from others.
 * A cap has no key.
 *
 * Objective: per level from the top, first the own key of each role that has a rule there, in role
 * order, then the key of the group. Ties: the value of a child is (sum, role 0, role 1, ...), the
 * greater is the better. With one role, no sets and no caps the answer equals that of a problem
 * without roles.
 */
#include "core/solver/solution.h"
#include "topology/base/arena.h"
#include "topology/base/error.h"
#include "topology/room.h"

enum {
    SKR_SET_KINDS_MAX = 4,
    SKR_ROLE_CAPS_MAX = 16,
};

/* All pointers borrowed. Leaf arrays have tree->n_leaves entries. */
struct skr_role {
    const char *name;        /* for messages */
    int32_t n;               /* members to end with, claims included; >= 1 */
    int32_t minimum;         /* 1 .. n: if n does not fit, so many must; n: no fewer */
    const int64_t *demand;   /* [n_resources] of one member, >= 0 */
    const uint8_t *eligible; /* [leaf] whether it may take new members; NULL: all may */
    const uint8_t *emptied;  /* [leaf] the same in an empty cluster; NULL: as eligible */
    const int32_t *claimed;  /* [leaf]; NULL: none */
    /* [n_levels] rules over the amounts of this role, level 1 first; NULL: it has none. Only those
     * of levels with has_rule hold. */
    const struct skr_rule *rule;
    const uint8_t *has_rule; /* [n_levels] whether the role has a rule, and so a key, there */
};

/* Whether the leaf may take new members of the role. */
static inline bool skr_role_takes(const struct skr_role *role, int32_t leaf)
{
    return !role->eligible || role->eligible[leaf] != 0;
}

/* Members of the role that are on the leaf already. */
static inline int32_t skr_role_claimed(const struct skr_role *role, int32_t leaf)
{
    return role->claimed ? role->claimed[leaf] : 0;
}

/* The same on leaves first .. end - 1. */
static inline int32_t skr_role_claims(const struct skr_role *role, int32_t first, int32_t end)
{
    int32_t claims = 0;
    for (int32_t leaf = first; leaf < end && role->claimed; leaf++) {
        claims += role->claimed[leaf];
    }
    return claims;
}

/* New members of the role that a leaf has room for, as if no other role existed: at most most. */
static inline int32_t skr_role_room(const struct skr_problem *p, const struct skr_role *role,
                                    int32_t leaf, int32_t most)
{
    return (int32_t)skr_room_holds_all(&p->free[(size_t)leaf * p->n_resources], role->demand,
                                       p->n_resources, skr_role_takes(role, leaf) ? most : 0);
}

struct skr_set_kind {
    int32_t level;               /* 1 .. n_levels */
    int32_t each[SKR_ROLES_MAX]; /* members of each role in one set; 0: the role is not in it */
    bool exclusive;              /* at most one set a unit */
    const int32_t *alive;        /* [unit] sets with a live member in it; NULL: none has one */
};

struct skr_role_cap {
    uint32_t roles; /* bit r: role r counts */
    uint32_t
        against;   /* other roles, none of which is in a unit with any of `roles`; 0: most holds */
    int32_t level; /* 1 .. n_levels */
    int32_t most;  /* >= 0 */
    /* Claims count. Claims that violate the cap only keep new members of its roles away. */
};

/* What some roles may hold in sum in every unit of a level, claims included. Made from rules over
 * domains (core/solver/domains.h). */
struct skr_role_bounds {
    uint32_t roles;                   /* bit r: role r counts */
    int32_t level;                    /* 1 .. n_levels */
    const struct skr_unit_bounds *of; /* [unit] */
};

struct skr_roles {
    size_t n_roles; /* 1 .. SKR_ROLES_MAX, in role order */
    const struct skr_role *role;
    size_t n_kinds;
    const struct skr_set_kind *kind;
    size_t n_caps;
    const struct skr_role_cap *cap;
    size_t n_bounds; /* at most SKR_DOMAIN_RULES_MAX */
    const struct skr_role_bounds *bounds;
    int64_t steps;     /* limit of pairs of keys and of counts; 0: the solver's own */
    int32_t row_limit; /* keys of a span, beyond which the method is not exact (tests); 0: the
                          solver's own */
};

/* Independent checker, linear, rules over domains included. 0: the counts [role * n_leaves + leaf] are
 * a valid placement of size[n_roles] members of each role (NULL: the sizes of the roles). Else
 * -SKR_INVALID and what is violated where. Every placement of roles has passed it. */
int skr_roles_check(const struct skr_problem *problem, const int32_t *size, const int32_t *count,
                    struct skr_error *error);

/* ---- the answer; owned by the arena of the solution ---- */

struct skr_roles_explanation {
    /* [n_roles] most members of the role with all others complete, that is, at their minimum or
     * more; -1: even none does not help, or the role is in a set kind. */
    int32_t largest_of_role[SKR_ROLES_MAX];
    int32_t largest_of_sets[SKR_SET_KINDS_MAX]; /* the same in sets of the kind */
    uint32_t alone; /* roles that are infeasible even if no other role existed. The role keeps its
                       own rules, and the rules of the group that bind a part of the group */
    int32_t holds_now[SKR_ROLES_MAX];   /* leaves that hold one new member of the role now */
    int32_t holds_empty[SKR_ROLES_MAX]; /* the same in an empty cluster; capacity NULL: 0 */
};

struct skr_roles_outcome {
    int32_t *count;              /* PLACED: [role * n_leaves + leaf], claims included; else NULL */
    int32_t size[SKR_ROLES_MAX]; /* PLACED: members placed of each role */
    /* TIMEOUT: members of each role that the best placement of a part of the group leaves out. All 0:
     * none was found. */
    int32_t left_out[SKR_ROLES_MAX];
    int32_t *sets[SKR_SET_KINDS_MAX];             /* PLACED: [unit] sets of the kind in it */
    struct skr_level_key *own_key[SKR_ROLES_MAX]; /* PLACED: [n_levels]; NULL: no own rules */
    /* PLACED and not optimal: per level the least number of used units of the group that the
     * relaxations allow; 0: not known. */
    int32_t *least_used;
    struct skr_roles_explanation explanation; /* INFEASIBLE, with explain */
    int64_t rows, ports, steps;               /* statistics of the method */
};

/* Order of two placed solutions of the problem, by sizes in role order, then by keys: < 0: a is
 * better, 0: equal. */
int skr_roles_compare(const struct skr_problem *problem, const struct skr_solution *a,
                      const struct skr_solution *b);

#endif
