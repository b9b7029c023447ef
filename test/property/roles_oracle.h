/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_ROLES_ORACLE_H
#define SKR_TEST_PROPERTY_ROLES_ORACLE_H
/*
 * Independent opinions about problems whose members are not equal. They share nothing with the
 * solver, and nothing with each other, but the problem.
 *
 *   enumerator  every vector of members per leaf and role; keys as sorted lists
 *   plain DP    tables of vectors with keys as long lists of digits
 */
#include "test/property/roles_instance.h"

struct roles_answer {
    bool feasible;
    int32_t size[SKR_ROLES_MAX]; /* members placed */
    int32_t count[SKR_ROLES_MAX][INSTANCE_LEAVES_MAX];
};

enum { ROLES_VECTORS_MAX = 60000, ROLES_STATES_MAX = 4096 };

/* False: more than ROLES_VECTORS_MAX vectors. */
bool roles_enumerator_solve(const struct roles_instance *ri, struct roles_answer *ret);
/* Whether these counts are a placement that obeys everything; their sums are those of sizes. */
bool roles_is_valid(const struct roles_instance *ri, const struct roles_answer *placement,
                    const int32_t *sizes);
/* < 0: a is better, by keys alone. */
int roles_compare_keys(const struct roles_instance *ri, const struct roles_answer *a,
                       const struct roles_answer *b);

/* False: more than ROLES_STATES_MAX vectors of one unit. */
bool roles_dp_solve(const struct roles_instance *ri, struct roles_answer *ret);

#endif
