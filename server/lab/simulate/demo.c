/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plays the worked example. A situation is the number of free slots on each of six nodes, used by
 * running pods of others; its outcome is the number of members each node must get. The objects are
 * manifests as users write them. Time is virtual: the output has what the engine decided and when,
 * not this machine's speed.
 */
#include "server/lab/simulate/demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/exit_code.h"
#include "server/lab/driver/lab.h"
#include "server/lab/report/record.h"
#include "server/lab/simulate/example.h"
#include "server/lab/simulate/input.h"
#include "server/object/path.h"
#include "server/render/explain_text.h"
#include "server/render/page.h"

enum { NODES = SKR_EXAMPLE_NODES, SIZE = SKR_EXAMPLE_SIZE, TRACE_COLUMN = 13 };

#define NAMESPACE "default"
#define GROUP     SKR_EXAMPLE_GROUP
#define SECOND    SKR_EXAMPLE_SECOND
#define RUN_TIME  (10 * SKR_SECOND)

static const struct situation {
    const char *title;
    int free[NODES];
    int expected[NODES];
    bool second; /* then a second gang arrives */
} situations[] = {
    {"everything is free", {5, 5, 5, 5, 5, 5}, {3, 3, 2, 0, 0, 0}, false},
    {"rack-1 has no room for all, node-2 is full, node-1 takes three",
     {5, 3, 0, 2, 2, 2},
     {5, 3, 0, 0, 0, 0},
     false},
    {"no rack has room for all", {3, 0, 3, 2, 0, 2}, {3, 0, 3, 1, 0, 1}, false},
    {"a second gang of fourteen needs one rack (\"hard\")",
     SKR_EXAMPLE_LAST,
     {3, 3, 2, 0, 0, 0},
     true},
};
enum { SITUATIONS = sizeof situations / sizeof situations[0] };

/* ---- the cluster ---- */

struct story {
    struct skr_strbuf *out;
    bool ascii;
    bool verbose;
    bool muted; /* the first gang's placement was shown already */
    struct skr_config *config;
    struct skr_lab *lab;
    struct skr_record record;
    skr_time began; /* when the present gang arrived */
};

static void print_trace(void *context, enum skr_trace_kind kind, skr_time now, const char *text)
{
    const struct story *story = context;
    if (story->muted || (kind != SKR_TRACE_DECISION && !story->verbose)) {
        return;
    }
    skr_time since = now - story->began;
    size_t n = strlen(text), at = n;
    while (n + TRACE_COLUMN > SKR_PAGE_WIDTH && at > 0 && strncmp(text + at, "  ", 2) != 0) {
        at--; /* to the last part, which has a line of its own where all have no room in one */
    }
    n = at > 0 ? at : n;
    skr_strbuf_addf(story->out, "  %3lld.%04llds  %s%.*s\n", (long long)(since / SKR_SECOND),
                    (long long)(since % SKR_SECOND / (SKR_SECOND / 10000)),
                    kind == SKR_TRACE_DECISION ? "" : "      ", (int)n, text);
    if (text[n]) {
        skr_page_pad(story->out, TRACE_COLUMN);
        skr_page_add_words(story->out, TRACE_COLUMN, TRACE_COLUMN, text + n + 2);
        skr_strbuf_addc(story->out, '\n');
    }
}

static void run(struct story *story)
{
    skr_time end = skr_lab_now(story->lab) + RUN_TIME;
    while (skr_lab_next(story->lab) <= end) {
        skr_lab_step(story->lab);
        skr_record_step(&story->record, skr_lab_now(story->lab));
    }
    skr_lab_skip(story->lab, end);
}

/* ---- the result ---- */

static const json_t *member(const struct story *story, int i)
{
    char name[32];
    snprintf(name, sizeof name, "job-a-%d", i);
    return skr_store_get(skr_lab_store(story->lab), "Pod", NAMESPACE, name);
}

static int count_on(const struct story *story, const char *node)
{
    int n = 0;
    for (int i = 0; i < SIZE; i++) {
        n += strcmp(skr_path_text(member(story, i), "spec.nodeName"), node) == 0 ? 1 : 0;
    }
    return n;
}

