/* SPDX-License-Identifier: Apache-2.0 */
/* Groups with key movable, and one that would fit if they were elsewhere. */
#include <stdlib.h>
#include <string.h>

#include "core/gang/group/group_table.h"
#include "test/unit/engine_test.h"

/* Two nodes of two slots: one pod of a group on each, and w wants both slots of a node. */
static struct rig *split(enum skr_moves_mode mode, bool movable)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.moves_mode = mode;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 2, 2);
    for (int i = 0; i < 2; i++) {
        char name[8];
        snprintf(name, sizeof name, "m%d", i);
        rig_group(rig, name, 1, 0, NULL);
        if (movable) {
            rig_edit(rig, RIG_MAP, name, "{'data':{'movable':'true'}}");
        }
    }
    rig_group(rig, "w", 2, 0, "{'node':{'type':'pack','hard':true}}");
    rig_pod(rig, "plug", NULL, 0);
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    rig_pods(rig, "a", 1, "m0", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    rig_pods(rig, "b", 1, "m1", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    rig_delete(rig, RIG_POD, "plug");
    assert_string_not_equal(rig_node_of(rig, "a-0"), rig_node_of(rig, "b-0"));
    rig_pods(rig, "w", 2, "w", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    return rig;
}

TEST_RIG(split(SKR_MOVES_MODE_SHOW, true), an_explanation_says_which_group_would_have_to_move)
{
    rig_run(rig, 580 * SKR_SECOND);
    assert_string_equal(rig_also(rig, "w", "GroupsMayMove"), "");
    rig_run(rig, 30 * SKR_SECOND);
    assert_string_equal(rig_also(rig, "w", "GroupsMayMove"),
                        "group w would fit if 1 group moved: m0 (1 pod to node-1); evict its pods, "
                        "or have time.moves: auto");
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    const size_t events = rig->n_events;
    rig_run(rig, 3600 * SKR_SECOND); /* nothing changes: it is not sought again and again */
    assert_true(rig->n_events < events + 400);
    rig_pod(rig, "plug", NULL, 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_also(rig, "w", "GroupsMayMove"), "");
}

/* The problems of groups that would move end with the search, too. */
TEST(a_search_that_no_group_needs_ends)
{
    for (int lost = 0; lost < 2; lost++) {
        SKR_AUTO(rig_destroy) struct rig *rig = split(SKR_MOVES_MODE_SHOW, true);
        rig->hold_solves = true;
        rig_run(rig, 610 * SKR_SECOND);
        assert_true(rig->gang->moving.work != 0);
        const struct rig_solve *search = rig->solves;
        while (search && search->request->work.id != rig->gang->moving.work) {
            search = search->next;
        }
        assert_non_null(search);
        assert_false(atomic_load(&search->request->work.cancel));
        if (lost) {
            rig_event(rig, SKR_EVENT_LEADER_LOST);
        } else {
            rig_delete(rig, RIG_POD, "w-0");
            rig_settle(rig);
        }
        assert_true(atomic_load(&search->request->work.cancel));
        rig->hold_solves = false;
        rig_run(rig, 5 * SKR_SECOND);
        assert_null(skr_groups_find(rig->gang, "default/w")->moving.text);
        assert_true(rig->gang->moving.work == 0);
    }
}

TEST_RIG(split(SKR_MOVES_MODE_SHOW, true), a_leader_says_only_what_it_has_found_itself)
{
    rig_run(rig, 590 * SKR_SECOND);
    while (*rig_also(rig, "w", "GroupsMayMove") == '\0') {
        rig_run(rig, SKR_SECOND / 10);
    }
    rig_event(rig, SKR_EVENT_LEADER_LOST); /* before the next search may begin */
    assert_null(skr_groups_find(rig->gang, "default/w")->moving.text);
    rig_event(rig, SKR_EVENT_LEADER_WON);
    assert_string_equal(rig_also(rig, "w", "GroupsMayMove"), "");
    rig_run(rig, 620 * SKR_SECOND);
    assert_string_not_equal(rig_also(rig, "w", "GroupsMayMove"), "");
}

TEST(no_group_is_named_without_its_key_or_with_the_option_off)
{
    for (int how = 0; how < 2; how++) {
        SKR_AUTO(rig_destroy)
        struct rig *rig = split(how ? SKR_MOVES_MODE_OFF : SKR_MOVES_MODE_SHOW, how);
        rig_run(rig, 900 * SKR_SECOND);
        assert_string_equal(rig_also(rig, "w", "GroupsMayMove"), "");
    }
}

static const char *seats(const struct rig *rig, const char *group)
{
    return rig_annotation(rig, RIG_MAP, group, "sakkara.seats");
}

/* Its controller makes the pod anew as soon as it terminates or is gone. */
static void recreate(struct rig *rig, const char *pod, const char *group, const char *again)
{
    const struct rig_object *o = rig_find(rig, RIG_POD, pod);
    if ((!o || o->pod->meta.deleting) && !rig_find(rig, RIG_POD, again)) {
        rig_pod(rig, again, group, RIG_GATED);
    }
}

TEST(a_group_moves_and_the_one_that_waits_gets_its_room)
{
    SKR_AUTO(rig_destroy) struct rig *rig = split(SKR_MOVES_MODE_AUTO, true);
    rig->grace = 10 * SKR_SECOND;
    rig_run(rig, 606 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 1);
    assert_string_equal(rig_key(rig, "w", "status"), "Preempting");
    assert_non_null(strstr(rig_annotation(rig, RIG_MAP, "w", "sakkara.plan"),
                           "\"moved\":{\"default/m0\":{\"node-1\":1}}"));
    assert_non_null(strstr(seats(rig, "m0"), "\"by\":\"default/w\""));
    assert_string_equal(rig_key(rig, "m0", "status"), "Preempted");
    assert_string_equal(rig_key(rig, "m0", "reason"), "Moved");
    assert_string_equal(rig_key(rig, "m0", "preemptor"), "default/w");
    assert_true(rig_has_event(rig, "moves for group default/w to node node-1"));
    rig_pods(rig, "thief", 2, NULL, 0); /* no slot is for them */
    rig_pod(rig, "a-1", "m0", RIG_GATED);
    rig_run(rig, 30 * SKR_SECOND);
    rig_assert_bound(rig, "w", 2);
    assert_string_equal(rig_node_of(rig, "w-0"), "node-0");
    assert_string_equal(rig_node_of(rig, "w-1"), "node-0");
    assert_string_equal(rig_node_of(rig, "a-1"), "node-1");
    assert_string_equal(seats(rig, "m0"), "");
    assert_string_equal(rig_key(rig, "m0", "status"), "Bound");
    assert_string_equal(rig_key(rig, "m0", "preemptor"), "");
    rig_delete(rig, RIG_POD, "thief-0");
    rig_delete(rig, RIG_POD, "thief-1");
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_clean(rig);
}

TEST(the_place_of_a_group_that_moved_is_held_for_five_minutes)
{
    SKR_AUTO(rig_destroy) struct rig *rig = split(SKR_MOVES_MODE_AUTO, true);
    rig_run(rig, 610 * SKR_SECOND);
    rig_assert_bound(rig, "w", 2);
    rig_pod(rig, "thief", NULL, 0);
    rig_run(rig, 280 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "thief"), "");
    rig_run(rig, 40 * SKR_SECOND);
    rig_pod(rig, "later", NULL, 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "later"), "node-1");
    rig_delete(rig, RIG_POD, "thief");
    assert_string_equal(seats(rig, "m0"), "");
    rig_assert_clean(rig);
}

