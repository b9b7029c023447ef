/* SPDX-License-Identifier: Apache-2.0 */
/* Kicks, waits and the end of a thread with a connection of its own. */
#include "test/test.h"

#include "server/daemon/caller_thread.h"
#include "test/unit/fake_api.h"

#define NEVER (1000000 * SKR_SECOND)

struct world {
    struct fake_api *api;
    struct skr_caller_thread thread;
    bool waits; /* between two calls */
};

/* A call each turn. */
static void *work(void *context)
{
    struct world *world = context;
    const struct skr_call call = {.method = "GET", .target = "/turn", .timeout = NEVER};
    do {
        struct skr_call_answer answer;
        skr_caller_call(world->thread.caller, &call, &answer);
        skr_call_answer_fini(&answer);
    } while (skr_caller_thread_wait(&world->thread, world->waits ? NEVER : 0));
    return NULL;
}

static void start(struct world *world)
{
    struct skr_kube_access access;
    skr_kube_access_init(&access);
    assert_int_equal(
        skr_kube_access_set_server(
            &access, test_text("http://127.0.0.1:%u", fake_api_port(world->api)), NULL),
        0);
    assert_int_equal(
        skr_caller_thread_start(&world->thread, &access, "test", "turns", work, world, NULL), 0);
    assert_null(access.server);
}

static void stop(struct world *world)
{
    skr_caller_thread_stop(&world->thread);
    skr_caller_thread_stop(&world->thread);
    fake_api_stop(world->api);
}

TEST(a_kick_ends_the_wait_and_is_kept_while_a_call_runs)
{
    struct world world = {.api = fake_api_start(NULL, false), .waits = true};
    fake_api_expect(world.api,
                    &(struct fake_step){.match = "/turn", .mode = FAKE_HANG, .body = "{}"});
    start(&world);
    fake_api_wait_count(world.api, "/turn", 1);
    skr_caller_thread_kick(&world.thread);
    fake_api_release(world.api, "/turn");
    fake_api_wait_count(world.api, "/turn", 2);
    skr_caller_thread_kick(&world.thread);
    fake_api_wait_count(world.api, "/turn", 3);
    assert_false(skr_caller_thread_is_stopping(&world.thread));
    stop(&world);
}

TEST(a_wait_ends_when_its_time_is_over)
{
    struct world world = {.api = fake_api_start(NULL, false)};
    start(&world);
    fake_api_wait_count(world.api, "/turn", 3);
    stop(&world);
}

TEST(the_end_does_not_wait_for_a_call_that_hangs)
{
    struct world world = {.api = fake_api_start(NULL, false), .waits = true};
    fake_api_expect(world.api,
                    &(struct fake_step){.match = "/turn", .mode = FAKE_HANG, .forever = true});
    start(&world);
    fake_api_wait_count(world.api, "/turn", 1);
    stop(&world);
}
