/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_TIMELINE_H
#define SKR_CORE_GANG_TIME_TIMELINE_H
/*
 * When the waiting groups of a gang scheduler will start: one round (core/time/round.h) over its
 * caches, on paper. Nothing is written, planned or marked.
 */
#include "core/gang/time/answer.h"

/* Errors: SKR_RETRY (no topology that can be used), SKR_LIMIT, SKR_NO_MEMORY. */
int skr_gang_timeline(struct skr_gang *gang, const struct skr_timeline_request *request,
                      struct skr_timeline_answer *ret, struct skr_error *error);
/* What stands now, of a daemon: no round is made. The groups are those with a reservation. The same. */
int skr_gang_timeline_standing(struct skr_gang *gang, const struct skr_timeline_request *request,
                               struct skr_timeline_answer *ret, struct skr_error *error);
void skr_timeline_answer_fini(struct skr_timeline_answer *answer);

#endif
