/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation of claims is cut into pieces, a namespace has a budget of it, and objects that no pod names cost their row. */
#include "core/devices/answers.h"
#include "core/devices/stock_shares.h"
#include "core/gang/problem/device_turns.h"
#include "test/unit/device_scene.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "test/unit/json_text.h"
#include "topology/base/strbuf.h"

enum { NODES = 40, EACH = 8, REQUESTS = 8, SELECTORS = 32 };

/* Nodes whose devices differ in their uuids. */
static struct rig *cluster_of_uuids(void)
{
    struct rig *rig = device_cluster(NODES, EACH);
    for (int node = 0; node < NODES; node++) {
        SKR_STRBUF(devices);
        char name[32];
        snprintf(name, sizeof name, "node-%d", node);
        for (int i = 0; i < EACH; i++) {
            skr_strbuf_addf(&devices,
                            "%s{'name':'gpu-%d','attributes':{'uuid':{'string':'u-%d-%d'}}}",
                            i > 0 ? "," : "", i, node, i);
        }
        rig_edit(rig, RIG_SLICE, name, "{'spec':{'devices':[%s]}}", devices.s);
    }
    rig_settle(rig);
    return rig;
}

/* A claim of one namespace with distinct selectors that read the uuid. */
static void costly_claim(struct rig *rig, enum rig_kind kind, const char *key, int number)
{
    SKR_STRBUF(requests);
    for (int r = 0; r < REQUESTS; r++) {
        skr_strbuf_addf(&requests,
                        "%s{'name':'r%d','exactly':{'deviceClassName':'gpu','selectors':[",
                        r > 0 ? "," : "", r);
        for (int i = 0; i < SELECTORS; i++) {
            skr_strbuf_addf(&requests,
                            "%s{'cel':{'expression':'device.attributes[\\'gpu.example.com\\'].uuid "
                            "!= \\'%d-%d-%d\\''}}",
                            i > 0 ? "," : "", number, r, i);
        }
        skr_strbuf_add(&requests, "]}}");
    }
    if (kind == RIG_CLAIM_TEMPLATE) {
        rig_create_json(rig, kind, key,
                        "{'metadata':{},'spec':{'spec':{'devices':{'requests':[%s]}}}}",
                        requests.s);
    } else {
        rig_create_json(rig, kind, key, "{'metadata':{},'spec':{'devices':{'requests':[%s]}}}",
                        requests.s);
    }
}

/* A group of one pod, both of that name, which names the claim. */
static void pod_with_claim(struct rig *rig, const char *key, const char *group, const char *claim)
{
    rig_group(rig, key, 1, 0, NULL);
    rig_create_json(rig, RIG_POD, key,
                    "{'metadata':{'labels':{'sakkara.group.name':'%s'}},'spec':{'schedulerName':"
                    "'sakkara','resourceClaims':[{'name':'c','resourceClaimName':'%s'}],"
                    "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]},"
                    "'status':{'phase':'Pending'}}",
                    group, claim);
}

static void costly_group(struct rig *rig, int number)
{
    char key[32], group[16], claim[32], name[16];
    snprintf(key, sizeof key, "hostile/h-%d", number);
    snprintf(group, sizeof group, "h-%d", number);
    snprintf(claim, sizeof claim, "hostile/c-%d", number);
    snprintf(name, sizeof name, "c-%d", number);
    costly_claim(rig, RIG_DEVICE_CLAIM, claim, number);
    pod_with_claim(rig, key, group, name);
}

TEST_RIG(cluster_of_uuids(), r15_a_gang_is_planned_while_claims_of_another_namespace_are_evaluated)
{
    const struct skr_devices_work *work = rig->gang->devices.stock->work;
    costly_group(rig, 0);
    rig_group(rig, "honest", 4, 0, NULL);
    rig_pods(rig, "p", 4, "honest", 0);
    while (rig->n_solves == 0) {
        assert_true(rig_step(rig) || rig_advance(rig, rig->now + SKR_SECOND));
    }
    assert_non_null(rig->gang->devices.turns);
    const uint64_t steps = work->steps;
    while (strcmp(rig_state(rig, "honest"), "Planned") != 0) {
        assert_true(rig_step(rig)); /* the timer that goes on with the evaluation does not fire */
    }
    assert_non_null(rig->gang->devices.turns);
    rig_run(rig, 3 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "honest"), 4);
    assert_null(rig->gang->devices.turns);
    assert_int_equal(rig_n_bound(rig, "h-0"), 1);
    assert_true(work->steps > steps + 2 * SKR_DEVICE_PIECE);
}

