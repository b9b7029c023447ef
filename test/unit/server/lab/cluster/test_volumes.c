/* SPDX-License-Identifier: Apache-2.0 */
/* PersistentVolumeClaims: bound to free volumes, to volumes that are made, and made of ephemeral templates. */
#include "server/object/path.h"
#include "test/test.h"
#include "test/unit/cluster_rig.h"
#include "test/unit/json_text.h"
#include "topology/base/error.h"

static struct cluster_rig *rig;

BEFORE_EACH
{
    rig = cluster_rig_create(true);
}

AFTER_EACH
{
    cluster_rig_destroy(rig);
}

static void put(const char *format, ...) SKR_PRINTF(1, 2);
static void put(const char *format, ...)
{
    char text[1000];
    struct skr_error error = {.text = ""};
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_auto_t *json = json_text_load(text);
    assert_true(skr_store_put(rig->store, json, rig->now, &error) < 400);
}

static void class_and_claim(const char *provisioner, const char *mode)
{
    put("{'apiVersion':'storage.k8s.io/v1','kind':'StorageClass','metadata':{'name':'s'},"
        "'provisioner':'%s','volumeBindingMode':'%s'}",
        provisioner, mode);
    put("{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'namespace':'default','name'"
        ":"
        "'c'},'spec':{'storageClassName':'s','accessModes':['ReadWriteOnce'],'resources':{"
        "'requests':{'storage':'2Gi'}}}}");
}

static void volume(const char *name, const char *size)
{
    put("{'apiVersion':'v1','kind':'PersistentVolume','metadata':{'name':'%s'},'spec':{'capacity':{"
        "'storage':'%s'},'storageClassName':'s','accessModes':['ReadWriteOnce'],'hostPath':{'path':"
        "'/d'}},'status':{'phase':'Available'}}",
        name, size);
}

static const char *bound_to(const char *claim)
{
    cluster_rig_run(rig, SKR_SECOND);
    return skr_path_text(skr_store_get(rig->store, "PersistentVolumeClaim", "default", claim),
                         "spec.volumeName");
}

TEST(a_claim_gets_the_smallest_free_volume_at_once)
{
    volume("large", "9Gi");
    volume("small", "1Gi");
    volume("fits", "2Gi");
    class_and_claim("kubernetes.io/no-provisioner", "Immediate");
    assert_string_equal(bound_to("c"), "fits");
    const json_t *pv = skr_store_get(rig->store, "PersistentVolume", "", "fits");
    assert_string_equal(skr_path_text(pv, "status.phase"), "Bound");
    assert_string_equal(skr_path_text(pv, "spec.claimRef.name"), "c");
}

TEST(a_claim_that_waits_for_its_pod_is_bound_when_kube_scheduler_has_chosen)
{
    volume("fits", "2Gi");
    class_and_claim("d", "WaitForFirstConsumer");
    assert_string_equal(bound_to("c"), "");
    json_auto_t *patch =
        json_text_load("{'metadata':{'annotations':{'volume.kubernetes.io/selected-node':'n'}}}");
    assert_true(skr_store_merge(rig->store, "PersistentVolumeClaim", "default", "c", "", patch,
                                rig->now, NULL) < 400);
    assert_int_equal(strncmp(bound_to("c"), "pvc-", 4), 0);
    const json_t *pv = skr_store_get(rig->store, "PersistentVolume", "", bound_to("c"));
    assert_string_equal(skr_path_text(pv, "spec.csi.driver"), "d");
}

TEST(claims_are_made_of_ephemeral_templates)
{
    volume("fits", "2Gi");
    class_and_claim("kubernetes.io/no-provisioner", "Immediate");
    volume("other", "2Gi");
    put("{'apiVersion':'v1','kind':'Pod','metadata':{'namespace':'default','name':'p'},'spec':{"
        "'containers':[{'name':'c','image':'i'}],'volumes':[{'name':'v','ephemeral':{"
        "'volumeClaimTemplate':{'spec':{'storageClassName':'s','accessModes':['ReadWriteOnce'],"
        "'resources':{'requests':{'storage':'1Gi'}}}}}}]}}");
    assert_string_equal(bound_to("c"), "fits");
    assert_string_equal(bound_to("p-v"), "other");
}
