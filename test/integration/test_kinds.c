/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds are installed, removed and installed again while the daemon runs: the proxy answers 404 while
 * they are missing. */
#include "test/integration/scene.h"
#include "test/test.h"
#include "test/unit/web.h"

/* Its watches end. */
static void remove_kind(struct scene *scene, const char *path)
{
    cluster_lock(scene->c);
    (void)snprintf(scene->c->missing, sizeof scene->c->missing, "%s", path);
    (void)fake_api_break(scene->c->api, path, NULL, FAKE_ANSWER);
    cluster_unlock(scene->c);
}

static void install_kind(struct scene *scene)
{
    cluster_lock(scene->c);
    scene->c->missing[0] = '\0';
    cluster_unlock(scene->c);
}

/* A PodGroup of four and its pods, which kube-scheduler tries at once. */
static void create_gang(struct scene *scene, const char *name)
{
    cluster_create(scene->c,
                   "{'kind':'PodGroup','apiVersion':'scheduling.x-k8s.io/v1alpha1','metadata':"
                   "{'namespace':'default','name':'%s'},'spec':{'minMember':4}}",
                   name);
    for (int i = 0; i < 4; i++) {
        cluster_create(scene->c,
                       "{'kind':'Pod','apiVersion':'v1','metadata':{'namespace':'default','name':"
                       "'%s-%d','labels':{'scheduling.x-k8s.io/pod-group':'%s'}},'spec':"
                       "{'schedulerName':'sakkara','containers':[{'name':'main','image':'busybox',"
                       "'resources':{'requests':{'cpu':'1'}}}]},'status':{'phase':'Pending'}}",
                       name, i, name);
    }
}

static void expect_waits_for_its_kind(struct scene *scene, const char *gang)
{
    cluster_wait_refused(scene->c, gang, 4);
    daemon_wait_metric(scene->d, "sakkara_cache_objects{resource=\"podgroups\"} 0");
    daemon_wait_metric(scene->d,
                       "sakkara_unplaced_groups{reason=\"GroupNotFound\",class=\"config\"} 1");
    assert_int_equal(web_get(daemon_admin_port(scene->d), "/readyz", NULL), 200);
}

TEST(a_podgroup_is_placed_when_its_kind_is_installed_after_the_start)
{
    struct scene scene;
    scene_begin(&scene);
    cluster_racks(scene.c, 2, 3, 4);
    remove_kind(&scene, "/podgroups");
    scene_start_daemon(&scene);
    create_gang(&scene, "first");
    expect_waits_for_its_kind(&scene, "first");
    install_kind(&scene);
    cluster_wait_bound(scene.c, "first", 4);
    daemon_wait_log(scene.d, "\"Kind was found\" resource=\"podgroups\"");
    daemon_wait_metric(scene.d, "sakkara_cache_objects{resource=\"podgroups\"} 1");
    scene_end(&scene);
}

TEST(a_kind_that_is_removed_takes_its_podgroups_along_until_it_is_installed_again)
{
    struct scene scene;
    scene_begin(&scene);
    cluster_racks(scene.c, 2, 3, 4);
    scene_start_daemon(&scene);
    create_gang(&scene, "first");
    cluster_wait_bound(scene.c, "first", 4);
    daemon_wait_metric(scene.d, "sakkara_groups{status=\"Bound\"} 1");
    remove_kind(&scene, "/podgroups");
    create_gang(&scene, "second");
    expect_waits_for_its_kind(&scene, "second");
    assert_int_equal(cluster_bound(scene.c, "first"), 4);
    install_kind(&scene);
    cluster_wait_bound(scene.c, "second", 4);
    daemon_wait_metric(scene.d, "sakkara_groups{status=\"Bound\"} 2");
    scene_end(&scene);
}

/* The kinds of Placements, which the sandbox does not have: they are there and empty. */
static void serve_placements(struct scene *scene)
{
    static const char *const plural[] = {"managedclusters",    "managedclustersets",
                                         "placements",         "managedclustersetbindings",
                                         "placementdecisions", "addonplacementscores"};
    char match[64];
    const struct fake_step list = {.match = match,
                                   .body = "{\"kind\":\"List\",\"metadata\":{"
                                           "\"resourceVersion\":\"1\"},\"items\":[]}",
                                   .forever = true};
    const struct fake_step watch = {.match = match, .mode = FAKE_STREAM, .forever = true};
    for (size_t i = 0; i < sizeof plural / sizeof plural[0]; i++) {
        (void)snprintf(match, sizeof match, "/%s?limit=", plural[i]);
        fake_api_expect(scene->c->api, &list);
        (void)snprintf(match, sizeof match, "/%s?watch=", plural[i]);
        fake_api_expect(scene->c->api, &watch);
    }
}

/* The gang scheduler does not wait for the kinds of another one. */
TEST(a_kind_that_an_enabled_scheduler_needs_is_waited_for)
{
    struct scene scene;
    char *body = NULL;
    scene_begin(&scene);
    scene.options.config = "ocm: {enabled: true}\n";
    scene_add_gang(&scene, 8);
    remove_kind(&scene, "/cluster.open-cluster-management.io/");
    scene.d = daemon_start(scene.c, &scene.options);
    daemon_wait_log(scene.d, "list managedclusters: HTTP 404 (the API server does not serve kind "
                             "ManagedCluster of cluster.open-cluster-management.io/v1)");
    scheduler_point(scene.s, daemon_port(scene.d), daemon_bind_port(scene.d));
    cluster_pods(scene.c, "job", 8, "gang", true);
    scene_expect_bound(&scene, 8);
    assert_int_equal(web_get(daemon_admin_port(scene.d), "/readyz?verbose", &body), 503);
    assert_non_null(strstr(body, "first lists are not complete: managedclusters"));
    free(body);
    serve_placements(&scene);
    daemon_wait_ready(scene.d);
    scene_end(&scene);
}

BEFORE_ALL
{
    web_init();
}
