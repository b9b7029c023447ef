/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replicas are places in one total order: (share, k) comes before others by weight / (2k + 1)
 * descending, then k ascending, then name; the result is its first n places. All places whose
 * quotient is above a threshold are a prefix of that order. With the threshold that quotas suggest
 * (sum of weights / 2n) the prefix misses n by at most the number of shares, and a heap adds or
 * takes away the rest. Products stay below 2^98.
 */
#include "core/propagation/divide.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/base/attr.h"

struct heap {
    struct skr_share **item;
    size_t n;
    bool descending; /* names of equal places */
    bool last_first; /* the last place taken is on top, not the next one */
};

/* Whether place (a, ka) comes before place (b, kb). */
static bool precedes(const struct skr_share *a, int64_t ka, const struct skr_share *b, int64_t kb,
                     bool descending)
{
    skr_int128 left = (skr_int128)a->weight * (2 * kb + 1);
    skr_int128 right = (skr_int128)b->weight * (2 * ka + 1);
    if (left != right) {
        return left > right;
    }
    if (ka != kb) {
        return ka < kb;
    }
    int order = strcmp(a->name, b->name);
    return descending ? order > 0 : order < 0;
}

static bool is_above(const struct heap *heap, const struct skr_share *a, const struct skr_share *b)
{
    return heap->last_first ? precedes(b, b->given - 1, a, a->given - 1, heap->descending)
                            : precedes(a, a->given, b, b->given, heap->descending);
}

static void sink(struct heap *heap, size_t i)
{
    for (;;) {
        size_t top = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < heap->n; child++) {
            if (is_above(heap, heap->item[child], heap->item[top])) {
                top = child;
            }
        }
        if (top == i) {
            return;
        }
        struct skr_share *moved = heap->item[i];
        heap->item[i] = heap->item[top];
        heap->item[top] = moved;
        i = top;
    }
}

static void make_heap(struct heap *heap)
{
    for (size_t i = heap->n / 2; i-- > 0;) {
        sink(heap, i);
    }
}

static int64_t give_quotas(struct heap *heap, int64_t n, skr_int128 sum)
{
    int64_t total = 0;
    for (size_t i = 0; i < heap->n; i++) {
        skr_int128 twice = (skr_int128)heap->item[i]->weight * (2 * n);
        heap->item[i]->given = (int64_t)(((twice - 1) / sum + 1) / 2);
        total += heap->item[i]->given;
    }
    return total;
}

static void take_back(struct heap *heap, int64_t surplus)
{
    size_t n = 0;
    for (size_t i = 0; i < heap->n; i++) {
        if (heap->item[i]->given > 0) {
            heap->item[n++] = heap->item[i];
        }
    }
    heap->n = n;
    heap->last_first = true;
    make_heap(heap);
    for (; surplus > 0; surplus--) {
        heap->item[0]->given--;
        if (heap->item[0]->given == 0) {
            heap->item[0] = heap->item[--heap->n];
        }
        sink(heap, 0);
    }
}

void skr_divide(struct skr_share *share, size_t n_shares, int64_t n, bool name_descending)
{
    struct heap heap = {.descending = name_descending};
    skr_int128 sum = 0;
    heap.item = skr_alloc_array(n_shares + 1, sizeof(struct skr_share *));
    for (size_t i = 0; i < n_shares; i++) {
        share[i].given = 0;
        if (share[i].weight > 0) {
            heap.item[heap.n++] = &share[i];
            sum += share[i].weight;
        }
    }
    if (heap.n > 0 && n > 0) {
        int64_t total = give_quotas(&heap, n, sum);
        if (total > n) {
            take_back(&heap, total - n);
        } else {
            make_heap(&heap);
            for (; total < n; total++) {
                heap.item[0]->given++;
                sink(&heap, 0);
            }
        }
    }
    free(heap.item);
}

uint32_t skr_fnv1a(const char *text)
{
    uint32_t hash = UINT32_C(0x811C9DC5);
    for (; *text != '\0'; text++) {
        hash ^= (unsigned char)*text;
        hash *= UINT32_C(0x01000193);
    }
    return hash;
}

bool skr_divide_descends(const char *uid)
{
    return uid[0] != '\0' && (skr_fnv1a(uid) & 1) == 1;
}
