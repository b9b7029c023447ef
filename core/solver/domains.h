/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_DOMAINS_H
#define SKR_CORE_SOLVER_DOMAINS_H
/*
 * Placement under rules over domains that lie beside the levels of the tree: rules of pods about
 * pods of their own kind. A rule sorts the leaves into domains (values of a node label) and bounds
 * what each domain holds of the group:
 *
 *   MOST  at most a number of members a domain: host ports, required podAntiAffinity to their own
 *         kind. With roles also: none of some roles in a domain with any of others
 *   ONE   all members in one domain: required podAffinity to their own kind
 *   SKEW  topologySpreadConstraints with DoNotSchedule: after the last member has come, no domain
 *         that took one holds more than the least domain plus maxSkew
 *   LEAST a domain takes at least a number of new members: members whose volumes are reachable there
 *         alone
 *
 * Domains nest with the levels if each domain is a union of units, or each unit a union of domains.
 * Then the rule becomes bounds of units of a tree with that level put in. The answer is exact and
 * optimal: one solve, with SKEW one for each least count that is possible.
 *
 * A level that asks for exactly p >= 2 partitions cannot be parted further. Domains below it, and
 * domains that cross the levels, take a search that branches on leaves. A placement that it finds
 * is valid. An INFEASIBLE is proven unless the search reached its limit.
 *
 * A rule counts and binds some of the roles, or all. It bounds the sum of these roles. If the search
 * does not decide a problem with roles, the answer is TIMEOUT, never INFEASIBLE.
 *
 * Pure; callable from any thread; memory as skr_solve().
 *
 * Sources: Kubernetes pkg/scheduler/framework/plugins/interpodaffinity, podtopologyspread
 * (filtering.go: skew = matching + 1 - least, over the domains of eligible nodes), nodeports.
 */
#include "core/solver/solution.h"

/* skr_solve() calls this for a problem with such rules; single: of equal members, as
 * skr_role_variant_single() makes it, whose solution has no part about roles. problem->bounds is
 * NULL. Fills (*ret)->domains. Errors as skr_solve(); SKR_LIMIT beyond SKR_DOMAIN_RULES_MAX. */
int skr_solve_domains(const struct skr_problem *problem, bool single, struct skr_solution **ret,
                      struct skr_error *error);

/* Whether counts [leaf], with roles [role * n_leaves + leaf], obey the rules; a part of
 * skr_solution_check() and skr_roles_check(). Linear. -SKR_INVALID and what is violated. */
int skr_domains_check(const struct skr_problem *problem, const int32_t *count,
                      struct skr_error *error);

#endif
