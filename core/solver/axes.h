/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_AXES_H
#define SKR_CORE_SOLVER_AXES_H
/*
 * The axes of a level, and one run of the solver for members that are not equal.
 *
 * What a unit of a level holds is a vector of counts, one for each *axis*. A set kind is one axis,
 * which counts sets, from its level upwards; below it each of its roles is an axis. Every other
 * role is an axis everywhere. The axis that may count most is the *main* axis, the others are side
 * axes. A vector is written as a *key*, which packs the side counts, and the main count.
 *
 * A key has one field for each side axis and, above them, one for each *counter*: the children in
 * use, for a scope whose rule limits their number. Each field has a guard bit on top, which is 0 in
 * valid keys. So keys add up field by field, and one subtraction shows whether any field of a sum
 * is beyond its limit.
 *
 * A *scope* is a role, by its number, or the group, whose number is n_roles. Its amount is linear:
 * the sum over the axes of count * weight.
 *
 * Internal to the solver.
 */
#include "core/solver/roles.h"
#include "core/solver/solve_run.h"

enum {
    SKR_SCOPES_MAX = SKR_ROLES_MAX + 1,
    SKR_AXES_MAX = 2 * SKR_ROLES_MAX, /* a coarse run has two for a role */
    SKR_ROLE_ROWS_MAX = 32768, /* keys of one span; beyond it a problem is not solved exactly */
    SKR_ROLE_KEY_BITS = 62,
};
/* Bytes of one run, unless the problem says otherwise. */
#define SKR_ROLE_BYTES_MAX ((size_t)512 << 20)
/* Steps of one solve: pairs of keys and of counts. About two seconds. */
#define SKR_ROLE_STEPS_MAX INT64_C(2000000000)

/* A coarse run places the members of side axes in blocks: it has fewer vectors and finds fewer
 * placements. One axis counts the blocks. Another axis counts the rest, which is placed as a whole. */
enum skr_axis_part { SKR_AXIS_WHOLE, SKR_AXIS_BLOCKS, SKR_AXIS_REST };

struct skr_axis {
    int32_t role; /* -1: a set kind */
    int32_t kind; /* -1: a role */
    enum skr_axis_part part;
    int32_t most; /* greatest count */
    int32_t shift;
    uint64_t mask;                  /* of the value, without its guard bit, not shifted */
    int32_t unit[SKR_ROLES_MAX];    /* members of each role in one set, or 1 of the role */
    int32_t each[SKR_ROLES_MAX];    /* members of each role in one count: a multiple of unit */
    int32_t weight[SKR_SCOPES_MAX]; /* the amount of a scope in one */
};

struct skr_counter {
    int32_t scope;
    int32_t used; /* children of a used parent that are used, > 0 */
    int32_t shift;
    uint64_t mask;
};

/* The vectors of the units of one level. */
struct skr_axes {
    int32_t n; /* the main axis is axis[n - 1] */
    struct skr_axis axis[SKR_AXES_MAX];
    int32_t n_counters;
    struct skr_counter counter[SKR_SCOPES_MAX];
    uint64_t guards, limits; /* limits: the greatest valid value of every field */
    uint64_t side;           /* mask of the fields of side axes */
};

/* The axes of equal members [level], with a counter where the level limits the used children. Memory
 * of the run. NULL: it had to stop. */
struct skr_axes *skr_axes_of_equals(struct skr_run *run);

struct skr_role_table; /* role_peaks.h */

struct skr_role_run {
    struct skr_run run; /* memory, cancellation, statistics; its laws are not used */
    const struct skr_roles *roles;
    int32_t n[SKR_SCOPES_MAX]; /* members of each scope */
    int32_t sets[SKR_SET_KINDS_MAX];
    int32_t kind_of[SKR_ROLES_MAX];                         /* -1: none */
    struct skr_axes axes[SKR_LEVELS_MAX + 1];               /* [level], 0 unused */
    struct skr_law law[SKR_LEVELS_MAX + 1][SKR_SCOPES_MAX]; /* [level][scope] */
    bool ruled[SKR_LEVELS_MAX + 1][SKR_SCOPES_MAX]; /* a count of the scope may be forbidden */
    const int64_t *claims[SKR_ROLES_MAX];           /* [unit] of the role; NULL: none */
    int32_t row_limit;
    int32_t block; /* 1: exact */
    bool beyond;   /* stopped: outside the exact range */
    int64_t *left; /* [(SKR_AXES_MAX + 1) * n_resources] working space of role_leaf.c */
    struct skr_role_table *table;
    int64_t rows; /* statistics */
};

/* sizes: members of each role; NULL: those of the problem. block: 1, or the block of a coarse run.
 * False with run->stop or beyond set. Always follow with skr_role_run_fini(). */
bool skr_role_run_init(struct skr_role_run *rr, const struct skr_problem *problem,
                       const int32_t *sizes, int32_t block);
void skr_role_run_fini(struct skr_role_run *rr);

static inline bool skr_role_run_step(struct skr_role_run *rr, int64_t steps)
{
    return skr_run_step(&rr->run, steps);
}

/* The key of counts[axes->n], and the counts of a key and a main count. */
static inline uint64_t skr_axes_key(const struct skr_axes *axes, const int32_t *counts)
{
    uint64_t key = 0;
    for (int32_t a = 0; a + 1 < axes->n; a++) {
        key |= (uint64_t)counts[a] << axes->axis[a].shift;
    }
    return key;
}

static inline int32_t skr_axes_digit(const struct skr_axes *axes, uint64_t key, int32_t axis)
{
    return (int32_t)(key >> axes->axis[axis].shift & axes->axis[axis].mask);
}

static inline void skr_axes_counts(const struct skr_axes *axes, uint64_t key, int32_t main,
                                   int32_t *ret)
{
    for (int32_t a = 0; a + 1 < axes->n; a++) {
        ret[a] = skr_axes_digit(axes, key, a);
    }
    ret[axes->n - 1] = main;
}

static inline bool skr_axes_fits(const struct skr_axes *axes, uint64_t key)
{
    return ((axes->limits + axes->guards - key) & axes->guards) == axes->guards;
}

static inline int32_t skr_axes_main_most(const struct skr_axes *axes)
{
    return axes->axis[axes->n - 1].most;
}

/* The amount of a scope with main count 0; each of the main axis adds skr_axes_slope(). */
static inline int32_t skr_axes_base(const struct skr_axes *axes, uint64_t key, int32_t scope)
{
    int32_t base = 0;
    for (int32_t a = 0; a + 1 < axes->n; a++) {
        base += skr_axes_digit(axes, key, a) * axes->axis[a].weight[scope];
    }
    return base;
}

static inline int32_t skr_axes_slope(const struct skr_axes *axes, int32_t scope)
{
    return axes->axis[axes->n - 1].weight[scope];
}

/* The amount of a scope in a vector. */
static inline int32_t skr_axes_amount(const struct skr_axes *axes, uint64_t key, int32_t main,
                                      int32_t scope)
{
    return skr_axes_base(axes, key, scope) + main * skr_axes_slope(axes, scope);
}

/* Members of each role, ret[n_roles]. */
void skr_axes_members(const struct skr_axes *axes, int32_t n_roles, uint64_t key, int32_t main,
                      int32_t *ret);
/* The way back, with the counters of a whole sibling set of the level. False if the members are no
 * vector of its axes. */
bool skr_axes_vector(const struct skr_run *run, int32_t level, const int32_t *members,
                     uint64_t *ret_key, int32_t *ret_main);

#endif
