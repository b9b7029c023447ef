/* SPDX-License-Identifier: Apache-2.0 */
/* /v1/explain on the admin listener: held until the engine answers. The engine is this test. */
#include <pthread.h>
#include <unistd.h>

#include "core/gang/report/sentence.h"
#include "server/http/explanations.h"
#include "test/test.h"
#include "test/unit/http_client.h"

enum { ASKED_MAX = 64 };

struct world {
    struct skr_admin *admin;
    struct skr_explanations *explanations;
    pthread_mutex_t lock;
    pthread_cond_t more;
    size_t n_asked;
    uint64_t request[ASKED_MAX];
    char key[ASKED_MAX][64];
    bool preempt[ASKED_MAX];
    char what_if[ASKED_MAX][256]; /* as text */
    bool at_once;                 /* answers itself */
};

static void answer(struct world *world, uint64_t request, enum skr_explain_status status,
                   const char *json)
{
    const struct skr_explain_answer a = {.status = status, .json = json, .json_len = strlen(json)};
    skr_explanations_answer(world->explanations, request, &a);
}

static void write_what_if(const struct skr_what_if *w, char text[256])
{
    SKR_STRBUF(b);
    for (size_t i = 0; w && i < w->n_changes; i++) {
        skr_strbuf_addf(&b, "%s=%s ", w->change[i].key, w->change[i].value);
    }
    for (size_t i = 0; w && i < w->n_without; i++) {
        skr_strbuf_addf(&b, "-%s ", w->without[i]);
    }
    snprintf(text, 256, "%s", b.len > 0 ? b.s : "");
}

static void take_question(void *context, const struct skr_event *event, void (*release)(void *keep),
                          void *keep)
{
    const struct skr_explain_request *asked = event->request.body;
    struct world *world = context;
    assert_int_equal(event->kind, SKR_EVENT_REQUEST);
    assert_int_equal(event->request.verb, SKR_GANG_EXPLAIN);
    pthread_mutex_lock(&world->lock);
    size_t i = world->n_asked++;
    assert_true(i < ASKED_MAX);
    world->request[i] = event->request.id;
    snprintf(world->key[i], sizeof world->key[i], "%s/%s", asked->namespace_, asked->name);
    world->preempt[i] = asked->preempt;
    write_what_if(asked->what_if, world->what_if[i]);
    release(keep);
    bool at_once = world->at_once;
    pthread_cond_broadcast(&world->more);
    pthread_mutex_unlock(&world->lock);
    if (at_once) {
        answer(world, event->request.id, SKR_EXPLAIN_FOUND, "{\"at\":\"once\"}");
    }
}

static void answer_at_once(struct world *world)
{
    pthread_mutex_lock(&world->lock);
    world->at_once = true;
    pthread_mutex_unlock(&world->lock);
}

/* The n-th question, from 0, when it has come. */
static uint64_t question(struct world *world, size_t n)
{
    pthread_mutex_lock(&world->lock);
    while (world->n_asked <= n) {
        pthread_cond_wait(&world->more, &world->lock);
    }
    uint64_t request = world->request[n];
    pthread_mutex_unlock(&world->lock);
    return request;
}

static void world_set_up(struct world *world)
{
    struct skr_error error;
    const struct skr_explanations_options options = {.post = take_question, .context = world};
    pthread_mutex_init(&world->lock, NULL);
    pthread_cond_init(&world->more, NULL);
    world->explanations = skr_explanations_create(&options);
    struct skr_admin_options admin = {.listen = "127.0.0.1:0"};
    admin.n_routes = skr_explanations_routes(world->explanations, admin.route);
    if (skr_admin_create(&admin, &world->admin, &error) != 0) {
        fail_msg("%s", error.text);
    }
}

static void world_tear_down(struct world *world)
{
    skr_admin_destroy(world->admin);
    skr_explanations_destroy(world->explanations);
    pthread_cond_destroy(&world->more);
    pthread_mutex_destroy(&world->lock);
}

static int ask(struct world *world, const char *path)
{
    char text[256];
    int fd = http_connect(skr_admin_port(world->admin));
    snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    http_send_text(fd, text);
    return fd;
}

static void assert_answer(int fd, int status, const char *body)
{
    http_expect_body(http_receive(fd), status, body);
    close(fd);
}

TEST_WITH(world, a_question_is_held_until_the_engine_answers)
{
    int first = ask(world, "/v1/explain/team/g");
    uint64_t a = question(world, 0);
    int second = ask(world, "/v1/explain/default/nobody");
    uint64_t b = question(world, 1);
    assert_string_equal(world->key[0], "team/g");
    answer(world, b, SKR_EXPLAIN_NOT_FOUND, "{\"code\":404}");
    assert_answer(second, 404, "{\"code\":404}\n");
    answer(world, a, SKR_EXPLAIN_FOUND, "{\"placed\":false}");
    assert_answer(first, 200, "{\"placed\":false}\n");
    int third = ask(world, "/v1/explain/default/g");
    answer(world, question(world, 2), SKR_EXPLAIN_NOT_NOW, "{\"code\":503}");
    assert_answer(third, 503, "{\"code\":503}\n");
}

TEST_WITH(world, an_answer_may_come_before_the_question_is_held)
{
    answer_at_once(world);
    for (int i = 0; i < 20; i++) {
        assert_answer(ask(world, "/v1/explain/default/g"), 200, "{\"at\":\"once\"}\n");
    }
}