TEST_RIG(cluster_of_uuids(), equal_selectors_are_evaluated_once_for_all_namespaces)
{
    const struct skr_devices_work *work = rig->gang->devices.stock->work;
    costly_group(rig, 0);
    rig_run(rig, SKR_SECOND);
    const uint64_t asked = work->asked;
    assert_in_range(asked, 1, 1 + REQUESTS * SELECTORS * NODES * EACH);
    costly_claim(rig, RIG_DEVICE_CLAIM, "other/c", 0);
    pod_with_claim(rig, "other/g", "g", "c");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 1);
    assert_int_equal(work->asked, asked);
}

TEST_RIG(cluster_of_uuids(), a_namespace_beyond_its_budget_of_evaluation_waits_and_says_so)
{
    skr_stock_share_spend(rig->gang->devices.stock, "hostile", SKR_SHARE_STEPS - 100000, rig->now);
    costly_group(rig, 0);
    costly_group(rig, 1);
    device_claim(rig, "one", 1);
    pod_with_claim(rig, "honest", "honest", "one");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "honest"), 1);
    for (int i = 0; i < 2; i++) {
        const char *key = i == 0 ? "hostile/h-0" : "hostile/h-1";
        assert_int_equal(rig_n_bound(rig, key + sizeof "hostile"), 0);
        assert_string_equal(rig_key(rig, key, "reason"), "EvaluationBudget");
        const char *message = rig_key(rig, key, "message");
        assert_non_null(strstr(message, "claims of namespace hostile have used the 20000000 steps "
                                        "of evaluation that a namespace has a minute; use fewer "
                                        "selectors in its claims, or equal ones"));
    }
    rig_run(rig, 120 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "h-0"), 1);
    assert_int_equal(rig_n_bound(rig, "h-1"), 1);
}

TEST_RIG(cluster_of_uuids(), objects_that_no_pod_names_make_no_group_look_again)
{
    const struct skr_devices_stock *stock = rig->gang->devices.stock;
    char key[32];
    device_claim(rig, "large", EACH + 1); /* no node has so many */
    pod_with_claim(rig, "honest", "honest", "large");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "honest", "reason"), "NeverFits");
    const uint64_t steps = stock->work->steps, looks = rig->gang->stats.looks;
    const size_t solves = rig->n_solves, read = stock->n_read;
    for (int i = 0; i < 20; i++) {
        snprintf(key, sizeof key, "hostile/o-%d", i);
        costly_claim(rig, RIG_DEVICE_CLAIM, key, i);
        costly_claim(rig, RIG_CLAIM_TEMPLATE, key, 100 + i);
        rig_create_json(rig, RIG_VOLUME_CLAIM, key, "{'metadata':{},'spec':{'volumeName':'v'}}");
    }
    rig_settle(rig);
    assert_int_equal(stock->n_read, read);
    assert_int_equal(stock->work->steps, steps);
    assert_int_equal(rig->gang->stats.looks, looks);
    assert_int_equal(rig->n_solves, solves);
}

static void gated_pod_with_claim(struct rig *rig, const char *group, const char *claim)
{
    rig_create_json(rig, RIG_POD, test_text("hostile/%s", group),
                    "{'metadata':{'labels':{'sakkara.group.name':'%s'}},'spec':{'schedulerName':"
                    "'sakkara','schedulingGates':[{'name':'sakkara.gang'}],'resourceClaims':[{"
                    "'name':'c','resourceClaimName':'%s'}],'containers':[{'name':'c','resources':{"
                    "'requests':{'cpu':'1'}}}]},'status':{'phase':'Pending'}}",
                    group, claim);
}

