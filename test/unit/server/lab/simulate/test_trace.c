/* SPDX-License-Identifier: Apache-2.0 */
/* `simulate --trace`: files and words in, the report out. */
#include "server/lab/simulate/trace.h"
#include "test/golden.h"
#include "test/test.h"

struct run {
    struct skr_strbuf out, messages;
};

static void run_set_up(struct run *r)
{
    skr_strbuf_init(&r->out);
    skr_strbuf_init(&r->messages);
}

static void run_tear_down(struct run *r)
{
    skr_strbuf_fini(&r->out);
    skr_strbuf_fini(&r->messages);
}

#define PLAY(...) \
    skr_simulate_trace_run(&(struct skr_simulate_trace_options){__VA_ARGS__}, &r->out, &r->messages)

TEST_WITH(run, several_policies_and_places_are_one_table)
{
    struct run *r = run;
    assert_int_equal(PLAY(.trace = "docs/trace.csv", .cluster = "racks=2,nodes=2,slots=8",
                          .policy = "besteffort,sakkara", .place = "exact,spread"),
                     0);
    assert_string_equal(r->messages.s, "");
    golden_check("test/unit/server/lab/simulate/trace.txt", r->out.s);
}

TEST_WITH(run, json_has_all_of_it)
{
    struct run *r = run;
    assert_int_equal(PLAY(.trace = "docs/trace.csv", .cluster = "racks=2,nodes=2,slots=8",
                          .policy = "conservative", .json = true),
                     0);
    golden_check("test/unit/server/lab/simulate/trace.json", r->out.s);
}

/* docs/time.yaml: two nodes, one running pod, which is left out. */
TEST_WITH(run, the_cluster_may_be_that_of_files)
{
    static const char *const file[] = {"docs/time.yaml"};
    struct run *r = run;
    assert_int_equal(PLAY(.trace = "docs/trace.csv", .file = file, .n_files = 1, .policy = "fifo"),
                     0);
    assert_non_null(strstr(r->out.s, "docs/trace.csv: groups 10, slots 16, nodes 2, racks 1"));
}

TEST_WITH(run, what_is_wrong_is_named)
{
    struct run *r = run;
    assert_int_equal(PLAY(.trace = "docs/trace.csv", .cluster = "racks=2"), 2);
    assert_int_equal(PLAY(.trace = "docs/trace.csv", .cluster = "racks=2,nodes=2,slots=8",
                          .policy = "sakkara,best"),
                     2);
    assert_int_equal(PLAY(.trace = "docs/none.csv", .cluster = "racks=2,nodes=2,slots=8"), 3);
    assert_int_equal(PLAY(.trace = "docs/time.yaml", .cluster = "racks=2,nodes=2,slots=8"), 1);
    assert_string_equal(
        r->messages.s,
        "sakkara simulate: --cluster: nodes is missing, such as in racks=16,nodes=8,slots=8\n"
        "sakkara simulate: --policy: \"best\" is not one of sakkara, fifo, besteffort, easy, "
        "conservative\n"
        "docs/none.csv: error: cannot be read: No such file or directory\n"
        "docs/time.yaml:1:104: error: 4 of 8 fields: run is missing\n");
    assert_string_equal(r->out.s, "");
}
