/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_VOLUME_TURNS_H
#define SKR_CORE_GANG_PLAN_VOLUME_TURNS_H
/*
 * The order in which members of a plan are nominated, as far as their volumes decide it. Those with late claims come
 * after all others, as PreBind binds their claims for good. Of these, kube-scheduler gives each the smallest volume that
 * serves it, so that one which comes too early may take the only one of another (core/gang/problem/volume_play.h).
 */
#include "core/gang/state/plan_entry.h"

/* Adds turns to ret[n]: pods of one turn are accepted in any order. place.node says where each goes. O(n * n), and a
 * search for an order. */
void skr_volume_turns_add(struct skr_gang *e, struct pod_entry *const *pod, size_t n, int32_t *ret);
/* Sets these turns for the members of a plan that are not bound: an earlier process has made it. */
void skr_volume_turns_restore(struct skr_gang *e, struct plan *plan);

#endif
