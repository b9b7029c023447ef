/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three binary heaps (active by priority and age, backoff by window and then like active, errors by
 * window) and a list of the unschedulable, oldest first.
 */
#include "server/lab/scheduler/scheduler_queue.h"

#include <utlist.h>

#define WINDOW SKR_SECOND

static bool comes_first(const struct skr_heap_item *x, const struct skr_heap_item *y)
{
    const struct skr_sched_pod *a = (const void *)x, *b = (const void *)y;
    if (a->pod->priority != b->pod->priority) {
        return a->pod->priority > b->pod->priority;
    }
    return a->timestamp != b->timestamp ? a->timestamp < b->timestamp : a->order < b->order;
}

static bool ends_first(const struct skr_heap_item *x, const struct skr_heap_item *y)
{
    const struct skr_sched_pod *a = (const void *)x, *b = (const void *)y;
    return a->expiry != b->expiry ? a->expiry < b->expiry : comes_first(x, y);
}

static struct skr_sched_pod *first_of(const struct skr_heap *heap)
{
    return (struct skr_sched_pod *)skr_heap_first(heap);
}

/* ---- life ---- */

void skr_sched_queue_init(struct skr_sched_queue *queue, skr_time initial_backoff,
                          skr_time max_backoff, skr_time now)
{
    *queue = (struct skr_sched_queue){
        .initial_backoff = initial_backoff, .max_backoff = max_backoff, .flushed_at = now};
    skr_heap_init(&queue->active, comes_first);
    skr_heap_init(&queue->backoff, ends_first);
    skr_heap_init(&queue->error_backoff, ends_first);
}

void skr_sched_queue_fini(struct skr_sched_queue *queue)
{
    skr_heap_fini(&queue->active);
    skr_heap_fini(&queue->backoff);
    skr_heap_fini(&queue->error_backoff);
}

/* ---- parts of the queue ---- */

static void enter(struct skr_sched_queue *queue, struct skr_heap *heap, struct skr_sched_pod *p,
                  enum skr_sched_place place)
{
    p->place = place;
    p->order = ++queue->order;
    skr_heap_add(heap, &p->waits);
}

void skr_sched_queue_add(struct skr_sched_queue *queue, struct skr_sched_pod *p, skr_time now)
{
    skr_sched_queue_remove(queue, p);
    p->timestamp = now;
    p->expiry = 0;
    enter(queue, &queue->active, p, SKR_SCHED_ACTIVE);
}

void skr_sched_queue_add_gated(struct skr_sched_queue *queue, struct skr_sched_pod *p)
{
    skr_sched_queue_remove(queue, p);
    p->place = SKR_SCHED_GATED;
    queue->n_gated++;
}

void skr_sched_queue_remove(struct skr_sched_queue *queue, struct skr_sched_pod *p)
{
    switch (p->place) {
    case SKR_SCHED_GATED:
        queue->n_gated--;
        break;
    case SKR_SCHED_ACTIVE:
        skr_heap_remove(&queue->active, &p->waits);
        break;
    case SKR_SCHED_BACKOFF:
        skr_heap_remove(&queue->backoff, &p->waits);
        break;
    case SKR_SCHED_ERROR_BACKOFF:
        skr_heap_remove(&queue->error_backoff, &p->waits);
        break;
    case SKR_SCHED_UNSCHEDULABLE:
        DL_DELETE(queue->unschedulable, p);
        queue->n_unschedulable--;
        break;
    case SKR_SCHED_OUT:
    case SKR_SCHED_IN_CYCLE:
    case SKR_SCHED_ASSUMED:
    case SKR_SCHED_ASSIGNED:
    case SKR_SCHED_PLACE_COUNT:
        break;
    }
    p->place = SKR_SCHED_OUT;
}

bool skr_sched_queue_is_empty(const struct skr_sched_queue *queue)
{
    return queue->active.n == 0 && queue->backoff.n == 0;
}

struct skr_sched_pod *skr_sched_queue_pop(struct skr_sched_queue *queue)
{
    struct skr_heap *heap = queue->active.n > 0 ? &queue->active : &queue->backoff;
    struct skr_sched_pod *p = first_of(heap);
    if (!p) {
        return NULL;
    }
    skr_heap_remove(heap, &p->waits);
    p->place = SKR_SCHED_IN_CYCLE;
    p->expiry = 0;
    p->attempts++;
    return p;
}

