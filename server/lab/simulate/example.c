/* SPDX-License-Identifier: Apache-2.0 */
/* Templates of manifests, and the values for them. */
#include "server/lab/simulate/example.h"

#include "server/lab/simulate/input.h"

static void no_tick(void *context)
{
    (void)context;
}

int skr_example_create(struct skr_lab *lab, const struct skr_strbuf *text,
                       struct skr_strbuf *messages)
{
    struct skr_simulate_input input;
    skr_simulate_input_init(&input);
    int rc = skr_simulate_input_parse(&input, "demo", text->s, text->len, messages);
    if (rc == 0) {
        rc = skr_simulate_input_load(&input, skr_lab_store(lab), skr_lab_now(lab), no_tick, NULL,
                                     messages);
    }
    skr_simulate_input_fini(&input);
    return rc;
}

static const char topology_text[] =
    "apiVersion: v1\n"
    "kind: ConfigMap\n"
    "metadata: {name: cluster-topology, namespace: default, labels: {sakkara.topology: \"\"}}\n"
    "data:\n"
    "  name: cluster-tree\n"
    "  level-names: '[\"rack\",\"node\"]'\n"
    "  tree: '{\"rack-0\":{\"node-0\":{},\"node-1\":{},\"node-2\":{}},"
    "\"rack-1\":{\"node-3\":{},\"node-4\":{},\"node-5\":{}}}'\n";

/* Twice the group, size, constraints, Job, twice the size, group. */
#define GANG_TEXT                                                               \
    "apiVersion: v1\n"                                                          \
    "kind: ConfigMap\n"                                                         \
    "metadata: {name: %s, namespace: default, labels: {sakkara.group: \"\"}}\n" \
    "data: {name: %s, size: \"%d\", priority: \"0\", constraints: '%s'}\n"      \
    "---\n"                                                                     \
    "apiVersion: batch/v1\n"                                                    \
    "kind: Job\n"                                                               \
    "metadata: {name: %s, namespace: default}\n"                                \
    "spec:\n"                                                                   \
    "  parallelism: %d\n"                                                       \
    "  completions: %d\n"                                                       \
    "  template:\n"                                                             \
    "    metadata: {labels: {sakkara.group.name: %s}}\n"                        \
    "    spec:\n"                                                               \
    "      schedulerName: sakkara\n"                                            \
    "      schedulingGates: [{name: sakkara.gang}]\n"                           \
    "      restartPolicy: Never\n"                                              \
    "      containers:\n"                                                       \
    "      - {name: main, image: busybox, resources: {requests: {cpu: 100m, memory: 128Mi}}}\n"

static void write_gang(const char *group, const char *job, int size, const char *constraints,
                       struct skr_strbuf *out)
{
    skr_strbuf_addf(out, GANG_TEXT, group, group, size, constraints, job, size, size, group);
}

void skr_example_write_cluster(const int free[SKR_EXAMPLE_NODES], struct skr_strbuf *out)
{
    skr_strbuf_add(out, topology_text);
    for (int i = 0; i < SKR_EXAMPLE_NODES; i++) {
        skr_strbuf_addf(out,
                        "---\n{apiVersion: v1, kind: Node, metadata: {name: node-%d},"
                        " status: {allocatable: {cpu: %dm, memory: 8Gi, pods: 110}}}\n",
                        i, SKR_EXAMPLE_SLOTS * 100);
        for (int k = free[i]; k < SKR_EXAMPLE_SLOTS; k++) {
            skr_strbuf_addf(out,
                            "---\n{apiVersion: v1, kind: Pod, metadata: {name: other-%d-%d},"
                            " spec: {nodeName: node-%d, containers: [{name: main, image: busybox,"
                            " resources: {requests: {cpu: 100m, memory: 128Mi}}}]},"
                            " status: {phase: Running}}\n",
                            i, k, i);
        }
    }
}

void skr_example_write_last_cluster(struct skr_strbuf *out)
{
    static const int free[SKR_EXAMPLE_NODES] = SKR_EXAMPLE_LAST;
    skr_example_write_cluster(free, out);
}

void skr_example_write_gang(struct skr_strbuf *out)
{
    write_gang(SKR_EXAMPLE_GROUP, "job-a", SKR_EXAMPLE_SIZE,
               "{\"rack\":{\"type\":\"pack\"},\"node\":{\"type\":\"spread\"}}", out);
}

void skr_example_write_second(struct skr_strbuf *out)
{
    write_gang(SKR_EXAMPLE_SECOND, "job-b", SKR_EXAMPLE_SECOND_SIZE,
               "{\"rack\":{\"type\":\"pack\",\"hard\":true}}", out);
}
