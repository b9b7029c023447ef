/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon starts anew in every state of a group: what it keeps, what it writes, what it clears.
 * Crashes after every single write are in test_engine_crash.c. */
#include "test/unit/engine_rig_failover.h"
#include "test/unit/engine_test.h"

/* Group "g" of 4 p-0..p-3, two to a node; everything of kube-scheduler by hand. */
static struct rig *cluster(int flags)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 4, 2);
    rig_group(rig, "g", 4, 0, NULL);
    rig->hold_scheduler = true;
    rig_sync(rig);
    rig_pods(rig, "p", 4, "g", flags);
    return rig;
}

static void park(struct rig *rig, int from, int to)
{
    for (int i = from; i < to; i++) {
        rig_bind(rig, test_text("p-%d", i), i < 2 ? "node-0" : "node-1");
    }
}

static size_t pod_patches(struct rig *rig)
{
    return rig_count(rig, SKR_WRITE_PATCH_POD, NULL) +
           rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, NULL) +
           rig_count(rig, SKR_WRITE_UNGATE_POD, NULL);
}

/* Starts again with the objects in another order each time. */
static void restart(struct rig *rig, int order)
{
    rig->reverse_lists = order % 2;
    rig->list_rotation = order / 2;
    rig_forget_counts(rig);
    rig_restart(rig);
    rig_settle(rig);
}

enum { ORDERS = 8 };

static void assert_ends_bound(struct rig *rig)
{
    rig->hold_scheduler = false;
    rig_run(rig, 30 * SKR_SECOND);
    rig_assert_bound(rig, "p", 4);
    rig_assert_clean(rig);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    rig_destroy(rig);
}

TEST(d47_a_restart_while_members_are_missing_patches_no_pod)
{
    for (int order = 0; order < ORDERS; order++) {
        struct rig *rig = cluster(RIG_GATED);
        rig_delete(rig, RIG_POD, "p-3");
        rig_run(rig, 5 * SKR_SECOND);
        restart(rig, order);
        rig_run(rig, 60 * SKR_SECOND);
        assert_int_equal(pod_patches(rig), 0);
        assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, NULL), 0);
        rig_pod(rig, "p-3", "g", RIG_GATED);
        assert_ends_bound(rig);
    }
}

TEST(d47_a_plan_is_kept_with_its_nodes_and_patches_nobody_who_was_told)
{
    for (int order = 0; order < 2 * ORDERS; order++) {
        struct rig *rig = cluster(order < ORDERS ? 0 : RIG_GATED);
        rig_run(rig, SKR_SECOND);
        char plan[512];
        snprintf(plan, sizeof plan, "%s", rig_annotation(rig, RIG_MAP, "g", "sakkara.plan"));
        restart(rig, order % ORDERS);
        assert_string_equal(rig_annotation(rig, RIG_MAP, "g", "sakkara.plan"), plan);
        assert_int_equal(pod_patches(rig), 0);
        assert_int_equal(rig->n_solves, 0);
        assert_string_equal(rig_state(rig, "g"), "Admitting");
        assert_string_equal(rig_filter(rig, "p-3", "node-1").passed, "node-1");
        assert_ends_bound(rig);
    }
}

TEST(members_that_were_not_told_yet_get_the_rank_they_would_have_had)
{
    for (int order = 0; order < ORDERS; order++) {
        struct rig *rig = cluster(RIG_GATED);
        rig->hold_kind = SKR_WRITE_UNGATE_POD;
        rig_run(rig, SKR_SECOND);
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_UNGATE_POD, "p-2"), RIG_OK);
        rig_settle(rig);
        rig->hold_kind = SKR_WRITE_KIND_COUNT;
        restart(rig, order);
        for (int i = 0; i < 4; i++) {
            char name[32], rank[32];
            snprintf(name, sizeof name, "p-%d", i);
            snprintf(rank, sizeof rank, "%d", i);
            assert_string_equal(rig_label(rig, name, "sakkara.member.rank"), rank);
            assert_int_equal(rig_count(rig, SKR_WRITE_UNGATE_POD, name), i == 2 ? 0 : 1);
        }
        assert_ends_bound(rig);
    }
}

