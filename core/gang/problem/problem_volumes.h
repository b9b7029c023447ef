/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_PROBLEM_VOLUMES_H
#define SKR_CORE_GANG_PROBLEM_PROBLEM_VOLUMES_H
/*
 * Volumes of newcomers in a problem (core/gang/cache/volumes.h):
 *
 *   where they are   leaves that no newcomer can use are closed. Newcomers with different leaves become
 *                    rules over domains (core/volume/masks.h). ResourceClaims of users that have devices are
 *                    where their node selector says. A volume that is made late is where allowedTopologies
 *                    and the room that its driver reports permit (core/gang/cache/csi.h)
 *   attach limits    each driver with a limit is a resource more: a leaf has the limit of its CSINode
 *                    without the volumes in use or attached there, and a member needs its own volumes.
 *                    Volumes that newcomers share count once on each leaf. Those that are attached to a leaf
 *                    before the newcomers come count as if they return to it
 *
 *   late claims      of a class without a provisioner: its free volumes are one more resource. One that
 *                    several leaves reach counts on each of them
 *
 * Members of a role count with the most volumes of any of them. If there is no placement so, they count
 * with the least, and kube-scheduler decides about the rest. A volume in use on a leaf counts there
 * for its own pod, too.
 *
 * Left to kube-scheduler: drivers beyond SKR_PROBLEM_DRIVERS_MAX, masks beyond SKR_PROBLEM_MASKS_MAX,
 * overlaps that need too many rules (core/volume/masks.h).
 */
#include "core/gang/cache/pods.h"
#include "core/gang/state/solve_request.h"
#include "core/solver/roles.h"

enum {
    SKR_PROBLEM_MASKS_MAX = 4096,
    /* The number of such a resource, in place of the scheduler's ids. */
    SKR_RESOURCE_ATTACHED = UINT16_MAX - 1,
};

/* Whether a newcomer has a claim of a volume or of devices, and anything is known of any. O(n). */
bool skr_problem_volumes_matter(const struct skr_gang *e, struct pod_entry *const *newcomers,
                                size_t n);

/* Drivers of volumes of the newcomers that a node has a limit for. */
struct skr_problem_drivers skr_problem_volumes_drivers(const struct skr_gang *e,
                                                       struct pod_entry *const *newcomers,
                                                       size_t n);
/* Volumes of the driver that each of these members needs for itself: the most of any of them, or the least.
 * all: the newcomers of all roles, which share volumes. */
int64_t skr_problem_volumes_demand(const struct skr_gang *e, uint16_t driver,
                                   struct pod_entry *const *members, size_t n,
                                   struct pod_entry *const *all, size_t n_all, bool most);
/* Whether these newcomers need different numbers of volumes. With the most of any member a placement may be
 * missed, with the least kube-scheduler may refuse one: so the first comes first. */
bool skr_problem_volumes_differ(const struct skr_gang *e, struct pod_entry *const *newcomers,
                                size_t n);
/* ret[leaf * stride]: volumes of the driver that fit there beside those in use; ret_empty likewise: in an
 * empty cluster. O(uses + leaves). */
void skr_problem_volumes_room(struct skr_gang *e, uint16_t driver, struct pod_entry *const *all,
                              size_t n_all, size_t stride, int64_t *ret, int64_t *ret_empty);

/* Closes leaves that no newcomer can use, and adds rules to problem->domain_rule. roles: as in struct
 * skr_domain_rule. False without memory in the arena. O(masks * leaves). */
bool skr_problem_volumes_reach(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                               uint32_t roles, struct skr_arena *arena, uint8_t *eligible,
                               struct skr_problem *problem);

/* eligible[leaf] becomes 0 where the volumes of no newcomer can be used, or none of these nodes is in the
 * tree. O(masks * leaves). */
void skr_problem_volumes_close(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                               uint8_t *eligible);

/* Deals newcomers whose volumes do not reach all leaves of the answer: ret[n] is the leaf, -1: any. place:
 * [leaf] new members of this role; places that are dealt are taken from it. */
void skr_problem_volumes_deal(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                              int32_t *place, int32_t *ret);
/* PreBind binds late claims for good, so members with such claims come after all others: adds turns to
 * ret[n], which are the others' (pod_rules.h). */
void skr_problem_volumes_turns(const struct skr_gang *e, struct pod_entry *const *newcomers,
                               size_t n, int32_t *ret);
/* "; 4 nodes attach no more volumes of disk.example.com": eligible nodes without room for a
 * member's. Appends nothing if there is none. */
void skr_problem_volumes_say(const struct skr_gang *e, const struct skr_solve_request *request,
                             struct skr_strbuf *b);
/* "; 3 of 4 nodes have no room for the volume of claim data-0 (CSIStorageCapacity, which is compared with
 * each claim by itself)": the first claim for which a node has none. Appends nothing if there is none. */
void skr_problem_volumes_say_room(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                                  struct skr_strbuf *b);

#endif
