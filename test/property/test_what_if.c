/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What if a waiting group were different: on random clusters, the answer of the engine is what
 * `sakkara simulate --set` makes of a dump of that moment, node by node. Asking writes nothing and
 * changes no page. SEED and N as for the other properties.
 */
#include <utlist.h>

#include "core/gang/state/pages.h"
#include "server/exit_code.h"
#include "test/random.h"
#include "test/test.h"
#include "test/unit/engine_test.h"
#include "test/unit/explain_ways.h"
#include "topology/base/json_field.h"

enum { RACKS = 3, NODES = 6, CPU = 4 };
#ifdef SKR_DEBUG
enum { CLUSTERS = 40 }; /* the sanitizers' builds */
#else
enum { CLUSTERS = 200 };
#endif

static uint64_t state;

static int draw(int n)
{
    return (int)(random_of(&state) % (uint64_t)n);
}

/* Groups that may give way, ordinary pods, cordoned nodes, and group g, which waits. */
static struct rig *make(int *ret_size)
{
    static const char *const rules[] = {
        "{'rack':{'hard':true}}",    "{'rack':{'hard':true},'node':{'hard':true}}",
        "{'rack':{'partitions':2}}", "{'node':{'max':1}}",
        "{'rack':{'factor':2}}",     "{'node':{'type':'spread','hard':true}}"};
    struct skr_settings settings;
    skr_settings_default(&settings);
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, RACKS, NODES / RACKS, CPU);
    rig_sync(rig);
    for (int i = 0; i < 3; i++) {
        char name[16], prefix[16];
        const int size = 1 + draw(6);
        snprintf(name, sizeof name, "low-%d", i);
        snprintf(prefix, sizeof prefix, "l%d", i);
        rig_group(rig, name, size, 1 + draw(2), NULL);
        rig_pods(rig, prefix, size, name, RIG_GATED);
    }
    rig_pods(rig, "other", draw(6), NULL, 0);
    rig_run(rig, 5 * SKR_SECOND);
    if (draw(3) == 0) {
        rig_edit(rig, RIG_NODE, "node-3", "{'spec':{'unschedulable':true}}");
    }
    *ret_size = 2 + draw(12);
    rig_group(rig, "g", *ret_size, 0, rules[draw(6)]);
    rig_pods(rig, "p", *ret_size, "g", draw(2) ? RIG_GATED : 0);
    rig_run(rig, 30 * SKR_SECOND);
    return rig;
}

/* What the API server asks for, and the rig does not. */
static void complete(const json_t *pod)
{
    json_t *owner, *container;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(pod, "metadata"), "ownerReferences"), i,
                       owner)
    {
        json_object_set_new(owner, "apiVersion", json_string("batch/v1"));
    }
    json_array_foreach(json_object_get(json_object_get(pod, "spec"), "containers"), i, container)
    {
        json_object_set_new(container, "image", json_string("registry.example/main:1"));
    }
}

/* Every object, as kubectl writes them. */
static json_t *dump(const struct rig *rig)
{
    static const char *const kind[RIG_KIND_COUNT] = {
        [RIG_NODE] = "Node", [RIG_POD] = "Pod", [RIG_MAP] = "ConfigMap"};
    json_t *items = json_array();
    const struct rig_object *o;
    DL_FOREACH(rig->list, o)
    {
        json_t *object = json_deep_copy(o->json);
        assert_non_null(kind[o->kind]);
        json_object_set_new(object, "apiVersion", json_string("v1"));
        json_object_set_new(object, "kind", json_string(kind[o->kind]));
        complete(object);
        json_array_append_new(items, object);
    }
    return json_pack("{s:s,s:s,s:o}", "apiVersion", "v1", "kind", "List", "items", items);
}

static void cordon(const json_t *files, const char *node)
{
    json_t *object;
    size_t i;
    json_array_foreach(json_object_get(files, "items"), i, object)
    {
        if (strcmp(skr_object_text(json_object_get(object, "metadata"), "name"), node) == 0) {
            json_object_set_new(object, "spec", json_pack("{s:b}", "unschedulable", 1));
        }
    }
}

