/* SPDX-License-Identifier: Apache-2.0 */
/* Interning of spans. */
#include "core/solver/intern.h"

enum { SLOTS_FIRST = 512 };

bool skr_intern_init(struct skr_run *run, size_t n_slots, struct skr_intern *ret)
{
    size_t slots = SLOTS_FIRST;
    while (slots < n_slots) {
        slots *= 2;
    }
    ret->slot = skr_run_alloc(run, slots, sizeof *ret->slot);
    ret->mask = slots - 1;
    return ret->slot;
}

static void put(struct skr_intern_slot *slot, size_t mask, struct skr_intern_slot what)
{
    size_t at = what.hash & mask;
    while (slot[at].item) {
        at = (at + 1) & mask;
    }
    slot[at] = what;
}

static bool grow(struct skr_run *run, struct skr_intern *table)
{
    size_t slots = (table->mask + 1) * 2;
    struct skr_intern_slot *slot = skr_run_alloc(run, slots, sizeof *slot);
    if (!slot) {
        return false;
    }
    for (size_t i = 0; i <= table->mask; i++) {
        if (table->slot[i].item) {
            put(slot, slots - 1, table->slot[i]);
        }
    }
    table->slot = slot;
    table->mask = slots - 1;
    return true;
}

bool skr_intern_add(struct skr_run *run, struct skr_intern *table, void *item, uint64_t hash)
{
    if (run->plain) {
        return true;
    }
    if (table->used * 2 > table->mask && !grow(run, table)) {
        return false;
    }
    put(table->slot, table->mask, (struct skr_intern_slot){item, hash});
    table->used++;
    return true;
}
