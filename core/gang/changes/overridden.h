/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_OVERRIDDEN_H
#define SKR_CORE_GANG_CHANGES_OVERRIDDEN_H
/*
 * PodGroups of scheduling.k8s.io over which a label of the pods wins: their minCount and topology key
 * do not count, and they show the status of the group that the label names, in annotations and
 * conditions. A PodGroup with a pod that has no such label shows its own group. If labels name
 * several groups, the PodGroup shows the one that was first, as long as that one has such a pod.
 */
#include "core/gang/state/groups.h"

/* Writes what differs in the PodGroups that show the group, when it is due. O(members). */
void skr_overridden_settle(struct skr_gang *e, struct group *g);

#endif
