/* SPDX-License-Identifier: Apache-2.0 */
/* Traces and clusters as text: what is read, and where each defect is. */
#include "core/time/end.h"
#include "server/lab/replay/cluster.h"
#include "server/lab/replay/jobs.h"
#include "test/test.h"
#include "topology/base/strbuf.h"

#define HEAD "arrival,name,size,slots,run,limit,priority,constraints\n"

struct trace {
    struct skr_replay_cluster cluster;
    struct skr_replay_jobs jobs;
    struct skr_findings findings;
    bool good;
};

static void read_trace(struct trace *t, const char *text)
{
    struct skr_error error;
    assert_int_equal(skr_replay_cluster_parse("racks=2,nodes=2,slots=8", &t->cluster, &error), 0);
    skr_findings_init(&t->findings);
    t->good = skr_replay_jobs_parse(text, strlen(text), t->cluster.tree, &t->findings, &t->jobs);
}

static void trace_set_up(struct trace *t)
{
    (void)t;
}

static void trace_tear_down(struct trace *t)
{
    skr_replay_jobs_fini(&t->jobs);
    skr_replay_cluster_fini(&t->cluster);
}

TEST_WITH(trace, jobs_are_read_and_sorted_by_arrival)
{
    read_trace(trace, "\xef\xbb\xbf" HEAD "7,b,2,4,60,,5,\r\n"
                      "\n"
                      "3,\"a,\"\"b\",1,8,0,90,,\"{\"\"rack\"\": {\"\"hard\"\": true}}\"\n"
                      "7,c,1,1,1,1,-3,");
    const struct skr_replay_jobs *jobs = &trace->jobs;
    assert_true(trace->good);
    assert_int_equal(jobs->n, 3);
    assert_string_equal(jobs->job[0].name, "a,\"b");
    assert_int_equal(jobs->job[0].limit, 90);
    assert_int_equal(jobs->job[0].priority, 0);
    assert_true(jobs->job[0].rule[0].hard);
    assert_string_equal(jobs->job[1].name, "b");
    assert_true(jobs->job[1].limit == SKR_INSTANT_NEVER);
    assert_int_equal(jobs->job[1].demand, 4);
    assert_false(jobs->job[1].rule[0].hard);
    assert_string_equal(jobs->job[2].name, "c");
    assert_int_equal(jobs->job[2].priority, -3);
}

static const struct defect {
    const char *title, *text, *says;
} defects[] = {
    {"no header", "", "t:1:1: error: 1 of 8 fields: name is missing\n"},
    {"another header", "arrival,name,size,slot,run,limit,priority,constraints\n",
     "t:1:19: error: the header is arrival,name,size,slots,run,limit,priority,constraints: field 4 "
     "is \"slot\"\n"},
    {"words and ranges", HEAD "1.5,a,0,x,-1,0,99999999999,\n",
     "t:2:1: error: arrival: \"1.5\" is not a whole number from 0 to 1000000000\n"
     "t:2:7: error: size: \"0\" is not a whole number from 1 to 100000\n"
     "t:2:9: error: slots: \"x\" is not a whole number from 1 to 100000\n"
     "t:2:11: error: run: \"-1\" is not a whole number from 0 to 1000000000\n"
     "t:2:14: error: limit: \"0\" is not a whole number from 1 to 1000000000\n"
     "t:2:16: error: priority: \"99999999999\" is not a whole number from -2147483648 to "
     "2147483647\n"},
    {"too few, and the next line", HEAD "1,a,1,1,1,1,0\n1,,1,1,1,1,0,\n",
     "t:2:14: error: 7 of 8 fields: constraints is missing\n"
     "t:3:3: error: name: 0 bytes, a name has 1 to 253\n"},
    {"too many", HEAD "1,a,1,1,1,1,0,,5\n",
     "t:2:16: error: more than the 8 fields of the header\n"},
    {"an open quote", HEAD "1,\"a,1,1,1,1,0,\n1,b,1,1,1,1,0,\n",
     "t:2:3: error: the quoted field does not end in this line\n"},
    {"text behind a quote", HEAD "1,\"a\"b,1,1,1,1,0,\n",
     "t:2:6: error: a comma has to follow the quoted field\n"},
    {"an unknown level", HEAD "1,a,1,1,1,1,0,\"{\"\"row\"\":{}}\"\n",
     "t:2:15: error: constraints: the tree has no level row\n"},
    {"no JSON", HEAD "1,a,1,1,1,1,0,rack\n", "t:2:15: error: constraints: 1:1: "},
    {"sets",
     HEAD "1,a,1,1,1,1,0,\"{\"\"sets\"\":[{\"\"level\"\":\"\"rack\"\",\"\"roles\"\":{\"\"a\"\":1}}]"
          "}\"\n",
     "t:2:15: error: constraints: the jobs of a trace have no roles and no sets\n"},
};

TEST_EACH(defect, defects, every_defect_has_its_position)
{
    struct trace t = {0};
    SKR_STRBUF(out);
    read_trace(&t, defect->text);
    skr_findings_write(&t.findings, "t", &out);
    assert_false(t.good);
    if (strncmp(out.s, defect->says, strlen(defect->says)) != 0) {
        assert_string_equal(out.s, defect->says);
    }
    trace_tear_down(&t);
}

static const struct words {
    const char *title, *text, *says;
} clusters[] = {
    {"nothing", "",
     "\"\": racks, nodes and slots are given once each, such as "
     "racks=16,nodes=8,slots=8"},
    {"twice", "racks=1,racks=2",
     "\"racks=2\": racks, nodes and slots are given once each, such as "
     "racks=16,nodes=8,slots=8"},
    {"one is missing", "racks=1,slots=2", "nodes is missing, such as in racks=16,nodes=8,slots=8"},
    {"no number", "racks=1,nodes=two,slots=2", "nodes: \"two\" is not a number from 1 to 100000"},
    {"none", "racks=0,nodes=2,slots=2", "racks: \"0\" is not a number from 1 to 100000"},
    {"too many", "racks=1000,nodes=1000,slots=2",
     "1000000 nodes, a trace is played on at most 65536"},
};

TEST_EACH(words, clusters, a_cluster_that_is_none_is_refused)
{
    struct skr_replay_cluster cluster;
    struct skr_error error;
    assert_true(skr_replay_cluster_parse(words->text, &cluster, &error) < 0);
    assert_string_equal(error.text, words->says);
}
