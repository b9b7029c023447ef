/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_ENGINE_WORLD_RESTARTS_H
#define SKR_TEST_PROPERTY_ENGINE_WORLD_RESTARTS_H
/*
 * Workloads whose attempts end, pod by pod or at once, and are made again after a while, in a cluster that strangers fill:
 * Jobs, a JobSet and a LeaderWorkerSet of engine_world_derived.h. From step WORLD_RESTARTS_FROM on nodes and tree are whole,
 * no request fails or is late, all priorities are equal, and nothing but that happens.
 *
 * The law, from the first pod that an attempt loses and for seatHold, as long as the owner is there and the bound of its
 * namespace cuts no seats:
 *
 *   - while no pod of the next attempt is bound, each seat that the last one left has room beside all that is bound
 *   - once all pods of the next attempt are there, they are bound within WORLD_AGAIN_S, whatever is reserved for others
 */
#include "test/property/engine_world.h"

enum { WORLD_RESTARTS_FROM = 100, WORLD_AGAIN_S = 5 };

/* An act, and time. */
void restarts_step(struct world *w);
void restarts_end(struct world *w); /* the strangers go, and the law holds no more */
/* Of any world, at any time. */
void restarts_check(struct world *w);

#endif
