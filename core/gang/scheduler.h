/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_SCHEDULER_H
#define SKR_CORE_GANG_SCHEDULER_H
/*
 * The gang scheduler: whole groups of pods, placed and bound together. A row for an engine
 * (core/frame/engine.h), with settings of struct skr_settings, requests and answers of
 * core/gang/requests.h, pages of core/gang/pages.h, and what follows here. What it decides depends
 * on events and their times alone (back-off jitter comes from a hash of the group's name and
 * attempt).
 */
#include "core/frame/scheduler.h"
#include "core/gang/settings.h"
#include "topology/base/strbuf.h"
#include "topology/tree.h"

struct skr_gang; /* skr_engine_self() of its engine */

extern const struct skr_scheduler skr_gang_scheduler;

/* How a planning trial of a group ended. */
enum skr_attempt {
    SKR_ATTEMPT_PLANNED,    /* a plan was committed */
    SKR_ATTEMPT_INFEASIBLE, /* there is no placement */
    SKR_ATTEMPT_STALE,      /* there was one, but the room went elsewhere while it was looked for */
    SKR_ATTEMPT_ERROR,      /* the problem is beyond a limit */
    SKR_ATTEMPT_COUNT
};

/* How the wait of a group that had all its members ended. */
enum skr_group_outcome {
    SKR_OUTCOME_BOUND,
    SKR_OUTCOME_FAILED, /* members, definition or the group itself went before it was bound */
    SKR_OUTCOME_COUNT
};

/* Times from the last member's arrival to the outcome; those of groups that were complete before
 * this process decided count from its start. Bound of bucket k: FIRST * 2^k; the last has none. */
enum { SKR_SCHEDULING_BUCKETS = 20 };
#define SKR_SCHEDULING_FIRST (10 * SKR_MILLISECOND)
struct skr_scheduling_times {
    uint64_t n[SKR_SCHEDULING_BUCKETS + 1]; /* not cumulative */
    int64_t sum;                            /* ns */
};

/* Numbers for metrics and /readyz; O(groups). */
struct skr_gang_stats {
    size_t nodes, pods, groups, configmaps, parked, writes_in_flight;
    size_t groups_by_status[9];    /* order of enum skr_group_status */
    size_t unplaced_by_reason[16]; /* order of enum skr_reason */
    uint64_t plans, aborts, solves, bindings, binding_errors;
    uint64_t attempts[SKR_ATTEMPT_COUNT];
    struct skr_scheduling_times scheduling[SKR_OUTCOME_COUNT];
    uint64_t topology_loads;    /* another tree came into force */
    uint64_t topology_refusals; /* a topology map could not be read */
    size_t unknown_nodes;       /* leaves of the tree that name no node */
    bool synced, leader;
};
void skr_gang_get_stats(const struct skr_gang *gang, struct skr_gang_stats *ret);

/*
 * Room for more pods, per level of the tree in force: the most pods of 1, 2, 4, 8 of one resource
 * (skr_resource_one(): cores, GiB, devices) that fit into one unit of the level; at level 0, the
 * root, into the whole tree. Counted are Ready nodes that are not cordoned, without overcommitment,
 * never more than pods are allowed on the node. Of the tree's resource names, the first
 * SKR_SLOT_RESOURCES_MAX.
 */
enum { SKR_SLOT_SIZES = 4, SKR_SLOT_RESOURCES_MAX = 8 };
struct skr_slots {
    const struct skr_tree *tree; /* a reference; NULL: no usable tree, nothing else is set */
    size_t n_resources;          /* names: the first of tree->resource_name */
    int64_t most[SKR_LEVELS_MAX + 1][SKR_SLOT_RESOURCES_MAX][SKR_SLOT_SIZES]; /* size 1 << i */
};
void skr_slots_fini(struct skr_slots *slots);

/* Counting in pieces, so that decisions need not wait for it: all zero at first. What changes in
 * between is seen or not; another tree begins it anew. */
struct skr_slot_count {
    struct skr_slots slots;
    int64_t *unit; /* of the units above the leaves */
    int32_t next;  /* leaf */
};
/* Looks at n more leaves; true when that were the last, with the result in *ret and count zero
 * again. O(n * (resources + levels)), at the end O(units above the leaves). The scheduler's caches may
 * be brought up to date, nothing that decides. */
bool skr_gang_count_slots(struct skr_gang *gang, struct skr_slot_count *count, int32_t n,
                          struct skr_slots *ret);
void skr_slot_count_fini(struct skr_slot_count *count);

/* State as JSON for people and tests:
 * {"groups":[{"namespace","name","size","priority","status","reason","message","placement",
 * "members":[{"name","node","rank","status"}]}]}; sorted. */
void skr_gang_write_json(const struct skr_gang *gang, struct skr_strbuf *out);

#endif
