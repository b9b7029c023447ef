/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_PROBLEM_H
#define SKR_CORE_SOLVER_PROBLEM_H
/* The problem of the solver: place n members of one group on the leaves of a tree, under rules of
 * levels, bounds of units and rules over domains. docs/solver.md defines the rules. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

/* Whether n rules are equal. */
static inline bool skr_rules_equal(const struct skr_rule *a, const struct skr_rule *b, int32_t n)
{
    bool same = true;
    for (int32_t i = 0; same && i < n; i++) {
        same = a[i].type == b[i].type && a[i].hard == b[i].hard &&
               a[i].partitions == b[i].partitions && a[i].min == b[i].min && a[i].max == b[i].max &&
               a[i].factor == b[i].factor;
    }
    return same;
}

/* What one unit may hold in the end, claims included: least <= x <= most. */
struct skr_unit_bounds {
    int32_t least, most;
};

/* A rule over domains that lie beside the levels: core/solver/domains.h. */
enum skr_domain_rule_kind {
    SKR_DOMAIN_MOST,
    SKR_DOMAIN_ONE,
    SKR_DOMAIN_SKEW,
    SKR_DOMAIN_LEAST,
    SKR_DOMAIN_RULE_KIND_COUNT
};

/* Arrays are borrowed. */
struct skr_domain_rule {
    enum skr_domain_rule_kind kind;
    const char *name; /* for people; NULL allowed */
    int32_t n_domains;
    const int32_t
        *domain;  /* [leaf] 0 .. n_domains - 1; -1: the leaf is in none: MOST and LEAST do not
                              bound it; with ONE and SKEW it takes no new member */
    int32_t most; /* MOST: >= 1 */
    const int32_t *most_of; /* MOST: [domain], >= 0, instead of most; NULL: most is that of each */
    int32_t max_skew;       /* SKEW: >= 1 */
    int32_t min_domains;    /* SKEW: fewer domains than this: the least count is 0; 0: unset */
    const int32_t *least;   /* LEAST: [domain] new members that it must take, >= 0 */
    const int32_t *others;  /* SKEW: [domain] matching pods that are not members; NULL: none */
    uint32_t roles; /* of a problem with roles, bit r: those that it counts and binds; 0: all */
    /* MOST with roles: other roles, none of which is in a domain with any of `roles`; most does not
     * hold then. 0: most holds. */
    uint32_t against;
};

static inline int32_t skr_domain_rule_most(const struct skr_domain_rule *rule, int32_t domain)
{
    return rule->most_of ? rule->most_of[domain] : rule->most;
}

/* Whether a leaf in no domain takes no new member. */
static inline bool skr_domain_rule_closes(const struct skr_domain_rule *rule)
{
    return rule->kind == SKR_DOMAIN_ONE || rule->kind == SKR_DOMAIN_SKEW;
}

enum {
    SKR_DOMAIN_RULES_MAX = 16,   /* rules of one problem */
    SKR_DOMAIN_SOLVES_MAX = 512, /* solves of one call, those of a search included */
};

enum { SKR_SOLVER_MEMBERS_MAX = 1 << 20 }; /* members of one problem */
enum { SKR_ROLES_MAX = 8 };
/* Bytes of one run, unless the problem says otherwise. */
#define SKR_SOLVER_BYTES_MAX ((size_t)1 << 30)

struct skr_roles; /* core/solver/roles.h */

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
        *capacity; /* same layout, an empty cluster; NULL: class NeverFits is never reported */
    const uint8_t *eligible; /* [leaf] whether it may take new members; NULL: all may */
    const uint8_t *emptied;  /* [leaf] the same in an empty cluster; NULL: as eligible */
    const int32_t *claimed;  /* [leaf]; NULL: none */
    /* [unit], beside the rules of the levels; NULL: none. {0, n or more} bounds nothing; the root's
     * are ignored. With bounds, missing slots and best keys are not explained. Not with rules over
     * domains: SKR_INVALID. */
    const struct skr_unit_bounds *bounds;
    /* Members that are not equal; NULL: all are as demand, eligible, emptied and claimed say. With
     * roles these four are ignored (NULL allowed), and n is the sum of the roles' n. */
    const struct skr_roles *roles;
    const struct skr_domain_rule *domain_rule; /* [n_domain_rules] */
    size_t n_domain_rules;
    enum skr_tie_break tie_break;
    bool explain;           /* fill struct skr_explanation when infeasible */
    uint32_t explain_parts; /* enum skr_explain_part: more parts, with explain; 0: none */
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

#endif
