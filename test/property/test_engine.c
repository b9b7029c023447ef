/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine under random events (engine_world.h). The rig's watchdog and its judges of preemption look at every
 * request (engine_rig.h). In the end the world is mended, and everything that can be bound is bound, with no
 * traces left.
 *
 * SKR_SEED=n plays one seed, SKR_STEPS=n its length, SKR_SEEDS=n how many, SKR_ONLY=,3,17, these
 * steps alone; SKR_CRASH kills the daemon; SKR_RIG_TRACE=1 prints. test/explore.sh plays many and shortens one that fails.
 */
#include "test/property/engine_world.h"
#include "test/test.h"

#ifdef SKR_DEBUG
/* The sanitizers' builds. As many events in more worlds: the ends of long schedules cost most, and are judged without. */
enum { STEPS = 500, SEEDS = 36 };
#else
enum { STEPS = 1500, SEEDS = 12 };
#endif

/* Whether SKR_ONLY, a list of numbers ",3,17,", names the step, or there is none. */
static bool is_played(int step)
{
    const char *only = getenv("SKR_ONLY");
    char number[16];
    if (!only) {
        return true;
    }
    snprintf(number, sizeof number, ",%d,", step);
    return strstr(only, number);
}

/* Evictions of all schedules: exploring without any would show nothing of them. */
static size_t evictions;

struct way {
    bool plain;    /* nothing is kept between solves */
    bool unlogged; /* world.rig->log stays empty */
    size_t die_at; /* struct rig; counted from the first step on */
    bool die_sent;
    uint64_t hash_seed;
};

static void play(struct world *w, uint64_t seed, int steps, struct way way)
{
    world_begin(w, seed, way.plain, way.hash_seed);
    w->rig->keeps_no_log = way.unlogged;
    w->rig->n_actions = 0;
    w->rig->die_at = way.die_at;
    w->rig->die_sent = way.die_sent;
    for (int i = 0; i < steps; i++) {
        if (is_played(i)) {
            world_step(w, seed, i);
        }
    }
    if (seed % 3 == 1) { /* a loop of refusals shows while the world is as it is */
        world_run(w, 50 * SKR_SECOND);
    }
    evictions += w->rig->n_writes[SKR_WRITE_EVICT];
    world_calm(w);
    world_run(w, 600 * SKR_SECOND);
    world_check_reasons(w);
    world_mend(w);
    world_run(w, 1800 * SKR_SECOND);
    world_check_mended(w);
}

/* All actions as text; free() it. */
static char *actions_of(uint64_t seed, int steps, struct way way)
{
    struct world w;
    play(&w, seed, steps, way);
    char *log = skr_strbuf_take(&w.rig->log, NULL);
    world_fini(&w);
    return log;
}

static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

/* Returns its actions. */
static size_t play_once(uint64_t seed, int steps, size_t die_at, bool die_sent)
{
    struct world w;
    if (die_at > 0) {
        fprintf(stderr, "crash %zu%s\n", die_at, die_sent ? "+" : "");
    }
    play(&w, seed, steps, (struct way){.unlogged = true, .die_at = die_at, .die_sent = die_sent});
    size_t n = w.rig->n_actions;
    world_fini(&w);
    return n;
}

/* SKR_CRASH=17 dies after the 17th action, and 17+ after all that was asked for has arrived; SKR_CRASH=all after
 * every one in turn, in both ways. */
static void explore(uint64_t seed, int steps)
{
    const char *crash = getenv("SKR_CRASH");
    bool all = crash && strcmp(crash, "all") == 0;
    size_t at = crash && !all ? (size_t)atoi(crash) : 0;
    size_t n = play_once(seed, steps, at, crash && strchr(crash, '+'));
    for (size_t k = 1; all && k <= n; k++) {
        play_once(seed, steps, k, false);
        play_once(seed, steps, k, true);
    }
}

TEST(everything_that_can_be_bound_is_bound_whatever_happened)
{
    int first = number("SKR_SEED", 1), n = number("SKR_SEEDS", getenv("SKR_SEED") ? 1 : SEEDS);
    for (int seed = first; seed < first + n; seed++) {
        fprintf(stderr, "seed %d\n", seed);
        explore((uint64_t)seed, number("SKR_STEPS", STEPS));
    }
    fprintf(stderr, "%zu evictions\n", evictions);
    assert_true(getenv("SKR_SEED") || evictions > 0);
}

TEST(the_same_events_give_the_same_actions_byte_for_byte)
{
    for (uint64_t seed = 1000; seed < 1003 && !getenv("SKR_SEED"); seed++) {
        const struct way way = {.plain = false};
        char *one = actions_of(seed, 600, way), *two = actions_of(seed, 600, way);
        assert_string_equal(one, two);
        free(one);
        free(two);
    }
}

/* Says where the two part. */
static void assert_same_lines(const char *a, const char *b)
{
    size_t line = 0, at = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++) {
        at = a[i] == '\n' ? i + 1 : at;
        line += a[i] == '\n';
    }
    if (strcmp(a, b) != 0) {
        fail_msg("action %zu:\n%.400s\nbut\n%.400s", line, a + at, b + at);
    }
}

TEST(what_is_kept_changes_no_action)
{
    int first = number("SKR_SEED", 2000), n = number("SKR_SEEDS", SEEDS / 2);
    for (int seed = first; seed < first + n; seed++) {
        int steps = number("SKR_STEPS", STEPS);
        fprintf(stderr, "seed %d\n", seed);
        SKR_AUTO_FREE char *kept = actions_of((uint64_t)seed, steps, (struct way){.plain = false});
        SKR_AUTO_FREE char *plain = actions_of((uint64_t)seed, steps, (struct way){.plain = true});
        assert_same_lines(kept, plain);
    }
}

/* Every process has another one. */
TEST(the_seed_of_hashes_changes_no_action)
{
    for (uint64_t seed = 3000; seed < 3003 && !getenv("SKR_SEED"); seed++) {
        SKR_AUTO_FREE char *one = actions_of(seed, 600, (struct way){.hash_seed = 1});
        SKR_AUTO_FREE char *two = actions_of(seed, 600, (struct way){.hash_seed = UINT64_MAX});
        assert_same_lines(one, two);
    }
}
