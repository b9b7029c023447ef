/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of presets: which labels clouds and tools give their nodes, top to bottom. Sources are
 * the providers' documents, named in docs/reference.md. EKS counts its layers from the top, Nebius
 * and topograph count tiers from the node, so their upper tiers may be missing in a whole cluster.
 */
#include "topology/label_levels.h"

#include <string.h>

#define LEVEL(title, key)                              \
    {                                                  \
        .name = title, .n_labels = 1, .label = { key } \
    }
#define REGION LEVEL("region", "topology.kubernetes.io/region")
#define ZONE   LEVEL("zone", "topology.kubernetes.io/zone")

static const struct preset {
    const char *name;
    struct skr_label_levels levels;
} presets[] = {
    {"zones", {.n = 2, .level = {REGION, ZONE}}},
    {"eks",
     {.n = 5,
      .level = {ZONE, LEVEL("layer1", "topology.k8s.aws/network-node-layer-1"),
                LEVEL("layer2", "topology.k8s.aws/network-node-layer-2"),
                LEVEL("layer3", "topology.k8s.aws/network-node-layer-3"),
                LEVEL("layer4", "topology.k8s.aws/network-node-layer-4")},
      .pad = true}},
    {"gke",
     {.n = 4,
      .level = {ZONE, LEVEL("block", "cloud.google.com/gce-topology-block"),
                LEVEL("subblock", "cloud.google.com/gce-topology-subblock"),
                LEVEL("host", "cloud.google.com/gce-topology-host")}}},
    {"oke",
     {.n = 3,
      .level = {LEVEL("island", "oci.oraclecloud.com/rdma.hpc_island_id"),
                LEVEL("block", "oci.oraclecloud.com/rdma.network_block_id"),
                LEVEL("local", "oci.oraclecloud.com/rdma.local_block_id")}}},
    {"coreweave",
     {.n = 3,
      .level = {LEVEL("fabric", "backend.coreweave.cloud/fabric"),
                {.name = "leafgroup",
                 .n_labels = 1,
                 .label = {"backend.coreweave.cloud/leafgroup"},
                 .repeats = true},
                {.name = "rack",
                 .n_labels = 2,
                 .label = {"ds.coreweave.com/nvlink.domain", "node.coreweave.cloud/rack"}}}}},
    {"nebius",
     {.n = 4,
      .level = {LEVEL("tier3", "topology.nebius.com/tier-3"),
                LEVEL("tier2", "topology.nebius.com/tier-2"),
                LEVEL("tier1", "topology.nebius.com/tier-1"),
                LEVEL("tier0", "topology.nebius.com/tier-0")},
      .pad = true,
      .drops_leading = true}},
    {"topograph",
     {.n = 5,
      .level = {LEVEL("tier3", "fabric.topograph.run/tier-3"),
                LEVEL("tier2", "fabric.topograph.run/tier-2"),
                LEVEL("tier1", "fabric.topograph.run/tier-1"),
                LEVEL("tier0", "fabric.topograph.run/tier-0"),
                LEVEL("domain", "accelerator.topograph.run/domain")},
      .pad = true,
      .drops_leading = true}},
    {"topograph0",
     {.n = 4,
      .level = {LEVEL("core", "network.topology.nvidia.com/core"),
                LEVEL("spine", "network.topology.nvidia.com/spine"),
                LEVEL("leaf", "network.topology.nvidia.com/leaf"),
                LEVEL("accelerator", "network.topology.nvidia.com/accelerator")}}},
    {"nvlink",
     {.n = 2,
      .level = {{.name = "domain", .n_labels = 1, .label = {"nvidia.com/gpu.clique"}, .until = "."},
                LEVEL("clique", "nvidia.com/gpu.clique")}}},
};

enum { PRESETS = sizeof presets / sizeof presets[0] };

const struct skr_label_levels *skr_label_levels_preset(const char *name)
{
    for (size_t i = 0; i < PRESETS; i++) {
        if (strcmp(presets[i].name, name) == 0) {
            return &presets[i].levels;
        }
    }
    return NULL;
}

const char *skr_label_levels_preset_name(size_t i)
{
    return i < PRESETS ? presets[i].name : NULL;
}
