/* SPDX-License-Identifier: Apache-2.0 */
/* Gives ranks to seats, as assign.h says. */
#include "core/gang/group/deal.h"

#include <stdlib.h>
#include <string.h>

/* ---- rank order ---- */

static int32_t set_of(const struct deal *d, const struct skr_seat *seat)
{
    return d->layout.role[seat->role].kind < 0 ? -1 : seat->set;
}

/* By role, set and member order: inside one role and set this is the rank order. */
static int by_place(const void *a, const void *b)
{
    const struct skr_seat *left = *(struct skr_seat *const *)a;
    const struct skr_seat *right = *(struct skr_seat *const *)b;
    if (left->role != right->role) {
        return left->role < right->role ? -1 : 1;
    }
    if (left->set != right->set) {
        return left->set < right->set ? -1 : 1;
    }
    return skr_seat_compare(left, right);
}

static int by_rank(const void *a, const void *b)
{
    const struct skr_seat *left = *(struct skr_seat *const *)a;
    const struct skr_seat *right = *(struct skr_seat *const *)b;
    if (left->rank != right->rank) {
        return left->rank < right->rank ? -1 : 1;
    }
    return skr_seat_compare(left, right);
}

/* Where the positions of role and set begin, the master at its own place. */
static size_t begin_of(const struct deal *d, uint8_t role, int32_t set)
{
    const struct skr_rank_layout *l = &d->layout;
    size_t in_set = set >= 0 ? (size_t)set * d->stride[l->role[role].kind] : 0;
    return d->start[role] + in_set;
}

/* The first position of role and set. */
static size_t first_position(const struct deal *d, uint8_t role, int32_t set)
{
    size_t at = begin_of(d, role, set);
    if (d->master == SIZE_MAX) {
        return at;
    }
    const struct skr_rank_position *own = &d->position[0];
    bool of_master = own->role == role && own->set == set;
    return of_master ? 0 : at < d->master ? at + 1 : at;
}

/* The master of the group, by rank order: NULL if no name says so. */
static const struct skr_seat *find_master(const struct deal *d)
{
    const struct skr_seat *master = NULL;
    size_t at = SIZE_MAX;
    for (size_t i = 0; i < d->n_seats; i++) {
        const struct skr_seat *s = &d->seat[i];
        if (s->gone || !strstr(s->name, "master")) {
            continue;
        }
        size_t here = begin_of(d, s->role, set_of(d, s));
        if (!master || here < at || (here == at && skr_seat_compare(s, master) < 0)) {
            master = s;
            at = here;
        }
    }
    return master;
}

static bool is_of(const struct deal *d, size_t rank, const struct skr_seat *seat)
{
    int32_t set = set_of(d, seat);
    return rank < d->n_positions && d->position[rank].role == seat->role &&
           (set < 0 || d->position[rank].set == set);
}

bool skr_role_ranks_begin(struct deal *d)
{
    size_t n = skr_rank_layout_size(&d->layout);
    d->position = skr_arena_array(d->arena, n + 1, sizeof *d->position);
    d->first = skr_arena_array(d->arena, n + 1, sizeof *d->first);
    d->n_ranks = n + d->n_seats;
    d->held = skr_arena_array(d->arena, d->n_ranks + 1, sizeof *d->held);
    if (!d->position || !d->first || !d->held) {
        return false;
    }
    d->n_positions = skr_rank_layout_positions(&d->layout, d->position);
    for (size_t i = n; i-- > 0;) {
        if (d->position[i].set <= 0) {
            d->start[d->position[i].role] = i;
        }
    }
    for (size_t r = 0; r < d->layout.n_roles; r++) {
        if (d->layout.role[r].kind >= 0) {
            d->stride[d->layout.role[r].kind] += (size_t)d->layout.role[r].each;
        }
    }
    d->master = SIZE_MAX;
    d->named = find_master(d);
    size_t at = d->named ? begin_of(d, d->named->role, set_of(d, d->named)) : 0;
    if (d->named && at < n &&
        is_of(d, at, d->named)) { /* to the front; those before it move by one */
        struct skr_rank_position own = d->position[at];
        memmove(&d->position[1], &d->position[0], at * sizeof own);
        d->position[0] = own;
        d->master = at;
    }
    return true;
}

/* ---- ranks ---- */

