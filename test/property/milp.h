/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_MILP_H
#define SKR_TEST_PROPERTY_MILP_H
/*
 * Oracle 4: the problem as a mixed integer program, in LP format, solved by a program that knows
 * nothing of trees: glpsol (GLPK) or cbc, whichever is installed; MILP=glpsol or MILP=cbc chooses.
 *
 * A key is a vector of digits; as many as fit into an objective below 10^5 are minimised at a time,
 * then held at their least value for the next stage.
 */
#include "test/property/instance.h"

/* Name of the program, NULL when none is installed. */
const char *milp_program(void);
/* Minimises the objective `obj` of the LP file, within so many seconds; its solution goes into the file
 * out. 1: optimal, and *ret is the least value; 0: infeasible; -1: no clear answer. */
int milp_run(const char *lp, const char *out, int seconds, int64_t *ret);

enum milp_verdict { MILP_AGREES, MILP_DISAGREES, MILP_FAILED };
/* Compares the solver's answer with the program's: whether there is one, and every digit of the
 * key. key: NULL when the solver refused. MILP_FAILED: the program gave no clear answer. */
enum milp_verdict milp_compare(const struct instance *in, const struct skr_level_key *key);

#endif
