/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assigns seats: from counts per leaf to names, nodes and ranks.
 *
 * - Fresh gang: members, in the order of their ranks, go along the used leaves in the order
 *   (distance from the first used leaf, tree order).
 * - With claimed members only the gaps are filled. Adopted members are ranked first. Newcomers go
 *   where their index was, if there is a gap; the others, in the order of their ranks, take the rest
 *   in tree order.
 *
 * All sort keys differ between pods (names are unique in a namespace), so the result does not
 * depend on the order of the input.
 */
#include "core/gang/group/assign.h"

#include <stdlib.h>
#include <string.h>

#include "core/gang/group/known_ranks.h"
#include "core/pod/index.h"
#include "topology/base/arena.h"

/* Scratch memory and the parts of the input by kind. */
struct deal {
    const struct skr_tree *tree;
    const int32_t *count;
    struct skr_seat *seat;
    size_t n_seats; /* gone ones included */
    size_t n_ranks; /* members */
    struct skr_known_ranks known;
    int32_t *claims; /* [leaf] */
    size_t n_claimed;
    struct skr_seat **newcomer; /* in member order */
    size_t n_newcomers;
    struct skr_seat **claimed; /* in member order once their ranks are known */
    bool *held;                /* [n_ranks]: rank is taken */
};

struct used_leaf {
    int32_t leaf;
    int32_t distance;
};

struct adopted {
    struct skr_seat *seat;
    int32_t distance; /* from the master; -1 for the master itself, INT32_MAX outside the tree */
};

int skr_seat_compare(const struct skr_seat *left, const struct skr_seat *right)
{
    if (left->index != right->index) {
        return left->index < right->index ? -1 : 1;
    }
    return skr_pod_compare_names(left->name, right->name);
}

static int by_member(const void *a, const void *b)
{
    const struct skr_seat *const *left = a;
    const struct skr_seat *const *right = b;
    return skr_seat_compare(*left, *right);
}

/* Pods mostly arrive in the order in which their controller creates them. */
static bool is_sorted(struct skr_seat *const *seat, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (skr_seat_compare(seat[i - 1], seat[i]) > 0) {
            return false;
        }
    }
    return true;
}

static int by_rank(const void *a, const void *b)
{
    const struct skr_seat *const *left = a;
    const struct skr_seat *const *right = b;
    if ((*left)->rank != (*right)->rank) {
        return (*left)->rank < (*right)->rank ? -1 : 1;
    }
    return skr_seat_compare(*left, *right);
}

static int by_distance(const void *a, const void *b)
{
    const struct used_leaf *left = a;
    const struct used_leaf *right = b;
    if (left->distance != right->distance) {
        return left->distance < right->distance ? -1 : 1;
    }
    return left->leaf < right->leaf ? -1 : left->leaf > right->leaf ? 1 : 0;
}

static int by_adoption(const void *a, const void *b)
{
    const struct adopted *left = a;
    const struct adopted *right = b;
    if (left->distance != right->distance) {
        return left->distance < right->distance ? -1 : 1;
    }
    if (left->seat->leaf != right->seat->leaf) {
        return left->seat->leaf < right->seat->leaf ? -1 : 1;
    }
    if (left->seat->leaf < 0 && left->seat->node && right->seat->node) {
        int order = strcmp(left->seat->node, right->seat->node);
        if (order != 0) {
            return order;
        }
    }
    return skr_seat_compare(left->seat, right->seat);
}

static void sit(const struct skr_tree *tree, struct skr_seat *seat, int32_t leaf)
{
    seat->leaf = leaf;
    seat->node = tree->unit_name[tree->first_leaf + leaf];
}

/* Index of the master among seats in member order. n > 0. */
static size_t find_master(struct skr_seat *const *seat, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strstr(seat[i]->name, "master")) {
            return i;
        }
    }
    return 0;
}

/* ---- input ---- */

/* Splits the seats and checks that the counts have a place for every newcomer. */
static int read_input(struct deal *d, struct skr_error *error)
{
    int64_t places = 0;
    for (size_t i = 0; i < d->n_seats; i++) {
        struct skr_seat *seat = &d->seat[i];
        if (seat->gone) {
            continue;
        }
        if (!seat->claimed) {
            seat->rank = -1;
            seat->leaf = -1;
            d->newcomer[d->n_newcomers++] = seat;
            continue;
        }
        if (seat->leaf >= d->tree->n_leaves) {
            return skr_error_set(error, SKR_BUG, "seat %.100s: leaf %d of %d", seat->name,
                                 (int)seat->leaf, (int)d->tree->n_leaves);
        }
        d->claimed[d->n_claimed++] = seat;
        if (seat->leaf >= 0) {
            d->claims[seat->leaf]++;
        }
    }
    d->n_ranks = d->n_claimed + d->n_newcomers;
    for (int32_t leaf = 0; leaf < d->tree->n_leaves; leaf++) {
        if (d->count[leaf] < d->claims[leaf]) {
            return skr_error_set(error, SKR_BUG, "node %.100s: count %d is less than %d claims",
                                 d->tree->unit_name[d->tree->first_leaf + leaf],
                                 (int)d->count[leaf], (int)d->claims[leaf]);
        }
        places += d->count[leaf] - d->claims[leaf];
    }
    if (places != (int64_t)d->n_newcomers) {
        return skr_error_set(error, SKR_BUG, "%lld new places for %zu newcomers", (long long)places,
                             d->n_newcomers);
    }
    if (!is_sorted(d->newcomer, d->n_newcomers)) {
        qsort(d->newcomer, d->n_newcomers, sizeof d->newcomer[0], by_member);
    }
    return 0;
}

