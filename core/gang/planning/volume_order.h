/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLANNING_VOLUME_ORDER_H
#define SKR_CORE_GANG_PLANNING_VOLUME_ORDER_H
/*
 * The problem counts volumes leaf by leaf. An answer of the solver holds only if kube-scheduler gives each member its
 * volumes on its node, one member after the other (core/gang/problem/volume_play.h).
 */
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/solve_request.h"

enum skr_volume_order {
    SKR_VOLUMES_SERVED,  /* or kube-scheduler decides */
    SKR_VOLUMES_DEALT,   /* also, with other leaves */
    SKR_VOLUMES_LIMITED, /* no order serves all: a leaf takes fewer from now on (vetoes.h) */
    SKR_VOLUMES_NONE,    /* no placement at all does */
};

/* Looks for leaves and an order in which all members are served, which the answer allows. leaf[n]: of each newcomer,
 * which DEALT changes. last: leaves are not limited any more; any placement that obeys the rules of the problem is looked
 * for instead, and counts of s change. */
enum skr_volume_order skr_volume_order(struct skr_gang *e, struct group *g,
                                       struct pod_entry *const *newcomers, size_t n,
                                       const struct skr_solve_request *solved,
                                       struct skr_solution *s, bool last, int32_t *leaf);

#endif
