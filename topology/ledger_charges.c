/* SPDX-License-Identifier: Apache-2.0 */
/* Charges by UID: a slab and an index over it. */
#include "topology/ledger_charges.h"

#include <string.h>

#include "topology/base/arena.h"

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
    struct skr_charge *charge;
    for (size_t at = 0; (charge = skr_charges_next(charges, &at));) {
        if (charge->is_text) {
            free(text_of(charge));
        }
    }
    skr_slab_fini(&charges->item);
    skr_hash_index_fini(&charges->index);
}

struct skr_charge *skr_charges_find(const struct skr_charges *charges, const char *uid,
                                    uint32_t *ret_number)
{
    uint64_t key[2];
    bool is_text = !skr_uuid_pack(uid, key);
    uint32_t hash = (uint32_t)(is_text ? skr_hash_string(uid) : skr_hash_pair(key[0], key[1]));
    uint32_t number = 0;
    for (size_t at = 0; skr_hash_index_next(&charges->index, hash, &at, &number);) {
        struct skr_charge *charge = skr_charges_at(charges, number);
        if (charge->is_text != is_text) {
            continue;
        }
        if (is_text ? strcmp(text_of(charge), uid) == 0
                    : charge->key[0] == key[0] && charge->key[1] == key[1]) {
            if (ret_number) {
                *ret_number = number;
            }
            return charge;
        }
    }
    return NULL;
}

struct skr_charge *skr_charges_add(struct skr_charges *charges, const char *uid,
                                   uint32_t *ret_number)
{
    charges->item.size = sizeof(struct skr_charge);
    *ret_number = skr_slab_add(&charges->item);
    struct skr_charge *charge = skr_charges_at(charges, *ret_number);
    charge->is_text = !skr_uuid_pack(uid, charge->key);
    if (charge->is_text) {
        charge->key[0] = (uint64_t)(uintptr_t)skr_strdup(uid);
        charge->key[1] = 0;
    }
    skr_hash_index_add(&charges->index, hash_of(charge), *ret_number);
    return charge;
}

void skr_charges_remove(struct skr_charges *charges, uint32_t number)
{
    struct skr_charge *charge = skr_charges_at(charges, number);
    skr_hash_index_remove(&charges->index, hash_of(charge), number);
    if (charge->is_text) {
        free(text_of(charge));
    }
    skr_slab_remove(&charges->item, number);
}

struct skr_charge *skr_charges_at(const struct skr_charges *charges, uint32_t number)
{
    return skr_slab_at(&charges->item, number);
}

struct skr_charge *skr_charges_next(const struct skr_charges *charges, size_t *at)
{
    uint32_t number;
    return skr_slab_next(&charges->item, at, &number) ? skr_charges_at(charges, number) : NULL;
}

const char *skr_charge_uid(const struct skr_charge *charge, char buffer[SKR_UUID_TEXT])
{
    return charge->is_text ? text_of(charge) : skr_uuid_unpack(charge->key, buffer);
}
