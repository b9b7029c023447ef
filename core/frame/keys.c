/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash of entries; those that are queued stand in one of two heaps: `later` by time, `ready` of
 * their owner by priority and order of queueing. An entry without failures that is neither queued
 * nor running goes. Owners are namespaces, or one for all keys; those that have ready keys stand in a
 * ring.
 */
#include "core/frame/keys.h"

#include <string.h>

#include <utlist.h>

#include "core/frame/heap.h"
#include "topology/base/table.h"

/* Whose keys take turns; there is one as long as there are keys of it. */
struct owner {
    UT_hash_handle hh; /* by name */
    struct skr_heap ready;
    size_t n_entries, n_running;
    struct owner *prev, *next; /* of the ring */
    char name[];
};

struct entry {
    struct skr_heap_item heap; /* first; of keys->later or owner->ready */
    UT_hash_handle hh;
    struct owner *owner;
    bool is_ready; /* which of them */
    bool running;
    bool again; /* added while it runs: at again_at, with priority */
    skr_time again_at;
    skr_time at; /* in `later` */
    uint64_t seq;
    int32_t priority;
    uint32_t failures;
    char key[];
};

struct skr_keys {
    struct skr_frame *frame;
    struct skr_keys_options options;
    struct entry *entries;
    struct owner *owners, *ring;
    struct skr_heap later;
    size_t n_ready, n_running;
    uint64_t event; /* that spent is of */
    size_t spent;
    bool asked; /* for another event */
    uint64_t seq;
    skr_time wake_at; /* a wake is set for; SKR_TIME_NEVER: none */
};

static bool later_before(const struct skr_heap_item *a, const struct skr_heap_item *b)
{
    const struct entry *x = (const struct entry *)a, *y = (const struct entry *)b;
    return x->at != y->at ? x->at < y->at : x->seq < y->seq;
}

static bool ready_before(const struct skr_heap_item *a, const struct skr_heap_item *b)
{
    const struct entry *x = (const struct entry *)a, *y = (const struct entry *)b;
    return x->priority != y->priority ? x->priority > y->priority : x->seq < y->seq;
}

struct skr_keys *skr_keys_create(struct skr_frame *frame, const struct skr_keys_options *options)
{
    struct skr_keys *k = skr_alloc(sizeof *k);
    skr_bug_on(options->retry_min <= 0 || options->retry_max < options->retry_min);
    k->frame = frame;
    k->options = *options;
    k->wake_at = SKR_TIME_NEVER;
    skr_heap_init(&k->later, later_before);
    return k;
}

/* ---- owners ---- */

/* n: bytes of the name. */
static struct owner *owner_of(struct skr_keys *k, const char *name, size_t n)
{
    struct owner *owner;
    SKR_TABLE_FIND(&k->options.hash_seed, hh, k->owners, name, n, owner);
    if (!owner) {
        owner = skr_alloc(sizeof *owner + n + 1);
        memcpy(owner->name, name, n);
        skr_heap_init(&owner->ready, ready_before);
        SKR_TABLE_ADD(&k->options.hash_seed, hh, k->owners, owner->name, n, owner);
    }
    return owner;
}

static void make_ready(struct skr_keys *k, struct entry *e)
{
    struct owner *owner = e->owner;
    if (owner->ready.n == 0) {
        DL_APPEND(k->ring, owner);
    }
    e->is_ready = true;
    skr_heap_add(&owner->ready, &e->heap);
    k->n_ready++;
}

static void take_ready(struct skr_keys *k, struct entry *e)
{
    struct owner *owner = e->owner;
    skr_heap_remove(&owner->ready, &e->heap);
    k->n_ready--;
    if (owner->ready.n == 0) {
        DL_DELETE(k->ring, owner);
    }
}

static void dequeue(struct skr_keys *k, struct entry *e)
{
    if (e->heap.at == 0) {
        return;
    }
    if (e->is_ready) {
        take_ready(k, e);
    } else {
        skr_heap_remove(&k->later, &e->heap);
    }
}

static void free_entry(struct skr_keys *k, struct entry *e)
{
    struct owner *owner = e->owner;
    dequeue(k, e);
    HASH_DEL(k->entries, e);
    free(e);
    if (--owner->n_entries == 0) {
        HASH_DEL(k->owners, owner);
        skr_heap_fini(&owner->ready);
        free(owner);
    }
}

void skr_keys_destroy(struct skr_keys *k)
{
    if (!k) {
        return;
    }
    struct entry *e, *next;
    HASH_ITER(hh, k->entries, e, next)
    {
        free_entry(k, e);
    }
    skr_heap_fini(&k->later);
    free(k);
}

static struct entry *find(const struct skr_keys *k, const char *key)
{
    struct entry *e;
    SKR_TABLE_FIND_STR(&k->options.hash_seed, k->entries, key, e);
    return e;
}

static struct entry *get(struct skr_keys *k, const char *key)
{
    struct entry *e = find(k, key);
    if (!e) {
        const size_t n = strlen(key);
        e = skr_alloc(sizeof *e + n + 1);
        memcpy(e->key, key, n + 1);
        e->owner = owner_of(k, key, k->options.running_max > 0 ? strcspn(key, "/") : 0);
        e->owner->n_entries++;
        SKR_TABLE_ADD(&k->options.hash_seed, hh, k->entries, e->key, n, e);
    }
    return e;
}

static bool is_queued(const struct entry *e)
{
    return e->heap.at != 0;
}

