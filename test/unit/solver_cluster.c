/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/solver_cluster.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "test/random.h"

static void *must(void *memory)
{
    if (!memory) {
        abort();
    }
    return memory;
}

void cluster_init(struct cluster *c, const int32_t *fanout, int32_t n_levels, int64_t room)
{
    memset(c, 0, sizeof *c);
    struct skr_tree *tree = &c->tree;
    tree->n_levels = n_levels;
    tree->level_first[1] = 1;
    int32_t width = 1;
    for (int32_t level = 1; level <= n_levels; level++) {
        width *= fanout[level - 1];
        tree->level_first[level + 1] = tree->level_first[level] + width;
    }
    tree->n_leaves = width;
    tree->first_leaf = tree->level_first[n_levels];
    tree->n_units = tree->level_first[n_levels + 1];
    size_t n = (size_t)tree->n_units;
    c->arrays = must(calloc(3 * n, sizeof(int32_t)));
    int32_t *parent = c->arrays;
    int32_t *first = parent + n;
    int32_t *count = first + n;
    parent[0] = -1;
    for (int32_t level = 0; level < n_levels; level++) {
        for (int32_t u = tree->level_first[level]; u < tree->level_first[level + 1]; u++) {
            count[u] = fanout[level];
            first[u] =
                tree->level_first[level + 1] + (u - tree->level_first[level]) * fanout[level];
            for (int32_t k = 0; k < fanout[level]; k++) {
                parent[first[u] + k] = u;
            }
        }
    }
    tree->parent = parent;
    tree->child_first = first;
    tree->child_count = count;
    c->free = must(calloc((size_t)width, sizeof(int64_t)));
    c->capacity = must(calloc((size_t)width, sizeof(int64_t)));
    c->demand[0] = 1;
    for (int32_t leaf = 0; leaf < width; leaf++) {
        c->free[leaf] = room;
        c->capacity[leaf] = room;
    }
}

void cluster_fini(struct cluster *c)
{
    free(c->arrays);
    free(c->free);
    free(c->capacity);
}

uint64_t cluster_random(struct cluster *c)
{
    return random_of(&c->random);
}

void cluster_load(struct cluster *c, uint64_t seed)
{
    c->random = seed;
    for (int32_t leaf = 0; leaf < c->tree.n_leaves; leaf++) {
        c->free[leaf] = (int64_t)(cluster_random(c) % (uint64_t)(c->capacity[leaf] + 1));
    }
}

void cluster_load_whole(struct cluster *c, uint64_t seed, int32_t percent)
{
    c->random = seed;
    for (int32_t leaf = 0; leaf < c->tree.n_leaves; leaf++) {
        uint64_t draw = cluster_random(c) % 1000;
        int64_t between = (int64_t)(cluster_random(c) % (uint64_t)(c->capacity[leaf] + 1));
        c->free[leaf] = draw < 100                           ? between
                        : draw < 100 + 9 * (uint64_t)percent ? 0
                                                             : c->capacity[leaf];
    }
}

struct skr_problem cluster_problem(struct cluster *c, const struct skr_rule *rules, int32_t n)
{
    return (struct skr_problem){.tree = &c->tree,
                                .n = n,
                                .rule = rules,
                                .n_resources = 1,
                                .demand = c->demand,
                                .free = c->free,
                                .capacity = c->capacity,
                                .step_budget = -1};
}

void cluster_keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, INT32_MAX);
#endif
}

double cluster_now_us(void)
{
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec * 1e6 + (double)at.tv_nsec / 1e3;
}
