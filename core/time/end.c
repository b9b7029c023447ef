/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a pod: the first rule that holds. */
#include "core/time/end.h"

#include <string.h>

#include "core/pod/pod.h"
#include "topology/base/json_field.h"

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

/* ---- reading ---- */

static skr_time time_in(const json_t *object, const char *key)
{
    skr_time t = 0;
    const char *text = json_string_value(json_object_get(object, key));
    return text && skr_time_parse(text, &t, NULL) == 0 ? t : 0;
}

static int64_t positive_in(const json_t *object, const char *key)
{
    const json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 ? value : 0;
}

/* A DaemonSet or a kubelet brings the pod back wherever it goes. */
static bool is_rooted(const json_t *metadata)
{
    const json_t *owner;
    size_t i;
    if (json_object_get(json_object_get(metadata, "annotations"), "kubernetes.io/config.mirror")) {
        return true;
    }
    json_array_foreach(json_object_get(metadata, "ownerReferences"), i, owner)
    {
        const char *kind = skr_object_text(owner, "kind");
        if (strcmp(kind, "DaemonSet") == 0 || strcmp(kind, "Node") == 0) {
            return true;
        }
    }
    return false;
}

void skr_pod_times_read(const json_t *pod, const json_t *job, struct skr_pod_times *ret)
{
    const json_t *metadata = json_object_get(pod, "metadata");
    const json_t *spec = json_object_get(pod, "spec");
    const json_t *grace = json_object_get(spec, "terminationGracePeriodSeconds");
    const json_int_t grace_s = json_integer_value(grace);
    *ret = (struct skr_pod_times){
        .deadline_s = positive_in(spec, "activeDeadlineSeconds"),
        .started = time_in(json_object_get(pod, "status"), "startTime"),
        .deleted = time_in(metadata, "deletionTimestamp"),
        .grace_s = !json_is_integer(grace) ? SKR_POD_GRACE_S
                   : grace_s < 0           ? 0
                   : grace_s > INT32_MAX   ? INT32_MAX
                                           : (int32_t)grace_s,
        .rooted = is_rooted(metadata),
        .job_deadline_s = positive_in(json_object_get(job, "spec"), "activeDeadlineSeconds"),
        .job_started = time_in(json_object_get(job, "status"), "startTime"),
    };
}

/* ---- ends ---- */

/* A start in the future is a clock that differs. */
static int64_t started_at(skr_time started, int64_t now)
{
    const int64_t at = skr_instant_up(started);
    return at < now ? at : now;
}

int64_t skr_job_end(const struct skr_pod_times *pod, int64_t now)
{
    return pod->job_deadline_s == 0 || pod->job_started == 0
               ? SKR_INSTANT_NEVER
               : skr_instant_plus(started_at(pod->job_started, now),
                                  skr_instant_plus(pod->job_deadline_s, pod->grace_s));
}

/* The limit before an overrun is looked at. */
static int64_t limit_of(const struct skr_pod_times *pod, int64_t now)
{
    const int64_t started = pod->started == 0 ? now : started_at(pod->started, now);
    const int64_t job = skr_job_end(pod, now);
    int64_t own = SKR_INSTANT_NEVER;
    if (pod->deleted != 0) {
        return skr_instant_up(pod->deleted);
    }
    if (pod->deadline_s > 0) {
        own = skr_instant_plus(started, skr_instant_plus(pod->deadline_s, pod->grace_s));
    }
    return own < job ? own : job;
}

struct skr_pod_end skr_end_of(const struct skr_pod_times *pod, int64_t estimate, int64_t now)
{
    struct skr_pod_end end = {.kind = SKR_END_LIMIT, .at = limit_of(pod, now)};
    if (end.at == SKR_INSTANT_NEVER) {
        end = (struct skr_pod_end){.kind = SKR_END_ESTIMATE, .at = estimate};
    }
    if (end.at != SKR_INSTANT_NEVER && end.at <= now) {
        const int64_t late = now - end.at;
        end.at = now + (late > SKR_OVERRUN_S ? late : SKR_OVERRUN_S);
        end.overrun = true;
    }
    if (end.at == SKR_INSTANT_NEVER || end.at - now > SKR_END_BEYOND_S) {
        return (struct skr_pod_end){.kind = SKR_END_UNKNOWN, .at = SKR_INSTANT_NEVER};
    }
    return end;
}

int64_t skr_end_guess(const struct skr_pod_times *pod, int64_t estimate, int64_t now)
{
    const int64_t age = pod->started == 0 ? 0 : now - started_at(pod->started, now);
    if (pod->rooted) {
        return SKR_INSTANT_NEVER;
    }
    if (estimate != SKR_INSTANT_NEVER && estimate > now && estimate - now <= SKR_END_BEYOND_S) {
        return estimate;
    }
    return now + (age > SKR_GUESS_S ? age : SKR_GUESS_S);
}
