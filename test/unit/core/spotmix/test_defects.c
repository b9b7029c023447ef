/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defects that others have had: IRONICBo/distribute-scheduler, and openkruise/kruise where a number
 * stands. Each with the test that shows that the mix does not have it.
 *
 *   unknown workloads are forced to spot, the switch  unknown_workloads_are_left_alone_and_the_switch_is_read
 *     is never read
 *   the patch replaces the user's affinity            the_users_affinity_and_selector_stay
 *   the Deployment's name is the owner's without      the_deployment_is_the_controller_not_a_part_of_the_name
 *     eleven characters
 *   an update of the Deployment resets counters       an_update_of_the_deployment_resets_nothing
 *   no labels, an empty cache after a restart         indices_are_read_from_live_pods_after_a_restart
 *   operation, dryRun, namespace of the request are   pods_that_never_existed_are_not_counted
 *     ignored
 *   deletion costs, StatefulSets unfinished           costs_are_texts_and_statefulsets_have_them
 *   one index space a Deployment (#834, #1194)        two_revisions_do_not_share_indices
 *   the rule is lost under churn (#2129)              the_rule_holds_under_churn
 *   pods created while the webhook is away keep none  pods_created_without_the_webhook_get_the_rule
 *   deletions of pods are refused to keep a minimum   nothing_is_ever_refused
 */
#include "test/test.h"

#include "core/spotmix/mix.h"
#include "test/unit/spotmix_stage.h"

TEST_WITH(stage, unknown_workloads_are_left_alone_and_the_switch_is_read)
{
    stage_put(stage, SKR_SPOTMIX_DEPLOYMENT,
              "{'metadata':{'namespace':'shop','name':'web','uid':'d-1','labels':{'" K "':'no'}}}");
    stage_post(stage, REVIEW(POD));
    assert_int_equal(stage->answer.result, SKR_SPOTMIX_OFF);
    assert_null(stage->patch);
}

TEST_WITH(stage, the_users_affinity_and_selector_stay)
{
    stage_post(stage,
               REVIEW("{'metadata':{" RS_REF "},'spec':{'nodeSelector':{'zone':'a'},'affinity':{"
                      "'podAffinity':{},'nodeAffinity':{"
                      "'preferredDuringSchedulingIgnoredDuringExecution':[]}}}}"));
    assert_null(stage_added(stage, "/spec/affinity"));
    assert_null(stage_added(stage, "/spec/affinity/nodeAffinity"));
    assert_non_null(stage_added(stage, "/spec/affinity/nodeAffinity/"
                                       "requiredDuringSchedulingIgnoredDuringExecution"));
}

TEST_WITH(stage, the_deployment_is_the_controller_not_a_part_of_the_name)
{
    stage_put(stage, SKR_SPOTMIX_DEPLOYMENT,
              "{'metadata':{'namespace':'shop','name':'a-very-other','uid':'d-2','labels':{'" K
              "':'true','" K "-max-on-demand-count':'0'}}}");
    stage_put(
        stage, SKR_SPOTMIX_REPLICA_SET,
        "{'metadata':{'namespace':'shop','name':'web-77aa','uid':'rs-2','ownerReferences':[{"
        "'apiVersion':'apps/v1','kind':'Deployment','name':'a-very-other','uid':'d-2','controller':"
        "true}]}}");
    stage_post(stage, REVIEW("{'metadata':{'labels':{'pod-template-hash':'77aa'}," STRANGER
                             "},'spec':{}}"));
    assert_string_equal(stage_added(stage, CLASS_PATH), "spot");
}

TEST_WITH(stage, an_update_of_the_deployment_resets_nothing)
{
    stage_post(stage, REVIEW(POD));
    stage_put(stage, SKR_SPOTMIX_DEPLOYMENT,
              "{'metadata':{'namespace':'shop','name':'web','uid':'d-1','labels':{'" K
              "':'true','" K "-max-on-demand-count':'2','more':'x'}},'spec':{'replicas':9}}");
    stage_post(stage, REVIEW(POD));
    assert_string_equal(stage_added(stage, INDEX_PATH), "1");
}

TEST_WITH(stage, indices_are_read_from_live_pods_after_a_restart)
{
    stage_put(stage, SKR_SPOTMIX_POD, LIVE_POD("p-1", ""));
    stage_post(stage, REVIEW(POD));
    assert_string_equal(stage_added(stage, INDEX_PATH), "1");
}

TEST_WITH(stage, pods_that_never_existed_are_not_counted)
{
    stage_post(stage, WITH(",'operation':'DELETE'", "shop", POD));
    stage_post(stage, WITH(",'dryRun':true", "shop", POD));
    stage_post(stage, WITH("", "kube-system", POD));
    stage_post(stage, REVIEW(POD));
    assert_string_equal(stage_added(stage, INDEX_PATH), "0");
}

TEST_WITH(stage, costs_are_texts_and_statefulsets_have_them)
{
    stage_post(stage, REVIEW(POD));
    assert_string_equal(stage_added(stage, COST_PATH), "100");
    stage_post(stage, REVIEW("{'metadata':{'name':'db-12'," STS_REF "},'spec':{}}"));
    assert_string_equal(stage_added(stage, COST_PATH), "1");
}

TEST_WITH(stage, two_revisions_do_not_share_indices)
{
    stage_put(stage, SKR_SPOTMIX_REPLICA_SET,
              "{'metadata':{'namespace':'shop','name':'web-77aa','uid':'rs-2','ownerReferences':[{"
              "'apiVersion':'apps/"
              "v1','kind':'Deployment','name':'web','uid':'d-1','controller':true}]}}");
    stage_post(stage, REVIEW(POD));
    stage_post(stage, REVIEW("{'metadata':{" STRANGER "},'spec':{}}"));
    assert_string_equal(stage_added(stage, INDEX_PATH), "0");
}

TEST_WITH(stage, the_rule_holds_under_churn)
{
    stage_put(stage, SKR_SPOTMIX_POD, LIVE_POD("p-1", ""));
    stage_put(stage, SKR_SPOTMIX_POD,
              LIVE_POD("p-1", ",'deletionTimestamp':'2026-01-01T00:00:00Z'"));
    stage_post(stage, REVIEW(POD)); /* the replacement comes before the old one is gone */
    assert_string_equal(stage_added(stage, INDEX_PATH), "0");
    stage_put(stage, SKR_SPOTMIX_POD,
              LIVE_POD("p-1", ",'deletionTimestamp':'2026-01-01T00:00:00Z'"));
    skr_spotmix_drop(stage->mix, SKR_SPOTMIX_POD, "shop", "p-1");
    stage_post(stage, REVIEW(POD));
    assert_string_equal(stage_added(stage, INDEX_PATH), "1");
}

static void count_fix(void *context, const struct skr_spotmix_fix *fix)
{
    struct skr_spotmix_fix *last = context;
    *last = *fix;
}

TEST_WITH(stage, pods_created_without_the_webhook_get_the_rule)
{
    struct skr_spotmix_fix fix = {.index = -2};
    stage_put(stage, SKR_SPOTMIX_POD,
              "{'metadata':{'namespace':'shop','name':'p-1','uid':'p-1'," RS_REF
              "},'spec':{'nodeName':'n2'}}");
    const struct skr_spotmix_settling settling = {
        .now = SKR_TIME_NEVER, .emit = count_fix, .context = &fix};
    skr_spotmix_settle(stage->mix, &settling);
    assert_int_equal(fix.class_, SKR_SPOTMIX_SPOT);
    assert_int_equal(fix.index, 2); /* the first vacant one of its class */
    assert_string_equal(fix.cost, "1");
}

TEST_WITH(stage, nothing_is_ever_refused)
{
    stage_post(stage, WITH(",'operation':'DELETE'", "shop", POD));
    assert_true(json_is_true(json_object_get(stage->response, "allowed")));
}
