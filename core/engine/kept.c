/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is kept between solves, so that an event costs what it changed and not the cluster.
 *
 *   kind   members of the same shapes: how many of them every leaf holds now (slots). The ledger
 *          tells which nodes changed; their leaves are counted again before the next planning.
 *   kept   a kind under rules: which sizes fit now (core/solver_sizes.h), for all groups with these
 *          members and rules, whatever their size.
 *
 * What is decided here is only whether a group fits; the placement comes from the solver, in the
 * shell's own time, on a copy of the slots.
 *
 * Why a group may be left alone. It fits when sizes has its n. Rules speak about counts alone, so
 * more slots never take a size away and fewer never add one: a group without a place stays without
 * one until slots of some leaf of its kind have grown, and the set at the root is exact then. Where
 * the full problem is stricter than the slots (ordinary pods that go first, nodes no probe has
 * listed) it has fewer slots, so what does not fit here does not fit there; what fits here is
 * solved in full.
 *
 * Not answered for: groups that hold something already, plans past the point of no return, rules
 * beyond SKR_SIZES_MERGE_WORDS_MAX, kinds beyond the byte limit. They are solved at every change.
 *
 * Life: a kind is dropped with the tree it counts on, with one of its shapes, or when nobody uses
 * it and its room is wanted. Groups hold references; one that is dead is made anew.
 */
#include "core/engine/state.h"

#include <string.h>
#include <utlist.h>

#include "core/solver_sizes.h"

enum {
    KINDS_UNUSED_MAX = 32, /* kept for groups that may come */
    SIZES_FIRST = 64,
    CHECKED_ALWAYS = 1024, /* slots */
};
#define KEPT_BYTES_MAX ((size_t)64 * 1024 * 1024) /* of kinds and sizes; what waits goes first */

/* Members that n members of a kind can count on: sum over leaves of min(slots, n). */
struct watched {
    int32_t n;
    size_t refs; /* groups */
    int64_t sum;
    struct watched *prev, *next;
};

struct kept {
    struct skr_rule rule[SKR_LEVELS_MAX];
    struct skr_sizes *sizes; /* NULL: beyond a limit, or settings.plain_planning */
    struct kept *prev, *next;
};

struct kind {
    struct shapes shapes;
    struct skr_amounts demand; /* the most of any shape */
    int32_t *slots;            /* [leaf] */
    uint64_t changes;          /* grows when slots of some leaf change */
    size_t refs;               /* groups */
    bool dead;                 /* not in the list any more */
    uint64_t used;             /* when a group came last */
    struct kept *kept;
    struct watched *watched;
    struct kind *prev, *next;
};

struct keeping {
    const struct skr_tree *tree; /* a reference: what leaves count on */
    struct skr_sizes_pool *pool;
    struct kind *kinds;
    size_t n_kinds;
    size_t bytes; /* of kinds, without what is in pool */
    uint64_t clock;
    uint64_t checks;
    int32_t *dirty; /* leaves to be counted again, each once */
    size_t n_dirty, cap_dirty;
    uint8_t *is_dirty; /* [leaf] */
    int32_t *changed;  /* [leaf] working space */
};

/* ---- lives ---- */

static size_t kind_bytes(const struct keeping *k)
{
    return sizeof(struct kind) + (size_t)k->tree->n_leaves * sizeof(int32_t);
}

static void kind_free(struct kind *kind)
{
    struct watched *w, *next;
    DL_FOREACH_SAFE(kind->watched, w, next) free(w);
    skr_amounts_fini(&kind->demand);
    free(kind);
}

/* Takes a kind out of use; the rest goes with its last reference. */
static void kind_drop(struct keeping *k, struct kind *kind)
{
    struct kept *kept, *next;
    DL_DELETE(k->kinds, kind);
    k->n_kinds--;
    k->bytes -= kind_bytes(k);
    DL_FOREACH_SAFE(kind->kept, kept, next)
    {
        skr_sizes_destroy(kept->sizes);
        free(kept);
    }
    kind->kept = NULL;
    free(kind->slots);
    kind->slots = NULL;
    kind->dead = true;
    if (kind->refs == 0)
        kind_free(kind);
}

