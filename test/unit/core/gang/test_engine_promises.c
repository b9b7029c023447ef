/* SPDX-License-Identifier: Apache-2.0 */
/* Promises stay: when who leads dies or changes at any write, and when nothing changes. */
#include "core/gang/cache/booked.h"
#include "core/gang/time/told.h"
#include "test/unit/engine_rig_failover.h"
#include "test/unit/limits_scene.h"

enum {
    HELD = 3,
    GREEDY_AT = 5,
    PROMISED_FOR = 90,
    STORY_S = 340,
    SLACK_S = 2 * HELD, /* kubelets of this test take two seconds */
};

/* Who waits, and who they wait for. */
static const struct {
    const char *name;
    int size, limit;
} held[HELD + 1] = {{"a", 4, 50}, {"b", 3, 50}, {"c", 2, 120}, {"run", 2, 100}};

struct story {
    struct rig *rig;
    int64_t want[HELD]; /* starts when no process dies; 0: not known yet */
    int ends[HELD + 1]; /* 0: it has not begun */
};

/* Kubelets start what is bound, and end it at its limit. */
static void live(struct story *s, int t)
{
    for (int i = 0; i <= HELD; i++) {
        if (s->ends[i] == 0 && limits_bound(s->rig, held[i].name) == held[i].size) {
            limits_start(s->rig, held[i].name, held[i].size);
            s->ends[i] = t + held[i].limit;
        } else if (s->ends[i] == t) {
            limits_end(s->rig, held[i].name, held[i].size);
        }
    }
}

/* Which promises stand; a group without one has a plan, or is bound. */
static void judge(struct story *s, int t)
{
    for (int i = 0; i < HELD; i++) {
        const struct group *g = limits_group(s->rig, held[i].name);
        const struct booking *b = g->booking;
        if (!b && limits_bound(s->rig, held[i].name) == 0 && s->ends[i] == 0 && !g->plan) {
            rig_fail(s->rig, "%s lost its promise at %d s", held[i].name, t);
        }
        const int64_t late = b ? b->start - s->want[i] : 0;
        if (t < PROMISED_FOR ? late != 0 : late > SLACK_S) {
            rig_fail(s->rig, "the promise of %s moved by %lld s at %d s", held[i].name,
                     (long long)late, t);
        }
        if (s->ends[i] == 0 && limits_now(s->rig) > s->want[i] + SLACK_S) {
            rig_fail(s->rig, "%s does not begin at its start", held[i].name);
        }
    }
    if (s->ends[HELD - 1] == 0 && limits_bound(s->rig, "greedy") > 0) {
        rig_fail(s->rig, "a pod without an end started into reserved room at %d s", t);
    }
}

static void note(struct story *s)
{
    for (int i = 0; i < HELD; i++) {
        const struct booking *b = limits_group(s->rig, held[i].name)->booking;
        assert_non_null(b);
        s->want[i] = s->want[i] > 0 ? s->want[i] : b->start;
    }
}

/* Two of four nodes are busy for 100 s, so each group waits for the one before it. The process dies at
 * write k of those that follow, or another one leads from then on; 0: at none. Whether it did. */
static bool play(int64_t want[HELD], size_t k, bool before_answer, bool other_leads)
{
    SKR_AUTO(rig_destroy) struct rig *rig = limits_four_nodes(HELD);
    struct story s = {.rig = rig};
    bool fell = false;
    memcpy(s.want, want, sizeof s.want);
    limits_gang(rig, "run", 2, 0, 100);
    rig_run(rig, SKR_SECOND);
    live(&s, 1);
    if (other_leads) {
        rig_start_standby(rig);
    }
    rig->crash_at = k > 0 ? rig->n_applied + k : 0;
    rig->crash_before_answer = before_answer;
    for (int t = 1; t < STORY_S; t++) {
        if (t <= HELD) {
            limits_gang(rig, held[t - 1].name, held[t - 1].size, 0, held[t - 1].limit);
        } else if (t == GREEDY_AT) {
            limits_gang(rig, "greedy", 2, 0, 0);
        }
        const skr_time end = rig->now + SKR_SECOND;
        rig_run(rig, SKR_SECOND);
        const bool falls = rig->crashed;
        if (falls) {
            fell = true;
            rig->crash_at = 0;
            rig->crashed = false;
            other_leads ? rig_fail_over(rig) : rig_restart(rig);
            rig_run(rig, end - rig->now);
        }
        live(&s, t);
        if (t == GREEDY_AT - 1) {
            note(&s);
        } else if (t >= GREEDY_AT && !falls) {
            judge(&s, t);
        }
    }
    assert_int_equal(limits_bound(rig, "greedy"), 2);
    assert_true(s.ends[0] && s.ends[1] && s.ends[2]);
    memcpy(want, s.want, sizeof s.want);
    return fell;
}

