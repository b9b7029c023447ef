/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of members whose controller numbers its pods. */
#include "test/unit/engine_test.h"

/* A pod of the group whose controller gave it a number. */
static void pod_of_index(struct rig *rig, const char *name, const char *key, int index)
{
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{'labels':{'sakkara.group.name':'g','%s':'%d'},"
                    "'ownerReferences':[{'kind':'Job','uid':'job','controller':true}]},"
                    "'spec':{'schedulerName':'sakkara','schedulingGates':[{'name':'sakkara.gang'}],"
                    "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
                    key, index);
}

TEST_RIG(rig_create(), ranks_follow_the_indices_of_a_job)
{
    rig_racks(rig, 2, 3, 4);
    rig_group(rig, "g", 24, 0, NULL);
    rig_sync(rig);
    for (int i = 0; i < 24; i++) { /* names as the Job controller makes them */
        char name[32];
        snprintf(name, sizeof name, "j-%d-%c%c", i, 'a' + i * 7 % 26, 'a' + i * 11 % 26);
        pod_of_index(rig, name, "batch.kubernetes.io/job-completion-index", i);
    }
    rig_run(rig, 5 * SKR_SECOND);
    for (int i = 0; i < 24; i++) {
        char name[32], rank[16], node[32];
        snprintf(name, sizeof name, "j-%d-%c%c", i, 'a' + i * 7 % 26, 'a' + i * 11 % 26);
        snprintf(rank, sizeof rank, "%d", i);
        snprintf(node, sizeof node, "node-%d", i / 4);
        assert_string_equal(rig_label(rig, name, "sakkara.member.rank"), rank);
        assert_string_equal(rig_node_of(rig, name), node);
    }
    rig_assert_clean(rig);
}

TEST_RIG(rig_create(), a_replacement_of_an_index_gets_the_rank_of_that_index)
{
    rig_racks(rig, 2, 3, 1);
    rig_group(rig, "g", 6, 0, NULL);
    rig_sync(rig);
    for (int i = 0; i < 6; i++) {
        char name[32];
        snprintf(name, sizeof name, "j-%d-a", i);
        pod_of_index(rig, name, "apps.kubernetes.io/pod-index", i);
    }
    rig_run(rig, 5 * SKR_SECOND);
    rig_delete(rig, RIG_POD, "j-2-a");
    rig_delete(rig, RIG_POD, "j-4-a");
    rig_run(rig, SKR_SECOND);
    pod_of_index(rig, "j-2-z", "apps.kubernetes.io/pod-index", 2);
    pod_of_index(rig, "j-4-b", "apps.kubernetes.io/pod-index", 4);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_label(rig, "j-2-z", "sakkara.member.rank"), "2");
    assert_string_equal(rig_label(rig, "j-4-b", "sakkara.member.rank"), "4");
}

TEST(indices_that_are_not_all_there_or_not_different_are_no_order)
{
    for (int equal = 0; equal < 2; equal++) {
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
        rig_racks(rig, 1, 3, 1);
        rig_group(rig, "g", 3, 0, NULL);
        rig_sync(rig);
        pod_of_index(rig, "p-10", "training.kubeflow.org/replica-index", 0);
        pod_of_index(rig, "p-9", "training.kubeflow.org/replica-index", 1);
        if (equal) { /* a PyTorchJob's master and first worker are both number 0 */
            pod_of_index(rig, "p-1", "training.kubeflow.org/replica-index", 0);
        } else {
            rig_pod(rig, "p-1", "g", RIG_GATED);
        }
        rig_run(rig, 5 * SKR_SECOND);
        assert_string_equal(rig_label(rig, "p-1", "sakkara.member.rank"), "0");
        assert_string_equal(rig_label(rig, "p-9", "sakkara.member.rank"), "1");
        assert_string_equal(rig_label(rig, "p-10", "sakkara.member.rank"), "2");
    }
}