void kept_leave(struct group *g)
{
    struct outlook *o = &g->outlook;
    struct kind *kind = o->kind;
    if (kind) {
        if (--o->watched->refs == 0) {
            DL_DELETE(kind->watched, o->watched);
            free(o->watched);
        }
        if (--kind->refs == 0 && kind->dead)
            kind_free(kind);
    }
    memset(o, 0, sizeof *o);
}

static void forget_all(struct keeping *k)
{
    while (k->kinds)
        kind_drop(k, k->kinds);
    skr_tree_unref(k->tree);
    free(k->is_dirty);
    free(k->changed);
    k->tree = NULL;
    k->is_dirty = NULL;
    k->changed = NULL;
    k->n_dirty = 0;
}

static struct keeping *keeping_of(struct skr_engine *e)
{
    if (!e->keeping) {
        e->keeping = skr_alloc(sizeof *e->keeping);
        e->keeping->pool = skr_sizes_pool_create();
    }
    return e->keeping;
}

void kept_fini(struct skr_engine *e)
{
    struct keeping *k = e->keeping;
    if (!k)
        return;
    forget_all(k);
    skr_sizes_pool_destroy(k->pool);
    free(k->dirty);
    free(k);
    e->keeping = NULL;
}

void kept_shape_gone(struct skr_engine *e, const struct shape *s)
{
    struct kind *kind, *next;
    if (!e->keeping)
        return;
    DL_FOREACH_SAFE(e->keeping->kinds, kind, next)
    {
        bool has = false;
        for (size_t i = 0; i < kind->shapes.n; i++)
            has = has || kind->shapes.item[i] == s;
        if (has)
            kind_drop(e->keeping, kind);
    }
}

/* ---- what changed ---- */

void kept_touch_node(struct skr_engine *e, const char *node)
{
    struct keeping *k = e->keeping;
    int32_t leaf = k && k->kinds ? skr_tree_find_leaf(k->tree, node) : -1;
    if (leaf < 0 || k->is_dirty[leaf])
        return;
    k->is_dirty[leaf] = 1;
    skr_grow(&k->dirty, &k->cap_dirty, k->n_dirty + 1, sizeof *k->dirty);
    k->dirty[k->n_dirty++] = leaf;
}

static void see(void *context, const char *node)
{
    kept_touch_node(context, node);
}

void kept_see_changes(struct skr_engine *e)
{
    skr_ledger_see_changed(e->ledger, see, e);
}

static int32_t count_slots(struct skr_engine *e, const struct kind *kind,
                           const struct node_entry *node)
{
    if (!node || !node->node)
        return 0;
    for (size_t i = 0; i < kind->shapes.n; i++) {
        struct shape *s = kind->shapes.item[i];
        if (skr_pod_shape_check_node(s->spec, node->node) != SKR_ELIGIBLE ||
            shape_is_vetoed(e, s, node->name))
            return 0;
    }
    return skr_ledger_slots(e->ledger, node->name, &kind->demand);
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Counts these leaves again. */
static void kind_update(struct skr_engine *e, struct kind *kind, const int32_t *leaf, size_t n)
{
    struct node_entry *const *node = topology_leaf_nodes(e);
    int32_t *changed = e->keeping->changed;
    size_t n_changed = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t was = kind->slots[leaf[i]], is = count_slots(e, kind, node[leaf[i]]);
        if (was == is)
            continue;
        struct watched *w;
        DL_FOREACH(kind->watched, w) w->sum += least(is, w->n) - least(was, w->n);
        kind->slots[leaf[i]] = is;
        changed[n_changed++] = leaf[i];
    }
    if (n_changed == 0)
        return;
    kind->changes++;
    struct kept *kept;
    DL_FOREACH(kind->kept, kept)
    {
        if (kept->sizes)
            skr_sizes_change(kept->sizes, kind->slots, changed, n_changed);
    }
}

