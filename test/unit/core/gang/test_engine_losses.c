/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes that fail under a running gang, 1 to 64 at once: who is left stays where it is, the replacements are planned
 * together as soon as they are there, each with the rank of a lost one.
 */
#include "test/test.h"
#include "test/unit/engine_rig.h"

enum { GANG = 96, RACKS = 4, NODES = 48 }; /* a node holds one member */

struct seat {
    char node[32], rank[8];
};

static struct seat seat_of(const struct rig *rig, const char *pod)
{
    struct seat s;
    snprintf(s.node, sizeof s.node, "%s", rig_node_of(rig, pod));
    snprintf(s.rank, sizeof s.rank, "%s", rig_label(rig, pod, "sakkara.member.rank"));
    return s;
}

static void name_of(const char *prefix, int i, char *name, size_t size)
{
    snprintf(name, size, "%s-%d", prefix, i);
}

static struct rig *running_gang(const char *constraints)
{
    struct rig *rig = rig_create();
    rig->check_every = 64;
    rig_racks(rig, RACKS, NODES, 1);
    rig_sync(rig);
    rig_group(rig, "g", GANG, 0, constraints);
    rig_pods(rig, "p", GANG, "g", RIG_GATED);
    rig_run(rig, 2 * SKR_SECOND);
    rig_assert_bound(rig, "p", GANG);
    return rig;
}

/* The nodes of the first k members fail, and their pods go. */
static void lose(struct rig *rig, int k, struct seat *lost)
{
    for (int i = 0; i < k; i++) {
        char pod[16];
        name_of("p", i, pod, sizeof pod);
        lost[i] = seat_of(rig, pod);
        rig_edit(
            rig, RIG_NODE, lost[i].node,
            "{'spec':{'taints':[{'key':'node.kubernetes.io/unreachable','effect':'NoExecute'}]},"
            "'status':{'conditions':[{'type':'Ready','status':'Unknown'}]}}");
        rig_delete(rig, RIG_POD, pod);
    }
    rig_run(rig, SKR_SECOND);
}

static bool holds(const struct seat *seat, int n, const char *rank)
{
    bool found = false;
    for (int i = 0; i < n; i++) {
        found = found || strcmp(seat[i].rank, rank) == 0;
    }
    return found;
}

TEST(d9_lost_members_are_replaced_together_and_nobody_else_moves)
{
    for (int k = 1; k <= 64; k *= 2) {
        struct seat before[GANG], lost[GANG], after[GANG];
        SKR_AUTO(rig_destroy) struct rig *rig = running_gang(NULL);
        char pod[16];
        for (int i = 0; i < GANG; i++) {
            name_of("p", i, pod, sizeof pod);
            before[i] = seat_of(rig, pod);
        }
        lose(rig, k, lost);
        rig_forget_counts(rig);
        rig_pods(rig, "q", k, "g", RIG_GATED);
        rig_run(rig, SKR_SECOND);
        rig_assert_bound(rig, "q", k); /* within a second */
        assert_int_equal(rig->n_solves, 1);
        assert_int_equal(rig_count(rig, SKR_WRITE_BINDING, NULL), k);
        for (int i = 0; i < k; i++) {
            name_of("q", i, pod, sizeof pod);
            after[i] = seat_of(rig, pod);
            assert_true(holds(lost, k, after[i].rank) && !holds(after, i, after[i].rank));
        }
        for (int i = k; i < GANG; i++) {
            name_of("p", i, pod, sizeof pod);
            struct seat now = seat_of(rig, pod);
            assert_string_equal(now.node, before[i].node);
            assert_string_equal(now.rank, before[i].rank);
            assert_int_equal(rig_count(rig, SKR_WRITE_BINDING, pod), 0);
        }
        assert_string_equal(rig_key(rig, "g", "status"), "Bound");
        assert_string_equal(rig_key(rig, "g", "reason"), "");
    }
}

TEST(replacements_that_come_one_by_one_do_not_wait_for_each_other)
{
    struct seat lost[GANG];
    SKR_AUTO(rig_destroy) struct rig *rig = running_gang(NULL);
    lose(rig, 8, lost);
    for (int i = 0; i < 8; i++) {
        char pod[16];
        name_of("q", i, pod, sizeof pod);
        rig_pod(rig, pod, "g", RIG_GATED);
        rig_run(rig, SKR_SECOND);
        assert_true(*rig_node_of(rig, pod) != '\0');
    }
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
}

/* ---- no seat is left ---- */

#define BROKEN                                                                            \
    "{'spec':{'taints':[{'key':'node.kubernetes.io/unreachable','effect':'NoExecute'}]}," \
    "'status':{'conditions':[{'type':'Ready','status':'Unknown'}]}}"
#define REPAIRED \
    "{'spec':{'taints':null},'status':{'conditions':[{'type':'Ready','status':'True'}]}}"

/* A gang of four in rack-0, which is hard, loses node-0 with two members; so many pods come for them. Of rack-1 used
 * slots are taken. */
