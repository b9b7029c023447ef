/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes by name: an array by number, an index over it, and numbers that wait to be given again. */
#include "topology/ledger_nodes.h"

#include <stddef.h>
#include <string.h>

static void free_node(struct skr_ledger_node *node)
{
    if (node) {
        free(node->cell);
        free(node);
    }
}

void skr_ledger_nodes_fini(struct skr_ledger_nodes *nodes)
{
    for (size_t i = 0; i < nodes->n; i++) {
        free_node(nodes->item[i]);
    }
    free(nodes->item);
    free(nodes->unused);
    skr_hash_index_fini(&nodes->index);
    *nodes = (struct skr_ledger_nodes){.item = NULL};
}

struct skr_ledger_node *skr_ledger_nodes_find(const struct skr_ledger_nodes *nodes,
                                              const char *name)
{
    uint32_t hash = (uint32_t)skr_hash_string(name);
    uint32_t number = 0;
    for (size_t at = 0; skr_hash_index_next(&nodes->index, hash, &at, &number);) {
        if (strcmp(nodes->item[number]->name, name) == 0) {
            return nodes->item[number];
        }
    }
    return NULL;
}

struct skr_ledger_node *skr_ledger_nodes_add(struct skr_ledger_nodes *nodes, const char *name)
{
    size_t size = strlen(name) + 1;
    struct skr_ledger_node *node = skr_alloc(offsetof(struct skr_ledger_node, name) + size);
    memcpy(node->name, name, size);
    node->hash = (uint32_t)skr_hash_string(name);
    if (nodes->n_unused > 0) {
        node->number = nodes->unused[--nodes->n_unused];
    } else {
        skr_grow(&nodes->item, &nodes->cap, nodes->n + 1, sizeof nodes->item[0]);
        node->number = (uint32_t)nodes->n++;
    }
    nodes->item[node->number] = node;
    skr_hash_index_add(&nodes->index, node->hash, node->number);
    return node;
}

void skr_ledger_nodes_remove(struct skr_ledger_nodes *nodes, struct skr_ledger_node *node)
{
    skr_hash_index_remove(&nodes->index, node->hash, node->number);
    skr_grow(&nodes->unused, &nodes->unused_cap, nodes->n_unused + 1, sizeof nodes->unused[0]);
    nodes->unused[nodes->n_unused++] = node->number;
    nodes->item[node->number] = NULL;
    nodes->n_removed++;
    free_node(node);
}

struct skr_ledger_cell *skr_ledger_node_cell(struct skr_ledger_node *node, uint16_t resource)
{
    size_t n = node->n_cells;
    skr_grow_exactly(&node->cell, &n, (size_t)resource + 1, sizeof node->cell[0]);
    node->n_cells = (uint16_t)n;
    return &node->cell[resource];
}

void skr_ledger_cell_add(struct skr_ledger_cell *cell, int64_t amount)
{
    skr_bug_on(amount < 0);
    cell->charged += (uint64_t)amount;
    cell->carry += cell->charged < (uint64_t)amount ? 1 : 0;
}

void skr_ledger_cell_subtract(struct skr_ledger_cell *cell, int64_t amount)
{
    uint64_t value = (uint64_t)amount;
    if (cell->charged < value) {
        skr_bug_on(cell->carry == 0);
        cell->carry--;
    }
    cell->charged -= value;
}

int64_t skr_ledger_cell_free(const struct skr_ledger_cell *cell)
{
    uint64_t allocatable = (uint64_t)cell->allocatable;
    if (cell->carry == 0 && cell->charged <= allocatable) {
        return (int64_t)(allocatable - cell->charged);
    }
    /* The difference wraps; it is right where the carry says that it is less than 2^64. */
    uint64_t missing = cell->charged - allocatable;
    bool beyond = cell->carry > 1 || (cell->carry == 1 && cell->charged >= allocatable);
    if (beyond || missing > (uint64_t)INT64_MAX) {
        return INT64_MIN;
    }
    return -(int64_t)missing;
}
