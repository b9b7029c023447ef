/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two lists under one lock: calls of clients, and all other messages. The thread takes a whole list
 * at once and handles it without the lock, so posters contend only with each other. Calls that came
 * meanwhile are handled before the next other message; then one other message is handled. The timer
 * is the deadline of the wait.
 */
#include "server/daemon/engine_thread.h"
#include "server/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "topology/base/arena.h"

struct message {
    struct skr_event event;
    void (*release)(void *keep); /* NULL: copies holds what the event borrows */
    /* Set: the message is a look, without an event. */
    void (*look)(void *keep, struct skr_engine *engine, skr_time now);
    void *keep;
    struct message *next;
    char copies[];
};

/* CALLS: kube-scheduler waits for the answer, and no message of the watches must come first. */
enum lane { CALLS, REST, LANES };
enum { WAKE_EVERY = 256 }; /* objects of first lists */

struct list {
    struct message *head, *tail;
    uint64_t posted, handled;
};

struct skr_engine_thread {
    struct skr_engine *engine;
    const struct skr_clock *clock;
    struct skr_engine_outlets outlets;
    struct skr_actions actions;
    skr_time timer;
    pthread_t thread;
    bool running;
    atomic_size_t calls;            /* posted and not yet begun */
    atomic_int_fast64_t busy_since; /* of the clock; 0: it waits */
    atomic_uint_fast64_t handled;   /* events and timers */

    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t wake;  /* messages are there, or stop */
    pthread_cond_t room;  /* the queue was emptied, or a batch was handled */
    struct list list[LANES];
    size_t n;
    bool stop;
    bool synced, leader;
};

/* ---- messages ---- */

static void release_message(struct message *message)
{
    if (message->release) {
        message->release(message->keep);
    }
    free(message);
}

static void discard_message(struct message *message)
{
    if (message->look) {
        message->look(message->keep, NULL, 0);
    } else {
        skr_event_fini(&message->event);
    }
    release_message(message);
}

static bool waits_for_room(const struct message *message)
{
    return !message->look &&
           (message->event.kind == SKR_EVENT_UPSERT || message->event.kind == SKR_EVENT_DELETE);
}

/* A caller that hangs up follows its call. */
static enum lane lane_of(const struct message *message)
{
    bool call = !message->look && (message->event.kind == SKR_EVENT_REQUEST ||
                                   message->event.kind == SKR_EVENT_HANGUP);
    return call ? CALLS : REST;
}

/* Nothing is decided before all first lists are delivered, so their objects need no wake-up each. A
 * later message wakes the thread. */
static bool may_wait_for_more(const struct skr_engine_thread *t, const struct message *message)
{
    return !t->synced && !message->look && message->event.kind == SKR_EVENT_UPSERT &&
           (t->list[REST].posted + 1) % WAKE_EVERY != 0;
}

static void enqueue(struct skr_engine_thread *t, struct message *message)
{
    struct list *list = &t->list[lane_of(message)];
    pthread_mutex_lock(&t->lock);
    while (t->n >= SKR_ENGINE_QUEUE_MAX && !t->stop && waits_for_room(message)) {
        pthread_cond_wait(&t->room, &t->lock);
    }
    bool stopped = t->stop;
    if (!stopped) {
        if (list->tail) {
            list->tail->next = message;
        } else {
            list->head = message;
        }
        list->tail = message;
        bool sleeps_on = may_wait_for_more(t, message);
        list->posted++;
        t->n++;
        if (list == &t->list[CALLS]) {
            atomic_fetch_add_explicit(&t->calls, 1, memory_order_relaxed);
        }
        if (!sleeps_on) {
            pthread_cond_signal(&t->wake);
        }
    }
    pthread_mutex_unlock(&t->lock);
    if (stopped) {
        discard_message(message);
    }
}

static size_t size_of(const char *s)
{
    return s ? strlen(s) + 1 : 0;
}

/* Copies s to *room and moves *room behind it. */
static const char *copy_string(char **room, const char *s)
{
    size_t n = size_of(s);
    if (n == 0) {
        return NULL;
    }
    char *copy = *room;
    memcpy(copy, s, n);
    *room += n;
    return copy;
}

static struct message *copy_deleted(const struct skr_event *event)
{
    size_t need = size_of(event->deleted.namespace_) + size_of(event->deleted.name) +
                  size_of(event->deleted.uid);
    struct message *message = skr_alloc(sizeof *message + need);
    char *room = message->copies;
    message->event = *event;
    message->event.deleted.namespace_ = copy_string(&room, event->deleted.namespace_);
    message->event.deleted.name = copy_string(&room, event->deleted.name);
    message->event.deleted.uid = copy_string(&room, event->deleted.uid);
    return message;
}

