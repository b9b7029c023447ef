/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_LEDGER_CHARGES_H
#define SKR_TOPOLOGY_LEDGER_CHARGES_H
/*
 * The charges of a ledger by pod UID, for ledger.c alone. There is one for every pod of the
 * cluster, so they are small: 32 bytes in a slab. A UID in the form that Kubernetes gives (a
 * lower-case UUID) is kept as its 128 bits, any other as a copied text.
 */
#include "topology/base/hash.h"
#include "topology/base/slab.h"
#include "topology/base/uuid.h"
#include "topology/resources.h"

struct skr_charge {
    uint64_t key[2]; /* the UUID, or [0] the address of the text */
    const struct skr_amounts *amounts;
    uint32_t node; /* number of the node in the ledger */
    uint8_t kind;  /* enum skr_charge_kind */
    bool is_text;
};

/* All zero is empty. */
struct skr_charges {
    struct skr_slab item; /* struct skr_charge, by number */
    struct skr_hash_index index;
};

void skr_charges_fini(struct skr_charges *charges);
/* NULL when there is none. The pointer and *ret_number (NULL allowed) hold until it is removed. */
struct skr_charge *skr_charges_find(const struct skr_charges *charges, const char *uid,
                                    uint32_t *ret_number);
/* uid must not be there yet; amounts, node and kind are the caller's to fill. */
struct skr_charge *skr_charges_add(struct skr_charges *charges, const char *uid,
                                   uint32_t *ret_number);
void skr_charges_remove(struct skr_charges *charges, uint32_t number);
struct skr_charge *skr_charges_at(const struct skr_charges *charges, uint32_t number);
/* Walks over all of them: *at begins as 0; NULL at the end. */
struct skr_charge *skr_charges_next(const struct skr_charges *charges, size_t *at);
/* Its UID, written into buffer or the text that it has. */
const char *skr_charge_uid(const struct skr_charge *charge, char buffer[SKR_UUID_TEXT]);

#endif
