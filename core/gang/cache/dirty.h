/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_DIRTY_H
#define SKR_CORE_GANG_CACHE_DIRTY_H
/*
 * What changed and is to be looked at. Marks are set while an event is handled; settle() in
 * scheduler.c works them off in the order of this table, group by group, until none is left.
 *
 *   mark                 set when                                     worked off by
 *   dirty.tree           topology maps or nodes came or went          topology_settle: tree in force
 *   dirty.nodes          leaves may have got or lost their node       topology_settle: warnings
 *   dirty.groups         anything about a group changed               lifecycle_evaluate
 *   dirty.plan           somebody may be due for planning             planner_run
 *   dirty.maps           a map, or its part in a group, changed       group_objects_settle_map
 *   dirty.pods           a pod of ours, or what it should carry       members_settle
 *   g->seats.dirty       members came, went, or may sit otherwise     membership_update
 *   plan->check_nodes    a node of the plan or the tree changed       plan_step: is it still good
 *   leaf_node_stale      nodes came or went, another tree             topology_leaf_nodes
 *   fit_cache leaves     room of a leaf, its node or a veto changed   fit_cache_refresh
 *
 *   counter              grows with                                   what compares itself with it
 *   epoch.capacity       all that can make a waiting group fit        g->attempt.failed_epoch: no
 *                                                                     placement then; tried again
 *                                                                     only when it has grown
 *   epoch.freed          the ledger's own count of releases, as seen  settle: grown -> capacity
 *   epoch.nodes          nodes, tree, vetoes                          g->fit.reported_nodes:
 *                                                                     another reason may hold
 *   epoch.lifted         what kube-scheduler's refusals may rest    g->refusal.lifted: the row of
 *                        on: refused nodes, new and relabelled      them is over
 *                        nodes
 *   epoch.victims        capacity, and all that can make a victim     g->preempt.epoch: nobody was
 *                        of somebody                                  found then
 *   epoch.room           room of any leaf, more or less              g->fit.reported_room: only numbers
 *                                                                     are old; candidates.room: less,
 *                                                                     told 2 s later
 *   epoch.late_room      where pods with late volumes may land        g->fit.reported_late_room: only
 *                                                                     numbers are old
 *   epoch.facts          all that an explanation may rest on          explained.facts
 *   g->input_epoch       members or rules of one group: a solve made  attempt.failed_input,
 *                        before is void                               fit.input, outputs.input,
 *                                                                     the solve that runs
 *   kind->changes        slots of a kind of members                   g->fit.reported_changes: only
 *                                                                     numbers are old
 *   candidates           the four that make a group due: none grew    candidates_awake
 *                        since those asleep were looked at
 *   g->members_hash     (a hash) state, reason and plan of a group   touch_members: its members
 *                                                                     look again
 */
#include "core/gang/state/gang.h"

struct plan;

/* Each is marked once however often it is touched; O(1). */
void skr_dirty_group(struct skr_gang *e, struct group *g);
/* Between two looks at all members of a large group, which has many of them for each: 16 us a member (320 ms for
 * 20,000), so that their cost stays linear; 0 for others. */
skr_time skr_dirty_pause(const struct group *g);
/* Something about one of its members: looked at after that pause. */
void skr_dirty_member(struct skr_gang *e, struct group *g);
void skr_dirty_pod(struct skr_gang *e,
                   struct pod_entry *p); /* nothing for pods that are not ours */
void skr_dirty_map(struct skr_gang *e, struct map_entry *m);
void skr_dirty_plan(struct skr_gang *e);
void skr_dirty_tree(struct skr_gang *e);
void skr_dirty_nodes(struct skr_gang *e);
void skr_dirty_plan_nodes(struct plan *plan);
/* Something that can make a waiting group fit. */
void skr_dirty_capacity(struct skr_gang *e);
/* What the ledger has released since the last call counts as capacity. */
void skr_dirty_see_freed(struct skr_gang *e);
/* A pod with a late volume may land elsewhere than before; freed: on fewer nodes. */
void skr_dirty_late_room(struct skr_gang *e, bool freed);
/* Who may be a victim: groups that run now, priorities, budgets. */
void skr_dirty_victims(struct skr_gang *e);
void skr_dirty_facts(struct skr_gang *e);
/* What refusals of kube-scheduler may rest on. */
void skr_dirty_lifted(struct skr_gang *e);
/* Nodes, tree or vetoes: why a group does not fit may be another reason. */
void skr_dirty_openings(struct skr_gang *e);
/* Members or rules of one group: results of older solves are void. */
void skr_dirty_input(struct group *g);
/* A mark is taken: whoever takes it looks. NULL or false: there is none. */
struct group *skr_dirty_take_group(struct skr_gang *e);
struct map_entry *skr_dirty_take_map(struct skr_gang *e);
struct pod_entry *skr_dirty_take_pod(struct skr_gang *e);
bool skr_dirty_take_plan(struct skr_gang *e);
bool skr_dirty_take_tree(struct skr_gang *e);
bool skr_dirty_take_nodes(struct skr_gang *e);
bool skr_dirty_take_plan_nodes(struct plan *plan);
bool skr_dirty_any(const struct skr_gang *e); /* of groups, plan, maps, pods */
bool skr_dirty_only_pods(const struct skr_gang *e);
/* An entry that goes. */
void skr_dirty_forget_group(struct skr_gang *e, struct group *g);
void skr_dirty_forget_map(struct skr_gang *e, struct map_entry *m);
void skr_dirty_forget_pod(struct skr_gang *e, struct pod_entry *p);

#endif
