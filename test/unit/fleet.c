/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

void fleet_make(struct fleet *f, size_t n, size_t zones)
{
    uint64_t seed = 88172645463325252u;
    memset(f, 0, sizeof *f);
    f->n = n;
    f->cluster = skr_alloc_array(n, sizeof *f->cluster);
    f->list = skr_alloc_array(n, sizeof *f->list);
    f->name = skr_alloc_array(n, sizeof *f->name);
    f->place = skr_alloc_array(n, sizeof *f->place);
    f->zone = skr_alloc_array(n, sizeof *f->zone);
    f->kind = (struct skr_served_kind){"apps/v1", "Deployment"};
    for (size_t i = 0; i < n; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        size_t zone = (size_t)(seed >> 20) % zones;
        snprintf(f->name[i], FLEET_NAME_BYTES, "c%06zu", i);
        snprintf(f->place[i][0], FLEET_NAME_BYTES, "p%zu", zone / 20);
        snprintf(f->place[i][1], FLEET_NAME_BYTES, "r%zu", zone / 5);
        snprintf(f->place[i][2], FLEET_NAME_BYTES, "z%zu", zone);
        f->zone[i] = f->place[i][2];
        f->cluster[i] = (struct skr_member_cluster){.provider = f->place[i][0],
                                                    .region = f->place[i][1],
                                                    .n_zones = 1,
                                                    .zone = &f->zone[i],
                                                    .n_kinds = 1,
                                                    .kind = &f->kind,
                                                    .has_room = true,
                                                    .room = (int64_t)(seed % 40)};
        f->cluster[i].meta.name = f->name[i];
        f->list[i] = &f->cluster[i];
    }
    f->binding = (struct skr_binding){.resource = {.api_version = "apps/v1",
                                                   .kind = "Deployment",
                                                   .namespace_ = "",
                                                   .name = "web",
                                                   .uid = "u"},
                                      .replicas = 100,
                                      .has_placement = true,
                                      .observed_affinity = ""};
    f->binding.meta.name = "web";
    f->binding.meta.namespace_ = "default";
    f->binding.placement.kind = SKR_DIVISION_DYNAMIC;
    f->binding.placement.constraint = f->constraint;
    skr_propagation_options_init(&f->options, SKR_PROFILE_DEFAULT);
}

void fleet_free(struct fleet *f)
{
    free(f->cluster);
    free(f->list);
    free(f->name);
    free(f->place);
    free(f->zone);
}

void fleet_constrain(struct fleet *f, enum skr_spread_field field, int64_t min, int64_t max)
{
    f->constraint[f->binding.placement.n_constraints++] =
        (struct skr_group_constraint){.field = field, .min_groups = min, .max_groups = max};
}
