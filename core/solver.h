/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_H
#define SKR_CORE_SOLVER_H
/*
 * The solver: how many members of one group go to which leaf. Pure, exact, deterministic; callable
 * from any thread. Meaning of rules, objective and ties: docs/solver.md.
 *
 * Validity: x(root) = n; claimed <= x(leaf) <= claimed + new(leaf), new(leaf) = 0 if not eligible,
 * else min over resources with demand > 0 of floor(max(0, free) / demand); on every sibling set of
 * a used parent the rule of the children's level holds. Objective: keys per level from the top:
 * pack (fewest used units, then lexicographically greatest sorted counts), spread
 * (lexicographically smallest sorted counts). Ties: the vector of child counts in tree order
 * lexicographically greatest, root first, then children from left to right; with SKR_TIE_TIGHT the
 * room of used units of pack levels decides before that.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "topology/error.h"
#include "topology/tree.h"

enum skr_rule_type { SKR_RULE_PACK, SKR_RULE_SPREAD, SKR_RULE_TYPE_COUNT };

/* Rule of one level. Values <= 0 (factor <= 1) mean unset. hard voids the four numbers of its
 * level. */
struct skr_rule {
    enum skr_rule_type type;
    bool hard;
    int32_t partitions;
    int32_t min;
    int32_t max;
    int32_t factor;
};

enum { SKR_SOLVER_MEMBERS_MAX = 1 << 20 }; /* members of one problem */
/* Bytes of one run, unless the problem says otherwise. */
#define SKR_SOLVER_BYTES_MAX ((size_t)1 << 30)

enum skr_tie_break { SKR_TIE_TREE, SKR_TIE_TIGHT, SKR_TIE_BREAK_COUNT };

/* All pointers borrowed, unchanged during the solve. Leaf arrays have tree->n_leaves entries. */
struct skr_problem {
    const struct skr_tree *tree;
    int32_t n;                   /* members to end with, claims included; 0 is placed, empty */
    const struct skr_rule *rule; /* [tree->n_levels], level 1 first */
    size_t n_resources;
    const int64_t *demand; /* [n_resources] of one member, >= 0 */
    const int64_t *free;   /* [leaf * n_resources + r], may be negative */
    const int64_t
        *capacity; /* same layout, an empty cluster; NULL: class NeverFits is not told apart */
    const uint8_t *eligible; /* [leaf] may a new member go there; NULL: everywhere */
    const int32_t *claimed;  /* [leaf]; NULL: none */
    enum skr_tie_break tie_break;
    bool explain;        /* fill struct skr_explanation when infeasible */
    int64_t step_budget; /* search nodes; < 0: no limit; 0: timeout at once */
    const atomic_bool
        *cancel;        /* polled at merge boundaries; NULL allowed; true gives SKR_SOLVE_TIMEOUT */
    bool no_fast_paths; /* general method only (tests) */
    size_t byte_limit;  /* of the run; 0: SKR_SOLVER_BYTES_MAX */
};

enum skr_solve_status {
    SKR_SOLVE_PLACED,
    SKR_SOLVE_INFEASIBLE,
    SKR_SOLVE_TIMEOUT,
    SKR_SOLVE_STATUS_COUNT
};

/* First that holds. */
enum skr_infeasible_class {
    SKR_CLASS_NONE,
    SKR_CLASS_CONSTRAINT_CONFLICT,  /* infeasible with fit = n on every leaf */
    SKR_CLASS_NEVER_FITS,           /* infeasible with every eligible node empty */
    SKR_CLASS_WAITING_FOR_CAPACITY, /* sum of fits < n */
    SKR_CLASS_PLACEMENT_FAILED,     /* the rest */
    SKR_INFEASIBLE_CLASS_COUNT
};

enum { SKR_BOTTLENECKS_MAX = 16 };

struct skr_bottleneck {
    int32_t unit;
    int32_t fits;  /* most members this unit can hold under the rules below it, at most needs */
    int32_t needs; /* members it would have to hold, all others holding their most */
};

struct skr_explanation {
    enum skr_infeasible_class class;
    int32_t largest;  /* largest feasible size <= n under the same rules; 0 when none */
    int64_t sum_fits; /* sum of fit over leaves, each capped at n */
    /* Deciding level: the rules below it leave room for n, the rule of this level does not. 0 when
     * sum_fits < n. */
    int32_t level;
    /* Units of that level that are short (fits < needs), sorted by shortage, then tree order. Empty
     * where only the step between sizes is wrong (factor, min). */
    size_t n_bottlenecks;
    struct skr_bottleneck bottleneck[SKR_BOTTLENECKS_MAX];
};

struct skr_solve_stats {
    int64_t units_visited;
    int64_t merges;
    int64_t states_kept;
    int64_t peak_bytes;
};

/* One entry of a level's key: mult used units hold count members. Sorted by count, descending. */
struct skr_key_run {
    int32_t count;
    int32_t mult;
};
struct skr_level_key {
    int32_t used;
    size_t n_runs;
    struct skr_key_run *run;
};

struct skr_solution {
    enum skr_solve_status status;
    int32_t *count;                     /* [n_leaves] with PLACED, claims included; else NULL */
    struct skr_level_key *key;          /* [n_levels] with PLACED, level 1 first; else NULL */
    bool optimal;                       /* with PLACED */
    struct skr_explanation explanation; /* with INFEASIBLE and explain */
    struct skr_solve_stats stats;
    struct skr_arena *arena; /* owns everything above */
};

/* *ret is owned by the caller. Errors: SKR_INVALID (a negative demand, n < claims, n beyond
 * limits), SKR_NO_MEMORY, SKR_LIMIT (byte limit of the run). An error is never an "infeasible". */
int skr_solve(const struct skr_problem *problem, struct skr_solution **ret,
              struct skr_error *error);
void skr_solution_destroy(struct skr_solution *solution); /* NULL allowed */

/* Independent checker, linear: 0 when counts (tree->n_leaves) are a valid placement, else
 * -SKR_INVALID and what is violated where. */
int skr_solution_check(const struct skr_problem *problem, const int32_t *count,
                       struct skr_error *error);
/* Key of any placement, for comparisons; in arena; level 1 first. NULL without memory. */
struct skr_level_key *skr_placement_key(const struct skr_tree *tree, const int32_t *count,
                                        struct skr_arena *arena);
/* < 0: a is better, 0 equal, > 0 b is better. */
int skr_placement_compare(const struct skr_tree *tree, const struct skr_rule *rule,
                          const struct skr_level_key *a, const struct skr_level_key *b);

#endif
