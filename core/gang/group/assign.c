/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assigns seats: from counts per leaf to names, nodes and ranks.
 *
 * - Fresh gang: members go along the used leaves in the order (distance from the master's leaf,
 *   tree order), which is also the order of ranks.
 * - With claimed members only the gaps are filled. Adopted members are ranked first. Then the i-th
 *   new place in tree order gets the i-th free rank, and goes to the newcomer with that index or to
 *   the next in order.
 *
 * All sort keys differ between pods (names are unique in a namespace), so the result does not
 * depend on the order of the input.
 */
#include "core/gang/group/assign.h"

#include <stdlib.h>
#include <string.h>

#include "core/pod/index.h"
#include "topology/base/arena.h"

/* Scratch memory and the parts of the input by kind. */
struct deal {
    const struct skr_tree *tree;
    const int32_t *count;
    struct skr_seat *seat;
    size_t n_seats;
    int32_t *claims; /* [leaf] */
    size_t n_claimed;
    struct skr_seat **newcomer; /* in member order */
    size_t n_newcomers;
    struct skr_seat **claimed; /* in member order once their ranks are known */
    bool *held;                /* [n_seats]: rank is taken */
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

static void sit(const struct skr_tree *tree, struct skr_seat *seat, int32_t leaf, int32_t rank)
{
    seat->leaf = leaf;
    seat->node = tree->unit_name[tree->first_leaf + leaf];
    seat->rank = rank;
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
        if (!seat->claimed) {
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

/* ---- a fresh gang ---- */

static int deal_fresh(struct deal *d, struct skr_arena *arena, struct skr_error *error)
{
    size_t n_used = 0;
    int32_t rank = 0;
    if (d->n_newcomers == 0) {
        return 0;
    }
    struct used_leaf *used = skr_arena_array(arena, d->n_newcomers, sizeof used[0]);
    if (!used) {
        return skr_error_set(error, SKR_NO_MEMORY, "seats: out of memory");
    }
    for (int32_t leaf = 0; leaf < d->tree->n_leaves; leaf++) {
        if (d->count[leaf] > 0) {
            used[n_used++].leaf = leaf;
        }
    }
    for (size_t i = n_used; i-- > 0;) {
        used[i].distance = skr_tree_distance(d->tree, used[0].leaf, used[i].leaf);
    }
    qsort(used, n_used, sizeof used[0], by_distance);
    /* The master moves to the front; the others keep their order. */
    size_t at = find_master(d->newcomer, d->n_newcomers);
    struct skr_seat *master = d->newcomer[at];
    memmove(&d->newcomer[1], &d->newcomer[0], at * sizeof d->newcomer[0]);
    d->newcomer[0] = master;
    for (size_t i = 0; i < n_used; i++) {
        for (int32_t k = 0; k < d->count[used[i].leaf]; k++, rank++) {
            sit(d->tree, d->newcomer[rank], used[i].leaf, rank);
        }
    }
    return 0;
}

/* ---- beside claimed members ---- */

/* Marks the held ranks. If two members hold one rank, the later one loses it. Returns the highest
 * held rank below n_seats plus one. */
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
        if (seat->rank < 0 || (size_t)seat->rank >= d->n_seats) {
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
        while (rank < d->n_seats && d->held[rank]) {
            rank++;
        }
        if (rank == d->n_seats) {
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

/* A new place and the rank that goes with it. */
struct place {
    int32_t leaf, rank;
    bool taken;
};

static struct place *place_of_rank(struct place *place, size_t n, int32_t rank)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (place[middle].rank < rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < n && place[low].rank == rank ? &place[low] : NULL;
}

static int fill_gaps(struct deal *d, struct skr_arena *arena, struct skr_error *error)
{
    struct place *place = skr_arena_array(arena, d->n_newcomers + 1, sizeof place[0]);
    size_t n = 0, rank = 0;
    if (!place) {
        return skr_error_set(error, SKR_NO_MEMORY, "seats: out of memory");
    }
    for (int32_t leaf = 0; leaf < d->tree->n_leaves; leaf++) {
        for (int32_t k = d->claims[leaf]; k < d->count[leaf]; k++) {
            while (d->held[rank]) {
                rank++;
            }
            place[n++] = (struct place){.leaf = leaf, .rank = (int32_t)rank};
            rank++;
        }
    }
    for (size_t i = 0; i < d->n_newcomers; i++) {
        struct place *own = place_of_rank(place, n, d->newcomer[i]->index);
        if (own) {
            own->taken = true;
            sit(d->tree, d->newcomer[i], own->leaf, own->rank);
        }
    }
    size_t next = 0;
    for (size_t i = 0; i < d->n_newcomers; i++) {
        if (d->newcomer[i]->leaf >= 0) {
            continue;
        }
        while (place[next].taken) {
            next++;
        }
        sit(d->tree, d->newcomer[i], place[next].leaf, place[next].rank);
        next++;
    }
    return 0;
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
        if (rc == 0 && d.n_claimed == 0) {
            rc = deal_fresh(&d, arena, error);
        } else if (rc == 0) {
            rc = rank_adopted(&d, arena, error);
            if (rc == 0) {
                rc = fill_gaps(&d, arena, error);
            }
        }
    }
    return rc;
}