TEST(a_budget_or_a_higher_priority_keeps_a_group_where_it_is)
{
    for (int how = 0; how < 2; how++) {
        SKR_AUTO(rig_destroy) struct rig *rig = split(SKR_MOVES_MODE_AUTO, true);
        for (int i = 0; i < 2; i++) {
            char name[8];
            snprintf(name, sizeof name, "m%d", i);
            if (how == 0) {
                rig_budget(rig, name, name, 0);
            } else {
                rig_edit(rig, RIG_MAP, name, "{'data':{'priority':'1'}}");
            }
        }
        rig_run(rig, 1200 * SKR_SECOND);
        assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    }
}

/* The process dies at each write of a move. No pod of another group gets the place. */
TEST(killed_at_any_write_no_group_that_moves_lacks_its_place)
{
    size_t crashes = 0;
    for (size_t at = 1; at < 26; at++) {
        SKR_AUTO(rig_destroy) struct rig *rig = split(SKR_MOVES_MODE_AUTO, true);
        rig->grace = 5 * SKR_SECOND;
        rig_run(rig, 590 * SKR_SECOND);
        rig_pods(rig, "thief", 2, NULL, 0);
        rig_edit(rig, RIG_NODE, "node-0", "{'spec':{'unschedulable':null}}");
        rig_delete(rig, RIG_POD, "thief-0");
        rig_delete(rig, RIG_POD, "thief-1");
        rig_run(rig, 10 * SKR_SECOND);
        rig->crash_at = rig->n_applied + at;
        for (int s = 0; s < 60; s++) {
            rig_run(rig, SKR_SECOND);
            if (rig->crashed) {
                rig->crashed = false;
                crashes++;
                rig_restart(rig);
            }
            recreate(rig, "a-0", "m0", "a-1");
            if (!rig_find(rig, RIG_POD, "late") && rig_find(rig, RIG_POD, "a-1")) {
                rig_pod(rig, "late", NULL, 0);
            }
        }
        rig_assert_bound(rig, "w", 2);
        assert_string_equal(rig_node_of(rig, "a-1"), "node-1");
        assert_string_equal(rig_node_of(rig, "late"), "");
        rig_delete(rig, RIG_POD, "late");
        rig_run(rig, 60 * SKR_SECOND);
        rig_assert_clean(rig);
    }
    assert_true(crashes >= 12);
}

