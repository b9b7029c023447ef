/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine behind the model of kube-scheduler: what a gang costs in requests and writes, and what
 * never happens on the way.
 */
#include "core/gang/state/writes.h"
#include "server/lab/driver/lab.h"
#include "server/object/path.h"
#include "test/test.h"
#include "topology/base/strbuf.h"

#define START ((skr_time)1735689600 * SKR_SECOND)

struct rig {
    struct skr_lab *lab;
    struct skr_store *store;
    size_t n_events;
    struct skr_strbuf trace;
};

static void take_event(void *context, skr_time now, const json_t *event)
{
    struct rig *r = context;
    (void)now;
    (void)event;
    r->n_events++;
}

static void take_line(void *context, enum skr_trace_kind kind, skr_time now, const char *text)
{
    struct rig *r = context;
    (void)kind;
    (void)now;
    skr_strbuf_addf(&r->trace, "%s\n", text);
}

static struct rig *make_rig(int percentage)
{
    struct rig *r = skr_alloc(sizeof *r);
    struct skr_lab_options options = {
        .percentage = percentage, .start = START, .event = take_event, .context = r};
    skr_strbuf_init(&r->trace);
    skr_settings_default(&options.settings);
    options.settings.instance = "test";
    skr_cluster_options_default(&options.cluster);
    options.cluster.ordinal_names = true;
    options.trace = (struct skr_trace){.line = take_line, .context = r};
    r->lab = skr_lab_create(&options);
    r->store = skr_lab_store(r->lab);
    return r;
}

static void free_rig(struct rig *r)
{
    skr_lab_destroy(r->lab);
    skr_strbuf_fini(&r->trace);
    free(r);
}

static void put(struct rig *r, json_t *object)
{
    struct skr_error error;
    assert_non_null(object);
    if (skr_store_put(r->store, object, skr_lab_now(r->lab), &error) >= 400) {
        fail_msg("%s", error.text);
    }
    json_decref(object);
}

static void add_nodes(struct rig *r, int n, int cpu)
{
    for (int i = 0; i < n; i++) {
        char name[32], amount[16];
        snprintf(name, sizeof name, "n%04d", i);
        snprintf(amount, sizeof amount, "%d", cpu);
        put(r, json_pack("{s:s, s:s, s:{s:s, s:{s:s}}, s:{s:{s:s, s:s, s:s}}}", "apiVersion", "v1",
                         "kind", "Node", "metadata", "name", name, "labels",
                         "sakkara.topology.rack", i < n / 2 ? "r0" : "r1", "status", "allocatable",
                         "cpu", amount, "memory", "8Gi", "pods", "110"));
    }
}

static void add_map(struct rig *r, int size)
{
    char text[16];
    snprintf(text, sizeof text, "%d", size);
    put(r, json_pack("{s:s, s:s, s:{s:s, s:s, s:{s:s}}, s:{s:s, s:s, s:s}}", "apiVersion", "v1",
                     "kind", "ConfigMap", "metadata", "name", "g", "namespace", "default", "labels",
                     "sakkara.group", "", "data", "name", "g", "size", text, "constraints",
                     "{\"rack\":{\"type\":\"pack\",\"hard\":true}}"));
}

static void add_member(struct rig *r, int i, bool gated)
{
    char name[32];
    snprintf(name, sizeof name, "p%03d", i);
    json_t *pod = json_pack(
        "{s:s, s:s, s:{s:s, s:s, s:{s:s}}, s:{s:s, s:[{s:s, s:s, s:{s:{s:s}}}]}}", "apiVersion",
        "v1", "kind", "Pod", "metadata", "name", name, "namespace", "default", "labels",
        "sakkara.group.name", "g", "spec", "schedulerName", "sakkara", "containers", "name", "c",
        "image", "i", "resources", "requests", "cpu", "1");
    if (gated) {
        json_object_set_new(json_object_get(pod, "spec"), "schedulingGates",
                            json_pack("[{s:s}]", "name", "sakkara.gang"));
    }
    put(r, pod);
}

/* Lines of the trace that are such a write. */
static int writes(const struct rig *r, enum skr_write_kind kind)
{
    int n = 0;
    for (const char *at = r->trace.s;
         (at = strstr(at, test_text("\n%s default/", skr_write_kind_name(kind)))); at++) {
        n++;
    }
    return n;
}

static bool count_bound(void *context, const json_t *pod)
{
    *(int *)context += skr_path_text(pod, "spec.nodeName")[0] ? 1 : 0;
    return true;
}

static int bound(const struct rig *r)
{
    int n = 0;
    skr_store_each(r->store, "Pod", count_bound, &n);
    return n;
}

/* ---- costs ---- */

/* Ungated members were turned away before there was a plan, and have to be woken; of gated ones the first
 * brings the call that says whether kube-scheduler looks at all of 300 nodes. */
