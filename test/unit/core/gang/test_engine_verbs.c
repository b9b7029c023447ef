/* SPDX-License-Identifier: Apache-2.0 */
/* What filter, prioritize, preempt and bind answer in every situation, and the constant texts. */
#include "test/unit/engine_test.h"

/* One rack of three nodes of 2 cpu; kube-scheduler is played by the test. */
static struct rig *by_hand(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 3, 2);
    rig->hold_scheduler = true;
    return rig;
}

static void assert_rejected(struct rig *rig, const char *pod, const char *text)
{
    for (int i = 0; i < 2; i++) { /* asked twice a cycle: the same answer */
        struct rig_answer a = rig_filter(rig, pod, NULL);
        assert_int_equal(a.kind, SKR_ANSWER_FILTER_NONE);
        assert_string_equal(a.text, text);
    }
}

/* ---- filter ---- */

TEST_RIG(by_hand(), before_the_first_lists_filter_and_bind_are_not_ready)
{
    rig_pod(rig, "p", NULL, 0);
    struct rig_answer a = rig_filter(rig, "p", NULL);
    assert_int_equal(a.kind, SKR_ANSWER_ERROR);
    assert_string_equal(a.text, "sakkara: not ready");
    assert_string_equal(rig_bind(rig, "p", "node-0")->text, "sakkara: not ready");
}

TEST_RIG(by_hand(), without_leadership_everything_is_refused_and_nothing_written)
{
    rig_gang(rig, "g", 2, "p", 2, 0);
    rig_run(rig, SKR_SECOND);
    const struct rig_call *call = rig_bind(rig, "p-0", "node-0");
    assert_int_equal(call->state, RIG_OPEN);
    rig_event(rig, SKR_EVENT_LEADER_LOST);
    assert_string_equal(call->text, "sakkara: not leader");
    rig_forget_counts(rig);
    assert_string_equal(rig_filter(rig, "p-0", NULL).text, "sakkara: not leader");
    assert_string_equal(rig_bind(rig, "p-1", "node-0")->text, "sakkara: not leader");
    rig_run(rig, 600 * SKR_SECOND);
    for (int i = 0; i < SKR_WRITE_KIND_COUNT; i++) {
        assert_int_equal(rig_count(rig, (enum skr_write_kind)i, NULL), 0);
    }
    rig_event(rig, SKR_EVENT_LEADER_WON);
    rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
}

TEST_RIG(by_hand(), r8_shutting_down_answers_every_parked_call)
{
    rig_gang(rig, "g", 4, "p", 4, 0);
    rig_run(rig, SKR_SECOND);
    const struct rig_call *one = rig_bind(rig, "p-0", "node-0"),
                          *two = rig_bind(rig, "p-3", "node-1");
    rig_event(rig, SKR_EVENT_SHUTDOWN);
    assert_string_equal(one->text, "sakkara: not ready");
    assert_string_equal(two->text, "sakkara: not ready");
    assert_string_equal(rig_filter(rig, "p-1", NULL).text, "sakkara: not ready");
    assert_int_equal(rig_open_calls(rig), 0);
}

TEST_RIG(by_hand(), a_pod_that_is_already_bound_is_an_error)
{
    rig_pod(rig, "p", NULL, 0);
    rig_edit(rig, RIG_POD, "p", "{'spec':{'nodeName':'node-1'}}");
    rig_sync(rig);
    struct rig_answer a = rig_filter(rig, "p", NULL);
    assert_int_equal(a.kind, SKR_ANSWER_ERROR);
    assert_string_equal(a.text, "sakkara: pod is already bound");
    assert_int_equal(rig_bind(rig, "p", "node-1")->state, RIG_BOUND);
    assert_string_equal(rig_bind(rig, "p", "node-0")->text, "sakkara: pod is already bound");
}

