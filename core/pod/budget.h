/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_POD_BUDGET_H
#define SKR_CORE_POD_BUDGET_H
/* PodDisruptionBudget of policy/v1, as far as evictions are bound by it: which pods it covers, and how
 * many of them may go now. */
#include "core/pod/pod.h"

struct skr_budget {
    struct skr_arena *arena;
    struct skr_meta meta;
    struct skr_pod_rule selector; /* of pods in its namespace; no selector: none */
    int64_t generation;           /* of its spec; 0: unsaid */
    int32_t allowed; /* status.disruptionsAllowed; 0 while the status is of an older spec */
};

/* Borrows json. Errors: SKR_INVALID with the path of the field, SKR_LIMIT. */
int skr_budget_decode(const json_t *json, struct skr_budget **ret, struct skr_error *error);
void skr_budget_destroy(struct skr_budget *budget); /* NULL allowed */
bool skr_budget_covers(const struct skr_budget *budget, const struct skr_meta *pod);

#endif
