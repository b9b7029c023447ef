/* SPDX-License-Identifier: Apache-2.0 */
/* The start: what is answered before the first lists are complete, and when that changes. */
#include "core/gang/state/reason.h"
#include "server/object/path.h"
#include "test/integration/scene.h"
#include "test/test.h"
#include "test/unit/web.h"

#define FILTER                                                                                     \
    "{\"Pod\":{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"u\"},\"spec\":"    \
    "{\"schedulerName\":\"sakkara\",\"containers\":[]}},\"Nodes\":null,\"NodeNames\":[\"node-0\"]" \
    "}"
#define BIND "{\"PodName\":\"p\",\"PodNamespace\":\"default\",\"PodUID\":\"u\",\"Node\":\"node-0\"}"

static void expect_error(uint16_t port, const char *path, const char *body, const char *error)
{
    struct web_answer answer = web_ask("POST", port, path, body, NULL, 20000);
    json_auto_t *json = json_loads(answer.body, 0, NULL);
    assert_int_equal(answer.status, 200);
    assert_string_equal(skr_path_text(json, "Error"), error);
    free(answer.body);
}

static void expect_not_ready(const struct daemon *d, const char *what)
{
    char *body = NULL;
    assert_int_equal(web_get(daemon_admin_port(d), "/readyz?verbose", &body), 503);
    if (!strstr(body, what)) {
        fail_msg("%s does not name %s", body, what);
    }
    free(body);
    assert_int_equal(web_get(daemon_admin_port(d), "/livez", NULL), 200);
    expect_error(daemon_port(d), "/v1/filter", FILTER, SKR_TEXT_NOT_READY);
    expect_error(daemon_bind_port(d), "/v1/bind", BIND, SKR_TEXT_NOT_READY);
}

/* One list after the other is let go; ready after the last and not before. */
TEST(ready_comes_after_all_first_lists)
{
    static const struct {
        const char *match, *name;
    } list[] = {
        {"/nodes?limit", "nodes"},
        {"/pods?limit", "pods"},
        {"labelSelector=sakkara.group", "groups"},
        {"labelSelector=sakkara.topology", "topologies"},
        {"/podgroups?limit", "podgroups"},
    };
    const size_t n = sizeof list / sizeof list[0];
    struct scene scene;
    scene_begin(&scene);
    for (size_t i = 0; i < n; i++) {
        fake_api_expect(scene.c->api,
                        &(struct fake_step){.match = list[i].match,
                                            .mode = FAKE_HANG,
                                            .body = "{\"kind\":\"List\",\"metadata\":{"
                                                    "\"resourceVersion\":\"1\"},\"items\":[]}"});
    }
    scene.d = daemon_start(scene.c, NULL);
    for (size_t i = 0; i < n; i++) {
        fake_api_wait_count(scene.c->api, list[i].match, 1);
        expect_not_ready(scene.d, list[i].name);
        fake_api_release(scene.c->api, list[i].match);
        char text[64];
        snprintf(text, sizeof text, "resource=\"%s\"", list[i].name);
        daemon_wait_log(scene.d, text);
    }
    daemon_wait_ready(scene.d);
    expect_error(daemon_bind_port(scene.d), "/v1/bind",
                 "{\"PodName\":\"p\",\"PodNamespace\":\"default\",\"PodUID\":\"u\",\"Node\":\"\"}",
                 SKR_TEXT_MALFORMED);
    scene_end(&scene);
}

/* What existed before the start is found in pages and placed. */
TEST(a_gang_that_waits_is_found_in_small_pages)
{
    struct scene scene;
    scene_begin(&scene);
    scene.c->page = 3;
    cluster_lack(scene.c, "/podgroups");
    scene_add_gang(&scene, 8);
    cluster_pods(scene.c, "job", 8, "gang", true);
    scene_start_daemon(&scene);
    scene_expect_bound(&scene, 8);
    daemon_wait_log(scene.d, "Kind was not found and counted as empty");
    daemon_wait_log(scene.d, "status=\"Bound\"");
    assert_false(daemon_has_log(scene.d, "reason=\"Bound\""));
    scene_end(&scene);
}

/* The API server comes up after the daemon. */
TEST(an_api_server_that_is_down_is_waited_for)
{
    struct scene scene;
    scene_begin(&scene);
    scene_add_gang(&scene, 4);
    fake_api_go_down(scene.c->api);
    scene.d = daemon_start(scene.c, NULL);
    daemon_wait_log(scene.d, "Watch was interrupted");
    expect_not_ready(scene.d, "nodes");
    fake_api_come_up(scene.c->api);
    daemon_wait_ready(scene.d);
    scheduler_point(scene.s, daemon_port(scene.d), daemon_bind_port(scene.d));
    cluster_pods(scene.c, "job", 4, "gang", false);
    scene_expect_bound(&scene, 4);
    scene_end(&scene);
}

/* Missing permissions are named. */
TEST(a_forbidden_list_is_logged_with_the_verbs_it_needs)
{
    struct scene scene;
    scene_begin(&scene);
    scene_fault(&scene, "/nodes?limit", FAKE_ANSWER, 403, 0);
    scene.d = daemon_start(scene.c, NULL);
    daemon_wait_log(scene.d, "the account needs the verbs get, list and watch on nodes");
    daemon_wait_ready(scene.d);
    scene_end(&scene);
}

