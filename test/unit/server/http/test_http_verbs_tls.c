/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs over TLS. */
#include <pthread.h>
#include <unistd.h>

#include "server/http/admin.h"
#include "test/test.h"
#include "test/unit/verbs_world.h"
#include "test/unit/web.h"
#include "topology/base/strbuf.h"

/* Files of certificates, and how a listener uses them. */
struct files {
    struct http_certificates certificates;
    struct skr_tls_files tls;
};

static void files_set_up(struct files *f)
{
    http_certificates_make(&f->certificates);
    f->tls = (struct skr_tls_files){
        .cert = http_certificates_path(&f->certificates, "server.pem"),
        .key = http_certificates_path(&f->certificates, "server.key"),
        .client_ca = http_certificates_path(&f->certificates, "ca.pem"),
    };
}

static void files_tear_down(struct files *f)
{
    http_certificates_remove(&f->certificates);
}

/* Posts a body; name is the client's certificate, NULL for none. Empty answer: refused. */
static char *post_tls(const struct http_certificates *certificates, uint16_t to, const char *path,
                      const char *body, const char *name, long timeout_ms)
{
    char cert[32], key[32];
    struct web_tls tls = {.ca = http_certificates_path(certificates, "ca.pem")};
    if (name) {
        snprintf(cert, sizeof cert, "%s.pem", name);
        snprintf(key, sizeof key, "%s.key", name);
        tls.cert = http_certificates_path(certificates, cert);
        tls.key = http_certificates_path(certificates, key);
    }
    return web_ask("POST", to, path, body, &tls, timeout_ms).body;
}

TEST_WITH(files, with_a_client_ca_only_its_clients_get_in)
{
    static const struct {
        const char *client;
        bool welcome;
    } row[] = {
        {"client", true}, {NULL, false}, {"other", false}, {"serverauth", false}, {"client", true}};
    struct world *world = world_open_with(&files->tls, 0, 0);
    world->answer_at_once = true;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char *got = post_tls(&files->certificates, world_port(world), "/v1/filter", FILTER,
                             row[i].client, WAIT_S * 1000L);
        if ((got[0] != 0) != row[i].welcome) {
            fail_msg("row %zu: \"%s\"", i, got);
        }
        free(got);
    }
    /* A client that does not speak TLS gets nothing, and nothing breaks. */
    const int plain = http_connect(world_port(world));
    http_send_post(plain, "/v1/filter", FILTER, strlen(FILTER));
    http_wait_closed(plain);
    close(plain);
    world_close(world);

    const struct skr_tls_files open = {.cert = files->tls.cert, .key = files->tls.key};
    world = world_open_with(&open, 0, 0);
    world->answer_at_once = true;
    char *got = post_tls(&files->certificates, world_port(world), "/v1/filter", FILTER, NULL,
                         WAIT_S * 1000L);
    assert_non_null(strstr(got, "\"NodeNames\":[\"n1\",\"n2\"]"));
    free(got);
    world_close(world);
}

TEST_WITH(files, the_admin_listener_with_a_client_ca_lets_only_its_clients_in)
{
    static const struct {
        const char *client;
        bool welcome;
    } row[] = {{"client", true}, {NULL, false}, {"other", false}, {"serverauth", false}};
    struct skr_admin *admin = NULL;
    struct skr_error error;

    const struct skr_admin_options options = {.listen = "127.0.0.1:0", .tls = files->tls};
    if (skr_admin_create(&options, &admin, &error) != 0) {
        fail_msg("%s", error.text);
    }
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        /* Only what answers at all got in: no page takes a POST. */
        char *got = post_tls(&files->certificates, skr_admin_port(admin), "/livez", "{}",
                             row[i].client, WAIT_S * 1000L);
        if ((got[0] != 0) != row[i].welcome) {
            fail_msg("row %zu: \"%s\"", i, got);
        }
        free(got);
    }
    skr_admin_destroy(admin);
}

struct tls_bind {
    const struct http_certificates *certificates;
    uint16_t port;
    long timeout_ms;
    char *answer;
};

static void *bind_over_tls(void *context)
{
    struct tls_bind *bind = context;

    bind->answer =
        post_tls(bind->certificates, bind->port, "/v1/bind", BIND, "client", bind->timeout_ms);
    return NULL;
}

TEST_WITH(files, binds_are_parked_over_tls_too)
{
    pthread_t thread;
    struct world *world = world_open_with(&files->tls, 0, 0);
    struct tls_bind bind = {&files->certificates, world_bind_port(world), WAIT_S * 1000L, NULL};
    assert_int_equal(pthread_create(&thread, NULL, bind_over_tls, &bind), 0);
    assert_true(
        world_answer(world, world_take_request(world, SKR_GANG_BIND), SKR_ANSWER_BOUND, ""));
    pthread_join(thread, NULL);
    assert_string_equal(bind.answer, "{\"Error\":\"\"}");
    free(bind.answer);

    bind.timeout_ms = 300; /* the client gives up */
    assert_int_equal(pthread_create(&thread, NULL, bind_over_tls, &bind), 0);
    const uint64_t request = world_take_request(world, SKR_GANG_BIND);
    assert_int_equal(world_take_hangup(world), request);
    pthread_join(thread, NULL);
    assert_string_equal(bind.answer, "");
    free(bind.answer);
    world_close(world);
}