static int by_leaf(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Vetoes that have ended: who asks about them from now on gets another answer. */
static void end_old_vetoes(struct skr_engine *e)
{
    struct kind *kind;
    DL_FOREACH(e->keeping->kinds, kind)
    {
        for (size_t i = 0; i < kind->shapes.n; i++) {
            struct veto *v, *tmp;
            HASH_ITER(hh, kind->shapes.item[i]->vetoes, v, tmp)
            {
                if (v->until <= e->now)
                    kept_touch_node(e, v->node);
            }
        }
    }
}

static void begin_tree(struct skr_engine *e, struct keeping *k)
{
    forget_all(k);
    if (!e->tree || e->tree->n_leaves == 0)
        return;
    size_t n = (size_t)e->tree->n_leaves;
    k->tree = skr_tree_ref(e->tree);
    k->is_dirty = skr_alloc_array(n, sizeof *k->is_dirty);
    k->changed = skr_alloc_array(n, sizeof *k->changed);
}

static void touch_all(struct keeping *k)
{
    skr_grow(&k->dirty, &k->cap_dirty, (size_t)k->tree->n_leaves, sizeof *k->dirty);
    for (k->n_dirty = 0; k->n_dirty < (size_t)k->tree->n_leaves; k->n_dirty++) {
        k->dirty[k->n_dirty] = (int32_t)k->n_dirty;
        k->is_dirty[k->n_dirty] = 1;
    }
}

void kept_refresh(struct skr_engine *e)
{
    struct keeping *k = keeping_of(e);
    struct kind *kind;
    kept_see_changes(e);
    if (k->tree != e->tree)
        begin_tree(e, k);
    end_old_vetoes(e);
    if (e->settings.plain_planning && k->kinds)
        touch_all(k);
    if (k->n_dirty == 0)
        return;
    qsort(k->dirty, k->n_dirty, sizeof *k->dirty, by_leaf);
    DL_FOREACH(k->kinds, kind) kind_update(e, kind, k->dirty, k->n_dirty);
    for (size_t i = 0; i < k->n_dirty; i++)
        k->is_dirty[k->dirty[i]] = 0;
    k->n_dirty = 0;
}

/* ---- kinds and sizes, found or made ---- */

static bool same_shapes(const struct shapes *a, const struct shapes *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        size_t j = 0;
        while (j < b->n && b->item[j] != a->item[i])
            j++;
        if (j == b->n)
            return false;
    }
    return true;
}

static size_t bytes_kept(const struct keeping *k)
{
    return k->bytes + skr_sizes_pool_bytes(k->pool);
}

/* Drops unused kinds, the one used longest ago first, until there is room. */
static bool make_room(struct keeping *k, size_t bytes)
{
    for (;;) {
        struct kind *kind, *oldest = NULL;
        size_t unused = 0;
        DL_FOREACH(k->kinds, kind)
        {
            if (kind->refs > 0)
                continue;
            unused++;
            if (!oldest || kind->used < oldest->used)
                oldest = kind;
        }
        bool full = bytes_kept(k) + bytes > KEPT_BYTES_MAX;
        if (!full && unused <= KINDS_UNUSED_MAX)
            return true;
        if (!oldest)
            return !full;
        kind_drop(k, oldest);
    }
}

static struct kind *kind_get(struct skr_engine *e, const struct shapes *shapes)
{
    struct keeping *k = e->keeping;
    struct kind *kind;
    DL_FOREACH(k->kinds, kind)
    {
        if (same_shapes(&kind->shapes, shapes))
            return kind;
    }
    if (!make_room(k, kind_bytes(k)))
        return NULL;
    size_t n = (size_t)k->tree->n_leaves;
    struct node_entry *const *node = topology_leaf_nodes(e);
    kind = skr_alloc(sizeof *kind);
    kind->shapes = *shapes;
    shapes_demand(shapes, &kind->demand);
    kind->slots = skr_alloc_array(n, sizeof *kind->slots);
    for (size_t i = 0; i < n; i++)
        kind->slots[i] = count_slots(e, kind, node[i]);
    DL_APPEND(k->kinds, kind);
    k->n_kinds++;
    k->bytes += kind_bytes(k);
    return kind;
}

