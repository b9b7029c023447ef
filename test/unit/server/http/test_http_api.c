/* SPDX-License-Identifier: Apache-2.0 */
/* The API over HTTP: the real listener and the real engine thread, and a thread that takes its
 * time. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "core/gang/scheduler.h"
#include "core/gang/state/types.h"
#include "server/client/client.h"
#include "server/daemon/engine_thread.h"
#include "server/http/api.h"
#include "server/kube/decode.h"
#include "test/test.h"
#include "test/unit/http_client.h"
#include "test/unit/json_text.h"

enum { ASKED_MAX = 64 };

typedef void look_function(void *context, struct skr_engine *engine, skr_time now);

struct world {
    struct skr_settings settings;
    struct skr_clock clock;
    struct skr_engine_thread *engine;
    struct skr_api *api;
    struct skr_admin *admin;
    pthread_mutex_t lock;
    pthread_cond_t came;
    bool slow; /* questions wait here until they are let go */
    look_function *fn[ASKED_MAX];
    void *context[ASKED_MAX];
    size_t n;
    uint64_t events; /* of the engine thread */
    atomic_int busy; /* so many pages more have to give way */
};

/* Pages of groups wait for so many events. */
static atomic_int awaited;

static int write_page(void *self, const struct skr_view_query *query, skr_time now,
                      struct skr_strbuf *out)
{
    if (query->awaits && strcmp(query->path, "/v1/groups") == 0 && atomic_load(&awaited) > 0) {
        return SKR_VIEW_AWAITED;
    }
    struct skr_view_query at_once = *query;
    at_once.awaits = false;
    return skr_gang_view(self, &at_once, now, out);
}

static void nudge(void *context)
{
    const struct skr_event event = {.kind = SKR_EVENT_TIMER};
    skr_engine_thread_post(((struct world *)context)->engine, &event);
}

static void handled(void *context, const struct skr_engine *engine)
{
    struct world *w = context;
    const uint64_t events = skr_engine_thread_handled(w->engine);
    (void)engine;
    if (events != w->events && atomic_load(&awaited) > 0) {
        atomic_fetch_sub(&awaited, 1);
        nudge(w);
    }
    w->events = events;
    skr_api_handled(w->api, events);
}

static bool is_busy(void *context)
{
    struct world *w = context;
    return atomic_load(&w->busy) > 0 && atomic_fetch_sub(&w->busy, 1) > 0;
}

static void look(void *context, look_function *fn, void *argument)
{
    struct world *w = context;
    pthread_mutex_lock(&w->lock);
    const bool slow = w->slow;
    if (slow) {
        assert_true(w->n < ASKED_MAX);
        w->fn[w->n] = fn;
        w->context[w->n++] = argument;
        pthread_cond_broadcast(&w->came);
    }
    pthread_mutex_unlock(&w->lock);
    if (!slow) {
        skr_engine_thread_look(w->engine, fn, argument);
    }
}

static void wait_for_questions(struct world *w, size_t n)
{
    pthread_mutex_lock(&w->lock);
    while (w->n < n) {
        pthread_cond_wait(&w->came, &w->lock);
    }
    pthread_mutex_unlock(&w->lock);
}

static void let_go(struct world *w)
{
    pthread_mutex_lock(&w->lock);
    for (size_t i = 0; i < w->n; i++) {
        skr_engine_thread_look(w->engine, w->fn[i], w->context[i]);
    }
    w->n = 0;
    w->slow = false;
    pthread_mutex_unlock(&w->lock);
}

static void post(struct world *w, const struct skr_object_type *type, const char *text)
{
    struct skr_event event;
    struct skr_error error;
    json_auto_t *json = json_text_load(text);
    assert_int_equal(skr_kube_decode(type, json, &event, &error), 0);
    skr_engine_thread_post(w->engine, &event);
}

