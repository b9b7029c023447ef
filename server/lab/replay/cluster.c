/* SPDX-License-Identifier: Apache-2.0 */
#include "server/lab/replay/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/lab/replay/jobs.h"
#include "topology/base/arena.h"

enum part { RACKS, NODES, SLOTS, PARTS };
static const char *const part_name[] = {"racks", "nodes", "slots"};
_Static_assert(sizeof part_name / sizeof *part_name == PARTS, "parts");

/* One "nodes=8" of n bytes. */
static int read_part(const char *text, size_t n, int64_t number[PARTS], struct skr_error *error)
{
    const char *equals = memchr(text, '=', n);
    const size_t name = equals ? (size_t)(equals - text) : n;
    size_t part = 0, i = name + 1;
    int64_t value = 0;
    while (part < PARTS &&
           (strlen(part_name[part]) != name || memcmp(text, part_name[part], name) != 0)) {
        part++;
    }
    if (part == PARTS || number[part] != 0) {
        return skr_error_set(error, SKR_INVALID,
                             "\"%.*s\": racks, nodes and slots are given once each, such as "
                             "racks=16,nodes=8,slots=8",
                             (int)(n < 40 ? n : 40), text);
    }
    for (; i < n && text[i] >= '0' && text[i] <= '9' && value <= SKR_REPLAY_SLOTS_MAX; i++) {
        value = 10 * value + (text[i] - '0');
    }
    if (i < n || value < 1 || value > SKR_REPLAY_SLOTS_MAX) {
        const size_t rest = equals ? n - name - 1 : 0;
        return skr_error_set(error, SKR_INVALID, "%s: \"%.*s\" is not a number from 1 to %d",
                             part_name[part], (int)(rest < 40 ? rest : 40), text + n - rest,
                             SKR_REPLAY_SLOTS_MAX);
    }
    number[part] = value;
    return 0;
}

static int make_tree(int64_t racks, int64_t nodes, const struct skr_tree **ret,
                     struct skr_error *error)
{
    static const char *const levels[] = {"rack", "node"};
    SKR_AUTO(skr_tree_builder_destroy)
    struct skr_tree_builder *b = skr_tree_builder_create("cluster");
    struct skr_tree *tree = NULL;
    char name[40];
    int rc = b ? 0 : skr_error_set(error, SKR_NO_MEMORY, "out of memory");
    for (int64_t i = 0; i < racks && rc == 0; i++) {
        snprintf(name, sizeof name, "rack-%lld", (long long)i);
        rc = skr_tree_builder_add(b, 1, name, error);
        for (int64_t k = 0; k < nodes && rc == 0; k++) {
            snprintf(name, sizeof name, "node-%lld", (long long)(i * nodes + k));
            rc = skr_tree_builder_add(b, 2, name, error);
        }
    }
    rc = rc < 0 ? rc : skr_tree_builder_finish(b, levels, 2, NULL, 0, &tree, NULL, error);
    *ret = tree;
    return rc;
}

int skr_replay_cluster_parse(const char *text, struct skr_replay_cluster *ret,
                             struct skr_error *error)
{
    int64_t number[PARTS] = {0};
    for (const char *at = text; at;) {
        const char *comma = strchr(at, ',');
        const size_t n = comma ? (size_t)(comma - at) : strlen(at);
        const int rc = read_part(at, n, number, error);
        if (rc < 0) {
            return rc;
        }
        at = comma ? comma + 1 : NULL;
    }
    for (size_t i = 0; i < PARTS; i++) {
        if (number[i] == 0) {
            return skr_error_set(error, SKR_INVALID,
                                 "%s is missing, such as in racks=16,nodes=8,slots=8",
                                 part_name[i]);
        }
    }
    if (number[RACKS] * number[NODES] > SKR_REPLAY_NODES_MAX) {
        return skr_error_set(error, SKR_LIMIT, "%lld nodes, a trace is played on at most %d",
                             (long long)(number[RACKS] * number[NODES]), SKR_REPLAY_NODES_MAX);
    }
    struct skr_replay_cluster cluster = {0};
    const int rc = make_tree(number[RACKS], number[NODES], &cluster.tree, error);
    if (rc < 0) {
        return rc;
    }
    cluster.slots = skr_alloc_array((size_t)cluster.tree->n_leaves, sizeof *cluster.slots);
    for (int32_t i = 0; i < cluster.tree->n_leaves; i++) {
        cluster.slots[i] = number[SLOTS];
    }
    *ret = cluster;
    return 0;
}

void skr_replay_cluster_fini(struct skr_replay_cluster *cluster)
{
    skr_tree_unref(cluster->tree);
    free(cluster->slots);
    *cluster = (struct skr_replay_cluster){0};
}