/* ---- ranks of newcomers ---- */

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

static bool give(struct deal *d, struct skr_seat *seat, int64_t rank)
{
    if (!is_free(d, rank)) {
        return false;
    }
    seat->rank = (int32_t)rank;
    if ((size_t)rank < d->n_ranks) {
        d->held[rank] = true;
    }
    return true;
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

static void rank_newcomers(struct deal *d)
{
    const bool counted = all_counted(d);
    size_t rank = 0;
    for (size_t i = 0; i < d->n_newcomers; i++) {
        give(d, d->newcomer[i], skr_known_ranks_of(&d->known, d->newcomer[i]));
    }
    for (size_t i = 0; i < d->n_newcomers; i++) {
        const int32_t index = d->newcomer[i]->index;
        if (d->newcomer[i]->rank < 0 && (counted || (index >= 0 && (size_t)index < d->n_ranks))) {
            give(d, d->newcomer[i], index);
        }
    }
    for (size_t i = 0; i < d->n_newcomers; i++) {
        while (d->newcomer[i]->rank < 0 && !give(d, d->newcomer[i], (int64_t)rank)) {
            rank++;
        }
    }
    if (d->n_newcomers > 1) {
        qsort(d->newcomer, d->n_newcomers, sizeof d->newcomer[0], by_rank);
    }
}

/* ---- a fresh gang ---- */

/* The leaves that the gang uses, nearest to the first of them first. */
static size_t order_leaves(const struct deal *d, struct used_leaf *used)
{
    size_t n = 0;
    for (int32_t leaf = 0; leaf < d->tree->n_leaves; leaf++) {
        if (d->count[leaf] > 0) {
            used[n++].leaf = leaf;
        }
    }
    for (size_t i = n; i-- > 0;) {
        used[i].distance = skr_tree_distance(d->tree, used[0].leaf, used[i].leaf);
    }
    qsort(used, n, sizeof used[0], by_distance);
    return n;
}

static int deal_fresh(struct deal *d, struct skr_arena *arena, struct skr_error *error)
{
    int32_t k = 0;
    if (d->n_newcomers == 0) {
        return 0;
    }
    struct used_leaf *used = skr_arena_array(arena, d->n_newcomers, sizeof used[0]);
    if (!used) {
        return skr_error_set(error, SKR_NO_MEMORY, "seats: out of memory");
    }
    const size_t n_used = order_leaves(d, used);
    const size_t at = find_master(d->newcomer, d->n_newcomers);
    if (strstr(d->newcomer[at]->name,
               "master")) { /* it moves to the front; the others keep their order */
        struct skr_seat *master = d->newcomer[at];
        memmove(&d->newcomer[1], &d->newcomer[0], at * sizeof d->newcomer[0]);
        d->newcomer[0] = master;
        for (size_t i = 0; i < d->n_newcomers; i++) {
            d->newcomer[i]->rank = (int32_t)i;
        }
    } else {
        rank_newcomers(d);
    }
    for (size_t i = 0; i < n_used; i++) {
        for (int32_t c = 0; c < d->count[used[i].leaf]; c++, k++) {
            sit(d->tree, d->newcomer[k], used[i].leaf);
        }
    }
    return 0;
}

/* ---- beside claimed members ---- */

/* Marks the held ranks. If two members hold one rank, the later one loses it. Returns the highest
 * held rank below n_ranks plus one. */
static size_t mark_held(struct deal *d)
{
    size_t above = 0;
    if (d->n_claimed > 1) {
        qsort(d->claimed, d->n_claimed, sizeof d->claimed[0], by_rank);
    }
    for (size_t i = d->n_claimed; i-- > 1;) {
        if (d->claimed[i]->rank == d->claimed[i - 1]->rank) {
            d->claimed[i]->rank = -1;
        }
    }
    for (size_t i = 0; i < d->n_claimed; i++) {
        const struct skr_seat *seat = d->claimed[i];
        if (seat->rank < 0 || (size_t)seat->rank >= d->n_ranks) {
            continue;
        }
        size_t rank = (size_t)seat->rank;
        d->held[rank] = true;
        if (rank + 1 > above) {
            above = rank + 1;
        }
    }
    if (d->n_claimed > 1) {
        qsort(d->claimed, d->n_claimed, sizeof d->claimed[0], by_member);
    }
    return above;
}

/* The leaf that adopted members are measured from: that of rank 0, else of the master among them;
 * -1 if there is neither. */
static int32_t reference_leaf(const struct deal *d, struct adopted *adopted, size_t n)
{
    for (size_t i = 0; i < d->n_claimed; i++) {
        if (d->claimed[i]->rank == 0 && d->claimed[i]->leaf >= 0) {
            return d->claimed[i]->leaf;
        }
    }
    struct adopted *master = NULL;
    for (size_t i = 0; i < n; i++) {
        if (adopted[i].seat->leaf < 0) {
            continue;
        }
        bool named = strstr(adopted[i].seat->name, "master");
        if (!master || named) {
            master = &adopted[i];
        }
        if (named) {
            break;
        }
    }
    if (!master) {
        return -1;
    }
    master->distance = -1;
    return master->seat->leaf;
}

static int rank_adopted(struct deal *d, struct skr_arena *arena, struct skr_error *error)
{
    size_t n = 0;
    size_t above = mark_held(d);
    struct adopted *adopted = skr_arena_array(arena, d->n_claimed, sizeof adopted[0]);
    if (!adopted) {
        return skr_error_set(error, SKR_NO_MEMORY, "seats: out of memory");
    }
    for (size_t i = 0; i < d->n_claimed; i++) {
        if (d->claimed[i]->rank < 0) {
            adopted[n++].seat = d->claimed[i];
        }
    }
    int32_t from = reference_leaf(d, adopted, n);
    for (size_t i = 0; i < n; i++) {
        if (adopted[i].seat->leaf < 0) {
            adopted[i].distance = INT32_MAX;
        } else if (adopted[i].distance == 0) {
            adopted[i].distance = skr_tree_distance(d->tree, from, adopted[i].seat->leaf);
        }
    }
    if (n > 1) {
        qsort(adopted, n, sizeof adopted[0], by_adoption);
    }
    size_t rank = above;
    for (size_t i = 0; i < n; i++) {
        while (rank < d->n_ranks && d->held[rank]) {
            rank++;
        }
        if (rank == d->n_ranks) {
            rank = 0; /* no free rank above the held ones: the lowest free ones */
        }
        while (d->held[rank]) {
            rank++;
        }
        d->held[rank] = true;
        adopted[i].seat->rank = (int32_t)rank;
    }
    return 0;
}

/* Newcomers, in the order of their ranks, take the new places. */
static void fill_gaps(struct deal *d)
{
    int32_t next = 0;
    rank_newcomers(d);
    for (size_t i = 0; i < d->n_newcomers; i++) {
        const int32_t leaf = skr_known_ranks_leaf(&d->known, d->newcomer[i]);
        if (leaf >= 0 && d->claims[leaf] < d->count[leaf]) {
            d->claims[leaf]++;
            sit(d->tree, d->newcomer[i], leaf);
        }
    }
    for (size_t i = 0; i < d->n_newcomers; i++) {
        if (d->newcomer[i]->leaf >= 0) {
            continue;
        }
        while (d->claims[next] >= d->count[next]) {
            next++;
        }
        d->claims[next]++;
        sit(d->tree, d->newcomer[i], next);
    }
}

int skr_assign(const struct skr_tree *tree, const int32_t *count, struct skr_seat *seat,
               size_t n_seats, struct skr_error *error)
{
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(SIZE_MAX, 0);
    struct deal d = {.tree = tree, .count = count, .seat = seat, .n_seats = n_seats};
    int rc;
    if (arena) {
        d.claims = skr_arena_array(arena, (size_t)tree->n_leaves, sizeof d.claims[0]);
        d.newcomer = skr_arena_array(arena, n_seats, sizeof d.newcomer[0]);
        d.claimed = skr_arena_array(arena, n_seats, sizeof d.claimed[0]);
        d.held = skr_arena_array(arena, n_seats, sizeof d.held[0]);
    }
    if (!d.claims || !d.newcomer || !d.claimed || !d.held) {
        rc = skr_error_set(error, SKR_NO_MEMORY, "seats: out of memory");
    } else {
        rc = read_input(&d, error);
        rc = rc == 0 ? rank_adopted(&d, arena, error) : rc;
        if (rc == 0 && !skr_known_ranks_init(&d.known, arena, seat, n_seats)) {
            rc = skr_error_set(error, SKR_NO_MEMORY, "seats: out of memory");
        } else if (rc == 0 && d.n_claimed == 0) {
            rc = deal_fresh(&d, arena, error);
        } else if (rc == 0) {
            fill_gaps(&d);
        }
    }
    return rc;
}