TEST_RIG(by_hand(), r3_each_state_has_its_constant_text)
{
    rig_group(rig, "few", 3, 0, NULL);
    rig_group(rig, "broken", 1, 0, "{");
    rig_group(rig, "large", 7, 0, NULL);
    rig_group(rig, "spread", 2, 0,
              "{'rack':{'min':1},'node':{'type':'spread','max':1,'partitions':1}}");
    rig_group(rig, "two", 2, 0, NULL);
    rig_sync(rig);
    rig_pod(rig, "nowhere", "unheard-of", 0);
    rig_pod(rig, "few-0", "few", 0);
    rig_pod(rig, "broken-0", "broken", 0);
    rig_pods(rig, "large", 7, "large", 0);
    rig_pods(rig, "spread", 2, "spread", 0);
    rig_pods(rig, "two", 3, "two", 0);
    rig_run(rig, 20 * SKR_MILLISECOND);
    assert_rejected(rig, "large-0", "sakkara: group is being planned");
    rig_run(rig, 2 * SKR_SECOND);
    assert_rejected(rig, "nowhere", "sakkara: group not found");
    assert_rejected(rig, "few-0", "sakkara: group waits for members");
    assert_rejected(rig, "broken-0", "sakkara: group is invalid");
    assert_rejected(rig, "large-3", "sakkara: group waits for capacity");
    assert_rejected(rig, "spread-1", "sakkara: group does not fit its topology constraints");
    assert_rejected(rig, "two-2", "sakkara: pod is beyond the size of its group");
}

TEST_RIG(rig_create(),
         a_pod_that_also_names_a_podgroup_of_kubernetes_own_is_a_member_like_any_other)
{
    rig_racks(rig, 1, 2, 4);
    rig_group(rig, "g", 2, 0, NULL);
    rig_sync(rig);
    rig_create_json(rig, RIG_POD, "p",
                    "{'metadata':{'labels':{'sakkara.group.name':'g'}},'spec':{'schedulerName':"
                    "'sakkara','schedulingGroup':{'podGroupName':'x'},'containers':[{'name':'c'}]},"
                    "'status':{}}");
    rig_create_json(rig, RIG_POD, "q",
                    "{'metadata':{'labels':{'sakkara.group.name':'g'}},'spec':{'schedulerName':"
                    "'sakkara','workloadRef':{'name':'x'},'containers':[{'name':'c'}],"
                    "'schedulingGates':[{'name':'sakkara.gang'}]},'status':{}}");
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
}

TEST_RIG(by_hand(), a_pod_unknown_to_the_cache_is_taken_from_the_request)
{
    rig_group(rig, "g", 2, 0, NULL);
    rig_sync(rig);
    rig_settle(rig);
    rig->hold_watch[RIG_POD] = true;
    rig_pod(rig, "member", "g", 0);
    rig_pod(rig, "plain", NULL, 0);
    rig_pod(rig, "nowhere", "unheard-of", 0);
    assert_rejected(rig, "member", "sakkara: group waits for members");
    assert_rejected(rig, "nowhere", "sakkara: group not found");
    assert_int_equal(rig_filter(rig, "plain", NULL).n_passed, 3);
    assert_string_equal(rig_bind(rig, "plain", "node-0")->text, "sakkara: not ready");
}

TEST_RIG(by_hand(), a_label_that_came_before_its_watch_event_is_taken_from_the_request)
{
    rig_sync(rig);
    rig_pod(rig, "p", NULL, 0);
    rig_run(rig, SKR_SECOND);
    rig->hold_watch[RIG_POD] = true;
    rig_edit(rig, RIG_POD, "p", "{'metadata':{'labels':{'sakkara.group.name':'nowhere'}}}");
    assert_rejected(rig, "p", "sakkara: group not found");
    rig->hold_watch[RIG_POD] = false;
}

