/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hall's condition as rules over domains, and the deal itself: bipartite matching by augmenting paths, from
 * a greedy start that is exact for masks of which none overlaps another partly.
 */
#include "core/volume/masks.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/strbuf.h"

/* ---- rules ---- */

struct set {
    const int32_t *leaf;
    int32_t n;
    int32_t level; /* the deepest of whose units it is one; 0: of none */
};

struct rules {
    const struct skr_tree *tree;
    const struct skr_volume_mask *mask;
    size_t n_masks;
    const uint8_t *open;
    int32_t n_open;
    uint32_t roles;
    struct skr_arena *arena;
    struct set *set;        /* masks first, then unions */
    size_t n_sets, n_loose; /* n_loose: those of no level */
    struct skr_domain_rule *rule;
    size_t *n_rules;
    bool exact, no_room;
};

/* Whether a lies in b. */
static bool lies_in(const int32_t *a, int32_t n_a, const int32_t *b, int32_t n_b)
{
    int32_t at = 0;
    for (int32_t i = 0; i < n_a; i++) {
        while (at < n_b && b[at] < a[i]) {
            at++;
        }
        if (at == n_b || b[at] != a[i]) {
            return false;
        }
    }
    return true;
}

static bool meets(const struct set *a, const struct set *b)
{
    int32_t i = 0, k = 0;
    while (i < a->n && k < b->n && a->leaf[i] != b->leaf[k]) {
        if (a->leaf[i] < b->leaf[k]) {
            i++;
        } else {
            k++;
        }
    }
    return i < a->n && k < b->n;
}

/* [unit] leaves below it that are open. */
static int32_t *count_open(struct rules *w)
{
    const struct skr_tree *tree = w->tree;
    int32_t *open = skr_arena_array(w->arena, (size_t)tree->n_units + 1, sizeof *open);
    for (int32_t u = tree->n_units - 1; open && u > 0; u--) {
        open[u] += u >= tree->first_leaf && w->open[u - tree->first_leaf] ? 1 : 0;
        open[tree->parent[u]] += open[u];
    }
    return open;
}

static int32_t level_of(const struct rules *w, const int32_t *open, const struct set *s)
{
    const struct skr_tree *tree = w->tree;
    for (int32_t l = tree->n_levels; l > 0; l--) {
        const int32_t u = skr_tree_unit_at(tree, s->leaf[0], l);
        if (skr_tree_unit_at(tree, s->leaf[s->n - 1], l) == u && open[u] == s->n) {
            return l;
        }
    }
    return 0;
}

static void add_set(struct rules *w, const int32_t *open, const int32_t *leaf, int32_t n)
{
    struct set *s = &w->set[w->n_sets];
    *s = (struct set){.leaf = leaf, .n = n};
    s->level = level_of(w, open, s);
    w->n_loose += s->level == 0 ? 1 : 0;
    w->n_sets++;
}

static bool has_set(const struct rules *w, const int32_t *leaf, int32_t n)
{
    for (size_t i = 0; i < w->n_sets; i++) {
        if (w->set[i].n == n && memcmp(w->set[i].leaf, leaf, (size_t)n * sizeof *leaf) == 0) {
            return true;
        }
    }
    return false;
}

static void unite(struct rules *w, const int32_t *open, const struct set *a, const struct set *b)
{
    int32_t *leaf = skr_arena_array(w->arena, (size_t)(a->n + b->n), sizeof *leaf);
    int32_t n = 0, i = 0, k = 0;
    if (!leaf) {
        w->no_room = true;
        return;
    }
    while (i < a->n || k < b->n) {
        const int32_t left = i < a->n ? a->leaf[i] : INT32_MAX;
        const int32_t right = k < b->n ? b->leaf[k] : INT32_MAX;
        leaf[n++] = left < right ? left : right;
        i += left <= right ? 1 : 0;
        k += right <= left ? 1 : 0;
    }
    if (n < w->n_open && !has_set(w, leaf, n)) {
        add_set(w, open, leaf, n);
    }
}

/* Unions of sets of which neither contains the other, until there are no more. Two units never overlap so. */
static void close_sets(struct rules *w, const int32_t *open)
{
    const size_t most = w->n_masks + SKR_VOLUME_SETS_MAX;
    for (size_t i = 0; i < w->n_sets && w->n_loose > 0; i++) {
        for (size_t k = 0; k < i && !w->no_room; k++) {
            const struct set *a = &w->set[i], *b = &w->set[k];
            if ((a->level > 0 && b->level > 0) || !meets(a, b) ||
                lies_in(a->leaf, a->n, b->leaf, b->n) || lies_in(b->leaf, b->n, a->leaf, a->n)) {
                continue;
            }
            if (w->n_sets == most) {
                w->exact = false;
                return;
            }
            unite(w, open, a, b);
        }
    }
}

