/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worked example. A situation is the number of free slots on each of six nodes, taken by
 * running pods of others; its outcome is the number of members each node must get. Time is virtual:
 * what is printed is what the engine decided and when, not how fast this machine is.
 */
#include "server/demo.h"

#include <stdio.h>
#include <string.h>

#include "server/demo_cluster.h"
#include "server/exit_code.h"

enum { NODES = 6, NODES_A_RACK = 3, SLOTS = 5, SIZE = 8 };

#define NAMESPACE "default"
#define GROUP     "group-a"

static const struct situation {
    const char *title;
    int free[NODES];
    int expected[NODES];
} situations[] = {
    {"everything is free", {5, 5, 5, 5, 5, 5}, {3, 3, 2, 0, 0, 0}},
    {"rack-1 has no room for all, node-2 is full, node-1 takes three",
     {5, 3, 0, 2, 2, 2},
     {5, 3, 0, 0, 0, 0}},
    {"no rack has room for all", {3, 0, 3, 2, 0, 2}, {3, 0, 3, 1, 0, 1}},
};
enum { SITUATIONS = sizeof situations / sizeof situations[0] };

struct story {
    struct skr_strbuf *out;
    bool ascii;
    bool verbose;
};

/* ---- objects ---- */

static json_t *make_topology(void)
{
    return json_pack("{s:s, s:{s:s, s:s, s:{s:s}}, s:{s:s, s:s, s:s, s:s}}", "kind", "ConfigMap",
                     "metadata", "name", "cluster-topology", "namespace", NAMESPACE, "labels",
                     "sakkara.topology", "", "data", "name", "cluster-tree", "resource-names",
                     "[\"cpu\",\"memory\"]", "level-names", "[\"rack\",\"node\"]", "tree",
                     "{\"rack-0\":{\"node-0\":{},\"node-1\":{},\"node-2\":{}},"
                     "\"rack-1\":{\"node-3\":{},\"node-4\":{},\"node-5\":{}}}");
}

static json_t *make_group(void)
{
    return json_pack("{s:s, s:{s:s, s:s, s:{s:s}}, s:{s:s, s:s, s:s, s:s}}", "kind", "ConfigMap",
                     "metadata", "name", GROUP, "namespace", NAMESPACE, "labels", "sakkara.group",
                     "", "data", "name", GROUP, "size", "8", "priority", "0", "constraints",
                     "{\"rack\":{\"type\":\"pack\"},\"node\":{\"type\":\"spread\"}}");
}

static json_t *make_node(int i)
{
    char name[32], cpu[32];
    snprintf(name, sizeof name, "node-%d", i);
    snprintf(cpu, sizeof cpu, "%dm", SLOTS * 100);
    return json_pack("{s:s, s:{s:s}, s:{}, s:{s:{s:s, s:s, s:s}}}", "kind", "Node", "metadata",
                     "name", name, "spec", "status", "allocatable", "cpu", cpu, "memory", "8Gi",
                     "pods", "110");
}

static json_t *make_container(void)
{
    return json_pack("{s:s, s:s, s:{s:{s:s, s:s}}}", "name", "main", "image", "busybox",
                     "resources", "requests", "cpu", "100m", "memory", "128Mi");
}

/* A pod of others that takes one slot. */
static json_t *make_load(int node, int i)
{
    char name[32], on[32];
    snprintf(name, sizeof name, "other-%d-%d", node, i);
    snprintf(on, sizeof on, "node-%d", node);
    return json_pack("{s:s, s:{s:s, s:s}, s:{s:s, s:s, s:[o]}, s:{s:s}}", "kind", "Pod", "metadata",
                     "name", name, "namespace", NAMESPACE, "spec", "schedulerName",
                     "default-scheduler", "nodeName", on, "containers", make_container(), "status",
                     "phase", "Running");
}

/* As the Job controller makes them, the gate added by the admission policy. */
static json_t *make_member(int i)
{
    char name[32];
    snprintf(name, sizeof name, "job-a-%d", i);
    return json_pack("{s:s, s:{s:s, s:s, s:{s:s}, s:[{s:s, s:s, s:s, s:s, s:b}]},"
                     " s:{s:s, s:s, s:[{s:s}], s:[o]}, s:{s:s}}",
                     "kind", "Pod", "metadata", "name", name, "namespace", NAMESPACE, "labels",
                     "sakkara.group.name", GROUP, "ownerReferences", "apiVersion", "batch/v1",
                     "kind", "Job", "name", "job-a", "uid", "job-a-uid", "controller", 1, "spec",
                     "schedulerName", "sakkara", "restartPolicy", "Never", "schedulingGates",
                     "name", "sakkara.gang", "containers", make_container(), "status", "phase",
                     "Pending");
}

