/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_POD_CHANGES_H
#define SKR_CORE_GANG_CHANGES_POD_CHANGES_H
/* Applies a change of a pod: to its group and seats, its plan, its charge, its open bind call, and
 * members that wait for the node of its nomination. */
#include "core/gang/state/gang.h"
#include "core/pod/pod.h"

/* The watch shows this version; takes pod, drops an older one. The entry may be freed
 * (residents.h): no caller may hold it. */
void skr_pod_changes_seen(struct skr_gang *e, struct skr_pod *pod);
/* The same from an answer to a write of ours: the entry stays if the pod exists. */
void skr_pod_changes_upsert(struct skr_gang *e, struct skr_pod *pod);
/* Another version of the pod, possibly made here; takes pod. */
void skr_pod_changes_replace(struct skr_gang *e, struct pod_entry *p, struct skr_pod *pod);
/* Our own Binding of the pod was acknowledged. */
void skr_pod_changes_bound(struct skr_gang *e, struct pod_entry *p,
                           const struct skr_pod_overlay *brought);
/* uid "" or NULL: any pod with the name. Removes the group too if nothing else refers to it. */
void skr_pod_changes_delete(struct skr_gang *e, const char *namespace_, const char *name,
                            const char *uid);
void skr_pod_changes_fini(struct skr_gang *e);

/* The entry of the pod may have changed: moves the pod to the group of its present entry. */
void skr_pod_changes_enter(struct skr_gang *e, struct pod_entry *p);

#endif
