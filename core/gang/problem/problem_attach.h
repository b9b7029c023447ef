/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_PROBLEM_ATTACH_H
#define SKR_CORE_GANG_PROBLEM_PROBLEM_ATTACH_H
/*
 * Numbers of volumes in a problem: each is one more resource of the problem.
 *
 *   attach limits    a leaf has the limit of its CSINode for a driver, without the volumes in use or
 *                    attached there. A member needs its own volumes. Volumes that newcomers share count
 *                    once on each leaf. Volumes that are attached to a leaf before the newcomers come count
 *                    as if they return to it
 *   late claims      of a class without a provisioner: a leaf has the free volumes of the class that serve
 *                    each of them (late_claims.h). A volume that several leaves reach counts on each of them
 *
 * Members of a role count with the most volumes of any of them. If there is no placement so, they count
 * with the least, and volumes count that serve any of the late claims. The plan is then played (volume_play.h). A volume
 * in use on a leaf counts there for its own pod, too. Drivers beyond SKR_PROBLEM_DRIVERS_MAX are left to kube-scheduler.
 */
#include "core/gang/cache/pods.h"
#include "core/gang/cache/volumes.h"
#include "core/gang/state/solve_request.h"

enum {
    SKR_RESOURCE_ATTACHED = UINT16_MAX - 1
}; /* the number of such a resource, in place of the scheduler's ids */

/* Claim k of the pod. All zero: the claim is neither one of a volume nor one of devices that only some
 * nodes reach. */
struct volume_facts skr_problem_attach_facts(const struct skr_gang *e, const struct pod_entry *p,
                                             size_t k);

/* Drivers of volumes of the newcomers that a node has a limit for. */
struct skr_problem_drivers skr_problem_attach_drivers(const struct skr_gang *e,
                                                      struct pod_entry *const *newcomers, size_t n);
/* Volumes of the driver that each of these members needs for itself: the most of any of them, or the least.
 * all: the newcomers of all roles, which share volumes. */
int64_t skr_problem_attach_demand(const struct skr_gang *e, uint16_t driver,
                                  struct pod_entry *const *members, size_t n,
                                  struct pod_entry *const *all, size_t n_all, bool most);
/* Whether these newcomers need different numbers of volumes, or their late claims are unlike. With the most of any
 * member a placement may be missed, with the least kube-scheduler may refuse one: so the first comes first. */
bool skr_problem_attach_differ(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n);
/* ret[leaf * stride + d]: volumes of driver d that fit there beside those in use; ret_empty likewise: in an
 * empty cluster. most: as for the demand. O(uses + attachments + drivers * leaves). */
void skr_problem_attach_room(struct skr_gang *e, const struct skr_problem_drivers *drivers,
                             struct pod_entry *const *all, size_t n_all, bool most, size_t stride,
                             int64_t *ret, int64_t *ret_empty);

/* Volumes by leaf, then by volume; each once. */
struct skr_attached_list {
    struct skr_attached_volume {
        int32_t at;
        uint64_t volume;
    } * item;
    size_t n, cap;
};

/* What nodes have of some drivers: volumes in use, by pods and by plans of other groups, and others that are attached. */
struct skr_attached {
    struct skr_problem_drivers drivers;
    struct skr_attached_list used[SKR_PROBLEM_DRIVERS_MAX], idle[SKR_PROBLEM_DRIVERS_MAX];
};
/* without: not the plan of their group. O(uses + attachments). */
void skr_attached_init(struct skr_attached *a, const struct skr_gang *e,
                       const struct skr_problem_drivers *drivers, struct pod_entry *const *without,
                       size_t n);
void skr_attached_fini(struct skr_attached *a);
/* The first volume of the leaf or of a later one; list->n: none. */
size_t skr_attached_first(const struct skr_attached_list *list, int32_t leaf);

/* "; 4 nodes attach no more volumes of disk.example.com": eligible nodes without room for a
 * member's. Appends nothing if there is none. */
void skr_problem_attach_say(const struct skr_solve_request *request, struct skr_strbuf *b);

#endif