TEST_WITH(files, wrong_certificates_and_addresses_are_named)
{
    struct skr_verbs *verbs = NULL;
    struct skr_error error;
    struct world *taken = world_open();
    char in_use[32];

    (void)snprintf(in_use, sizeof in_use, "127.0.0.1:%u", (unsigned)world_port(taken));
    const char *server = files->tls.cert;
    const char *other = http_certificates_path(&files->certificates, "other.key");
    const struct {
        const char *listen;
        struct skr_tls_files tls;
        enum skr_error_code code;
        const char *text;
    } row[] = {
        {"127.0.0.1", {0}, SKR_INVALID, "address \"127.0.0.1\": no port"},
        {"127.0.0.1:70000", {0}, SKR_INVALID, "port \"70000\" is not a number from 0 to 65535"},
        {"example.com:80", {0}, SKR_INVALID, "\"example.com\" is not an IP address"},
        {in_use, {0}, SKR_CONFLICT, "cannot listen: Address already in use"},
        {"127.0.0.1:0", {.cert = server}, SKR_INVALID, "TLS needs both certFile and keyFile"},
        {"127.0.0.1:0",
         {.cert = server, .key = "/nowhere"},
         SKR_NOT_FOUND,
         "/nowhere: No such file"},
        {"127.0.0.1:0", {.cert = server, .key = other}, SKR_INVALID, "other.key: "},
        {"127.0.0.1:0", {.cert = "/dev/null", .key = other}, SKR_INVALID, "/dev/null and "},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const struct skr_verbs_options options = {.listen = "127.0.0.1:0",
                                                  .bind_listen = row[i].listen,
                                                  .tls = row[i].tls,
                                                  .post = world_on_post};
        assert_int_equal(skr_verbs_create(&options, &verbs, &error), -(int)row[i].code);
        if (!strstr(error.text, row[i].text)) {
            fail_msg("row %zu: %s", i, error.text);
        }
    }
    world_close(taken);
}

BEFORE_ALL
{
    web_init();
}

/* ---- renewed certificates ---- */

static void answer(void *context, struct skr_http_request *request)
{
    (void)context;
    skr_http_reply_text(request, 200, "text/plain", "here");
}

/* cp, as whoever renews certificates does it. */
static void copy_file(const char *from, const char *to)
{
    char command[600];
    (void)snprintf(command, sizeof command, "cp %s %s", from, to);
    assert_int_equal(system(command), 0);
}

TEST(renewed_certificates_serve_new_connections_and_nonsense_changes_nothing)
{
    struct http_certificates first = {0};
    struct http_certificates second = {0};
    struct skr_listener_options options;
    struct skr_listener *listener = NULL;
    struct skr_error error = {0};
    char cert[96], key[96];

    http_certificates_make(&first);
    http_certificates_make(&second);
    (void)snprintf(cert, sizeof cert, "%s/used.pem", first.directory);
    (void)snprintf(key, sizeof key, "%s/used.key", first.directory);
    copy_file(http_certificates_path(&first, "server.pem"), cert);
    copy_file(http_certificates_path(&first, "server.key"), key);
    skr_listener_options_default(&options);
    options.address = "127.0.0.1:0";
    options.tls = (struct skr_tls_files){.cert = cert, .key = key};
    options.certificates_ms = 50;
    options.handler.handle = answer;
    assert_int_equal(skr_listener_create(&options, &listener, &error), 0);
    char *got = post_tls(&first, skr_listener_port(listener), "/", "x", NULL, WAIT_S * 1000L);
    assert_string_equal(got, "here");
    free(got);
    got = post_tls(&second, skr_listener_port(listener), "/", "x", NULL, WAIT_S * 1000L);
    assert_string_equal(got, "");
    free(got);
    /* A key of another certificate: half renewed. */
    copy_file(http_certificates_path(&second, "server.key"), key);
    usleep(200000);
    got = post_tls(&first, skr_listener_port(listener), "/", "x", NULL, WAIT_S * 1000L);
    assert_string_equal(got, "here");
    free(got);
    copy_file(http_certificates_path(&second, "server.pem"), cert);
    got = skr_strdup("");
    for (int i = 0; i < 200 && got[0] == 0; i++) {
        free(got);
        usleep(20000);
        got = post_tls(&second, skr_listener_port(listener), "/", "x", NULL, WAIT_S * 1000L);
    }
    assert_string_equal(got, "here");
    free(got);
    skr_listener_destroy(listener);
    unlink(cert);
    unlink(key);
    http_certificates_remove(&first);
    http_certificates_remove(&second);
}
