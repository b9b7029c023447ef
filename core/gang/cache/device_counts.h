/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_DEVICE_COUNTS_H
#define SKR_CORE_GANG_CACHE_DEVICE_COUNTS_H
/*
 * How many members nodes serve with devices, as counted by device_fit.c, for all that need the same. Equal needs are one
 * object, so groups and kinds of members share its counts. A count is void once devices, allocations or pending
 * claimers of its node change. The needs of groups that wait are counted ahead, in pieces
 * (core/gang/problem/device_turns.h).
 *
 * Memory: 20 bytes for each node of each of the needs. Needs to which nothing refers are kept, up to
 * SKR_COUNTS_UNUSED_MAX, and as long as all counts are at most SKR_COUNTS_MAX.
 */
#include "core/gang/cache/devices.h"

enum { SKR_COUNTS_UNUSED_MAX = 32, SKR_COUNTS_MAX = 2000000 };

enum skr_device_count { SKR_COUNT_NOW, SKR_COUNT_EVER, SKR_COUNT_FREE, SKR_COUNT_FREE_EVER };

struct device_count {
    int32_t of[4];
    uint8_t known; /* bits of enum skr_device_count */
    uint8_t uncounted;
    bool own, long_; /* as of struct device_needs */
};

void skr_device_counts_init(struct skr_gang *e);
/* The one that equals made, which is taken. A reference. O(needs). */
struct device_needs *skr_device_counts_enter(struct skr_gang *e, struct device_needs *made);
/* The last reference is gone. */
void skr_device_counts_rest(struct skr_gang *e, struct device_needs *needs);
/* Room for counts of the node; NULL: there is no such node, or it is unknown yet: victims are left out. Counts that
 * are void are not known. */
struct device_count *skr_device_counts_at(struct skr_gang *e, struct device_needs *needs,
                                          const char *node);
/* Counts of the node are void; NULL: of all nodes. */
void skr_device_counts_void(struct skr_gang *e, const char *node);
/* Whether the counts of all leaves of the tree in force were known since the last change. */
bool skr_device_counts_are_complete(const struct skr_gang *e, const struct device_needs *needs,
                                    bool differ);
void skr_device_counts_set_complete(struct skr_gang *e, struct device_needs *needs,
                                    bool differ); /* O(nodes) */
/* Victims, or their claims, are left out for a question: counts are neither read nor kept. */
void skr_device_counts_suppose(struct skr_gang *e, bool supposing);
void skr_device_counts_fini(struct skr_gang *e);

#endif