static int add(struct skr_demo_cluster *cluster, json_t *object, struct skr_error *error)
{
    return object ? skr_demo_cluster_add(cluster, object, error)
                  : skr_error_set(error, SKR_BUG, "an object of the story cannot be made");
}

static int add_cluster(struct skr_demo_cluster *cluster, const struct situation *situation,
                       struct skr_error *error)
{
    int rc = add(cluster, make_topology(), error);
    for (int i = 0; i < NODES && rc == 0; i++) {
        rc = add(cluster, make_node(i), error);
        for (int k = situation->free[i]; k < SLOTS && rc == 0; k++) {
            rc = add(cluster, make_load(i, k), error);
        }
    }
    return rc;
}

static int add_gang(struct skr_demo_cluster *cluster, struct skr_error *error)
{
    int rc = add(cluster, make_group(), error);
    for (int i = 0; i < SIZE && rc == 0; i++) {
        rc = add(cluster, make_member(i), error);
    }
    return rc;
}

/* ---- looking at the result ---- */

static const json_t *member(const struct skr_demo_cluster *cluster, int i)
{
    char name[32];
    snprintf(name, sizeof name, "job-a-%d", i);
    return skr_demo_objects_get(skr_demo_cluster_objects(cluster), SKR_DEMO_POD, NAMESPACE, name);
}

static bool is_on(const json_t *pod, int node)
{
    char name[32];
    snprintf(name, sizeof name, "node-%d", node);
    return strcmp(skr_demo_text(pod, "spec.nodeName"), name) == 0;
}

static int count_on(const struct skr_demo_cluster *cluster, int node)
{
    int n = 0;
    for (int i = 0; i < SIZE; i++) {
        n += is_on(member(cluster, i), node) ? 1 : 0;
    }
    return n;
}

/* Rank -> member on the node, or NULL. */
static const json_t *member_of_rank(const struct skr_demo_cluster *cluster, int node, int rank)
{
    char text[16];
    snprintf(text, sizeof text, "%d", rank);
    for (int i = 0; i < SIZE; i++) {
        const json_t *pod = member(cluster, i);
        if (is_on(pod, node) && strcmp(skr_demo_label(pod, "sakkara.member.rank"), text) == 0) {
            return pod;
        }
    }
    return NULL;
}

static void add_cells(const struct story *story, const char *glyph, const char *ascii, int n)
{
    for (int i = 0; i < n; i++) {
        skr_strbuf_add(story->out, story->ascii ? ascii : glyph);
    }
}

static void draw_node(const struct story *story, const struct skr_demo_cluster *cluster,
                      const struct situation *situation, int i)
{
    int used = SLOTS - situation->free[i];
    int placed = count_on(cluster, i);
    skr_strbuf_addf(story->out, "    node-%d    ", i);
    add_cells(story, "█", "#", used);
    add_cells(story, "░", ".", situation->free[i]);
    skr_strbuf_add(story->out, "             ");
    add_cells(story, "█", "#", used);
    add_cells(story, "▒", "%", placed);
    add_cells(story, "░", ".", situation->free[i] - placed);
    if (placed > 0) {
        skr_strbuf_addf(story->out, "   +%d  ranks", placed);
        for (int rank = 0; rank < SIZE; rank++) {
            if (member_of_rank(cluster, i, rank)) {
                skr_strbuf_addf(story->out, " %d", rank);
            }
        }
    }
    skr_strbuf_addc(story->out, '\n');
}

static void draw(const struct story *story, const struct skr_demo_cluster *cluster,
                 const struct situation *situation)
{
    skr_strbuf_add(story->out,
                   "\n              BEFORE            AFTER      (one cell = 1 slot)\n");
    for (int i = 0; i < NODES; i++) {
        if (i % NODES_A_RACK == 0) {
            skr_strbuf_addf(story->out, "  rack-%d\n", i / NODES_A_RACK);
        }
        draw_node(story, cluster, situation, i);
    }
    skr_strbuf_addc(story->out, '\n');
}

