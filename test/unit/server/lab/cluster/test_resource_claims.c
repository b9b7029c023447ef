/* SPDX-License-Identifier: Apache-2.0 */
/* ResourceClaims of pods: made of templates, freed and deleted at the end. */
#include "server/object/path.h"
#include "test/test.h"
#include "test/unit/cluster_rig.h"

#define DEVICES "/apis/resource.k8s.io/v1/namespaces/default/"
#define CLAIMS  DEVICES "resourceclaims"
#define POD_SPEC                                                                     \
    "'spec':{'resourceClaims':[{'name':'gpus','resourceClaimTemplateName':'four'}]," \
    "'containers':[{'name':'c','image':'x'}]}"

static struct cluster_rig *rig;

BEFORE_EACH
{
    rig = cluster_rig_create(true);
}

AFTER_EACH
{
    cluster_rig_destroy(rig);
}

static void make_template(void)
{
    sandbox_ok(rig->store, 201, "POST " DEVICES "resourceclaimtemplates",
               "{'metadata':{'name':'four'},'spec':{'metadata':{'labels':{'a':'b'}},'spec':{"
               "'devices':{'requests':[{'name':'g','exactly':{'deviceClassName':'gpu'}}]}}}}");
}

/* The name of the claim that was made for pod a; "": none. */
static const char *made(void)
{
    return sandbox_field(rig->store, PODS "/a",
                         "status.resourceClaimStatuses[0].resourceClaimName");
}

TEST(a_claim_is_made_of_a_template_for_gated_pods_too_whichever_comes_first)
{
    rig->binding = false;
    sandbox_ok(rig->store, 201, "POST " PODS, "{'metadata':{'name':'a'}," POD_SPEC "}");
    cluster_rig_run(rig, SECOND);
    assert_string_equal(made(), "");
    make_template();
    cluster_rig_run(rig, SECOND);
    assert_int_equal(strncmp(made(), "a-gpus-", 7), 0);
    const json_t *claim = skr_store_get(rig->store, "ResourceClaim", "default", made());
    assert_string_equal(
        skr_path_text(json_array_get(skr_path_get(claim, "metadata.ownerReferences"), 0), "name"),
        "a");
    assert_string_equal(skr_path_label(claim, "a"), "b");
    assert_string_equal(skr_path_annotation(claim, "resource.kubernetes.io/pod-claim-name"),
                        "gpus");
    assert_int_equal(json_array_size(skr_path_get(claim, "spec.devices.requests")), 1);
}

TEST(the_claim_of_a_pod_goes_with_it_and_with_its_end)
{
    make_template();
    for (int i = 0; i < 2; i++) {
        sandbox_ok(rig->store, 201, "POST " PODS,
                   i == 0 ? "{'metadata':{'name':'a'}," POD_SPEC "}"
                          : "{'metadata':{'name':'a','annotations':{'sandbox.sakkara/run-for':'1s'"
                            "}}," POD_SPEC "}");
        cluster_rig_run(rig, 500 * SKR_MILLISECOND);
        char name[128];
        snprintf(name, sizeof name, "%s", made());
        assert_non_null(skr_store_get(rig->store, "ResourceClaim", "default", name));
        if (i == 0) {
            sandbox_ok(rig->store, 200, "DELETE " PODS "/a", NULL);
        }
        cluster_rig_run(rig, 60 * SECOND);
        assert_null(skr_store_get(rig->store, "ResourceClaim", "default", name));
    }
}

TEST(the_last_consumer_of_a_claim_frees_its_devices)
{
    static const char *const pod[] = {"a", "b"};
    sandbox_ok(rig->store, 201, "POST " CLAIMS, "{'metadata':{'name':'shared'},'spec':{}}");
    json_t *reserved = json_array();
    for (size_t i = 0; i < 2; i++) {
        char body[300];
        snprintf(body, sizeof body,
                 "{'metadata':{'name':'%s'},'spec':{'resourceClaims':[{'name':'g',"
                 "'resourceClaimName':'shared'}],'containers':[{'name':'c','image':'x'}]}}",
                 pod[i]);
        sandbox_ok(rig->store, 201, "POST " PODS, body);
        const json_t *object = skr_store_get(rig->store, "Pod", "default", pod[i]);
        json_array_append_new(reserved,
                              json_pack("{s:s, s:s, s:s}", "resource", "pods", "name", pod[i],
                                        "uid", skr_path_text(object, "metadata.uid")));
    }
    json_auto_t *patch = json_pack("{s:{s:{s:{}}, s:o}}", "status", "allocation", "devices",
                                   "reservedFor", reserved);
    assert_int_equal(skr_store_merge(rig->store, "ResourceClaim", "default", "shared", "status",
                                     patch, rig->now, NULL),
                     200);
    for (size_t i = 0; i < 2; i++) {
        sandbox_ok(rig->store, 200, i == 0 ? "DELETE " PODS "/a" : "DELETE " PODS "/b", NULL);
        cluster_rig_run(rig, 60 * SECOND);
        const json_t *claim = skr_store_get(rig->store, "ResourceClaim", "default", "shared");
        assert_int_equal(json_array_size(skr_path_get(claim, "status.reservedFor")), 1 - i);
        assert_true(!skr_path_get(claim, "status.allocation") == (i != 0));
    }
    /* deleted while it has devices, of pods that are gone */
    (void)skr_store_merge(rig->store, "ResourceClaim", "default", "shared", "status", patch,
                          rig->now, NULL);
    sandbox_ok(rig->store, 200, "DELETE " CLAIMS "/shared", NULL);
    assert_non_null(skr_store_get(rig->store, "ResourceClaim", "default", "shared"));
    cluster_rig_run(rig, SECOND);
    assert_null(skr_store_get(rig->store, "ResourceClaim", "default", "shared"));
}