static struct message *copy_event(const struct skr_event *event)
{
    if (event->kind == SKR_EVENT_DELETE) {
        return copy_deleted(event);
    }
    bool written = event->kind == SKR_EVENT_WRITE_DONE;
    size_t need = written ? size_of(event->written.message) : 0;
    struct message *message = skr_alloc(sizeof *message + need);
    char *room = message->copies;
    message->event = *event;
    if (written) {
        message->event.written.message = copy_string(&room, event->written.message);
    }
    return message;
}

void skr_engine_thread_post(struct skr_engine_thread *thread, const struct skr_event *event)
{
    skr_bug_on(event->kind == SKR_EVENT_REQUEST);
    enqueue(thread, copy_event(event));
}

void skr_engine_thread_post_kept(void *thread, const struct skr_event *event,
                                 void (*release)(void *keep), void *keep)
{
    struct message *message = skr_alloc(sizeof *message);
    message->event = *event;
    message->release = release;
    message->keep = keep;
    enqueue(thread, message);
}

void skr_engine_thread_look(void *thread,
                            void (*look)(void *context, struct skr_engine *engine, skr_time now),
                            void *context)
{
    struct message *message = skr_alloc(sizeof *message);
    message->look = look;
    message->keep = context;
    enqueue(thread, message);
}

/* ---- the thread ---- */

static void handle(struct skr_engine_thread *t, struct skr_event *event)
{
    skr_engine_handle(t->engine, event, skr_clock_now(t->clock), &t->actions);
    skr_actions_carry_out(&t->actions, &t->outlets.actions, &t->timer);
    atomic_fetch_add_explicit(&t->handled, 1, memory_order_relaxed);
}

static bool fire_timer(struct skr_engine_thread *t)
{
    bool due = t->timer != SKR_TIME_NEVER && skr_clock_now(t->clock) >= t->timer;
    if (due) {
        struct skr_event event = {.kind = SKR_EVENT_TIMER};
        t->timer = SKR_TIME_NEVER;
        handle(t, &event);
    }
    return due;
}

/* Takes what waits of a lane. Under the lock. */
static struct message *take(struct skr_engine_thread *t, enum lane lane)
{
    struct message *batch = t->list[lane].head;
    t->list[lane].head = t->list[lane].tail = NULL;
    for (const struct message *m = batch; m; m = m->next) {
        t->n--;
    }
    pthread_cond_broadcast(&t->room);
    return batch;
}

/* All messages that wait but calls; NULL when there are none, the timer is due, or to stop
 * (*ret_stop). */
static struct message *take_rest(struct skr_engine_thread *t, bool *ret_stop)
{
    int rc = 0;
    pthread_mutex_lock(&t->lock);
    while (!t->list[CALLS].head && !t->list[REST].head && !t->stop && rc != ETIMEDOUT) {
        if (t->timer == SKR_TIME_NEVER) {
            pthread_cond_wait(&t->wake, &t->lock);
        } else {
            struct timespec deadline = skr_clock_deadline(t->clock, t->timer);
            rc = pthread_cond_timedwait(&t->wake, &t->lock, &deadline);
        }
    }
    *ret_stop = t->stop && !t->list[CALLS].head && !t->list[REST].head;
    struct message *batch = take(t, REST);
    pthread_mutex_unlock(&t->lock);
    return batch;
}

static void publish(struct skr_engine_thread *t, const uint64_t *n_handled)
{
    const struct skr_frame *frame = skr_engine_frame(t->engine);
    if (t->outlets.handled) {
        t->outlets.handled(t->outlets.actions.context, t->engine);
    }
    pthread_mutex_lock(&t->lock);
    t->synced = skr_frame_is_synced(frame);
    t->leader = skr_frame_is_leader(frame);
    t->list[CALLS].handled += n_handled[CALLS];
    t->list[REST].handled += n_handled[REST];
    pthread_cond_broadcast(&t->room);
    pthread_mutex_unlock(&t->lock);
}

static void set_busy(struct skr_engine_thread *t)
{
    atomic_store_explicit(&t->busy_since, skr_clock_now(t->clock), memory_order_relaxed);
}

bool skr_engine_thread_has_requests(void *thread)
{
    const struct skr_engine_thread *t = thread;
    return atomic_load_explicit(&t->calls, memory_order_relaxed) > 0;
}

uint64_t skr_engine_thread_handled(void *thread)
{
    const struct skr_engine_thread *t = thread;
    return atomic_load_explicit(&t->handled, memory_order_relaxed);
}

skr_time skr_engine_thread_busy(const struct skr_engine_thread *thread)
{
    skr_time since = atomic_load_explicit(&thread->busy_since, memory_order_relaxed);
    skr_time busy = since == 0 ? 0 : skr_clock_now(thread->clock) - since;
    return busy > 0 ? busy : 0;
}

