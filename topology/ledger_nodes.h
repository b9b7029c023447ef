/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_LEDGER_NODES_H
#define SKR_TOPOLOGY_LEDGER_NODES_H
/*
 * The nodes of a ledger by name, each with a number that stays as long as it does, for ledger.c
 * alone. Per resource a node has a cell: what is allocatable and the sum of what is charged. Sums
 * cannot overflow: they are kept as 64 bits and a carry. Rows of cells grow when a resource id
 * beyond their end is used; a missing cell is zero.
 */
#include "topology/base/hash.h"
#include "topology/resources.h"

struct skr_ledger_cell {
    int64_t allocatable;
    uint64_t charged; /* low 64 bits of the sum */
    uint32_t carry;   /* high bits */
};

struct skr_ledger_node {
    struct skr_ledger_cell *cell;
    uint32_t number;
    uint32_t hash;
    uint32_t n_charges;
    uint32_t n_reserved;
    uint16_t n_cells;
    bool exists;  /* false: only charges stand on the name */
    bool changed; /* its number is in the ledger's list of changed ones */
    char name[];
};

/* All zero is empty. */
struct skr_ledger_nodes {
    struct skr_ledger_node **item; /* by number; NULL: the number is unused */
    size_t n;                      /* numbers in use or unused */
    size_t cap;
    uint32_t *unused; /* n_unused numbers to be given again */
    size_t n_unused;
    size_t unused_cap;
    uint64_t n_removed; /* so far */
    struct skr_hash_index index;
};

void skr_ledger_nodes_fini(struct skr_ledger_nodes *nodes);
/* NULL when there is none; pointers hold until the node is removed. */
struct skr_ledger_node *skr_ledger_nodes_find(const struct skr_ledger_nodes *nodes,
                                              const char *name);
/* name must not be there yet. */
struct skr_ledger_node *skr_ledger_nodes_add(struct skr_ledger_nodes *nodes, const char *name);
void skr_ledger_nodes_remove(struct skr_ledger_nodes *nodes, struct skr_ledger_node *node);

/* The cell of the resource, made when missing. */
struct skr_ledger_cell *skr_ledger_node_cell(struct skr_ledger_node *node, uint16_t resource);
/* amount >= 0. */
void skr_ledger_cell_add(struct skr_ledger_cell *cell, int64_t amount);
/* amount must have been added before. */
void skr_ledger_cell_subtract(struct skr_ledger_cell *cell, int64_t amount);
/* allocatable - charged, not below INT64_MIN. */
int64_t skr_ledger_cell_free(const struct skr_ledger_cell *cell);

#endif
