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
#include "core/frame/scheduler.h"
#include "core/placement/placement.h"

struct skr_placement_settings {
    const char *scheduler_name; /* "sakkara" */
    enum skr_spread_mode spread_mode;
};

extern const struct skr_scheduler skr_placement_scheduler;

/* Since the start, and what there is now. */
struct skr_placement_counts {
    uint64_t cycles, failed_cycles;
    size_t queued, satisfied, unsatisfied, misconfigured; /* Placements that are ours */
};
/* self: skr_engine_self() of an engine with this scheduler. O(Placements). */
void skr_placement_count(const void *self, struct skr_placement_counts *ret);

#endif