static void world_set_up(struct world *w)
{
    const struct skr_engine_outlets outlets = {.actions = {.context = w}, .handled = handled};
    const struct skr_api_options api = {.prefix = "/v1",
                                        .write = write_page,
                                        .look = look,
                                        .busy = is_busy,
                                        .nudge = nudge,
                                        .context = w};
    struct skr_admin_options admin = {.listen = "127.0.0.1:0", .n_routes = 1};
    struct skr_error error;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->came, NULL);
    skr_settings_default(&w->settings);
    skr_clock_init(&w->clock);
    w->engine = skr_engine_thread_create(skr_engine_create(&skr_gang_scheduler, &w->settings, NULL),
                                         &w->clock);
    w->api = skr_api_create(&api);
    assert_int_equal(skr_engine_thread_start(w->engine, &outlets, &error), 0);
    admin.route[0] = skr_api_route(w->api);
    if (skr_admin_create(&admin, &w->admin, &error) != 0) {
        fail_msg("%s", error.text);
    }
}

static void world_tear_down(struct world *w)
{
    skr_admin_destroy(w->admin);
    skr_engine_thread_destroy(w->engine);
    for (size_t i = 0; i < w->n; i++) { /* nobody will look any more */
        w->fn[i](w->context[i], NULL, 0);
    }
    skr_api_destroy(w->api);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->came);
}

static void sync_world(struct world *w)
{
    const struct skr_event synced = {.kind = SKR_EVENT_SYNCED};
    post(w, &skr_gang_node,
         "{'metadata':{'name':'n1'},'status':{'allocatable':{'cpu':'4',"
         "'pods':'10'}}}");
    post(w, &skr_gang_configmap,
         "{'metadata':{'name':'m','namespace':'a','labels':{'sakkara.group':'','team':'x'}},"
         "'data':{'name':'g','size':'2'}}");
    post(w, &skr_gang_configmap,
         "{'metadata':{'name':'m','namespace':'b','labels':{'sakkara.group':'','team':'y'}},"
         "'data':{'name':'h','size':'2'}}");
    skr_engine_thread_post(w->engine, &synced);
}

static void expect(struct world *w, const char *method, const char *path, int status,
                   const char *text)
{
    http_expect(http_request(skr_admin_port(w->admin), method, path), status, text ? text : "");
}

TEST_WITH(world, a_page_waits_for_what_the_engine_makes_on_demand)
{
    sync_world(world);
    atomic_store(&awaited, 3);
    expect(world, "GET", "/v1/groups", 200, "\"name\":\"g\"");
    assert_int_equal(atomic_load(&awaited), 0);
}

TEST_WITH(world, pages_are_served_and_refusals_are_statuses)
{
    expect(world, "GET", "/v1/tree", 503, "\"reason\":\"ServiceUnavailable\"");
    sync_world(world);
    expect(world, "GET", "/v1/tree", 200, "\"kind\":\"Tree\"");
    expect(world, "GET", "/v1/tree?slot=cpu%3D2", 200, "\"slots\":2");
    expect(world, "HEAD", "/v1/tree", 200, NULL);
    expect(world, "GET", "/v1/groups", 200, "\"name\":\"h\"");
    expect(world, "GET", "/v1/groups/a/g", 200, "\"kind\":\"Group\"");
    expect(world, "GET", "/v1/groups/a/m", 200, "\"name\":\"g\"");
    expect(world, "GET", "/v1/groups/a/h", 404, "\"message\":\"sakkara: no group ");
    expect(world, "GET", "/v1/other", 404, "\"kind\":\"Status\"");
    expect(world, "GET", "/v1", 404, "\"code\":404");
    expect(world, "GET", "/v1/groups?labelSelector=a%20in", 400, "labelSelector");
    expect(world, "POST", "/v1/groups", 405, NULL);
    expect(world, "DELETE", "/v1/groups/a/g", 405, NULL);
}

TEST_WITH(world, groups_are_chosen_by_namespace_and_labels)
{
    static const struct {
        const char *path;
        size_t n;
    } rows[] = {
        {"/v1/groups", 2},
        {"/v1/groups?namespace=", 2},
        {"/v1/groups?namespace=b", 1},
        {"/v1/groups?labelSelector=team%3Dx", 1},
        {"/v1/groups?labelSelector=team", 2},
        {"/v1/groups?labelSelector=team+notin+(x,y)", 0},
        {"/v1/groups?namespace=a&labelSelector=team%3Dy", 0},
    };

    sync_world(world);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct http_answer answer = http_request(skr_admin_port(world->admin), "GET", rows[i].path);
        json_auto_t *json = json_loads(answer.body, 0, NULL);
        if (json_array_size(json_object_get(json, "items")) != rows[i].n) {
            fail_msg("%s: %s", rows[i].path, answer.body);
        }
        http_answer_free(&answer);
    }
}

