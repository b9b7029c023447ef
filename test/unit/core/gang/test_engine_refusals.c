/* SPDX-License-Identifier: Apache-2.0 */
/* Planned nodes that kube-scheduler refuses: how often a group is planned again, what ends a pause, and
 * what people read. */
#include <utlist.h>

#include "core/gang/cache/vetoes.h"
#include "core/gang/group/group_table.h"
#include "core/gang/plan/scheduler_progress.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"

static bool shy = true;

/* A rule that the planner does not know: no two members on one node. */
static bool alone(void *context, const struct skr_pod *pod, const char *node)
{
    const struct rig *rig = context;
    const struct rig_object *o;
    DL_FOREACH(rig->list, o)
    {
        if (shy && o->kind == RIG_POD && o->pod != pod &&
            (strcmp(o->pod->node_name, node) == 0 ||
             (o->place == RIG_ASSUMED && strcmp(o->assumed_node, node) == 0))) {
            return false;
        }
    }
    return true;
}

/* Four members that would have to be apart, on so many nodes; refused since the start. */
static struct rig *apart(int nodes, int flags)
{
    struct rig *rig = rig_create();
    shy = true;
    rig->in_tree = alone;
    rig->context = rig;
    rig_racks(rig, 1, nodes, 4);
    rig_gang(rig, "g", 4, "p", 4, flags);
    return rig;
}

static uint64_t plans(struct rig *rig)
{
    struct skr_gang_stats stats;
    skr_gang_get_stats(rig->gang, &stats);
    return stats.plans;
}

/* ---- vetoes are the group's own ---- */

static const char *refused_names = "";
static size_t n_refused;

/* kube-scheduler's own filters know what the shape leaves out: volumes, claims, the namespace. */
static bool refuses_names(void *context, const struct skr_pod *pod, const char *node)
{
    (void)context;
    bool refused = *refused_names && strncmp(pod->meta.name, refused_names, 1) == 0 &&
                   strcmp(node, "node-3") != 0;
    n_refused += refused;
    return !refused;
}

/* Four nodes; gang v needs two of them, and is refused on three. */
static struct rig *refused_on_three(void)
{
    struct rig *rig = rig_create();
    refused_names = "v";
    n_refused = 0;
    rig->in_tree = refuses_names;
    rig_racks(rig, 1, 4, 4);
    rig_gang(rig, "v", 5, "v", 5, RIG_GATED);
    rig_run(rig, 20 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "v"), 0);
    return rig;
}

TEST_RIG(refused_on_three(), what_is_refused_to_one_gang_closes_no_node_for_another)
{
    uint64_t before = plans(rig);
    rig_group(rig, "h", 16 - 2, 0, NULL);
    rig_pods(rig, "h", 16 - 2, "h", RIG_GATED);
    rig_run(rig, 3 * SKR_SECOND);
    assert_non_null(rig->gang->vetoes);
    rig_assert_bound(rig, "h", 16 - 2);
    assert_in_range(plans(rig) - before, 1, 2);
}

TEST_RIG(refused_on_three(), a_gang_that_does_not_fit_is_not_said_to_be_refused_because_another_is)
{
    rig_group(rig, "h", 17, 0, NULL);
    rig_pods(rig, "h", 17, "h", RIG_GATED);
    rig_run(rig, 3 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "h", "reason"), "NeverFits");
    assert_null(strstr(rig_key(rig, "h", "message"), "refused"));
}

static bool refuses_all_to_one_of_h(void *context, const struct skr_pod *pod, const char *node)
{
    return strcmp(pod->meta.name, "h-1") != 0 && refuses_names(context, pod, node);
}

/* Room that was free when v was refused there proves nothing when it is free again. */
TEST_RIG(refused_on_three(), a_later_plan_that_ends_does_not_end_vetoes_that_were_there_before_it)
{
    const struct group *v = skr_groups_find(rig->gang, "default/v");
    const size_t n_vetoes = v->vetoes.n;
    const uint64_t before = plans(rig);
    rig->in_tree = refuses_all_to_one_of_h;
    rig_group(rig, "h", 13, 0, NULL); /* on all nodes */
    rig_pods(rig, "h", 13, "h", RIG_GATED);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "h", 0);
    assert_in_range(n_vetoes, 1, 3);
    assert_int_equal(v->vetoes.n, n_vetoes);
    assert_in_range(plans(rig) - before, 1, 2); /* of h */
}

