/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_FLEET_H
#define SKR_TEST_UNIT_FLEET_H
/* Member clusters with provider, region, zone and room, the same ones every time, and a binding of
 * 100 replicas. */
#include "core/propagation/decision.h"

enum { FLEET_NAME_BYTES = 24 };

struct fleet {
    size_t n;
    struct skr_member_cluster *cluster;
    const struct skr_member_cluster **list;
    char (*name)[FLEET_NAME_BYTES];
    char (*place)[3][FLEET_NAME_BYTES];
    const char **zone;
    struct skr_served_kind kind;
    struct skr_group_constraint constraint[SKR_SPREAD_FIELD_COUNT];
    struct skr_binding binding;
    struct skr_propagation_options options;
};

/* n clusters in so many zones; 5 zones a region, 4 regions a provider. */
void fleet_make(struct fleet *f, size_t n, size_t zones);
void fleet_free(struct fleet *f);
void fleet_constrain(struct fleet *f, enum skr_spread_field field, int64_t min, int64_t max);

#endif
