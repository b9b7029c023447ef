/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_SOLVE_RUN_H
#define SKR_CORE_SOLVER_SOLVE_RUN_H
/*
 * One run of the solver: the problem with its rules in the form of the method, the memory of the
 * run, and why it had to stop. Internal to the solver.
 *
 * No function here returns an error code. An allocation that fails returns NULL and leaves the
 * reason in run->stop. Every function that can stop returns NULL or false, and its callers pass
 * that on. skr_solve() alone turns run->stop into an error or a timeout. One thread, one run.
 */
#include "core/solver/solution.h"
#include "topology/base/arena.h"

enum skr_run_stop {
    SKR_RUN_GOES_ON,
    SKR_RUN_CANCELLED,
    SKR_RUN_BYTE_LIMIT,
    SKR_RUN_NO_MEMORY,
};

/*
 * The rule of a level in the form the method needs: a used unit holds x members, lo <= x <= hi and
 * x a multiple of factor; where used > 0, exactly that many children of a used parent are used.
 */
struct skr_law {
    enum skr_rule_type type;
    int32_t used;   /* 0: any number; hard pack: 1 */
    int32_t lo;     /* >= 1 */
    int32_t hi;     /* <= n */
    int32_t factor; /* >= 1 */
    int32_t step;   /* >= 1, of this and the levels below: all counts are multiples of it */
    bool silent;    /* the key of the level is not compared */
};

struct skr_axes; /* axes.h */
struct skr_role_builder;
struct skr_role_run; /* axes.h */
struct skr_span_note;
struct skr_span_table;

struct skr_run {
    const struct skr_problem *problem;
    const struct skr_tree *tree;
    struct skr_role_run *rr; /* the run of roles that this one is part of; NULL: equal members */
    int32_t n;
    bool plain;                                     /* no fast paths */
    struct skr_law law[SKR_LEVELS_MAX + 1];         /* [level], 0 unused; of equal members */
    int32_t n_roles;                                /* of equal members 1 */
    int32_t n_scopes;                               /* of equal members 1; of roles n_roles + 1 */
    const int32_t *sizes;                           /* [scope] members */
    const struct skr_axes *axes;                    /* [level], 0 unused */
    const struct skr_law *laws[SKR_LEVELS_MAX + 1]; /* [level][scope] */
    /* [level] counts > 0 that the law allows, and 0, as bits [n / 64 + 1]; NULL: all of them. */
    uint64_t *allowed[SKR_LEVELS_MAX + 1];
    struct skr_arena *arena;   /* of the whole run */
    struct skr_arena *scratch; /* of one step, see skr_run_scratch_begin() */
    size_t byte_limit;
    int64_t steps_left; /* of roles; equal members have no limit */
    enum skr_run_stop stop;
    struct skr_span_table *spans;
    struct skr_span_note *notes;      /* all of them: skr_span_use() */
    uint64_t *bits_tmp;               /* [n / 64 + 1], for skr_bits_add_sums() */
    struct skr_role_builder *builder; /* of rows.h; NULL: none yet */
    struct skr_solve_stats stats;
};

/* Both >= 0. */
static inline int32_t skr_common_divisor(int32_t a, int32_t b)
{
    while (b != 0) {
        int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Bits of x >= 0. */
static inline int32_t skr_bit_width(int32_t x)
{
    int32_t bits = 0;
    while (x > 0) {
        x /= 2;
        bits++;
    }
    return bits;
}

/* Orders for qsort(), of int32_t and of int64_t. */
static inline int skr_greatest_first_32(const void *a, const void *b)
{
    const int32_t *x = a;
    const int32_t *y = b;
    return (*x < *y) - (*x > *y);
}
static inline int skr_least_first_32(const void *a, const void *b)
{
    return skr_greatest_first_32(b, a);
}
static inline int skr_greatest_first_64(const void *a, const void *b)
{
    const int64_t *x = a;
    const int64_t *y = b;
    return (*x < *y) - (*x > *y);
}

/* Whether min and max contradict each other; then neither counts. Unset numbers contradict
 * nothing. */
static inline bool skr_rule_range_is_void(const struct skr_rule *rule)
{
    return rule->min > 0 && rule->max > 0 && rule->min > rule->max;
}

/* What divides all main counts of the units of a level, as far as its law says. */
static inline int32_t skr_run_divisor(const struct skr_run *run, int32_t level)
{
    return run->rr || run->plain ? 1 : run->law[level].step;
}

/* The law of a rule as users write it, for groups of n: docs/solver.md, "Rules". */
struct skr_law skr_law_of(const struct skr_rule *rule, int32_t n);
/* Whether a used unit may hold x > 0. */
bool skr_law_allows(const struct skr_law *law, int32_t x);
/* Whether a used unit may hold any count of 1 .. n. */
bool skr_law_allows_all(const struct skr_law *law, int32_t n);
/* 0 and the counts up to n that the law allows, into bits[n / 64 + 1], which are 0. */
void skr_law_counts(const struct skr_law *law, int32_t n, uint64_t *bits);

/* Prepares *run; false with run->stop set. Always follow with skr_run_fini(). */
bool skr_run_init(struct skr_run *run, const struct skr_problem *problem);
void skr_run_fini(struct skr_run *run);

/*
 * A run inside another one: a variant of its problem (other rules, leaves or n), solved with the
 * bytes that are left. end() adds its statistics to the outer run's. A limit that stops the inner
 * run does not stop the outer one. problem is borrowed.
 */
bool skr_run_begin_inner(const struct skr_run *outer, const struct skr_problem *problem,
                         struct skr_run *inner);
void skr_run_end_inner(struct skr_run *outer, struct skr_run *inner);

/* Zeroed array in the arena of the run; NULL with run->stop set. */
void *skr_run_alloc(struct skr_run *run, size_t n, size_t size);
/* Memory of one step. begin() opens an empty scratch arena, end() releases all of it. */
bool skr_run_scratch_begin(struct skr_run *run);
void *skr_run_scratch_alloc(struct skr_run *run, size_t n, size_t size);
void skr_run_scratch_end(struct skr_run *run);

/* False when the caller wants the run to end. Cheap; called at every merge. */
bool skr_run_poll(struct skr_run *run);
/* Takes steps; false when there are too few, or the run had to stop. */
bool skr_run_step(struct skr_run *run, int64_t steps);

/* How many members a leaf can hold by one row of amounts: min over resources with demand > 0 of
 * floor(max(0, amount) / demand); INT32_MAX when nothing limits or beyond. */
int32_t skr_leaf_room(const struct skr_problem *problem, const int64_t *amounts, int32_t leaf);

static inline bool skr_leaf_eligible(const struct skr_problem *problem, int32_t leaf)
{
    return !problem->eligible || problem->eligible[leaf] != 0;
}

static inline int32_t skr_leaf_claimed(const struct skr_problem *problem, int32_t leaf)
{
    return !problem->claimed ? 0 : problem->claimed[leaf];
}

/* What one leaf may hold, and its room for ties: new members that fit, 0 where it is not
 * eligible. */
struct skr_leaf {
    int32_t least, most, room;
};
struct skr_leaf skr_leaf_of(const struct skr_problem *problem, int32_t leaf);
/* The same of all leaves, into arrays; room may be NULL. */
void skr_leaves_of(const struct skr_problem *problem, int32_t *least, int32_t *most, int32_t *room);
/* [unit] the sum of leaf[] over the leaves below it. Memory of the run. */
const int64_t *skr_leaf_sums(struct skr_run *run, const int32_t *leaf);

#endif