static int32_t members_in(const struct rules *w, const int32_t *leaf, int32_t n)
{
    int64_t members = 0;
    for (size_t i = 0; i < w->n_masks; i++) {
        const struct skr_volume_mask *mask = &w->mask[i];
        members += lies_in(mask->leaf, mask->n, leaf, n) ? mask->members : 0;
    }
    return members < INT32_MAX ? (int32_t)members : INT32_MAX;
}

/* A rule with n domains, none of which must take any member yet; NULL: there are too many rules. */
static struct skr_domain_rule *make(struct rules *w, int32_t n, int32_t **ret_domain,
                                    int32_t **ret_least)
{
    const size_t leaves = (size_t)w->tree->n_leaves;
    if (*w->n_rules == SKR_DOMAIN_RULES_MAX) {
        w->exact = false;
        return NULL;
    }
    *ret_domain = skr_arena_array(w->arena, leaves + 1, sizeof **ret_domain);
    *ret_least = skr_arena_array(w->arena, (size_t)n + 1, sizeof **ret_least);
    if (!*ret_domain || !*ret_least) {
        w->no_room = true;
        return NULL;
    }
    struct skr_domain_rule *rule = &w->rule[(*w->n_rules)++];
    *rule = (struct skr_domain_rule){.kind = SKR_DOMAIN_LEAST,
                                     .n_domains = n,
                                     .domain = *ret_domain,
                                     .least = *ret_least,
                                     .roles = w->roles};
    return rule;
}

enum { NAMED = 3 };

static void name(struct rules *w, struct skr_domain_rule *rule, const struct skr_strbuf *b)
{
    rule->name = skr_arena_strdup(w->arena, b->s ? b->s : "");
    w->no_room = w->no_room || !rule->name;
}

/* Masks that are units of the level: its units are the domains. */
static void add_level(struct rules *w, int32_t level)
{
    const struct skr_tree *tree = w->tree;
    const int32_t first = tree->level_first[level];
    const int32_t n = tree->level_first[level + 1] - first;
    int32_t *domain, *least;
    bool any = false;
    for (size_t i = 0; i < w->n_sets; i++) {
        any = any || w->set[i].level == level;
    }
    struct skr_domain_rule *rule = any ? make(w, n, &domain, &least) : NULL;
    if (!rule) {
        return;
    }
    for (int32_t i = 0; i < tree->n_leaves; i++) {
        domain[i] = skr_tree_unit_at(tree, i, level) - first;
    }
    for (size_t i = 0; i < w->n_masks; i++) {
        const struct skr_volume_mask *mask = &w->mask[i];
        const int32_t from = domain[mask->leaf[0]], to = domain[mask->leaf[mask->n - 1]];
        least[from] += from == to ? mask->members : 0;
    }
    SKR_STRBUF(b);
    int32_t named = 0;
    for (int32_t d = 0; d < n; d++) {
        if (least[d] > 0 && named++ < NAMED) {
            skr_strbuf_addf(&b, "%s%d in %s", named > 1 ? ", " : "", (int)least[d],
                            tree->unit_name[first + d]);
        }
    }
    if (named > NAMED) {
        skr_strbuf_addf(&b, ", some in %d others", (int)(named - NAMED));
    }
    name(w, rule, &b);
}

/* Any other set: it is one domain, and what is outside is the other. */
static void add_loose(struct rules *w, const struct set *s)
{
    int32_t *domain, *least;
    struct skr_domain_rule *rule = make(w, 2, &domain, &least);
    if (!rule) {
        return;
    }
    for (int32_t i = 0; i < w->tree->n_leaves; i++) {
        domain[i] = 1;
    }
    for (int32_t i = 0; i < s->n; i++) {
        domain[s->leaf[i]] = 0;
    }
    least[0] = members_in(w, s->leaf, s->n);
    SKR_STRBUF(b);
    skr_strbuf_addf(&b, "%d on %d nodes, %s first", (int)least[0], (int)s->n,
                    w->tree->unit_name[w->tree->first_leaf + s->leaf[0]]);
    name(w, rule, &b);
}

