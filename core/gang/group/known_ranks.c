/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks of indexes: see known_ranks.h.
 *
 * An operator may join several numbers to one index, such as that of a Job and that of a pod in it
 * (core/pod/index.h). Ranks of neighbours follow each other only inside one such block, so an index
 * that is BLOCK or more away shows nothing. If the neighbours on both sides disagree, the rank is
 * not known.
 */
#include "core/gang/group/known_ranks.h"

#include <stdlib.h>

#include "core/pod/index.h"

enum { BLOCK = 512 };

int skr_seat_compare(const struct skr_seat *left, const struct skr_seat *right)
{
    if (left->index != right->index) {
        return left->index < right->index ? -1 : 1;
    }
    return skr_pod_compare_names(left->name, right->name);
}

static int compare(const struct skr_seat *left, const struct skr_seat *right)
{
    if (left->role != right->role) {
        return left->role < right->role ? -1 : 1;
    }
    if (left->set != right->set) {
        return left->set < right->set ? -1 : 1;
    }
    return (left->index > right->index) - (left->index < right->index);
}

/* Of several with one index, the one that runs counts, else the one whose room is held, else the youngest. */
static int by_place(const void *a, const void *b)
{
    const struct skr_seat *left = *(const struct skr_seat *const *)a;
    const struct skr_seat *right = *(const struct skr_seat *const *)b;
    const int rc = compare(left, right);
    if (rc == 0 && left->gone != right->gone) {
        return left->gone ? 1 : -1;
    }
    if (rc == 0 && left->held != right->held) {
        return left->held ? -1 : 1;
    }
    if (rc == 0 && left->created != right->created) {
        return left->created > right->created ? -1 : 1;
    }
    return rc == 0 ? skr_seat_compare(left, right) : rc;
}

bool skr_known_ranks_init(struct skr_known_ranks *known, struct skr_arena *arena,
                          const struct skr_seat *seat, size_t n)
{
    known->n = 0;
    known->n_seats = n;
    known->item = skr_arena_array(arena, n + 1, sizeof *known->item);
    for (size_t i = 0; known->item && i < n; i++) {
        if ((seat[i].claimed || seat[i].gone) && seat[i].rank >= 0 && seat[i].index >= 0) {
            known->item[known->n++] = &seat[i];
        }
    }
    if (known->n > 1) {
        qsort(known->item, known->n, sizeof(const struct skr_seat *), by_place);
    }
    return known->item;
}

/* The first that is not before the seat. */
static size_t find(const struct skr_known_ranks *known, const struct skr_seat *seat)
{
    size_t low = 0, high = known->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(known->item[middle], seat) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The rank that the neighbour shows; -1: none. */
static int64_t rank_beside(const struct skr_known_ranks *known, const struct skr_seat *near,
                           const struct skr_seat *seat)
{
    const int64_t far = (int64_t)seat->index - near->index, rank = near->rank + far;
    const bool shows = near->role == seat->role && near->set == seat->set && far < BLOCK &&
                       far > -BLOCK && (seat->counted || rank < (int64_t)known->n_seats);
    return shows ? rank : -1;
}

int64_t skr_known_ranks_of(const struct skr_known_ranks *known, const struct skr_seat *seat)
{
    if (seat->index < 0 || known->n == 0) {
        return -1;
    }
    const size_t at = find(known, seat);
    if (at < known->n && compare(known->item[at], seat) == 0) {
        return known->item[at]->rank;
    }
    const int64_t before = at > 0 ? rank_beside(known, known->item[at - 1], seat) : -1;
    const int64_t after = at < known->n ? rank_beside(known, known->item[at], seat) : -1;
    return before < 0 ? after : after < 0 || after == before ? before : -1; /* < 0: not known */
}

int32_t skr_known_ranks_leaf(const struct skr_known_ranks *known, const struct skr_seat *seat)
{
    const size_t at = seat->index >= 0 ? find(known, seat) : known->n;
    const bool is = at < known->n && compare(known->item[at], seat) == 0 && known->item[at]->gone;
    return is ? known->item[at]->leaf : -1;
}
