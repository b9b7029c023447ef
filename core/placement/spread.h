/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PLACEMENT_SPREAD_H
#define SKR_CORE_PLACEMENT_SPREAD_H
/*
 * Spread (OCM enhancement 70, selectOne): clusters are taken one after the other, each time the one
 * that the counts so far and its score make best.
 *
 * Level i of a cluster is the tuple of its first i topology values: a path of the one tree
 * (topology/tree.h), whose leaves are the clusters. Siblings share their parent; a missing value
 * ends the tuple. One step:
 *
 *   excluded     a hard level has no tuple, or its count would exceed its least sibling's by more
 *                than maxSkew
 *   level score  floor(63 * (max - count) / (max - min)) over siblings; 0 when all are equal or
 *                without a tuple
 *   x            the level scores, 6 bits each, the first level highest
 *   best         weighted: w * (200 (x - lo) - 100 R) + P * R, or P when R = hi - lo = 0, lo and hi
 *                over what is not excluded; lexicographic: x, then P. Ties: the first name.
 *
 * All exact integers; 128 bits hold every key.
 */
#include "core/placement/placement.h"
#include "topology/tree.h"

/* Tuples of all levels times clusters to select: about a second. */
enum { SKR_SPREAD_LOOKS_MAX = 200000000 };

struct skr_spread_problem {
    size_t n; /* clusters, in byte order of their names */
    const char *const *name;
    const int64_t *total; /* P */
    /* [cluster * n_levels + level]; NULL: the key is missing */
    const char *const *value;
    size_t n_levels;
    const struct skr_spread_constraint *constraint; /* [level] */
    int32_t weight;                                 /* w */
    bool lexicographic;
    size_t want;
};

/* A tuple and how many of its clusters were selected. */
struct skr_spread_tuple {
    const char *path; /* "us-east/us-east-1a" */
    int32_t level;    /* from 0 */
    int32_t count;
};

struct skr_spread_result {
    size_t n;        /* selected; fewer than wanted when hard levels leave no more */
    uint32_t *order; /* clusters as they were selected */
    size_t n_tuples;
    struct skr_spread_tuple *tuple;      /* by path, then level */
    int64_t skew[SKR_SPREAD_LEVELS_MAX]; /* [level]: the largest difference between siblings */
};

/* Results are in the arena. O(n log n * levels) once, then O(tuples) a selection. SKR_LIMIT (names,
 * tree, arena). */
int skr_spread_select(const struct skr_spread_problem *problem, struct skr_arena *arena,
                      struct skr_spread_result *ret, struct skr_error *error);

/* The same by its definition, cluster by cluster, in O(n * levels) a selection. It explains
 * selections, and the fast function is tested against it. */
struct skr_spread_step {
    const bool *gone;     /* [cluster] selected before */
    const bool *excluded; /* [cluster] */
    const uint8_t *score; /* [cluster * n_levels + level] */
    const uint64_t *x;    /* [cluster] */
    uint64_t lo, hi;      /* over what is neither gone nor excluded; 0 when there is nothing */
    int64_t selected;     /* cluster; -1: nothing is left */
};
/* False ends the visits; the selection goes on. */
typedef bool skr_spread_visit(void *context, const struct skr_spread_step *step);
/* ret_order: room for min(n, want). Returns how many were selected; -SKR_NO_MEMORY, -SKR_LIMIT. */
int64_t skr_spread_select_slowly(const struct skr_spread_problem *problem, struct skr_arena *arena,
                                 skr_spread_visit *visit, void *context, uint32_t *ret_order);

/* w * normalised x + P as a fraction: numerator / R, or P / 1 when R is 0. */
skr_int128 skr_spread_key(const struct skr_spread_problem *problem, uint64_t x, uint64_t lo,
                          uint64_t hi, int64_t total);
/* floor(63 * (max - count) / (max - min)), 0 when they are equal. */
uint8_t skr_spread_level_score(int32_t count, int32_t min, int32_t max);

#endif