TEST_RIG(by_hand(), r6_a_plan_that_is_not_persisted_accepts_nobody)
{
    rig_group(rig, "g", 2, 0, NULL);
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    rig_pods(rig, "p", 2, "g", 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Planned");
    assert_rejected(rig, "p-0", "sakkara: group is being planned");
    assert_string_equal(rig_bind(rig, "p-0", "node-0")->text, "sakkara: plan aborted");
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, NULL), 0);
}

TEST_RIG(by_hand(), members_of_other_schedulers_are_no_members)
{
    rig_group(rig, "g", 1, 0, NULL);
    rig_sync(rig);
    rig_create_json(rig, RIG_POD, "p",
                    "{'metadata':{'labels':{'sakkara.group.name':'g'}},'spec':{'schedulerName':"
                    "'default-scheduler','containers':[{'name':'c'}]},'status':{}}");
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Waiting");
    assert_int_equal(rig_filter(rig, "p", NULL).n_passed, 3);
}

/* ---- ordinary pods ---- */

TEST_RIG(by_hand(), an_ordinary_pod_is_kept_off_reserved_room_until_it_is_free)
{
    rig_group(rig, "g", 3, 0, NULL);
    rig_sync(rig);
    rig_pods(rig, "p", 3, "g", 0); /* node-0 full, one of two cpus of node-1 */
    rig_run(rig, SKR_SECOND);
    rig_pod(rig, "small", NULL, 0);
    rig_pod(rig, "big", NULL, RIG_BIG);
    rig_settle(rig);
    struct rig_answer a = rig_filter(rig, "small", NULL);
    assert_int_equal(a.kind, SKR_ANSWER_FILTER_MASK);
    assert_string_equal(a.passed, "node-1 node-2");
    assert_string_equal(a.text, "sakkara: node is reserved for a group");
    assert_string_equal(rig_filter(rig, "big", NULL).passed, "node-2");
    assert_string_equal(rig_bind(rig, "big", "node-1")->text,
                        "sakkara: node is reserved for a group");
    rig_delete(rig, RIG_MAP, "g");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_filter(rig, "big", NULL).kind, SKR_ANSWER_FILTER_ALL);
}

/* Whether it exists is kube-scheduler's to judge: it may be devices of a class. */
TEST_RIG(by_hand(), an_ordinary_pod_is_not_refused_for_a_resource_that_the_node_does_not_list)
{
    rig_gang(rig, "g", 3, "p", 3, 0); /* node-0 full, one of two cpus of node-1 */
    rig_run(rig, SKR_SECOND);
    rig_create_json(rig, RIG_POD, "device",
                    "{'metadata':{},'spec':{'schedulerName':'sakkara','containers':[{'name':'c',"
                    "'resources':{'requests':{'cpu':'1','example.com/gpu':'1'}}}]},"
                    "'status':{'phase':'Pending'}}");
    rig_settle(rig);
    assert_string_equal(rig_filter(rig, "device", NULL).passed, "node-1 node-2");
    assert_int_equal(rig_bind(rig, "device", "node-1")->state, RIG_OPEN);
    rig_settle(rig);
    assert_string_equal(rig_node_of(rig, "device"), "node-1");
}

TEST_RIG(by_hand(), an_ordinary_pod_is_not_refused_where_no_group_has_room)
{
    rig_pod(rig, "old", NULL, RIG_BIG);
    rig_edit(rig, RIG_POD, "old", "{'spec':{'nodeName':'node-0'}}");
    rig_sync(rig);
    rig_pod(rig, "new", NULL, RIG_BIG);
    rig_settle(rig);
    rig->hold_watch[RIG_POD] = true; /* kube-scheduler hears of it first */
    rig_delete(rig, RIG_POD, "old");
    assert_int_equal(rig_filter(rig, "new", NULL).kind, SKR_ANSWER_FILTER_ALL);
    assert_int_equal(rig_bind(rig, "new", "node-0")->state, RIG_OPEN);
    rig_settle(rig);
    assert_string_equal(rig_node_of(rig, "new"), "node-0");
}

