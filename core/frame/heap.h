/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_HEAP_H
#define SKR_CORE_FRAME_HEAP_H
/*
 * A binary heap of pointers whose items know where they stand, so that any of them can be taken out
 * or moved. Items are the caller's; an item is in one heap at most. All operations but the first
 * item are O(log n).
 */
#include <stdbool.h>
#include <stddef.h>

/* First member of an item. */
struct skr_heap_item {
    size_t at; /* 1 + index; 0: in no heap */
};

struct skr_heap {
    bool (*before)(const struct skr_heap_item *a, const struct skr_heap_item *b);
    struct skr_heap_item **item;
    size_t n, cap;
};

void skr_heap_init(struct skr_heap *heap,
                   bool (*before)(const struct skr_heap_item *, const struct skr_heap_item *));
void skr_heap_fini(struct skr_heap *heap); /* the items stay */
void skr_heap_add(struct skr_heap *heap, struct skr_heap_item *item);
/* NULL: empty. O(1). */
struct skr_heap_item *skr_heap_first(const struct skr_heap *heap);
void skr_heap_remove(struct skr_heap *heap, struct skr_heap_item *item); /* it is in this heap */

#endif
