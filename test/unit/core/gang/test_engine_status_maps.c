/* SPDX-License-Identifier: Apache-2.0 */
/* Maps that show derived groups: made, taken up after a restart, limited, refused. */
#include "core/gang/changes/status_map.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "topology/base/json_field.h"

#include <string.h>
#include <utlist.h>

static struct rig *cluster(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 2, 4);
    rig_sync(rig);
    return rig;
}

static const char *uid_of(const struct rig *rig, const char *name)
{
    return skr_object_text(json_object_get(rig_find(rig, RIG_JOB, name)->json, "metadata"), "uid");
}

/* A Job of `size` pods, "name" or "namespace/name", and n of the pods. */
static void part_of_job(struct rig *rig, const char *key, int size, int n)
{
    const char *slash = strchr(key, '/'), *name = slash ? slash + 1 : key;
    rig_create_json(rig, RIG_JOB, key, "{'spec':{'parallelism':%d,'completions':%d}}", size, size);
    for (int i = 0; i < n; i++) {
        rig_create_json(
            rig, RIG_POD, test_text("%s-%d", key, i),
            "{'metadata':{'annotations':{'sakkara.gang':'auto'},'labels':{'batch.kubernetes.io/"
            "job-name':'%s','batch.kubernetes.io/job-completion-index':'%d'},'ownerReferences':[{"
            "'apiVersion':'batch/v1','kind':'Job','name':'%s','uid':'%s','controller':true}]},"
            "'spec':{'schedulerName':'sakkara','schedulingGates':[{'name':'sakkara.gang'}],"
            "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
            name, i, name, uid_of(rig, key));
    }
}

static void job_of(struct rig *rig, const char *key, int size)
{
    part_of_job(rig, key, size, size);
}

static const char *map_of(const struct rig *rig, const char *prefix)
{
    const struct rig_object *o;
    DL_FOREACH(rig->list, o)
    {
        const char *name = strchr(o->key, '/');
        if (o->kind == RIG_MAP && name && strncmp(name + 1, prefix, strlen(prefix)) == 0) {
            return name + 1;
        }
    }
    return "";
}

TEST_RIG(cluster(), a_derived_group_is_shown_by_a_map_that_belongs_to_its_workload)
{
    job_of(rig, "train", 4);
    rig_run(rig, 5 * SKR_SECOND);
    const char *map = map_of(rig, "sakkara-train-");
    assert_string_equal(rig_key(rig, map, "status"), "Bound");
    assert_string_equal(rig_key(rig, map, "name"), "job/train");
    assert_string_equal(rig_key(rig, map, "owner"), "Job/train");
    assert_non_null(strstr(rig_key(rig, map, "rank"), "train-3,3"));
    const json_t *json = rig_find(rig, RIG_MAP, map)->json;
    const json_t *owners = json_object_get(json_object_get(json, "metadata"), "ownerReferences");
    const json_t *owner = json_array_get(owners, 0);
    assert_string_equal(json_string_value(json_object_get(owner, "uid")), uid_of(rig, "train"));
    assert_null(json_object_get(owner, "blockOwnerDeletion"));
    assert_int_equal(rig_count(rig, SKR_WRITE_CREATE_CONFIGMAP, NULL), 1);

    rig_restart(rig); /* what it says is taken up, and it is not made again */
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_key(rig, map_of(rig, "sakkara-train-"), "status"), "Bound");
    assert_int_equal(rig_count(rig, SKR_WRITE_CREATE_CONFIGMAP, NULL), 1);

    rig_delete(rig, RIG_MAP, map_of(rig, "sakkara-train-"));
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_key(rig, map_of(rig, "sakkara-train-"), "status"), "Bound");
}

TEST_RIG(cluster(), the_group_of_a_job_that_has_failed_is_finished_and_may_run_again)
{
    job_of(rig, "train", 4);
    rig_run(rig, 5 * SKR_SECOND);
    rig_phase(rig, "train-0", "Failed");
    rig_delete_pods(rig, "train", 1, 4);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, map_of(rig, "sakkara-train-"), "status"), "Bound");
    assert_string_equal(rig_key(rig, map_of(rig, "sakkara-train-"), "reason"), "MembersMissing");
    rig_edit(rig, RIG_JOB, "train",
             "{'status':{'conditions':[{'type':'Failed','status':'True'}]}}");
    for (int i = 0; i < 2; i++) {
        rig_run(rig, 5 * SKR_SECOND);
        assert_string_equal(rig_key(rig, map_of(rig, "sakkara-train-"), "status"), "Finished");
        assert_string_equal(rig_key(rig, map_of(rig, "sakkara-train-"), "reason"), "");
        rig_restart(rig);
    }
    rig_delete(rig, RIG_POD, "train-0");
    rig_delete(rig, RIG_JOB, "train");
    job_of(rig, "train", 4);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "train", 4);
    assert_string_equal(rig_state(rig, "default/job/train"), "Bound");
}

