/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_WHY_H
#define SKR_CORE_SPOTMIX_WHY_H
/* Sentences of an explanation: why a pod has its class, and what happens next. */
#include "core/spotmix/view.h"

/* "index 2 is below max 3: on-demand". Appended. */
void skr_spotmix_why(const struct skr_spotmix_row *row, const struct skr_spotmix_pod_row *pod,
                     struct skr_strbuf *out);
/* "the next pod gets index 4: spot". Appended. O(pods of the workload). */
void skr_spotmix_next(const struct skr_spotmix *mix, const struct skr_spotmix_row *row,
                      struct skr_strbuf *out);
/* Why nothing is evicted while the webhook is not called, and what to do. Appended. */
void skr_spotmix_say_uncalled(const struct skr_spotmix_row *row, struct skr_strbuf *out);

#endif
