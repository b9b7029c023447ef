/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of writes by class, for all and for each subscriber with its own rate. */
#include "server/kube/backlog.h"

/* By order, first come first within it. Most jobs belong at the end; a job of an earlier order
 * belongs near the front, behind the few of its own. */
static void push(struct skr_kube_queue *queue, struct skr_kube_job *job)
{
    queue->n++;
    if (!queue->last || queue->last->write.order <= job->write.order) {
        job->next = NULL;
        if (queue->last) {
            queue->last->next = job;
        } else {
            queue->first = job;
        }
        queue->last = job;
        return;
    }
    struct skr_kube_job **at = &queue->first;
    while ((*at)->write.order <= job->write.order) {
        at = &(*at)->next;
    }
    job->next = *at;
    *at = job;
}

static struct skr_kube_job *pop(struct skr_kube_queue *queue)
{
    struct skr_kube_job *job = queue->first;
    queue->first = job->next;
    if (!queue->first) {
        queue->last = NULL;
    }
    queue->n--;
    return job;
}

static struct skr_kube_job *take(struct skr_backlog *backlog, struct skr_kube_queue *queue,
                                 enum skr_write_class class)
{
    backlog->waiting[class]--;
    backlog->n--;
    return pop(queue);
}

/* The first of its queues that holds something. */
static enum skr_write_class first_class(const struct skr_kube_queue *queue)
{
    int c = 0;
    while (c < SKR_WRITE_CLASS_COUNT && queue[c].n == 0) {
        c++;
    }
    return (enum skr_write_class)c;
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
    struct skr_kube_queue *queue = backlog->queue;
    if (class == SKR_WRITE_CLASS_EVENT &&
        backlog->waiting[class] >= backlog->options->max_queued_events) {
        return "too many Events are waiting";
    }
    if (backlog->n >= backlog->options->max_queued) {
        return "too many writes are waiting";
    }
    for (size_t i = 0; i < SKR_KUBE_SUBSCRIBERS_MAX; i++) {
        if (backlog->lane[i].of && backlog->lane[i].of == job->from) {
            queue = backlog->lane[i].queue;
        }
    }
    push(&queue[class], job);
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
        while (lane->of && (class = first_class(lane->queue)) != SKR_WRITE_CLASS_COUNT) {
            int64_t next = 0;
            if (!skr_limiter_take(&lane->limiter, now, &next)) {
                due = next < due ? next : due;
                break;
            }
            push(&backlog->queue[class], pop(&lane->queue[class]));
        }
    }
    return due;
}

enum skr_write_class skr_backlog_class(const struct skr_backlog *backlog)
{
    return first_class(backlog->queue);
}

struct skr_kube_job *skr_backlog_take(struct skr_backlog *backlog, enum skr_write_class class,
                                      int64_t now, int64_t *ret_next)
{
    if (!skr_limiter_take(&backlog->limiter, now, ret_next)) {
        return NULL;
    }
    return take(backlog, &backlog->queue[class], class);
}

struct skr_kube_job *skr_backlog_drain(struct skr_backlog *backlog, enum skr_write_class class)
{
    if (backlog->queue[class].n > 0) {
        return take(backlog, &backlog->queue[class], class);
    }
    for (size_t i = 0; i < SKR_KUBE_SUBSCRIBERS_MAX; i++) {
        if (backlog->lane[i].queue[class].n > 0) {
            return take(backlog, &backlog->lane[i].queue[class], class);
        }
    }
    return NULL;
}
