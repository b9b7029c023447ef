/* SPDX-License-Identifier: Apache-2.0 */
/* Gives places to newcomers, as assign.h says. */
#include "core/gang/group/deal.h"

#include <stdlib.h>
#include <string.h>

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
    int32_t kind = d->layout.role[role].kind;
    for (int32_t leaf = 0; leaf < d->tree->n_leaves; leaf++) {
        for (size_t r = 0; r < d->layout.n_roles; r++) {
            bool counts_here = r == role || (kind >= 0 && d->layout.role[r].kind == kind);
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
        for (size_t r = 0; r < d->layout.n_roles && !used; r++) {
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

/* Members of the role below each unit of the level: ret[n_units]. */
static void count_units(const struct skr_tree *tree, const int32_t *count, int32_t level,
                        int32_t *ret)
{
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        if (count[leaf] > 0) {
            ret[skr_tree_unit_at(tree, leaf, level)] += count[leaf];
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
    while (r < d->layout.n_roles && d->layout.role[r].kind != kind) {
        r++;
    }
    if (r == d->layout.n_roles) {
        return false;
    }
    int32_t each = d->layout.role[r].each, level = d->layout.kind[kind].level;
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
    int32_t level = d->layout.kind[kind].level, sets = d->layout.kind[kind].sets;
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
        if (d->layout.role[c->role].kind == kind && c->leaf >= 0 && c->set >= 0 && c->set < sets &&
            unit[c->set] < 0) {
            unit[c->set] = skr_tree_unit_at(d->tree, c->leaf, level);
            left[unit[c->set]]--;
        }
    }
    for (int32_t u = d->tree->level_first[level]; u < d->tree->level_first[level + 1]; u++) {
        if (left[u] > 0) {
            int32_t leaf = u;
            while (leaf < d->tree->first_leaf) {
                leaf = d->tree->child_first[leaf];
            }
            bool here = d->anchor >= 0 && skr_tree_unit_at(d->tree, d->anchor, level) == u;
            near[n++] = (struct near){u, here ? -1 : distance_from(d, leaf - d->tree->first_leaf)};
        }
    }
    if (n > 1) {
        qsort(near, n, sizeof *near, by_distance);
    }
    bool *comes = skr_arena_array(d->arena, (size_t)sets + 1, sizeof *comes);
    for (size_t i = 0; comes && i < d->n_newcomers; i++) {
        const struct skr_seat *c = d->newcomer[i];
        if (d->layout.role[c->role].kind == kind && c->set >= 0 && c->set < sets) {
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

static bool is_in(const struct deal *d, const struct skr_seat *s, int32_t leaf, int32_t unit)
{
    const int32_t kind = d->layout.role[s->role].kind;
    return kind < 0 || skr_tree_unit_at(d->tree, leaf, d->layout.kind[kind].level) == unit;
}

/* The unit of its set; -1: any. */
static int32_t unit_of(const struct deal *d, const struct skr_seat *s, int32_t *const *unit)
{
    const int32_t kind = d->layout.role[s->role].kind;
    return kind >= 0 && s->set >= 0 && s->set < d->layout.kind[kind].sets ? unit[kind][s->set] : -1;
}

/* Beside members that run, a newcomer whose index had a place on a leaf takes one there. */
static void take_known_places(struct deal *d, int32_t *const *unit)
{
    for (size_t i = 0; i < d->n_newcomers && !d->fresh; i++) {
        struct skr_seat *s = d->newcomer[i];
        const int32_t leaf = s->pinned ? -1 : skr_known_ranks_leaf(&d->known, s);
        if (leaf >= 0 && d->places[s->role][leaf] > 0 && is_in(d, s, leaf, unit_of(d, s, unit))) {
            d->places[s->role][leaf]--;
            sit(d, s, leaf);
        }
    }
}

/* The others take places in the order of their ranks. unit[kind][set]. */
static int take_places(struct deal *d, int32_t *const *unit, struct skr_error *error)
{
    size_t next[SKR_ROLES_MAX] = {0}; /* of the role, in its set: earlier leaves are full */
    int32_t set[SKR_ROLES_MAX] = {0};
    for (size_t i = 0; i < d->n_newcomers; i++) {
        struct skr_seat *s = d->newcomer[i];
        int32_t kind = d->layout.role[s->role].kind, found = -1;
        if (s->leaf >= 0) {
            continue;
        }
        const int32_t in = unit_of(d, s, unit);
        if (kind >= 0) {
            next[s->role] = set[s->role] == s->set ? next[s->role] : 0;
            set[s->role] = s->set;
        }
        for (size_t *at = &next[s->role]; *at < d->n_leaves && found < 0; *at += found < 0) {
            int32_t leaf = d->leaf[*at].at;
            found = is_in(d, s, leaf, in) && d->places[s->role][leaf] > 0 ? leaf : -1;
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
    for (size_t r = 0; r < d->layout.n_roles; r++) {
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
    for (size_t r = 0; r < d->layout.n_roles; r++) {
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
        if ((s->claimed || s->pinned) && s->leaf >= 0) {
            d->places[s->role][s->leaf]--;
        }
        if (s->pinned) {
            sit(d, s, s->leaf);
        }
    }
    for (size_t r = 0; r < d->layout.n_roles; r++) {
        for (int32_t leaf = 0; leaf < d->tree->n_leaves; leaf++) {
            if (d->places[r][leaf] < 0) {
                const int32_t count = counts->of_role[r] ? counts->of_role[r][leaf] : 0;
                return skr_error_set(error, SKR_BUG, "node %.100s: count %d is less than %d claims",
                                     d->tree->unit_name[d->tree->first_leaf + leaf], (int)count,
                                     (int)(count - d->places[r][leaf]));
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

int skr_role_places_take(struct deal *d, const struct skr_role_counts *counts,
                         struct skr_error *error)
{
    const struct skr_rank_layout *layout = &d->layout;
    struct skr_role_counts of = *counts;
    int32_t *unit[SKR_SET_KINDS_MAX] = {0};
    bool split = false;
    for (size_t r = 0; r < layout->n_roles; r++) {
        split = split || of.of_role[r];
    }
    if (!split && layout->n_roles == 1) {
        of.of_role[0] = of.total;
        split = true;
    }
    int rc = split ? 0 : split_total(d, &of, error);
    rc = rc == 0 ? count_places(d, &of, error) : rc;
    if (rc < 0) {
        return rc;
    }
    d->anchor = find_anchor(d, &of);
    bool room = order_leaves(d);
    for (size_t k = 0; k < layout->n_kinds && room; k++) {
        unit[k] = skr_arena_array(d->arena, (size_t)layout->kind[k].sets + 1, sizeof **unit);
        room = unit[k] && place_sets(d, &of, (int32_t)k, unit[k]);
    }
    if (room) {
        take_known_places(d, unit);
    }
    return room ? take_places(d, unit, error)
                : skr_error_set(error, SKR_NO_MEMORY, "seats: out of memory");
}