static bool same_rules(const struct skr_rule *a, const struct skr_rule *b, int32_t levels)
{
    for (int32_t i = 0; i < levels; i++) {
        if (a[i].type != b[i].type || a[i].hard != b[i].hard ||
            a[i].partitions != b[i].partitions || a[i].min != b[i].min || a[i].max != b[i].max ||
            a[i].factor != b[i].factor)
            return false;
    }
    return true;
}

/* Sizes up to n at least; groups of one kind grow in steps of two. */
static void sizes_make(struct skr_engine *e, struct kind *kind, struct kept *kept, int32_t n)
{
    struct keeping *k = e->keeping;
    int32_t most = SIZES_FIRST;
    while (most < n)
        most *= 2;
    if (!skr_sizes_can_keep(k->tree, kept->rule, most))
        most = n;
    skr_sizes_destroy(kept->sizes);
    kept->sizes = skr_sizes_create(k->pool, k->tree, kept->rule, most, kind->slots);
    if (!make_room(k, 0)) {
        skr_sizes_destroy(kept->sizes);
        kept->sizes = NULL;
    }
}

static struct kept *kept_get(struct skr_engine *e, struct kind *kind, const struct group *g,
                             int32_t n)
{
    struct skr_rule rule[SKR_LEVELS_MAX] = {{0}};
    struct kept *kept;
    skr_group_rules(g->spec, e->tree, rule, NULL);
    DL_FOREACH(kind->kept, kept)
    {
        if (same_rules(kept->rule, rule, e->tree->n_levels))
            break;
    }
    if (!kept) {
        kept = skr_alloc(sizeof *kept);
        memcpy(kept->rule, rule, sizeof rule);
        DL_APPEND(kind->kept, kept);
    }
    if (!e->settings.plain_planning && skr_sizes_can_keep(e->tree, rule, n) &&
        (!kept->sizes || skr_sizes_most(kept->sizes) < n))
        sizes_make(e, kind, kept, n);
    return kept;
}

static struct watched *watched_get(const struct keeping *k, struct kind *kind, int32_t n)
{
    struct watched *w;
    DL_FOREACH(kind->watched, w)
    {
        if (w->n == n)
            break;
    }
    if (!w) {
        w = skr_alloc(sizeof *w);
        w->n = n;
        for (int32_t leaf = 0; leaf < k->tree->n_leaves; leaf++)
            w->sum += least(kind->slots[leaf], n);
        DL_APPEND(kind->watched, w);
    }
    w->refs++;
    return w;
}

/* ---- groups ---- */

static bool holds_something(const struct skr_engine *e, const struct group *g,
                            struct pod_entry *const *newcomers, size_t n)
{
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        const char *node = problem_claim_node(g, p, newcomers, n);
        if (node && skr_tree_find_leaf(e->tree, node) >= 0)
            return true;
    }
    return false;
}

static void join(struct skr_engine *e, struct group *g, const struct shapes *shapes, int32_t n)
{
    struct outlook *o = &g->outlook;
    struct kind *kind = kind_get(e, shapes);
    if (!kind)
        return;
    kind->refs++;
    kind->used = ++e->keeping->clock;
    o->kind = kind;
    o->n = n;
    o->watched = watched_get(e->keeping, kind, n);
    o->kept = kept_get(e, kind, g, n);
}

/* What of the group's input the answer depends on; kept while that stays the same. */
static void make_outlook(struct skr_engine *e, struct group *g)
{
    struct outlook *o = &g->outlook;
    if (o->made && o->input == g->input_epoch && !(o->kind && o->kind->dead))
        return;
    kept_leave(g);
    o->made = true;
    o->input = g->input_epoch;
    size_t n;
    struct pod_entry **newcomers = membership_plannable(e, g, &n);
    if (n > 0 && n <= SKR_SOLVER_MEMBERS_MAX && !holds_something(e, g, newcomers, n)) {
        struct shapes shapes = shapes_of(newcomers, n);
        join(e, g, &shapes, (int32_t)n);
    }
    free(newcomers);
}