/* The pods of h run where those of v could not: that proves nothing about v. */
TEST_RIG(refused_on_three(), what_another_gang_is_let_to_use_ends_no_veto)
{
    size_t before = n_refused;
    rig_group(rig, "h", 2, 0, NULL);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_pod(rig, "h-0", "h", 0);
    rig_settle(rig);
    rig_filter(rig, "h-0", "node-0 node-1 node-2 node-3"); /* a probe */
    rig->hold_scheduler = false;
    rig_run(rig, SKR_SECOND);
    assert_int_equal(n_refused, before);
}

TEST_RIG(refused_on_three(), vetoes_last_a_minute_and_go_with_their_group)
{
    struct group *v = skr_groups_find(rig->gang, "default/v");
    assert_true(v->vetoes.n > 0);
    refused_names = ""; /* a volume was made */
    rig_run(rig, 70 * SKR_SECOND);
    rig_assert_bound(rig, "v", 5);
    assert_int_equal(v->vetoes.n, 0);
    assert_null(rig->gang->vetoes);
    refused_names = "w";
    rig_group(rig, "w", 5, 0, NULL);
    rig_pods(rig, "w", 5, "w", RIG_GATED);
    rig_run(rig, 3 * SKR_SECOND);
    assert_non_null(rig->gang->vetoes);
    rig_delete_pods(rig, "w", 0, 5);
    rig_run(rig, SKR_SECOND);
    assert_null(rig->gang->vetoes); /* pods that come anew are other pods */
}

TEST_RIG(rig_create(), a_group_has_vetoes_of_so_many_shapes_at_most)
{
    enum { PODS = SHAPES_MAX + 6 };
    rig_racks(rig, 1, 3, 200);
    rig_group(rig, "v", PODS + 1, 0, NULL);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_run(rig, 10 * SKR_SECOND); /* the nodes are old news */
    for (int i = 0; i < PODS; i++) {
        char name[32];
        snprintf(name, sizeof name, "v-%d", i);
        rig_pod(rig, name, "v", 0);
        rig_edit(rig, RIG_POD, name,
                 "{'spec':{'containers':[{'name':'c','resources':"
                 "{'requests':{'cpu':'%dm'}}}]}}",
                 100 + i);
        rig_settle(rig);
        rig_filter(rig, name, "node-0 node-1");
    }
    const struct group *v = skr_groups_find(rig->gang, "default/v");
    assert_int_equal(v->vetoes.n_sets, SHAPES_MAX);
    assert_int_equal(v->vetoes.n, SHAPES_MAX);
}

/* ---- how often ---- */

TEST(a_group_that_is_refused_again_and_again_is_planned_less_and_less_often)
{
    for (int flags = 0; flags <= RIG_GATED; flags++) {
        SKR_AUTO(rig_destroy) struct rig *rig = apart(3, flags);
        rig_run(rig, 60 * SKR_SECOND);
        assert_in_range(plans(rig), 2, 8);
        rig_run(rig, 3600 * SKR_SECOND);
        uint64_t before = plans(rig);
        rig_run(rig, 3600 * SKR_SECOND);
        assert_in_range(plans(rig) - before, 1, 24); /* once a pause of five minutes */
        assert_int_equal(rig_n_bound(rig, "g"), 0);
        assert_string_equal(rig_key(rig, "g", "reason"), "FilteredByOthers");
    }
}

TEST_RIG(apart(3, RIG_GATED), room_that_frees_elsewhere_ends_no_pause)
{
    rig_node(rig, "elsewhere", 4);
    rig_run(rig, 3600 * SKR_SECOND);
    uint64_t before = plans(rig);
    for (int i = 0; i < 50; i++) {
        rig_create_json(rig, RIG_POD, "other",
                        "{'spec':{'schedulerName':'default','nodeName':'elsewhere','containers':["
                        "{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}");
        rig_run(rig, SKR_SECOND / 2);
        rig_delete(rig, RIG_POD, "other");
        rig_run(rig, SKR_SECOND / 2);
    }
    assert_in_range(plans(rig) - before, 0, 3);
}

