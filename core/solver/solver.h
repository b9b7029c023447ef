/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_SOLVER_H
#define SKR_CORE_SOLVER_SOLVER_H
/*
 * The solver: how many members of one group go to which leaf. Pure, exact, deterministic; callable
 * from any thread. Meaning of rules, objective and ties: docs/solver.md.
 *
 * Validity: x(root) = n; claimed <= x(leaf) <= claimed + new(leaf), new(leaf) = 0 if not eligible,
 * else min over resources with demand > 0 of floor(max(0, free) / demand); every unit is within its
 * bounds; on every sibling set of a used parent the rule of the children's level holds. Objective: keys per level from the top:
 * pack (fewest used units, then lexicographically greatest sorted counts), spread
 * (lexicographically smallest sorted counts). Ties: the vector of child counts in tree order
 * lexicographically greatest, root first, then children from left to right; with SKR_TIE_TIGHT the
 * room of used units of pack levels decides before that.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "topology/base/error.h"
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
    bool silent; /* the level has rules and no key: placements are not compared by it */
};

/* What one unit may hold in the end, claims included: least <= x <= most. */
struct skr_unit_bounds {
    int32_t least, most;
};

/* A rule over domains that lie beside the levels: core/solver/domains.h. */
enum skr_domain_rule_kind {
    SKR_DOMAIN_MOST,
    SKR_DOMAIN_ONE,
    SKR_DOMAIN_SKEW,
    SKR_DOMAIN_RULE_KIND_COUNT
};

/* Arrays are borrowed. */
struct skr_domain_rule {
    enum skr_domain_rule_kind kind;
    const char *name; /* for people; NULL allowed */
    int32_t n_domains;
    const int32_t
        *domain;         /* [leaf] 0 .. n_domains - 1; -1: the leaf is in none: MOST does not bound
                              it; with ONE and SKEW it takes no new member */
    int32_t most;        /* MOST: >= 1 */
    int32_t max_skew;    /* SKEW: >= 1 */
    int32_t min_domains; /* SKEW: fewer domains than this: the least count is 0; 0: unset */
    const int32_t *others; /* SKEW: [domain] matching pods that are no members; NULL: none */
};

enum {
    SKR_DOMAIN_RULES_MAX = 16,   /* rules of one problem */
    SKR_DOMAIN_SOLVES_MAX = 512, /* solves of one call, those of a search included */
};

/* What a solution says of the rules over domains. */
struct skr_domain_outcome {
    bool proven;      /* INFEASIBLE: nothing was left out. PLACED: it is optimal as well */
    int32_t blocking; /* INFEASIBLE: a rule without which there is a placement; -1: there is none
                         without all of them either, and the explanation is that of the problem */
    enum skr_domain_rule_kind kind; /* of that rule */
    const char *name;               /* of that rule, copied */
    int32_t domains;                /* of that rule: how many can take at least one member */
    int32_t largest; /* of that rule: the most members that fit with it, if known; -1 */
    int32_t solves;
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
    /* [unit], beside the rules of the levels; NULL: none. {0, n or more} bounds nothing; the root's
     * are not looked at. With bounds no missing slots and no best keys are explained. */
    const struct skr_unit_bounds *bounds;
    const struct skr_domain_rule *domain_rule; /* [n_domain_rules] */
    size_t n_domain_rules;
    enum skr_tie_break tie_break;
    bool explain;           /* fill struct skr_explanation when infeasible */
    uint32_t explain_parts; /* enum skr_explain_part: what else, with explain; 0: nothing */
    /* Search nodes: sets and values of relaxations tried. 0: timeout at once; < 0:
     * SKR_RELAXATION_STEPS_MAX. Placing takes none. */
    int64_t step_budget;
    const atomic_bool
        *cancel;        /* polled at merge boundaries; NULL allowed; true gives SKR_SOLVE_TIMEOUT */
    bool no_fast_paths; /* general method only (tests) */
    size_t byte_limit;  /* of the run; 0: SKR_SOLVER_BYTES_MAX */
    /* Microseconds of any clock, for time_us of the statistics; decides nothing. NULL: they are 0.
     */
    int64_t (*clock_us)(void);
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

/* Parts of an explanation that cost solves of their own. */
enum skr_explain_part {
    SKR_EXPLAIN_SIZES = 1 << 0,       /* placed or infeasible */
    SKR_EXPLAIN_RELAXATIONS = 1 << 1, /* infeasible */
    SKR_EXPLAIN_SLOTS = 1 << 2,       /* infeasible */
    SKR_EXPLAIN_KEYS = 1 << 3,        /* placed: best_alone and best_empty of the solution */
    SKR_EXPLAIN_ALL = (1 << 4) - 1,
};

enum {
    SKR_BOTTLENECKS_MAX = 16,
    SKR_SIZE_RANGES_MAX = 32,        /* those nearest to n */
    SKR_RELAXATION_ATOMS_MAX = 6,    /* rules dropped together */
    SKR_RELAXATIONS_MAX = 32,        /* the first in order */
    SKR_RELAXATION_STEPS_MAX = 4096, /* search nodes without a step budget */
    SKR_MISSING_SLOTS_MAX = 16,      /* leaves, the first in tree order */
};

struct skr_bottleneck {
    int32_t unit;
    int32_t fits;  /* most members this unit can hold under the rules below it, at most needs */
    int32_t needs; /* members it would have to hold, all others holding their most */
};

struct skr_size_range {
    int32_t first, last; /* both feasible, and all between */
};

/* One rule of one level that is taken back. In the order in which they are reported. */
enum skr_relaxation_kind {
    SKR_RELAX_HARD,
    SKR_RELAX_MAX,
    SKR_RELAX_MIN,
    SKR_RELAX_FACTOR,
    SKR_RELAX_PARTITIONS,
    SKR_RELAXATION_KIND_COUNT
};

struct skr_relaxation_atom {
    int32_t level;
    enum skr_relaxation_kind kind;
    /* The value nearest to the rule's that suffices too, the other atoms of the set dropped:
     * smallest max, largest min, largest factor (1: only dropping it does), nearest partitions. 0:
     * none, or none was found within the steps; for hard. */
    int32_t value;
};

struct skr_relaxation {
    size_t n_atoms;
    struct skr_relaxation_atom atom[SKR_RELAXATION_ATOMS_MAX];
};

struct skr_missing_slots {
    int32_t leaf;
    int32_t slots;
};

struct skr_explanation {
    enum skr_infeasible_class class; /* SKR_CLASS_NONE: placed */
    int32_t largest;  /* largest feasible size <= n under the same rules; 0 when none */
    int64_t sum_fits; /* sum of fit over leaves, each capped at n */
    /* Deciding level: the rules below it leave room for n, the rule of this level does not. 0 when
     * sum_fits < n. */
    int32_t level;
    /* Units of that level that are short (fits < needs), sorted by shortage, then tree order. Empty
     * where only the step between sizes is wrong (factor, min). */
    size_t n_bottlenecks;
    struct skr_bottleneck bottleneck[SKR_BOTTLENECKS_MAX];

