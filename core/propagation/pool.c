/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clusters themselves, once the groups are chosen. The roomiest set of a size that covers all
 * groups is the roomiest member of each group and the roomiest others. The picks begin with the
 * first member of each group and the next ones in order; while room is short each pick, from the
 * last one upwards, is exchanged for the roomiest cluster that may stand in for it.
 *
 * Once every pick has been tried, no covering set of that size has more room, so nothing else needs
 * to be searched: covering sets of one size are the bases of a matroid (their complements leave a
 * member in each group), what may stand in for a pick is a cocircuit without the picks already
 * tried, and taking the best element of such cocircuits one after another gives a best base
 * (R. E. Tarjan, Data Structures and Network Algorithms, 1983, chapter 6, the blue rule).
 */
#include "core/propagation/steps.h"
#include "core/solver/solve_run.h"

int skr_compare_index(const void *a, const void *b)
{
    const int32_t *x = a;
    const int32_t *y = b;
    return (*x > *y) - (*x < *y);
}

int64_t skr_pool_best_room(struct skr_binding_decision *decision, const struct skr_pool *pool,
                           size_t size)
{
    if (size < pool->n_groups || size > pool->n) {
        return -1;
    }
    SKR_AUTO_FREE int32_t *best = skr_alloc_array(pool->n_groups + 1, sizeof *best);
    SKR_AUTO_FREE int64_t *other = skr_alloc_array(pool->n + 1, sizeof *other);
    size_t n_others = 0;
    int64_t room = 0;
    for (size_t i = 0; i < pool->n; i++) {
        int32_t *held = &best[pool->group[i]]; /* position + 1 */
        if (*held == 0 || decision->candidate[pool->member[i]].available >
                              decision->candidate[pool->member[*held - 1]].available) {
            *held = (int32_t)i + 1;
        }
    }
    for (size_t i = 0; i < pool->n; i++) {
        int64_t available = decision->candidate[pool->member[i]].available;
        if (best[pool->group[i]] == (int32_t)i + 1) {
            room += available;
        } else {
            other[n_others++] = available;
        }
    }
    if (n_others > 1) {
        qsort(other, n_others, sizeof *other, skr_greatest_first_64);
    }
    for (size_t i = 0; i + pool->n_groups < size; i++) {
        room += other[i];
    }
    return room;
}

struct picking {
    const struct skr_binding_decision *decision;
    const struct skr_pool *pool;
    bool *picked;  /* [position in the pool] */
    size_t *cover; /* [group] picks of it */
    int64_t room;
};

static int64_t room_of(const struct picking *p, size_t position)
{
    return p->decision->candidate[p->pool->member[position]].available;
}

static void put(struct picking *p, size_t position)
{
    p->picked[position] = true;
    p->cover[p->pool->group[position]]++;
    p->room += room_of(p, position);
}

static void take(struct picking *p, size_t position)
{
    p->picked[position] = false;
    p->cover[p->pool->group[position]]--;
    p->room -= room_of(p, position);
}

static void pick_first(struct picking *p, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < p->pool->n; i++) {
        if (p->cover[p->pool->group[i]] == 0) {
            put(p, i);
            n++;
        }
    }
    for (size_t i = 0; i < p->pool->n && n < size; i++) {
        if (!p->picked[i]) {
            put(p, i);
            n++;
        }
    }
}

/* The roomiest that may replace the pick at position: roomier, and no group is left out. */
static size_t replacement(const struct picking *p, size_t position)
{
    bool alone = p->cover[p->pool->group[position]] == 1;
    int64_t room = room_of(p, position);
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < p->pool->n; i++) {
        bool may = !p->picked[i] && (!alone || p->pool->group[i] == p->pool->group[position]);
        if (may && room_of(p, i) > room) {
            room = room_of(p, i);
            best = i;
        }
    }
    return best;
}

static void exchange(struct picking *p, const size_t *first, size_t n, int64_t need)
{
    for (size_t i = n; i-- > 0 && p->room < need;) {
        size_t better = replacement(p, first[i]);
        if (better != SIZE_MAX) {
            take(p, first[i]);
            put(p, better);
        }
    }
}

void skr_pool_pick(struct skr_binding_decision *decision, const struct skr_pool *pool, size_t size,
                   int64_t need, int32_t *pick)
{
    struct picking p = {.decision = decision, .pool = pool};
    size_t n = 0;
    p.picked = skr_alloc_array(pool->n + 1, sizeof *p.picked);
    p.cover = skr_alloc_array(pool->n_groups + 1, sizeof *p.cover);
    size_t *first = skr_alloc_array(size + 1, sizeof *first);
    pick_first(&p, size);
    for (size_t i = 0; i < pool->n; i++) {
        if (p.picked[i]) {
            first[n++] = i;
        }
    }
    exchange(&p, first, n, need);
    skr_bug_on(p.room < need);
    n = 0;
    for (size_t i = 0; i < pool->n; i++) {
        if (p.picked[i]) {
            pick[n++] = pool->member[i];
        }
    }
    free(first);
    free(p.cover);
    free(p.picked);
}