static void handle_one(struct skr_engine_thread *t, struct message *message)
{
    set_busy(t);
    if (message->look) {
        message->look(message->keep, t->engine, skr_clock_now(t->clock));
    } else {
        handle(t, &message->event);
    }
    release_message(message);
    (void)fire_timer(t);
}

/* Handles the calls that wait now. Later ones wait for one other message. */
static uint64_t handle_calls(struct skr_engine_thread *t)
{
    uint64_t n = 0;
    if (!skr_engine_thread_has_requests(t)) {
        return 0;
    }
    pthread_mutex_lock(&t->lock);
    struct message *calls = take(t, CALLS);
    pthread_mutex_unlock(&t->lock);
    while (calls) {
        struct message *message = calls;
        calls = message->next;
        atomic_fetch_sub_explicit(&t->calls, 1, memory_order_relaxed);
        handle_one(t, message);
        n++;
    }
    return n;
}

static void *work(void *argument)
{
    struct skr_engine_thread *t = argument;
    for (;;) {
        bool stop;
        uint64_t n[LANES] = {0, 0};
        atomic_store_explicit(&t->busy_since, 0, memory_order_relaxed);
        struct message *batch = take_rest(t, &stop);
        set_busy(t);
        if (stop) {
            return NULL;
        }
        n[CALLS] += handle_calls(t);
        while (batch) {
            struct message *message = batch;
            batch = message->next;
            handle_one(t, message);
            n[REST]++;
            n[CALLS] += handle_calls(t);
        }
        if (fire_timer(t) || n[CALLS] + n[REST] > 0) {
            publish(t, n);
        }
    }
}

/* ---- life ---- */

struct skr_engine_thread *skr_engine_thread_create(struct skr_engine *engine,
                                                   const struct skr_clock *clock)
{
    struct skr_engine_thread *t = skr_alloc(sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    skr_thread_init_wake(&t->wake);
    skr_thread_init_wake(&t->room);
    t->engine = engine;
    t->clock = clock;
    t->timer = SKR_TIME_NEVER;
    skr_actions_init(&t->actions);
    return t;
}

int skr_engine_thread_start(struct skr_engine_thread *thread,
                            const struct skr_engine_outlets *outlets, struct skr_error *error)
{
    thread->outlets = *outlets;
    const int rc = skr_thread_start(&thread->thread, "engine", work, thread, error);
    thread->running = rc == 0;
    return rc;
}

static bool read_flag(struct skr_engine_thread *t, const bool *flag)
{
    pthread_mutex_lock(&t->lock);
    bool value = *flag;
    pthread_mutex_unlock(&t->lock);
    return value;
}

bool skr_engine_thread_is_synced(struct skr_engine_thread *thread)
{
    return read_flag(thread, &thread->synced);
}

bool skr_engine_thread_is_leader(struct skr_engine_thread *thread)
{
    return read_flag(thread, &thread->leader);
}

bool skr_engine_thread_wait(struct skr_engine_thread *thread, skr_time timeout)
{
    struct timespec deadline =
        skr_clock_deadline(thread->clock, skr_clock_now(thread->clock) + timeout);
    int rc = 0;
    pthread_mutex_lock(&thread->lock);
    pthread_cond_signal(&thread->wake);
    const struct list *calls = &thread->list[CALLS], *rest = &thread->list[REST];
    const uint64_t until[LANES] = {calls->posted, rest->posted};
    bool done = false;
    while (!done && rc != ETIMEDOUT) {
        done = calls->handled >= until[CALLS] && rest->handled >= until[REST];
        rc = done ? 0 : pthread_cond_timedwait(&thread->room, &thread->lock, &deadline);
    }
    done = calls->handled >= until[CALLS] && rest->handled >= until[REST];
    pthread_mutex_unlock(&thread->lock);
    return done;
}

void skr_engine_thread_stop(struct skr_engine_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    thread->stop = true;
    pthread_cond_signal(&thread->wake);
    pthread_cond_broadcast(&thread->room);
    pthread_mutex_unlock(&thread->lock);
    if (thread->running) {
        pthread_join(thread->thread, NULL);
        thread->running = false;
    }
}

void skr_engine_thread_destroy(struct skr_engine_thread *thread)
{
    if (!thread) {
        return;
    }
    skr_engine_thread_stop(thread);
    for (int lane = 0; lane < LANES; lane++) {
        struct message *message;
        while ((message = thread->list[lane].head)) {
            thread->list[lane].head = message->next;
            discard_message(message);
        }
    }
    skr_actions_fini(&thread->actions);
    skr_engine_destroy(thread->engine);
    pthread_cond_destroy(&thread->wake);
    pthread_cond_destroy(&thread->room);
    pthread_mutex_destroy(&thread->lock);
    free(thread);
}
