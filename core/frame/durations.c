/* SPDX-License-Identifier: Apache-2.0 */
#include "core/frame/durations.h"

int64_t skr_stopwatch_now(const struct skr_stopwatch *stopwatch)
{
    return stopwatch ? stopwatch->now(stopwatch->context) : 0;
}

void skr_durations_add(struct skr_durations *durations, const struct skr_duration_scale *scale,
                       int64_t took)
{
    size_t k = 0;
    took = took < 0 ? 0 : took;
    for (int64_t bound = scale->first; k < scale->n && took > bound; bound *= scale->factor) {
        k++;
    }
    durations->n[k]++;
    durations->sum += took;
}