TEST(a_restart_while_holding_binds_nobody_and_members_park_again)
{
    for (int order = 0; order < ORDERS; order++) {
        struct rig *rig = cluster(0);
        rig_run(rig, SKR_SECOND);
        park(rig, 0, 3);
        restart(rig, order);
        assert_int_equal(rig_n_bound(rig, "g"), 0);
        park(rig, 3, 4);
        rig_settle(rig);
        assert_int_equal(rig_n_bound(rig, "g"), 0);
        park(rig, 0, 3); /* r11: bind without filter */
        rig_settle(rig);
        assert_int_equal(rig_n_bound(rig, "g"), 4);
        assert_ends_bound(rig);
    }
}

TEST(binding_is_finished_without_a_barrier_as_calls_arrive)
{
    for (int order = 0; order < ORDERS; order++) {
        struct rig *rig = cluster(0);
        rig_run(rig, SKR_SECOND);
        rig->hold_kind = SKR_WRITE_BINDING;
        park(rig, 0, 4);
        rig_settle(rig);
        rig->hold_kind = SKR_WRITE_KIND_COUNT;
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "p-1"), RIG_OK);
        restart(rig, order);
        assert_string_equal(rig_state(rig, "g"), "Binding");
        assert_int_equal(rig_n_bound(rig, "g"), 1);
        assert_int_equal(rig_count(rig, SKR_WRITE_BINDING, NULL), 0); /* nobody is on the line */
        park(rig, 3, 4);
        rig_settle(rig);
        assert_int_equal(rig_n_bound(rig, "g"), 2);
        assert_ends_bound(rig);
    }
}

TEST(a_bound_group_is_left_alone_at_a_restart)
{
    for (int order = 0; order < ORDERS; order++) {
        SKR_AUTO(rig_destroy) struct rig *rig = cluster(0);
        rig->hold_scheduler = false;
        rig_run(rig, 5 * SKR_SECOND);
        char begin[64];
        snprintf(begin, sizeof begin, "%s", rig_key(rig, "g", "schedBeginTime"));
        restart(rig, order);
        rig_run(rig, 60 * SKR_SECOND);
        for (int i = 0; i < SKR_WRITE_KIND_COUNT; i++) {
            assert_int_equal(rig_count(rig, (enum skr_write_kind)i, NULL), 0);
        }
        assert_string_equal(rig_key(rig, "g", "schedBeginTime"), begin);
    }
}

static void run_to_the_end(struct rig *rig)
{
    rig->hold_scheduler = false;
    rig_run(rig, 5 * SKR_SECOND);
    for (int i = 0; i < 4; i++) {
        rig_phase(rig, test_text("p-%d", i), "Succeeded");
    }
    rig_run(rig, 5 * SKR_SECOND);
}

TEST(a_gang_that_ran_to_its_end_is_left_alone_too)
{
    for (int order = 0; order < ORDERS; order++) {
        SKR_AUTO(rig_destroy) struct rig *rig = cluster(0);
        run_to_the_end(rig);
        restart(rig, order);
        rig_run(rig, 5 * SKR_SECOND);
        assert_int_equal(pod_patches(rig), 0);
        assert_string_equal(rig_key(rig, "g", "status"), "Finished");
        assert_true(*rig_key(rig, "g", "placement"));
    }
}

TEST(d29_a_member_that_went_while_the_daemon_was_away_aborts_the_plan)
{
    for (int order = 0; order < ORDERS; order++) {
        struct rig *rig = cluster(0);
        rig_run(rig, SKR_SECOND);
        rig->hold_watch[RIG_POD] = true;
        rig_delete(rig, RIG_POD, "p-2");
        rig->hold_watch[RIG_POD] = false;
        restart(rig, order);
        rig_run(rig, SKR_SECOND);
        assert_string_equal(rig_state(rig, "g"), "Pending");
        rig_assert_clean(rig);
        rig_pod(rig, "p-2", "g", 0);
        assert_ends_bound(rig);
    }
}

TEST_RIG(cluster(0), d29_a_pod_missed_by_the_watch_frees_its_seat_when_its_name_comes_back)
{
    rig->hold_scheduler = false;
    rig_run(rig, 5 * SKR_SECOND);
    rig_delete(rig, RIG_POD, "p-1");
    while (rig->watches) { /* the deletion is missed */
        SKR_AUTO_FREE struct rig_watch *lost = rig->watches;
        rig->watches = NULL;
        json_decref(lost->json);
        free(lost->key);
        free(lost->uid);
    }
    rig_pod(rig, "p-1", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 4);
}