/* A user of one namespace writes a plan that moves a group, while the option is off. */
TEST_RIG(split(SKR_MOVES_MODE_SHOW, true), a_plan_that_a_user_writes_moves_no_group)
{
    rig_edit(
        rig, RIG_MAP, "w",
        "{'metadata':{'annotations':{'sakkara.plan':'{\\'v\\':1,\\'id\\':\\'0123456789abcdef\\',"
        "\\'state\\':\\'Preempting\\',\\'nodes\\':{\\'node-0\\':2},\\'members\\':{\\'%s\\':"
        "\\'node-0\\',\\'%s\\':\\'node-0\\'},\\'victims\\':[\\'default/m0\\'],\\'moved\\':{"
        "\\'default/m0\\':{\\'node-1\\':1}}}'}}}",
        rig_find(rig, RIG_POD, "w-0")->pod->meta.uid, rig_find(rig, RIG_POD, "w-1")->pod->meta.uid);
    rig_restart(rig);
    rig_run(rig, 30 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    assert_string_equal(seats(rig, "m0"), "");
}

/* ---- a promise of another group ---- */

/* m has run for 1000 of its 8000 seconds, as pod x has; r wants four slots. */
static struct rig *runs_beside_a_promise(int nodes, int size, const char *key)
{
    struct skr_settings settings;
    char text[64];
    skr_settings_default(&settings);
    settings.moves_mode = SKR_MOVES_MODE_AUTO;
    settings.move_after = 30 * SKR_SECOND;
    settings.reservations = 1;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, nodes, 2);
    skr_time_write(rig->now - 1000 * SKR_SECOND, 0, text, sizeof text);
    rig_group(rig, "m", size, 0, "{'node':{'type':'pack','hard':true}}");
    rig_edit(rig, RIG_MAP, "m",
             "{'data':{%s,'run-limit':'8000s','status':'Bound','schedBeginTime':'%s',"
             "'schedEndTime':'%s'}}",
             key, text, text);
    for (int i = 0; i <= size; i++) { /* the last one is x */
        char name[32];
        snprintf(name, sizeof name, "%s-%d", i < size ? "m" : "x", i);
        rig_pod(rig, name, i < size ? "m" : NULL, 0);
        rig_edit(rig, RIG_POD, name,
                 "{'metadata':{'labels':{'sakkara.member.rank':'%d'}},'spec':{'nodeName':'node-%d',"
                 "'activeDeadlineSeconds':8000},'status':{'phase':'Running','startTime':'%s'}}",
                 i, i < size ? 0 : nodes - 1, text);
    }
    rig_group(rig, "r", 4, 0, NULL);
    rig_edit(rig, RIG_MAP, "r", "{'data':{'run-limit':'5000s'}}");
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    return rig;
}

static void assert_promise_stays(struct rig *rig)
{
    SKR_AUTO_FREE char *start = skr_strdup(rig_key(rig, "r", "plannedStart"));
    assert_string_not_equal(start, "");
    for (int s = 0; s < 120; s++) {
        rig_run(rig, SKR_SECOND);
        recreate(rig, "m-0", "m", "m-2");
        recreate(rig, "m-1", "m", "m-3");
        assert_string_equal(rig_key(rig, "r", "plannedStart"), start);
    }
}