TEST(what_a_refusal_may_rest_on_ends_the_pause_at_once)
{
    enum { NODE_COMES, NODE_RELABELLED, GROUP_EDITED, PODS_ANEW, WAYS };
    for (int way = 0; way < WAYS; way++) {
        SKR_AUTO(rig_destroy) struct rig *rig = apart(3, RIG_GATED);
        rig_run(rig, 3000 * SKR_SECOND);
        shy = way == NODE_COMES;
        if (way == NODE_COMES) {
            rig_edit(rig, RIG_MAP, "topology",
                     "{'data':{'tree':'{\\'rack-0\\':{\\'node-0\\':{},\\'node-1\\':{},"
                     "\\'node-2\\':{},\\'node-3\\':{}}}'}}");
            rig_node(rig, "node-3", 4);
        } else if (way == NODE_RELABELLED) {
            rig_edit(rig, RIG_NODE, "node-1", "{'metadata':{'labels':{'zone':'z'}}}");
        } else if (way == GROUP_EDITED) {
            rig_edit(rig, RIG_MAP, "g", "{'data':{'priority':'1'}}");
        } else {
            rig_delete_pods(rig, "p", 0, 4);
            rig_run(rig, SKR_SECOND);
            rig_pods(rig, "p", 4, "g", RIG_GATED);
        }
        uint64_t before = plans(rig);
        rig_run(rig, 3 * SKR_SECOND);
        if (plans(rig) == before) {
            rig_fail(rig, "way %d ends no pause", way);
        }
        if (way != NODE_COMES) {
            rig_assert_bound(rig, "p", 4);
            assert_string_equal(rig_key(rig, "g", "reason"), "");
        }
    }
}

TEST(the_plugin_and_the_pods_rule_are_named)
{
    static const struct {
        const char *condition, *want;
    } row[] = {
        {"1 node(s) of 3 match pod anti-affinity rules, 1 sakkara: group is being planned",
         ": InterPodAffinity, because of podAntiAffinity of the pod"},
        {"1 node(s) had volume node affinity conflict, 1 Insufficient cpu",
         ": VolumeBinding, because of volumes of the pod"},
        {"2 node(s) without free ports for the requested pod ports",
         ": NodePorts, because of hostPort of the pod"},
        {"1 of a plugin of ours", ": 0/3 nodes are available: 1 of a plugin of ours"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = apart(3, RIG_GATED);
        rig_run(rig, 600 * SKR_SECOND);
        const char *name = strstr(rig_key(rig, "g", "message"), "for pod ");
        assert_non_null(name);
        rig->hold_scheduler = true;
        rig_edit(rig, RIG_POD, test_text("%.3s", name + strlen("for pod ")),
                 "{'status':{'conditions':[{'type':'PodScheduled','status':'False','reason':"
                 "'Unschedulable','message':\"0/3 nodes are available: %s\"}]}}",
                 row[i].condition);
        rig_run(rig, 5 * SKR_SECOND);
        if (!strstr(rig_key(rig, "g", "message"), row[i].want)) {
            rig_fail(rig, "%s: %s", row[i].condition, rig_key(rig, "g", "message"));
        }
        const json_t *answer = rig_explain(rig, "g");
        assert_string_equal(json_string_value(json_object_get(answer, "reason")),
                            "FilteredByOthers");
        assert_non_null(
            strstr(json_string_value(json_object_get(answer, "sentence")), row[i].want));
    }
}

static bool refuses_one(void *context, const struct skr_pod *pod, const char *node)
{
    (void)context;
    (void)node;
    return !shy || strncmp(pod->meta.name, "p-1", 3) != 0;
}

/* Every node is refused to one member, and kube-scheduler says so. */
static struct rig *refused_everywhere(void)
{
    struct rig *rig = rig_create();
    shy = true;
    rig->in_tree = refuses_one;
    rig_racks(rig, 1, 3, 4);
    rig_gang(rig, "g", 2, "p", 2, RIG_GATED);
    rig_run(rig, 600 * SKR_SECOND);
    return rig;
}

/* kube-scheduler comes to the gang no more. What it said is of an earlier plan. */
TEST_RIG(refused_everywhere(), silence_after_a_refusal_refuses_no_node)
{
    const struct group *g = skr_groups_find(rig->gang, "default/g");
    rig->hold_scheduler = true;
    rig_run(rig, 300 * SKR_SECOND); /* what was refused before is forgotten */
    const uint64_t before = plans(rig);
    for (int i = 0; i < 3600; i++) {
        rig_run(rig, SKR_SECOND);
        assert_int_equal(g->vetoes.n, 0);
    }
    assert_in_range(plans(rig) - before, 2, 12); /* each until its timeout */
}

/* Each plan is answered by a condition, although the words are those of the last one. */
TEST_RIG(refused_everywhere(), a_refusal_in_the_words_of_the_one_before_is_seen)
{
    const struct group *g = skr_groups_find(rig->gang, "default/g");
    size_t most = 0;
    int asked = 0;
    for (int i = 0; i < 1200; i++) {
        rig_run(rig, SKR_SECOND);
        const struct skr_pod *pod = rig_find(rig, RIG_POD, "default/p-1")->pod;
        most = g->vetoes.n > most ? g->vetoes.n : most;
        asked += strcmp(pod->scheduled_message, SKR_TEXT_ASKED_AGAIN) == 0;
    }
    assert_in_range(most, 1, 3);
    assert_in_range(asked, 0, 1200 / 4); /* its words stand again after each try */
    assert_string_equal(rig_key(rig, "g", "reason"), "FilteredByOthers");
    assert_non_null(strstr(rig_key(rig, "g", "message"), "kube-scheduler refuses node node-"));
}

/* Its first words are older than the first plan: it writes none that are equal to them. */
TEST_RIG(rig_create(), a_refusal_in_words_that_are_older_than_the_first_plan_is_seen)
{
    shy = true;
    rig->in_tree = refuses_one;
    rig_racks(rig, 1, 3, 4);
    rig_sync(rig);
    rig_pod(rig, "p-1", "g", 0);
    rig_run(rig, 10 * SKR_SECOND);
    rig_group(rig, "g", 1, 0, NULL);
    rig_run(rig, SKR_ACTIVATION_PATIENCE_S * SKR_SECOND + SKR_SECOND / 2);
    assert_string_equal(rig_key(rig, "g", "reason"), "FilteredByOthers");
    assert_non_null(
        strstr(rig_key(rig, "g", "message"), "kube-scheduler refuses node node-0 for pod p-1"));
}

TEST_RIG(refused_everywhere(), a_pause_that_silence_made_ends_when_kube_scheduler_comes)
{
    rig->hold_scheduler = true;
    rig_run(rig, 3600 * SKR_SECOND);
    shy = false; /* what it rests on goes, unseen by the daemon */
    rig->hold_scheduler = false;
    rig_scheduler_wake(rig, true);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
}

#define GATED_CONDITION                                                                      \
    "{'status':{'conditions':[{'type':'PodScheduled','status':'False','reason':"             \
    "'SchedulingGated','message':'Scheduling is blocked due to non-empty scheduling gates'}" \
    "]}}"

/* One node, a gated pair as the API server makes it, while kube-scheduler is away. */
static struct rig *unasked(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 1, 4);
    rig->hold_scheduler = true;
    rig_gang(rig, "g", 2, "p", 2, RIG_GATED);
    rig_edit(rig, RIG_POD, "p-0", GATED_CONDITION);
    rig_edit(rig, RIG_POD, "p-1", GATED_CONDITION);
    rig_run(rig, 60 * SKR_SECOND);
    return rig;
}

