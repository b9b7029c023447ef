/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_ORACLE_H
#define SKR_TEST_PROPERTY_ORACLE_H
/*
 * Independent opinions about a solver problem. They share nothing with the solver, and nothing with
 * each other, but the problem they are asked.
 *
 *   enumerator  every vector of members per leaf and role; keys as sorted lists
 *   dp          tables of vectors with keys as long lists of digits, or with costs
 *   greedy      the heuristic of other schedulers; not exact, only never better than the optimum
 */
#include "test/property/instance.h"

struct oracle_answer {
    bool feasible;
    int32_t size[SKR_ROLES_MAX];                       /* members placed */
    int32_t count[SKR_ROLES_MAX][INSTANCE_LEAVES_MAX]; /* optimal, by the rule for ties */
};

enum { ENUMERATOR_VECTORS_MAX = 60000, DP_STATES_MAX = 4096, DP_NO_COST = 1 << 20 };

/* False: more than ENUMERATOR_VECTORS_MAX vectors. */
bool enumerator_solve(const struct instance *in, struct oracle_answer *ret);
/* Counts of the used units of the level, greatest first, when the group's key of this level alone is
 * compared; returns how many are used, 0 when nothing is valid. */
int32_t enumerator_best_level(const struct instance *in, int32_t level, int32_t *ret);
/* Whether these counts are a placement that obeys everything; their sums are those of sizes. */
bool enumerator_is_valid(const struct instance *in, const struct oracle_answer *placement,
                         const int32_t *sizes);
/* < 0: a is better, by keys alone. */
int enumerator_compare(const struct instance *in, const struct oracle_answer *a,
                       const struct oracle_answer *b);

/* False: more than DP_STATES_MAX vectors of one unit. Knows no rules over domains. sizes: NULL or, of
 * equal members, [n + 1]: whether each size is feasible (each fit capped at n). */
bool dp_solve(const struct instance *in, struct oracle_answer *ret, bool *sizes);
/* Equal members. cost[n + 1]: for every size the least number of slots which, added to eligible
 * leaves, make it feasible; 0: it is feasible. Where leaves are known to be no larger than most[leaf]
 * (NULL: no bound), they do not grow beyond. */
void dp_costs(const struct instance *in, const int32_t *most, int32_t *cost);

/* Equal members. feasible: the greedy method found a placement. Ties by draws from random. */
void greedy_solve(const struct instance *in, struct random *random, struct oracle_answer *ret);

#endif