TEST(a_gang_costs_as_many_writes_as_the_contract_says)
{
    static const struct {
        int percentage;
        bool gated;
        int nominations;
    } row[] = {{0, false, 100}, {0, true, 99}, {100, false, 100}, {100, true, 0}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const bool gated = row[k].gated;
        struct rig *r = make_rig(row[k].percentage);
        struct skr_scheduler_stats stats;
        add_nodes(r, 300, 2);
        add_map(r, 100);
        for (int i = 0; i < 100; i++) {
            add_member(r, i, gated);
        }
        skr_lab_start(r->lab);
        skr_lab_run(r->lab, START + 60 * SKR_SECOND);
        assert_int_equal(bound(r), 100);
        assert_int_equal(writes(r, SKR_WRITE_PATCH_POD_STATUS), row[k].nominations);
        assert_int_equal(writes(r, SKR_WRITE_UNGATE_POD), gated ? 100 : 0);
        assert_int_equal(writes(r, SKR_WRITE_BINDING), 100);
        assert_int_equal(writes(r, SKR_WRITE_PATCH_POD), 0);
        assert_true(writes(r, SKR_WRITE_PATCH_CONFIGMAP) <= 5);
        skr_lab_get_scheduler_stats(r->lab, &stats);
        assert_in_range(stats.nominated_hits, row[k].nominations - (row[k].nominations > 0),
                        row[k].nominations);
        assert_int_equal(stats.bind_calls, 100);
        assert_int_equal(stats.prioritize_calls, 0);
        free_rig(r);
    }
}

TEST(a_gang_that_does_not_fit_costs_nothing_more)
{
    struct rig *r = make_rig(0);
    add_nodes(r, 10, 2);
    add_map(r, 20);
    for (int i = 0; i < 20; i++) {
        add_member(r, i, true);
    }
    skr_lab_start(r->lab);
    skr_lab_run(r->lab, START + 60 * SKR_SECOND);
    int pods = writes(r, SKR_WRITE_PATCH_POD) + writes(r, SKR_WRITE_PATCH_POD_STATUS);
    int maps = writes(r, SKR_WRITE_PATCH_CONFIGMAP);
    size_t events = r->n_events;
    skr_lab_run(r->lab, START + 660 * SKR_SECOND);
    assert_int_equal(bound(r), 0);
    assert_int_equal(writes(r, SKR_WRITE_PATCH_POD) + writes(r, SKR_WRITE_PATCH_POD_STATUS), pods);
    assert_int_equal(writes(r, SKR_WRITE_PATCH_CONFIGMAP), maps);
    assert_int_equal(r->n_events, events);
    free_rig(r);
}

/* ---- all or none ---- */

/* Every point of time: no strict part of a gang is bound unless it is Permitted. */
TEST(never_is_a_part_of_a_gang_bound_before_the_point_of_no_return)
{
    struct rig *r = make_rig(0);
    add_nodes(r, 10, 2);
    add_map(r, 8);
    for (int i = 0; i < 8; i++) {
        add_member(r, i, i % 2 == 0);
    }
    skr_lab_start(r->lab);
    for (int steps = 0; steps < 100000; steps++) {
        skr_time next = skr_lab_next(r->lab);
        if (next > START + 30 * SKR_SECOND) {
            break;
        }
        skr_lab_step(r->lab);
        int n = bound(r);
        const json_t *map = skr_store_get(r->store, "ConfigMap", "default", "g");
        const char *plan = skr_path_annotation(map, "sakkara.plan");
        if (n > 0 && n < 8 && (!plan || !strstr(plan, "\"Binding\""))) {
            fail_msg("%d of 8 bound, plan %s", n, plan ? plan : "none");
        }
        assert_int_equal(skr_engine_check(skr_lab_engine(r->lab), NULL), 0);
    }
    assert_int_equal(bound(r), 8);
    free_rig(r);
}

TEST(runs_of_the_same_calls_are_the_same)
{
    char *first = NULL;
    for (int k = 0; k < 2; k++) {
        struct rig *r = make_rig(5);
        add_nodes(r, 200, 1);
        add_map(r, 40);
        for (int i = 0; i < 40; i++) {
            add_member(r, i, i % 3 > 0);
        }
        skr_lab_start(r->lab);
        skr_lab_run(r->lab, START + 20 * SKR_SECOND);
        if (k == 0) {
            first = skr_strbuf_take(&r->trace, NULL);
        } else {
            assert_string_equal(first, r->trace.s);
        }
        free_rig(r);
    }
    free(first);
}

TEST(before_the_start_nothing_is_decided)
{
    struct rig *r = make_rig(0);
    add_nodes(r, 2, 2);
    add_map(r, 1);
    add_member(r, 0, true);
    skr_lab_run(r->lab, START + 10 * SKR_SECOND);
    assert_int_equal(skr_lab_now(r->lab), START + 10 * SKR_SECOND);
    assert_int_equal(bound(r), 0);
    skr_lab_start(r->lab);
    skr_lab_run(r->lab, START + 12 * SKR_SECOND);
    assert_int_equal(bound(r), 1);
    free_rig(r);
}
