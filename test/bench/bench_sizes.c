/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What it costs to keep the feasible sizes of many kinds of groups (core/solver/sizes.h), as a
 * Markdown table: making them, one leaf changed, and memory of 50 kinds. Every kind sees other free
 * room, as different pods do; slots are counted in: four bytes a leaf.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/solver/sizes.h"
#include "test/unit/solver_cluster.h"

enum { KINDS = 50, CHANGES = 2000 };

#define COUNT_OF(array) (sizeof array / sizeof((array)[0]))

static const struct skr_rule plain[4];
static const struct skr_rule hard[] = {{0}, {0}, {.hard = true}, {0}};
static const struct skr_rule ranges[] = {{0},
                                         {.min = 320, .max = 1600, .factor = 160},
                                         {.min = 16, .max = 96, .factor = 16},
                                         {.factor = 2}};
static const struct skr_rule parts[] = {{0}, {.partitions = 2}, {.partitions = 4}, {.max = 4}};

static const struct {
    const char *name;
    const struct skr_rule *rule;
    int32_t most;
} cases[] = {
    {"no rules, up to 1,024", plain, 1024},
    {"no rules, up to 16,384", plain, 16384},
    {"one rack, up to 1,024", hard, 1024},
    {"range and factor on 3 levels, up to 16,384", ranges, 16384},
    {"2 rows, 4 racks each, 4 a node, up to 1,024", parts, 1024},
};

static double change_us(struct cluster *c, struct skr_sizes *sizes, int32_t *slots)
{
    double begin = cluster_now_us();
    for (int i = 0; i < CHANGES; i++) {
        int32_t leaf = (int32_t)(cluster_random(c) % (uint64_t)c->tree.n_leaves);
        slots[leaf] = (int32_t)(cluster_random(c) % 9);
        skr_sizes_change(sizes, slots, &leaf, 1);
    }
    return (cluster_now_us() - begin) / CHANGES;
}

static void run(const int32_t *fanout, const char *nodes, int whole)
{
    struct cluster c;
    cluster_init(&c, fanout, 4, 8);
    SKR_AUTO_FREE int32_t *slots = calloc((size_t)c.tree.n_leaves, sizeof *slots);
    for (size_t k = 0; k < COUNT_OF(cases) && slots; k++) {
        struct skr_sizes_pool *pool = skr_sizes_pool_create();
        struct skr_sizes *sizes[KINDS];
        double made = 0;
        for (int i = 0; i < KINDS; i++) {
            if (whole) {
                cluster_load_whole(&c, (uint64_t)i, 80);
            } else {
                cluster_load(&c, (uint64_t)i);
            }
            for (int32_t leaf = 0; leaf < c.tree.n_leaves; leaf++) {
                slots[leaf] = (int32_t)c.free[leaf];
            }
            double begin = cluster_now_us();
            sizes[i] = skr_sizes_create(pool, &c.tree, cases[k].rule, cases[k].most, slots);
            made += cluster_now_us() - begin;
        }
        double bytes = (double)skr_sizes_pool_bytes(pool);
        double all = bytes + (double)KINDS * c.tree.n_leaves * (double)sizeof *slots;
        printf("| %s, %s | %s | %.2f ms | %.2f us | %.1f MiB | %.1f MiB |\n", nodes,
               whole ? "mostly full or empty" : "evenly loaded", cases[k].name, made / KINDS / 1000,
               change_us(&c, sizes[KINDS - 1], slots), bytes / (1 << 20), all / (1 << 20));
        fflush(stdout);
        for (int i = 0; i < KINDS; i++) {
            skr_sizes_destroy(sizes[i]);
        }
        skr_sizes_pool_destroy(pool);
    }
    cluster_fini(&c);
}

int main(void)
{
    static const int32_t nodes_16000[] = {1, 10, 50, 32};
    static const int32_t nodes_100000[] = {10, 25, 25, 16};
    cluster_keep_memory();
    printf("| cluster | kept | made | one leaf changed | memory of %d kinds | with slots |\n",
           KINDS);
    printf("|---|---|---|---|---|---|\n");
    for (int whole = 0; whole < 2; whole++) {
        run(nodes_16000, "16,000 nodes", whole);
        run(nodes_100000, "100,000 nodes", whole);
    }
    return 0;
}
