/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_NO_NODE_H
#define SKR_CORE_GANG_REPORT_NO_NODE_H
/* Parts of the sentence of a group without a placement (sentence.c): what of the nodes keeps members off. */
#include "core/gang/state/gang.h"
#include "core/gang/state/solve_request.h"

/* "needs 2 example.com/fpga, no node has it", "needs 9 cpu a pod, the largest node has 8": names a resource that no
 * node has, else the first that one member needs too much of. False: no node is too small. O(nodes). */
bool skr_no_node_is_large(struct skr_gang *e, struct group *g, struct skr_strbuf *b);
/* Whether a node is open to the newcomers of the role of the problem. */
bool skr_no_node_is_open(const struct skr_problem *p, size_t r);
/* If none is: "needs 4 slots for role worker, no node is open to its pods: 3 not selected by nodeSelector or
 * nodeAffinity (pool=gpu), 1 tainted (t:NoSchedule)". In brackets is the cause of the first such node. */
void skr_no_node_say(struct skr_gang *e, struct group *g, const struct skr_solve_request *request,
                     size_t r, struct skr_strbuf *b);
/* "; time.spare keeps 2 nodes, where 4 more fit": what that option closes to the group. */
void skr_no_node_say_spares(struct skr_gang *e, struct group *g, const struct skr_problem *p,
                            struct skr_strbuf *b);

#endif
