/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_INSTANCE_H
#define SKR_TEST_PROPERTY_INSTANCE_H
/*
 * Random solver problems, each made from two numbers (seed, index) and a shape alone, so that a
 * failing one can be made again: SEED=seed FIRST=index N=1. Members are those of roles; a problem of
 * equal members has one role, and problem.roles is NULL.
 *
 * The tree is filled in by hand; nothing here needs the tree builder.
 */
#include <stdio.h>

#include "core/solver/roles.h"
#include "core/solver/solver.h"

enum {
    INSTANCE_LEAVES_MAX = 32,
    INSTANCE_UNITS_MAX = 160,
    INSTANCE_LEVELS_MAX = 5, /* generated: 4; one more for inserted levels */
    INSTANCE_RESOURCES = 3,
};

struct instance {
    struct skr_tree tree;
    struct skr_problem problem;
    int32_t parent[INSTANCE_UNITS_MAX];
    int32_t child_first[INSTANCE_UNITS_MAX];
    int32_t child_count[INSTANCE_UNITS_MAX];
    struct skr_rule rule[INSTANCE_LEVELS_MAX];
    int64_t free[INSTANCE_LEAVES_MAX * INSTANCE_RESOURCES];
    int64_t
        capacity[INSTANCE_LEAVES_MAX * INSTANCE_RESOURCES]; /* problem.capacity: NULL, or this */
    struct skr_unit_bounds bounds[INSTANCE_UNITS_MAX];      /* problem.bounds: NULL, or this */
    struct skr_roles roles;                                 /* problem.roles: NULL, or this */
    struct skr_role role[SKR_ROLES_MAX];
    int64_t demand[SKR_ROLES_MAX][INSTANCE_RESOURCES];
    uint8_t eligible[SKR_ROLES_MAX][INSTANCE_LEAVES_MAX];
    int32_t claimed[SKR_ROLES_MAX][INSTANCE_LEAVES_MAX];
    struct skr_rule own[SKR_ROLES_MAX][INSTANCE_LEVELS_MAX];
    uint8_t has_rule[SKR_ROLES_MAX][INSTANCE_LEVELS_MAX];
    struct skr_set_kind kind[SKR_SET_KINDS_MAX];
    int32_t alive[SKR_SET_KINDS_MAX][INSTANCE_UNITS_MAX];
    struct skr_role_cap cap[SKR_ROLE_CAPS_MAX];
};

struct random {
    uint64_t state;
};

uint64_t random_next(struct random *random);
/* 0 .. n - 1 */
int32_t random_below(struct random *random, int32_t n);
bool random_percent(struct random *random, int32_t percent);

/* What problems are like. Sizes are upper bounds. */
struct instance_shape {
    int32_t leaves;
    /* Equal members. */
    int32_t slots; /* of a leaf */
    int32_t n;
    bool wide; /* many children below few parents, and a number of them that has to be used */
    /* Roles; 0: members are equal. */
    int32_t roles_least, roles_most;
    int32_t levels, fanout;
    int32_t members; /* of one role */
    int32_t states;  /* vectors of members of each role, which are those of one unit */
    int32_t rules;   /* percent of a rule to be there; 0: types alone */
    /* Percent of the problems that have them. */
    int32_t sets, caps, claims;
    bool minimum; /* some roles need not be complete */
    bool pools;   /* one big role over few kinds of leaves */
    bool bound;   /* one cap, a looser one */
    bool in_turn; /* each role has a rule of its own, at another level */
    bool twins;   /* neighbours in role order with the same demand and leaves */
};

/* Kinds of problems with roles. */
enum roles_kind {
    ROLES_SMALL,   /* all rules */
    ROLES_SOFT,    /* types of levels alone */
    ROLES_SETS,    /* of several levels, exclusive ones, roles in none */
    ROLES_CAPS,    /* bounds of sums of roles */
    ROLES_CLAIMS,  /* members that are there, of sets, too */
    ROLES_MINIMUM, /* some roles need not be complete */
    ROLES_OWN,     /* three roles, each with a rule of its own at another level */
    ROLES_BOUND,   /* sets, caps and claims at once */
    ROLES_PRESENT, /* some roles need not be complete, and some members are there already */
    ROLES_TWINS,   /* neighbours in role order with the same demand and leaves */
    ROLES_LARGER,  /* beyond the enumerator */
    ROLES_WIDE,    /* one big role over 8 to 16 leaves of few kinds, pools */
    ROLES_MANY,    /* 4 or 5 roles */
    ROLES_KIND_COUNT,
    ROLES_ENUMERABLE_COUNT = ROLES_TWINS, /* mostly */
};
extern const struct instance_shape roles_shape[ROLES_KIND_COUNT];

void instance_make(struct instance *ret, uint64_t seed, uint64_t index,
                   const struct instance_shape *shape);
/* One of each kind of roles in turn. */
void instance_make_roles(struct instance *ret, uint64_t seed, uint64_t index);
/* Bounds on some units, drawn by random. */
void instance_bound(struct instance *instance, struct random *random);
/* Tree arrays from child_count[] of the units of levels 0 .. n_levels - 1. */
void instance_grow(struct instance *instance, int32_t n_levels);
/* All pointers into the instance itself, after it was filled in or copied. With roles, n is the sum of
 * theirs. */
void instance_link(struct instance *instance);
void instance_copy(struct instance *ret, const struct instance *from);
/* The same with eligible leaves as large as their capacity, claims included. Equal members. */
void instance_empty(struct instance *ret, const struct instance *from);
/* All that there is, in a few lines. */
void instance_print(const struct instance *instance);

/* The problem as a file for `sakkara solve`. */
void instance_write(const struct instance *instance, FILE *to);

static inline int32_t instance_n_roles(const struct instance *in)
{
    return (int32_t)in->roles.n_roles;
}
/* Members of the role to end with, and the least of them. */
static inline int32_t instance_n(const struct instance *in, int32_t role)
{
    return in->problem.roles ? in->role[role].n : in->problem.n;
}
static inline int32_t instance_minimum(const struct instance *in, int32_t role)
{
    return in->problem.roles ? in->role[role].minimum : in->problem.n;
}
/* The unit of the level that the leaf is in. */
int32_t instance_unit(const struct instance *in, int32_t leaf, int32_t level);
/* The rule of a scope at a level, NULL: it has none. Scope n_roles: the group. */
const struct skr_rule *instance_rule(const struct instance *in, int32_t scope, int32_t level);
/* Members of a role below the unit that are there already. */
int32_t instance_claims(const struct instance *in, int32_t role, int32_t unit);
/* New members of the role that the leaf has room for, straight from the definition. Not capped. */
int64_t instance_room(const struct instance *in, int32_t role, int32_t leaf);
/* The room that counts for SKR_TIE_TIGHT: that of the first of the roles with most members. */
int64_t instance_tight_room(const struct instance *in, int32_t leaf);
/* Equal members: claimed + new, at most n. */
int32_t instance_fit(const struct instance *in, int32_t leaf);

#endif
