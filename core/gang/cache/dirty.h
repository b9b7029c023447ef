/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_DIRTY_H
#define SKR_CORE_GANG_CACHE_DIRTY_H
/*
 * What must be looked at. Marks are set while an event is handled. Then settle() in
 * scheduler.c takes them in the order of this table, one at a time, until none is left.
 *
 *   mark                 set when                                     taken by
 *   dirty.tree           topology maps or nodes came or went          topology_settle: tree in force
 *   dirty.nodes          leaves may have got or lost their node       topology_settle: warnings
 *   dirty.groups         anything about a group changed               lifecycle_evaluate
 *   dirty.plan           a group may be due for planning              planner_run
 *   dirty.maps           a map, or its part in a group, changed       group_objects_settle_map
 *   dirty.pods           a pod of ours, or what it should carry       members_settle
 *   g->seats.dirty       members came, went or may change seats       membership_update
 *   plan->check_nodes    a node of the plan or the tree changed       plan_step: is it still valid
 *   leaf_node_stale      nodes came or went, another tree             topology_leaf_nodes
 *   fit_cache leaves     room of a leaf, its node or a veto changed   fit_cache_refresh
 *
 * A change of the caches is noted in e->seen (state/seen.h), which says whether a cached answer is old.
 * Besides:
 *
 *   counter              grows with                                   compared with it
 *   g->input_epoch       members or rules of one group: an older      attempt.failed_input,
 *                        solve is void                                fit.input, outputs.input,
 *                                                                     the running solve
 *   kind->changes        slots of a kind of members                   g->fit.reported_changes: only
 *                                                                     numbers are old
 *   g->members_hash      (a hash) state, reason and plan of a group   touch_members: its members
 *                                                                     look again
 */
#include "core/gang/state/gang.h"

struct plan;

/* A mark is set once, however often its object is touched; O(1). */
void skr_dirty_group(struct skr_gang *e, struct group *g);
/* What is shown of the group may have changed; evaluation and skr_dirty_group() imply it. O(1). */
void skr_dirty_stamp(struct skr_gang *e, struct group *g);
/* The first group with a later stamp, NULL: none; further ones by snext. O(those). */
const struct group *skr_dirty_stamped_since(const struct skr_gang *e, uint64_t stamp);
/* The pause between two looks at all members of a large group: 16 us per member (320 ms for
 * 20,000), so that the cost stays linear; 0 for other groups. */
skr_time skr_dirty_pause(const struct group *g);
/* A member changed: the group is looked at after that pause. */
void skr_dirty_member(struct skr_gang *e, struct group *g);
void skr_dirty_pod(struct skr_gang *e,
                   struct pod_entry *p); /* no effect on pods that are not ours */
void skr_dirty_map(struct skr_gang *e, struct map_entry *m);
void skr_dirty_plan(struct skr_gang *e);
void skr_dirty_tree(struct skr_gang *e);
void skr_dirty_nodes(struct skr_gang *e);
void skr_dirty_plan_nodes(struct plan *plan);
/* An event that can make a waiting group fit. */
void skr_dirty_capacity(struct skr_gang *e);
/* Releases in the ledger since the last call count as capacity. */
void skr_dirty_see_freed(struct skr_gang *e);
/* A pod with a late volume may land elsewhere than before; freed: on fewer nodes. */
void skr_dirty_late_room(struct skr_gang *e, bool freed);
/* Possible victims changed: running groups, priorities, budgets. */
void skr_dirty_victims(struct skr_gang *e);
void skr_dirty_facts(struct skr_gang *e);
/* The reason of a refusal by kube-scheduler may have changed. */
void skr_dirty_lifted(struct skr_gang *e);
/* Nodes, tree or vetoes changed: the reason why a group does not fit may differ. */
void skr_dirty_openings(struct skr_gang *e);
/* Members or rules of one group changed: older solves are void. */
void skr_dirty_input(struct group *g);
/* Takes a mark; the caller must look at the object. NULL or false: there is none. */
struct group *skr_dirty_take_group(struct skr_gang *e);
struct map_entry *skr_dirty_take_map(struct skr_gang *e);
struct pod_entry *skr_dirty_take_pod(struct skr_gang *e);
bool skr_dirty_take_plan(struct skr_gang *e);
bool skr_dirty_take_tree(struct skr_gang *e);
bool skr_dirty_take_nodes(struct skr_gang *e);
bool skr_dirty_take_plan_nodes(struct plan *plan);
bool skr_dirty_any(const struct skr_gang *e); /* of groups, plan, maps, pods */
bool skr_dirty_only_pods(const struct skr_gang *e);
/* An entry that is about to be freed. */
void skr_dirty_forget_group(struct skr_gang *e, struct group *g);
void skr_dirty_forget_map(struct skr_gang *e, struct map_entry *m);
void skr_dirty_forget_pod(struct skr_gang *e, struct pod_entry *p);

#endif