TEST(killed_at_any_write_the_promises_stay)
{
    int64_t want[HELD] = {0};
    size_t k = 1;
    play(want, 0, false, false);
    assert_true(want[0] < want[1] && want[1] < want[2]);
    for (; play(want, k, false, false); k++) {
        play(want, k, true, false);
    }
    assert_true(k > 40);
}

TEST(led_by_another_process_from_any_write_on_they_stay_too)
{
    int64_t want[HELD] = {0};
    size_t k = 1;
    play(want, 0, false, true);
    while (play(want, k, k % 2, true)) {
        k++;
    }
    assert_true(k > 40);
}

/* No process runs while what all wait for ends, so the next one knows of no limit. Beside the first group
 * that starts there is room for a pod without an end, which the second one needs later. */
TEST_RIG(limits_four_nodes(HELD), what_ends_while_no_process_runs_lets_no_pod_into_a_promise)
{
    limits_gang(rig, "run", 2, 0, 100);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "run", 2);
    limits_gang(rig, "first", 3, 0, 50);
    rig_run(rig, SKR_SECOND);
    limits_gang(rig, "last", 4, 0, 50);
    rig_run(rig, SKR_SECOND);
    limits_gang(rig, "greedy", 1, 0, 0);
    rig_run(rig, 15 * SKR_SECOND);
    const int64_t start = limits_group(rig, "last")->booking->start;
    rig->hold_watch[RIG_POD] = true;
    limits_end(rig, "run", 2);
    rig_restart(rig);
    rig->hold_watch[RIG_POD] = false;
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "first"), 3);
    assert_int_equal(limits_bound(rig, "greedy"), 0);
    assert_true(limits_group(rig, "last")->booking->start <= start);
}

/* ---- many groups ---- */

enum { CROWD = 200, ROUNDS = 1000 };

/* Two of four nodes stay busy, and so many groups wait; a closed node is beside them. */
static struct rig *crowd(void)
{
    struct rig *rig = limits_four_nodes(HELD);
    rig_node(rig, "closed", 1);
    rig_edit(rig, RIG_NODE, "closed", "{'spec':{'unschedulable':true}}");
    limits_gang(rig, "run", 2, 0, 100000);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "run", 2);
    rig->check_every = 500;
    for (int i = 0; i < CROWD; i++) {
        limits_gang(rig, test_text("g%03d", i), 3 + i % 2, 0, 50 + i);
    }
    rig_run(rig, 100 * SKR_SECOND);
    return rig;
}

static uint64_t rounds(const struct rig *rig)
{
    uint64_t n = 0;
    for (size_t i = 0; i <= SKR_DURATION_BUCKETS_MAX; i++) {
        n += rig->gang->stats.rounds.n[i];
    }
    return n;
}

/* A pod that comes to the closed node and leaves it is a change of room, and of no promise. */
TEST_RIG(crowd(), a_thousand_rounds_that_change_nothing_write_nothing)
{
    const uint64_t before = rounds(rig);
    size_t writes = 0;
    assert_int_equal(rig->gang->bookings.n, HELD);
    rig_forget_counts(rig);
    for (int i = 0; i < ROUNDS; i++) {
        rig_create_json(rig, RIG_POD, "foreign",
                        "{'spec':{'schedulerName':'other','nodeName':'closed','containers':[{"
                        "'name':'main','resources':{'requests':{'cpu':'1'}}}]},'status':{"
                        "'phase':'Running'}}");
        rig_settle(rig);
        rig_delete(rig, RIG_POD, "foreign");
        rig_run(rig, SKR_SECOND);
    }
    for (size_t i = 0; i < SKR_WRITE_KIND_COUNT; i++) {
        writes += rig->n_writes[i];
    }
    assert_true(rounds(rig) - before >= ROUNDS);
    assert_int_equal(writes, 0);
}

