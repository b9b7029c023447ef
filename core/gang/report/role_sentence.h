/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_ROLE_SENTENCE_H
#define SKR_CORE_GANG_REPORT_ROLE_SENTENCE_H
/*
 * The sentence that says why a group of several roles is not placed. The first that applies:
 *
 * - no node takes a role
 * - a lost member must be in the unit of its set
 * - a role fits nowhere even alone
 * - too few sets fit
 * - no unit holds all
 * - what is left over
 * - not decided
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"

/* request->problem has roles; s: INFEASIBLE or TIMEOUT. O(newcomers * leaves * resources). */
void skr_role_sentence(struct skr_gang *e, const struct group *g, const struct skr_solution *s,
                       const struct skr_solve_request *request, struct skr_strbuf *b);
/* The role of the problem whose lack is the shortage of the unit. Of equal ones: some of it fit, then
 * role order. -1: no role alone is short. */
int skr_role_sentence_short(const struct skr_roles *roles, const struct skr_role_short *unit);

#endif