BEFORE_ALL
{
    web_init();
}

TEST(a_missing_permission_is_found_at_the_start_and_named)
{
    struct scene scene;
    scene_begin(&scene);
    cluster_deny(scene.c, "\"subresource\":\"binding\"");
    scene_start_daemon(&scene);
    daemon_wait_log(
        scene.d,
        "\"Permission is missing\" what=\"create pods/binding\" reason=\"nothing is bound\"");
    scene_end(&scene);
}

TEST(check_prints_every_permission_and_says_what_is_missing)
{
    struct scene scene;
    char kubeconfig[256];
    char *out = NULL;
    char *err = NULL;
    scene_begin(&scene);
    cluster_deny(scene.c, "\"resource\":\"events\"");
    scene_start_daemon(&scene);
    (void)snprintf(kubeconfig, sizeof kubeconfig, "%s/kubeconfig", daemon_folder(scene.d));
    const char *const argv[] = {"check", "--kubeconfig", kubeconfig, NULL};
    assert_int_equal(daemon_run(argv, &out, &err), 5);
    assert_non_null(strstr(out, "ok   may create pods/binding\n"));
    assert_non_null(
        strstr(out, "FAIL may create events.events.k8s.io: no; without it Events are lost\n"));
    free(out);
    free(err);
    scene_end(&scene);
}

TEST(check_asks_for_what_every_scheduler_that_is_enabled_needs)
{
    static const char *const missing[] = {"create pods/eviction",
                                          "patch placementdecisions.cluster",
                                          "patch resourcebindings.work.karmada.io"};
    struct scene scene;
    char kubeconfig[256], config[256], text[256];
    char *out = NULL;
    char *err = NULL;
    scene_begin(&scene);
    cluster_deny(scene.c, "\"resource\":\"placementdecisions\"");
    scene_start_daemon(&scene);
    (void)snprintf(kubeconfig, sizeof kubeconfig, "%s/kubeconfig", daemon_folder(scene.d));
    (void)snprintf(config, sizeof config, "%s/all.yaml", daemon_folder(scene.d));
    write_text_file(
        daemon_folder(scene.d), "all.yaml",
        "apiVersion: sakkara/v1\nkind: SakkaraConfiguration\n"
        "spotmix: {enabled: true, certificates: files, certFile: /c.crt, keyFile: /c.key}\n"
        "ocm: {enabled: true}\nkarmada: {enabled: true}\n");
    const char *const argv[] = {"check", "--config", config, "--kubeconfig", kubeconfig, NULL};
    assert_int_equal(daemon_run(argv, &out, &err), 5);
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        (void)snprintf(text, sizeof text, "may %s", missing[i]);
        assert_non_null(strstr(out, text));
    }
    assert_non_null(strstr(out,
                           "FAIL may patch placementdecisions.cluster.open-cluster-management.io"
                           ": no; without it ocm: nothing is decided\n"));
    assert_null(strstr(out, "FAIL may patch resourcebindings"));
    free(out);
    free(err);
    scene_end(&scene);
}

/* Two installations, each with a Lease of its own, decide for one cluster. */
TEST(check_names_every_daemon_that_decides_and_refuses_more_than_one)
{
    struct scene scene;
    char kubeconfig[256];
    char *out = NULL, *err = NULL;
    scene_begin(&scene);
    scene_start_daemon(&scene);
    (void)snprintf(kubeconfig, sizeof kubeconfig, "%s/kubeconfig", daemon_folder(scene.d));
    const char *const argv[] = {"check", "--kubeconfig", kubeconfig, NULL};
    assert_int_equal(daemon_run(argv, &out, &err), 0);
    assert_non_null(strstr(out, "ok   Lease: default/sakkara held by "));
    free(out);
    free(err);
    cluster_create(scene.c,
                   "{'kind':'Lease','apiVersion':'coordination.k8s.io/v1','metadata':{'namespace':"
                   "'other','name':'sakkara'},'spec':{'holderIdentity':'second_1','renewTime':"
                   "'2199-01-01T00:00:00.000000Z'}}");
    cluster_create(scene.c,
                   "{'kind':'Lease','apiVersion':'coordination.k8s.io/v1','metadata':{'namespace':"
                   "'third','name':'sakkara'},'spec':{'holderIdentity':'third_1','renewTime':"
                   "'2198-12-31T23:59:30.000000Z'}}");
    assert_int_equal(daemon_run(argv, &out, &err), 5);
    assert_non_null(strstr(out,
                           "FAIL Leases: 2 daemons decide for this cluster: other/sakkara held "
                           "by second_1, third/sakkara held by third_1; remove all "
                           "installations but one\n"));
    free(out);
    free(err);
    scene_end(&scene);
}

