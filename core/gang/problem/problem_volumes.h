/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_PROBLEM_VOLUMES_H
#define SKR_CORE_GANG_PROBLEM_PROBLEM_VOLUMES_H
/*
 * Where the volumes of newcomers are (core/gang/cache/volumes.h); problem_attach.h counts them.
 *
 * Leaves that no newcomer can use are closed. Newcomers with different leaves become rules over domains
 * (core/volume/masks.h). ResourceClaims of users that have devices are where their node selector says. A
 * volume that is made late is where allowedTopologies and the room that its driver reports permit
 * (core/gang/cache/csi.h).
 *
 * Left to kube-scheduler: masks beyond SKR_PROBLEM_MASKS_MAX, overlaps that need too many rules.
 */
#include "core/gang/cache/pods.h"
#include "core/solver/roles.h"

enum { SKR_PROBLEM_MASKS_MAX = 4096 };

/* Whether a newcomer has a claim of a volume or of devices, and anything is known of any. O(n). */
bool skr_problem_volumes_matter(const struct skr_gang *e, struct pod_entry *const *newcomers,
                                size_t n);

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
/* "; 3 of 4 nodes have no room for the volume of claim data-0 (CSIStorageCapacity, which is compared with
 * each claim by itself)": the first claim for which a node has none. Appends nothing if there is none. */
void skr_problem_volumes_say_room(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                                  struct skr_strbuf *b);

#endif
