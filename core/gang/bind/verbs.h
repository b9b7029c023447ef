/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_BIND_VERBS_H
#define SKR_CORE_GANG_BIND_VERBS_H
/* Answers filter, prioritize and preempt at once, from the caches. */
#include "core/gang/state/gang.h"

void skr_verbs_filter(struct skr_gang *e, const struct skr_event *event);
void skr_verbs_prioritize(struct skr_gang *e, const struct skr_event *event);
void skr_verbs_preempt(struct skr_gang *e, const struct skr_event *event);

#endif