TEST_WITH(world, who_hangs_up_gets_no_answer_and_makes_room)
{
    int fd[SKR_EXPLAIN_ASKERS_MAX];
    for (size_t i = 0; i < SKR_EXPLAIN_ASKERS_MAX; i++) {
        fd[i] = ask(world, "/v1/explain/default/g");
        question(world, i);
    }
    http_expect(http_request(skr_admin_port(world->admin), "GET", "/v1/explain/default/g"), 503,
                "too many questions");
    close(fd[0]);
    answer_at_once(world);
    int status = 503; /* until the listener has noticed */
    for (int i = 0; i < 2000 && status == 503; i++) {
        struct http_answer got =
            http_request(skr_admin_port(world->admin), "GET", "/v1/explain/default/g");
        status = got.status;
        http_answer_free(&got);
    }
    assert_int_equal(status, 200);
    answer(world, world->request[0], SKR_EXPLAIN_FOUND, "{}"); /* nobody waits for it */
    for (size_t i = 1; i < SKR_EXPLAIN_ASKERS_MAX; i++) {
        answer(world, world->request[i], SKR_EXPLAIN_FOUND, "{}");
        assert_answer(fd[i], 200, "{}\n");
    }
}

TEST_WITH(world, who_would_be_evicted_is_asked_for_by_an_argument)
{
    answer_at_once(world);
    assert_answer(ask(world, "/v1/explain/a/g?preempt=true"), 200, "{\"at\":\"once\"}\n");
    assert_answer(ask(world, "/v1/explain/a/g?preempt=false"), 200, "{\"at\":\"once\"}\n");
    assert_answer(ask(world, "/v1/explain/a/g"), 200, "{\"at\":\"once\"}\n");
    assert_true(world->preempt[0]);
    assert_false(world->preempt[1] || world->preempt[2]);
    http_expect(http_request(skr_admin_port(world->admin), "GET", "/v1/explain/a/g?preempt=maybe"),
                400, "preempt must be true or false");
}

TEST_WITH(world, changes_of_a_group_are_read_from_the_arguments)
{
    answer_at_once(world);
    assert_answer(ask(world, "/v1/whatif/a/g?size=4&priority=7&set=rack.hard:false,within:null,"
                             "constraints.node.max:2&without=node-3,node-4"),
                  200, "{\"at\":\"once\"}\n");
    assert_string_equal(world->key[0], "a/g");
    assert_string_equal(world->what_if[0],
                        "size=4 priority=7 constraints.rack.hard=false within=null "
                        "constraints.node.max=2 -node-3 -node-4 ");
    assert_answer(ask(world, "/v1/whatif/a/g"), 200, "{\"at\":\"once\"}\n");
    assert_string_equal(world->what_if[1], "");
    static const char *const wrong[][2] = {
        {"?set=rack.hard", "set is PATH:VALUE"},
        {"?set=:false", "set is PATH:VALUE"},
        {"?size=123456789012345678901234567890123", "numbers"},
        {"?set=a.b:1,a.b:1,a.b:1,a.b:1,a.b:1,a.b:1,a.b:1,a.b:1,a.b:1,a.b:1,a.b:1,a.b:1,a.b:1,"
         "a.b:1,a.b:1,a.b:1,a.b:1",
         "at most 16 changes"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char path[256];
        snprintf(path, sizeof path, "/v1/whatif/a/g%s", wrong[i][0]);
        http_expect(http_request(skr_admin_port(world->admin), "GET", path), 400, wrong[i][1]);
    }
    http_expect(http_request(skr_admin_port(world->admin), "GET", "/v1/whatif/a"), 404,
                "/v1/whatif/NAMESPACE/NAME");
    http_expect(http_post(skr_admin_port(world->admin), "/v1/whatif/a/b", "{}"), 405, "");
}

TEST_WITH(world, a_fifth_question_at_once_is_too_many_and_explanations_are_still_answered)
{
    int fd[4];
    for (size_t i = 0; i < 4; i++) {
        fd[i] = ask(world, "/v1/whatif/default/g?size=2");
        question(world, i);
    }
    http_expect(http_request(skr_admin_port(world->admin), "GET", "/v1/whatif/default/g"), 429,
                "too many questions");
    int other = ask(world, "/v1/explain/default/g");
    answer(world, question(world, 4), SKR_EXPLAIN_FOUND, "{\"why\":1}");
    assert_answer(other, 200, "{\"why\":1}\n");
    static const struct {
        enum skr_explain_status status;
        int code;
    } rows[] = {{SKR_EXPLAIN_FOUND, 200},
                {SKR_EXPLAIN_REFUSED, 400},
                {SKR_EXPLAIN_LATE, 429},
                {SKR_EXPLAIN_NOT_FOUND, 404}};
    for (size_t i = 0; i < 4; i++) {
        answer(world, world->request[i], rows[i].status, "{}");
        assert_answer(fd[i], rows[i].code, "{}\n");
    }
}

TEST_WITH(world, other_paths_and_methods_are_refused)
{
    static const char *const paths[] = {"/v1/explain", "/v1/explain/", "/v1/explain/default",
                                        "/v1/explain/default/",
                                        "/v1/explain//g"}; /* names of workloads have a slash */
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        http_expect(http_request(skr_admin_port(world->admin), "GET", paths[i]), 404,
                    "/v1/explain/NAMESPACE/NAME");
    }
    http_expect(http_post(skr_admin_port(world->admin), "/v1/explain/a/b", "{}"), 405, "");
}

TEST_WITH(world, the_end_of_the_listener_waits_for_nobody)
{
    int fd = ask(world, "/v1/explain/default/g");
    question(world, 0);
    skr_admin_destroy(world->admin);
    world->admin = NULL;
    answer(world, world->request[0], SKR_EXPLAIN_FOUND, "{}");
    http_wait_closed(fd);
    close(fd);
}
