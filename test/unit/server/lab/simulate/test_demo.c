/* SPDX-License-Identifier: Apache-2.0 */
/* The worked example through the simulated cluster. */
#include "server/exit_code.h"
#include "server/lab/simulate/demo.h"
#include "server/lab/simulate/devices_demo.h"
#include "test/test.h"

TEST(the_worked_example_ends_as_the_contract_says)
{
    struct skr_strbuf out;
    skr_strbuf_init(&out);
    assert_int_equal(skr_demo_play(true, false, &out), SKR_EXIT_OK);
    /* Everything free: 3, 3, 2 in one rack. */
    assert_non_null(strstr(out.s, "node-0    .....             %%%..   +3  ranks 0 1 2\n"));
    assert_non_null(strstr(out.s, "node-2    .....             %%...   +2  ranks 6 7\n"));
    /* node-2 full, node-1 takes three: 5, 3. */
    assert_non_null(strstr(out.s, "node-0    .....             %%%%%   +5  ranks 0 1 2 3 4\n"));
    assert_non_null(strstr(out.s, "node-1    ##...             ##%%%   +3  ranks 5 6 7\n"));
    /* No rack for all: 3 + 3 and 1 + 1. */
    assert_non_null(strstr(out.s, "node-5    ###..             ###%.   +1  ranks 7\n"));
    /* The second gang waits, with the reason. */
    assert_non_null(strstr(out.s, "  status: Ready\n  reason: TopologyPlacementFailed\n"
                                  "  message: group group-b needs 14 slots in one rack, best rack "
                                  "has 13\n"));
    skr_strbuf_fini(&out);
}

TEST(two_runs_are_equal_to_the_byte)
{
    struct skr_strbuf a, b;
    skr_strbuf_init(&a);
    skr_strbuf_init(&b);
    skr_demo_play(false, true, &a);
    skr_demo_play(false, true, &b);
    assert_int_equal(a.len, b.len);
    assert_string_equal(a.s, b.s);
    skr_strbuf_fini(&a);
    skr_strbuf_fini(&b);
}

TEST(gangs_on_devices_have_all_or_none_and_the_one_that_waits_is_told_of_devices)
{
    SKR_STRBUF(out);
    assert_int_equal(skr_devices_demo(true, &out), SKR_EXIT_OK);
    assert_non_null(strstr(out.s, "  node-0   00001111\n  node-1   22223333\n"
                                  "  node-2   44445555\n"));
    assert_non_null(strstr(out.s, "4 devices of class gpu.example.com (8 of 32\n"));
    assert_non_null(strstr(out.s, "  node-0   00001111\n  node-1   22223333\n"
                                  "  node-2   ........\n"));
}
