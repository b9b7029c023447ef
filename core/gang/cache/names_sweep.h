/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_NAMES_SWEEP_H
#define SKR_CORE_GANG_CACHE_NAMES_SWEEP_H
/*
 * Frees node names without references, and entries of nodes that do not exist and are not
 * nominated. Names come from outside (bound pods, nominations, plans): without a sweep their number
 * would grow forever.
 *
 * References: entries of nodes, places and votes of pods, vacancies of plans, Bindings in flight.
 */
#include "core/gang/state/gang.h"

/* Sweeps if the number has doubled since the last sweep; then O(nodes + pods). Not while an event
 * is handled: other code may hold a name. */
void skr_names_sweep(struct skr_gang *e);

#endif