TEST(a_member_that_went_during_binding_leaves_a_seat_for_its_replacement)
{
    for (int order = 0; order < ORDERS; order++) {
        struct rig *rig = cluster(0);
        rig_run(rig, SKR_SECOND);
        rig->hold_kind = SKR_WRITE_BINDING;
        park(rig, 0, 4);
        rig_settle(rig);
        rig->hold_kind = SKR_WRITE_KIND_COUNT;
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "p-0"), RIG_OK);
        rig_delete(rig, RIG_POD, "p-3");
        restart(rig, order);
        park(rig, 1, 3);
        rig_settle(rig);
        assert_int_equal(rig_n_bound(rig, "g"), 3);
        rig_pod(rig, "p-3", "g", 0);
        rig->hold_scheduler = false;
        rig_run(rig, 10 * SKR_SECOND);
        assert_string_equal(rig_node_of(rig, "p-3"), "node-1");
        assert_string_equal(rig_label(rig, "p-3", "sakkara.member.rank"), "3");
        assert_ends_bound(rig);
    }
}

TEST(a_group_that_was_edited_meanwhile_is_planned_anew)
{
    static const struct {
        const char *edit;
        size_t bound;
    } cases[] = {{"{'data':{'size':'5'}}", 0},
                 {"{'data':{'size':'3'}}", 3},
                 {"{'data':{'constraints':'{\\'node\\':{\\'max\\':1}}'}}", 4},
                 {"{'data':{'constraints':'{'}}", 0},
                 {"{'data':{'priority':'7'}}", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int order = 0; order < ORDERS; order++) {
            SKR_AUTO(rig_destroy) struct rig *rig = cluster(0);
            rig_run(rig, SKR_SECOND);
            rig_edit(rig, RIG_MAP, "g", "%s", cases[i].edit);
            restart(rig, order);
            rig->hold_scheduler = false;
            rig_run(rig, 20 * SKR_SECOND);
            assert_int_equal(rig_n_bound(rig, "g"), cases[i].bound);
            if (i == 2) {
                assert_string_equal(rig_node_of(rig, "p-3"), "node-3");
            }
            rig_assert_clean(rig);
        }
    }
}

TEST(a_node_that_went_meanwhile_aborts_the_plan)
{
    for (int order = 0; order < ORDERS; order++) {
        struct rig *rig = cluster(0);
        rig_run(rig, SKR_SECOND);
        rig_delete(rig, RIG_NODE, "node-0");
        restart(rig, order);
        assert_ends_bound(rig);
    }
}

TEST(traces_of_a_plan_that_is_gone_are_cleared)
{
    for (int order = 0; order < ORDERS; order++) {
        struct rig *rig = cluster(0);
        rig_run(rig, SKR_SECOND);
        rig_delete(rig, RIG_MAP, "g");
        restart(rig, order);
        rig_run(rig, SKR_SECOND);
        rig_assert_clean(rig);
        assert_string_equal(rig_nominated(rig, "p-0"), "");
        assert_string_equal(rig_annotation(rig, RIG_POD, "p-0", "sakkara.plan"), "");
        assert_int_equal(pod_patches(rig), 4);
        rig_group(rig, "g", 4, 0, NULL);
        assert_ends_bound(rig);
    }
}

TEST(a_broken_plan_annotation_is_replaced_by_a_new_plan)
{
    static const char *const text[] = {"{", "{\\'v\\':9}", "[]", "{\\'v\\':1,\\'id\\':7}"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        struct rig *rig = cluster(0);
        rig_run(rig, SKR_SECOND);
        rig_edit(rig, RIG_MAP, "g", "{'metadata':{'annotations':{'sakkara.plan':'%s'}}}", text[i]);
        restart(rig, 0);
        assert_ends_bound(rig);
    }
}

/* Members of 12 on two nodes whose plan an older daemon has stored, in the order of bytes (p-10 before p-2), and told to
 * the first `told` of them. */