static void release_if_idle(struct skr_keys *k, struct entry *e)
{
    if (!e->running && !is_queued(e) && e->failures == 0) {
        free_entry(k, e);
    }
}

/* One wake for the earliest time; those set before for later times come to nothing. */
static void wake(struct skr_keys *k)
{
    const struct entry *first = (const struct entry *)skr_heap_first(&k->later);
    if (k->wake_at <= skr_frame_now(k->frame)) {
        k->wake_at = SKR_TIME_NEVER;
    }
    if (first && first->at < k->wake_at) {
        k->wake_at = first->at;
        skr_frame_wake(k->frame, first->at, k->options.wake_kind, "");
    }
}

static void enqueue(struct skr_keys *k, struct entry *e, skr_time at)
{
    e->at = at;
    if (at <= skr_frame_now(k->frame)) {
        make_ready(k, e);
    } else {
        e->is_ready = false;
        skr_heap_add(&k->later, &e->heap);
    }
    wake(k);
}

void skr_keys_add(struct skr_keys *k, const char *key, int32_t priority, skr_time at)
{
    struct entry *e = get(k, key);
    if (e->running) {
        e->priority = e->again && e->priority > priority ? e->priority : priority;
        e->again_at = e->again && e->again_at < at ? e->again_at : at;
        e->again = true;
        return;
    }
    if (!is_queued(e)) {
        e->seq = k->seq++;
        e->priority = priority;
        enqueue(k, e, at);
        return;
    }
    if (priority <= e->priority && (e->is_ready || at >= e->at)) {
        return;
    }
    dequeue(k, e);
    e->priority = priority > e->priority ? priority : e->priority;
    enqueue(k, e, e->is_ready || at > e->at ? e->at : at);
}

void skr_keys_forget(struct skr_keys *k, const char *key)
{
    struct entry *e = find(k, key);
    if (!e) {
        return;
    }
    dequeue(k, e);
    e->failures = 0;
    e->again = false;
    release_if_idle(k, e);
}

/* The owner whose turn it is; NULL: those that have ready keys have as many cycles as they may. */
static struct owner *whose_turn(const struct skr_keys *k)
{
    struct owner *owner;
    DL_FOREACH(k->ring, owner)
    {
        if (k->options.running_max == 0 || owner->n_running < k->options.running_max) {
            return owner;
        }
    }
    return NULL;
}

/* false: this event has done enough, and another one is asked for. */
static bool has_budget(struct skr_keys *k)
{
    if (k->event != skr_frame_events(k->frame)) {
        k->event = skr_frame_events(k->frame);
        k->spent = 0;
        k->asked = false;
    }
    if (k->options.budget == 0 || k->spent < k->options.budget) {
        return true;
    }
    if (!k->asked) {
        skr_frame_wake(k->frame, skr_frame_now(k->frame), k->options.wake_kind, "");
        k->asked = true;
    }
    return false;
}

const char *skr_keys_start(struct skr_keys *k)
{
    struct entry *e;
    skr_time now = skr_frame_now(k->frame);
    while ((e = (struct entry *)skr_heap_first(&k->later)) && e->at <= now) {
        skr_heap_remove(&k->later, &e->heap);
        make_ready(k, e);
    }
    wake(k);
    struct owner *owner = whose_turn(k);
    if (!owner || !has_budget(k)) {
        return NULL;
    }
    e = (struct entry *)skr_heap_first(&owner->ready);
    take_ready(k, e);
    if (owner->ready.n > 0) {
        DL_DELETE(k->ring, owner);
        DL_APPEND(k->ring, owner);
    }
    e->running = true;
    owner->n_running++;
    k->n_running++;
    return e->key;
}

void skr_keys_spend(struct skr_keys *k, size_t units)
{
    k->spent += units;
}

/* Ends the cycle; NULL: there was none. */
static struct entry *end_cycle(struct skr_keys *k, const char *key)
{
    struct entry *e = find(k, key);
    skr_bug_on(!e || !e->running);
    e->running = false;
    e->owner->n_running--;
    k->n_running--;
    return e;
}

static void requeue(struct skr_keys *k, struct entry *e, skr_time at)
{
    e->seq = k->seq++;
    e->again = false;
    enqueue(k, e, at);
}

void skr_keys_succeed(struct skr_keys *k, const char *key)
{
    struct entry *e = end_cycle(k, key);
    e->failures = 0;
    if (e->again) {
        requeue(k, e, e->again_at);
    } else {
        release_if_idle(k, e);
    }
}

skr_time skr_keys_fail(struct skr_keys *k, const char *key)
{
    struct entry *e = end_cycle(k, key);
    skr_time pause = k->options.retry_min;
    for (uint32_t i = 0; i < e->failures && pause < k->options.retry_max; i++) {
        pause = pause > k->options.retry_max / 2 ? k->options.retry_max : 2 * pause;
    }
    if (e->failures < UINT32_MAX) {
        e->failures++;
    }
    skr_time at = skr_frame_now(k->frame) + pause;
    requeue(k, e, e->again && e->again_at < at ? e->again_at : at);
    return pause;
}

bool skr_keys_is_running(const struct skr_keys *k, const char *key)
{
    const struct entry *e = find(k, key);
    return e && e->running;
}

uint32_t skr_keys_failures(const struct skr_keys *k, const char *key)
{
    const struct entry *e = find(k, key);
    return e ? e->failures : 0;
}

size_t skr_keys_depth(const struct skr_keys *k)
{
    return k->later.n + k->n_ready;
}

size_t skr_keys_running(const struct skr_keys *k)
{
    return k->n_running;
}
