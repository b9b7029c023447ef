/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures over HTTP: the real listener, the real engine thread, and clients that follow, come back
 * and leave. Also the page /ui, and requests that no browser of a stranger may make. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/gang/scheduler.h"
#include "core/gang/state/types.h"
#include "server/daemon/engine_thread.h"
#include "server/http/pictures.h"
#include "server/http/ui.h"
#include "server/kube/decode.h"
#include "server/ui/page.h"
#include "test/test.h"
#include "test/unit/http_client.h"
#include "test/unit/json_text.h"
#include "topology/base/arena.h"

enum { STREAMS_MAX = 3, PAGE_BYTES_MAX = 60 * 1024 };

struct world {
    struct skr_settings settings;
    struct skr_clock clock;
    struct skr_engine_thread *engine;
    struct skr_pictures *pictures;
    struct skr_ui *ui;
    struct skr_admin *admin;
};

static int draw(void *self, const struct skr_view_query *query, skr_time now,
                struct skr_picture *picture, enum skr_picture_news *ret_news,
                struct skr_strbuf *out)
{
    return skr_gang_draw(self, query, now, picture, ret_news, out);
}

static void world_set_up(struct world *w)
{
    const struct skr_engine_outlets outlets = {.actions = {.context = w}};
    struct skr_admin_options admin = {.listen = "127.0.0.1:0", .n_routes = 1, .streams = 8};
    struct skr_pictures_options pictures = {.n_views = 1, .boot = 7, .streams_max = STREAMS_MAX};
    struct skr_error error;
    skr_settings_default(&w->settings);
    skr_clock_init(&w->clock);
    w->engine = skr_engine_thread_create(skr_engine_create(&skr_gang_scheduler, &w->settings, NULL),
                                         &w->clock);
    assert_int_equal(skr_engine_thread_start(w->engine, &outlets, &error), 0);
    pictures.view[0] = (struct skr_picture_view){.name = "gangs",
                                                 .draw = draw,
                                                 .look = skr_engine_thread_look,
                                                 .busy = skr_engine_thread_has_requests,
                                                 .handled = skr_engine_thread_handled,
                                                 .engine = w->engine};
    assert_int_equal(skr_pictures_create(&pictures, &w->pictures, &error), 0);
    w->ui = skr_ui_create();
    admin.route[0] = skr_ui_route(w->ui);
    admin.n_routes += skr_pictures_routes(w->pictures, &admin.route[1]);
    if (skr_admin_create(&admin, &w->admin, &error) != 0) {
        fail_msg("%s", error.text);
    }
}

static void world_tear_down(struct world *w)
{
    skr_admin_destroy(w->admin);
    skr_engine_thread_stop(w->engine);
    skr_pictures_destroy(w->pictures);
    skr_engine_thread_destroy(w->engine);
    skr_ui_destroy(w->ui);
}

static void post(struct world *w, const struct skr_object_type *type, const char *text)
{
    struct skr_event event;
    struct skr_error error;
    json_auto_t *json = json_text_load(text);
    assert_int_equal(skr_kube_decode(type, json, &event, &error), 0);
    skr_engine_thread_post(w->engine, &event);
}

static void sync_world(struct world *w)
{
    const struct skr_event synced = {.kind = SKR_EVENT_SYNCED};
    post(w, &skr_gang_node,
         "{'metadata':{'name':'n1'},'status':{'allocatable':{'cpu':'4','pods':'10'}}}");
    skr_engine_thread_post(w->engine, &synced);
}

static void add_group(struct world *w, const char *name)
{
    char text[256];
    snprintf(text, sizeof text,
             "{'metadata':{'name':'%s','namespace':'a','labels':{'sakkara.group':''}},"
             "'data':{'name':'%s','size':'2'}}",
             name, name);
    post(w, &skr_gang_configmap, text);
}

/* ---- streams ---- */

struct reader {
    int fd;
    struct skr_strbuf text;
};

static void reader_open(struct reader *r, struct world *w, const char *last)
{
    char head[256];
    r->fd = http_connect(skr_admin_port(w->admin));
    skr_strbuf_init(&r->text);
    snprintf(head, sizeof head, "GET /v1/stream HTTP/1.1\r\nHost: localhost\r\n%s%s%s\r\n",
             last ? "Last-Event-ID: " : "", last ? last : "", last ? "\r\n" : "");
    http_send_text(r->fd, head);
}

static void reader_close(struct reader *r)
{
    close(r->fd);
    skr_strbuf_fini(&r->text);
}

