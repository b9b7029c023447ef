/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_DOMAIN_BLOCKING_H
#define SKR_CORE_SOLVER_DOMAIN_BLOCKING_H
/* Why rules over domains make a problem infeasible. Internal to the solver. */
#include "core/solver/domain_choices.h"

/* Whether the problem has a placement under these rules; counts solves in the outcome. */
typedef bool skr_domain_fits_fn(const struct skr_problem *problem,
                                const struct skr_domain_rule *rule, size_t n_rules,
                                struct skr_domain_outcome *outcome);

/* Reports the blocking rules in the outcome, and the class in the solution. */
void skr_domain_report_blocking(const struct skr_domain_search *s,
                                const struct skr_problem *problem, struct skr_solution *solution,
                                skr_domain_fits_fn *fits, struct skr_domain_outcome *outcome);

#endif
