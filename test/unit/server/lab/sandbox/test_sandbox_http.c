/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated cluster on a socket: requests, watches that come in parts and end, several at once,
 * and the end of the server while they are open. */
#include <jansson.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/lab/sandbox/http.h"
#include "test/test.h"
#include "test/unit/http_client.h"
#include "test/unit/json_text.h"
#include "test/unit/sandbox_rig.h"

static struct skr_clock real_clock;
static struct skr_cluster *cluster;
static struct skr_sandbox_http *http;

BEFORE_EACH
{
    struct skr_cluster_options cluster_options;
    struct skr_error error;
    skr_clock_init(&real_clock);
    skr_cluster_options_default(&cluster_options);
    cluster_options.pod_start = SKR_MILLISECOND;
    cluster = skr_cluster_create(&cluster_options, skr_clock_now(&real_clock));
    const struct skr_sandbox_http_options options = {
        .listen = "127.0.0.1:0", .cluster = cluster, .clock = &real_clock};
    if (skr_sandbox_http_create(&options, &http, &error) != 0) {
        fail_msg("%s", error.text);
    }
}

AFTER_EACH
{
    skr_sandbox_http_destroy(http);
    skr_cluster_destroy(cluster);
}

/* One request with headers of choice; body in single quotes, NULL none. */
static struct http_answer ask(const char *method, const char *path, const char *headers,
                              const char *body)
{
    SKR_AUTO_FREE char *json = body ? json_text_quote(body) : NULL;
    char text[8192];
    const int fd = http_connect(skr_sandbox_http_port(http));
    snprintf(text, sizeof text,
             "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%sContent-Length: %zu\r\n\r\n%s",
             method, path, headers, json ? strlen(json) : 0, json ? json : "");
    http_send_text(fd, text);
    struct http_answer answer = http_receive(fd);
    close(fd);
    return answer;
}

/* The status must be this; the value at the path of the answer, in a static buffer. */
static const char *told(int status, const char *method, const char *path, const char *headers,
                        const char *body, const char *field)
{
    static char text[4096];
    struct http_answer answer = ask(method, path, headers, body);
    json_auto_t *json = json_loads(answer.body, 0, NULL);
    if (answer.status != status) {
        fail_msg("%s %s: %d: %s", method, path, answer.status, answer.body);
    }
    snprintf(text, sizeof text, "%s", json ? sandbox_text(json, field) : answer.body);
    http_answer_free(&answer);
    return text;
}

#define JSON  "Content-Type: application/json\r\n"
#define MERGE "Content-Type: application/merge-patch+json\r\n"
#define TABLE "Accept: application/json;as=Table;v=v1;g=meta.k8s.io,application/json\r\n"

/* ---- watches ---- */

struct watcher {
    int fd;
    size_t n;
    char text[4 * 1024 * 1024];
};

static struct watcher *watch(const char *path)
{
    struct watcher *w = calloc(1, sizeof *w);
    char text[1024];
    w->fd = http_connect(skr_sandbox_http_port(http));
    snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path);
    http_send_text(w->fd, text);
    return w;
}

/* Reads until the text came, or the end; within 20 s. */
static bool came(struct watcher *w, const char *text)
{
    while (!strstr(w->text, text)) {
        struct pollfd wait = {.fd = w->fd, .events = POLLIN};
        if (poll(&wait, 1, 20000) != 1) {
            return false;
        }
        const ssize_t n = recv(w->fd, w->text + w->n, sizeof w->text - 1 - w->n, 0);
        if (n <= 0) {
            return false;
        }
        w->n += (size_t)n;
    }
    return true;
}

static void end(struct watcher *w)
{
    close(w->fd);
    free(w);
}

/* ---- tests ---- */