TEST(an_ordinary_binding_is_posted_at_once_and_answers_with_its_outcome)
{
    static const struct {
        enum rig_outcome outcome;
        enum rig_call_state state;
        const char *text;
    } cases[] = {
        {RIG_OK, RIG_BOUND, ""},
        {RIG_403, RIG_ERROR, "sakkara: binding failed"},
        {RIG_422, RIG_ERROR, "sakkara: binding failed"},
        {RIG_404, RIG_ERROR, "sakkara: pod was replaced"},
        {RIG_LOST_APPLIED, RIG_BOUND, ""},
        {RIG_LOST, RIG_BOUND, ""},
        {RIG_429, RIG_BOUND, ""},
        {RIG_409, RIG_BOUND, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = by_hand();
        rig_sync(rig);
        rig_pod(rig, "p", NULL, 0);
        rig_settle(rig);
        rig_fault(rig, SKR_WRITE_BINDING, "p", cases[i].outcome, 1);
        const struct rig_call *call = rig_bind(rig, "p", "node-0");
        rig_run(rig, 10 * SKR_SECOND);
        assert_int_equal(call->state, cases[i].state);
        assert_string_equal(call->text, cases[i].text);
        assert_string_equal(rig_node_of(rig, "p"), call->state == RIG_BOUND ? "node-0" : "");
    }
}

/* Busy: not made; it is not made again for a call that names another node. */
TEST(a_binding_is_not_repeated_for_a_later_call_to_another_node)
{
    static const enum rig_outcome outcome[] = {RIG_429, RIG_LOST};
    for (size_t i = 0; i < 2; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = by_hand();
        rig_sync(rig);
        rig_pod(rig, "p", NULL, 0);
        rig_settle(rig);
        rig->hold_kind = SKR_WRITE_BINDING;
        rig_hang_up(rig, rig_bind(rig, "p", "node-0"));
        const struct rig_call *call = rig_bind(rig, "p", "node-1");
        assert_int_equal(call->state, RIG_OPEN);
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "p"), outcome[i]);
        rig_run(rig, 10 * SKR_SECOND);
        assert_string_equal(call->text, "sakkara: binding failed");
        assert_int_equal(rig_count(rig, SKR_WRITE_BINDING, "p"), 1);
        rig->hold_kind = SKR_WRITE_KIND_COUNT;
        assert_int_equal(rig_bind(rig, "p", "node-1")->state, RIG_OPEN);
        rig_run(rig, SKR_SECOND);
        assert_string_equal(rig_node_of(rig, "p"), "node-1");
    }
}

TEST_RIG(by_hand(), an_ordinary_pod_is_not_bound_to_a_node_that_is_gone)
{
    rig_sync(rig);
    rig_pod(rig, "p", NULL, 0);
    rig_delete(rig, RIG_NODE, "node-1");
    rig_settle(rig);
    assert_string_equal(rig_bind(rig, "p", "node-1")->text, "sakkara: binding failed");
}

TEST_RIG(rig_create(), ordinary_pods_are_sent_where_units_are_broken_up_already)
{
    rig_racks(rig, 2, 2, 4);
    rig->hold_scheduler = true;
    rig_sync(rig);
    rig_pod(rig, "first", NULL, 0);
    rig_settle(rig);
    rig_bind(rig, "first", "node-2");
    rig_settle(rig);
    rig_pod(rig, "next", NULL, 0);
    rig_settle(rig);
    struct rig_answer a = rig_prioritize(rig, "next", "node-0 node-1 node-2 node-3");
    assert_int_equal(a.scores[0], a.scores[1]);
    assert_true(a.scores[2] > a.scores[3]);
    assert_true(a.scores[3] > a.scores[0]);
    for (int i = 0; i < 4; i++) {
        assert_in_range(a.scores[i], 0, 10);
    }
}

/* ---- bind of members ---- */

