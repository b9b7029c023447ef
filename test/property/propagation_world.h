/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_PROPAGATION_WORLD_H
#define SKR_TEST_PROPERTY_PROPAGATION_WORLD_H
/* Random clusters and bindings of Karmada, made without JSON. */
#include "core/propagation/decision.h"

enum { WORLD_CLUSTERS_MAX = 32, WORLD_NAME_BYTES = 8 };

struct propagation_world {
    uint64_t seed;
    size_t n;
    char name[WORLD_CLUSTERS_MAX][WORLD_NAME_BYTES];
    char place[3][WORLD_CLUSTERS_MAX][WORLD_NAME_BYTES];
    const char *zone[WORLD_CLUSTERS_MAX][1];
    struct skr_member_cluster cluster[WORLD_CLUSTERS_MAX];
    const struct skr_member_cluster *list[WORLD_CLUSTERS_MAX];
    struct skr_target target[WORLD_CLUSTERS_MAX];
    const struct skr_target *target_by_name[WORLD_CLUSTERS_MAX];
    struct skr_served_kind kind;
    struct skr_group_constraint constraint[SKR_SPREAD_FIELD_COUNT];
    struct skr_binding binding;
    struct skr_propagation_options options;
};

/* 0 .. below - 1. */
int64_t world_random(struct propagation_world *world, int64_t below);
/* n clusters in as many places per level; rooms and scores are small, so that ties are common. */
void world_make(struct propagation_world *world, uint64_t seed, size_t n, int64_t places);
void world_constrain(struct propagation_world *world, enum skr_spread_field field, int64_t min,
                     int64_t max);
/* Fails the test when it cannot be decided. Destroy it. */
struct skr_binding_decision *world_decide(struct propagation_world *world);

#endif