static struct rig *gang_without_room(int replacements, int used)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 2, 2);
    rig_sync(rig);
    rig_group(rig, "g", 4, 0, "{'rack':{'hard':true}}");
    rig_pods(rig, "p", 4, "g", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    for (int i = 0; i < used; i++) {
        char name[16];
        name_of("w", i, name, sizeof name);
        rig_pod(rig, name, NULL, 0);
        rig_edit(rig, RIG_POD, name, "{'spec':{'nodeName':'node-2'},'status':{'phase':'Running'}}");
    }
    rig_edit(rig, RIG_NODE, "node-0", BROKEN);
    for (int i = 0; i < 4; i++) {
        char name[16];
        name_of("p", i, name, sizeof name);
        if (strcmp(rig_node_of(rig, name), "node-0") == 0) {
            rig_delete(rig, RIG_POD, name);
        }
    }
    rig_pods(rig, "q", replacements, "g", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    return rig;
}

static const struct choice {
    const char *title;
    int replacements, used;
    const char *message;
} choices[] = {
    {"the whole gang has room elsewhere", 2, 0,
     "group g needs 2 more slots beside the 2 it holds, there would be too few if all other pods "
     "were gone, 0 fit now: 2 members sit in rack-0, the rule is hard; all 4 would fit in rack-1 "
     "if they started anew, or a size of 2 would do"},
    {"elsewhere there is too little", 2, 1,
     "group g needs 2 more slots beside the 2 it holds, there would be too few if all other pods "
     "were gone, 0 fit now: 2 members sit in rack-0, the rule is hard; a size of 2 would do"},
    {"a member is missing: all of them are not there to start anew", 1, 0,
     "group g needs 1 more slot beside the 2 it holds, there would be too few if all other pods "
     "were gone, 0 fit now: 2 members sit in rack-0, the rule is hard; a size of 2 would do"},
};

TEST_EACH(choice, choices, a_lost_member_without_a_seat_hears_which_choice_is_left)
{
    SKR_AUTO(rig_destroy) struct rig *rig = gang_without_room(choice->replacements, choice->used);
    assert_string_equal(rig_key(rig, "g", "message"), choice->message);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    assert_int_equal(rig_n_bound(rig, "g"), 2);
}

/* The message is no more than what becomes true. */
TEST(each_choice_that_is_left_to_a_lost_member_makes_the_gang_whole)
{
    struct rig *rig = gang_without_room(2, 0); /* the room there */
    rig_edit(rig, RIG_NODE, "node-0", REPAIRED);
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
    assert_string_equal(rig_key(rig, "g", "reason"), "");
    rig_destroy(rig);

    rig = gang_without_room(2, 0); /* a smaller size */
    rig_edit(rig, RIG_MAP, "g", "{'data':{'size':'2'}}");
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 2);
    assert_string_equal(rig_key(rig, "g", "reason"), "");
    rig_destroy(rig);

    rig = gang_without_room(2, 0); /* all of them anew */
    for (int i = 0; i < 4; i++) {
        char name[16];
        name_of("p", i, name, sizeof name);
        if (*rig_node_of(rig, name)) {
            rig_delete(rig, RIG_POD, name);
        }
    }
    rig_pods(rig, "r", 2, "g", RIG_GATED);
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
    assert_string_equal(rig_key(rig, "g", "reason"), "");
    for (int i = 0; i < 2; i++) {
        char name[16];
        name_of("q", i, name, sizeof name);
        const char *node = rig_node_of(rig, name);
        assert_true(strcmp(node, "node-2") == 0 || strcmp(node, "node-3") == 0);
    }
    rig_destroy(rig);
}

/* ---- members outside the tree ---- */

static const struct outside {
    const char *title, *tree, *lost, *message;
} outsides[] = {
    {"all of them", "{\\'a\\':{\\'node-2\\':{}}}", "p-3",
     "group g needs 1 more slot beside the 3 it holds, 0 are free on eligible nodes; a size of 3 "
     "would do"},
    {"some of them", "{\\'a\\':{\\'node-1\\':{}},\\'b\\':{\\'node-2\\':{}}}", "p-0",
     "group g needs 1 more slot beside the 3 it holds, there would be too few if all other pods "
     "were gone, 0 fit now: 2 members sit in a, 1 outside the tree, the rule is hard; a size of 3 "
     "would do"},
};

TEST_EACH(outside, outsides, members_outside_the_tree_are_among_those_that_a_group_holds)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig_racks(rig, 2, 2, 2);
    rig_gang(rig, "g", 4, "p", 4, RIG_GATED);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'constraints':'{\\'rack\\':{\\'hard\\':true}}'}}");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
    for (int i = 0; i < 2; i++) {
        char name[16];
        name_of("w", i, name, sizeof name);
        rig_pod(rig, name, NULL, 0);
        rig_edit(rig, RIG_POD, name, "{'spec':{'nodeName':'node-2'},'status':{'phase':'Running'}}");
    }
    rig_edit(rig, RIG_MAP, "topology", "{'data':{'tree':'%s'}}", outside->tree);
    rig_delete(rig, RIG_POD, outside->lost);
    rig_run(rig, SKR_SECOND);
    rig_pod(rig, "q", "g", RIG_GATED);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "message"), outside->message);
    const json_t *need = json_object_get(rig_explain(rig, "g"), "need");
    assert_int_equal(json_integer_value(json_object_get(need, "slots")), 1);
    assert_int_equal(json_integer_value(json_object_get(need, "held")), 3);
}

TEST(a_running_group_whose_pods_are_all_deleted_has_none_of_its_members)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig_racks(rig, 2, 2, 2);
    rig_gang(rig, "g", 4, "p", 4, RIG_GATED);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
    for (int i = 0; i < 4; i++) {
        char pod[16];
        name_of("p", i, pod, sizeof pod);
        rig_delete(rig, RIG_POD, pod);
        rig_run(rig, SKR_SECOND);
    }
    rig_run(rig, 30 * SKR_SECOND); /* a new text of the same reason is written with delay */
    assert_string_equal(rig_key(rig, "g", "reason"), "MembersMissing");
    assert_string_equal(rig_key(rig, "g", "message"), "group g has 0 of 4 members");
}
