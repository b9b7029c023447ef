/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_NAMES_SWEEP_H
#define SKR_CORE_GANG_CACHE_NAMES_SWEEP_H
/*
 * Gives back names of nodes that nothing refers to any more, and entries of nodes that do not exist
 * and that nobody nominates. Names come from outside (bound pods, nominations, plans), so their
 * number must not grow with what has been.
 *
 * Referring are: entries of nodes, places and votes of pods, vacancies of plans, Bindings in flight.
 */
#include "core/gang/state/gang.h"

/* When there are twice as many as after the last time; O(nodes + pods) then. Not while an event is
 * handled: nobody else may hold a name. */
void skr_names_sweep(struct skr_gang *e);

#endif