/* If two members hold one rank, the later one loses it. */
static void mark_held(struct deal *d)
{
    if (d->n_claimed > 1) {
        qsort(d->claimed, d->n_claimed, sizeof(struct skr_seat *), by_rank);
    }
    for (size_t i = d->n_claimed; i-- > 1;) {
        if (d->claimed[i]->rank == d->claimed[i - 1]->rank) {
            d->claimed[i]->rank = -1;
        }
    }
    for (size_t i = 0; i < d->n_claimed; i++) {
        int32_t rank = d->claimed[i]->rank;
        if (rank >= 0 && (size_t)rank < d->n_ranks) {
            d->held[rank] = true;
        }
    }
    if (d->n_claimed > 1) {
        qsort(d->claimed, d->n_claimed, sizeof(struct skr_seat *), by_place);
    }
}

static bool is_free(const struct deal *d, int64_t rank)
{
    if (rank < 0 || rank > INT32_MAX) {
        return false;
    }
    if ((size_t)rank < d->n_ranks) {
        return !d->held[rank];
    }
    for (size_t i = 0; i < d->n_seats; i++) { /* a rank of an index: few are so high */
        if (!d->seat[i].gone && d->seat[i].rank == rank) {
            return false;
        }
    }
    return true;
}

static void give(struct deal *d, struct skr_seat *seat, size_t rank)
{
    seat->rank = (int32_t)rank;
    if (rank < d->n_ranks) {
        d->held[rank] = true;
    }
}

/* The next free rank of its role and set; n_positions: none. */
static size_t next_own(struct deal *d, const struct skr_seat *seat)
{
    size_t from = first_position(d, seat->role, set_of(d, seat));
    if (from >= d->n_positions || !is_of(d, from, seat)) {
        return d->n_positions;
    }
    size_t *next = &d->first[from];
    *next = *next < from ? from : *next;
    while (*next < d->n_positions && (d->held[*next] || !is_of(d, *next, seat))) {
        (*next)++;
    }
    return *next;
}

static void give_own(struct deal *d, struct skr_seat *const *seat, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t rank = seat[i]->rank < 0 ? next_own(d, seat[i]) : d->n_positions;
        if (rank < d->n_positions) {
            give(d, seat[i], rank);
        }
    }
}

/* The index of a seat is its rank, if that is free: below the bound, or wherever its controller counts. */
static void give_index(struct deal *d, struct skr_seat *const *seat, size_t n, size_t bound,
                       bool counted)
{
    for (size_t i = 0; i < n; i++) {
        const int32_t index = seat[i]->index;
        if (seat[i]->rank < 0 && (counted || (index >= 0 && (size_t)index < bound)) &&
            is_free(d, index)) {
            give(d, seat[i], (size_t)index);
        }
    }
}

/* Whether without other members each index is the rank. */
static bool all_counted(const struct deal *d)
{
    bool all = d->n_claimed == 0 && d->known.n == 0;
    for (size_t i = 0; i < d->n_newcomers; i++) {
        all = all && d->newcomer[i]->counted;
    }
    return all;
}

/* Newcomers whose index shows which rank is theirs. */
static void rank_by_index(struct deal *d)
{
    for (size_t i = 0; i < d->n_newcomers; i++) {
        struct skr_seat *s = d->newcomer[i];
        const int64_t rank = skr_known_ranks_of(&d->known, s);
        if (is_free(d, rank) && (!d->layout.whole || is_of(d, (size_t)rank, s))) {
            give(d, s, (size_t)rank);
        }
    }
    if (d->alike) {
        give_index(d, d->newcomer, d->n_newcomers, d->n_positions, all_counted(d));
    }
}

/* Members that have succeeded keep their ranks from newcomers of other indexes. Pods without an index take
 * the ranks of those that have ended, where their controller makes more than it had. */
static void hold_done(struct deal *d)
{
    bool indexed = true;
    for (size_t i = 0; i < d->n_newcomers; i++) {
        indexed = indexed && d->newcomer[i]->index >= 0;
    }
    for (size_t i = 0; i < d->n_seats; i++) {
        const struct skr_seat *s = &d->seat[i];
        if ((indexed ? s->done : s->kept) && (size_t)s->rank < d->n_ranks) {
            d->held[s->rank] = true;
        }
    }
}

static void rank_the_rest(struct deal *d, struct skr_seat *const *seat, size_t n)
{
    size_t lowest = 0;
    give_own(d, seat, n);
    give_index(d, seat, n, d->n_seats, false);
    for (size_t i = 0; i < n; i++) {
        while (seat[i]->rank < 0 && d->held[lowest]) {
            lowest++;
        }
        if (seat[i]->rank < 0) {
            give(d, seat[i], lowest);
        }
    }
}

/* ---- adopted members ---- */

struct adopted {
    struct skr_seat *seat;
    int32_t distance; /* from the master; -1 for the master itself, INT32_MAX outside the tree */
};