bool skr_volume_masks_rules(const struct skr_tree *tree, const struct skr_volume_mask *mask,
                            size_t n, const uint8_t *open, uint32_t roles, struct skr_arena *arena,
                            struct skr_domain_rule *rule, size_t *n_rules, bool *ret_exact)
{
    struct rules w = {.tree = tree,
                      .mask = mask,
                      .n_masks = n,
                      .open = open,
                      .roles = roles,
                      .arena = arena,
                      .rule = rule,
                      .n_rules = n_rules,
                      .exact = true};
    const int32_t *below = count_open(&w);
    w.set = skr_arena_array(arena, n + SKR_VOLUME_SETS_MAX + 1, sizeof *w.set);
    if (!below || !w.set) {
        return false;
    }
    w.n_open = below[0];
    for (size_t i = 0; i < n; i++) {
        if (mask[i].n < w.n_open) {
            add_set(&w, below, mask[i].leaf, mask[i].n);
        }
    }
    close_sets(&w, below);
    for (int32_t level = 1; level <= tree->n_levels && !w.no_room; level++) {
        add_level(&w, level);
    }
    for (size_t i = 0; i < w.n_sets && !w.no_room; i++) {
        if (w.set[i].level == 0) {
            add_loose(&w, &w.set[i]);
        }
    }
    *ret_exact = w.exact;
    return !w.no_room;
}

/* ---- the deal ---- */

struct deal {
    const struct skr_volume_mask *mask;
    const int32_t *of;
    size_t n;
    int32_t *place;
    int32_t *leaf;  /* [member], the result */
    int32_t *via;   /* [leaf] the member that would move away from it; -1: not seen */
    int32_t *queue; /* leaves that were seen */
    int32_t n_leaves;
};

static int32_t free_leaf(const struct deal *d, const struct skr_volume_mask *mask)
{
    for (int32_t i = 0; i < mask->n; i++) {
        if (d->place[mask->leaf[i]] > 0) {
            return mask->leaf[i];
        }
    }
    return -1;
}

/* Puts the leaves of the member's mask into the queue that are not there. Returns one with a place; -1. */
static int32_t see(struct deal *d, size_t member, int32_t *n)
{
    const struct skr_volume_mask *mask = &d->mask[d->of[member]];
    for (int32_t i = 0; i < mask->n; i++) {
        const int32_t leaf = mask->leaf[i];
        if (d->via[leaf] < 0) {
            d->via[leaf] = (int32_t)member;
            d->queue[(*n)++] = leaf;
            if (d->place[leaf] > 0) {
                return leaf;
            }
        }
    }
    return -1;
}

/* Moves members along a shortest path, so that the member gets a leaf. */
static void augment(struct deal *d, size_t member)
{
    int32_t n = 0;
    for (int32_t i = 0; i < d->n_leaves; i++) {
        d->via[i] = -1;
    }
    int32_t end = see(d, member, &n);
    for (int32_t at = 0; at < n && end < 0; at++) {
        for (size_t i = 0; i < d->n && end < 0; i++) {
            end = d->leaf[i] == d->queue[at] ? see(d, i, &n) : -1;
        }
    }
    if (end < 0) {
        return;
    }
    d->place[end]--;
    while (end >= 0) {
        const int32_t who = d->via[end], was = d->leaf[who];
        d->leaf[who] = end;
        end = was;
    }
}

struct turn {
    int32_t size, at;
};

static int by_size(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    return x->size != y->size ? (x->size > y->size) - (x->size < y->size)
                              : (x->at > y->at) - (x->at < y->at);
}

void skr_volume_masks_deal(const struct skr_volume_mask *mask, const int32_t *of, size_t n,
                           int32_t n_leaves, int32_t *place, int32_t *ret)
{
    struct deal d = {.mask = mask,
                     .of = of,
                     .n = n,
                     .place = place,
                     .leaf = ret,
                     .via = skr_alloc_array((size_t)n_leaves + 1, sizeof *d.via),
                     .queue = skr_alloc_array((size_t)n_leaves + 1, sizeof *d.queue),
                     .n_leaves = n_leaves};
    struct turn *turn = skr_alloc_array(n + 1, sizeof *turn);
    for (size_t i = 0; i < n; i++) {
        turn[i] = (struct turn){mask[of[i]].n, (int32_t)i};
        ret[i] = -1;
    }
    qsort(turn, n, sizeof *turn, by_size);
    for (size_t i = 0; i < n; i++) {
        const int32_t leaf = free_leaf(&d, &mask[of[turn[i].at]]);
        if (leaf >= 0) {
            place[leaf]--;
            ret[turn[i].at] = leaf;
        } else {
            augment(&d, (size_t)turn[i].at);
        }
    }
    free(turn);
    free(d.via);
    free(d.queue);
}
