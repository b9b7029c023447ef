/* SPDX-License-Identifier: Apache-2.0 */
/* Charges by UID: an array and an index over it; the last one fills the gap of a removed one. */
#include "topology/ledger_charges.h"

#include <string.h>

#include "topology/base/uuid.h"

enum { CAP_FIRST = 64 };

static char *text_of(const struct skr_charge *charge)
{
    return (char *)(uintptr_t)charge->key[0];
}

static uint32_t hash_of(const struct skr_charge *charge)
{
    uint64_t hash = charge->is_text ? skr_hash_string(text_of(charge))
                                    : skr_hash_pair(charge->key[0], charge->key[1]);
    return (uint32_t)hash;
}

void skr_charges_fini(struct skr_charges *charges)
{
    for (size_t i = 0; i < charges->n; i++) {
        if (charges->item[i].is_text) {
            free(text_of(&charges->item[i]));
        }
    }
    free(charges->item);
    skr_hash_index_fini(&charges->index);
    *charges = (struct skr_charges){.item = NULL};
}

struct skr_charge *skr_charges_find(const struct skr_charges *charges, const char *uid)
{
    uint64_t key[2];
    bool is_text = !skr_uuid_pack(uid, key);
    uint32_t hash = (uint32_t)(is_text ? skr_hash_string(uid) : skr_hash_pair(key[0], key[1]));
    uint32_t number = 0;
    for (size_t at = 0; skr_hash_index_next(&charges->index, hash, &at, &number);) {
        struct skr_charge *charge = &charges->item[number];
        if (charge->is_text != is_text) {
            continue;
        }
        if (is_text ? strcmp(text_of(charge), uid) == 0
                    : charge->key[0] == key[0] && charge->key[1] == key[1]) {
            return charge;
        }
    }
    return NULL;
}

/* Unlike skr_grow this leaves new room untouched: with a million pods it is many pages. */
static void reserve_one(struct skr_charges *charges)
{
    if (charges->n < charges->cap) {
        return;
    }
    size_t cap = charges->cap != 0 ? charges->cap * 2 : CAP_FIRST;
    skr_bug_on(cap > SIZE_MAX / sizeof charges->item[0]);
    struct skr_charge *item = realloc(charges->item, cap * sizeof item[0]);
    skr_bug_on(!item);
    charges->item = item;
    charges->cap = cap;
}

struct skr_charge *skr_charges_add(struct skr_charges *charges, const char *uid)
{
    reserve_one(charges);
    struct skr_charge *charge = &charges->item[charges->n];
    *charge = (struct skr_charge){.amounts = NULL};
    charge->is_text = !skr_uuid_pack(uid, charge->key);
    if (charge->is_text) {
        charge->key[0] = (uint64_t)(uintptr_t)skr_strdup(uid);
        charge->key[1] = 0;
    }
    skr_hash_index_add(&charges->index, hash_of(charge), (uint32_t)charges->n);
    charges->n++;
    return charge;
}

void skr_charges_remove(struct skr_charges *charges, struct skr_charge *charge)
{
    uint32_t number = (uint32_t)(charge - charges->item);
    uint32_t last = (uint32_t)(charges->n - 1);
    skr_hash_index_remove(&charges->index, hash_of(charge), number);
    if (charge->is_text) {
        free(text_of(charge));
    }
    if (number != last) {
        *charge = charges->item[last];
        skr_hash_index_renumber(&charges->index, hash_of(charge), last, number);
    }
    charges->n--;
}
