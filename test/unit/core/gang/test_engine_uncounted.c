/* SPDX-License-Identifier: Apache-2.0 */
/* Claims that the daemon does not count, and kube-scheduler alone evaluates: how many pods it gets at once. */
#include "core/devices/stock_shares.h"
#include "core/gang/cache/pods.h"
#include "core/gang/group/uncounted.h"
#include "test/unit/device_scene.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"

#include <string.h>
#include <utlist.h>

enum { NODES = 8, EACH = 8 };

/* What kube-scheduler says about claims of namespace hostile. */
struct verdict {
    size_t takes; /* so many pods, the first ones */
    size_t n;     /* of them so far */
    char took[64][64];
    size_t tries;
};

static bool judges(void *context, const struct skr_pod *pod, const char *node)
{
    struct verdict *v = context;
    (void)node;
    if (strcmp(pod->meta.namespace_, "hostile") != 0) {
        return true;
    }
    v->tries++;
    size_t i = 0;
    while (i < v->n && strcmp(v->took[i], pod->meta.uid) != 0) {
        i++;
    }
    if (i == v->n && v->n < v->takes) {
        snprintf(v->took[v->n++], sizeof v->took[0], "%s", pod->meta.uid);
    }
    return i < v->n;
}

/* A claim whose selector is outside what is modelled. */
static void odd_claim(struct rig *rig, const char *key)
{
    rig_create_json(rig, RIG_DEVICE_CLAIM, key,
                    "{'metadata':{},'spec':{'devices':{'requests':[{'name':'r','exactly':{"
                    "'deviceClassName':'gpu','selectors':[{'cel':{'expression':"
                    "'device.attributes.size() > 0'}}]}}]}}}");
}

/* A claim for devices that agree in what no two of a node have alike: the search for that is long. */
static void long_claim(struct rig *rig, const char *key)
{
    rig_create_json(rig, RIG_DEVICE_CLAIM, key,
                    "{'metadata':{},'spec':{'devices':{'requests':[{'name':'r','exactly':{"
                    "'deviceClassName':'gpu','count':4}},{'name':'s','exactly':{'deviceClassName':"
                    "'gpu','count':4}}],'constraints':[{'requests':['s'],'matchAttribute':"
                    "'gpu.example.com/uuid'}]}}}");
}

/* Pods GROUP-0 .. with a gate each, which name claims of these names. */
static void gated_pods(struct rig *rig, const char *namespace_, const char *group, int n, int cpu)
{
    char key[64], name[32];
    snprintf(key, sizeof key, "%s/%s", namespace_, group);
    rig_group(rig, key, n, 0, NULL);
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s-%d", group, i);
        snprintf(key, sizeof key, "%s/%s", namespace_, name);
        rig_create_json(
            rig, RIG_POD, key,
            "{'metadata':{'labels':{'sakkara.group.name':'%s'}},'spec':{'schedulerName':'sakkara',"
            "'schedulingGates':[{'name':'sakkara.gang'}],'resourceClaims':[{'name':'c',"
            "'resourceClaimName':'%s'}],'containers':[{'name':'c','resources':{'requests':{'cpu':"
            "'%d'}}}]},'status':{'phase':'Pending'}}",
            group, name, cpu);
    }
}

static void gated(struct rig *rig, const char *namespace_, const char *group, int n, int cpu)
{
    for (int i = 0; i < n; i++) {
        odd_claim(rig, test_text("%s/%s-%d", namespace_, group, i));
    }
    gated_pods(rig, namespace_, group, n, cpu);
}

/* Pods of the namespace that wait without their gate. */
static size_t n_open(struct rig *rig, const char *namespace_)
{
    const struct rig_object *o;
    size_t n = 0;
    DL_FOREACH(rig->list, o)
    {
        n += o->kind == RIG_POD && strcmp(o->pod->meta.namespace_, namespace_) == 0 &&
             !o->pod->gate && !*o->pod->node_name;
    }
    return n;
}

static size_t n_waiting_for_budget(struct rig *rig, int groups)
{
    size_t n = 0;
    for (int i = 0; i < groups; i++) {
        n += strcmp(rig_key(rig, test_text("hostile/h-%d", i), "reason"), "EvaluationBudget") == 0;
    }
    return n;
}

