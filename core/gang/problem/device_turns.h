/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_DEVICE_TURNS_H
#define SKR_CORE_GANG_PROBLEM_DEVICE_TURNS_H
/*
 * Counts what devices serve the members of groups that wait, before these groups are planned. That is work: selectors are
 * evaluated, and the allocator's search is played, for each node (core/devices/answers.h counts it in steps). It is done
 * in pieces of SKR_DEVICE_PIECE steps, one an event, and messages that came meanwhile go first. A group waits in a turn
 * until its needs are counted on all nodes. The next turn is that of the namespace with most steps left. A namespace
 * without steps is over (core/devices/stock_shares.h): its groups wait with reason EvaluationBudget, and are
 * not planned. Everything that was counted stays, so that a turn goes on where it ended.
 *
 * Groups whose claims are not counted wait in their turns until they may be tried (group/uncounted.h).
 *
 * What other questions about devices cost beyond a piece is not evaluated in that event: filter and explanations
 * leave it to kube-scheduler, as they do with what is not modelled.
 */
#include "core/gang/state/groups.h"

enum { SKR_DEVICE_PIECE = 500000 };

/* Gives the steps of an event. */
void skr_device_turns_begin(struct skr_gang *e);
/* Whether the group may be planned: it has no plan that is not counted, and its namespace is not over. False: it has a
 * turn now. O(members + leaves) after a change of its members, O(leaves) after one of devices, else O(1). */
bool skr_device_turns_ready(struct skr_gang *e, struct group *g);
/* The group was evaluated: its turn may be about an earlier state of it. O(1). */
void skr_device_turns_see(struct skr_gang *e, const struct group *g);
/* Call once nothing else is dirty. Whether something is now. */
bool skr_device_turns_run(struct skr_gang *e);
/* Problems are built without that bound, and charged to the namespace of the group. begin: what end is to be given. */
uint64_t skr_device_turns_lift(struct skr_gang *e);
void skr_device_turns_charge(struct skr_gang *e, const struct group *g, uint64_t began);
void skr_device_turns_forget(struct skr_gang *e, struct group *g);

#endif
