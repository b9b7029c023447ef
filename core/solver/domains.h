/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_DOMAINS_H
#define SKR_CORE_SOLVER_DOMAINS_H
/*
 * Placing under rules over domains that lie beside the levels of the tree: what pods say about
 * their own kind. A rule sorts the leaves into domains (values of a node label) and bounds what each
 * domain holds of the group:
 *
 *   MOST  at most so many members a domain: host ports, required podAntiAffinity to their own kind
 *   ONE   all members in one domain: required podAffinity to their own kind
 *   SKEW  topologySpreadConstraints with DoNotSchedule: after the last member has come, no domain
 *         that took one holds more than the least domain plus maxSkew
 *
 * Where the domains of a rule and the levels nest (each domain is a union of units, or each unit a
 * union of domains) the rule becomes bounds of units of a tree with that level put in, and the
 * answer is exact and optimal: one solve, with SKEW one for each least count that is possible. A
 * level below which an exact number of partitions (2 or more) is asked for cannot be parted
 * further; such rules and those that cross the levels are left to a search that branches on leaves:
 * a placement it finds is valid, a no is proven unless the search met its limit.
 *
 * Pure; callable from any thread; memory as skr_solve().
 *
 * Sources: Kubernetes pkg/scheduler/framework/plugins/interpodaffinity, podtopologyspread
 * (filtering.go: skew = matching + 1 - least, over the domains of eligible nodes), nodeports.
 */
#include "core/solver/solver.h"

enum skr_domain_rule_kind {
    SKR_DOMAIN_MOST,
    SKR_DOMAIN_ONE,
    SKR_DOMAIN_SKEW,
    SKR_DOMAIN_RULE_KIND_COUNT
};

/* Arrays are borrowed. */
struct skr_domain_rule {
    enum skr_domain_rule_kind kind;
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

struct skr_domain_outcome {
    bool proven;      /* INFEASIBLE: nothing was left out. PLACED: it is optimal as well */
    int32_t blocking; /* INFEASIBLE: a rule without which there is a placement; -1: there is none
                         without all of them either, and the explanation is that of the problem */
    int32_t domains;  /* of that rule: how many can take at least one member */
    int32_t largest;  /* of that rule: the most members that fit with it, if known; -1 */
    int32_t solves;
};

/* problem->bounds must be NULL. The solution is one of problem's tree, as by skr_solve(), errors
 * likewise; SKR_LIMIT beyond SKR_DOMAIN_RULES_MAX. */
int skr_solve_domains(const struct skr_problem *problem, const struct skr_domain_rule *rule,
                      size_t n_rules, struct skr_solution **ret, struct skr_domain_outcome *outcome,
                      struct skr_error *error);

/* Whether counts [leaf] obey the rules; the problem's own are skr_solution_check()'s business.
 * Linear. SKR_INVALID and what is violated. */
int skr_domains_check(const struct skr_problem *problem, const struct skr_domain_rule *rule,
                      size_t n_rules, const int32_t *count, struct skr_error *error);

#endif
