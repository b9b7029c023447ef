/* SPDX-License-Identifier: Apache-2.0 */
/* A gang of many gated members costs what they are, not their square: filter waits behind it. */
#include <sys/resource.h>

#include "test/test.h"
#include "test/unit/engine_rig.h"

enum { TRIES = 3 };

/* Seconds of this process outside the kernel: page faults of a sanitizer are not the engine's. */
static double user_seconds(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
}

/* Processor seconds for n gated members of one group that is never complete, as they come. */
static double cost(int n)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig->check_every = 10000000;
    rig->hold_scheduler = true;
    rig_racks(rig, 1, 2, 8);
    rig_group(rig, "g", 30000, 0, NULL);
    rig_sync(rig);
    double begin = user_seconds();
    rig_pods(rig, "p", n, "g", RIG_GATED);
    rig_settle(rig);
    return user_seconds() - begin;
}

/* The least of some tries: what the machine does beside it only ever adds. */
static double least_cost(int n)
{
    double least = cost(n);
    for (int i = 1; i < TRIES; i++) {
        double took = cost(n);
        least = took < least ? took : least;
    }
    return least;
}

TEST(eight_times_the_members_cost_no_more_than_thirty_times_as_much)
{
    double few = least_cost(1250), many = least_cost(10000);
    if (many > 30 * few) { /* the square is 64 */
        fprintf(stderr, "1,250 members: %.3f s, 10,000: %.3f s\n", few, many);
    }
    assert_true(many <= 30 * few);
}

static size_t all_writes(struct rig *rig)
{
    size_t n = 0;
    for (int i = 0; i < SKR_WRITE_KIND_COUNT; i++) {
        n += rig_count(rig, (enum skr_write_kind)i, NULL);
    }
    return n;
}

/* A call of kube-scheduler waits for one event at most, and what an event costs is what it writes. */
TEST(no_event_of_a_large_gang_writes_more_than_a_thousand_objects)
{
    enum { MEMBERS = 1500, MOST = 1000 + 2 /* the map, an Event */ };
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    size_t most = 0;
    rig->check_every = 1000;
    rig->hold_scheduler = true;
    rig_racks(rig, 10, 15, 10);
    rig_group(rig, "g", MEMBERS, 0, NULL);
    rig_sync(rig);
    rig_pods(rig, "p", MEMBERS, "g", RIG_GATED);
    skr_time end = rig->now + 60 * SKR_SECOND;
    for (size_t before = all_writes(rig); rig_step(rig) || rig_advance(rig, end);
         before = all_writes(rig)) {
        size_t n = all_writes(rig) - before;
        most = n > most ? n : most;
        assert_true(n <= MOST);
    }
    assert_true(most > MEMBERS / 2); /* and they are written in a few events */
    rig->hold_scheduler = false;
    rig_run(rig, 30 * SKR_SECOND);
    rig_assert_bound(rig, "p", MEMBERS);
}
