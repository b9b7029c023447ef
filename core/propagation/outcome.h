/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_OUTCOME_H
#define SKR_CORE_PROPAGATION_OUTCOME_H
/*
 * How a decision about a binding ends: a code, what condition Scheduled says of it, what becomes of
 * spec.clusters, and when it is tried again. Reasons are those of karmada work/v1alpha2.
 */
#include <stdbool.h>

enum skr_propagation_code {
    SKR_PROPAGATION_PLACED,
    SKR_PROPAGATION_NO_CLUSTER_FIT,
    SKR_PROPAGATION_TOO_FEW_CLUSTERS,
    SKR_PROPAGATION_TOO_FEW_GROUPS,
    SKR_PROPAGATION_SELECT_CAPACITY,
    SKR_PROPAGATION_NO_FEASIBLE_COMBINATION,
    SKR_PROPAGATION_ASSIGN_CAPACITY,
    SKR_PROPAGATION_QUOTA_EXCEEDED,
    SKR_PROPAGATION_UNSUPPORTED_CONSTRAINT,
    SKR_PROPAGATION_UNSUPPORTED_STRATEGY,
    SKR_PROPAGATION_NO_CANDIDATES,
    SKR_PROPAGATION_INVALID_POLICY,
    SKR_PROPAGATION_CODE_COUNT
};

enum skr_propagation_retry {
    SKR_RETRY_NONE,    /* events alone */
    SKR_RETRY_LATER,   /* after 5 minutes, and by events */
    SKR_RETRY_BACKOFF, /* 1 to 10 s */
    SKR_RETRY_BACKOFF_THEN_LATER,
};

struct skr_propagation_outcome {
    const char *code;   /* "" of PLACED */
    const char *reason; /* "Success", "NoClusterFit", ... */
    bool empties;       /* spec.clusters is emptied; else it stays (PLACED: is replaced) */
    enum skr_propagation_retry retry;
};

/* shortage_is_error: the option of that name. */
struct skr_propagation_outcome skr_propagation_outcome(enum skr_propagation_code code,
                                                       bool shortage_is_error);
/* "none", "5m", "backoff". */
extern const char *const skr_propagation_retry_name[];

#endif
