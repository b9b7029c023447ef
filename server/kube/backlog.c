/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of writes by class, for all and for each subscriber with its own rate. */
#include "server/kube/backlog.h"

static struct skr_kube_job *take(struct skr_backlog *backlog, struct skr_turns *turns,
                                 enum skr_write_class class)
{
    struct skr_kube_job *job = skr_turns_take(turns, class);
    if (job) {
        backlog->waiting[class]--;
        backlog->n--;
    }
    return job;
}

void skr_backlog_init(struct skr_backlog *backlog, const struct skr_kube_options *options)
{
    *backlog = (struct skr_backlog){.options = options};
    skr_limiter_init(&backlog->limiter, options->qps, options->burst);
    for (size_t i = 0; i < options->n_subscribers; i++) {
        const struct skr_kube_subscriber *s = &options->subscriber[i];
        if (s->qps > 0) {
            backlog->lane[i].of = s;
            skr_limiter_init(&backlog->lane[i].limiter, s->qps, s->burst);
        }
    }
}

const char *skr_backlog_put(struct skr_backlog *backlog, struct skr_kube_job *job)
{
    const enum skr_write_class class = job->write.class;
    struct skr_turns *turns = &backlog->turns;
    if (class == SKR_WRITE_CLASS_EVENT &&
        backlog->waiting[class] >= backlog->options->max_queued_events) {
        return "too many Events are waiting";
    }
    if (backlog->n >= backlog->options->max_queued) {
        return "too many writes are waiting";
    }
    for (size_t i = 0; i < SKR_KUBE_SUBSCRIBERS_MAX; i++) {
        if (backlog->lane[i].of && backlog->lane[i].of == job->from) {
            turns = &backlog->lane[i].turns;
        }
    }
    skr_turns_put(turns, job);
    backlog->waiting[class]++;
    backlog->n++;
    return NULL;
}

int64_t skr_backlog_admit(struct skr_backlog *backlog, int64_t now)
{
    int64_t due = INT64_MAX;
    for (size_t i = 0; i < SKR_KUBE_SUBSCRIBERS_MAX; i++) {
        struct skr_kube_lane *lane = &backlog->lane[i];
        enum skr_write_class class;
        while (lane->of && (class = skr_turns_class(&lane->turns)) != SKR_WRITE_CLASS_COUNT) {
            int64_t next = 0;
            if (!skr_limiter_take(&lane->limiter, now, &next)) {
                due = next < due ? next : due;
                break;
            }
            skr_turns_put(&backlog->turns, skr_turns_take(&lane->turns, class));
        }
    }
    return due;
}

enum skr_write_class skr_backlog_class(struct skr_backlog *backlog)
{
    return skr_turns_class(&backlog->turns);
}

struct skr_kube_job *skr_backlog_take(struct skr_backlog *backlog, enum skr_write_class class,
                                      int64_t now, int64_t *ret_next)
{
    if (!skr_limiter_take(&backlog->limiter, now, ret_next)) {
        return NULL;
    }
    return take(backlog, &backlog->turns, class);
}

struct skr_kube_job *skr_backlog_drain(struct skr_backlog *backlog, enum skr_write_class class)
{
    struct skr_kube_job *job = take(backlog, &backlog->turns, class);
    for (size_t i = 0; !job && i < SKR_KUBE_SUBSCRIBERS_MAX; i++) {
        job = take(backlog, &backlog->lane[i].turns, class);
    }
    return job;
}
