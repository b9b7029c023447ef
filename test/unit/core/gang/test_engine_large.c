/* SPDX-License-Identifier: Apache-2.0 */
/* A gang of many gated members costs what they are, not their square: filter waits behind it. */
#include <stdio.h>
#include <time.h>

#include "test/test.h"
#include "test/unit/engine_rig.h"

/* Processor seconds for n gated members of one group that is never complete, as they come. */
static double cost(int n)
{
    struct rig *rig = rig_create();
    rig->check_every = 10000000;
    rig->hold_scheduler = true;
    rig_racks(rig, 1, 2, 8);
    rig_group(rig, "g", 30000, 0, NULL);
    rig_sync(rig);
    clock_t begin = clock();
    rig_pods(rig, "p", n, "g", RIG_GATED);
    rig_settle(rig);
    double took = (double)(clock() - begin) / CLOCKS_PER_SEC;
    rig_destroy(rig);
    return took;
}

TEST(eight_times_the_members_cost_no_more_than_thirty_times_as_much)
{
    double few = cost(2500), many = cost(20000);
    if (many > 30 * few) { /* the square is 64 */
        fprintf(stderr, "2,500 members: %.3f s, 20,000: %.3f s\n", few, many);
    }
    assert_true(many <= 30 * few);
}
