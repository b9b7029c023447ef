/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A queue under a lock, one worker. Its length is bounded by the engine: one solve a group.
 *
 * The worker keeps what the solver knows of the last problems (core/solver/cache.h), which come
 * again with few leaves changed. They belong to one tree, whose reference is held until a request
 * brings another. Answers are those of skr_solve().
 */
#include "server/daemon/solver_thread.h"

#include <pthread.h>
#include <string.h>
#include <time.h>
#include <utlist.h>

#include "core/solver/cache.h"
#include "topology/base/arena.h"

#define CACHE_BYTES ((size_t)32 * 1024 * 1024)

struct job {
    struct skr_solve_request *request;
    struct job *prev, *next;
};

struct skr_solver_thread {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct job *waiting;
    struct skr_solve_request *running;
    bool stop;
    struct skr_solver_cache *cache; /* of the worker; NULL: no memory for one */
    const struct skr_tree *tree;    /* a reference: what is in the cache counts on it */
    skr_solver_done *done;
    void *context;
};

static int64_t monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* NULL: stop. */
static struct skr_solve_request *take_next(struct skr_solver_thread *t)
{
    pthread_mutex_lock(&t->lock);
    while (!t->waiting && !t->stop) {
        pthread_cond_wait(&t->wake, &t->lock);
    }
    struct job *job = t->stop ? NULL : t->waiting;
    struct skr_solve_request *request = NULL;
    if (job) {
        DL_DELETE(t->waiting, job);
        request = job->request;
        free(job);
    }
    t->running = request;
    pthread_mutex_unlock(&t->lock);
    return request;
}

static int solve(struct skr_solver_thread *t, const struct skr_solve_request *request,
                 struct skr_solution **ret, struct skr_error *error)
{
    if (!t->cache) {
        return skr_solve(&request->problem, ret, error);
    }
    if (request->problem.tree != t->tree) {
        skr_solver_cache_forget(t->cache, t->tree);
        skr_tree_unref(t->tree);
        t->tree = skr_tree_ref(request->problem.tree);
    }
    return skr_solver_cache_solve(t->cache, &request->problem, ret, error);
}

static void run_one(struct skr_solver_thread *t, struct skr_solve_request *request)
{
    struct skr_solution *solution = NULL;
    struct skr_error error = {SKR_OK, ""};
    int64_t begin = monotonic_ns();
    if (solve(t, request, &solution, &error) < 0) {
        solution = NULL;
    }
    int64_t took = monotonic_ns() - begin;
    pthread_mutex_lock(&t->lock);
    t->running = NULL;
    pthread_mutex_unlock(&t->lock);
    t->done(t->context, request, solution, &error, took);
}

static void *work(void *argument)
{
    struct skr_solver_thread *t = argument;
    for (;;) {
        struct skr_solve_request *request = take_next(t);
        if (!request) {
            return NULL;
        }
        run_one(t, request);
    }
}

struct skr_solver_thread *skr_solver_thread_create(skr_solver_done *done, void *context,
                                                   struct skr_error *error)
{
    struct skr_solver_thread *t = skr_alloc(sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    t->done = done;
    t->context = context;
    t->cache = skr_solver_cache_create(CACHE_BYTES);
    int rc = pthread_create(&t->thread, NULL, work, t);
    if (rc != 0) {
        skr_error_set(error, SKR_LIMIT, "solver thread: %s", strerror(rc));
        pthread_cond_destroy(&t->wake);
        pthread_mutex_destroy(&t->lock);
        skr_solver_cache_destroy(t->cache);
        free(t);
        return NULL;
    }
    return t;
}

void skr_solver_thread_post(struct skr_solver_thread *thread, struct skr_solve_request *request)
{
    struct job *job = skr_alloc(sizeof *job);
    job->request = request;
    pthread_mutex_lock(&thread->lock);
    DL_APPEND(thread->waiting, job);
    pthread_cond_signal(&thread->wake);
    pthread_mutex_unlock(&thread->lock);
}

void skr_solver_thread_cancel(struct skr_solver_thread *thread, uint64_t id)
{
    struct job *job;
    pthread_mutex_lock(&thread->lock);
    if (thread->running && thread->running->id == id) {
        atomic_store(&thread->running->cancel, true);
    }
    DL_FOREACH(thread->waiting, job)
    {
        if (job->request->id == id) {
            atomic_store(&job->request->cancel, true);
        }
    }
    pthread_mutex_unlock(&thread->lock);
}

void skr_solver_thread_destroy(struct skr_solver_thread *thread)
{
    if (!thread) {
        return;
    }
    pthread_mutex_lock(&thread->lock);
    thread->stop = true;
    if (thread->running) {
        atomic_store(&thread->running->cancel, true);
    }
    pthread_cond_signal(&thread->wake);
    pthread_mutex_unlock(&thread->lock);
    pthread_join(thread->thread, NULL);
    struct job *job, *next;
    DL_FOREACH_SAFE(thread->waiting, job, next)
    {
        DL_DELETE(thread->waiting, job);
        skr_solve_request_destroy(job->request);
        free(job);
    }
    pthread_cond_destroy(&thread->wake);
    pthread_mutex_destroy(&thread->lock);
    skr_solver_cache_destroy(thread->cache);
    skr_tree_unref(thread->tree);
    free(thread);
}