/* "  ranks 0 1 2" after a node of the picture. */
static void write_ranks(void *context, int32_t leaf, struct skr_strbuf *out)
{
    const struct story *story = context;
    char node[32];
    snprintf(node, sizeof node, "node-%d", leaf);
    skr_strbuf_add(out, "  ranks");
    for (int rank = 0; rank < SIZE; rank++) {
        char text[16];
        snprintf(text, sizeof text, "%d", rank);
        for (int i = 0; i < SIZE; i++) {
            const json_t *pod = member(story, i);
            const char *label = skr_path_label(pod, SKR_LABEL_RANK);
            if (label && strcmp(label, text) == 0 &&
                strcmp(skr_path_text(pod, "spec.nodeName"), node) == 0) {
                skr_strbuf_addf(out, " %d", rank);
            }
        }
    }
}

static void draw(struct story *story, const char *name)
{
    struct skr_record_group *group = skr_record_find(&story->record, NAMESPACE, name);
    struct skr_strbuf text;
    skr_record_draw(&story->record);
    if (!group || !skr_record_has_picture(group)) {
        return;
    }
    struct skr_picture picture = {
        .tree = group->tree, .leaf = group->leaf, .ascii = story->ascii, .context = story};
    picture.note = strcmp(name, GROUP) == 0 ? write_ranks : NULL;
    skr_strbuf_init(&text);
    skr_picture_draw(&picture, &text);
    skr_strbuf_addc(story->out, '\n');
    for (char *line = text.s; *line;) {
        size_t n = strcspn(line, "\n");
        skr_strbuf_addf(story->out, "  %.*s%s\n", (int)n, line,
                        line == text.s ? "      (one cell = 1 slot)" : "");
        line += n + (line[n] ? 1 : 0);
    }
    skr_strbuf_addc(story->out, '\n');
    skr_strbuf_fini(&text);
}

static const json_t *map_of(const struct story *story, const char *name)
{
    return skr_store_get(skr_lab_store(story->lab), "ConfigMap", NAMESPACE, name);
}

/* Keys of the group map, as `kubectl get configmap group-a -o yaml` would show them. */
static void print_map(const struct story *story, const char *name)
{
    static const char *const keys[] = {"status", "reason", "message", "placement", "rank"};
    const json_t *data = json_object_get(map_of(story, name), "data");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *value = skr_path_text(data, keys[i]);
        if (value[0]) {
            SKR_STRBUF(text);
            skr_strbuf_addf(&text, "%s: %s", keys[i], value);
            skr_explain_add_wrapped(story->out, "  ", 4, text.s);
        }
    }
}

static bool is_as_expected(const struct story *story, const struct situation *situation)
{
    bool good = strcmp(skr_path_text(map_of(story, GROUP), "data.status"), "Bound") == 0;
    bool ranked[SIZE] = {false};
    for (int i = 0; i < NODES; i++) {
        char node[32];
        snprintf(node, sizeof node, "node-%d", i);
        good = good && count_on(story, node) == situation->expected[i];
    }
    for (int i = 0; i < SIZE; i++) {
        const char *label = skr_path_label(member(story, i), SKR_LABEL_RANK);
        long rank = label ? strtol(label, NULL, 10) : -1;
        good = good && rank >= 0 && rank < SIZE && !ranked[rank];
        ranked[rank >= 0 && rank < SIZE ? rank : 0] = true;
    }
    return good;
}

static bool second_waits(const struct story *story)
{
    const json_t *map = map_of(story, SECOND);
    return strcmp(skr_path_text(map, "data.status"), "Ready") == 0 &&
           strcmp(skr_path_text(map, "data.reason"), "TopologyPlacementFailed") == 0;
}

/* ---- the story ---- */

static void open_story(struct story *story)
{
    struct skr_lab_options options = {
        .start = (skr_time)1735689600 * SKR_SECOND, /* 2025-01-01 00:00:00 UTC */
        .trace = {.line = print_trace, .context = story},
    };
    story->config = skr_simulate_config(NULL, story->out);
    skr_bug_on(!story->config);
    options.settings = story->config->settings;
    options.settings.instance = "demo";
    skr_cluster_options_default(&options.cluster);
    options.cluster.ordinal_names = true;
    options.cluster.node_status = false;
    story->lab = skr_lab_create(&options);
    story->began = options.start;
    skr_record_init(&story->record, skr_lab_store(story->lab), NAMESPACE, true, options.start);
}

