/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures how long complete groups waited. Level triggered: every evaluation of a group ends with
 * a comparison of its state and the noted one. The end of a plan does not end the wait: the group
 * is measured after it is Pending and Ready again.
 */
#include "core/gang/report/measure.h"

static void observe(struct skr_gang *e, struct group *g, enum skr_group_outcome outcome)
{
    struct skr_scheduling_times *times = &e->stats.scheduling[outcome];
    skr_time took = skr_frame_now(e->frame) > g->times.complete
                        ? skr_frame_now(e->frame) - g->times.complete
                        : 0;
    size_t k = 0;
    while (k < SKR_SCHEDULING_BUCKETS && took > SKR_SCHEDULING_FIRST << k) {
        k++;
    }
    times->n[k]++;
    times->sum += took;
    g->times.complete = 0;
}

void skr_measure_group(struct skr_gang *e, struct group *g)
{
    switch (g->state) {
    case GROUP_READY:
        if (!g->times.complete) {
            g->times.complete = skr_frame_now(e->frame);
        }
        break;
    case GROUP_BOUND:
        if (g->times.complete) {
            observe(e, g, SKR_OUTCOME_BOUND);
        }
        break;
    case GROUP_PENDING:
    case GROUP_INVALID:
    case GROUP_EVICTED:
        if (g->times.complete) {
            observe(e, g, SKR_OUTCOME_FAILED);
        }
        break;
    case GROUP_PREEMPTING:
    case GROUP_PLANNED:
    case GROUP_ADMITTING:
    case GROUP_HOLDING:
    case GROUP_BINDING:
    case GROUP_BACKOFF:
    case GROUP_STATE_COUNT:
    default:
        break;
    }
}

void skr_measure_group_gone(struct skr_gang *e, struct group *g)
{
    if (g->times.complete) {
        observe(e, g, SKR_OUTCOME_FAILED);
    }
}
