/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_OBJECT_PAIRS_H
#define SKR_SERVER_OBJECT_PAIRS_H
/*
 * The members of one object, each with what another object has under its key. Objects of one template, and
 * one object before and after a change, have their members in about the same order: both are walked side
 * by side, and only where the order differs is a key looked up. Cost O(1) a member, a fifth of a look-up
 * where they agree.
 */
#include <jansson.h>
#include <stdbool.h>

struct skr_pairs {
    const char *key; /* of the member; it and both values are borrowed */
    json_t *value;
    json_t *other; /* NULL: the other object has no such member */
    /* Private. */
    json_t *own, *with;
    void *at, *there;
};

/* Before the first member. own: may be changed at the member one stands on, also by taking it out. NULL,
 * and what is no object, have no members. Nothing is to be taken out of with meanwhile. */
struct skr_pairs skr_pairs_of(const json_t *own, const json_t *with);
/* Goes to the next member; false: there is none. */
bool skr_pairs_next(struct skr_pairs *pairs);
/* Puts another value (taken) in place of the member's. */
void skr_pairs_set(struct skr_pairs *pairs, json_t *value);

/* Whether both are the same or equal, as json_equal() says; NULL is equal to NULL alone. */
bool skr_pairs_equal(const json_t *a, const json_t *b);

#endif
