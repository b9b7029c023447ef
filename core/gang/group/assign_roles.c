/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assigns seats of several roles: see assign_roles.h.
 *
 *   1. the positions of the rank order, each with its role and set
 *   2. claimed members without a rank get free ranks of their role and set
 *   3. newcomers get ranks
 *   4. units for the sets that none of the running members is in
 *   5. newcomers, in the order of their ranks, take the places of their role: in the unit of their
 *      set, in the order of leaves
 *
 * O(n log n + leaves * roles). All sort keys differ between pods, so the order of the input decides
 * nothing.
 */
#include "core/gang/group/assign_roles.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

struct position {
    uint8_t role;
    int32_t set; /* -1: none */
};

/* A used leaf, or a unit with a new set. */
struct near {
    int32_t at, distance;
};

struct deal {
    const struct skr_tree *tree;
    const struct skr_rank_layout *layout;
    struct skr_arena *arena;
    struct skr_seat *seat;
    size_t n_seats;
    bool fresh; /* no member is claimed */

    struct skr_seat **newcomer; /* in rank order */
    size_t n_newcomers;
    struct skr_seat **claimed;
    size_t n_claimed;

    struct position *position; /* [n_positions] */
    size_t n_positions;
    size_t start[SKR_ROLES_MAX];      /* where the role begins, in set 0 */
    size_t stride[SKR_SET_KINDS_MAX]; /* members of one set */
    size_t master;                    /* the position that moved to the front; SIZE_MAX: none */
    size_t n_ranks;                   /* bound of all ranks that are given */
    bool *held;                       /* [n_ranks] */
    size_t *first; /* [n_positions] the next free rank is looked for from here, by first position */

    int32_t *places[SKR_ROLES_MAX]; /* [leaf] new members of the role */
    struct near *leaf;              /* used leaves, in the order in which they are filled */
    size_t n_leaves;
    int32_t anchor;
};

/* ---- rank order ---- */

size_t skr_rank_layout_size(const struct skr_rank_layout *layout)
{
    size_t n = 0;
    for (size_t r = 0; r < layout->n_roles; r++) {
        int32_t kind = layout->role[r].kind;
        int32_t size =
            kind < 0 ? layout->role[r].size : layout->role[r].each * layout->kind[kind].sets;
        n += size > 0 ? (size_t)size : 0;
    }
    return n;
}

static size_t add_role(uint8_t *role, int32_t *set, size_t n, uint8_t r, int32_t s, int32_t count)
{
    for (int32_t i = 0; i < count; i++, n++) {
        role[n] = r;
        set[n] = s;
    }
    return n;
}

size_t skr_rank_layout_positions(const struct skr_rank_layout *layout, uint8_t *ret_role,
                                 int32_t *ret_set)
{
    size_t n = 0;
    uint32_t done = 0; /* kinds */
    for (uint8_t r = 0; r < layout->n_roles; r++) {
        int32_t kind = layout->role[r].kind;
        if (kind < 0) {
            n = add_role(ret_role, ret_set, n, r, -1, layout->role[r].size);
            continue;
        }
        for (int32_t s = 0; !(done >> kind & 1) && s < layout->kind[kind].sets; s++) {
            for (uint8_t q = r; q < layout->n_roles; q++) {
                if (layout->role[q].kind == kind) {
                    n = add_role(ret_role, ret_set, n, q, s, layout->role[q].each);
                }
            }
        }
        done |= 1U << kind;
    }
    return n;
}

