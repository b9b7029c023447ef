/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_ORACLE_H
#define SKR_TEST_PROPERTY_ORACLE_H
/*
 * Independent opinions about a solver problem. They share nothing with the solver, and
 * nothing with each other, but the problem they are asked.
 *
 *   enumerator  looks at every leaf vector; keys as sorted lists
 *   plain DP    tables of (used, total) with keys as long vectors of digits
 *   costs       the same without keys, leaves growing at a price
 *   greedy      the heuristic of other schedulers; not exact, only never better than the optimum
 */
#include "test/property/instance.h"

struct oracle_answer {
    bool feasible;
    int32_t count[INSTANCE_LEAVES_MAX]; /* optimal, by the rule for ties */
};

void enumerator_solve(const struct instance *instance, struct oracle_answer *ret);

/* Counts of the used units of the level, greatest first, when this level alone is compared; returns
 * how many are used, 0 when nothing is valid. */
int32_t enumerator_best_level(const struct instance *instance, int32_t level, int32_t *ret);

enum { PLAIN_FANOUT_MAX = 8 }; /* children of one unit */
/* sizes: NULL or [n + 1], set to whether each size is feasible under the problem's rules (each
 * fit capped at n). */
void plain_dp_solve(const struct instance *instance, struct oracle_answer *ret, bool *sizes);

enum { PLAIN_NO_COST = 1 << 20 };
/* cost[n + 1]: for every size the least number of slots which, added to eligible leaves, make it
 * feasible; 0: it is feasible. Where leaves are known to be no larger than most[leaf] (NULL: no
 * bound), they do not grow beyond. No keys: a few additions a cell. */
void plain_costs(const struct instance *instance, const int32_t *most, int32_t *cost);

/* feasible: the greedy method found a placement. Ties by draws from random. */
void greedy_solve(const struct instance *instance, struct random *random,
                  struct oracle_answer *ret);

#endif
