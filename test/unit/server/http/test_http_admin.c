/* SPDX-License-Identifier: Apache-2.0 */
/* The admin listener: health, readiness, metrics, routes. */
#include <stdatomic.h>
#include <unistd.h>

#include "server/http/admin.h"
#include "test/test.h"
#include "test/unit/http_client.h"

struct world {
    struct skr_admin *admin;
    struct skr_metrics *metrics;
    atomic_bool synced;
};

static bool is_synced(void *context, struct skr_error *error)
{
    struct world *world = context;
    if (atomic_load(&world->synced)) {
        return true;
    }
    (void)skr_error_set(error, SKR_RETRY, "3 of 5 lists are there");
    return false;
}

static bool is_leader(void *context, struct skr_error *error)
{
    (void)context;
    (void)error;
    return true;
}

static void on_route(void *context, struct skr_http_request *request)
{
    (void)context;
    skr_http_reply_text(request, 200, "text/plain", request->path);
}

static void world_set_up(struct world *world)
{
    struct skr_error error;
    static const struct skr_metric_spec spec = {
        .name = "sakkara_build_info", .help = "Build.", .type = SKR_GAUGE, .label = {"version"}};
    world->metrics = skr_metrics_create();
    skr_metric_set(
        skr_metric_get(skr_metrics_family(world->metrics, &spec), (const char *const[]){"1"}), 1);
    const struct skr_admin_options options = {
        .listen = "127.0.0.1:0",
        .metrics = world->metrics,
        .n_checks = 2,
        .check = {{"synced", is_synced, world}, {"leader", is_leader, world}},
        .n_routes = 1,
        .route = {{.prefix = "/v1", .handle = on_route, .context = world}},
    };
    if (skr_admin_create(&options, &world->admin, &error) != 0) {
        fail_msg("%s", error.text);
    }
}

static void world_tear_down(struct world *world)
{
    skr_admin_destroy(world->admin);
    skr_metrics_destroy(world->metrics);
}

static void check(struct world *world, const char *path, int status, const char *body)
{
    http_expect_body(http_request(skr_admin_port(world->admin), "GET", path), status, body);
}

TEST_WITH(world, livez_says_ok_and_readyz_follows_its_checks)
{
    check(world, "/livez", 200, "ok");
    check(world, "/livez?verbose", 200, "[+]ping ok\nlivez check passed\n");
    check(world, "/readyz", 503,
          "[-]synced failed: 3 of 5 lists are there\n[+]leader ok\nreadyz check failed\n");
    check(world, "/readyz?exclude=synced", 200, "ok");
    atomic_store(&world->synced, true);
    check(world, "/readyz", 200, "ok");
    check(world, "/readyz?verbose=1", 200, "[+]synced ok\n[+]leader ok\nreadyz check passed\n");
}

TEST_WITH(world, metrics_come_as_text)
{
    struct http_answer got = http_request(skr_admin_port(world->admin), "GET", "/metrics");
    assert_int_equal(got.status, 200);
    assert_non_null(strstr(got.headers, "Content-Type: " SKR_METRICS_CONTENT_TYPE "\r\n"));
    assert_non_null(strstr(got.body, "sakkara_build_info{version=\"1\"} 1\n"));
    http_answer_free(&got);
    got = http_request(skr_admin_port(world->admin), "GET", "/metrics");
    assert_non_null(
        strstr(got.body, "sakkara_http_requests_total{code=\"200\",handler=\"metrics\"} 1\n"));
    http_answer_free(&got);
}

TEST_WITH(world, head_has_no_body_and_other_methods_are_refused)
{
    struct http_answer got = http_request(skr_admin_port(world->admin), "HEAD", "/livez");
    assert_int_equal(got.status, 200);
    assert_string_equal(strstr(got.headers, "\r\n\r\n"), "\r\n\r\n");
    http_answer_free(&got);
    got = http_request(skr_admin_port(world->admin), "DELETE", "/livez");
    assert_int_equal(got.status, 405);
    assert_non_null(strstr(got.headers, "Allow: GET, HEAD\r\n"));
    http_answer_free(&got);
    check(world, "/", 404, "not found\n");
    check(world, "/livez/", 404, "not found\n");
}

TEST_WITH(world, routes_get_what_is_below_their_prefix)
{
    check(world, "/v1", 200, "/v1");
    check(world, "/v1/groups", 200, "/v1/groups");
    check(world, "/v12", 404, "not found\n");
}

/* What a pod can do that reaches the port: far more connections than there is room for, silent. */
/* Open to the cluster: it has nothing of a user. */
TEST_WITH(world, the_listener_for_metrics_has_nothing_else)
{
    struct skr_admin *metrics = NULL;
    struct skr_error error;
    struct skr_admin_options options = {
        .listen = "127.0.0.1:0", .pages = SKR_ADMIN_METRICS, .metrics = world->metrics};
    assert_int_equal(skr_admin_create(&options, &metrics, &error), 0);
    http_expect(http_request(skr_admin_port(metrics), "GET", "/metrics"), 200, "");
    http_expect(http_request(skr_admin_port(metrics), "GET", "/livez"), 404, "");
    http_expect(http_request(skr_admin_port(metrics), "GET", "/v1/groups"), 404, "");
    http_expect(http_request(skr_admin_port(metrics), "POST", "/metrics"), 405, "");
    skr_admin_destroy(metrics);
}

TEST_WITH(world, idle_connections_do_not_keep_probes_out)
{
    enum { IDLE = 300 };
    struct skr_admin *probes = NULL;
    struct skr_error error = {0};
    int fd[IDLE];
    const struct skr_admin_options options = {
        .listen = "127.0.0.1:0", .pages = SKR_ADMIN_PROBES, .metrics = world->metrics};
    assert_int_equal(skr_admin_create(&options, &probes, &error), 0);
    for (int i = 0; i < IDLE; i++) {
        fd[i] = http_connect(skr_admin_port(world->admin));
    }
    /* The other listener is not touched by those. */
    http_expect(http_request(skr_admin_port(probes), "GET", "/livez"), 200, "");
    http_expect(http_request(skr_admin_port(probes), "GET", "/metrics"), 404, "");
    for (int i = 0; i < IDLE; i++) {
        close(fd[i]);
        fd[i] = http_connect(skr_admin_port(probes));
    }
    /* Its own idle ones are from one address, and closed within a second. */
    int status = 0;
    for (int tries = 0; tries < 100 && status != 200; tries++) {
        struct http_answer got = http_request(skr_admin_port(probes), "GET", "/livez");
        status = got.status;
        http_answer_free(&got);
        usleep(status == 200 ? 0 : 50000);
    }
    assert_int_equal(status, 200);
    for (int i = 0; i < IDLE; i++) {
        http_wait_closed(fd[i]);
        close(fd[i]);
    }
    skr_admin_destroy(probes);
}
