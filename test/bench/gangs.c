/* SPDX-License-Identifier: Apache-2.0 */
#include "test/bench/gangs.h"

static void write_node(FILE *f, size_t i)
{
    fprintf(f,
            "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: node-%zu\n  labels:\n"
            "    kubernetes.io/hostname: node-%zu\n    sakkara.topology.rack: rack-%zu\nstatus:\n"
            "  allocatable: {cpu: \"64\", memory: 256Gi, pods: \"110\", nvidia.com/gpu: \"8\"}\n",
            i, i, i / 32);
}

static void write_gang(FILE *f, size_t i, size_t size)
{
    fprintf(f,
            "---\napiVersion: v1\nkind: ConfigMap\n"
            "metadata: {name: group-%zu, labels: {sakkara.group: \"\"}}\n"
            "data: {name: group-%zu, size: \"%zu\", priority: \"0\","
            " constraints: '{\"rack\":{\"type\":\"pack\"}}'}\n",
            i, i, size);
    fprintf(f,
            "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: job-%zu}\nspec:\n"
            "  parallelism: %zu\n  completions: %zu\n  completionMode: Indexed\n  template:\n"
            "    metadata: {labels: {sakkara.group.name: group-%zu}}\n    spec:\n"
            "      schedulerName: sakkara\n      schedulingGates: [{name: sakkara.gang}]\n"
            "      restartPolicy: Never\n      containers:\n      - name: main\n"
            "        image: busybox\n        resources: {requests: {cpu: \"8\", memory: 32Gi},"
            " limits: {nvidia.com/gpu: \"1\"}}\n",
            i, size, size, i);
}

void gangs_write(FILE *file, size_t nodes, size_t gangs, size_t size)
{
    for (size_t i = 0; i < nodes; i++) {
        write_node(file, i);
    }
    for (size_t i = 0; i < gangs; i++) {
        write_gang(file, i, size);
    }
}
