/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_TEXTS_H
#define SKR_TOPOLOGY_BASE_TEXTS_H
/*
 * Texts that many objects have alike (keys and values of labels, names of resources), one copy each,
 * counted by reference. A text has a number of 32 bits too, for those who keep a million of them. For
 * one owner: not thread safe. About 40 bytes a text besides its own.
 */
#include "topology/base/hash.h"
#include "topology/base/slab.h"

/* All zero is empty. */
struct skr_texts {
    struct skr_slab item; /* pointers to texts, by number */
    struct skr_hash_index index;
};

/* What nobody released is freed, too. */
void skr_texts_fini(struct skr_texts *texts);
/* The one copy of s, with one reference more; it lives until that is released. Aborts without
 * memory. O(length). */
const char *skr_texts_share(struct skr_texts *texts, const char *s);
/* text is from skr_texts_share(). */
void skr_texts_release(struct skr_texts *texts, const char *text);
/* The number of a text from skr_texts_share(), and the text of such a number; both hold until it is
 * released. O(1). */
uint32_t skr_texts_number(const char *text);
const char *skr_texts_at(const struct skr_texts *texts, uint32_t number);
size_t skr_texts_count(const struct skr_texts *texts);

#endif