static int by_adoption(const void *a, const void *b)
{
    const struct adopted *left = a, *right = b;
    const struct skr_seat *l = left->seat, *r = right->seat;
    if (l->role != r->role) {
        return l->role < r->role ? -1 : 1;
    }
    if (l->set != r->set) {
        return l->set < r->set ? -1 : 1;
    }
    if (left->distance != right->distance) {
        return left->distance < right->distance ? -1 : 1;
    }
    if (l->leaf != r->leaf) {
        return l->leaf < r->leaf ? -1 : 1;
    }
    const int order = l->leaf < 0 && l->node && r->node ? strcmp(l->node, r->node) : 0;
    return order != 0 ? order : skr_seat_compare(l, r);
}

/* The leaf that adopted members are measured from: that of rank 0, else of the master among them;
 * -1 if there is neither. Both lists are in member order of their roles and sets. */
static int32_t reference_leaf(const struct deal *d, struct adopted *adopted, size_t n)
{
    for (size_t i = 0; i < d->n_claimed; i++) {
        if (d->claimed[i]->rank == 0 && d->claimed[i]->leaf >= 0) {
            return d->claimed[i]->leaf;
        }
    }
    struct adopted *master = NULL;
    bool named = false;
    for (size_t i = 0; i < n && !named; i++) {
        named = adopted[i].seat->leaf >= 0 && strstr(adopted[i].seat->name, "master");
        master = named || (!master && adopted[i].seat->leaf >= 0) ? &adopted[i] : master;
    }
    if (master) {
        master->distance = -1;
    }
    return master ? master->seat->leaf : -1;
}

/* Ranks of their role and set above the held ones; if those run out, as others without a rank. */
static void give_adopted(struct deal *d, struct skr_seat *const *seat, size_t n)
{
    for (size_t rank = 0; rank < d->n_positions; rank++) {
        const struct skr_rank_position *at = &d->position[rank];
        if (d->held[rank]) {
            d->first[first_position(d, at->role, at->set)] = rank + 1;
        }
    }
    give_own(d, seat, n);
    memset(d->first, 0, d->n_positions * sizeof *d->first);
    rank_the_rest(d, seat, n);
}

static bool rank_adopted(struct deal *d)
{
    struct adopted *list = skr_arena_array(d->arena, d->n_claimed + 1, sizeof *list);
    struct skr_seat **seat = skr_arena_array(d->arena, d->n_claimed + 1, sizeof *seat);
    size_t n = 0;
    if (!list || !seat) {
        return false;
    }
    for (size_t i = 0; i < d->n_claimed; i++) {
        if (d->claimed[i]->rank < 0) {
            list[n++].seat = d->claimed[i];
        }
    }
    const int32_t from = reference_leaf(d, list, n);
    for (size_t i = 0; i < n; i++) {
        if (list[i].seat->leaf < 0) {
            list[i].distance = INT32_MAX;
        } else if (list[i].distance == 0) {
            list[i].distance = skr_tree_distance(d->tree, from, list[i].seat->leaf);
        }
    }
    if (n > 0) {
        qsort(list, n, sizeof *list, by_adoption);
        for (size_t i = 0; i < n; i++) {
            seat[i] = list[i].seat;
        }
        give_adopted(d, seat, n);
    }
    return true;
}

/* The master is the first of its role and set. */
static void move_master(struct deal *d)
{
    const struct skr_seat *master = d->fresh ? d->named : NULL;
    size_t at = 0, first = 0;
    while (at < d->n_newcomers && d->newcomer[at] != master) {
        at++;
    }
    if (!master || at == d->n_newcomers) {
        return;
    }
    while (d->newcomer[first]->role != master->role ||
           set_of(d, d->newcomer[first]) != set_of(d, master)) {
        first++;
    }
    struct skr_seat *seat = d->newcomer[at];
    memmove(&d->newcomer[first + 1], &d->newcomer[first], (at - first) * sizeof seat);
    d->newcomer[first] = seat;
}

bool skr_role_ranks_give(struct deal *d)
{
    mark_held(d);
    if (!rank_adopted(d) || !skr_known_ranks_init(&d->known, d->arena, d->seat, d->n_seats)) {
        return false;
    }
    if (d->n_newcomers > 1) {
        qsort(d->newcomer, d->n_newcomers, sizeof(struct skr_seat *), by_place);
    }
    move_master(d);
    if (!d->fresh || d->known.n > 0 || !d->named) {
        rank_by_index(d);
    }
    hold_done(d);
    rank_the_rest(d, d->newcomer, d->n_newcomers);
    if (d->n_newcomers > 1) {
        qsort(d->newcomer, d->n_newcomers, sizeof(struct skr_seat *), by_rank);
    }
    return true;
}
