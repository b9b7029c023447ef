/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_STORE_SHELF_H
#define SKR_SERVER_LAB_STORE_SHELF_H
/*
 * The objects of one resource in the order of (namespace, name): a skip list (Pugh 1990). Its
 * levels come from a hash of the key, so that the same objects make the same list. An item owns one
 * reference to its object. A table by the hash of the key finds an item or its absence. During a
 * walk others may be inserted or removed; the current item must stay.
 */
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

enum { SKR_SHELF_LEVELS = 16 };

struct skr_shelf_item {
    json_t *object;
    const char *namespace_;
    const char *name;
    uint64_t hash;                 /* of both */
    struct skr_shelf_item *chain;  /* the next item at this place of the table */
    struct skr_shelf_item *next[]; /* [0] is the next in order, NULL at the end */
};

/* All zero is an empty shelf. */
struct skr_shelf {
    struct skr_shelf_item *first[SKR_SHELF_LEVELS];
    size_t n;
    struct skr_shelf_item **table; /* by hash; NULL: nothing was inserted yet */
    size_t n_places;               /* a power of two, or 0 */
};

void skr_shelf_fini(struct skr_shelf *shelf);
/* NULL if it is absent. O(1) expected; the others are O(log n). */
struct skr_shelf_item *skr_shelf_find(const struct skr_shelf *shelf, const char *namespace_,
                                      const char *name);
/* The first item that is not before (namespace, name); NULL at the end. */
struct skr_shelf_item *skr_shelf_from(const struct skr_shelf *shelf, const char *namespace_,
                                      const char *name);
/* The key must not be there. Takes object. */
struct skr_shelf_item *skr_shelf_insert(struct skr_shelf *shelf, const char *namespace_,
                                        const char *name, json_t *object);
void skr_shelf_remove(struct skr_shelf *shelf, struct skr_shelf_item *item);

#endif
