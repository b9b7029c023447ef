/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_SOLUTION_H
#define SKR_CORE_SOLVER_SOLUTION_H
/* The answer of the solver: counts and keys of a placement, or why there is none. */
#include "core/solver/problem.h"
#include "topology/base/arena.h"
#include "topology/base/error.h"

struct skr_domain_rule_name {
    enum skr_domain_rule_kind kind;
    const char *name;
};

/* The part of a solution about rules over domains. */
struct skr_domain_outcome {
    bool proven;      /* the search left nothing out; PLACED: the placement is optimal, too */
    int32_t blocking; /* INFEASIBLE: a rule that cannot be obeyed, alone or together with those of
                         rule; -1: there is no placement without all of them either, and the
                         explanation is that of the problem */
    /* INFEASIBLE: a least set of rules that cannot be obeyed together, blocking the first of them,
     * in the order of the problem; names copied. */
    size_t n_rules;
    const struct skr_domain_rule_name *rule;
    int32_t domains; /* of that rule: how many can take at least one member */
    int32_t largest; /* the most members that fit with these rules, if known; -1 */
    int32_t solves;
};

enum skr_solve_status {
    SKR_SOLVE_PLACED,
    SKR_SOLVE_INFEASIBLE,
    SKR_SOLVE_TIMEOUT,
    SKR_SOLVE_STATUS_COUNT
};

/* The class is the first that holds. */
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
    /* Of each role. fits: beside the need of the other roles; -1: these do not fit either. */
    int32_t fits_of[SKR_ROLES_MAX], needs_of[SKR_ROLES_MAX];
};

struct skr_size_range {
    int32_t first, last; /* both feasible, and all between */
};

/* The rule of a level that is dropped, in the order of reports. */
enum skr_relaxation_kind {
    SKR_RELAX_HARD,
    SKR_RELAX_MAX,
    SKR_RELAX_MIN,
    SKR_RELAX_FACTOR,
    SKR_RELAX_PARTITIONS,
    SKR_RELAXATION_KIND_COUNT
};

/* What a relaxation drops: a rule of the group or of a role, or a property of a set kind. */
enum skr_atom_what { SKR_ATOM_RULE, SKR_ATOM_EXCLUSIVE, SKR_ATOM_SETS };

struct skr_relaxation_atom {
    enum skr_atom_what what;
    int32_t set_kind;              /* EXCLUSIVE, SETS */
    int32_t role;                  /* RULE: -1: of the group */
    int32_t level;                 /* RULE */
    enum skr_relaxation_kind kind; /* RULE */
    /* The value nearest to the rule's that suffices too, the other atoms of the set dropped:
     * smallest max, largest min, largest factor (1: only dropping it does), nearest partitions. 0:
     * none, or none was found within the steps; for hard; of a problem with roles. */
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
    bool closed;      /* NEVER_FITS: only because of leaves that an empty cluster opens (emptied) */
    int32_t largest;  /* largest feasible size <= n under the same rules; 0 when none */
    int64_t sum_fits; /* sum of fit over leaves, each capped at n */
    /* Deciding level: the rules below it leave room for n, the rule of this level does not. 0 when
     * sum_fits < n. */
    int32_t level;
    /* Units of that level that are short (fits < needs), sorted by shortage, then tree order. Empty
     * where only the step between sizes is wrong (factor, min). */
    size_t n_bottlenecks;
    struct skr_bottleneck bottleneck[SKR_BOTTLENECKS_MAX];

    /* enum skr_explain_part: the parts below that are complete. A part that was requested and is
     * not marked met a limit (steps, bytes, work, cancel); what it holds is true, but not all. */
    uint32_t parts;
    /* Feasible sizes from 1 to 2 n (at most SKR_SOLVER_MEMBERS_MAX), ascending. Sizes outside
     * sizes_first .. sizes_last were not computed, or do not fit in here. */
    int32_t sizes_first, sizes_last;
    size_t n_sizes;
    struct skr_size_range size[SKR_SIZE_RANGES_MAX];
    /* All smallest sets of rules without which n is feasible; each is verified, and so is that no
     * smaller set suffices. Deepest level first, then by kind. With roles: of the group, then of the
     * roles in their order; then exclusive, then sets. Empty and complete: there is too little room
     * even without rules. */
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

struct skr_roles_outcome;

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
    struct skr_roles_outcome *roles;   /* of a problem with roles, else NULL; core/solver/roles.h */
    struct skr_arena *arena;           /* owns everything above */
};

void skr_solution_destroy(struct skr_solution *solution); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_solution, skr_solution_destroy)

/* Independent checker, linear: 0 when counts (tree->n_leaves) are a valid placement, else
 * -SKR_INVALID and what is violated where. skr_roles_check(), with all members in one role. */
int skr_solution_check(const struct skr_problem *problem, const int32_t *count,
                       struct skr_error *error);
/* Key of any placement, for comparisons; in arena; level 1 first. NULL without memory. */
struct skr_level_key *skr_placement_key(const struct skr_tree *tree, const int32_t *count,
                                        struct skr_arena *arena);
/* < 0: a is better, 0 equal, > 0 b is better. Silent levels are not compared. */
int skr_placement_compare(const struct skr_tree *tree, const struct skr_rule *rule,
                          const struct skr_level_key *a, const struct skr_level_key *b);

#endif