/* The members of g on each node; from is a placement of simulate, or a subtree of it. */
static void count_placement(json_t *from, json_t *counts)
{
    const char *name;
    json_t *below;
    json_object_foreach(from, name, below)
    {
        if (strncmp(name, "node-", 5) == 0) {
            json_object_set_new(counts, name, json_integer((json_int_t)json_object_size(below)));
        } else {
            count_placement(below, counts);
        }
    }
}

static json_t *count_units(const json_t *answer)
{
    json_t *counts = json_object(), *unit;
    size_t i;
    json_array_foreach(json_object_get(answer, "units"), i, unit)
    {
        json_object_set(counts, skr_object_text(unit, "node"), json_object_get(unit, "pods"));
    }
    return counts;
}

static char *pages(struct rig *rig)
{
    struct skr_strbuf out;
    static const char *const path[] = {"/v1/groups", "/v1/tree", "/v1/groups/default/g"};
    skr_strbuf_init(&out);
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        const struct skr_view_query query = {.path = path[i]};
        assert_int_equal(skr_gang_view(rig->gang, &query, rig->now, &out), 200);
    }
    return skr_strbuf_take(&out, NULL);
}

static size_t writes(const struct rig *rig)
{
    size_t n = 0;
    for (int k = 0; k < SKR_WRITE_KIND_COUNT; k++) {
        n += rig->n_writes[k];
    }
    return n;
}

static const char *change(int size, char set[2][64])
{
    static const char *const whole[] = {"constraints.rack.hard", "constraints.node.max",
                                        "constraints.rack.partitions", "priority"};
    static const char *const value[] = {"false", "2", "1", "5"};
    const int which = draw(5);
    if (which == 4) {
        snprintf(set[0], 64, "size");
        snprintf(set[1], 64, "%d", 1 + draw(size));
    } else {
        snprintf(set[0], 64, "%s", whole[which]);
        snprintf(set[1], 64, "%s", value[which]);
    }
    return set[0];
}

/* 0: they agree that it fits; 1: that it does not; 2: it was placed before. */
static int play(void)
{
    int size, code;
    char set[2][64], argument[160];
    struct rig *rig = make(&size);
    if (rig_n_bound(rig, "g") > 0 || strcmp(rig_key(rig, "g", "status"), "Bound") == 0) {
        rig_destroy(rig);
        return 2;
    }
    change(size, set);
    const struct skr_label label = {set[0], set[1]};
    const char *const without[] = {"node-2"};
    const struct skr_what_if what_if = {
        .n_changes = 1, .change = &label, .n_without = draw(4) == 0, .without = without};
    json_auto_t *files = dump(rig);
    if (what_if.n_without > 0) {
        cordon(files, without[0]);
    }
    SKR_AUTO_FREE char *before = pages(rig);
    const size_t written = writes(rig);
    json_auto_t *answer = json_deep_copy(rig_what_if(rig, "g", &what_if));
    SKR_AUTO_FREE char *after = pages(rig);
    assert_string_equal(before, after);
    assert_int_equal(writes(rig), written);
    snprintf(argument, sizeof argument, "g:%s=%s", set[0], set[1]);
    const char *sets[] = {argument};
    json_auto_t *played = explain_ways_simulate(files, sets, 1, &code);
    const bool placed = json_is_true(json_object_get(answer, "placed"));
    const bool bound = strcmp(skr_object_text(played, "status"), "Bound") == 0;
    json_auto_t *there = json_object(), *here = count_units(answer);
    count_placement(json_object_get(played, "placement"), there);
    if (placed != bound || (bound && !json_equal(here, there))) {
        SKR_AUTO_FREE char *text = json_dumps(answer, 0);
        SKR_AUTO_FREE char *other = json_dumps(played, 0);
        SKR_AUTO_FREE char *world = json_dumps(files, 0);
        fail_msg("%s\n%s\n%s\n%s", argument, text, other, world);
    }
    rig_destroy(rig);
    return placed ? 0 : 1;
}

TEST(what_a_question_answers_is_what_simulate_makes_of_a_dump)
{
    const uint64_t first = test_number("SEED", 1), wanted = test_number("N", CLUSTERS);
    size_t seen[3] = {0};
    for (uint64_t i = 0; seen[0] + seen[1] < wanted; i++) {
        state = first * 1000003u + i;
        seen[play()]++;
    }
    print_message("%zu fit, %zu do not\n", seen[0], seen[1]);
    assert_true(seen[0] > wanted / 10 && seen[1] > wanted / 10);
}