TEST(objects_come_and_go_over_http)
{
    assert_string_equal(told(200, "GET", "/readyz", "", NULL, ""), "ok");
    assert_string_equal(told(200, "GET", "/version", "", NULL, "minor"), "36");
    assert_string_equal(
        told(201, "POST", MAPS, JSON, "{'metadata':{'name':'m'},'data':{'a':'1'}}", "data.a"), "1");
    assert_string_equal(told(200, "PATCH", MAPS "/m", MERGE, "{'data':{'a':'2'}}", "data.a"), "2");
    assert_string_equal(told(200, "GET", MAPS "?limit=1", "", NULL, "items[0].data.a"), "2");
    assert_string_equal(told(200, "GET", MAPS, TABLE, NULL, "rows[0].cells[1]"), "1");
    assert_string_equal(told(200, "GET", MAPS "/m",
                             "Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io\r\n",
                             NULL, "kind"),
                        "PartialObjectMetadata");
    assert_string_equal(
        told(200, "DELETE", MAPS "/m?propagationPolicy=Background", "", NULL, "status"), "Success");
    assert_string_equal(told(404, "GET", MAPS "/m", "", NULL, "reason"), "NotFound");
}

TEST(what_is_not_understood_is_refused)
{
    static const struct {
        int status;
        const char *method, *path, *headers, *body;
    } table[] = {
        {404, "GET", "/api/v1/namespaces/default/toasters", "", NULL},
        {404, "GET", "/nothing", "", NULL},
        {405, "POST", MAPS "/m", JSON, "{}"},
        {405, "PUT", MAPS, JSON, "{}"},
        {406, "GET", MAPS, "Accept: application/yaml\r\n", NULL},
        {415, "POST", MAPS, "Content-Type: application/yaml\r\n", "a: b"},
        {415, "POST", MAPS, "Content-Type: application/vnd.kubernetes.protobuf\r\n", "xxxx"},
        {415, "PATCH", MAPS "/m", JSON, "{}"},
        {415, "PATCH", MAPS "/m", "Content-Type: application/apply-patch+yaml\r\n", "{}"},
        {400, "POST", MAPS, JSON, "{"},
        {400, "POST", MAPS, JSON, NULL},
        {400, "GET", MAPS "?limit=x", "", NULL},
        {400, "GET", MAPS "?watch=1&resourceVersion=x", "", NULL},
        {400, "GET", MAPS "?watch=1&labelSelector=a%20b", "", NULL},
        {422, "GET", MAPS "?watch=1&sendInitialEvents=true", "", NULL},
        {501, "GET", PODS "/p/log", "", NULL},
        {400, "POST", MAPS "?fieldValidation=Strict", JSON, "{'metadata':{'name':'m'},'dat':{}}"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_string_equal(told(table[i].status, table[i].method, table[i].path, table[i].headers,
                                 table[i].body, "status"),
                            "Failure");
    }
}

TEST(who_asks_whether_he_may_is_told_yes)
{
    static const char reviews[] = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    static const char review[] =
        "{'kind':'SelfSubjectAccessReview','apiVersion':'authorization.k8s.io/v1','spec':"
        "{'resourceAttributes':{'verb':'patch','resource':'pods'}}}";
    assert_string_equal(told(201, "POST", reviews, JSON, review, "status.allowed"), "true");
    assert_string_equal(
        told(201, "POST", reviews, JSON, review, "spec.resourceAttributes.resource"), "pods");
    assert_string_equal(told(201, "POST", reviews, "", "k8s", "status.allowed"), "true");
    (void)told(405, "GET", reviews, "", NULL, "");
}

TEST(a_watch_comes_in_parts)
{
    struct watcher *w = watch(MAPS "?watch=true");
    assert_true(came(w, "Transfer-Encoding: chunked"));
    (void)told(201, "POST", MAPS, JSON, "{'metadata':{'name':'one'}}", "");
    assert_true(came(w, "\"name\":\"one\""));
    (void)told(200, "PATCH", MAPS "/one", MERGE, "{'data':{'a':'changed'}}", "");
    assert_true(came(w, "\"a\":\"changed\""));
    (void)told(200, "DELETE", MAPS "/one", "", NULL, "");
    assert_true(came(w, "\"DELETED\""));
    end(w);
}

TEST(a_watch_of_one_object_hears_of_that_one)
{
    struct watcher *w = watch(MAPS "/two?watch=true");
    (void)told(201, "POST", MAPS, JSON, "{'metadata':{'name':'one'}}", "");
    (void)told(201, "POST", MAPS, JSON, "{'metadata':{'name':'two'}}", "");
    assert_true(came(w, "\"name\":\"two\""));
    assert_null(strstr(w->text, "\"name\":\"one\""));
    end(w);
}

TEST(a_watch_ends_at_its_time_with_a_bookmark)
{
    struct watcher *w = watch(MAPS "?watch=true&timeoutSeconds=1&allowWatchBookmarks=true");
    assert_true(came(w, "BOOKMARK"));
    assert_true(came(w, "\r\n0\r\n\r\n")); /* the last chunk */
    end(w);
}

TEST(a_watch_from_too_long_ago_is_gone)
{
    for (int i = 0; i < 3; i++) {
        (void)told(201, "POST", MAPS, JSON, "{'metadata':{'generateName':'m-'}}", "");
    }
    skr_sandbox_http_lock(http);
    /* The models have seen everything; only watches may be late. */
    (void)skr_cluster_step(cluster, skr_clock_now(&real_clock));
    skr_store_limit_history(skr_cluster_store(cluster), 1);
    skr_sandbox_http_unlock(http);
    struct watcher *w = watch(MAPS "?watch=true&resourceVersion=1");
    assert_true(came(w, "\"code\":410"));
    assert_true(came(w, "\r\n0\r\n\r\n"));
    end(w);
}

/* A change that somebody makes under the lock, and what the models do with it, is told too. */
TEST(what_models_do_is_watched)
{
    struct watcher *w = watch(PODS "?watch=true");
    (void)told(201, "POST", "/api/v1/nodes", JSON, "{'metadata':{'name':'n1'}}", "");
    skr_sandbox_http_lock(http);
    sandbox_ok(skr_cluster_store(cluster), 201, "POST " PODS,
               "{'metadata':{'name':'p'}," RIG_POD "}");
    sandbox_ok(skr_cluster_store(cluster), 201, "POST " PODS "/p/binding",
               "{'target':{'name':'n1'}}");
    skr_sandbox_http_unlock(http);
    assert_true(came(w, "\"phase\":\"Running\""));
    end(w);
}

/* More than the sockets hold: everything arrives, in order. */
TEST(a_slow_reader_gets_everything)
{
    enum { N = 300 };
    char body[2200], value[2001];
    memset(value, 'x', 2000);
    value[2000] = '\0';
    struct watcher *w = watch(MAPS "?watch=true");
    assert_true(came(w, "chunked"));
    skr_sandbox_http_lock(http);
    sandbox_ok(skr_cluster_store(cluster), 201, "POST " MAPS, "{'metadata':{'name':'m'}}");
    for (int i = 0; i < N; i++) {
        snprintf(body, sizeof body, "{'data':{'n':'n%dn','x':'%s'}}", i, value);
        sandbox_ok(skr_cluster_store(cluster), 200, "MERGE " MAPS "/m", body);
    }
    skr_sandbox_http_unlock(http);
    assert_true(came(w, "n299n"));
    const char *at = w->text;
    for (int i = 0; i < N; i++) {
        at = strstr(at, test_text("\"n%dn\"", i));
        assert_non_null(at);
    }
    end(w);
}

TEST(many_watches_and_hang_ups_do_not_disturb)
{
    enum { N = 60 };
    struct watcher *w[N];
    for (int i = 0; i < N; i++) {
        w[i] = watch(MAPS "?watch=true");
    }
    for (int i = 0; i < N; i++) {
        assert_true(came(w[i], "chunked"));
    }
    for (int i = 0; i < N; i += 2) {
        end(w[i]);
    }
    (void)told(201, "POST", MAPS, JSON, "{'metadata':{'name':'m'}}", "");
    for (int i = 1; i < N; i += 2) {
        assert_true(came(w[i], "\"name\":\"m\""));
        end(w[i]);
    }
}

TEST(the_end_of_the_server_ends_watches)
{
    struct watcher *w = watch(MAPS "?watch=true");
    assert_true(came(w, "chunked"));
    skr_sandbox_http_destroy(http);
    http = NULL;
    assert_true(came(w, "\r\n0\r\n\r\n"));
    end(w);
}