TEST_RIG(device_cluster(NODES, EACH),
         of_groups_whose_claims_are_not_counted_kube_scheduler_gets_one_at_a_time_and_few_in_all)
{
    struct verdict verdict = {0};
    rig->in_tree = judges;
    rig->context = &verdict;
    for (int i = 0; i < 16; i++) {
        gated(rig, "hostile", test_text("h-%d", i), 1, 1);
    }
    rig_run(rig, SKR_SECOND);
    assert_int_equal(n_open(rig, "hostile"), 1);
    assert_int_equal(n_waiting_for_budget(rig, 16), 15);
    gated(rig, "honest", "a", 4, 1);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "a"), 4);
    rig_run(rig, 3600 * SKR_SECOND);
    assert_int_equal(n_open(rig, "hostile"), SKR_UNCOUNTED_PODS_MAX);
    assert_int_equal(n_waiting_for_budget(rig, 16), 16 - SKR_UNCOUNTED_PODS_MAX);
}

TEST_RIG(device_cluster(NODES, EACH), a_group_whose_claims_are_not_counted_says_for_what_it_waits)
{
    struct verdict verdict = {0};
    rig->in_tree = judges;
    rig->context = &verdict;
    for (int i = 0; i < SKR_UNCOUNTED_PODS_MAX + 1; i++) {
        gated(rig, "hostile", test_text("h-%d", i), 1, 1);
        rig_run(rig, SKR_SECOND);
    }
    assert_string_equal(rig_key(rig, "hostile/h-4", "reason"), "EvaluationBudget");
    assert_string_equal(
        rig_key(rig, "hostile/h-4", "message"),
        "group h-4 is not planned yet: its claims are not counted here, kube-scheduler alone "
        "evaluates them, and does so for 1 group of namespace hostile at a time, with a pause of "
        "at most 300 s after each; wait, or use claims that are counted; sakkara explain names "
        "what is not");
    rig_run(rig, 3600 * SKR_SECOND);
    assert_string_equal(
        rig_key(rig, "hostile/h-4", "message"),
        "group h-4 is not planned yet: its claims are not counted here, kube-scheduler alone "
        "evaluates them, and 4 such pods of namespace hostile wait there, 4 may; delete those "
        "that it refuses, or use claims that are counted; sakkara explain names what is not");
    rig_delete(rig, RIG_POD, "hostile/h-0-0");
    verdict.takes = 1;
    rig_run(rig, 3600 * SKR_SECOND);
    assert_int_equal(verdict.n, 1);
}

static struct rig *with_settings(bool devices_off, skr_time release_after)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.server_minor = 36;
    settings.devices_off = devices_off;
    settings.release_gate_after = release_after;
    return device_cluster_with(NODES, EACH, &settings);
}

static struct rig *with_short_searches(void)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.server_minor = 36;
    settings.devices_steps = 40;
    struct rig *rig = device_cluster_with(NODES, EACH, &settings);
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

static void make_searches_short(struct rig *rig)
{
    for (int node = 0; node < NODES; node++) {
        rig_edit(rig, RIG_SLICE, test_text("node-%d", node),
                 "{'spec':{'devices':[{'name':'gpu-0'}]}}");
    }
}

TEST_RIG(with_short_searches(), kube_scheduler_gets_no_claims_whose_search_is_too_long)
{
    struct verdict verdict = {0};
    char key[32], name[32];
    rig->in_tree = judges;
    rig->context = &verdict;
    for (int i = 0; i < 16; i++) {
        snprintf(name, sizeof name, "h-%d", i);
        snprintf(key, sizeof key, "hostile/h-%d-0", i);
        long_claim(rig, key);
        gated_pods(rig, "hostile", name, 1, 1);
    }
    rig_run(rig, 3600 * SKR_SECOND);
    assert_int_equal(n_open(rig, "hostile"), 0);
    assert_int_equal(n_waiting_for_budget(rig, 16), 16);
    assert_string_equal(
        rig_key(rig, "hostile/h-0", "message"),
        "group h-0 is not planned, and kube-scheduler is not asked: its claims are not counted "
        "here, and the search for devices of one pod takes more than 40 steps on a node; ask for "
        "fewer devices under one constraint, or have devices.steps raised; sakkara explain names "
        "what is not counted");
    make_searches_short(rig);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(n_waiting_for_budget(rig, 16), 0);
    assert_string_equal(rig_key(rig, "hostile/h-0", "reason"), "NeverFits");
}

/* ---- claims that cost kube-scheduler too much ---- */

#define LIST "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]"

/* Some 100,000 steps a device; in all, 64 devices. */
static const char costly[] = LIST ".all(a, " LIST ".all(b, " LIST ".all(c, a + b + c >= 0)))";

