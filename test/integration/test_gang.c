/* SPDX-License-Identifier: Apache-2.0 */
/* A gang through the real program: the sandbox's API server and scheduler, real HTTP. */
#include "test/integration/scene.h"
#include "test/test.h"
#include "test/unit/web.h"

/* Of a group's map from its first pod to the last Binding, when nothing goes wrong: it waits for
 * members, it is planned, its members are bound, it is bound. */
enum { MAP_WRITES_MAX = 4 };

struct row {
    bool gated;
    bool old_api;    /* Bindings carry no labels */
    bool is_refused; /* before their map is there: kube-scheduler has to be woken */
    bool is_planned; /* before kube-scheduler comes */
    const char *format;
};

static void play(const struct row *row)
{
    struct cluster *c = cluster_start(NULL, false);
    struct scheduler *s = scheduler_start(c, NULL);
    c->bindings_carry_labels = !row->old_api;
    cluster_racks(c, 2, 3, 4);
    if (!row->is_refused) {
        cluster_group(c, "gang", 8, PACK_SPREAD);
    }
    const struct daemon_options options = {.format = row->format};
    struct daemon *d = daemon_start(c, &options);
    daemon_wait_ready(d);
    daemon_wait_metric(d, "sakkara_binding_labels 1"); /* it has asked for the version */
    if (!row->is_planned) {
        scheduler_point(s, daemon_port(d), daemon_bind_port(d));
    }
    cluster_pods(c, "job", 8, "gang", row->gated);
    if (row->is_refused) {
        cluster_wait_refused(c, "job", 8);
        cluster_group(c, "gang", 8, PACK_SPREAD);
    }
    if (row->is_planned) {
        cluster_wait_key(c, "gang", "status", "Assigned");
        /* It knows that the plan stands: a filter call before that may be refused, and a member
         * that was refused is nominated. */
        daemon_wait_metric(d, "sakkara_api_writes_in_flight 0");
        scheduler_point(s, daemon_port(d), daemon_bind_port(d));
    }
    cluster_wait_bound(c, "job", 8);
    cluster_expect_bound(c, "gang", "job", 8);
    scheduler_wait_idle(s);
    struct scheduler_counts counts = scheduler_counts(s);
    assert_int_equal(counts.bound, 8);
    assert_int_equal(counts.answered, counts.binds);
    assert_int_equal(counts.failed, 0);
    assert_int_equal(cluster_writes(c, SKR_WRITE_BINDING), 8);
    assert_int_equal(cluster_writes(c, SKR_WRITE_PATCH_POD_STATUS), row->is_refused ? 8 : 0);
    assert_int_equal(cluster_writes(c, SKR_WRITE_UNGATE_POD), row->gated ? 8 : 0);
    cluster_wait_writes(c, SKR_WRITE_PATCH_POD, row->old_api ? 8 : 0);
    for (int i = 0; i < 8; i++) {
        char name[16];
        snprintf(name, sizeof name, "job-%d", i);
        SKR_AUTO_FREE char *status = cluster_label(c, name, "sakkara.member.status");
        SKR_AUTO_FREE char *retries = cluster_label(c, name, "sakkara.member.retries");
        assert_string_equal(status, "Bound");
        assert_string_equal(retries, "1");
    }
    scheduler_stop(s);
    daemon_stop(d);
    assert_int_equal(cluster_writes(c, SKR_WRITE_PATCH_POD), row->old_api ? 8 : 0);
    assert_true(cluster_writes(c, SKR_WRITE_PATCH_CONFIGMAP) <= MAP_WRITES_MAX);
    /* No patch needed an API server that is lenient. */
    for (int i = 0; i < SKR_WRITE_KIND_COUNT; i++) {
        assert_int_equal(c->n_refused[i], 0);
    }
    cluster_stop(c);
}

TEST(eight_pods_are_bound_with_two_writes_each)
{
    play(&(struct row){.is_refused = true, .format = "text"});
}

TEST(eight_pods_that_need_no_waking_are_bound_with_one_write_each)
{
    play(&(struct row){.is_planned = true, .format = "text"});
}

TEST(eight_gated_pods_are_bound_with_two_writes_each)
{
    play(&(struct row){.gated = true, .format = "json"});
}

TEST(an_old_api_server_costs_one_write_more)
{
    play(&(struct row){.gated = true, .old_api = true, .format = "text"});
}

TEST(a_map_that_waits_for_its_members_is_written_four_times_at_most)
{
    struct scene scene;
    scene_begin(&scene);
    cluster_racks(scene.c, 2, 3, 4);
    cluster_group(scene.c, "gang", 8, PACK_SPREAD);
    scene_start_daemon(&scene);
    cluster_wait_key(scene.c, "gang", "status", "Waiting");
    cluster_pods(scene.c, "job", 8, "gang", true);
    cluster_wait_bound(scene.c, "job", 8);
    scheduler_wait_idle(scene.s);
    cluster_wait_key(scene.c, "gang", "status", "Bound");
    daemon_stop(scene.d);
    scene.d = NULL;
    assert_true(cluster_writes(scene.c, SKR_WRITE_PATCH_CONFIGMAP) <= MAP_WRITES_MAX);
    scene_end(&scene);
}

/* Status and plan live in annotations of the PodGroup. */
TEST(a_podgroup_is_bound_like_a_map)
{
    struct scene scene;
    scene_begin(&scene);
    cluster_racks(scene.c, 2, 3, 4);
    cluster_create(scene.c,
                   "{'kind':'PodGroup','apiVersion':'scheduling.x-k8s.io/v1alpha1','metadata':"
                   "{'namespace':'default','name':'train'},'spec':{'minMember':4}}");
    scene_start_daemon(&scene);
    for (int i = 0; i < 4; i++) {
        cluster_create(scene.c,
                       "{'kind':'Pod','apiVersion':'v1','metadata':{'namespace':'default','name':"
                       "'worker-%d','labels':{'scheduling.x-k8s.io/pod-group':'train'}},'spec':"
                       "{'schedulerName':'sakkara','schedulingGates':[{'name':'sakkara.gang'}],"
                       "'containers':[{'name':'main','image':'busybox','resources':{'requests':{'"
                       "cpu':'1'}}}]},"
                       "'status':{'phase':'Pending'}}",
                       i);
    }
    cluster_wait_bound(scene.c, "worker", 4);
    scheduler_wait_idle(scene.s);
    assert_int_equal(scheduler_counts(scene.s).bound, 4);
    assert_int_equal(cluster_writes(scene.c, SKR_WRITE_BINDING), 4);
    assert_true(cluster_writes(scene.c, SKR_WRITE_PATCH_PODGROUP) >= 2);
    scene_end(&scene);
}

/* Pods before their map, and one without a group. */
TEST(pods_wait_for_their_map_and_ordinary_ones_do_not)
{
    struct scene scene;
    scene_begin(&scene);
    cluster_racks(scene.c, 2, 3, 4);
    scene_start_daemon(&scene);
    cluster_pods(scene.c, "job", 4, "gang", false);
    cluster_pods(scene.c, "plain", 3, NULL, false);
    cluster_wait_bound(scene.c, "plain", 3);
    assert_int_equal(cluster_bound(scene.c, "job"), 0);
    assert_true(scheduler_saw(scene.s, "sakkara: group not found"));
    cluster_group(scene.c, "gang", 4, PACK_SPREAD);
    cluster_wait_bound(scene.c, "job", 4);
    cluster_expect_bound(scene.c, "gang", "job", 4);
    scene_end(&scene);
}

BEFORE_ALL
{
    web_init();
}
