/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PLACEMENT_SCHEDULER_H
#define SKR_CORE_PLACEMENT_SCHEDULER_H
/*
 * The scheduler of OCM Placements on the frame. A Placement is ours when its two annotations say so
 * (placement.h); all others are left alone, but their decisions count for Balance.
 *
 * A cycle selects once, then brings the objects there in an order in which no reader misses a
 * cluster that stays: what only adds, labels, what removes, what goes, the Placement's status. Each
 * step waits for the answers of the one before; when one fails, the cycle does, and comes again
 * after a pause. Ownership is looked at before every write.
 */
#include "core/frame/picture.h"
#include "core/frame/scheduler.h"
#include "core/placement/evaluate.h"
#include "topology/base/hash.h"

struct skr_placement_settings {
    struct skr_hash_seed hash_seed; /* of names that users choose */
    const char *scheduler_name;     /* "sakkara" */
    enum skr_spread_mode spread_mode;
    const struct skr_stopwatch *stopwatch; /* of what cycles cost; NULL: not measured */
};

extern const struct skr_scheduler skr_placement_scheduler;

/* How a cycle's evaluation ended. */
enum skr_placement_end {
    SKR_PLACEMENT_END_SATISFIED,
    SKR_PLACEMENT_END_UNSATISFIED,
    SKR_PLACEMENT_END_MISCONFIGURED,
    SKR_PLACEMENT_END_ERROR,
    SKR_PLACEMENT_END_COUNT
};
extern const char *const skr_placement_end_name[];
/* Objects that are written. */
enum skr_placement_object {
    SKR_PLACEMENT_OBJECT_DECISION,
    SKR_PLACEMENT_OBJECT_STATUS, /* of the Placement */
    SKR_PLACEMENT_OBJECT_COUNT
};
extern const char *const skr_placement_object_name[];
/* 1 us to 1000 s by 10. */
extern const struct skr_duration_scale skr_placement_scale;

/* Since the start, and what there is now. */
struct skr_placement_counts {
    uint64_t cycles, failed_cycles;
    uint64_t writes[SKR_PLACEMENT_OBJECT_COUNT][SKR_WRITE_OUTCOME_COUNT]; /* without reads */
    struct skr_durations scheduling[SKR_PLACEMENT_END_COUNT];             /* evaluations */
    struct skr_durations bind; /* from the first write of a cycle to its end */
    struct skr_durations plugin[SKR_PLACEMENT_PLUGIN_COUNT];
    size_t queued, satisfied, unsatisfied, misconfigured; /* Placements that are ours */
};
/* self: skr_engine_self() of an engine with this scheduler. O(Placements). */
void skr_placement_count(const void *self, struct skr_placement_counts *ret);

/* Brings the picture of Placements up to date; a change is appended. self: as above. Errors:
 * SKR_RETRY (not synced, not leader), SKR_NOT_FOUND (no cluster). O(clusters + decisions). */
int skr_placement_draw(void *self, skr_time now, struct skr_picture *picture,
                       enum skr_picture_news *ret_news, struct skr_strbuf *change);

/* What a cycle of this Placement looks at, from the caches that it is in; borrows them, and lists
 * are in the arena. For what explains without deciding. SKR_LIMIT. */
int skr_placement_hub_of(void *self, const struct skr_placement *placement, struct skr_arena *arena,
                         struct skr_placement_hub *ret);

#endif
