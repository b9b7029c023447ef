/* SPDX-License-Identifier: Apache-2.0 */
/* The table of outcomes. */
#include "core/propagation/outcome.h"

static const struct skr_propagation_outcome table[] = {
    [SKR_PROPAGATION_PLACED] = {"", "Success", false, SKR_RETRY_NONE},
    [SKR_PROPAGATION_NO_CLUSTER_FIT] = {"no_cluster_fit", "NoClusterFit", true, SKR_RETRY_NONE},
    [SKR_PROPAGATION_TOO_FEW_CLUSTERS] = {"too_few_clusters", "Unschedulable", false,
                                          SKR_RETRY_LATER},
    [SKR_PROPAGATION_TOO_FEW_GROUPS] = {"too_few_groups", "Unschedulable", false, SKR_RETRY_LATER},
    [SKR_PROPAGATION_SELECT_CAPACITY] = {"select_capacity", "Unschedulable", false,
                                         SKR_RETRY_LATER},
    [SKR_PROPAGATION_NO_FEASIBLE_COMBINATION] = {"no_feasible_combination", "Unschedulable", false,
                                                 SKR_RETRY_LATER},
    [SKR_PROPAGATION_ASSIGN_CAPACITY] = {"assign_capacity", "Unschedulable", false,
                                         SKR_RETRY_LATER},
    [SKR_PROPAGATION_QUOTA_EXCEEDED] = {"quota_exceeded", "QuotaExceeded", false,
                                        SKR_RETRY_BACKOFF},
    [SKR_PROPAGATION_UNSUPPORTED_CONSTRAINT] = {"unsupported_constraint", "SchedulerError", false,
                                                SKR_RETRY_BACKOFF_THEN_LATER},
    [SKR_PROPAGATION_UNSUPPORTED_STRATEGY] = {"unsupported_strategy", "SchedulerError", false,
                                              SKR_RETRY_BACKOFF_THEN_LATER},
    [SKR_PROPAGATION_NO_CANDIDATES] = {"no_candidates", "SchedulerError", false,
                                       SKR_RETRY_BACKOFF_THEN_LATER},
    [SKR_PROPAGATION_INVALID_POLICY] = {"invalid_policy", "SchedulerError", false,
                                        SKR_RETRY_BACKOFF_THEN_LATER},
};
_Static_assert(sizeof table / sizeof table[0] == SKR_PROPAGATION_CODE_COUNT, "a row per code");

struct skr_propagation_outcome skr_propagation_outcome(enum skr_propagation_code code,
                                                       bool shortage_is_error)
{
    struct skr_propagation_outcome outcome = table[code];
    bool in_select =
        code >= SKR_PROPAGATION_TOO_FEW_CLUSTERS && code <= SKR_PROPAGATION_NO_FEASIBLE_COMBINATION;
    if (shortage_is_error && in_select) {
        outcome.reason = "SchedulerError";
        outcome.retry = SKR_RETRY_BACKOFF_THEN_LATER;
    }
    return outcome;
}

const char *const skr_propagation_retry_name[] = {
    [SKR_RETRY_NONE] = "none",
    [SKR_RETRY_LATER] = "5m",
    [SKR_RETRY_BACKOFF] = "backoff",
    [SKR_RETRY_BACKOFF_THEN_LATER] = "backoff",
};