/* ---- clocks ---- */

/* Two of four nodes are busy by pods, or by a Job, that end in 100 s; group big waits. */
static struct rig *waiting(bool for_job)
{
    struct rig *rig = for_job ? limits_four_nodes(1) : limits_waiting(1);
    if (for_job) {
        limits_job_gang(rig, "run", 2, 100);
        rig_run(rig, SKR_SECOND);
        limits_gang(rig, "big", 4, 0, 50);
    }
    rig_run(rig, 15 * SKR_SECOND);
    return rig;
}

/* The engine's time never goes back, but the next process has the clock of its machine. What began after
 * its now ends as long after that as it may run: earlier than was promised, and not ever later. */
static void jump(bool for_job, int seconds)
{
    SKR_AUTO(rig_destroy) struct rig *rig = waiting(for_job);
    int64_t start = limits_group(rig, "big")->booking->start;
    rig->now += seconds * SKR_SECOND;
    rig_restart(rig);
    limits_gang(rig, "greedy", 2, 0, 0);
    rig_run(rig, SKR_SECOND);
    const struct booking *b = limits_group(rig, "big")->booking;
    assert_true(seconds < -1 ? b->start < start : b->start == start);
    start = b->start;
    for (int t = 0; t < 20; t++) {
        rig_run(rig, SKR_SECOND);
        rig_edit(rig, RIG_POD, "run-0", "{'metadata':{'labels':{'tick':'%d'}}}", t);
        assert_int_equal(limits_group(rig, "big")->booking->start, start);
    }
    assert_int_equal(limits_bound(rig, "greedy"), 0);
    limits_end(rig, "run", 2);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "big"), 4);
}

TEST(a_clock_that_jumps_moves_no_promise)
{
    static const int jumps[] = {-3600, -60, -1, 1, 60};
    for (size_t i = 0; i < 2 * sizeof jumps / sizeof *jumps; i++) {
        jump(i % 2, jumps[i / 2]);
    }
}

/* ---- without reservations ---- */

enum { COMERS = 40, ROOMY = 100 };

/* Writes without their numbers, and decisions. */
static void add_decisions(const struct rig *rig, struct skr_strbuf *ret)
{
    for (const char *line = rig->log.s, *end; line && (end = strchr(line, '\n')); line = end + 1) {
        int kind = 0, at = 0, number = 0;
        sscanf(line, "%*d %d %n%*d%n", &kind, &at, &number);
        const char *from = kind == SKR_ACTION_WRITE ? line + number : line + at;
        if (kind == SKR_ACTION_WRITE || kind == SKR_ACTION_DECISION) {
            skr_strbuf_addn(ret, from, (size_t)(end - from) + 1);
        }
    }
}

/* A pod that no filter saw is on the place until 45 s after the start. */
TEST_RIG(limits_waiting(1), a_move_is_told_and_the_first_promise_stays_what_starts_are_measured_by)
{
    const int64_t first = limits_group(rig, "big")->booking->start;
    rig_run(rig, SKR_SECOND);
    rig_create_json(rig, RIG_POD, "foreign-0",
                    "{'spec':{'schedulerName':'other','nodeName':'node-2','activeDeadlineSeconds':"
                    "%lld,'terminationGracePeriodSeconds':0,'containers':[{'name':'main',"
                    "'resources':{'requests':{'cpu':'1'}}}]}}",
                    (long long)(first + 45 - limits_now(rig)));
    limits_start(rig, "foreign", 1);
    rig_run(rig, 15 * SKR_SECOND);
    const struct booking *b = limits_group(rig, "big")->booking;
    assert_in_range(b->start, first + SKR_MOVE_S + 1, first + TOLD_MOVE_S);
    assert_int_equal(b->promised, first);
    assert_string_equal(rig_key(rig, "big", "plannedWhy"),
                        "when default/foreign-0 must end; moved: RoomTaken");
    assert_true(rig_has_event(rig, "GroupStartMoved"));
}