static int32_t set_of(const struct deal *d, const struct skr_seat *seat)
{
    return d->layout->role[seat->role].kind < 0 ? -1 : seat->set;
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
    const struct skr_rank_layout *l = d->layout;
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
    const struct position *own = &d->position[0];
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
        if (!strstr(s->name, "master")) {
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

static bool make_positions(struct deal *d)
{
    size_t n = skr_rank_layout_size(d->layout);
    uint8_t *role = skr_arena_array(d->arena, n + 1, sizeof *role);
    int32_t *set = skr_arena_array(d->arena, n + 1, sizeof *set);
    d->position = skr_arena_array(d->arena, n + 1, sizeof *d->position);
    d->first = skr_arena_array(d->arena, n + 1, sizeof *d->first);
    d->n_ranks = n + d->n_seats;
    d->held = skr_arena_array(d->arena, d->n_ranks + 1, sizeof *d->held);
    if (!role || !set || !d->position || !d->first || !d->held) {
        return false;
    }
    d->n_positions = skr_rank_layout_positions(d->layout, role, set);
    for (size_t i = 0; i < n; i++) {
        d->position[i] = (struct position){role[i], set[i]};
    }
    for (size_t i = n; i-- > 0;) {
        if (set[i] <= 0) {
            d->start[role[i]] = i;
        }
    }
    for (size_t r = 0; r < d->layout->n_roles; r++) {
        if (d->layout->role[r].kind >= 0) {
            d->stride[d->layout->role[r].kind] += (size_t)d->layout->role[r].each;
        }
    }
    d->master = SIZE_MAX;
    const struct skr_seat *master = find_master(d);
    size_t at = master ? begin_of(d, master->role, set_of(d, master)) : 0;
    if (master && at < n && is_of(d, at, master)) { /* to the front; those before it move by one */
        struct position own = d->position[at];
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
}

static bool is_free(const struct deal *d, int64_t rank)
{
    return rank >= 0 && (size_t)rank < d->n_ranks && !d->held[rank];
}

static void give(struct deal *d, struct skr_seat *seat, size_t rank)
{
    seat->rank = (int32_t)rank;
    d->held[rank] = true;
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

/* Whether rank - index is the same for all claimed members of the role and set; *ret: that. */
static bool offset_of(const struct deal *d, const struct skr_seat *seat, int64_t *ret)
{
    bool any = false;
    for (size_t i = 0; i < d->n_claimed; i++) {
        const struct skr_seat *c = d->claimed[i];
        if (c->role != seat->role || set_of(d, c) != set_of(d, seat)) {
            continue;
        }
        int64_t offset = (int64_t)c->rank - c->index;
        if (c->rank < 0 || c->index < 0 || (any && offset != *ret)) {
            return false;
        }
        any = true;
        *ret = offset;
    }
    return any;
}

/* Newcomers whose index shows which rank is theirs. */
static void rank_by_index(struct deal *d)
{
    int64_t offset = 0;
    bool known = false;
    for (size_t i = 0; i < d->n_newcomers && !d->fresh; i++) {
        struct skr_seat *s = d->newcomer[i];
        const struct skr_seat *before = i > 0 ? d->newcomer[i - 1] : NULL;
        if (!before || before->role != s->role || set_of(d, before) != set_of(d, s)) {
            known = offset_of(d, s, &offset);
        }
        if (known && s->index >= 0 && is_free(d, offset + s->index) &&
            is_of(d, (size_t)(offset + s->index), s)) {
            give(d, s, (size_t)(offset + s->index));
        }
    }
}

static void rank_the_rest(struct deal *d, struct skr_seat *const *seat, size_t n)
{
    size_t lowest = 0;
    for (size_t i = 0; i < n; i++) {
        size_t rank = seat[i]->rank < 0 ? next_own(d, seat[i]) : d->n_positions;
        if (rank < d->n_positions) {
            give(d, seat[i], rank);
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (seat[i]->rank < 0 && seat[i]->index >= 0 && (size_t)seat[i]->index < d->n_seats &&
            is_free(d, seat[i]->index)) {
            give(d, seat[i], (size_t)seat[i]->index);
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (seat[i]->rank >= 0) {
            continue;
        }
        while (d->held[lowest]) {
            lowest++;
        }
        give(d, seat[i], lowest);
    }
}

/* Adopted members: in member order, those outside the tree last. */
static int by_leaf(const void *a, const void *b)
{
    const struct skr_seat *left = *(struct skr_seat *const *)a;
    const struct skr_seat *right = *(struct skr_seat *const *)b;
    if (left->role != right->role || left->set != right->set) {
        return by_place(a, b);
    }
    if ((left->leaf < 0) != (right->leaf < 0)) {
        return left->leaf < 0 ? 1 : -1;
    }
    if (left->leaf < 0 && strcmp(left->node, right->node) != 0) {
        return strcmp(left->node, right->node);
    }
    return skr_seat_compare(left, right);
}

static bool rank_adopted(struct deal *d)
{
    struct skr_seat **adopted = skr_arena_array(d->arena, d->n_claimed + 1, sizeof *adopted);
    size_t n = 0;
    for (size_t i = 0; adopted && i < d->n_claimed; i++) {
        if (d->claimed[i]->rank < 0) {
            adopted[n++] = d->claimed[i];
        }
    }
    if (adopted && n > 0) {
        qsort(adopted, n, sizeof(struct skr_seat *), by_leaf);
        rank_the_rest(d, adopted, n);
    }
    return adopted;
}

/* ---- places ---- */

static int by_distance(const void *a, const void *b)
{
    const struct near *left = a, *right = b;
    if (left->distance != right->distance) {
        return left->distance < right->distance ? -1 : 1;
    }
    return left->at < right->at ? -1 : left->at > right->at;
}

/* The first leaf with a member of the role that is first in rank order, or of its kind. */
static int32_t find_anchor(const struct deal *d, const struct skr_role_counts *counts)
{
    if (d->n_positions == 0) {
        return -1;
    }
    uint8_t role = d->position[0].role;
    int32_t kind = d->layout->role[role].kind;
    for (int32_t leaf = 0; leaf < d->tree->n_leaves; leaf++) {
        for (size_t r = 0; r < d->layout->n_roles; r++) {
            bool counts_here = r == role || (kind >= 0 && d->layout->role[r].kind == kind);
            if (counts_here && counts->of_role[r] && counts->of_role[r][leaf] > 0) {
                return leaf;
            }
        }
    }
    return -1;
}

static int32_t distance_from(const struct deal *d, int32_t leaf)
{
    return d->anchor < 0 || leaf == d->anchor ? 0 : skr_tree_distance(d->tree, d->anchor, leaf);
}

static bool order_leaves(struct deal *d)
{
    d->leaf = skr_arena_array(d->arena, d->n_newcomers + 1, sizeof *d->leaf);
    if (!d->leaf) {
        return false;
    }
    for (int32_t leaf = 0; leaf < d->tree->n_leaves; leaf++) {
        bool used = false;
        for (size_t r = 0; r < d->layout->n_roles && !used; r++) {
            used = d->places[r][leaf] > 0;
        }
        if (used) {
            d->leaf[d->n_leaves++] = (struct near){leaf, d->fresh ? distance_from(d, leaf) : 0};
        }
    }
    if (d->n_leaves > 1) {
        qsort(d->leaf, d->n_leaves, sizeof *d->leaf, by_distance);
    }
    return true;
}

static void sit(const struct deal *d, struct skr_seat *seat, int32_t leaf)
{
    seat->leaf = leaf;
    seat->node = d->tree->unit_name[d->tree->first_leaf + leaf];
}

static int32_t unit_at(const struct skr_tree *tree, int32_t leaf, int32_t level)
{
    int32_t unit = tree->first_leaf + leaf;
    for (int32_t l = tree->n_levels; l > level; l--) {
        unit = tree->parent[unit];
    }
    return unit;
}

/* Members of the role below each unit of the level: ret[n_units]. */
static void count_units(const struct skr_tree *tree, const int32_t *count, int32_t level,
                        int32_t *ret)
{
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        if (count[leaf] > 0) {
            ret[unit_at(tree, leaf, level)] += count[leaf];
        }
    }
}

/* Sets of the kind in each unit. */
static bool count_sets(const struct deal *d, const struct skr_role_counts *counts, int32_t kind,
                       int32_t *ret)
{
    size_t r = 0;
    if (counts->sets[kind]) {
        memcpy(ret, counts->sets[kind], (size_t)d->tree->n_units * sizeof *ret);
        return true;
    }
    while (r < d->layout->n_roles && d->layout->role[r].kind != kind) {
        r++;
    }
    if (r == d->layout->n_roles) {
        return false;
    }
    int32_t each = d->layout->role[r].each, level = d->layout->kind[kind].level;
    count_units(d->tree, counts->of_role[r], level, ret);
    for (int32_t u = 0; u < d->tree->n_units; u++) {
        ret[u] = (ret[u] + each - 1) / each;
    }
    return true;
}

/* unit[set] for all sets of the kind: -1, or where it goes. Running sets stay where they are. */
static bool place_sets(struct deal *d, const struct skr_role_counts *counts, int32_t kind,
                       int32_t *unit)
{
    int32_t level = d->layout->kind[kind].level, sets = d->layout->kind[kind].sets;
    int32_t *left = skr_arena_array(d->arena, (size_t)d->tree->n_units + 1, sizeof *left);
    struct near *near = skr_arena_array(d->arena, (size_t)d->tree->n_units + 1, sizeof *near);
    size_t n = 0, at = 0;
    if (!left || !near || !count_sets(d, counts, kind, left)) {
        return false;
    }
    for (int32_t s = 0; s < sets; s++) {
        unit[s] = -1;
    }
    for (size_t i = 0; i < d->n_claimed; i++) {
        const struct skr_seat *c = d->claimed[i];
        if (d->layout->role[c->role].kind == kind && c->leaf >= 0 && c->set >= 0 && c->set < sets &&
            unit[c->set] < 0) {
            unit[c->set] = unit_at(d->tree, c->leaf, level);
            left[unit[c->set]]--;
        }
    }
    for (int32_t u = d->tree->level_first[level]; u < d->tree->level_first[level + 1]; u++) {
        if (left[u] > 0) {
            int32_t leaf = u;
            while (leaf < d->tree->first_leaf) {
                leaf = d->tree->child_first[leaf];
            }
            bool here = d->anchor >= 0 && unit_at(d->tree, d->anchor, level) == u;
            near[n++] = (struct near){u, here ? -1 : distance_from(d, leaf - d->tree->first_leaf)};
        }
    }
    if (n > 1) {
        qsort(near, n, sizeof *near, by_distance);
    }
    bool *comes = skr_arena_array(d->arena, (size_t)sets + 1, sizeof *comes);
    for (size_t i = 0; comes && i < d->n_newcomers; i++) {
        const struct skr_seat *c = d->newcomer[i];
        if (d->layout->role[c->role].kind == kind && c->set >= 0 && c->set < sets) {
            comes[c->set] = true;
        }
    }
    for (int32_t s = 0; comes && s < sets; s++) {
        while (unit[s] < 0 && at < n && left[near[at].at] <= 0) {
            at++;
        }
        if (unit[s] < 0 && at < n && comes[s]) {
            unit[s] = near[at].at;
            left[near[at].at]--;
        }
    }
    return comes;
}

/* Newcomers take places in the order of their ranks. unit[kind][set]. */
static int take_places(struct deal *d, int32_t *const *unit, struct skr_error *error)
{
    size_t next[SKR_ROLES_MAX] = {0}; /* of the role, in its set: earlier leaves are full */
    int32_t set[SKR_ROLES_MAX] = {0};
    for (size_t i = 0; i < d->n_newcomers; i++) {
        struct skr_seat *s = d->newcomer[i];
        int32_t kind = d->layout->role[s->role].kind, found = -1;
        if (s->pinned) {
            continue;
        }
        int32_t in = -1; /* any unit */
        if (kind >= 0) {
            bool known = s->set >= 0 && s->set < d->layout->kind[kind].sets;
            in = known ? unit[kind][s->set] : -1;
            next[s->role] = set[s->role] == s->set ? next[s->role] : 0;
            set[s->role] = s->set;
        }
        for (size_t *at = &next[s->role]; *at < d->n_leaves && found < 0; *at += found < 0) {
            int32_t leaf = d->leaf[*at].at;
            bool here = kind < 0 || unit_at(d->tree, leaf, d->layout->kind[kind].level) == in;
            found = here && d->places[s->role][leaf] > 0 ? leaf : -1;
        }
        if (found < 0) {
            return skr_error_set(error, SKR_BUG, "seat %.100s: role %d has no place left", s->name,
                                 s->role);
        }
        d->places[s->role][found]--;
        sit(d, s, found);
    }
    return 0;
}

/* ---- input ---- */

/* Splits the total among the roles of the newcomers: in rank order they take the new places, those
 * nearest to the first used leaf first. */
static int split_total(struct deal *d, struct skr_role_counts *counts, struct skr_error *error)
{
    int32_t *left = skr_arena_array(d->arena, (size_t)d->tree->n_leaves + 1, sizeof *left);
    struct near *leaf = skr_arena_array(d->arena, d->n_newcomers + 1, sizeof *leaf);
    int32_t *role[SKR_ROLES_MAX];
    size_t n = 0, at = 0;
    int64_t places = 0;
    for (size_t r = 0; r < d->layout->n_roles; r++) {
        role[r] = skr_arena_array(d->arena, (size_t)d->tree->n_leaves + 1, sizeof **role);
        if (!role[r]) {
            return skr_error_set(error, SKR_NO_MEMORY, "seats: out of memory");
        }
        counts->of_role[r] = role[r];
    }
    if (!left || !leaf) {
        return skr_error_set(error, SKR_NO_MEMORY, "seats: out of memory");
    }
    memcpy(left, counts->total, (size_t)d->tree->n_leaves * sizeof *left);
    for (size_t i = 0; i < d->n_seats; i++) {
        const struct skr_seat *s = &d->seat[i];
        if ((s->claimed || s->pinned) && s->leaf >= 0) {
            left[s->leaf]--;
            role[s->role][s->leaf]++;
        }
    }
    for (int32_t i = 0; i < d->tree->n_leaves; i++) {
        places += left[i];
        if (left[i] > 0 && n <= d->n_newcomers) {
            leaf[n++] = (struct near){i, 0};
        }
    }
    for (size_t i = n; d->fresh && i-- > 0;) {
        leaf[i].distance = i == 0 ? 0 : skr_tree_distance(d->tree, leaf[0].at, leaf[i].at);
    }
    if (n > 1) {
        qsort(leaf, n, sizeof *leaf, by_distance);
    }
    for (size_t i = 0; i < d->n_newcomers; i++) {
        const struct skr_seat *s = d->newcomer[i];
        if (s->pinned) {
            continue;
        }
        while (at < n && left[leaf[at].at] <= 0) {
            at++;
        }
        if (at == n) {
            return skr_error_set(error, SKR_BUG, "%lld new places for %zu newcomers",
                                 (long long)places, d->n_newcomers);
        }
        left[leaf[at].at]--;
        role[s->role][leaf[at].at]++;
    }
    return 0;
}

static int count_places(struct deal *d, const struct skr_role_counts *counts,
                        struct skr_error *error)
{
    size_t places = 0;
    for (size_t r = 0; r < d->layout->n_roles; r++) {
        d->places[r] = skr_arena_array(d->arena, (size_t)d->tree->n_leaves + 1, sizeof(int32_t));
        if (!d->places[r]) {
            return skr_error_set(error, SKR_NO_MEMORY, "seats: out of memory");
        }
        if (counts->of_role[r]) {
            memcpy(d->places[r], counts->of_role[r], (size_t)d->tree->n_leaves * sizeof(int32_t));
        }
    }
    for (size_t i = 0; i < d->n_seats; i++) {
        struct skr_seat *s = &d->seat[i];
        bool given = s->claimed || s->pinned;
        if (given && s->leaf >= d->tree->n_leaves) {
            return skr_error_set(error, SKR_BUG, "seat %.100s: leaf %d of %d", s->name,
                                 (int)s->leaf, (int)d->tree->n_leaves);
        }
        if (given && s->leaf >= 0) {
            d->places[s->role][s->leaf]--;
        }
        if (s->pinned) {
            sit(d, s, s->leaf);
        }
    }
    for (size_t r = 0; r < d->layout->n_roles; r++) {
        for (int32_t leaf = 0; leaf < d->tree->n_leaves; leaf++) {
            if (d->places[r][leaf] < 0) {
                return skr_error_set(error, SKR_BUG,
                                     "node %.100s: role %zu has fewer members than claims",
                                     d->tree->unit_name[d->tree->first_leaf + leaf], r);
            }
            places += (size_t)d->places[r][leaf];
        }
    }
    size_t wanted = 0;
    for (size_t i = 0; i < d->n_newcomers; i++) {
        wanted += !d->newcomer[i]->pinned;
    }
    return places == wanted
               ? 0
               : skr_error_set(error, SKR_BUG, "%zu new places for %zu newcomers", places, wanted);
}

static int split_seats(struct deal *d, struct skr_error *error)
{
    d->newcomer = skr_arena_array(d->arena, d->n_seats + 1, sizeof *d->newcomer);
    d->claimed = skr_arena_array(d->arena, d->n_seats + 1, sizeof *d->claimed);
    if (!d->newcomer || !d->claimed || !make_positions(d)) {
        return skr_error_set(error, SKR_NO_MEMORY, "seats: out of memory");
    }
    for (size_t i = 0; i < d->n_seats; i++) {
        struct skr_seat *s = &d->seat[i];
        if (s->role >= d->layout->n_roles) {
            return skr_error_set(error, SKR_BUG, "seat %.100s: role %d of %zu", s->name, s->role,
                                 d->layout->n_roles);
        }
        if (s->claimed) {
            d->claimed[d->n_claimed++] = s;
        } else {
            s->rank = -1;
            d->newcomer[d->n_newcomers++] = s;
        }
    }
    d->fresh = d->n_claimed == 0;
    if (d->n_newcomers > 1) {
        qsort(d->newcomer, d->n_newcomers, sizeof(struct skr_seat *), by_place);
    }
    return 0;
}

/* The master is the first of its role and set. */
static void move_master(struct deal *d)
{
    const struct skr_seat *master = d->fresh ? find_master(d) : NULL;
    size_t at = 0, first = 0;
    while (at < d->n_newcomers && d->newcomer[at] != master) {
        at++;
    }
    if (at == d->n_newcomers) {
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

int skr_assign_roles(const struct skr_tree *tree, const struct skr_rank_layout *layout,
                     const struct skr_role_counts *counts, struct skr_seat *seat, size_t n_seats,
                     struct skr_error *error)
{
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(SIZE_MAX, 0);
    struct deal d = {
        .tree = tree, .layout = layout, .arena = arena, .seat = seat, .n_seats = n_seats};
    struct skr_role_counts of = *counts;
    int32_t *unit[SKR_SET_KINDS_MAX] = {0};
    int rc = arena ? split_seats(&d, error)
                   : skr_error_set(error, SKR_NO_MEMORY, "seats: out of memory");
    if (rc < 0) {
        return rc;
    }
    mark_held(&d);
    if (!rank_adopted(&d)) {
        return skr_error_set(error, SKR_NO_MEMORY, "seats: out of memory");
    }
    move_master(&d);
    rank_by_index(&d);
    rank_the_rest(&d, d.newcomer, d.n_newcomers);
    if (d.n_newcomers > 1) {
        qsort(d.newcomer, d.n_newcomers, sizeof(struct skr_seat *), by_rank);
    }
    bool split = false;
    for (size_t r = 0; r < layout->n_roles; r++) {
        split = split || of.of_role[r];
    }
    rc = split ? 0 : split_total(&d, &of, error);
    rc = rc == 0 ? count_places(&d, &of, error) : rc;
    if (rc < 0) {
        return rc;
    }
    d.anchor = find_anchor(&d, &of);
    bool room = order_leaves(&d);
    for (size_t k = 0; k < layout->n_kinds && room; k++) {
        unit[k] = skr_arena_array(arena, (size_t)layout->kind[k].sets + 1, sizeof **unit);
        room = unit[k] && place_sets(&d, &of, (int32_t)k, unit[k]);
    }
    return room ? take_places(&d, unit, error)
                : skr_error_set(error, SKR_NO_MEMORY, "seats: out of memory");
}