/* Requests with this selector. */
static void spec_of(int requests, const char *selector, struct skr_strbuf *b)
{
    skr_strbuf_add(b, "{'devices':{'requests':[");
    for (int i = 0; i < requests; i++) {
        skr_strbuf_addf(b,
                        "%s{'name':'r%d','exactly':{'deviceClassName':'gpu','selectors':[{'cel':{"
                        "'expression':'%s'}}]}}",
                        i > 0 ? "," : "", i, selector);
    }
    skr_strbuf_add(b, "]}}");
}

static void claim_of(struct rig *rig, const char *key, int requests, const char *selector)
{
    SKR_STRBUF(spec);
    spec_of(requests, selector, &spec);
    rig_create_json(rig, RIG_DEVICE_CLAIM, key, "{'metadata':{},'spec':%s}", spec.s);
}

static const struct cost {
    const char *title;
    int requests;
    const char *selector;
    bool beyond;
} costs[] = {
    {"one round each", 1, "device.attributes.size() > 0", false},
    {"eight requests", 8, "device.attributes.size() > 0", false},
    {"a few rounds", 8, "[1, 2, 3, 4].all(x, x > 0) && device.attributes.size() >= 0", false},
    {"8,000 rounds", 1, costly, true},
    {"rounds over what is not known", 1, "lists.range(100000).all(x, x >= 0)", true},
    {"many requests of some hundred rounds", 32,
     LIST ".all(a, " LIST ".all(b, a + b >= 0)) && "
          "device.attributes.size() >= 0",
     true},
};

TEST_EACH(cost, costs, kube_scheduler_gets_no_claims_that_it_would_evaluate_for_long)
{
    struct rig *rig = device_cluster(NODES, EACH);
    struct verdict verdict = {0};
    rig->in_tree = judges;
    rig->context = &verdict;
    claim_of(rig, "hostile/h-0-0", cost->requests, cost->selector);
    gated_pods(rig, "hostile", "h-0", 1, 1);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(n_open(rig, "hostile"), !cost->beyond);
    assert_int_equal(n_waiting_for_budget(rig, 1), cost->beyond);
    rig_destroy(rig);
}

TEST_RIG(device_cluster(NODES, EACH), claims_beyond_what_kube_scheduler_evaluates_say_so)
{
    claim_of(rig, "hostile/h-0-0", 1, costly);
    gated_pods(rig, "hostile", "h-0", 1, 1);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(
        rig_key(rig, "hostile/h-0", "message"),
        "group h-0 is not planned, and kube-scheduler is not asked: its claims are not counted "
        "here, and to evaluate those of one pod may take 104063 steps for each of 64 devices, "
        "4000000 in all may be; use fewer or shorter selectors; sakkara explain names what is not "
        "counted");
}

/* One of three members has such a claim, of a template; none loses its gate, also for an autoscaler. */
TEST_RIG(with_settings(false, 60 * SKR_SECOND), one_such_claim_keeps_all_gates_of_its_gang)
{
    SKR_STRBUF(spec);
    spec_of(1, costly, &spec);
    rig_create_json(rig, RIG_CLAIM_TEMPLATE, "hostile/t", "{'metadata':{},'spec':{'spec':%s}}",
                    spec.s);
    gated(rig, "hostile", "h-0", 3, 65);
    rig_edit(rig, RIG_POD, "hostile/h-0-1",
             "{'spec':{'resourceClaims':[{'name':'c','resourceClaimName':null,"
             "'resourceClaimTemplateName':'t'}]}}");
    rig_run(rig, 600 * SKR_SECOND);
    assert_int_equal(n_open(rig, "hostile"), 0);
    assert_int_equal(n_waiting_for_budget(rig, 1), 1);
}

/* A pod without its gate is with kube-scheduler; the daemon plans nothing for it, and wakes it for nothing. */
TEST_RIG(device_cluster(NODES, EACH), members_without_gates_are_not_planned_with_such_claims)
{
    struct verdict verdict = {.takes = 2};
    rig->in_tree = judges;
    rig->context = &verdict;
    claim_of(rig, "hostile/h-0-0", 1, costly);
    claim_of(rig, "hostile/h-0-1", 1, costly);
    gated_pods(rig, "hostile", "h-0", 2, 1);
    rig_edit(rig, RIG_POD, "hostile/h-0-0", "{'spec':{'schedulingGates':null}}");
    rig_run(rig, 600 * SKR_SECOND);
    assert_int_equal(n_open(rig, "hostile"), 1);
    assert_int_equal(rig->gang->stats.plans, 0);
    assert_int_equal(n_waiting_for_budget(rig, 1), 1);
}

