/* SPDX-License-Identifier: Apache-2.0 */
/* A queue under a lock, one thread. Its length is bounded by the scheduler: the gang scheduler has
 * one solve a group at most. */
#include "server/daemon/worker_thread.h"
#include "server/clock.h"
#include "server/thread.h"

#include <pthread.h>
#include <utlist.h>

#include "topology/base/arena.h"

struct job {
    struct skr_work *work;
    struct job *prev, *next;
};

struct skr_worker {
    const struct skr_work_type *type;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct job *waiting;
    struct skr_work *running;
    bool stop;
    void *kept; /* of the thread: what the type keeps from one piece to the next */
    skr_work_done *done;
    void *context;
};

/* NULL: stop. */
static struct skr_work *take_next(struct skr_worker *w)
{
    pthread_mutex_lock(&w->lock);
    while (!w->waiting && !w->stop) {
        pthread_cond_wait(&w->wake, &w->lock);
    }
    struct job *job = w->stop ? NULL : w->waiting;
    struct skr_work *work = NULL;
    if (job) {
        DL_DELETE(w->waiting, job);
        work = job->work;
        free(job);
    }
    w->running = work;
    pthread_mutex_unlock(&w->lock);
    return work;
}

static void run_one(struct skr_worker *w, struct skr_work *work)
{
    int64_t begin = skr_clock_monotonic();
    w->type->run(work, w->kept);
    work->took_ns = skr_clock_monotonic() - begin;
    pthread_mutex_lock(&w->lock);
    w->running = NULL;
    pthread_mutex_unlock(&w->lock);
    w->done(w->context, work);
}

static void *run(void *argument)
{
    struct skr_worker *w = argument;
    for (;;) {
        struct skr_work *work = take_next(w);
        if (!work) {
            return NULL;
        }
        run_one(w, work);
    }
}

static void dispose(struct skr_worker *w)
{
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    if (w->type->close) {
        w->type->close(w->kept);
    }
    free(w);
}

struct skr_worker *skr_worker_create(const struct skr_work_type *type, skr_work_done *done,
                                     void *context, struct skr_error *error)
{
    struct skr_worker *w = skr_alloc(sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    w->type = type;
    w->done = done;
    w->context = context;
    w->kept = type->open ? type->open() : NULL;
    if (skr_thread_start(&w->thread, "worker", run, w, error) < 0) {
        dispose(w);
        return NULL;
    }
    return w;
}

void skr_worker_post(struct skr_worker *worker, struct skr_work *work)
{
    struct job *job = skr_alloc(sizeof *job);
    job->work = work;
    pthread_mutex_lock(&worker->lock);
    DL_APPEND(worker->waiting, job);
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
}

void skr_worker_cancel(struct skr_worker *worker, uint64_t id)
{
    struct job *job;
    pthread_mutex_lock(&worker->lock);
    if (worker->running && worker->running->id == id) {
        atomic_store(&worker->running->cancel, true);
    }
    DL_FOREACH(worker->waiting, job)
    {
        if (job->work->id == id) {
            atomic_store(&job->work->cancel, true);
        }
    }
    pthread_mutex_unlock(&worker->lock);
}

void skr_worker_destroy(struct skr_worker *worker)
{
    if (!worker) {
        return;
    }
    pthread_mutex_lock(&worker->lock);
    worker->stop = true;
    if (worker->running) {
        atomic_store(&worker->running->cancel, true);
    }
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
    pthread_join(worker->thread, NULL);
    struct job *job, *next;
    DL_FOREACH_SAFE(worker->waiting, job, next)
    {
        DL_DELETE(worker->waiting, job);
        skr_work_destroy(job->work);
        free(job);
    }
    dispose(worker);
}