TEST_RIG(cluster_of_uuids(),
         a_group_whose_claims_ask_for_too_much_is_not_planned_and_keeps_its_gates)
{
    const struct skr_devices_work *work = rig->gang->devices.stock->work;
    for (int i = 0; i < 3; i++) {
        costly_claim(rig, RIG_DEVICE_CLAIM, test_text("hostile/c-%d", i), i);
    }
    rig_group(rig, "hostile/h-0", 1, 0, NULL);
    rig_create_json(
        rig, RIG_POD, "hostile/h-0",
        "{'metadata':{'labels':{'sakkara.group.name':'h-0'}},'spec':{'schedulerName':'sakkara',"
        "'schedulingGates':[{'name':'sakkara.gang'}],'resourceClaims':[{'name':'a',"
        "'resourceClaimName':'c-0'},{'name':'b','resourceClaimName':'c-1'},{'name':'c',"
        "'resourceClaimName':'c-2'}],'containers':[{'name':'c','resources':{'requests':{'cpu':'1'"
        "}}}]},'status':{'phase':'Pending'}}");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "hostile/h-0", "reason"), "EvaluationBudget");
    assert_string_equal(rig_key(rig, "hostile/h-0", "message"),
                        "group h-0 is not planned: the claims of a pod have more than 512 "
                        "selectors, as those of pod h-0; use fewer");
    assert_int_equal(rig->n_filters, 0);
    assert_int_equal(work->asked, 0);
    rig_delete(rig, RIG_DEVICE_CLAIM, "hostile/c-2");
    device_claim(rig, "hostile/c-2", 1);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "h-0"), 0); /* no node has 17 devices */
    assert_string_equal(rig_key(rig, "hostile/h-0", "reason"), "NeverFits");
}

/* A claim whose only selector is a text of so many bytes. */
static void large_claim(struct rig *rig, const char *key, size_t n)
{
    SKR_STRBUF(text);
    skr_strbuf_add(&text, "{'metadata':{},'spec':{'devices':{'requests':[{'name':'r','exactly':{"
                          "'deviceClassName':'gpu','selectors':[{'cel':{'expression':'");
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_addc(&text, 'x');
    }
    skr_strbuf_add(&text, "'}}]}}]}}}");
    rig_add(rig, RIG_DEVICE_CLAIM, key, json_text_load(text.s));
}

static void expect_too_large(struct rig *rig, const char *key)
{
    assert_string_equal(rig_key(rig, key, "reason"), "EvaluationBudget");
    assert_non_null(
        strstr(rig_key(rig, key, "message"),
               "is not planned: a claim of a pod has more than 65536 bytes, or those of "
               "its namespace more than 8388608, as those of pod "));
    assert_int_equal(rig->n_filters, 0);
    assert_int_equal(rig->gang->devices.stock->work->asked, 0);
}

/* kube-scheduler would evaluate what the daemon does not keep. */
TEST_RIG(cluster_of_uuids(),
         a_group_whose_claims_are_too_large_to_keep_is_not_left_to_kube_scheduler)
{
    large_claim(rig, "hostile/c-0", SKR_CLAIM_TEXT_MAX);
    rig_group(rig, "hostile/h-0", 1, 0, NULL);
    gated_pod_with_claim(rig, "h-0", "c-0");
    rig_run(rig, 10 * SKR_SECOND);
    expect_too_large(rig, "hostile/h-0");
    for (int i = 0; i < SKR_SHARE_TEXT_BYTES_MAX / SKR_CLAIM_TEXT_MAX + 1; i++) {
        large_claim(rig, test_text("hostile/unused-%d", i), SKR_CLAIM_TEXT_MAX - 1024 + (size_t)i);
    }
    large_claim(rig, "hostile/c-1", SKR_CLAIM_TEXT_MAX - 8192);
    rig_group(rig, "hostile/h-1", 1, 0, NULL);
    gated_pod_with_claim(rig, "h-1", "c-1");
    rig_run(rig, 10 * SKR_SECOND);
    expect_too_large(rig, "hostile/h-1");
}
