/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of bindings: clusters under provider, region and zone, replicas as their parts. */
#include "core/propagation/scheduler.h"
#include "core/propagation/types.h"
#include "test/test.h"
#include "test/unit/frame_rig.h"
#include "test/unit/picture_text.h"

struct world {
    struct skr_propagation_settings settings;
    struct frame_rig *rig;
    struct skr_picture *picture;
    enum skr_picture_news news;
};

static void add_cluster(struct frame_rig *rig, const char *name, const char *region, int pods)
{
    frame_rig_add(rig, &skr_resource_member_clusters, name,
                  "{'spec':{'provider':'aws','region':'%s','zones':['%s-1']},"
                  "'status':{'apiEnablements':[{'groupVersion':'apps/v1','resources':["
                  "{'kind':'Deployment'}]}],'resourceSummary':{'allocatable':{'pods':'%d'}}}}",
                  region, region, pods);
}

static void add_binding(struct frame_rig *rig, const char *key, const char *scheduler, int replicas)
{
    frame_rig_add(rig, &skr_resource_bindings, key,
                  "{'metadata':{'labels':{'propagationpolicy.karmada.io/permanent-id':'1'}},"
                  "'spec':{'schedulerName':'%s','replicas':%d,'resource':{'apiVersion':'apps/v1',"
                  "'kind':'Deployment','namespace':'default','name':'web','uid':'u-1'},"
                  "'placement':{'replicaScheduling':{'replicaSchedulingType':'Divided',"
                  "'replicaDivisionPreference':'Weighted','weightPreference':{'dynamicWeight':"
                  "'AvailableReplicas'}}}}}",
                  scheduler, replicas);
}

static void world_set_up(struct world *world)
{
    static const struct skr_hash_seed seed;
    world->settings = (struct skr_propagation_settings){.scheduler_name = "sakkara", .workers = 8};
    skr_propagation_options_init(&world->settings.options, SKR_PROFILE_DEFAULT);
    world->rig = frame_rig_create(&skr_propagation_scheduler, &world->settings);
    world->picture = skr_picture_create("bindings", &seed);
}

static void world_tear_down(struct world *world)
{
    skr_picture_destroy(world->picture);
    frame_rig_destroy(world->rig);
}

static int draw(struct world *world)
{
    SKR_STRBUF(change);
    return skr_propagation_draw(skr_engine_self(world->rig->engine), world->rig->now,
                                world->picture, &world->news, &change);
}

static void expect(struct world *world, const char *text)
{
    SKR_STRBUF(out);
    assert_int_equal(draw(world), 0);
    picture_text(world->picture, &out);
    assert_string_equal(out.s, text);
}

TEST_WITH(world, replicas_are_parts_of_clusters_under_their_zones)
{
    add_cluster(world->rig, "a", "east", 6);
    add_cluster(world->rig, "b", "west", 3);
    add_binding(world->rig, "default/web", "sakkara", 3);
    add_binding(world->rig, "default/foreign", "default-scheduler", 2);
    frame_rig_start(world->rig);
    expect(world, "place aws/east/east-1/a Ready 2/8 slots 6: default/web 2 pods 2\n"
                  "place aws/west/west-1/b Ready 1/4 slots 3: default/web 1 pods 1\n"
                  "subject default/web Scheduled 3/3\n");
    assert_int_equal(world->news, SKR_PICTURE_ANEW);
    frame_rig_edit(world->rig, &skr_resource_bindings, "default/web", "{'spec':{'replicas':90}}");
    frame_rig_run(world->rig);
    SKR_STRBUF(out);
    assert_int_equal(draw(world), 0);
    assert_int_equal(world->news, SKR_PICTURE_CHANGED);
    picture_text(world->picture, &out);
    assert_non_null(strstr(out.s, "subject default/web Unscheduled 3/90 Unschedulable\n"));
    frame_rig_delete(world->rig, &skr_resource_bindings, "default/web");
    frame_rig_run(world->rig);
    expect(world, "place aws/east/east-1/a Ready 0/6 slots 6\n"
                  "place aws/west/west-1/b Ready 0/3 slots 3\n");
}

/* Replicas that leave are not firm; the state of a cluster is that of its taints. */
TEST_WITH(world, an_eviction_is_hatched)
{
    add_cluster(world->rig, "a", "east", 6);
    add_binding(world->rig, "default/web", "sakkara", 2);
    frame_rig_start(world->rig);
    frame_rig_edit(
        world->rig, &skr_resource_bindings, "default/web",
        "{'spec':{'gracefulEvictionTasks':[{'fromCluster':'a','reason':'TaintUntolerated',"
        "'producer':'TaintManager'}]}}");
    frame_rig_edit(world->rig, &skr_resource_member_clusters, "a",
                   "{'spec':{'taints':[{'key':'cluster.karmada.io/not-ready','effect':"
                   "'NoSchedule'}]}}");
    assert_int_equal(draw(world), 0);
    frame_rig_run(world->rig);
    SKR_STRBUF(out);
    assert_int_equal(draw(world), 0);
    picture_text(world->picture, &out);
    assert_non_null(strstr(out.s, "/a NotReady 2/8 slots 6: default/web -2 pods 2\n"));
}

TEST_WITH(world, without_a_cluster_there_is_no_picture)
{
    frame_rig_start(world->rig);
    assert_int_equal(draw(world), -SKR_NOT_FOUND);
}