/* Groups come at random, run and end, and there is room for all of them. */
static void decide(int64_t reservations, uint64_t seed, struct skr_strbuf *ret)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.reservations = reservations;
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create_with(&settings);
    char name[32];
    int size[COMERS] = {0}, ends[COMERS] = {0};
    rig_racks(rig, 2, ROOMY, 1);
    rig_sync(rig);
    for (int t = 0; t < COMERS * 4; t++) {
        const int comes = t % 2 == 0 ? t / 2 : COMERS;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        for (int i = 0; i <= comes && i < COMERS; i++) {
            snprintf(name, sizeof name, "g%02d", i);
            if (i == comes) {
                size[i] = 1 + (int)(seed >> 33) % 4;
                ends[i] = t + 5 + (int)(seed >> 40) % 60;
                limits_gang(rig, name, size[i], (int)(seed >> 50) % 2,
                            (int64_t)(seed >> 45) % 3 * 70);
            } else if (ends[i] == t) {
                limits_end(rig, name, size[i]);
            } else if (t == 2 * i + 3) {
                limits_start(rig, name, size[i]);
            }
        }
        rig_run(rig, SKR_SECOND);
    }
    add_decisions(rig, ret);
}

TEST(where_no_group_waits_reservations_change_no_byte_of_a_decision)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        SKR_STRBUF(without);
        SKR_STRBUF(with);
        decide(0, seed, &without);
        decide(HELD, seed, &with);
        assert_true(without.len > 10000);
        assert_string_equal(with.s, without.s);
    }
}

/* What an earlier process promised is told to be over while the first round that asks about it is under way. */
TEST_RIG(limits_waiting(1), a_promise_that_is_over_is_counted_once)
{
    uint64_t moves = 0;
    assert_true(*rig_annotation(rig, RIG_MAP, "big", "sakkara.reservation"));
    rig_delete(rig, RIG_POD, "big-3");
    rig_create_json(rig, RIG_POD, "endless",
                    "{'metadata':{},'spec':{'nodeName':'node-3','containers':[{'name':'c',"
                    "'resources':{'requests':{'cpu':'1'}}}]},'status':{'phase':'Running'}}");
    rig_restart(rig);
    rig_run(rig, SKR_SECOND);
    rig->hold_solves = true;
    limits_pod(rig, "big-3", "big", 50);
    rig_run(rig, 100 * SKR_MILLISECOND);
    rig->hold_solves = false;
    rig_step_solve(rig); /* it does not fit now; the round is next */
    rig->hold_solves = true;
    rig_run(rig, 10 * SKR_SECOND);
    rig->hold_solves = false;
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_annotation(rig, RIG_MAP, "big", "sakkara.reservation"), "");
    for (size_t i = 0; i < SKR_MOVE_CAUSE_COUNT; i++) {
        moves += rig->gang->stats.moves[i];
    }
    assert_int_equal(moves, 1);
}

/* The process that binds it has no topology, so no round of it has looked at any promise. */
TEST_RIG(limits_waiting(1), a_promise_is_over_when_the_group_is_bound_also_before_the_first_round)
{
    rig->hold_scheduler = true;
    limits_end(rig, "run", 2);
    rig_run(rig, SKR_SECOND);
    assert_non_null(limits_group(rig, "big")->plan);
    rig_edit(rig, RIG_MAP, "topology", "{'data':{'tree':'{'}}");
    rig_restart(rig);
    rig->hold_scheduler = false;
    rig_run(rig, SKR_SECOND);
    assert_int_equal(limits_bound(rig, "big"), 4);
    assert_string_equal(rig_annotation(rig, RIG_MAP, "big", "sakkara.reservation"), "");
    assert_null(strstr(rig_key(rig, "big", "conditions"), "Reserved"));
    limits_end(rig, "big", 4);
    limits_pod(rig, "big-4", "big", 50);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "big"), "Pending");
    rig_edit(rig, RIG_MAP, "topology", "{'data':{'tree':'{\\'rack-0\\':{\\'node-0\\':{}}}'}}");
    rig_run(rig, 10 * SKR_SECOND); /* no promise moves then: the rig judges it */
    assert_false(rig->gang->rounds.first);
}
