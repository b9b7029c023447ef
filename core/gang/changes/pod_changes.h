/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_POD_CHANGES_H
#define SKR_CORE_GANG_CHANGES_POD_CHANGES_H
/* What a change of a pod means: for its group and its seats, its plan, its charge, its open bind
 * call, and whoever waits for the node that it was nominated to. */
#include "core/gang/state/gang.h"
#include "core/pod/pod.h"

/* The watch shows this version; pod is taken, an older one dropped. The entry may go, see residents.h:
 * nobody else may hold one. */
void skr_pod_changes_seen(struct skr_gang *e, struct skr_pod *pod);
/* As above, from an answer to a write of ours: the pod's entry stays if the pod does. */
void skr_pod_changes_upsert(struct skr_gang *e, struct skr_pod *pod);
/* Another version of the pod, also one made by us; pod is taken. */
void skr_pod_changes_replace(struct skr_gang *e, struct pod_entry *p, struct skr_pod *pod);
/* Our own Binding of it was acknowledged. */
void skr_pod_changes_bound(struct skr_gang *e, struct pod_entry *p,
                           const struct skr_pod_overlay *brought);
/* uid "" or NULL: whoever has the name. The group goes too when nothing else holds it. */
void skr_pod_changes_delete(struct skr_gang *e, const char *namespace_, const char *name,
                            const char *uid);
void skr_pod_changes_fini(struct skr_gang *e);

#endif
