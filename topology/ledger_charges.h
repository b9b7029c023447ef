/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_LEDGER_CHARGES_H
#define SKR_TOPOLOGY_LEDGER_CHARGES_H
/*
 * The charges of a ledger by pod UID, for ledger.c alone. There is one for every pod of the
 * cluster, so they are small: 32 bytes in an array without gaps, in no particular order. A UID in
 * the form that Kubernetes gives (a lower-case UUID) is kept as its 128 bits, any other as a copied
 * text.
 */
#include "topology/base/hash.h"
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
    struct skr_charge *item;
    size_t n;
    size_t cap;
    struct skr_hash_index index;
};

void skr_charges_fini(struct skr_charges *charges);
/* NULL when there is none. The pointer holds until the next add or remove. */
struct skr_charge *skr_charges_find(const struct skr_charges *charges, const char *uid);
/* uid must not be there yet; amounts, node and kind are the caller's to fill. */
struct skr_charge *skr_charges_add(struct skr_charges *charges, const char *uid);
void skr_charges_remove(struct skr_charges *charges, struct skr_charge *charge);

#endif
