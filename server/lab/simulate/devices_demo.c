/* SPDX-License-Identifier: Apache-2.0 */
/* Plays the story, and draws one cell for each device: the number of the pod that has it. */
#include "server/lab/simulate/devices_demo.h"

#include <string.h>

#include "server/exit_code.h"
#include "server/lab/driver/lab.h"
#include "server/lab/simulate/example.h"
#include "server/lab/simulate/input.h"
#include "server/object/path.h"
#include "server/render/explain_text.h"

enum { NODES = 4, DEVICES = 8, COUNT = 4, FIRST = 6, SECOND = 4 };

#define MINOR     36 /* Kubernetes 1.36 */
#define NAMESPACE "default"
#define START     ((skr_time)1735689600 * SKR_SECOND) /* 2025-01-01 00:00:00 UTC */

static const char classes_text[] =
    "apiVersion: resource.k8s.io/v1\n"
    "kind: DeviceClass\n"
    "metadata: {name: gpu.example.com}\n"
    "spec:\n"
    "  selectors: [{cel: {expression: device.driver == \"gpu.example.com\"}}]\n"
    "---\n"
    "apiVersion: resource.k8s.io/v1\n"
    "kind: ResourceClaimTemplate\n"
    "metadata: {name: four-gpus, namespace: default}\n"
    "spec:\n"
    "  spec:\n"
    "    devices:\n"
    "      requests: [{name: gpus, exactly: {deviceClassName: gpu.example.com, count: %d}}]\n";

/* Name; twice name; generation 1 of one slice. */
#define NODE_TEXT                                                          \
    "---\n"                                                                \
    "apiVersion: v1\n"                                                     \
    "kind: Node\n"                                                         \
    "metadata: {name: node-%d}\n"                                          \
    "status: {allocatable: {cpu: \"64\", memory: 256Gi, pods: \"110\"}}\n" \
    "---\n"                                                                \
    "apiVersion: resource.k8s.io/v1\n"                                     \
    "kind: ResourceSlice\n"                                                \
    "metadata: {name: node-%d}\n"                                          \
    "spec:\n"                                                              \
    "  driver: gpu.example.com\n"                                          \
    "  nodeName: node-%d\n"                                                \
    "  pool: {name: node-%d, generation: 1, resourceSliceCount: 1}\n"      \
    "  devices: ["

/* Name, name, size; name, size, size, name, seconds. */
#define GANG_TEXT                                                                              \
    "---\n"                                                                                    \
    "apiVersion: v1\n"                                                                         \
    "kind: ConfigMap\n"                                                                        \
    "metadata: {name: %s, namespace: default, labels: {sakkara.group: \"\"}}\n"                \
    "data: {name: %s, size: \"%d\"}\n"                                                         \
    "---\n"                                                                                    \
    "apiVersion: batch/v1\n"                                                                   \
    "kind: Job\n"                                                                              \
    "metadata: {name: %s, namespace: default}\n"                                               \
    "spec:\n"                                                                                  \
    "  parallelism: %d\n"                                                                      \
    "  completions: %d\n"                                                                      \
    "  template:\n"                                                                            \
    "    metadata: {labels: {sakkara.group.name: %s}, annotations: {sandbox.sakkara/run-for: " \
    "%ds}}\n"                                                                                  \
    "    spec:\n"                                                                              \
    "      schedulerName: sakkara\n"                                                           \
    "      restartPolicy: Never\n"                                                             \
    "      resourceClaims: [{name: gpus, resourceClaimTemplateName: four-gpus}]\n"             \
    "      containers:\n"                                                                      \
    "      - {name: c, image: x, resources: {requests: {cpu: \"1\"}, claims: [{name: gpus}]}}\n"

static void write_cluster(struct skr_strbuf *text)
{
    skr_strbuf_addf(text, classes_text, COUNT);
    for (int i = 0; i < NODES; i++) {
        skr_strbuf_addf(text, NODE_TEXT, i, i, i, i);
        for (int k = 0; k < DEVICES; k++) {
            skr_strbuf_addf(text, "%s{name: gpu-%d}", k > 0 ? ", " : "", k);
        }
        skr_strbuf_add(text, "]\n");
    }
}

static void write_gang(const char *name, int size, int seconds, struct skr_strbuf *text)
{
    skr_strbuf_addf(text, GANG_TEXT, name, name, size, name, size, size, name, seconds);
}

/* ---- the picture ---- */

struct picture {
    const char *free;
    char cell[NODES][DEVICES]; /* number of the pod; 0: free */
    int taken;
};

