/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_KUEUE_RULES_H
#define SKR_CORE_GANG_CHANGES_KUEUE_RULES_H
/*
 * Rules of derived groups that Kueue's annotations of a pod template ask for:
 *
 *   podset-required-topology: LABEL        all pods of the pod set in one unit of that level
 *   podset-preferred-topology: LABEL       nothing, because pack is the default of every level
 *   podset-slice-required-topology: LABEL  with podset-slice-size: N, factor N of that level
 *
 * They count only if no member has annotation sakkara.group.constraints or sakkara.group.within, and
 * if Kueue does not choose the nodes itself: then pods with annotation kueue.x-k8s.io/workload have
 * the gate kueue.x-k8s.io/topology, and afterwards a given node. A pod set is a role. Members
 * of one role, members that all ask for the same, and pod sets of one podset-group-name are one group
 * rule; other pod sets have their rules in constraints.roles.
 *
 * Source: Kueue v0.15, apis/kueue/v1beta2/topology_types.go.
 */
#include "core/gang/state/groups.h"
#include "core/group/group.h"

struct skr_kueue_rules {
    struct skr_group_asked asked; /* borrows from the texts below, and from the tree */
    struct skr_strbuf constraints, unknown;
};

/* False: Kueue's annotations say nothing about the group. ret is set in both cases, and released by
 * skr_kueue_rules_fini(). O(members) after a change of members, O(roles) else. */
bool skr_kueue_rules_read(const struct skr_gang *e, struct group *g, struct skr_kueue_rules *ret);
void skr_kueue_rules_fini(struct skr_kueue_rules *rules);

#endif
