/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_SPOTMIX_PARTS_H
#define SKR_SERVER_LAB_SIMULATE_SPOTMIX_PARTS_H
/* Shared by the files of the replayed spot mix. */
#include "server/lab/simulate/spotmix_world.h"

#define SKR_SPOTMIX_WORKLOAD_UID "00000000-0000-4000-8000-000000000000"
#define SKR_SPOTMIX_STRANGER_UID "00000000-0000-4000-8003-000000000000" /* in no cache */
/* 2026-01-01T00:00:00Z */
#define SKR_SPOTMIX_SIM_BEGIN ((skr_time)1767225600 * SKR_SECOND)

/* Checks the types of an event's fields, or of a create in one; null counts as absent, unknown
 * fields are ignored. SKR_INVALID: the first with a wrong type. */
int skr_spotmix_check_fields(const json_t *event, struct skr_error *error);

#endif