TEST_RIG(unasked(), what_the_api_server_says_of_a_gate_is_no_word_of_kube_scheduler)
{
    assert_int_equal(plans(rig), 1);
    assert_string_equal(rig_key(rig, "g", "reason"), "");
    rig->hold_scheduler = false;
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
}

TEST_RIG(unasked(), a_plan_that_times_out_names_a_pod_that_kube_scheduler_does_not_try)
{
    rig_run(rig, 300 * SKR_SECOND);
    assert_true(rig_has_event(rig,
                              "kube-scheduler has not asked about pod p-0 for 300 s, nor about "
                              "any other; is it running, and does every resourceClaim of the "
                              "pod exist?"));
}

/* kube-scheduler asks about the pod again and again, every 8 s. */
static void ask_about(struct rig *rig, const char *pod, int times)
{
    for (int i = 0; i < times; i++) {
        rig_filter(rig, pod, NULL);
        rig_run(rig, 8 * SKR_SECOND);
    }
}

TEST_RIG(unasked(), a_pod_that_is_passed_in_the_queue_is_said_to_be_so)
{
    rig_pod(rig, "other", NULL, 0);
    rig_run(rig, SKR_SECOND);
    ask_about(rig, "other", 2);
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    rig_filter(rig, "other", NULL);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "FilteredByOthers");
    assert_non_null(
        strstr(rig_key(rig, "g", "message"),
               "group g is not placed: kube-scheduler has not asked about pod p-0 for 77 "
               "s, but about pods that came later into its queue; does another plugin "
               "hold the pod, or does a resourceClaim of it not exist?"));
}

/* One member, planned on the first of two nodes; kube-scheduler is done by hand. */
static struct rig *planned_alone(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 2, 4);
    rig->hold_scheduler = true;
    rig->hold_kind = SKR_WRITE_PATCH_POD_STATUS;
    rig_gang(rig, "g", 1, "p", 1, 0);
    rig_run(rig, 10 * SKR_SECOND); /* the nodes are no news to kube-scheduler */
    return rig;
}