TEST_RIG(cluster(), a_map_that_shows_a_group_defines_none)
{
    part_of_job(rig, "train", 4, 3);
    rig_run(rig, 5 * SKR_SECOND);
    const char *map = map_of(rig, "sakkara-train-");
    assert_string_equal(rig_key(rig, map, "reason"), "MembersMissing");
    rig_edit(rig, RIG_MAP, map, "{'metadata':{'labels':{'sakkara.group':''}},'data':{'size':'2'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "default/job/train"), "Pending");
    assert_string_equal(rig_key(rig, map_of(rig, "sakkara-train-"), "reason"), "MembersMissing");
}

/* Every account may write the label; such maps take nothing away from the limit. */
TEST_RIG(cluster(), only_maps_that_show_a_group_count_towards_their_limit)
{
    rig_group(rig, "false", 2, 0, NULL);
    rig_edit(rig, RIG_MAP, "false", "{'metadata':{'labels':{'sakkara.group.derived':''}}}");
    job_of(rig, "train", 2);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig->gang->status_maps.n, 1);
    rig_delete(rig, RIG_MAP, map_of(rig, "sakkara-train-"));
    rig_delete(rig, RIG_MAP, "false");
    rig_settle(rig);
    assert_int_equal(rig->gang->status_maps.n, 0);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig->gang->status_maps.n, 1);
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig->gang->status_maps.n, 1);
}

/* The workloads of one namespace take what is left of the limit. Those of another are placed all the same,
 * with maps of their own and without. */
TEST_RIG(cluster(), beyond_the_limit_of_maps_groups_run_without_one)
{
    enum { LEFT = 4, WORKLOADS = 10 };
    rig->gang->status_maps.n = SKR_STATUS_MAPS_MAX - LEFT;
    for (int i = 0; i < WORKLOADS; i++) {
        job_of(rig, test_text("a/job%d", i), 1);
    }
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig->gang->status_maps.n, SKR_STATUS_MAPS_MAX);
    assert_int_equal(rig_count(rig, SKR_WRITE_CREATE_CONFIGMAP, NULL), LEFT);
    assert_true(rig->gang->status_maps.told_full);
    job_of(rig, "b/train", 2);
    rig_group(rig, "b/own", 2, 0, NULL);
    rig_pods(rig, "b/own", 2, "own", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "b/train", 2);
    rig_assert_bound(rig, "b/own", 2);
    rig_assert_text(rig_key(rig, "b/own", "status"), "Bound");
    assert_int_equal(rig_count(rig, SKR_WRITE_CREATE_CONFIGMAP, NULL), LEFT);
}

/* A namespace that is at its quota of ConfigMaps is refused every one. */
TEST_RIG(cluster(), a_quota_of_one_namespace_stops_no_map_of_another)
{
    rig->refusal = "configmaps \"sakkara-train\" is forbidden: exceeded quota: few, requested: "
                   "count/configmaps=1, used: count/configmaps=9, limited: count/configmaps=9";
    rig_fault(rig, SKR_WRITE_CREATE_CONFIGMAP, NULL, RIG_403, 1);
    job_of(rig, "a/train", 2);
    rig_run(rig, 5 * SKR_SECOND);
    job_of(rig, "b/train", 2);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "a/train", 2);
    rig_assert_bound(rig, "b/train", 2);
    assert_int_equal(rig_count(rig, SKR_WRITE_CREATE_CONFIGMAP, NULL), 2);
    assert_int_equal(rig->gang->status_maps.n, 1);
}

TEST_RIG(cluster(), a_refused_map_costs_one_write_and_stops_nothing)
{
    rig->refusal =
        "configmaps is forbidden: User \"sakkara\" cannot create resource \"configmaps\"";
    rig_fault(rig, SKR_WRITE_CREATE_CONFIGMAP, NULL, RIG_403, 1);
    job_of(rig, "train", 2);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "train", 2);
    job_of(rig, "other", 1);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "other", 1);
    assert_int_equal(rig_count(rig, SKR_WRITE_CREATE_CONFIGMAP, NULL), 1);
    rig_run(rig, 600 * SKR_SECOND);
    assert_string_equal(rig_key(rig, map_of(rig, "sakkara-other-"), "status"), "Bound");
}