static void close_story(struct story *story)
{
    skr_record_fini(&story->record);
    skr_lab_destroy(story->lab);
    skr_config_destroy(story->config);
}

static int bring_first(struct story *story, const struct situation *situation)
{
    SKR_STRBUF(text);
    skr_example_write_cluster(situation->free, &text);
    int rc = skr_example_create(story->lab, &text, story->out);
    skr_lab_run(story->lab, story->began);
    skr_record_step(&story->record, story->began);
    skr_lab_start(story->lab);
    skr_strbuf_reset(&text);
    skr_example_write_gang(&text);
    rc = rc < 0 ? rc : skr_example_create(story->lab, &text, story->out);
    return rc;
}

static int bring_second(struct story *story)
{
    SKR_STRBUF(text);
    skr_example_write_second(&text);
    story->began = skr_lab_now(story->lab);
    int rc = skr_example_create(story->lab, &text, story->out);
    return rc;
}

static bool end_of_first(struct story *story, const struct situation *situation)
{
    draw(story, GROUP);
    print_map(story, GROUP);
    bool good = is_as_expected(story, situation);
    skr_strbuf_addf(story->out, "\n  %s\n\n",
                    good ? "as it must be: all eight bound, none alone"
                         : "NOT as it must be: this is a bug");
    return good;
}

/* The text that `sakkara explain group-b` prints below its table. */
static void print_ways_out(const struct story *story, const char *name)
{
    SKR_STRBUF(text);
    if (skr_lab_explain(story->lab, NAMESPACE, name, &text) == SKR_EXPLAIN_FOUND) {
        json_t *explanation = json_loadb(text.s, text.len, 0, NULL);
        skr_explain_write_relaxations(explanation, 2, 3, story->out);
        json_decref(explanation);
    }
}

static bool end_of_second(struct story *story, const struct situation *situation)
{
    draw(story, SECOND);
    print_map(story, SECOND);
    print_ways_out(story, SECOND);
    bool good = is_as_expected(story, situation) && second_waits(story);
    skr_strbuf_addf(
        story->out, "\n  %s\n\n",
        good ? "as it must be: it waits as a whole, holds no room, says why and what helps"
             : "NOT as it must be: this is a bug");
    return good;
}

static int play(struct story *story, const struct situation *situation, int number)
{
    bool good = false;
    skr_strbuf_addf(story->out, "Situation %d of %d: %s\n\n", number, SITUATIONS, situation->title);
    open_story(story);
    story->muted = situation->second;
    int rc = bring_first(story, situation);
    if (rc == 0) {
        run(story);
    }
    story->muted = false;
    if (rc == 0 && situation->second) {
        rc = bring_second(story);
        run(story);
    }
    if (rc == 0) {
        good = situation->second ? end_of_second(story, situation) : end_of_first(story, situation);
    }
    close_story(story);
    return rc < 0 ? SKR_EXIT_ERROR : good ? SKR_EXIT_OK : SKR_EXIT_NOT_PLACED;
}

int skr_demo_play(bool ascii, bool verbose, struct skr_strbuf *out)
{
    struct story story = {.out = out, .ascii = ascii, .verbose = verbose};
    int code = SKR_EXIT_OK;
    skr_strbuf_addf(out,
                    "Two racks of three nodes, %d slots each. A Job of %d pods belongs to " GROUP
                    ":\n"
                    "all of them or none; packed into as few racks as can be, spread over the\n"
                    "nodes inside: {\"rack\":{\"type\":\"pack\"},\"node\":{\"type\":\"spread\"}}.\n"
                    "The pods wait behind a gate; the engine plans, nominates, opens the gates,\n"
                    "holds every bind call until all eight are there, and then binds.\n\n",
                    SKR_EXAMPLE_SLOTS, SIZE);
    for (int i = 0; i < SITUATIONS; i++) {
        int rc = play(&story, &situations[i], i + 1);
        code = code == SKR_EXIT_OK ? rc : code;
    }
    skr_strbuf_add(out,
                   "Next: sakkara sandbox keeps this cluster running for your own kubectl. It\n"
                   "      writes a kubeconfig, offers both Jobs, and says what to type;\n"
                   "      sakkara simulate -f FILE --picture plays your own nodes and Jobs;\n"
                   "      sakkara demo -v shows every request; docs/operations.md installs it.\n");
    return code;
}
