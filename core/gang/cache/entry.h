/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_ENTRY_H
#define SKR_CORE_GANG_CACHE_ENTRY_H
/*
 * Entry: the rule by which a pod of our schedulers belongs to a group. The first that applies:
 *
 *   1. label sakkara.group.name, 2. label scheduling.x-k8s.io/pod-group: that name
 *   3. spec.schedulingGroup, and the PodGroup of scheduling.k8s.io has policy gang: "podgroup/NAME"
 *   4. annotation sakkara.gang: the group of its workload (core/group/workload.h)
 *   5. the namespace has label sakkara.gang: auto, and the kind is in derive.kinds: the same
 *
 * No rule applies to a pod that an operator makes beside its workload (beside of skr_workload_of()).
 * Value off of annotation sakkara.gang switches 3 to 5 off. Names of 3 to 5 have a slash.
 *
 * A bound pod that is edited stays in its group (skr_entry_is_kept). It then carries the group's name in
 * annotation sakkara.member.group, for a daemon that starts later (bind/members.c).
 */
#include "core/gang/state/gang.h"
#include "core/group/owner.h"
#include "core/pod/pod.h"

#define SKR_NATIVE_PREFIX "podgroup/"

/* A namespace whose pods are gangs without an annotation: label sakkara.gang=auto. */
struct auto_namespace;
/* Whether something has changed. */
bool skr_entry_namespace_put(struct skr_gang *e, const char *name);
bool skr_entry_namespace_delete(struct skr_gang *e, const char *name);
void skr_entry_fini(struct skr_gang *e);

/* The group's name, appended; false: an ordinary pod. The pod is of one of our schedulers. */
bool skr_entry_name(const struct skr_gang *e, const struct skr_pod *pod, struct skr_strbuf *name);
/* Whether the pod has an entry. */
bool skr_entry_has(const struct skr_gang *e, const struct skr_pod *pod);
/* The PodGroup of scheduling.k8s.io with policy gang over which a label of the pod wins; NULL: none. */
struct podgroup_entry *skr_entry_overridden(const struct skr_gang *e, const struct skr_pod *pod);
/* Whether kube-scheduler tries no pod of its PodGroup of scheduling.k8s.io while one has a gate. */
bool skr_entry_is_queued_whole(const struct skr_gang *e, const struct skr_pod *pod);
/* How much of its workload is one group. *ret_unknown: a value that is no scope; NULL: none. */
enum skr_workload_scope skr_entry_scope(const struct skr_gang *e, const struct skr_pod *pod,
                                        const struct skr_workload *workload,
                                        const char **ret_unknown);
/* Whether an edit leaves a bound pod in the group called old, though it names another one now ("":
 * none). A label moves a pod from one name of a label to another, or out. */
bool skr_entry_is_kept(const char *old, const char *name);
bool skr_entry_is_native(const char *group_name);
bool skr_entry_is_derived(const char *group_name); /* from a workload */

#endif
