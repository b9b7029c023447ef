/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_BENCH_MIX_H
#define SKR_TEST_BENCH_MIX_H
/* A spot mix with ReplicaSets and pods, and reviews of pods as large as they are. */
#include <jansson.h>

#include "core/spotmix/mix.h"

/* A ReplicaSet; on: "true" or something else. */
void mix_put_set(struct skr_spotmix *into, const char *uid, const char *on);
/* A pod of it with this index, of which the first hundred are on-demand; json_decref(). */
json_t *mix_pod(const char *set, const char *uid, int index);
/* An AdmissionReview of a pod of this ReplicaSet, with what a template usually has; free(). */
char *mix_review(const char *set);
/* As the listener's thread and the engine's do together. */
void mix_answer(struct skr_spotmix *mix, const char *body, size_t len, int number, skr_time now,
                struct skr_spotmix_answer *ret);

#endif
