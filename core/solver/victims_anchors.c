/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Anchors and the gains of candidates in them.
 *
 * The bound of a leaf: with the scarcest resource r, slots never exceed floor(free_r / demand_r)
 * plus, for each victim, ceil(amount_r / demand_r). They also never exceed what the leaf holds
 * without all candidates, nor what the rule of the lowest level allows. Cost: shares of all
 * candidates, plus leaves.
 */
#include <string.h>

#include "core/solver/each_role.h"
#include "core/solver/solve_run.h"
#include "core/solver/victims_search.h"
#include "topology/base/arena.h"
#include "topology/room.h"

struct leaf_room {
    int32_t anchor;
    int32_t tight; /* resource; -1: no member is limited by any */
    int64_t base;  /* members that it can hold now */
    int64_t gain;  /* more members that it can hold at most */
};

static int32_t anchor_level(const struct skr_problem *p)
{
    int32_t level = 0;
    while (level + 1 < p->tree->n_levels && p->rule[level].hard &&
           p->rule[level].type == SKR_RULE_PACK) {
        level++;
    }
    return level;
}

static int64_t at_most(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int32_t tightest(const struct skr_problem *p, const int64_t *free_)
{
    int32_t tight = -1;
    int64_t least = 0;
    for (size_t r = 0; r < p->n_resources; r++) {
        if (p->demand[r] > 0) {
            int64_t fits = skr_room_holds(free_[r], p->demand[r]);
            if (tight < 0 || fits < least) {
                tight = (int32_t)r;
                least = fits;
            }
        }
    }
    return tight;
}

static struct leaf_room *leaf_rooms(const struct skr_victims_search *s, int32_t level)
{
    const struct skr_problem *p = &s->room->bound;
    const struct skr_tree *tree = p->tree;
    struct leaf_room *room = skr_alloc_array((size_t)tree->n_leaves + 1, sizeof *room);
    int64_t most = skr_law_of(&p->rule[tree->n_levels - 1], p->n).hi;
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        struct leaf_room *l = &room[leaf];
        int64_t claimed = skr_leaf_claimed(p, leaf);
        l->anchor = skr_tree_unit_at(tree, leaf, level) - tree->level_first[level];
        l->tight = tightest(p, p->free + (size_t)leaf * p->n_resources);
        int64_t now = skr_leaf_eligible(p, leaf) ? skr_leaf_room(p, p->free, leaf) : 0;
        l->base = at_most(claimed + at_most(now, p->n), most);
        l->gain = at_most(claimed + skr_victims_room_slots(s->room, leaf), most) - l->base;
    }
    return room;
}

/* Whether the share frees a resource that a member needs, on a leaf that may take members. */
static bool is_useful(const struct skr_problem *p, const struct skr_victim_share *share)
{
    bool useful = false;
    for (size_t r = 0; r < skr_problem_n_roles(p); r++) {
        const struct skr_role role = skr_problem_role(p, r);
        for (size_t d = 0; d < p->n_resources && skr_role_takes(&role, share->leaf); d++) {
            useful = useful || (role.demand[d] > 0 && share->amount[d] > 0);
        }
    }
    return useful;
}

static int64_t gain_of(const struct skr_problem *p, const struct leaf_room *room,
                       const struct skr_victim_share *share)
{
    const struct leaf_room *l = &room[share->leaf];
    if (l->tight < 0 || l->gain <= 0) {
        return 0;
    }
    int64_t amount = share->amount[l->tight];
    int64_t demand = p->demand[l->tight];
    return at_most(amount / demand + (amount % demand != 0), l->gain);
}

struct found {
    int32_t anchor;
    struct skr_victims_entry entry;
};

struct finds {
    struct found *item;
    size_t n, cap;
    size_t *place; /* [anchor] of the candidate at hand, + 1 */
    int64_t *need; /* [anchor] */
};

static void find_candidate(const struct skr_victims_search *s, const struct leaf_room *room,
                           size_t name, struct finds *f)
{
    const struct skr_victim *v = &s->in->victim[s->candidate[name]];
    size_t first = f->n;
    for (size_t i = 0; i < v->n_shares; i++) {
        const struct skr_victim_share *share = &v->share[i];
        if (!is_useful(s->in->problem, share)) {
            continue;
        }
        int32_t anchor = room[share->leaf].anchor;
        if (f->place[anchor] <= first) {
            skr_grow(&f->item, &f->cap, f->n + 1, sizeof *f->item);
            f->item[f->n] =
                (struct found){.anchor = anchor,
                               .entry = {.victim = s->candidate[name],
                                         .name = name,
                                         .cost = {.groups = v->kind != SKR_VICTIM_SURPLUS ? 1 : 0,
                                                  .members = v->members}}};
            f->place[anchor] = ++f->n;
        }
        f->item[f->place[anchor] - 1].entry.gain += gain_of(&s->room->bound, room, share);
    }
}

static bool any_has_mates(const struct skr_victims_search *s)
{
    bool any = false;
    for (size_t i = 0; i < s->n && !any; i++) {
        any = skr_victims_has_mates(&s->in->victim[s->candidate[i]]);
    }
    return any;
}