/* Keys of the group map, as `kubectl get configmap group-a -o yaml` would show them. */
static void print_map(const struct story *story, const struct skr_demo_cluster *cluster)
{
    static const char *const keys[] = {"status", "reason", "message", "placement", "rank"};
    const json_t *map = skr_demo_objects_get(skr_demo_cluster_objects(cluster), SKR_DEMO_CONFIGMAP,
                                             NAMESPACE, GROUP);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *value = skr_demo_text(json_object_get(map, "data"), keys[i]);
        if (value[0]) {
            skr_strbuf_addf(story->out, "  %s: %s\n", keys[i], value);
        }
    }
}

static bool is_as_expected(const struct skr_demo_cluster *cluster,
                           const struct situation *situation)
{
    const json_t *map = skr_demo_objects_get(skr_demo_cluster_objects(cluster), SKR_DEMO_CONFIGMAP,
                                             NAMESPACE, GROUP);
    bool good = strcmp(skr_demo_text(map, "data.status"), "Bound") == 0;
    int ranked = 0;
    for (int i = 0; i < NODES; i++) {
        good = good && count_on(cluster, i) == situation->expected[i];
        for (int rank = 0; rank < SIZE; rank++) {
            ranked += member_of_rank(cluster, i, rank) ? 1 : 0;
        }
    }
    return good && ranked == SIZE;
}

static void print_trace(void *context, enum skr_demo_trace kind, skr_time since_start,
                        const char *text)
{
    const struct story *story = context;
    if (kind != SKR_DEMO_TRACE_DECISION && !story->verbose) {
        return;
    }
    skr_strbuf_addf(story->out, "  %3lld.%04llds  %s%s\n", (long long)(since_start / SKR_SECOND),
                    (long long)(since_start % SKR_SECOND / (SKR_SECOND / 10000)),
                    kind == SKR_DEMO_TRACE_DECISION ? "" : "      ", text);
}

/* ---- the story ---- */

static int play(struct story *story, const struct situation *situation, int number)
{
    struct skr_error error = {SKR_OK, ""};
    struct skr_demo_cluster_options options = {.trace = print_trace, .trace_context = story};
    skr_settings_default(&options.settings);
    options.settings.instance = "demo";
    options.start = (skr_time)1735689600 * SKR_SECOND; /* 2025-01-01 00:00:00 UTC */
    skr_strbuf_addf(story->out, "Situation %d of %d: %s\n\n", number, SITUATIONS, situation->title);
    struct skr_demo_cluster *cluster = skr_demo_cluster_create(&options);
    int rc = add_cluster(cluster, situation, &error);
    if (rc == 0) {
        skr_demo_cluster_sync(cluster);
        rc = add_gang(cluster, &error);
    }
    if (rc < 0) {
        skr_strbuf_addf(story->out, "  %s\n", error.text);
        skr_demo_cluster_destroy(cluster);
        return SKR_EXIT_ERROR;
    }
    skr_demo_cluster_run(cluster, 10 * SKR_SECOND);
    draw(story, cluster, situation);
    print_map(story, cluster);
    bool good = is_as_expected(cluster, situation);
    skr_strbuf_addf(story->out, "\n  %s\n\n",
                    good ? "as it must be: all eight bound, none alone"
                         : "NOT as it must be: this is a bug");
    skr_demo_cluster_destroy(cluster);
    return good ? SKR_EXIT_OK : SKR_EXIT_NOT_PLACED;
}

int skr_demo_play(bool ascii, bool verbose, struct skr_strbuf *out)
{
    struct story story = {out, ascii, verbose};
    int code = SKR_EXIT_OK;
    skr_strbuf_addf(out,
                    "Two racks of three nodes, %d slots each. A Job of %d pods belongs to " GROUP
                    ":\n"
                    "all of them or none; packed into as few racks as can be, spread over the\n"
                    "nodes inside: {\"rack\":{\"type\":\"pack\"},\"node\":{\"type\":\"spread\"}}.\n"
                    "The pods wait behind a gate; the engine plans, nominates, opens the gates,\n"
                    "holds every bind call until all eight are there, and then binds.\n\n",
                    SLOTS, SIZE);
    for (int i = 0; i < SITUATIONS; i++) {
        int rc = play(&story, &situations[i], i + 1);
        code = code == SKR_EXIT_OK ? rc : code;
    }
    skr_strbuf_add(out, "Next: docs/guide.md installs it on a cluster; sakkara demo -v shows every "
                        "request.\n");
    return code;
}
