/* SPDX-License-Identifier: Apache-2.0 */
#include "server/daemon/gang_figures.h"
#include "server/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/group/reservation.h"
#include "topology/base/arena.h"

enum {
    SLOTS_SHARE = 100,  /* counting slots takes at most one part in so many of the thread's time */
    SLOTS_LEAVES = 500, /* counted before messages are looked at again */
};

struct skr_gang_figures {
    const struct skr_clock *clock;
    /* Of the engine's thread. */
    struct skr_slot_count count;
    skr_time count_took;

    pthread_mutex_t lock;             /* of everything below */
    pthread_cond_t made;              /* slots were counted, or stop */
    struct skr_engine_thread *engine; /* NULL: not started, or stopped */
    struct skr_gang_stats stats;
    bool counting;       /* a look is on its way */
    uint64_t slots_made; /* times */
    skr_time slots_next; /* not before */
    struct skr_slots slots;
    size_t reserved[SKR_RESERVED_COUNT]; /* counted with the slots */
};

struct skr_gang_figures *skr_gang_figures_create(const struct skr_clock *clock)
{
    struct skr_gang_figures *f = skr_alloc(sizeof *f);
    pthread_mutex_init(&f->lock, NULL);
    skr_thread_init_wake(&f->made);
    f->clock = clock;
    return f;
}

void skr_gang_figures_destroy(struct skr_gang_figures *figures)
{
    if (!figures) {
        return;
    }
    skr_slot_count_fini(&figures->count);
    skr_slots_fini(&figures->slots);
    pthread_cond_destroy(&figures->made);
    pthread_mutex_destroy(&figures->lock);
    free(figures);
}

static void set_engine(struct skr_gang_figures *f, struct skr_engine_thread *engine)
{
    pthread_mutex_lock(&f->lock);
    f->engine = engine;
    pthread_cond_broadcast(&f->made);
    pthread_mutex_unlock(&f->lock);
}

void skr_gang_figures_start(struct skr_gang_figures *figures, struct skr_engine_thread *engine)
{
    set_engine(figures, engine);
}

void skr_gang_figures_stop(struct skr_gang_figures *figures)
{
    set_engine(figures, NULL);
}

void skr_gang_figures_publish(struct skr_gang_figures *figures, const struct skr_engine *engine)
{
    struct skr_gang_stats stats;
    skr_gang_get_stats(skr_engine_self(engine), &stats);
    pthread_mutex_lock(&figures->lock);
    figures->stats = stats;
    pthread_mutex_unlock(&figures->lock);
}

static void keep_slots(struct skr_gang_figures *f, const struct skr_slots *slots,
                       const size_t *reserved, skr_time now)
{
    pthread_mutex_lock(&f->lock);
    memcpy(f->reserved, reserved, sizeof f->reserved);
    struct skr_slots old = f->slots;
    f->slots = *slots;
    f->slots_made++;
    f->slots_next = now + f->count_took * SLOTS_SHARE;
    pthread_cond_broadcast(&f->made);
    pthread_mutex_unlock(&f->lock);
    skr_slots_fini(&old);
    f->count_took = 0;
}

/* Whether there is more to count. */
static bool count(struct skr_gang_figures *f, struct skr_engine *engine, skr_time begin)
{
    struct skr_slots slots;
    bool done = skr_gang_count_slots(skr_engine_self(engine), &f->count, SLOTS_LEAVES, &slots);
    skr_time now = skr_clock_now(f->clock);
    f->count_took += now - begin;
    if (done) {
        size_t reserved[SKR_RESERVED_COUNT];
        skr_reservations_count(skr_engine_self(engine), reserved);
        keep_slots(f, &slots, reserved, now);
    }
    return !done;
}

/* One piece; the next one stands behind the messages that have come meanwhile. */
static void look(void *context, struct skr_engine *engine, skr_time now)
{
    struct skr_gang_figures *f = context;
    const bool goes_on = engine && count(f, engine, now);
    pthread_mutex_lock(&f->lock);
    struct skr_engine_thread *thread = goes_on ? f->engine : NULL;
    f->counting = thread;
    pthread_mutex_unlock(&f->lock);
    if (thread) {
        skr_engine_thread_look(thread, look, f);
    }
}

void skr_gang_figures_get_stats(struct skr_gang_figures *figures, struct skr_gang_stats *ret)
{
    pthread_mutex_lock(&figures->lock);
    *ret = figures->stats;
    pthread_mutex_unlock(&figures->lock);
}

void skr_gang_figures_get_reserved(struct skr_gang_figures *figures, size_t *n)
{
    pthread_mutex_lock(&figures->lock);
    memcpy(n, figures->reserved, sizeof figures->reserved);
    pthread_mutex_unlock(&figures->lock);
}

void skr_gang_figures_get_slots(struct skr_gang_figures *figures, skr_time timeout,
                                struct skr_slots *ret)
{
    struct skr_gang_figures *f = figures;
    skr_time now = skr_clock_now(f->clock);
    struct timespec deadline = skr_clock_deadline(f->clock, now + timeout);
    int rc = 0;
    pthread_mutex_lock(&f->lock);
    if (f->engine && now >= f->slots_next) {
        uint64_t made = f->slots_made;
        struct skr_engine_thread *thread = f->counting ? NULL : f->engine;
        f->counting = true;
        pthread_mutex_unlock(&f->lock); /* a thread that has ended looks here and now */
        if (thread) {
            skr_engine_thread_look(thread, look, f);
        }
        pthread_mutex_lock(&f->lock);
        while (f->slots_made == made && f->engine && rc != ETIMEDOUT) {
            rc = pthread_cond_timedwait(&f->made, &f->lock, &deadline);
        }
    }
    *ret = f->slots;
    if (ret->tree) {
        skr_tree_ref(ret->tree);
    }
    pthread_mutex_unlock(&f->lock);
}