/* Reads until the text is there. */
static const char *reader_wait(struct reader *r, const char *text)
{
    const char *at;
    while (!(at = r->text.s ? strstr(r->text.s, text) : NULL)) {
        char part[4096];
        struct pollfd wait = {.fd = r->fd, .events = POLLIN};
        const ssize_t n = poll(&wait, 1, 20000) == 1 ? read(r->fd, part, sizeof part) : -1;
        if (n <= 0) {
            fail_msg("\"%s\" did not come: %s", text, r->text.s ? r->text.s : "");
        }
        skr_strbuf_addn(&r->text, part, (size_t)n);
    }
    return at;
}

TEST_WITH(world, a_stream_begins_with_a_document_and_goes_on_with_changes)
{
    struct reader r;
    sync_world(world);
    reader_open(&r, world, NULL);
    reader_wait(&r, "retry: 2000");
    reader_wait(&r, "event: full");
    reader_wait(&r, "\"n1\"");
    add_group(world, "g");
    reader_wait(&r, "event: delta");
    reader_wait(&r, "\"name\":\"g\"");
    reader_close(&r);
}

static void copy_id(struct reader *r, const char *event, char id[64])
{
    const char *at = reader_wait(r, event);
    while (at > r->text.s && strncmp(at, "id: ", 4) != 0) {
        at--;
    }
    assert_int_equal(sscanf(at, "id: %63s", id), 1);
}

TEST_WITH(world, a_reader_that_comes_back_gets_what_it_missed)
{
    struct reader first, again, stranger;
    char id[64];
    sync_world(world);
    reader_open(&first, world, NULL);
    copy_id(&first, "event: full", id);
    add_group(world, "g");
    reader_wait(&first, "\"name\":\"g\"");
    reader_open(&again, world, id);
    reader_wait(&again, "\"name\":\"g\"");
    assert_null(strstr(again.text.s, "event: full"));
    reader_open(&stranger, world, "8-1-1");
    reader_wait(&stranger, "event: full");
    reader_close(&first);
    reader_close(&again);
    reader_close(&stranger);
}

TEST_WITH(world, a_stream_waits_for_a_scheduler_that_is_not_ready)
{
    struct reader r;
    reader_open(&r, world, NULL);
    reader_wait(&r, "event: refused");
    reader_wait(&r, "not ready");
    sync_world(world);
    reader_wait(&r, "event: full");
    reader_close(&r);
}

TEST_WITH(world, more_streams_than_allowed_are_refused)
{
    struct reader r[STREAMS_MAX];
    sync_world(world);
    for (size_t i = 0; i < STREAMS_MAX; i++) {
        reader_open(&r[i], world, NULL);
        reader_wait(&r[i], "event: full");
    }
    http_expect(http_request(skr_admin_port(world->admin), "GET", "/v1/stream"), 503, "ui.streams");
    reader_close(&r[0]);
    for (int i = 0; i < 200; i++) { /* its end is noticed soon */
        struct http_answer answer =
            http_request(skr_admin_port(world->admin), "GET", "/v1/picture");
        http_expect(answer, 200, "\"kind\":\"Picture\"");
    }
    reader_open(&r[0], world, NULL);
    reader_wait(&r[0], "event: full");
    for (size_t i = 0; i < STREAMS_MAX; i++) {
        reader_close(&r[i]);
    }
}

TEST_WITH(world, open_streams_end_with_the_listener)
{
    struct reader r;
    sync_world(world);
    reader_open(&r, world, NULL);
    reader_wait(&r, "event: full");
    skr_admin_destroy(world->admin);
    world->admin = NULL;
    http_wait_closed(r.fd);
    reader_close(&r);
}

TEST_WITH(world, documents_and_refusals)
{
    const uint16_t port = skr_admin_port(world->admin);
    http_expect(http_request(port, "GET", "/v1/picture"), 503, "not ready");
    sync_world(world);
    http_expect(http_request(port, "GET", "/v1/picture"), 200, "\"view\":\"gangs\"");
    http_expect(http_request(port, "GET", "/v1/picture?resource=memory"), 200, "\"memory\"");
    http_expect(http_request(port, "GET", "/v1/picture?resource=gpu"), 404, "gpu");
    http_expect(http_request(port, "GET", "/v1/picture?view=x"), 404, "there are: gangs");
    http_expect(http_request(port, "GET", "/v1/stream?view=x"), 404, "there are: gangs");
    http_expect(http_request(port, "POST", "/v1/picture"), 405, "");
    http_expect(http_request(port, "HEAD", "/v1/stream"), 405, "");
    http_expect(http_request(port, "HEAD", "/v1/picture"), 200, "");
}

/* ---- browsers ---- */