TEST_WITH(world, a_question_holds_up_nobody_else)
{
    sync_world(world);
    world->slow = true;
    const int fd = http_connect(skr_admin_port(world->admin));
    http_send_text(fd, "GET /v1/tree HTTP/1.1\r\nHost: localhost\r\n\r\n");
    wait_for_questions(world, 1);
    expect(world, "GET", "/livez", 200, "ok");
    let_go(world);
    http_expect(http_receive(fd), 200, "");
    close(fd);
}

TEST_WITH(world, more_than_the_limit_are_told_to_come_again)
{
    int fd[SKR_API_ASKED_MAX];
    sync_world(world);
    world->slow = true;
    for (size_t i = 0; i < SKR_API_ASKED_MAX; i++) {
        fd[i] = http_connect(skr_admin_port(world->admin));
        http_send_text(fd[i], "GET /v1/tree HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    wait_for_questions(world, SKR_API_ASKED_MAX);
    expect(world, "GET", "/v1/tree", 503, "too many questions");
    let_go(world);
    for (size_t i = 0; i < SKR_API_ASKED_MAX; i++) {
        http_expect(http_receive(fd[i]), 200, "");
        close(fd[i]);
    }
    expect(world, "GET", "/v1/tree", 200, NULL);
}

TEST_WITH(world, callers_that_leave_are_forgotten)
{
    sync_world(world);
    world->slow = true;
    for (size_t i = 0; i < 8; i++) {
        const int fd = http_connect(skr_admin_port(world->admin));
        http_send_text(fd, "GET /v1/tree HTTP/1.1\r\nHost: localhost\r\n\r\n");
        wait_for_questions(world, i + 1);
        close(fd);
    }
    let_go(world);
    expect(world, "GET", "/v1/tree", 200, NULL);
}

TEST_WITH(world, questions_that_nobody_answers_end_with_the_listener)
{
    world->slow = true;
    const int fd = http_connect(skr_admin_port(world->admin));
    http_send_text(fd, "GET /v1/tree HTTP/1.1\r\nHost: localhost\r\n\r\n");
    wait_for_questions(world, 1);
    skr_admin_destroy(world->admin);
    world->admin = NULL;
    http_wait_closed(fd);
    close(fd);
}

TEST_WITH(world, the_client_asks_the_listener)
{
    char url[64];
    SKR_STRBUF(messages);
    struct skr_client *client = NULL;
    struct skr_error error = {0};
    json_t *page = NULL;
    const struct skr_view_query tree = {.path = "/v1/tree"}, none = {.path = "/v1/groups/a/x"};

    snprintf(url, sizeof url, "http://127.0.0.1:%u/", skr_admin_port(world->admin));
    const struct skr_client_options options = {.server = url};
    assert_int_equal(skr_client_create(&options, &client, &messages, &error), 0);
    assert_int_equal(skr_client_fetch(client, &tree, "Tree", &page, &error), -SKR_RETRY);
    assert_int_equal(skr_client_exit_code(-SKR_RETRY), 6);
    sync_world(world);
    assert_int_equal(skr_client_fetch(client, &tree, "Tree", &page, &error), 0);
    json_decref(page);
    assert_int_equal(skr_client_fetch(client, &tree, "Group", &page, &error), -SKR_INVALID);
    assert_int_equal(skr_client_fetch(client, &none, "Group", &page, &error), -SKR_NOT_FOUND);
    assert_string_equal(error.text, "no group \"x\" in namespace \"a\"");
    skr_client_destroy(client);
}

TEST_WITH(world, a_page_gives_way_to_requests_and_begins_anew_behind_them)
{
    sync_world(world);
    atomic_store(&world->busy, 3);
    expect(world, "GET", "/v1/tree", 200, "\"kind\":\"Tree\"");
    assert_int_equal(atomic_load(&world->busy), 0);
    atomic_store(&world->busy, 3);
    expect(world, "GET", "/v1/groups", 200, "\"kind\":\"GroupList\"");
    assert_int_equal(atomic_load(&world->busy), 0);
    /* An engine that never has time for it says so. */
    atomic_store(&world->busy, 1000000);
    expect(world, "GET", "/v1/groups", 503, "the scheduler is busy");
    atomic_store(&world->busy, 0);
}
