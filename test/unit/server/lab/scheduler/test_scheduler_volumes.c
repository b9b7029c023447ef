/* SPDX-License-Identifier: Apache-2.0 */
/* Volumes in the model of kube-scheduler: which nodes reach them, have room for them and attach them, and what is
 * written before a bind. */
#include "server/object/path.h"
#include "test/test.h"
#include "test/unit/json_text.h"
#include "test/unit/scheduler_model_rig.h"

#define CLAIM "PersistentVolumeClaim"

static void put(struct rig *r, const char *format, ...) SKR_PRINTF(2, 3);
static void put(struct rig *r, const char *format, ...)
{
    char text[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sched_put(r, json_text_load(text));
}

/* Two nodes n1 and n2, and a class whose claims wait for their first consumer. */
static void begin(struct rig *r, const char *provisioner)
{
    for (int i = 1; i < 3; i++) {
        put(r,
            "{'apiVersion':'v1','kind':'Node','metadata':{'name':'n%d','labels':{'host':'n%d'}},"
            "'status':{'allocatable':{'cpu':'4','pods':'9'},'conditions':[{'type':'Ready','status':"
            "'True'}]}}",
            i, i);
    }
    put(r,
        "{'apiVersion':'storage.k8s.io/v1','kind':'StorageClass','metadata':{'name':'s'},"
        "'provisioner':'%s','volumeBindingMode':'WaitForFirstConsumer'}",
        provisioner);
}

/* volume: "": it has none yet. */
static void add_claim(struct rig *r, const char *name, const char *mode, const char *volume)
{
    put(r,
        "{'apiVersion':'v1','kind':'" CLAIM "','metadata':{'namespace':'default','name':'%s','uid':"
        "'uid-%s'},'spec':{'storageClassName':'s','accessModes':['%s'],'volumeName':'%s',"
        "'resources':{'requests':{'storage':'2Gi'}}}}",
        name, name, mode, volume);
}

static void add_volume(struct rig *r, const char *name, const char *size, const char *host)
{
    put(r,
        "{'apiVersion':'v1','kind':'PersistentVolume','metadata':{'name':'%s'},'spec':{'csi':{"
        "'driver':'d','volumeHandle':'%s'},'capacity':{'storage':'%s'},'storageClassName':'s',"
        "'accessModes':['ReadWriteOnce'],'nodeAffinity':{'required':{'nodeSelectorTerms':[{"
        "'matchExpressions':[{'key':'host','operator':'In','values':['%s']}]}]}}},'status':{"
        "'phase':'Available'}}",
        name, name, size, host);
}

static void add_user(struct rig *r, const char *pod, const char *claim)
{
    char spec[200];
    snprintf(spec, sizeof spec,
             "{\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"%s\"}}]}",
             claim);
    sched_add_pod_with(r, pod, "1", spec);
}

static void complete(struct rig *r, const char *claim, const char *volume)
{
    char text[200];
    snprintf(text, sizeof text, "{\"spec\":{\"volumeName\":\"%s\"}}", volume);
    sched_patch(r, CLAIM, claim, "", text);
}

TEST_WITH(rig, a_bound_claim_keeps_its_pod_where_its_volume_is)
{
    begin(rig, "kubernetes.io/no-provisioner");
    add_volume(rig, "pv", "2Gi", "n2");
    add_claim(rig, "c", "ReadWriteOnce", "pv");
    add_user(rig, "p", "c");
    sched_run(rig, 100 * MS);
    sched_assert_on(rig, "p", "n2");
}

/* The smallest volume that fits, on a node that reaches it; the bind call waits for a controller. */
TEST_WITH(rig, a_late_claim_gets_a_free_volume_before_the_bind_call)
{
    begin(rig, "kubernetes.io/no-provisioner");
    add_volume(rig, "small", "1Gi", "n1");
    add_volume(rig, "large", "9Gi", "n2");
    add_volume(rig, "fits", "3Gi", "n2");
    add_claim(rig, "c", "ReadWriteOnce", "");
    add_user(rig, "p", "c");
    sched_run(rig, 100 * MS);
    assert_int_equal(rig->n_binds, 0);
    const json_t *volume = skr_store_get(rig->store, "PersistentVolume", "", "fits");
    assert_string_equal(skr_path_text(volume, "spec.claimRef.name"), "c");
    complete(rig, "c", "fits");
    sched_run(rig, 100 * MS);
    sched_assert_on(rig, "p", "n2");
}

TEST_WITH(rig, a_late_claim_gets_no_volume_of_another_mode)
{
    begin(rig, "kubernetes.io/no-provisioner");
    add_volume(rig, "pv", "2Gi", "n2");
    add_claim(rig, "c", "ReadWriteOnce", "");
    sched_patch(rig, CLAIM, "c", "", "{\"spec\":{\"volumeMode\":\"Block\"}}");
    add_user(rig, "p", "c");
    sched_run(rig, 100 * MS);
    assert_string_equal(sched_condition(rig, "p", "message"),
                        "0/2 nodes are available: 2 node(s) didn't find available persistent "
                        "volumes to bind" AFTER);
}

TEST_WITH(rig, a_late_claim_gets_its_node_where_the_driver_has_room)
{
    begin(rig, "d");
    put(rig, "{'apiVersion':'storage.k8s.io/v1','kind':'CSIDriver','metadata':{'name':'d'},'spec':{"
             "'storageCapacity':true}}");
    add_claim(rig, "c", "ReadWriteOnce", "");
    add_user(rig, "p", "c");
    sched_run(rig, 100 * MS);
    assert_string_equal(
        sched_condition(rig, "p", "message"),
        "0/2 nodes are available: 2 node(s) did not have enough free storage" AFTER);
    put(rig, "{'apiVersion':'storage.k8s.io/v1','kind':'CSIStorageCapacity','metadata':{"
             "'namespace':'default','name':'n2'},'storageClassName':'s','capacity':'2Gi',"
             "'nodeTopology':{'matchLabels':{'host':'n2'}}}");
    sched_run(rig, 20 * SKR_SECOND);
    const json_t *claim = skr_store_get(rig->store, CLAIM, "default", "c");
    const json_t *chosen = json_object_get(skr_path_get(claim, "metadata.annotations"),
                                           "volume.kubernetes.io/selected-node");
    assert_string_equal(json_string_value(chosen), "n2");
    assert_int_equal(rig->n_binds, 0);
    sched_run(rig, 700 * SKR_SECOND); /* nothing makes the volume */
    assert_int_equal(rig->n_binds, 0);
}

/* One volume a node; what is attached counts, too. */
TEST_WITH(rig, nodes_attach_as_many_volumes_as_their_limit)
{
    begin(rig, "d");
    for (int i = 1; i < 3; i++) {
        put(rig,
            "{'apiVersion':'storage.k8s.io/v1','kind':'CSINode','metadata':{'name':'n%d'},'spec':{"
            "'drivers':[{'name':'d','nodeID':'n','allocatable':{'count':1}}]}}",
            i);
        put(rig,
            "{'apiVersion':'v1','kind':'PersistentVolume','metadata':{'name':'v%d'},'spec':{'csi':{"
            "'driver':'d','volumeHandle':'v%d'}}}",
            i, i);
    }
    put(rig, "{'apiVersion':'storage.k8s.io/v1','kind':'VolumeAttachment','metadata':{'name':'a'},"
             "'spec':{'attacher':'d','nodeName':'n1','source':{'persistentVolumeName':'v1'}}}");
    add_claim(rig, "c2", "ReadWriteOnce", "v2");
    add_claim(rig, "c1", "ReadWriteOnce", "v1");
    add_user(rig, "p2", "c2");
    sched_run(rig, 100 * MS);
    sched_assert_on(rig, "p2", "n2");
    add_user(rig, "p1", "c1");
    sched_run(rig, 100 * MS);
    assert_string_equal(sched_condition(rig, "p1", "message"),
                        "0/2 nodes are available: 2 node(s) exceed max volume count" AFTER);
    skr_store_delete(rig->store, "VolumeAttachment", "", "a", rig->now);
    sched_run(rig, 20 * SKR_SECOND);
    sched_assert_on(rig, "p1", "n1");
}

TEST_WITH(rig, a_claim_for_one_pod_is_used_by_one)
{
    begin(rig, "d");
    add_volume(rig, "pv", "2Gi", "n1");
    add_claim(rig, "c", "ReadWriteOncePod", "pv");
    add_user(rig, "p1", "c");
    add_user(rig, "p2", "c");
    sched_run(rig, 100 * MS);
    sched_assert_on(rig, "p1", "n1");
    assert_string_equal(sched_condition(rig, "p2", "message"),
                        "0/2 nodes are available: 2 node(s) unavailable due to "
                        "PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by "
                        "another pod" AFTER);
}