/* Users may write Leases in their namespaces, also with a time that is far away. */
TEST(check_names_a_lease_of_no_installation_and_does_not_count_it)
{
    struct scene scene;
    char kubeconfig[256];
    char *out = NULL, *err = NULL;
    scene_begin(&scene);
    cluster_deny(scene.c, "system:serviceaccount:tenant:sakkara");
    scene_start_daemon(&scene);
    (void)snprintf(kubeconfig, sizeof kubeconfig, "%s/kubeconfig", daemon_folder(scene.d));
    cluster_create(scene.c,
                   "{'kind':'Lease','apiVersion':'coordination.k8s.io/v1','metadata':{'namespace':"
                   "'tenant','name':'sakkara'},'spec':{'holderIdentity':'mine','renewTime':"
                   "'2199-01-01T00:00:00.000000Z'}}");
    const char *const argv[] = {"check", "--kubeconfig", kubeconfig, NULL};
    if (daemon_run(argv, &out, &err) != 0) {
        fail_msg("%s%s", out, err);
    }
    assert_non_null(strstr(out, "ok   Lease: default/sakkara held by "));
    assert_non_null(strstr(out, "ok   Lease: tenant/sakkara held by mine is ignored: the account "
                                "sakkara of its namespace may not bind pods\n"));
    free(out);
    free(err);
    scene_end(&scene);
}

#define IMAGES                                                                              \
    "{'kind':'Deployment','apiVersion':'apps/v1','metadata':{'namespace':'default','name':" \
    "'sakkara'},'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{"      \
    "'labels':{'a':'b'}},'spec':{'serviceAccountName':'robot','containers':["               \
    "{'name':'sakkara','image':'registry:5000/sakkara:%s'},"                                \
    "{'name':'scheduler','image':'r/kube-scheduler:v1.%d.0'}]}}}}"

/* Before an upgrade: versions, permissions of the installed account, objects as this program reads
 * them, plans on their way. */
TEST(check_upgrade_names_what_is_to_be_done_first)
{
    static const char *const lines[] = {
        "FAIL daemon: registry:5000/sakkara:99.1.0 is newer than this program",
        "FAIL scheduler: r/kube-scheduler:v1.99.0 is newer than the API server, v1.36.",
        "FAIL account robot may not create events.events.k8s.io; without it Events are lost\n",
        "     apply the new manifests",
        "ConfigMap default/sakkara-config:",
        "unknown key planTimeOut (did you mean planTimeout?) [UnknownKey]\n",
        "next: see docs/upgrade.md, then sakkara check upgrade again\n"};
    struct scene scene;
    char kubeconfig[256], *out = NULL, *err = NULL;
    scene_begin(&scene);
    scene_start_daemon(&scene);
    (void)snprintf(kubeconfig, sizeof kubeconfig, "%s/kubeconfig", daemon_folder(scene.d));
    const char *const argv[] = {"check",        "upgrade",  "-n", "default",
                                "--kubeconfig", kubeconfig, NULL};
    cluster_lack(scene.c, "prometheusrules");
    cluster_create(scene.c, IMAGES, "0.1.0", 30);
    cluster_create(scene.c, "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'namespace':"
                            "'default','name':'sakkara-config'},'data':{'sakkara.yaml':"
                            "'apiVersion: sakkara/v1\\nkind: SakkaraConfiguration\\n'}}");
    if (daemon_run(argv, &out, &err) != 0) {
        fail_msg("%s%s", out, err);
    }
    assert_non_null(strstr(out, "ok   daemon: registry:5000/sakkara:0.1.0; this program is "));
    assert_non_null(strstr(out, "ok   account robot has the "));
    assert_non_null(strstr(out, "ok   objects: "));
    free(out);
    free(err);
    cluster_deny(scene.c, "\"resource\":\"events\"");
    cluster_delete(scene.c, "Deployment", "sakkara");
    cluster_create(scene.c, IMAGES, "99.1.0", 99);
    cluster_patch(scene.c, "ConfigMap", "sakkara-config",
                  "{'data':{'sakkara.yaml':'apiVersion: sakkara/v1\\nkind: "
                  "SakkaraConfiguration\\nplanTimeOut: 9s\\n'}}");
    assert_int_equal(daemon_run(argv, &out, &err), 5);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!strstr(out, lines[i])) {
            fail_msg("lacks %s\n%s", lines[i], out);
        }
    }
    free(out);
    free(err);
    scene_end(&scene);
}

TEST(check_says_when_nobody_is_there)
{
    char *folder = make_folder();
    char kubeconfig[256];
    char *out = NULL;
    char *err = NULL;
    write_text_file(folder, "kubeconfig",
                    "{apiVersion: v1, kind: Config, clusters: [{name: c, cluster: {server: "
                    "\"http://127.0.0.1:1\"}}], users: [{name: u, user: {}}], contexts: [{name: x, "
                    "context: {cluster: c, user: u}}], current-context: x}\n");
    (void)snprintf(kubeconfig, sizeof kubeconfig, "%s/kubeconfig", folder);
    const char *const argv[] = {"check", "--kubeconfig", kubeconfig, NULL};
    assert_int_equal(daemon_run(argv, &out, &err), 6);
    assert_non_null(strstr(out, "FAIL API server http://127.0.0.1:1: "));
    free(out);
    free(err);
    remove_folder(folder);
}