TEST_WITH(world, requests_of_strangers_are_refused)
{
    static const struct {
        const char *path, *host, *more;
        int status;
    } rows[] = {
        {"/v1/picture", "127.0.0.1", "", 200},
        {"/v1/picture", "127.0.0.1:9662", "", 200},
        {"/v1/picture", "LocalHost:1", "", 200},
        {"/v1/picture", "[::1]:9662", "", 200},
        {"/v1/picture", "evil.example", "", 421},
        {"/v1/picture", "127.0.0.1.evil.example", "", 421},
        {"/v1/picture", "localhost.evil.example:80", "", 421},
        {"/v1/picture", "[::1", "", 421},
        {"/v1/picture", "10.0.0.1", "", 421},
        {"/v1/stream", "evil.example", "", 421},
        {"/ui/", "evil.example", "", 421},
        {"/v1/other", "evil.example", "", 421},
        {"/livez", "10.0.0.1:9662", "", 200},
        {"/ui/", "localhost", "Sec-Fetch-Site: same-origin\r\n", 200},
        {"/ui/", "localhost", "Sec-Fetch-Site: none\r\n", 200},
        {"/ui/", "localhost", "Sec-Fetch-Site: cross-site\r\n", 403},
        {"/v1/picture", "localhost", "Sec-Fetch-Site: cross-site\r\n", 403},
        {"/v1/other", "localhost", "Sec-Fetch-Site: cross-site\r\n", 403},
        {"/v1/stream", "localhost", "Sec-Fetch-Site: cross-site\r\n", 403},
        {"/v1/picture", "localhost", "Origin: https://evil.example\r\n", 200},
    };
    sync_world(world);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char head[512];
        const int fd = http_connect(skr_admin_port(world->admin));
        snprintf(head, sizeof head, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n",
                 rows[i].path, rows[i].host, rows[i].more);
        http_send_text(fd, head);
        struct http_answer answer = http_receive(fd);
        if (answer.status != rows[i].status) {
            fail_msg("%s %s %s: %d", rows[i].path, rows[i].host, rows[i].more, answer.status);
        }
        assert_null(strcasestr(answer.headers, "Access-Control-"));
        http_answer_free(&answer);
        close(fd);
    }
}

TEST_WITH(world, the_page_has_a_policy_and_a_tag)
{
    const uint16_t port = skr_admin_port(world->admin);
    struct http_answer answer = http_request(port, "GET", "/ui/");
    SKR_STRBUF(policy);
    SKR_STRBUF(again);
    size_t n;
    const char *page = skr_ui_page(&n);
    assert_in_range(n, 1, PAGE_BYTES_MAX);
    skr_ui_policy_write(true, &policy);
    assert_int_equal(answer.body_len, n);
    assert_memory_equal(answer.body, page, n);
    assert_non_null(strstr(answer.headers, policy.s));
    assert_non_null(strstr(answer.headers, "nosniff"));
    assert_non_null(strstr(answer.headers, "no-referrer"));
    assert_non_null(strstr(answer.headers, "no-store"));
    const char *tag = strstr(answer.headers, "ETag: ");
    assert_non_null(tag);
    skr_strbuf_addf(&again,
                    "GET /ui/ HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: %.*s\r\n"
                    "Connection: close\r\n\r\n",
                    (int)strcspn(tag + 6, "\r"), tag + 6);
    const int fd = http_connect(port);
    http_send_text(fd, again.s);
    struct http_answer same = http_receive(fd);
    assert_int_equal(same.status, 304);
    close(fd);
    http_answer_free(&same);
    http_answer_free(&answer);
    http_expect(http_request(port, "GET", "/ui"), 307, "");
    http_expect(http_request(port, "GET", "/ui/x"), 404, "");
    http_expect(http_request(port, "POST", "/ui/"), 405, "");
}

TEST(a_saved_page_has_its_picture_and_nothing_that_ends_the_script)
{
    static const char picture[] = "{\"name\":\"</script><img src=x onerror=alert(1)>\"}";
    SKR_STRBUF(out);
    skr_ui_page_write(picture, strlen(picture), &out);
    assert_non_null(strstr(out.s, "http-equiv=\"Content-Security-Policy\""));
    const char *end = strstr(out.s, "<meta charset");
    const char *ancestors = strstr(out.s, "frame-ancestors"); /* the script names it, too */
    assert_non_null(end);
    assert_true(!ancestors || ancestors > end);
    assert_non_null(strstr(out.s, "\"\\u003c/script>\\u003cimg src=x onerror=alert(1)>\""));
    assert_null(strstr(out.s, "<img src=x"));
}
