/* SPDX-License-Identifier: Apache-2.0 */
#include "core/frame/heap.h"

#include <stdlib.h>

#include "topology/base/arena.h"

void skr_heap_init(struct skr_heap *heap,
                   bool (*before)(const struct skr_heap_item *, const struct skr_heap_item *))
{
    *heap = (struct skr_heap){.before = before};
}

void skr_heap_fini(struct skr_heap *heap)
{
    free(heap->item);
    *heap = (struct skr_heap){.n = 0};
}

static void put(struct skr_heap *heap, size_t i, struct skr_heap_item *item)
{
    heap->item[i] = item;
    item->at = i + 1;
}

static void rise(struct skr_heap *heap, size_t i, struct skr_heap_item *item)
{
    while (i > 0 && heap->before(item, heap->item[(i - 1) / 2])) {
        put(heap, i, heap->item[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    put(heap, i, item);
}

static void sink(struct skr_heap *heap, size_t i, struct skr_heap_item *item)
{
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= heap->n) {
            break;
        }
        if (child + 1 < heap->n && heap->before(heap->item[child + 1], heap->item[child])) {
            child++;
        }
        if (!heap->before(heap->item[child], item)) {
            break;
        }
        put(heap, i, heap->item[child]);
        i = child;
    }
    put(heap, i, item);
}

void skr_heap_add(struct skr_heap *heap, struct skr_heap_item *item)
{
    skr_bug_on(item->at != 0);
    skr_grow(&heap->item, &heap->cap, heap->n + 1, sizeof *heap->item);
    rise(heap, heap->n++, item);
}

struct skr_heap_item *skr_heap_first(const struct skr_heap *heap)
{
    return heap->n > 0 ? heap->item[0] : NULL;
}

void skr_heap_remove(struct skr_heap *heap, struct skr_heap_item *item)
{
    skr_bug_on(item->at == 0 || item->at > heap->n || heap->item[item->at - 1] != item);
    size_t i = item->at - 1;
    struct skr_heap_item *last = heap->item[--heap->n];
    item->at = 0;
    if (last == item) {
        return;
    }
    if (i > 0 && heap->before(last, heap->item[(i - 1) / 2])) {
        rise(heap, i, last);
    } else {
        sink(heap, i, last);
    }
}
