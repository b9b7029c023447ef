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
#include "core/solver/solution.h"

/* skr_solve() comes here by itself for a problem with such rules. problem->bounds must be NULL. Fills
 * (*ret)->domains. Errors as skr_solve(); SKR_LIMIT beyond SKR_DOMAIN_RULES_MAX. */
int skr_solve_domains(const struct skr_problem *problem, struct skr_solution **ret,
                      struct skr_error *error);

/* Whether counts [leaf] obey the rules; the rest is skr_solution_check()'s business, which comes
 * here. Linear. SKR_INVALID and what is violated. */
int skr_domains_check(const struct skr_problem *problem, const int32_t *count,
                      struct skr_error *error);

#endif