TEST_RIG(device_cluster(NODES / 2, EACH), claims_that_become_too_costly_with_new_devices_wait)
{
    struct verdict verdict = {0};
    rig->in_tree = judges;
    rig->context = &verdict;
    claim_of(rig, "hostile/h-0-0", 1, costly);
    claim_of(rig, "hostile/h-1-0", 1, costly);
    gated_pods(rig, "hostile", "h-0", 1, 1);
    gated_pods(rig, "hostile", "h-1", 1, 1);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(n_open(rig, "hostile"), 1);
    for (int i = 0; i < NODES / 2; i++) {
        device_slice(rig, test_text("more-%d", i), EACH);
    }
    rig_run(rig, 3600 * SKR_SECOND);
    assert_int_equal(n_open(rig, "hostile"), 1);
    assert_non_null(strstr(rig_key(rig, "hostile/h-1", "message"), "64 devices"));
    for (int i = 0; i < NODES / 2; i++) {
        rig_delete(rig, RIG_SLICE, test_text("more-%d", i));
    }
    rig_run(rig, 3600 * SKR_SECOND);
    assert_int_equal(n_open(rig, "hostile"), 2);
}

TEST_RIG(device_cluster(NODES, EACH), a_group_is_tried_once_its_claims_or_classes_cost_less)
{
    struct verdict verdict = {0};
    rig->in_tree = judges;
    rig->context = &verdict;
    rig_edit(rig, RIG_CLASS, "gpu", "{'spec':{'selectors':[{'cel':{'expression':'%s'}}]}}", costly);
    odd_claim(rig, "hostile/h-0-0");
    gated_pods(rig, "hostile", "h-0", 1, 1);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(n_open(rig, "hostile"), 0);
    claim_of(rig, "hostile/h-1-0", 1, costly);
    gated_pods(rig, "hostile", "h-1", 1, 1);
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_CLASS, "gpu", "{'spec':{'selectors':[]}}");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(n_open(rig, "hostile"), 1);
    assert_int_equal(n_waiting_for_budget(rig, 2), 1);
    rig_delete(rig, RIG_DEVICE_CLAIM, "hostile/h-1-0");
    odd_claim(rig, "hostile/h-1-0");
    rig_run(rig, 3600 * SKR_SECOND);
    assert_int_equal(n_open(rig, "hostile"), 2);
}

TEST_RIG(device_cluster(NODES, EACH), a_group_that_waits_looks_again_when_its_claims_are_counted)
{
    struct verdict verdict = {0};
    rig->in_tree = judges;
    rig->context = &verdict;
    gated(rig, "hostile", "h-0", 1, 1);
    gated(rig, "hostile", "h-1", 1, 1);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(n_waiting_for_budget(rig, 2), 1);
    assert_int_equal(rig->gang->stats.plans, 1);
    rig_delete(rig, RIG_DEVICE_CLAIM, "hostile/h-1-0");
    device_claim(rig, "hostile/h-1-0", 1);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig->gang->stats.plans, 2);
    assert_string_equal(rig_state(rig, "hostile/h-0"), "Admitting");
}

/* kube-scheduler is asked about pods with volumes before anything is planned. */
TEST_RIG(device_cluster(NODES, EACH), members_with_volumes_are_asked_about_one_after_the_other)
{
    struct verdict verdict = {0};
    rig->in_tree = judges;
    rig->context = &verdict;
    gated(rig, "hostile", "g", 6, 1);
    rig_claim(rig, "hostile/v", RIG_CLAIM_BOUND);
    for (int i = 0; i < 6; i++) {
        rig_edit(rig, RIG_POD, test_text("hostile/g-%d", i),
                 "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'v'}}]}}");
    }
    rig_run(rig, 30 * SKR_SECOND);
    assert_int_equal(n_open(rig, "hostile"), 1);
    verdict.takes = 6;
    rig_scheduler_wake(rig, true);
    rig_run(rig, 600 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 6);
}

TEST_RIG(device_cluster(NODES, EACH), a_gang_whose_claims_are_not_counted_is_bound_as_a_whole)
{
    gated(rig, "honest", "a", 24, 1);
    gated(rig, "honest", "b", 24, 1);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "a"), 24);
    assert_int_equal(rig_n_bound(rig, "b"), 24);
}

