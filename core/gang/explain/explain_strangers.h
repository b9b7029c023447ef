/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_EXPLAIN_EXPLAIN_STRANGERS_H
#define SKR_CORE_GANG_EXPLAIN_EXPLAIN_STRANGERS_H
/*
 * Pods that look like members of a group and are none: they name the group, but another scheduler; or
 * they are of the workload of its oldest member, whose templates differ in what enters a pod; or another
 * ReplicaSet of its Deployment made them. A member that has Failed and is not made again is named, too.
 */
#include "core/gang/state/gang.h"
#include "topology/base/strbuf.h"

/* "3 pods are no members: a-1 and 1 other (annotation sakkara.gang: off), b (schedulerName other)";
 * false: there are none. O(pods): at a request, and at the pace of ways_out.h, not for every evaluation. */
bool skr_strangers_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b);

#endif
