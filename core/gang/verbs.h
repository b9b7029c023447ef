/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_VERBS_H
#define SKR_CORE_GANG_VERBS_H
/* Filter, prioritize and preempt: answered from what is known, at once; filter calls may be held a
 * moment (filter_hold.h). */
#include "core/gang/gang.h"
#include "core/gang/requests.h"

/* A filter request, as it came in or as it was held. */
struct filter_call {
    uint64_t request;
    const struct skr_pod *pod; /* as in the request; NULL: as in the cache */
    const char *uid, *namespace_;
    const char *group;     /* that a pod of ours names; "" none */
    const char *nominated; /* in the request; "" none */
    uint64_t mark;         /* of the kick that it shows; nomination_mark() */
    size_t n_nodes;
    const char *const *node;
    bool may_hold;
    skr_time until; /* of a hold */
};

void verbs_filter_call(struct skr_gang *e, const struct filter_call *call);
void verbs_filter(struct skr_gang *e, const struct skr_event *event);
void verbs_prioritize(struct skr_gang *e, const struct skr_event *event);
void verbs_preempt(struct skr_gang *e, const struct skr_event *event);

#endif
