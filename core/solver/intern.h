/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_INTERN_H
#define SKR_CORE_SOLVER_INTERN_H
/*
 * The table that interns spans: open addressing over a power of two. Items are never removed, and
 * the table is never listed, so no result depends on hash values. A reader walks the slots from
 * hash & mask on, to the first that is empty. Internal to the solver; memory of the run.
 */
#include "core/solver/solve_run.h"

struct skr_intern_slot {
    void *item; /* NULL: empty */
    uint64_t hash;
};

struct skr_intern {
    struct skr_intern_slot *slot;
    size_t mask; /* slots - 1 */
    size_t used;
    int32_t next_id; /* of the items, in the order of making */
};

/* An empty table with room for half of n_slots. False without memory. */
bool skr_intern_init(struct skr_run *run, size_t n_slots, struct skr_intern *ret);
/* Adds an item that the table does not have. Nothing is added in a run without fast paths. */
bool skr_intern_add(struct skr_run *run, struct skr_intern *table, void *item, uint64_t hash);

static inline uint64_t skr_intern_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

#endif