static struct rig *stored_by_older(int told)
{
    static const char *const order[] = {"p-0", "p-1", "p-10", "p-11", "p-2", "p-3",
                                        "p-4", "p-5", "p-6",  "p-7",  "p-8", "p-9"};
    struct rig *rig = rig_create();
    SKR_STRBUF(members);
    rig_racks(rig, 1, 2, 6);
    rig_group(rig, "g", 12, 0, NULL);
    rig_pods(rig, "p", 12, "g", 0);
    for (int i = 0; i < 12; i++) {
        skr_strbuf_addf(&members, "%s\\'%s\\':\\'node-%d\\'", i ? "," : "",
                        rig_find(rig, RIG_POD, order[i])->pod->meta.uid, i / 6);
    }
    rig_edit(
        rig, RIG_MAP, "g",
        "{'data':{'status':'Assigned'},'metadata':{'annotations':{'sakkara.plan':"
        "'{\\'v\\':1,\\'id\\':\\'0123456789abcdef\\',\\'state\\':\\'Planned\\',\\'nodes\\':{\\'"
        "node-0\\':6,"
        "\\'node-1\\':6},\\'members\\':{%s}}'}}}",
        members.s);
    for (int i = 0; i < told; i++) {
        rig_edit(
            rig, RIG_POD, order[i],
            "{'metadata':{'labels':{'sakkara.member.status':'Assigned','sakkara.member.rank':'%d',"
            "'sakkara.member.retries':'1','sakkara.member.plan':'01234567.1'},'annotations':"
            "{'sakkara.plan':'{\\'id\\':\\'0123456789abcdef\\',\\'node\\':\\'node-%d\\'}'}},"
            "'status':{'nominatedNodeName':'node-%d'}}",
            i, i / 6, i / 6);
    }
    return rig;
}

TEST(a_plan_that_an_older_daemon_stored_is_finished_on_the_same_nodes_with_each_rank_once)
{
    for (int told = 4; told <= 12; told += 4) { /* untold, it is made anew */
        int at[12] = {0};
        SKR_AUTO(rig_destroy) struct rig *rig = stored_by_older(told);
        rig_sync(rig);
        rig_run(rig, 60 * SKR_SECOND);
        rig_assert_bound(rig, "p", 12);
        for (int i = 0; i < 12; i++) {
            int rank = atoi(rig_label(rig, test_text("p-%d", i), "sakkara.member.rank"));
            assert_in_range(rank, 0, 11);
            assert_int_equal(at[rank]++, 0);
        }
        assert_string_equal(rig_node_of(rig, "p-10"), "node-0");
        assert_string_equal(rig_label(rig, "p-10", "sakkara.member.rank"), "2");
        assert_string_equal(rig_node_of(rig, "p-5"), "node-1");
        rig_assert_clean(rig);
        assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    }
}

TEST(two_groups_are_restored_before_either_plans)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.preemption = false; /* or it would take the plan back */
    for (int order = 0; order < ORDERS; order++) {
        struct rig *rig = rig_create_with(&settings);
        rig_racks(rig, 1, 2, 2);
        rig_group(rig, "g", 4, 0, NULL);
        rig_group(rig, "important", 4, 9, NULL);
        rig->hold_scheduler = true;
        rig_sync(rig);
        rig_pods(rig, "p", 4, "g", 0);
        rig_run(rig, SKR_SECOND);
        rig_pods(rig, "i", 4, "important", 0);
        restart(rig, order);
        rig_run(rig, SKR_SECOND);
        assert_string_equal(rig_nominated(rig, "i-0"), "");
        assert_ends_bound(rig);
    }
}

TEST_RIG(rig_create(), d23_members_outside_the_tree_are_adopted_and_ranked_last)
{
    rig_racks(rig, 1, 2, 4);
    rig_node(rig, "elsewhere", 4);
    rig_group(rig, "g", 3, 0, NULL);
    rig_pods(rig, "p", 3, "g", 0);
    rig_edit(rig, RIG_POD, "p-0", "{'spec':{'nodeName':'elsewhere'}}");
    rig_edit(rig, RIG_POD, "p-1", "{'spec':{'nodeName':'node-1'}}");
    rig_edit(rig, RIG_POD, "p-2", "{'spec':{'nodeName':'node-1'}}");
    rig_sync(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    assert_string_equal(rig_key(rig, "g", "rank"), "[(p-1,0) (p-2,1) (p-0,2)]");
    assert_string_equal(rig_label(rig, "p-0", "sakkara.member.rank"), "2");
    assert_non_null(strstr(rig_key(rig, "g", "placement"), "\"elsewhere\":{\"p-0\":{}}"));
}

TEST_RIG(rig_create(), d23_a_group_that_is_outside_the_tree_as_a_whole_is_adopted)
{
    rig_racks(rig, 1, 2, 4);
    rig_node(rig, "elsewhere", 4);
    rig_group(rig, "g", 1, 0, NULL);
    rig_pod(rig, "p", "g", 0);
    rig_edit(rig, RIG_POD, "p", "{'spec':{'nodeName':'elsewhere'}}");
    rig_sync(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "rank"), "[(p,0)]");
    assert_string_equal(rig_label(rig, "p", "sakkara.member.rank"), "0");
}

