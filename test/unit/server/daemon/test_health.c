/* SPDX-License-Identifier: Apache-2.0 */
/* /livez over a real listener, while a thread stands still and when it goes on. */
#include <pthread.h>
#include <time.h>

#include "core/gang/scheduler.h"
#include "server/daemon/health.h"
#include "test/test.h"
#include "test/unit/fake_client.h"
#include "test/unit/http_client.h"

enum { DEADLINE_S = 60 };
#define WEDGED_AFTER (200 * SKR_MILLISECOND)

/* Where a thread stands until it is let go. */
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t change;
    bool closed, entered;
};

static void gate_init(struct gate *gate)
{
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->change, NULL);
    gate->closed = false;
    gate->entered = false;
}

static void gate_fini(struct gate *gate)
{
    pthread_mutex_destroy(&gate->lock);
    pthread_cond_destroy(&gate->change);
}

static void gate_set(struct gate *gate, bool closed)
{
    pthread_mutex_lock(&gate->lock);
    gate->closed = closed;
    gate->entered = false;
    pthread_cond_broadcast(&gate->change);
    pthread_mutex_unlock(&gate->lock);
}

static void gate_pass(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->entered = true;
    pthread_cond_broadcast(&gate->change);
    while (gate->closed) {
        pthread_cond_wait(&gate->change, &gate->lock);
    }
    pthread_mutex_unlock(&gate->lock);
}

static void gate_wait_entered(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    while (!gate->entered) {
        pthread_cond_wait(&gate->change, &gate->lock);
    }
    pthread_mutex_unlock(&gate->lock);
}

/* ---- a process of one engine, one client of the API server, one listener ---- */

struct process {
    struct skr_settings settings;
    struct skr_clock clock;
    struct skr_health health;
    struct skr_engine_thread *engine;
    struct fake_client client;
    struct skr_admin *admin;
    struct gate gate;
};

static void submit(void *context, const struct skr_write *write)
{
    (void)context;
    (void)write;
}

static void deliver(void *context, struct skr_event *event)
{
    struct process *p = context;
    gate_pass(&p->gate);
    fake_sink_deliver(p->client.sink, event);
}

static void begin(struct process *p)
{
    struct skr_error error = {0};
    memset(p, 0, sizeof *p);
    gate_init(&p->gate);
    skr_clock_init(&p->clock);
    skr_settings_default(&p->settings);
    fake_client_begin(&p->client);
    p->client.options.subscriber[0].deliver = deliver;
    p->client.options.subscriber[0].context = p;
    fake_client_start_synced(&p->client);
    p->engine = skr_engine_thread_create(
        skr_engine_create(&skr_gang_scheduler, &p->settings, "test"), &p->clock);
    const struct skr_engine_outlets outlets = {.actions = {.context = p, .write = submit}};
    assert_int_equal(skr_engine_thread_start(p->engine, &outlets, NULL), 0);
    p->health.engine[0] = p->engine;
    p->health.n_engines = 1;
    p->health.kube = p->client.kube;
    p->health.wedged_after = WEDGED_AFTER;
    struct skr_admin_options options = {.listen = "127.0.0.1:0",
                                        .pages = SKR_ADMIN_PROBES,
                                        .tls = {.cert = "", .key = "", .client_ca = ""}};
    options.n_lives = skr_health_live(&p->health, options.live);
    options.n_checks = skr_health_ready(&p->health, options.check);
    if (skr_admin_create(&options, &p->admin, &error) < 0) {
        fail_msg("%s", error.text);
    }
}

static void end(struct process *p)
{
    skr_admin_destroy(p->admin);
    skr_engine_thread_destroy(p->engine);
    fake_client_end(&p->client);
    gate_fini(&p->gate);
}

/* Asks until the answer is as expected and its body has the part. The watch is kept moving where a
 * round of the kube thread is wanted. */
static void wait_livez(struct process *p, int status, const char *part, bool moving)
{
    const time_t until = time(NULL) + DEADLINE_S;
    for (;;) {
        if (moving) {
            fake_api_send(p->client.api, POD_WATCH,
                          "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":"
                          "\"9\"}}}\n");
        }
        struct http_answer got = http_request(skr_admin_port(p->admin), "GET", "/livez");
        const bool good = got.status == status && strstr(got.body, part);
        if (!good && time(NULL) > until) {
            fail_msg("/livez: %d %s", got.status, got.body);
        }
        http_answer_free(&got);
        if (good) {
            return;
        }
    }
}

static void stand(void *context, struct skr_engine *engine, skr_time now)
{
    (void)engine;
    (void)now;
    gate_pass(context);
}

TEST(livez_fails_while_the_engine_hangs_in_one_event)
{
    struct process p;
    struct gate gate;
    begin(&p);
    gate_init(&gate);
    gate_set(&gate, true);
    wait_livez(&p, 200, "ok", true);
    skr_engine_thread_look(p.engine, stand, &gate);
    gate_wait_entered(&gate);
    wait_livez(&p, 503, "the engine has been at one event", true);
    gate_set(&gate, false);
    wait_livez(&p, 200, "ok", true);
    end(&p);
    gate_fini(&gate);
}

TEST(livez_fails_while_the_kube_thread_stands_still)
{
    struct process p;
    begin(&p);
    wait_livez(&p, 200, "ok", true);
    gate_set(&p.gate, true);
    fake_api_send(
        p.client.api, POD_WATCH,
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"namespace\":\"default\",\"name\":"
        "\"a\",\"uid\":\"u\",\"resourceVersion\":\"10\"}}}\n");
    gate_wait_entered(&p.gate);
    wait_livez(&p, 503, "the client of the API server has stood still", false);
    gate_set(&p.gate, false);
    wait_livez(&p, 200, "ok", true);
    end(&p);
}