    /* enum skr_explain_part: what follows is there and complete. A part that was asked for and is
     * not here met a limit (steps, bytes, work, cancel); what it holds is true, but not all. */
    uint32_t parts;
    /* Feasible sizes from 1 to 2 n (at most SKR_SOLVER_MEMBERS_MAX), ascending. Sizes outside
     * sizes_first .. sizes_last were not looked at, or did not fit in here. */
    int32_t sizes_first, sizes_last;
    size_t n_sizes;
    struct skr_size_range size[SKR_SIZE_RANGES_MAX];
    /* All sets of the least number of rules without which n is feasible; every one verified, as is
     * that no smaller set does. Deepest level first, then by kind. Empty and complete: there is too
     * little room even without rules. */
    size_t n_relaxations;
    struct skr_relaxation relaxation[SKR_RELAXATIONS_MAX];
    /* Least number of slots which, added to these (eligible) leaves, make n feasible; -1 when none
     * do. A leaf grows up to its capacity, where that is known and suffices. */
    int32_t slots;
    size_t n_slot_leaves; /* may exceed what fits in */
    struct skr_missing_slots slot[SKR_MISSING_SLOTS_MAX];
};

enum skr_solve_phase {
    SKR_PHASE_SETS,    /* feasible sets of all units */
    SKR_PHASE_OPTIMUM, /* graph of the optimal placements */
    SKR_PHASE_CHOICE,  /* one of them, its counts and key */
    SKR_PHASE_EXPLANATION,
    SKR_PHASE_COUNT
};

struct skr_solve_stats {
    int64_t units_visited;
    int64_t merges;         /* of the feasible sets of two spans of siblings */
    int64_t merges_of_runs; /* of them, those of two arithmetic progressions; the rest is of bits */
    int64_t states_kept;
    int64_t peak_bytes;
    int64_t time_us[SKR_PHASE_COUNT]; /* by the problem's clock */
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
    struct skr_explanation explanation; /* with explain */
    /* [n_levels] with PLACED and SKR_EXPLAIN_KEYS, else NULL: for each level its best key if it
     * were compared first; the same on an empty cluster, nothing claimed (NULL without capacity).
     * used 0: not known, a limit was met. */
    struct skr_level_key *best_alone;
    struct skr_level_key *best_empty;
    struct skr_solve_stats stats;
    struct skr_domain_outcome domains; /* of a problem with rules over domains */
    struct skr_arena *arena;           /* owns everything above */
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
