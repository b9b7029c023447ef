/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_ROLES_TRIAL_H
#define SKR_TEST_PROPERTY_ROLES_TRIAL_H
/* The solver on random problems with roles, and failures that can be played again: see trial.h. */
#include "test/property/roles_oracle.h"
#include "test/property/trial.h"

/* N / part, 1 at least. */
uint64_t roles_share(uint64_t part);
/* The solver's answer; an error ends the test. */
struct skr_solution *roles_solve(const struct roles_instance *ri);
void roles_to_answer(const struct roles_instance *ri, const struct skr_solution *got,
                     struct roles_answer *ret);
/* The same in one step. */
void roles_solve_answer(const struct roles_instance *ri, struct roles_answer *ret);
/* What the solver says otherwise than the oracle; NULL: nothing. */
const char *roles_difference(const struct roles_instance *ri, const struct skr_solution *got,
                             const struct roles_answer *want);
/* Prints problem and answers (NULL: none), and ends the test. */
void roles_fail(const struct roles_instance *ri, enum roles_kind kind, uint64_t index,
                const char *what, const struct roles_answer *want, const struct roles_answer *got);

#endif