/* The pods of a group that moved have its whole run-limit again. */
TEST_RIG(runs_beside_a_promise(2, 1, "'movable':'true'"), a_move_delays_no_promise)
{
    rig_pods(rig, "r", 4, "r", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    rig_group(rig, "w", 2, 0, "{'node':{'type':'pack','hard':true}}");
    rig_edit(rig, RIG_MAP, "w", "{'data':{'run-limit':'100s'}}");
    rig_pods(rig, "w", 2, "w", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    assert_promise_stays(rig);
}

TEST_RIG(runs_beside_a_promise(3, 2, "'replace':'whole'"),
         a_group_that_is_replaced_delays_no_promise)
{
    char text[64];
    skr_time_write(rig->now, 0, text, sizeof text);
    rig_edit(rig, RIG_NODE, "node-0",
             "{'spec':{'taints':[{'key':'node.kubernetes.io/unreachable','effect':'NoSchedule'}]},"
             "'status':{'conditions':[{'type':'Ready','status':'Unknown','lastTransitionTime':'%s'}"
             "]}}",
             text);
    rig_run(rig, SKR_SECOND);
    rig_pods(rig, "r", 4, "r", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    assert_promise_stays(rig);
}

/* ---- random clusters ---- */

enum { NODES = 3, SLOTS = 3, RUNNERS = 4 };

struct dice {
    uint64_t state;
};

static int throw_dice(struct dice *d, int n)
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return (int)((d->state >> 33) % (uint64_t)n);
}

/* A group of that many pods on a node, which has run for long. */
static void runs_on(struct rig *rig, int group, int size, int node)
{
    char name[16], pod[24];
    snprintf(name, sizeof name, "m%d", group);
    rig_group(rig, name, size, 0,
              throw_dice(&(struct dice){(uint64_t)(group + size)}, 2)
                  ? "{'node':{'type':'pack','hard':true}}"
                  : NULL);
    rig_edit(rig, RIG_MAP, name,
             "{'data':{'movable':'true','status':'Bound','schedBeginTime':'2020-01-01T00:00:00Z',"
             "'schedEndTime':'2020-01-01T00:00:00Z'}}");
    for (int i = 0; i < size; i++) {
        snprintf(pod, sizeof pod, "m%d-%d", group, i);
        rig_pod(rig, pod, name, 0);
        rig_edit(
            rig, RIG_POD, pod,
            "{'metadata':{'labels':{'sakkara.member.rank':'%d'}},'spec':{'nodeName':'node-%d'},"
            "'status':{'phase':'Running'}}",
            i, node);
    }
}

/* Controllers: what is gone or terminates is made anew, once. */
static void recreate_all(struct rig *rig, const int *size, int n)
{
    for (int g = 0; g < n; g++) {
        for (int i = 0; i < size[g]; i++) {
            char pod[24], again[32], name[16];
            snprintf(pod, sizeof pod, "m%d-%d", g, i);
            snprintf(again, sizeof again, "m%d-%d-again", g, i);
            snprintf(name, sizeof name, "m%d", g);
            recreate(rig, pod, name, again);
        }
    }
}

static size_t n_bound_live(const struct rig *rig, int group, int size)
{
    size_t n = 0;
    for (int i = 0; i < 2 * size; i++) {
        char pod[32];
        snprintf(pod, sizeof pod, i < size ? "m%d-%d" : "m%d-%d-again", group, i % size);
        const struct rig_object *o = rig_find(rig, RIG_POD, pod);
        n += o && skr_pod_is_live(o->pod) && *o->pod->node_name;
    }
    return n;
}

/* Whatever moves, and whenever the process dies: in the end each group that ran runs, and what waits for
 * the room of a move has it. */
TEST(in_random_clusters_each_group_that_moves_is_whole_again)
{
    size_t moves = 0, crashes = 0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        struct dice d = {seed};
        struct skr_settings settings;
        skr_settings_default(&settings);
        settings.moves_mode = SKR_MOVES_MODE_AUTO;
        settings.move_after = SKR_SECOND;
        settings.moves_most = 1 + throw_dice(&d, 3);
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create_with(&settings);
        rig->grace = throw_dice(&d, 2) ? 3 * SKR_SECOND : 0;
        rig_racks(rig, 1, NODES, SLOTS);
        int size[RUNNERS], used[NODES] = {0}, n = 0;
        for (int i = 0; i < RUNNERS; i++) {
            const int node = throw_dice(&d, NODES), want = 1 + throw_dice(&d, 2);
            if (used[node] + want <= SLOTS) {
                runs_on(rig, n, want, node);
                used[node] += want;
                size[n++] = want;
            }
        }
        rig_group(rig, "w", 2 + throw_dice(&d, 2), 0, "{'node':{'type':'pack','hard':true}}");
        rig_sync(rig);
        rig_run(rig, SKR_SECOND);
        rig_pods(rig, "w", atoi(rig_key(rig, "w", "size")), "w", RIG_GATED);
        rig->crash_at = rig->n_applied + 1 + (size_t)throw_dice(&d, 40);
        rig->crash_before_answer = throw_dice(&d, 2);
        for (int s = 0; s < 60; s++) {
            rig_run(rig, SKR_SECOND);
            if (rig->crashed) {
                rig->crashed = false;
                crashes++;
                rig_restart(rig);
            }
            recreate_all(rig, size, n);
        }
        const bool moved = rig_has_event(rig, "moves for group");
        moves += moved;
        for (int g = 0; g < n; g++) {
            if (n_bound_live(rig, g, size[g]) != (size_t)size[g]) {
                rig_fail(rig, "seed %d: group m%d is not whole", (int)seed, g);
            }
        }
        if (moved && rig_n_bound(rig, "w") == 0) {
            rig_fail(rig, "seed %d: w has not got the room", (int)seed);
        }
        rig_run(rig, 400 * SKR_SECOND);
        rig_assert_clean(rig);
    }
    assert_true(moves >= 10);
    assert_true(crashes >= 20);
}
