/* SPDX-License-Identifier: Apache-2.0 */
/* TLS on every side: the API server with a client certificate, the extender's listeners, the gate
 * webhook; a token file that is rotated. */
#include "server/kube/base64.h"
#include "server/object/path.h"
#include "test/integration/scene.h"
#include "test/test.h"
#include "test/unit/http_client.h"
#include "test/unit/web.h"

static struct http_certificates files;

static const char *path(const char *name)
{
    return http_certificates_path(&files, name);
}

BEFORE_ALL
{
    web_init();
    http_certificates_make(&files);
}

AFTER_ALL
{
    http_certificates_remove(&files);
    fake_pki_free();
}

/* The pieces of play_gang(): a gang through the scene as it stands. */
static void play_gang(struct scene *scene)
{
    scene_add_gang(scene, 4);
    scene_start_daemon(scene);
    cluster_pods(scene->c, "job", 4, "gang", true);
    scene_expect_bound(scene, 4);
}

TEST(the_api_server_is_reached_with_a_client_certificate)
{
    struct scene scene = {0};
    char user[1024];
    char *folder = make_folder();
    const struct fake_pki *pki = fake_pki_get();
    write_text_file(folder, "client.pem", pki->client_cert);
    write_text_file(folder, "client.key", pki->client_key);
    snprintf(user, sizeof user, "{client-certificate: %s/client.pem, client-key: %s/client.key}",
             folder, folder);
    scene.c = cluster_start(pki, true);
    scene.s = scheduler_start(scene.c, NULL);
    scene.options.user = user;
    play_gang(&scene);
    scene_end(&scene);
    remove_folder(folder);
}

TEST(the_extender_answers_over_tls_to_those_with_a_certificate)
{
    const struct web_tls good = {path("ca.pem"), path("client.pem"), path("client.key")};
    const struct web_tls bare = {path("ca.pem"), NULL, NULL};
    const struct web_tls other = {path("ca.pem"), path("other.pem"), path("other.key")};
    struct scene scene = {0};
    char tls[512];
    snprintf(tls, sizeof tls, "{certFile: %s, keyFile: %s, clientCAFile: %s}", path("server.pem"),
             path("server.key"), path("ca.pem"));
    scene.c = cluster_start(NULL, false);
    scene.s = scheduler_start(scene.c, &good);
    scene.options.tls = tls;
    play_gang(&scene);
    const uint16_t port[] = {daemon_port(scene.d), daemon_bind_port(scene.d)};
    for (size_t i = 0; i < 2; i++) {
        const struct web_tls *refused[] = {NULL, &bare, &other};
        for (size_t j = 0; j < 3; j++) {
            struct web_answer answer =
                web_ask("POST", port[i], i ? "/v1/bind" : "/v1/filter", "{}", refused[j], 20000);
            assert_int_equal(answer.status, 0);
            free(answer.body);
        }
    }
    scene_end(&scene);
}

/* What the webhook wants changed in the pod; heap, "" nothing. */
static char *review(uint16_t port, const char *pod)
{
    const struct web_tls tls = {path("ca.pem"), NULL, NULL};
    struct skr_error error = {0};
    char *body = NULL, *patch = NULL;
    size_t n = 0;
    assert_true(asprintf(&body,
                         "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\","
                         "\"request\":{\"uid\":\"review-1\",\"operation\":\"CREATE\",\"kind\":"
                         "{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"},\"object\":%s}}",
                         pod) > 0);
    struct web_answer answer = web_ask("POST", port, "/v1/gate", body, &tls, 20000);
    json_auto_t *json = json_loads(answer.body, 0, NULL);
    const json_t *response = json_object_get(json, "response");
    assert_int_equal(answer.status, 200);
    assert_string_equal(skr_path_text(response, "uid"), "review-1");
    assert_true(json_is_true(json_object_get(response, "allowed")));
    const char *text = skr_path_text(response, "patch");
    if (text[0]) {
        assert_int_equal(skr_base64_decode(text, strlen(text), &patch, &n, &error), 0);
    }
    char *copy = strndup(patch ? patch : "", n);
    free(patch);
    free(answer.body);
    free(body);
    return copy;
}

TEST(the_gate_webhook_answers_over_tls)
{
    static const struct {
        const char *pod, *patch;
    } row[] = {
        {"{\"metadata\":{\"labels\":{\"sakkara.group.name\":\"g\"}},\"spec\":"
         "{\"schedulerName\":\"sakkara\"}}",
         "[{\"op\":\"add\",\"path\":\"/spec/schedulingGates\",\"value\":"
         "[{\"name\":\"sakkara.gang\"}]}]"},
        {"{\"metadata\":{\"labels\":{\"sakkara.group.name\":\"g\"}},\"spec\":"
         "{\"schedulerName\":\"default-scheduler\"}}",
         ""},
    };
    struct scene scene;
    char gate[512];
    snprintf(gate, sizeof gate, "certFile: %s, keyFile: %s", path("server.pem"),
             path("server.key"));
    scene_begin(&scene);
    scene.options.gate = gate;
    scene_start_daemon(&scene);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        SKR_AUTO_FREE char *patch = review(daemon_gate_port(scene.d), row[i].pod);
        assert_string_equal(patch, row[i].patch);
    }
    struct web_answer plain =
        web_ask("POST", daemon_gate_port(scene.d), "/v1/gate", "{}", NULL, 20000);
    assert_int_equal(plain.status, 0);
    free(plain.body);
    scene_end(&scene);
}

/* The first write finds the old token refused: it waits for the new one, nothing is given up. */
TEST(a_rotated_token_file_is_read_again)
{
    struct scene scene;
    char user[256];
    char *folder = make_folder();
    write_text_file(folder, "token", CLUSTER_TOKEN "\n");
    snprintf(user, sizeof user, "{tokenFile: %s/token}", folder);
    scene_begin(&scene);
    scene.options.user = user;
    scene_add_gang(&scene, 4);
    scene_start_daemon(&scene);
    write_text_file(folder, "token", CLUSTER_TOKEN "-the-next\n");
    cluster_lock(scene.c);
    snprintf(scene.c->token, sizeof scene.c->token, "%s", CLUSTER_TOKEN "-the-next");
    (void)fake_api_break(scene.c->api, "watch=true", NULL, FAKE_CLOSE);
    cluster_unlock(scene.c);
    cluster_pods(scene.c, "job", 4, "gang", true);
    scene_expect_bound(&scene, 4);
    assert_true(scene.c->n_unauthorized > 0);
    scene_end(&scene);
    remove_folder(folder);
}
