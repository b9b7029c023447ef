/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/verbs_world.h"

#include "test/test.h"
#include <time.h>

#include "topology/base/arena.h"

void world_on_post(void *context, const struct skr_event *event, void (*release)(void *keep),
                   void *keep)
{
    struct world *world = context;
    if (event->kind == SKR_EVENT_HANGUP && event->request.id == 0) {
        pthread_mutex_lock(&world->lock);
        world->all_gone++;
        pthread_cond_broadcast(&world->changed);
        pthread_mutex_unlock(&world->lock);
        return;
    }
    struct posted *posted = skr_alloc(sizeof *posted);
    if (world->answer_at_once) {
        const struct skr_answer answer = {
            .request = event->request.id,
            .kind = event->request.verb == SKR_GANG_BIND ? SKR_ANSWER_BOUND : SKR_ANSWER_FILTER_ALL,
            .text = ""};
        assert_true(skr_verbs_answer(world->verbs, &answer));
        release(keep);
        free(posted);
        return;
    }
    posted->event = *event;
    posted->release = release;
    posted->keep = keep;
    pthread_mutex_lock(&world->lock);
    *world->last = posted;
    world->last = &posted->next;
    pthread_cond_broadcast(&world->changed);
    pthread_mutex_unlock(&world->lock);
}

static void on_log(void *context, int level, const char *text)
{
    struct world *world = context;
    if (level > SKR_HTTP_LOG_WARNING) {
        return;
    }
    atomic_fetch_add(&world->log_lines, 1);
    pthread_mutex_lock(&world->lock);
    (void)snprintf(world->log_text, sizeof world->log_text, "%s", text);
    pthread_mutex_unlock(&world->lock);
}

/* The next event; the caller releases it. */
struct posted *world_take(struct world *world)
{
    struct timespec until;
    struct posted *posted;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WAIT_S;
    pthread_mutex_lock(&world->lock);
    while (!world->first) {
        if (pthread_cond_timedwait(&world->changed, &world->lock, &until) != 0) {
            pthread_mutex_unlock(&world->lock);
            fail_msg("no event for %d s", WAIT_S);
        }
    }
    posted = world->first;
    world->first = posted->next;
    if (!world->first) {
        world->last = &world->first;
    }
    pthread_mutex_unlock(&world->lock);
    return posted;
}

void world_drop(struct posted *posted)
{
    if (posted->release) {
        posted->release(posted->keep);
    }
    free(posted);
}

static uint64_t take(struct world *world, enum skr_event_kind kind, int verb)
{
    struct posted *posted = world_take(world);
    uint64_t request = posted->event.request.id;
    assert_int_equal(posted->event.kind, kind);
    assert_int_equal(posted->event.request.verb, verb);
    world_drop(posted);
    return request;
}

uint64_t world_take_request(struct world *world, enum skr_gang_verb verb)
{
    return take(world, SKR_EVENT_REQUEST, (int)verb);
}

uint64_t world_take_hangup(struct world *world)
{
    return take(world, SKR_EVENT_HANGUP, 0);
}

void world_wait_all_gone(struct world *world, int times)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WAIT_S;
    pthread_mutex_lock(&world->lock);
    while (world->all_gone < times) {
        assert_int_equal(pthread_cond_timedwait(&world->changed, &world->lock, &until), 0);
    }
    assert_int_equal(world->all_gone, times);
    pthread_mutex_unlock(&world->lock);
}

bool world_answer(struct world *world, uint64_t request, enum skr_answer_kind kind,
                  const char *text)
{
    const struct skr_answer a = {.request = request, .kind = kind, .text = text};
    return skr_verbs_answer(world->verbs, &a);
}

struct world *world_open_with(const struct skr_tls_files *tls, int request_timeout_ms,
                              int idle_timeout_ms)
{
    struct world *world = skr_alloc(sizeof *world);
    struct skr_error error;
    pthread_mutex_init(&world->lock, NULL);
    pthread_cond_init(&world->changed, NULL);
    world->last = &world->first;
    world->metrics = skr_metrics_create();
    const struct skr_verbs_options options = {
        .listen = "127.0.0.1:0",
        .bind_listen = "127.0.0.1:0",
        .tls = tls ? *tls : (struct skr_tls_files){0},
        .post = world_on_post,
        .post_context = world,
        .log = {on_log, world},
        .metrics = world->metrics,
        .request_timeout_ms = request_timeout_ms,
        .idle_timeout_ms = idle_timeout_ms,
    };
    if (skr_verbs_create(&options, &world->verbs, &error) != 0) {
        fail_msg("%s", error.text);
    }
    return world;
}

struct world *world_open(void)
{
    return world_open_with(NULL, 0, 0);
}

void world_close(struct world *world)
{
    skr_verbs_stop(world->verbs);
    while (world->first) {
        world_drop(world_take(world));
    }
    skr_verbs_destroy(world->verbs);
    skr_metrics_destroy(world->metrics);
    pthread_mutex_destroy(&world->lock);
    pthread_cond_destroy(&world->changed);
    free(world);
}

uint16_t world_port(const struct world *world)
{
    return skr_verbs_port(world->verbs);
}

uint16_t world_bind_port(const struct world *world)
{
    return skr_verbs_bind_port(world->verbs);
}

void world_expect(struct http_answer got, int status, const char *body)
{
    assert_int_equal(got.status, status);
    assert_string_equal(got.body, body);
    http_answer_free(&got);
}