/* ---- backoff ---- */

static skr_time backoff_time(const struct skr_sched_queue *queue, int32_t n)
{
    skr_time duration = queue->initial_backoff;
    for (int32_t i = 1; i < n; i++) {
        if (duration > queue->max_backoff - duration) {
            return queue->max_backoff;
        }
        duration += duration;
    }
    return duration;
}

static void set_expiry(const struct skr_sched_queue *queue, struct skr_sched_pod *p)
{
    skr_time at = p->timestamp + backoff_time(queue, p->errors > 0 ? p->errors : p->rejections);
    p->expiry = at - at % WINDOW + WINDOW;
}

void skr_sched_queue_put_back(struct skr_sched_queue *queue, struct skr_sched_pod *p,
                              unsigned rejected_by, skr_time now)
{
    p->timestamp = now;
    p->rejected_by = rejected_by;
    if (rejected_by == 0) {
        p->errors++;
    } else {
        p->errors = 0;
        p->rejections++;
    }
    set_expiry(queue, p);
    if (rejected_by == 0) {
        enter(queue, &queue->error_backoff, p, SKR_SCHED_ERROR_BACKOFF);
        return;
    }
    p->place = SKR_SCHED_UNSCHEDULABLE;
    DL_APPEND(queue->unschedulable, p);
    queue->n_unschedulable++;
}

void skr_sched_queue_wake(struct skr_sched_queue *queue, struct skr_sched_pod *p, skr_time now)
{
    skr_bug_on(p->place != SKR_SCHED_UNSCHEDULABLE);
    skr_sched_queue_remove(queue, p);
    if (p->expiry > now) {
        enter(queue, &queue->backoff, p, SKR_SCHED_BACKOFF);
    } else {
        enter(queue, &queue->active, p, SKR_SCHED_ACTIVE);
    }
}

static size_t flush_backoff(struct skr_sched_queue *queue, struct skr_heap *heap, skr_time now)
{
    size_t n = 0;
    for (struct skr_sched_pod *p; (p = first_of(heap)) && p->expiry <= now;) {
        skr_heap_remove(heap, &p->waits);
        enter(queue, &queue->active, p, SKR_SCHED_ACTIVE);
        n++;
    }
    return n;
}

/* When the oldest unschedulable pod will have waited too long. */
static skr_time next_leftover(const struct skr_sched_queue *queue)
{
    if (!queue->unschedulable) {
        return SKR_TIME_NEVER;
    }
    skr_time due = queue->unschedulable->timestamp + SKR_SCHED_UNSCHEDULABLE_MAX;
    skr_time since = due - queue->flushed_at;
    skr_time steps = since <= 0 ? 1 : (since + SKR_SCHED_FLUSH_EVERY - 1) / SKR_SCHED_FLUSH_EVERY;
    return queue->flushed_at + steps * SKR_SCHED_FLUSH_EVERY;
}

static size_t flush_leftovers(struct skr_sched_queue *queue, skr_time now)
{
    size_t n = 0;
    if (next_leftover(queue) > now) {
        return 0;
    }
    queue->flushed_at = now - (now - queue->flushed_at) % SKR_SCHED_FLUSH_EVERY;
    while (queue->unschedulable &&
           queue->unschedulable->timestamp + SKR_SCHED_UNSCHEDULABLE_MAX <= now) {
        skr_sched_queue_wake(queue, queue->unschedulable, now);
        n++;
    }
    return n;
}

size_t skr_sched_queue_flush(struct skr_sched_queue *queue, skr_time now)
{
    return flush_backoff(queue, &queue->error_backoff, now) +
           flush_backoff(queue, &queue->backoff, now) + flush_leftovers(queue, now);
}

skr_time skr_sched_queue_next_flush(const struct skr_sched_queue *queue)
{
    skr_time next = next_leftover(queue);
    const struct skr_heap *const heaps[] = {&queue->backoff, &queue->error_backoff};
    for (size_t i = 0; i < 2; i++) {
        const struct skr_sched_pod *p = first_of(heaps[i]);
        next = p && p->expiry < next ? p->expiry : next;
    }
    return next;
}
