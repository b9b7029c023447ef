/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_TEXTS_H
#define SKR_TOPOLOGY_BASE_TEXTS_H
/*
 * Texts that many objects have alike (keys and values of labels, names of resources), one copy each,
 * counted by reference. For one owner: not thread safe. About 40 bytes a text besides its own.
 */
#include "topology/base/hash.h"

struct skr_text;

/* All zero is empty. */
struct skr_texts {
    struct skr_text **item; /* n, in no particular order */
    size_t n;
    size_t cap;
    struct skr_hash_index index;
};

/* What nobody released is freed, too. */
void skr_texts_fini(struct skr_texts *texts);
/* The one copy of s, with one reference more; it lives until that is released. Aborts without
 * memory. O(length). */
const char *skr_texts_share(struct skr_texts *texts, const char *s);
/* text is from skr_texts_share(). */
void skr_texts_release(struct skr_texts *texts, const char *text);

#endif