TEST_RIG(device_cluster(NODES, EACH),
         a_refusal_costs_a_gang_as_many_gates_as_pods_were_accepted_and_one)
{
    struct verdict verdict = {0};
    rig->in_tree = judges;
    rig->context = &verdict;
    gated(rig, "hostile", "g", 32, 1);
    rig_run(rig, 600 * SKR_SECOND);
    assert_int_equal(n_open(rig, "hostile"), 1);
    verdict.takes = 4;
    rig_scheduler_wake(rig, true);
    rig_run(rig, 3600 * SKR_SECOND);
    assert_int_equal(verdict.n, 4);
    assert_int_equal(n_open(rig, "hostile"), 8);
    verdict.takes = 32;
    rig_scheduler_wake(rig, true);
    rig_run(rig, 3600 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 32);
}

TEST_RIG(device_cluster(NODES, EACH), after_each_refusal_the_namespace_pauses_for_longer)
{
    struct verdict verdict = {0};
    skr_time began[SKR_UNCOUNTED_PODS_MAX];
    size_t n = 0;
    rig->in_tree = judges;
    rig->context = &verdict;
    for (int i = 0; i < SKR_UNCOUNTED_PODS_MAX; i++) {
        gated(rig, "hostile", test_text("h-%d", i), 1, 1);
    }
    for (int i = 0; i < 1200 && n < SKR_UNCOUNTED_PODS_MAX; i++) {
        rig_run(rig, SKR_SECOND);
        if (rig->gang->stats.plans > n) {
            began[n++] = rig->now;
        }
    }
    assert_int_equal(n, SKR_UNCOUNTED_PODS_MAX);
    for (size_t i = 2; i < n; i++) {
        assert_true(began[i] - began[i - 1] > began[i - 1] - began[i - 2] + 10 * SKR_SECOND);
    }
}

enum { REFUSED_GROUPS = 3, REFUSED_ROUNDS = 5 };

/* Pods in the order in which they had a plan. */
struct turns {
    struct rig *rig;
    char pod[REFUSED_GROUPS * REFUSED_ROUNDS][32];
    size_t n, plans;
};

/* It takes pods on any node but that of their plan. */
static bool wants_another_node(void *context, const struct skr_pod *pod, const char *node)
{
    struct turns *turns = context;
    const struct pod_entry *p = skr_pods_find(turns->rig->gang, pod->meta.uid);
    const size_t plans = turns->rig->gang->stats.plans;
    if (!p || !p->plan) {
        return true;
    }
    if (plans > turns->plans && turns->n < REFUSED_GROUPS * REFUSED_ROUNDS) {
        snprintf(turns->pod[turns->n++], sizeof turns->pod[0], "%s", pod->meta.name);
        turns->plans = plans;
    }
    return strcmp(p->place.node, node) != 0;
}

/* Groups that are refused again and again have their next turns behind those that wait. */
TEST_RIG(device_cluster(NODES, EACH), a_group_that_was_refused_goes_behind_the_others_that_wait)
{
    struct turns turns = {.rig = rig};
    rig->in_tree = wants_another_node;
    rig->context = &turns;
    for (int i = 0; i < REFUSED_GROUPS; i++) {
        gated(rig, "hostile", test_text("h-%d", i), 1, 1);
    }
    rig_run(rig, 7200 * SKR_SECOND);
    assert_int_equal(turns.n, REFUSED_GROUPS * REFUSED_ROUNDS);
    for (size_t i = 0; i < REFUSED_GROUPS; i++) {
        assert_string_equal(turns.pod[i], test_text("h-%zu-0", i));
    }
    for (size_t i = REFUSED_GROUPS; i < turns.n; i++) {
        assert_string_equal(turns.pod[i], turns.pod[i - REFUSED_GROUPS]);
    }
}

TEST_RIG(with_settings(false, 60 * SKR_SECOND),
         autoscalers_see_few_pods_of_groups_whose_claims_are_not_counted)
{
    gated(rig, "hostile", "large", 16, 60); /* each fits by itself, all do not */
    gated(rig, "hostile", "huge", 2, 65);
    gated(rig, "hostile", "huge-too", 3, 65);
    gated(rig, "honest", "huge", 4, 65);
    rig_run(rig, 600 * SKR_SECOND);
    assert_int_equal(n_open(rig, "hostile"), 2);
    assert_int_equal(n_open(rig, "honest"), 4);
}

TEST_RIG(with_settings(true, SKR_TIME_NEVER),
         where_no_devices_are_counted_no_group_waits_for_its_turn)
{
    struct verdict verdict = {0};
    rig->in_tree = judges;
    rig->context = &verdict;
    for (int i = 0; i < 16; i++) {
        gated(rig, "hostile", test_text("h-%d", i), 1, 1);
    }
    rig_run(rig, SKR_SECOND);
    assert_int_equal(n_open(rig, "hostile"), 16);
}
