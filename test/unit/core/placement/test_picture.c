/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of Placements: clusters under the spread levels, decisions as their parts. */
#include "core/placement/scheduler.h"
#include "core/placement/types.h"
#include "test/test.h"
#include "test/unit/frame_rig.h"
#include "test/unit/picture_text.h"

#define OCM "cluster.open-cluster-management.io/"

static const struct skr_placement_settings settings = {.scheduler_name = "sakkara",
                                                       .spread_mode = SKR_SPREAD_WEIGHTED};

struct world {
    struct frame_rig *rig;
    struct skr_picture *picture;
    enum skr_picture_news news;
};

static void add_cluster(struct frame_rig *rig, const char *name, const char *region)
{
    frame_rig_add(rig, &skr_resource_managed_clusters, name,
                  "{'metadata':{'labels':{'" OCM "clusterset':'s','region':'%s'}}}", region);
}

static void world_set_up(struct world *world)
{
    static const struct skr_hash_seed seed;
    world->rig = frame_rig_create(&skr_placement_scheduler, &settings);
    world->picture = skr_picture_create("placements", &seed);
}

static void world_tear_down(struct world *world)
{
    skr_picture_destroy(world->picture);
    frame_rig_destroy(world->rig);
}

static int draw(struct world *world)
{
    SKR_STRBUF(change);
    return skr_placement_draw(skr_engine_self(world->rig->engine), world->rig->now, world->picture,
                              &world->news, &change);
}

static void expect(struct world *world, const char *text)
{
    SKR_STRBUF(out);
    assert_int_equal(draw(world), 0);
    picture_text(world->picture, &out);
    assert_string_equal(out.s, text);
}

static void add_fleet(struct world *world)
{
    add_cluster(world->rig, "a", "east");
    add_cluster(world->rig, "b", "west");
    add_cluster(world->rig, "c", "west");
    frame_rig_add(world->rig, &skr_resource_cluster_sets, "s", "{'spec':{}}");
    frame_rig_add(world->rig, &skr_resource_cluster_set_bindings, "ml/s",
                  "{'spec':{'clusterSet':'s'}}");
    frame_rig_add(world->rig, &skr_resource_placements, "ml/p",
                  "{'metadata':{'annotations':{'" OCM "experimental-scheduling-disable':'true',"
                  "'sakkara.placement.scheduler':'sakkara'}},'spec':{'numberOfClusters':2,"
                  "'spreadPolicy':{'spreadConstraints':[{'topologyKey':'region','topologyKeyType':"
                  "'Label','maxSkew':1}]}}}");
    frame_rig_start(world->rig);
}

TEST_WITH(world, decisions_are_parts_of_clusters_under_the_spread_levels)
{
    add_fleet(world);
    expect(world, "place east/a Ready 1/1 slots 0: ml/p 1 pods 1\n"
                  "place west/b Ready 1/1 slots 0: ml/p 1 pods 1\n"
                  "place west/c Ready 0/1 slots 0\n"
                  "subject ml/p Satisfied 2/2\n");
    assert_int_equal(world->news, SKR_PICTURE_ANEW);
    expect(world, "place east/a Ready 1/1 slots 0: ml/p 1 pods 1\n"
                  "place west/b Ready 1/1 slots 0: ml/p 1 pods 1\n"
                  "place west/c Ready 0/1 slots 0\n"
                  "subject ml/p Satisfied 2/2\n");
    assert_int_equal(world->news, SKR_PICTURE_SAME);
}

TEST_WITH(world, a_change_moves_decisions_and_a_deletion_takes_the_subject)
{
    add_fleet(world);
    assert_int_equal(draw(world), 0);
    frame_rig_edit(world->rig, &skr_resource_managed_clusters, "b",
                   "{'spec':{'taints':[{'key':'" OCM "unreachable','effect':'NoSelect'}]}}");
    frame_rig_edit(world->rig, &skr_resource_managed_clusters, "a",
                   "{'spec':{'taints':[{'key':'repair','effect':'NoSelectIfNew'}]}}");
    frame_rig_run(world->rig);
    expect(world, "place east/a Cordoned 1/1 slots 0: ml/p 1 pods 1\n"
                  "place west/b NotReady 0/1 slots 0\n"
                  "place west/c Ready 1/1 slots 0: ml/p 1 pods 1\n"
                  "subject ml/p Satisfied 2/2\n");
    assert_int_equal(world->news, SKR_PICTURE_CHANGED);
    frame_rig_edit(world->rig, &skr_resource_placements, "ml/p", "{'spec':{'numberOfClusters':5}}");
    frame_rig_run(world->rig);
    expect(world, "place east/a Cordoned 1/1 slots 0: ml/p 1 pods 1\n"
                  "place west/b NotReady 0/1 slots 0\n"
                  "place west/c Ready 1/1 slots 0: ml/p 1 pods 1\n"
                  "subject ml/p Unsatisfied 2/5 NotAllDecisionsScheduled\n");
    frame_rig_delete(world->rig, &skr_resource_placements, "ml/p");
    frame_rig_run(world->rig);
    assert_int_equal(draw(world), 0);
    SKR_STRBUF(out);
    picture_text(world->picture, &out);
    assert_null(strstr(out.s, "subject"));
}

TEST_WITH(world, without_a_cluster_there_is_no_picture)
{
    frame_rig_start(world->rig);
    assert_int_equal(draw(world), -SKR_NOT_FOUND);
}

TEST_WITH(world, a_follower_has_no_picture)
{
    add_fleet(world);
    frame_rig_lead(world->rig, false);
    assert_int_equal(draw(world), -SKR_RETRY);
}
