/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a pod: the first rule that holds. */
#include "core/time/end.h"

#include "core/pod/pod.h"

skr_time skr_start_seen(skr_time started, skr_time now)
{
    return started < now ? started : now;
}

int64_t skr_instant_up(skr_time t)
{
    return t / SKR_SECOND + (t % SKR_SECOND > 0 ? 1 : 0);
}

int64_t skr_instant_plus(int64_t at, int64_t seconds)
{
    int64_t sum;
    return at == SKR_INSTANT_NEVER || seconds == SKR_INSTANT_NEVER ||
                   __builtin_add_overflow(at, seconds, &sum)
               ? SKR_INSTANT_NEVER
               : sum;
}

struct skr_pod_times skr_pod_times_of(const struct skr_pod *pod)
{
    return (struct skr_pod_times){.deadline_s = pod->deadline_s,
                                  .started = pod->started,
                                  .deleted = pod->meta.deleted_at,
                                  .grace_s = pod->grace_s,
                                  .rooted = pod->rooted};
}

bool skr_pod_times_equal(const struct skr_pod_times *a, const struct skr_pod_times *b)
{
    return a->deadline_s == b->deadline_s && a->started == b->started && a->deleted == b->deleted &&
           a->grace_s == b->grace_s && a->rooted == b->rooted &&
           a->job_deadline_s == b->job_deadline_s && a->job_started == b->job_started &&
           a->word == b->word;
}

/* ---- ends ---- */

/* Not started yet: now. A start in the future is a clock that differs. */
static int64_t started_at(skr_time started, int64_t now)
{
    const int64_t at = skr_instant_up(started);
    return started != 0 && at < now ? at : now;
}

int64_t skr_job_end(const struct skr_pod_times *pod, int64_t now)
{
    return pod->job_deadline_s == 0
               ? SKR_INSTANT_NEVER
               : skr_instant_plus(started_at(pod->job_started, now),
                                  skr_instant_plus(pod->job_deadline_s, pod->grace_s));
}

/* What the API says, whatever the word of the pod is. */
static int64_t limit_of(const struct skr_pod_times *pod, int64_t now)
{
    const int64_t started = started_at(pod->started, now);
    const int64_t job = skr_job_end(pod, now);
    int64_t limit = job;
    if (pod->deadline_s > 0) {
        const int64_t own =
            skr_instant_plus(started, skr_instant_plus(pod->deadline_s, pod->grace_s));
        limit = own < job ? own : job;
    }
    return pod->deleted != 0 ? skr_instant_up(pod->deleted) : limit;
}

int64_t skr_end_begun(const struct skr_pod_times *pod)
{
    struct skr_pod_times begun = *pod;
    begun.deadline_s = pod->started != 0 ? pod->deadline_s : 0;
    begun.job_deadline_s = pod->job_started != 0 ? pod->job_deadline_s : 0;
    return limit_of(&begun, SKR_INSTANT_NEVER);
}

struct skr_pod_end skr_end_of(const struct skr_pod_times *pod, int64_t estimate, int64_t now)
{
    const int64_t limit = limit_of(pod, now);
    struct skr_pod_end end = {.kind = SKR_END_LIMIT,
                              .at = pod->word != 0 && pod->word < limit ? pod->word : limit};
    if (end.at == SKR_INSTANT_NEVER) {
        end = (struct skr_pod_end){.kind = SKR_END_ESTIMATE, .at = estimate};
    }
    if (end.at != SKR_INSTANT_NEVER && end.at <= now) {
        const int64_t gone = pod->deleted != 0 ? skr_instant_up(pod->deleted) : 0;
        /* Evicted after its end, it is late from then on. */
        const int64_t late = now - (gone > end.at && gone <= now ? gone : end.at);
        end.at = now + (late > SKR_OVERRUN_S ? late : SKR_OVERRUN_S);
        end.at = limit > now && limit < end.at ? limit : end.at;
        end.overrun = true;
    }
    if (end.at == SKR_INSTANT_NEVER || end.at - now > SKR_END_BEYOND_S) {
        return (struct skr_pod_end){.kind = SKR_END_UNKNOWN, .at = SKR_INSTANT_NEVER};
    }
    return end;
}

struct skr_pod_end skr_end_soon(const struct skr_pod_times *pod, int64_t estimate, int64_t now)
{
    struct skr_pod_end end = skr_end_of(pod, estimate, now);
    if (end.overrun && end.kind == SKR_END_LIMIT && end.at <= now + SKR_OVERRUN_S) {
        end.at = now + 1;
        end.overrun = false;
    }
    return end;
}

int64_t skr_end_guess(const struct skr_pod_times *pod, int64_t estimate, int64_t now)
{
    const int64_t age = now - started_at(pod->started, now);
    if (pod->rooted) {
        return SKR_INSTANT_NEVER;
    }
    if (estimate != SKR_INSTANT_NEVER && estimate > now && estimate - now <= SKR_END_BEYOND_S) {
        return estimate;
    }
    return now + (age > SKR_GUESS_S ? age : SKR_GUESS_S);
}