/* What a user changed while our own patch was under way is behind the version that its answer names. */
TEST_RIG(planned_alone(), what_was_refused_to_another_template_refuses_nothing_to_the_present_one)
{
    struct rig_write *patch = rig_find_write(rig, SKR_WRITE_PATCH_POD_STATUS, "p-0");
    assert_non_null(patch);
    rig->hold_watch[RIG_POD] = true;
    rig_edit(rig, RIG_POD, "p-0", "{'spec':{'tolerations':[{'key':'other','operator':'Exists'}]}}");
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_answer_write(rig, patch, RIG_OK);
    rig->hold_watch[RIG_POD] = false;
    rig_step_watch(rig, 0); /* of a version before that of the answer: passed over */
    rig->hold_watch[RIG_POD] = true;
    assert_string_equal(rig_planned(rig, "p-0"), "node-0");
    rig_filter(rig, "p-0", "node-1");
    rig->hold_watch[RIG_POD] = false;
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_planned(rig, "p-0"),
                        "node-0"); /* to the new one it was not refused yet */
    rig_filter(rig, "p-0", "node-1");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_planned(rig, "p-0"), "node-1");
}

/* ---- what caused a veto goes ---- */

/* The only node is refused to the gang because of a pod that kube-scheduler has assumed there. */
static struct rig *refused_by_an_assumed_pod(void)
{
    struct rig *rig = rig_create();
    shy = true;
    rig->in_tree = alone;
    rig->context = rig;
    rig_racks(rig, 1, 1, 4);
    rig_group(rig, "g", 1, 0, NULL);
    rig_claim(rig, "default/c", RIG_CLAIM_LATE);
    rig_sync(rig);
    rig_pod(rig, "late", NULL, 0);
    rig_edit(rig, RIG_POD, "late",
             "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}]}}");
    rig_run(rig, SKR_SECOND);
    assert_true(rig_find(rig, RIG_POD, "late")->volumes_until > 0);
    rig_pods(rig, "p", 1, "g", RIG_GATED);
    rig_run(rig, 20 * SKR_SECOND); /* kube-scheduler passes it by */
    rig_assert_bound(rig, "p", 0);
    assert_non_null(skr_groups_find(rig->gang, "default/g")->vetoes.set);
    return rig;
}

TEST_RIG(refused_by_an_assumed_pod(), a_veto_ends_when_the_assumed_pod_that_caused_it_is_deleted)
{
    rig_delete(rig, RIG_POD, "late");
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_bound(rig, "p", 1);
}

TEST_RIG(refused_by_an_assumed_pod(), a_veto_lasts_while_the_assumed_pod_stays)
{
    rig_run(rig, 30 * SKR_SECOND);
    rig_assert_bound(rig, "p", 0);
    assert_true(skr_groups_find(rig->gang, "default/g")->vetoes.n > 0);
}

/* ---- members that are being deleted ---- */

/* kube-scheduler has let go of p-0, whose bind call failed, and never comes to it again. */
TEST(a_member_that_is_being_deleted_does_not_count_on_the_node_of_its_failed_bind_call)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig->hold_scheduler = true;
    rig_racks(rig, 1, 2, 4);
    rig_gang(rig, "g", 2, "p", 3, 0);
    rig_run(rig, SKR_SECOND);
    SKR_AUTO_FREE char *node = skr_strdup(rig_planned(rig, "p-1"));
    assert_string_equal(rig_planned(rig, "p-0"), node);
    rig_filter(rig, "p-0", node);
    const struct rig_call *call = rig_bind(rig, "p-0", node);
    rig_terminate(rig, "p-0");
    rig_settle(rig);
    assert_int_equal(call->state, RIG_ERROR);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_planned(rig, "p-1"), node);
    assert_string_equal(rig_planned(rig, "p-2"), node);
    rig_filter(rig, "p-1", node);
    rig_bind(rig, "p-1", node);
    for (int i = 0; i < 2; i++) { /* the first time its nomination may be news to kube-scheduler */
        rig_filter(rig, "p-2", strcmp(node, "node-0") == 0 ? "node-1" : "node-0");
        rig_run(rig, SKR_SECOND);
    }
    assert_string_not_equal(rig_planned(rig, "p-1"), "");
    assert_string_not_equal(rig_planned(rig, "p-1"), rig_planned(rig, "p-2"));
}
