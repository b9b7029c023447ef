/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_RESERVATION_H
#define SKR_CORE_GANG_GROUP_RESERVATION_H
/*
 * What is reserved, for which owner, until when.
 *
 * A reservation is room of one pod on one node that no bound pod uses. It has an owner, a reason, a
 * deadline and a priority. It ends at its deadline, when what it waits for can no longer happen, or
 * when a group of higher priority needs it:
 *
 *   reason      room of                                deadline              ends early
 *   plan        a member before the point of no        planTimeout           a member goes, a node
 *               return                                                       closes, kube-scheduler
 *                                                                            refuses it; preemption
 *   victims     a member that waits for victims        planTimeout and 30 s  as plan
 *                                                      after the last that
 *                                                      left
 *   binding     a member in state Binding              planTimeout           its pod goes
 *   vacancy     a member that was lost in Binding      SKR_VACANCY_S         its replacement is bound
 *   seat        a lost member of a group that runs     seatHold, at most     a group of higher priority
 *                                                      seatHoldMax           fits only with it
 *               a member that leaves a lost node       planTimeout, then     as above; the node is back
 *                                                      as above
 *   first       a single pod above the priority of a   SKR_POD_FIRST_S       kube-scheduler judges it
 *               group that does not fit beside it
 *   claims      a pod whose claims are bound: a single SKR_POD_LATE_S        kube-scheduler lets go of
 *               one, or a member whose plan is over                          it
 *   call        a single pod with a bind call          bindTimeout           the call ends
 *
 * docs/threats.md has the bound of each. Where each is made: plan/plan.c, changes/plan_loss.c,
 * group/seat_holds.c, cache/ordinary.c, bind/binding.c. This list is read by the views, the metrics,
 * explanations and the invariants.
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/stats.h"

struct reservation {
    enum skr_reservation_reason reason;
    bool single;       /* owner is a pod, not a group */
    const char *owner; /* namespace/name; all pointers are valid during the visit */
    const char *pod;   /* name of the pod; "": there is none now */
    const char *node;
    const struct skr_amounts *amounts;
    skr_time until;
    int32_t priority; /* of the owner */
};

/* Visits each, in an order that the events decide. O(members of groups with a plan + held seats +
 * waiting single pods). */
void skr_reservations_each(const struct skr_gang *e,
                           void (*visit)(void *context, const struct reservation *r),
                           void *context);
/* Pods by reason: n[SKR_RESERVED_COUNT]. */
void skr_reservations_count(const struct skr_gang *e, size_t *n);
const char *skr_reservation_name(enum skr_reservation_reason reason); /* "plan" */
/* Appends "room of 9 pods is reserved: 6 plan, 2 seat, 1 claims, for 4m50s at most", without that of
 * g. false: there is none. */
bool skr_reservations_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b);
/* SKR_BUG: one has no deadline, or a later one than its reason allows. */
int skr_reservations_check(const struct skr_gang *e, struct skr_error *error);

#endif