static bool fits_by_solving(const struct skr_engine *e, const struct outlook *o)
{
    struct skr_error error;
    struct skr_solution *solution = NULL;
    static const int64_t one = 1;
    int64_t *room = skr_alloc_array((size_t)e->tree->n_leaves, sizeof *room);
    kept_copy_slots(o, e->tree, room);
    struct skr_problem problem = {.tree = e->tree,
                                  .n = o->n,
                                  .rule = o->kept->rule,
                                  .n_resources = 1,
                                  .demand = &one,
                                  .free = room,
                                  .step_budget = -1};
    bool fits = skr_solve(&problem, &solution, &error) == 0 && solution->status == SKR_SOLVE_PLACED;
    skr_solution_destroy(solution);
    free(room);
    return fits;
}

enum outlook_answer kept_judge(struct skr_engine *e, struct group *g)
{
    struct outlook *o = &g->outlook;
    if (g->plan || !g->spec || !e->keeping->tree)
        return OUTLOOK_UNKNOWN;
    make_outlook(e, g);
    if (!o->kind)
        return OUTLOOK_UNKNOWN;
    if (o->watched->sum < o->n)
        return OUTLOOK_NONE;
    if (e->settings.plain_planning)
        return !skr_sizes_can_keep(e->tree, o->kept->rule, o->n) ? OUTLOOK_UNKNOWN
               : fits_by_solving(e, o)                           ? OUTLOOK_FITS
                                                                 : OUTLOOK_NONE;
    if (!o->kept->sizes || skr_sizes_most(o->kept->sizes) < o->n)
        return OUTLOOK_UNKNOWN;
    return skr_sizes_has(o->kept->sizes, o->n) ? OUTLOOK_FITS : OUTLOOK_NONE;
}

bool kept_stands(const struct skr_engine *e, const struct group *g)
{
    const struct outlook *o = &g->outlook;
    return o->made && o->kind && !o->kind->dead && o->input == g->input_epoch && e->keeping &&
           e->keeping->tree == e->tree;
}

void kept_copy_slots(const struct outlook *o, const struct skr_tree *tree, int64_t *ret)
{
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++)
        ret[leaf] = o->kind->slots[leaf];
}

bool kept_holds(const struct outlook *o, const struct skr_tree *tree, const int32_t *count)
{
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        if (count[leaf] > o->kind->slots[leaf])
            return false;
    }
    return true;
}

/* ---- what was told ---- */

static bool is_short(const struct outlook *o)
{
    return o->watched->sum < o->n;
}

void kept_told(const struct skr_engine *e, struct group *g)
{
    struct outlook *o = &g->outlook;
    o->tell_at = 0;
    if (!kept_stands(e, g))
        return;
    o->told_changes = o->kind->changes;
    o->told_nodes = e->nodes_epoch;
    o->told_short = is_short(o);
}

enum outlook_news kept_news(const struct skr_engine *e, const struct group *g)
{
    const struct outlook *o = &g->outlook;
    if (o->told_nodes != e->nodes_epoch || o->told_short != is_short(o))
        return NEWS_REASON;
    return o->told_changes != o->kind->changes ? NEWS_NUMBERS : NEWS_NONE;
}

/* Large clusters are checked now and then. */
int kept_check(struct skr_engine *e, struct skr_error *error)
{
    struct keeping *k = e->keeping;
    struct kind *kind;
    if (!k || !k->tree || k->tree != e->tree)
        return 0;
    if (k->n_kinds * (size_t)k->tree->n_leaves > CHECKED_ALWAYS && k->checks++ % 64 != 0)
        return 0;
    struct node_entry *const *node = topology_leaf_nodes(e);
    kept_see_changes(e);
    end_old_vetoes(e);
    DL_FOREACH(k->kinds, kind)
    {
        for (int32_t leaf = 0; leaf < k->tree->n_leaves; leaf++) {
            int32_t now = count_slots(e, kind, node[leaf]);
            if (kind->slots[leaf] != now && !k->is_dirty[leaf])
                return skr_error_set(
                    error, SKR_BUG, "kept slots of leaf %s: %d, but it holds %d now",
                    k->tree->unit_name[k->tree->first_leaf + leaf], kind->slots[leaf], now);
        }
    }
    return 0;
}
