/* SPDX-License-Identifier: Apache-2.0 */
#include "test/property/propagation_world.h"

#include "test/test.h"

int64_t world_random(struct propagation_world *world, int64_t below)
{
    world->seed ^= world->seed << 13;
    world->seed ^= world->seed >> 7;
    world->seed ^= world->seed << 17;
    return (int64_t)(world->seed >> 11) % below;
}

void world_make(struct propagation_world *world, uint64_t seed, size_t n, int64_t places)
{
    static const int64_t score[] = {0, 0, 100, 100, 40};
    memset(world, 0, sizeof *world);
    world->seed = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    for (int i = 0; i < 3; i++) {
        world_random(world, 2);
    }
    world->n = n;
    world->kind = (struct skr_served_kind){"apps/v1", "Deployment"};
    for (size_t i = 0; i < n; i++) {
        struct skr_member_cluster *cluster = &world->cluster[i];
        snprintf(world->name[i], WORLD_NAME_BYTES, "c%02d", (int)i);
        /* Places are nested: a zone is in one region, a region in one provider, mostly. */
        int64_t zone = world_random(world, places);
        snprintf(world->place[2][i], WORLD_NAME_BYTES, "z%d", (int)zone);
        snprintf(world->place[1][i], WORLD_NAME_BYTES, "r%d",
                 (int)(world_random(world, 5) == 0 ? world_random(world, 3) : zone / 2));
        snprintf(world->place[0][i], WORLD_NAME_BYTES, "p%d",
                 (int)(world_random(world, 5) == 0 ? world_random(world, 2) : zone / 3));
        world->zone[i][0] = world->place[2][i];
        *cluster = (struct skr_member_cluster){.provider = world->place[0][i],
                                               .region = world->place[1][i],
                                               .n_zones = 1,
                                               .zone = world->zone[i],
                                               .n_kinds = 1,
                                               .kind = &world->kind,
                                               .has_score = true,
                                               .score = score[world_random(world, 5)],
                                               .has_room = true,
                                               .room = world_random(world, 8)};
        cluster->meta.name = world->name[i];
        cluster->meta.namespace_ = "";
        world->list[i] = cluster;
    }
    world->binding = (struct skr_binding){.resource = {.api_version = "apps/v1",
                                                       .kind = "Deployment",
                                                       .namespace_ = "default",
                                                       .name = "web",
                                                       .uid = "u"},
                                          .replicas = 1,
                                          .has_placement = true,
                                          .observed_affinity = "",
                                          .target = world->target,
                                          .target_by_name = world->target_by_name};
    world->binding.meta.name = "web";
    world->binding.meta.namespace_ = "default";
    world->binding.placement.kind = SKR_DIVISION_DYNAMIC;
    world->binding.placement.constraint = world->constraint;
    skr_propagation_options_init(&world->options, SKR_PROFILE_DEFAULT);
}

void world_constrain(struct propagation_world *world, enum skr_spread_field field, int64_t min,
                     int64_t max)
{
    world->constraint[world->binding.placement.n_constraints++] =
        (struct skr_group_constraint){.field = field, .min_groups = min, .max_groups = max};
}

struct skr_binding_decision *world_decide(struct propagation_world *world)
{
    struct skr_binding_decision *decision = NULL;
    struct skr_error error = {.text = ""};
    if (skr_binding_decide(&world->binding, world->list, world->n, NULL, &world->options, NULL,
                           &decision, &error) < 0) {
        fail_msg("%s", error.text);
    }
    return decision;
}