TEST(pods_in_intermediate_states_of_the_reference_start_as_pending)
{
    struct rig *rig = cluster(0);
    for (int i = 0; i < 4; i++) {
        rig_edit(rig, RIG_POD, test_text("p-%d", i),
                 "{'metadata':{'labels':{'sakkara.member.status':'Permitted'}}}");
    }
    rig_edit(rig, RIG_MAP, "g", "{'data':{'status':'Permitted','delayed-deletion':'x'}}");
    restart(rig, 0);
    assert_ends_bound(rig);
}

TEST(d28_links_to_preemptors_that_are_gone_are_removed)
{
    struct rig *rig = cluster(0);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'status':'Preempted','preemptor':'default/gone'}}");
    restart(rig, 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "preemptor"), "");
    assert_ends_bound(rig);
}

/* A gang whose members do not fit into the annotation: 800 UIDs of 260 bytes. */
static struct rig *long_plan(void)
{
    static char padding[251];
    memset(padding, 'x', 250);
    struct rig *rig = rig_create();
    rig->uid_padding = padding;
    rig->check_every = 500;
    rig_racks(rig, 4, 10, 30);
    rig_group(rig, "g", 800, 0, NULL);
    rig_sync(rig);
    rig->hold_kind = SKR_WRITE_UNGATE_POD;
    rig_pods(rig, "p", 800, "g", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    const char *plan = rig_annotation(rig, RIG_MAP, "g", "sakkara.plan");
    assert_true(*plan);
    assert_null(strstr(plan, "members"));
    return rig;
}

TEST_RIG(long_plan(), a_plan_too_long_for_its_members_is_given_up_when_not_all_were_told)
{
    for (int i = 0; i < 10; i++) {
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_UNGATE_POD, NULL), RIG_OK);
    }
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_restart(rig);
    rig_run(rig, 20 * SKR_SECOND); /* the watchdog sees that none is bound before all */
    rig_assert_bound(rig, "p", 800);
}

TEST_RIG(long_plan(), a_plan_too_long_for_its_members_is_rebuilt_from_them)
{
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    while (rig_find_write(rig, SKR_WRITE_UNGATE_POD, NULL)) {
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_UNGATE_POD, NULL), RIG_OK);
    }
    char rank[32];
    snprintf(rank, sizeof rank, "%s", rig_label(rig, "p-799", "sakkara.member.rank"));
    rig_forget_counts(rig);
    rig_restart(rig);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "p", 800);
    assert_int_equal(rig->n_solves, 0);
    assert_string_equal(rig_label(rig, "p-799", "sakkara.member.rank"), rank);
}

/* It led before, and knew why the group waited then. */
TEST_RIG(rig_create(), who_leads_again_says_nothing_old_of_a_group_that_was_planned_meanwhile)
{
    rig_racks(rig, 1, 1, 4);
    rig_group(rig, "g", 4, 0, NULL);
    rig_sync(rig);
    rig_start_standby(rig);
    rig_pod(rig, "ordinary", NULL, 0);
    rig_run(rig, SKR_SECOND);
    rig_pods(rig, "p", 4, "g", RIG_GATED);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "WaitingForCapacity");
    rig_fail_over(rig);
    rig_resume(rig, 0, true);
    rig->hold_scheduler = true;
    rig_delete(rig, RIG_POD, "ordinary");
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Assigned");
    assert_string_equal(rig_key(rig, "g", "reason"), "");
    rig_fail_over(rig);
    rig_resume(rig, 0, true);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Assigned");
    assert_string_equal(rig_key(rig, "g", "reason"), "");
    rig->hold_scheduler = false;
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 4);
}

/* A user may write it; the page of the group shows it as it is. */
TEST(a_placement_that_is_no_json_is_not_shown_after_a_restart)
{
    SKR_AUTO(rig_destroy) struct rig *rig = cluster(0);
    run_to_the_end(rig);
    rig->hold_writes = true;
    rig_edit(rig, RIG_MAP, "g", "{'data':{'placement':'{'}}");
    rig_restart(rig);
    SKR_STRBUF(page);
    skr_gang_write_json(rig->gang, &page);
    json_auto_t *json = json_loads(page.s, 0, NULL);
    assert_non_null(json);
    rig->hold_writes = false;
    rig_run(rig, 5 * SKR_SECOND);
}
