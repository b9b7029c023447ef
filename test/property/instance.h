/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_INSTANCE_H
#define SKR_TEST_PROPERTY_INSTANCE_H
/*
 * Random solver problems, each made from two numbers (seed, index) alone, so that a failing one can
 * be made again: SEED=seed FIRST=index N=1.
 *
 * The tree is filled in by hand; nothing here needs the tree builder.
 */
#include <stdio.h>

#include "core/solver/solver.h"

enum {
    INSTANCE_LEAVES_MAX = 32,
    INSTANCE_UNITS_MAX = 160,
    INSTANCE_LEVELS_MAX = 5, /* generated: 4; one more for inserted levels */
    INSTANCE_RESOURCES = 3,
};

struct instance {
    struct skr_tree tree;
    struct skr_problem problem;
    int32_t parent[INSTANCE_UNITS_MAX];
    int32_t child_first[INSTANCE_UNITS_MAX];
    int32_t child_count[INSTANCE_UNITS_MAX];
    const char *unit_name[INSTANCE_UNITS_MAX];
    struct skr_rule rule[INSTANCE_LEVELS_MAX];
    int64_t demand[INSTANCE_RESOURCES];
    int64_t free[INSTANCE_LEAVES_MAX * INSTANCE_RESOURCES];
    int64_t capacity[INSTANCE_LEAVES_MAX * INSTANCE_RESOURCES]; /* a third has it */
    uint8_t eligible[INSTANCE_LEAVES_MAX];
    int32_t claimed[INSTANCE_LEAVES_MAX];
    struct skr_unit_bounds bounds[INSTANCE_UNITS_MAX]; /* problem.bounds: NULL, or this */
};

struct random {
    uint64_t state;
};

uint64_t random_next(struct random *random);
/* 0 .. n - 1 */
int32_t random_below(struct random *random, int32_t n);
bool random_percent(struct random *random, int32_t percent);

struct instance_limits {
    int32_t leaves;
    int32_t slots; /* of a leaf */
    int32_t n;
};

/* Fills *ret. Children counts per parent, level by level, decide the tree. */
void instance_make(struct instance *ret, uint64_t seed, uint64_t index,
                   const struct instance_limits *limits);
/* Bounds on some units, drawn by random. */
void instance_bound(struct instance *instance, struct random *random);
/* Copy with all pointers into the copy. */
void instance_copy(struct instance *ret, const struct instance *from);
/* The same with eligible leaves as large as their capacity, claims included. */
void instance_empty(struct instance *ret, const struct instance *from);
/* Tree arrays from child_count[] of the units of levels 0 .. n_levels - 1. */
void instance_link(struct instance *instance, int32_t n_levels);
/* One line that says everything. */
void instance_print(const struct instance *instance);

/* The problem as a file for `sakkara solve`. */
void instance_write(const struct instance *instance, FILE *to);

/* claimed + new, straight from the definition. */
int32_t instance_fit(const struct instance *instance, int32_t leaf);
/* Not capped: for SKR_TIE_TIGHT. */
int64_t instance_room(const struct instance *instance, int32_t leaf);

#endif