/* Devices of node-N are gpu-0 to gpu-7; pods are NAME-0 to NAME-5. */
static bool add_claim(void *context, const json_t *claim)
{
    struct picture *picture = context;
    const json_t *results = skr_path_get(claim, "status.allocation.devices.results");
    const json_t *consumer = json_array_get(skr_path_get(claim, "status.reservedFor"), 0);
    const char *pod = strrchr(skr_path_text(consumer, "name"), '-');
    for (size_t i = 0; pod && i < json_array_size(results); i++) {
        const json_t *result = json_array_get(results, i);
        const char *node = strrchr(skr_path_text(result, "pool"), '-');
        const char *device = strrchr(skr_path_text(result, "device"), '-');
        skr_bug_on(!node || !device || node[1] - '0' >= NODES || device[1] - '0' >= DEVICES);
        picture->cell[node[1] - '0'][device[1] - '0'] = pod[1];
        picture->taken++;
    }
    return true;
}

/* Returns how many devices are taken. */
static int draw(struct skr_lab *lab, bool ascii, struct skr_strbuf *out)
{
    struct picture picture = {.free = ascii ? "." : "·"};
    skr_store_each(skr_lab_store(lab), "ResourceClaim", add_claim, &picture);
    for (int node = 0; node < NODES; node++) {
        skr_strbuf_addf(out, "  node-%d   ", node);
        for (int i = 0; i < DEVICES; i++) {
            if (picture.cell[node][i]) {
                skr_strbuf_addc(out, picture.cell[node][i]);
            } else {
                skr_strbuf_add(out, picture.free);
            }
        }
        skr_strbuf_addc(out, '\n');
    }
    skr_strbuf_addc(out, '\n');
    return picture.taken;
}

/* ---- the story ---- */

static void explain(struct skr_lab *lab, const char *name, struct skr_strbuf *out)
{
    const struct skr_explain_look look = {.dump = "dump.json"};
    SKR_STRBUF(text);
    if (skr_lab_explain(lab, NAMESPACE, name, &text) == SKR_EXPLAIN_FOUND) {
        json_auto_t *explanation = json_loadb(text.s, text.len, 0, NULL);
        skr_explain_write_text(explanation, &look, out);
        skr_strbuf_addc(out, '\n');
    }
}

static int play(struct skr_lab *lab, bool ascii, struct skr_strbuf *out)
{
    SKR_STRBUF(text);
    write_cluster(&text);
    skr_bug_on(skr_example_create(lab, &text, out) < 0);
    skr_lab_run(lab, START);
    skr_lab_start(lab);
    skr_strbuf_reset(&text);
    write_gang("first", FIRST, 60, &text);
    skr_bug_on(skr_example_create(lab, &text, out) < 0);
    skr_lab_run(lab, START + 5 * SKR_SECOND);
    skr_strbuf_reset(&text);
    write_gang("second", SECOND, 600, &text);
    skr_bug_on(skr_example_create(lab, &text, out) < 0);
    skr_lab_run(lab, START + 20 * SKR_SECOND);
    skr_strbuf_add(out,
                   "1. first has all its devices; a cell is the number of the pod that has it\n\n");
    bool good = draw(lab, ascii, out) == FIRST * COUNT;
    skr_strbuf_add(out, "2. second waits as a whole, although every node has cpu\n\n");
    explain(lab, "second", out);
    skr_lab_run(lab, START + 120 * SKR_SECOND);
    skr_strbuf_add(out, "3. first is over: its claims are deleted, and second has devices\n\n");
    good = draw(lab, ascii, out) == SECOND * COUNT && good;
    skr_strbuf_add(out, good ? "as it must be: each gang has all its devices, or none\n"
                             : "NOT as it must be: this is a bug\n");
    return good ? SKR_EXIT_OK : SKR_EXIT_NOT_PLACED;
}

int skr_devices_demo(bool ascii, struct skr_strbuf *out)
{
    struct skr_lab_options options = {.start = START};
    SKR_AUTO(skr_config_destroy) struct skr_config *config = skr_simulate_config(NULL, out);
    skr_bug_on(!config);
    options.settings = config->settings;
    options.settings.instance = "demo";
    options.settings.server_minor = MINOR;
    skr_cluster_options_default(&options.cluster);
    options.cluster.ordinal_names = true;
    options.cluster.node_status = false;
    struct skr_lab *lab = skr_lab_create(&options);
    skr_strbuf_addf(
        out,
        "Four nodes with eight GPUs each, which their ResourceSlices offer, and cpu for\n"
        "all pods. Two gangs, first with %d pods and second with %d: each pod wants %d GPUs\n"
        "by a claim of ResourceClaimTemplate four-gpus. The daemon counts devices as\n"
        "kube-scheduler will choose them, so no plan is refused.\n\n",
        FIRST, SECOND, COUNT);
    const int code = play(lab, ascii, out);
    skr_lab_destroy(lab);
    return code;
}