/* Members that go by steps or rules go with others that need not free room there: these are in every anchor
 * that has one of them. */
static void add_mates(struct skr_victims_search *s, struct finds *f, int32_t n_anchors)
{
    const size_t n_finds = f->n;
    SKR_AUTO_FREE uint8_t *has =
        skr_alloc_array(s->in->n_givers * (size_t)n_anchors + 1, sizeof *has);
    SKR_AUTO_FREE uint8_t *in = skr_alloc_array((size_t)n_anchors + 1, sizeof *in);
    for (size_t i = 0; i < n_finds; i++) {
        const struct skr_victim *v = &s->in->victim[f->item[i].entry.victim];
        if (skr_victims_has_mates(v)) {
            has[(size_t)v->giver * (size_t)n_anchors + (size_t)f->item[i].anchor] = 1;
        }
    }
    for (size_t name = 0, at = 0; name < s->n; name++) {
        const struct skr_victim *v = &s->in->victim[s->candidate[name]];
        memset(in, 0, (size_t)n_anchors);
        for (; at < n_finds && f->item[at].entry.name == name; at++) {
            in[f->item[at].anchor] = 1;
        }
        for (int32_t a = 0; skr_victims_has_mates(v) && a < n_anchors; a++) {
            if (in[a] || !has[(size_t)v->giver * (size_t)n_anchors + (size_t)a]) {
                continue;
            }
            skr_grow(&f->item, &f->cap, f->n + 1, sizeof *f->item);
            f->item[f->n++] = (struct found){
                .anchor = a,
                .entry = {.victim = s->candidate[name], .name = name, .cost.members = v->members}};
        }
    }
}

/* Surplus first, because it costs no group; then the greatest gain. */
static int by_gain(const void *a, const void *b)
{
    const struct skr_victims_entry *x = a;
    const struct skr_victims_entry *y = b;
    if (x->cost.groups != y->cost.groups) {
        return x->cost.groups - y->cost.groups;
    }
    if (x->gain != y->gain) {
        return x->gain > y->gain ? -1 : 1;
    }
    if (x->cost.members != y->cost.members) {
        return x->cost.members < y->cost.members ? -1 : 1;
    }
    return (x->name > y->name) - (x->name < y->name);
}

/* Finds become entries, anchor by anchor. */
static void deal(struct skr_victims_search *s, const struct finds *f, int32_t n_anchors)
{
    SKR_AUTO_FREE size_t *first = skr_alloc_array((size_t)n_anchors + 2, sizeof *first);
    for (size_t i = 0; i < f->n; i++) {
        first[f->item[i].anchor + 1]++;
    }
    for (int32_t a = 0; a < n_anchors; a++) {
        first[a + 1] += first[a];
    }
    s->entries = skr_alloc_array(f->n + 1, sizeof *s->entries);
    s->anchor = skr_alloc_array((size_t)n_anchors + 1, sizeof *s->anchor);
    for (int32_t a = 0; a < n_anchors; a++) {
        s->anchor[a] =
            (struct skr_victims_anchor){.need = f->need[a], .entry = s->entries + first[a]};
    }
    for (size_t i = 0; i < f->n; i++) {
        struct skr_victims_anchor *anchor = &s->anchor[f->item[i].anchor];
        anchor->entry[anchor->n++] = f->item[i].entry;
    }
    for (int32_t a = 0; a < n_anchors; a++) {
        if (s->anchor[a].n > 0) { /* no eviction helps the others */
            s->anchor[s->n_anchors++] = s->anchor[a];
        }
    }
    for (size_t a = 0; a < s->n_anchors; a++) {
        qsort(s->anchor[a].entry, s->anchor[a].n, sizeof *s->entries, by_gain);
    }
}

void skr_victims_anchors_make(struct skr_victims_search *s)
{
    const struct skr_problem *p = &s->room->bound;
    int32_t level = anchor_level(p);
    int32_t n_anchors = p->tree->level_first[level + 1] - p->tree->level_first[level];
    SKR_AUTO_FREE struct leaf_room *room = leaf_rooms(s, level);
    struct finds f = {.place = skr_alloc_array((size_t)n_anchors + 1, sizeof *f.place),
                      .need = skr_alloc_array((size_t)n_anchors + 1, sizeof *f.need)};
    for (int32_t a = 0; a < n_anchors; a++) {
        f.need[a] = p->n;
    }
    for (int32_t leaf = 0; leaf < p->tree->n_leaves; leaf++) {
        f.need[room[leaf].anchor] -= room[leaf].base;
    }
    for (size_t i = 0; i < s->n; i++) {
        find_candidate(s, room, i, &f);
    }
    if (any_has_mates(s)) {
        add_mates(s, &f, n_anchors);
    }
    deal(s, &f, n_anchors);
    free(f.item);
    free(f.place);
    free(f.need);
}

void skr_victims_anchors_free(struct skr_victims_search *s)
{
    free(s->anchor);
    free(s->entries);
}