static struct rig *planned_pair(void)
{
    struct rig *rig = by_hand();
    rig_gang(rig, "g", 3, "p", 3, 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    return rig;
}

TEST_RIG(planned_pair(), a_vote_is_parked_until_all_have_voted)
{
    const struct rig_call *one = rig_bind(rig, "p-0", "node-0");
    assert_string_equal(rig_state(rig, "g"), "Holding");
    const struct rig_call *two = rig_bind(rig, "p-1", "node-0");
    rig_run(rig, 10 * SKR_SECOND);
    assert_true(one->state == RIG_OPEN && two->state == RIG_OPEN);
    assert_int_equal(rig_open_calls(rig), 2);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
}

TEST_RIG(planned_pair(), a_second_call_of_a_pod_supersedes_the_first)
{
    const struct rig_call *one = rig_bind(rig, "p-0", "node-0");
    const struct rig_call *again = rig_bind(rig, "p-0", "node-0");
    assert_string_equal(one->text, "sakkara: superseded");
    assert_int_equal(again->state, RIG_OPEN);
    rig_bind(rig, "p-1", "node-0");
    rig_bind(rig, "p-2", "node-1");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(again->state, RIG_BOUND);
    assert_int_equal(rig_find(rig, RIG_POD, "p-0")->bindings, 1);
}

TEST_RIG(planned_pair(), a_call_for_a_pod_of_another_uid_is_answered_replaced)
{
    rig_delete(rig, RIG_POD, "p-0");
    rig_pod(rig, "p-0", "g", 0);
    rig->hold_watch[RIG_POD] = true; /* the engine still has the old one */
    assert_string_equal(rig_bind(rig, "p-0", "node-0")->text, "sakkara: pod was replaced");
}

TEST_RIG(planned_pair(), a_hang_up_drops_the_vote_and_the_next_call_counts)
{
    const struct rig_call *one = rig_bind(rig, "p-0", "node-0");
    rig_hang_up(rig, one);
    rig_bind(rig, "p-1", "node-0");
    rig_bind(rig, "p-2", "node-1");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_string_equal(rig_state(rig, "g"), "Holding");
    rig_bind(rig, "p-0", "node-0");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 3);
}

TEST(a_held_call_is_answered_before_its_deadline_and_its_vote_survives)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.bind_timeout = 60 * SKR_SECOND;
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 3, 2);
    rig->hold_scheduler = true;
    rig_gang(rig, "g", 2, "p", 2, 0);
    rig_run(rig, SKR_SECOND);
    const struct rig_call *one = rig_bind(rig, "p-0", "node-0");
    rig_filter(rig, "p-1", "node-0"); /* so that nobody loses patience */
    rig_run(rig, 49 * SKR_SECOND);
    assert_int_equal(one->state, RIG_OPEN);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(one->text, "sakkara: hold expired");
    rig_bind(rig, "p-1", "node-0");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Binding"); /* both have voted */
    assert_string_equal(rig_node_of(rig, "p-0"), "");    /* but nobody is on the line for p-0 */
    assert_string_equal(rig_node_of(rig, "p-1"), "node-0");
    rig_bind(rig, "p-0", "node-0");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 2);
}

/* ---- preempt ---- */

TEST_RIG(by_hand(), preempt_spares_nodes_whose_victims_are_members_of_groups)
{
    rig->hold_scheduler = false;
    rig_gang(rig, "g", 2, "p", 2, 0);
    rig_pod(rig, "plain", NULL, 0);
    rig_pod(rig, "asks", NULL, 0);
    rig_run(rig, SKR_SECOND);
    struct rig_answer a = rig_preempt(rig, "asks", "node-0:p-0,plain node-1:plain node-2:");
    assert_int_equal(a.kind, SKR_ANSWER_PREEMPT_MASK);
    assert_string_equal(a.passed, "node-1 node-2");
    assert_int_equal(rig_preempt(rig, "p-1", "node-1:plain").n_passed, 0);
}
