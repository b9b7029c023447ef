/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps kinds of members up to date. An event costs what it changed, not the size of the cluster.
 *
 * The ledger reports nodes whose room changed; nodes and vetoes report which pods are admitted.
 * Their leaves are marked, and counted again for every kind before the next group is evaluated.
 * Only changed slots are passed on to the sizes.
 */
#include "core/gang/cache/fit_cache.h"

#include "core/gang/cache/device_counts.h"
#include "core/gang/cache/devices.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/rules.h"
#include "core/gang/cache/spare.h"
#include "core/gang/cache/topology.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/state/groups.h"

#include <string.h>
#include <utlist.h>

enum {
    KINDS_UNUSED_MAX = 32, /* cached for groups that may come */
    SIZES_FIRST = 64,
    CHECKED_ALWAYS = 1024, /* slots */
};
/* of kinds and sizes; unused kinds are dropped first */
#define KEPT_BYTES_MAX ((size_t)64 * 1024 * 1024)

/* ---- lives ---- */

static size_t kind_bytes(const struct fit_cache *k)
{
    return sizeof(struct kind) + (size_t)k->tree->n_leaves * 2 * sizeof(int32_t);
}

static void kind_free(struct skr_gang *e, struct kind *kind)
{
    struct watched *w, *next;
    DL_FOREACH_SAFE(kind->watched, w, next)
    {
        free(w);
    }
    skr_devices_needs_unref(e, kind->needs);
    skr_amounts_fini(&kind->demand);
    free(kind);
}

void skr_kind_ref(struct skr_gang *e, struct kind *kind)
{
    kind->refs++;
    kind->used = ++e->fit_cache->clock;
}

void skr_kind_unref(struct skr_gang *e, struct kind *kind)
{
    if (--kind->refs == 0 && kind->dead) {
        kind_free(e, kind);
    }
}

void skr_watched_unref(struct kind *kind, struct watched *w)
{
    if (--w->refs > 0) {
        return;
    }
    DL_DELETE(kind->watched, w);
    free(w);
}

/* Takes a kind out of use; it is freed with its last reference. */
static void kind_drop(struct skr_gang *e, struct kind *kind)
{
    struct fit_cache *k = e->fit_cache;
    struct kind_sizes *kept, *next;
    DL_DELETE(k->kinds, kind);
    k->n_kinds--;
    k->bytes -= kind_bytes(k);
    DL_FOREACH_SAFE(kind->sizes, kept, next)
    {
        skr_sizes_destroy(kept->sizes);
        free(kept);
    }
    kind->sizes = NULL;
    free(kind->slots);
    free(kind->most);
    free(kind->is_late);
    kind->is_late = NULL;
    kind->late = false;
    kind->slots = NULL;
    kind->most = NULL;
    kind->dead = true;
    if (kind->refs == 0) {
        kind_free(e, kind);
    }
}

static void forget_all(struct skr_gang *e)
{
    struct fit_cache *k = e->fit_cache;
    while (k->kinds) {
        kind_drop(e, k->kinds);
    }
    skr_tree_unref(k->tree);
    free(k->is_dirty);
    free(k->changed);
    free(k->room);
    k->tree = NULL;
    k->is_dirty = NULL;
    k->changed = NULL;
    k->room = NULL;
    k->n_dirty = 0;
}

static struct fit_cache *fit_cache_of(struct skr_gang *e)
{
    if (!e->fit_cache) {
        e->fit_cache = skr_alloc(sizeof *e->fit_cache);
        e->fit_cache->pool = skr_sizes_pool_create();
    }
    return e->fit_cache;
}

void skr_fit_cache_fini(struct skr_gang *e)
{
    struct fit_cache *k = e->fit_cache;
    if (!k) {
        return;
    }
    forget_all(e);
    skr_sizes_pool_destroy(k->pool);
    free(k->dirty);
    free(k);
    e->fit_cache = NULL;
}

void skr_fit_cache_shape_gone(struct skr_gang *e, const struct shape *s)
{
    struct kind *kind, *next;
    if (!e->fit_cache) {
        return;
    }
    DL_FOREACH_SAFE(e->fit_cache->kinds, kind, next)
    {
        bool has = false;
        for (size_t i = 0; i < kind->shapes.n; i++) {
            has = has || kind->shapes.item[i] == s;
        }
        if (has) {
            kind_drop(e, kind);
        }
    }
}

void skr_fit_cache_group_shares(struct skr_gang *e, const struct group *g)
{
    struct kind *kind, *next;
    if (!e->fit_cache) {
        return;
    }
    DL_FOREACH_SAFE(e->fit_cache->kinds, kind, next)
    {
        if (kind->owner == g) {
            kind_drop(e, kind);
        }
    }
}

/* ---- what changed ---- */

static void mark(struct skr_gang *e, const char *node, enum dirt dirt)
{
    struct fit_cache *k = e->fit_cache;
    skr_nodes_stamp(e, node);
    skr_spare_touch(e, node);
    int32_t leaf = k && k->kinds ? skr_tree_find_leaf(k->tree, node) : -1;
    if (leaf < 0) {
        return;
    }
    if (k->is_dirty[leaf] == 0) {
        skr_grow(&k->dirty, &k->cap_dirty, k->n_dirty + 1, sizeof *k->dirty);
        k->dirty[k->n_dirty++] = leaf;
    }
    k->is_dirty[leaf] |= (uint8_t)dirt;
}

void skr_fit_cache_touch_node(struct skr_gang *e, const char *node)
{
    skr_device_counts_void(e, node);
    mark(e, node, DIRT_NODE);
}

void skr_fit_cache_touch_room(struct skr_gang *e, const char *node)
{
    skr_booked_stale(e, node);
    mark(e, node, DIRT_ROOM);
}

/* What reservations leave changes with every second, and with the ends of pods. */
static void mark_booked(struct skr_gang *e)
{
    struct fit_cache *k = e->fit_cache;
    const int64_t now = skr_instant_up(skr_frame_now(e->frame));
    const struct booked_node *node = NULL;
    if (k->booked_at == now && !skr_seen_changed(&e->seen, SEEN_ENDS, k->booked_seen)) {
        return;
    }
    k->booked_at = now;
    k->booked_seen = e->seen.now;
    while ((node = skr_booked_next(e, node))) {
        mark(e, node->name, DIRT_ROOM);
    }
}

static void see(void *context, const char *node)
{
    struct skr_gang *e = context;
    skr_seen_note(&e->seen, SEEN_ROOM);
    skr_fit_cache_touch_room(e, node);
}

static void mark_all(struct skr_gang *e)
{
    const struct node_entry *n;
    for (size_t at = 0; (n = skr_nodes_next(e, &at));) {
        skr_nodes_stamp(e, n->name);
    }
    if (e->fit_cache) {
        e->fit_cache->all_dirty = true;
    }
}

void skr_fit_cache_see_changes(struct skr_gang *e)
{
    const char *node;
    skr_ledger_see_changed(e->ledger, see, e);
    while (skr_devices_take_touched(e, &node)) {
        if (node) {
            mark(e, node, DIRT_NODE);
        } else {
            mark_all(e);
        }
    }
    skr_spare_update(e, skr_fit_cache_touch_node);
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* How many members the node takes whatever its room: 0 if it is closed. */
static int32_t most_of(struct skr_gang *e, const struct kind *kind, const struct node_entry *node)
{
    int32_t most = INT32_MAX;
    if (!node || !node->node || (node->spare && !skr_spare_is_reserved(kind->owner, node))) {
        return 0;
    }
    for (size_t i = 0; i < kind->shapes.n; i++) {
        struct shape *s = kind->shapes.item[i];
        if (skr_pod_shape_check_node(s->spec, node->node) != SKR_ELIGIBLE) {
            return 0;
        }
        most = least(most, skr_vetoes_most(e, kind->owner, s, node->name));
    }
    return most;
}

/* The same with devices. False: these are not counted yet. */
static bool find_most(struct skr_gang *e, const struct kind *kind, const struct node_entry *node,
                      int32_t *ret)
{
    int32_t devices;
    *ret = most_of(e, kind, node);
    if (!kind->needs || *ret <= 0) {
        return true;
    }
    const bool known = skr_devices_knows_most(e, kind->needs, node->name, &devices);
    *ret = least(*ret, devices);
    return known;
}

static int32_t most_with_devices(struct skr_gang *e, const struct kind *kind,
                                 const struct node_entry *node)
{
    const int32_t most = most_of(e, kind, node);
    return kind->needs && most > 0 ? least(most, skr_devices_most(e, NULL, kind->needs, node->name))
                                   : most;
}

static const char *name_of(const struct skr_gang *e, int32_t leaf)
{
    return e->topology.tree->unit_name[e->topology.tree->first_leaf + leaf];
}

/* As skr_ledger_slots(), without what is reserved for others. */
static int32_t slots_beside_booked(const struct skr_gang *e, const struct kind *kind,
                                   const char *node, const struct skr_ledger_node *room)
{
    const struct booked_for who = {.group = kind->owner, .window = kind->window};
    int32_t slots = skr_ledger_slots(room, &kind->demand);
    for (size_t i = 0; i < kind->demand.n && slots > 0; i++) {
        const struct skr_amount *item = &kind->demand.item[i];
        int64_t left = skr_ledger_node_room(room, item);
        skr_booked_take_off(e, &who, node, &item->resource, 1, &left);
        const int64_t holds = skr_room_holds(left, item->amount);
        slots = holds < slots ? (int32_t)holds : slots;
    }
    return slots;
}

/* Slots of the room, at most what the node takes. */
static int32_t count_slots(const struct skr_gang *e, const struct kind *kind, int32_t leaf,
                           const struct skr_ledger_node *room)
{
    const int32_t most = kind->most[leaf];
    return most <= 0 ? 0
           : skr_booked_any(e, kind->owner)
               ? least(most, slots_beside_booked(e, kind, name_of(e, leaf), room))
               : least(most, skr_ledger_slots(room, &kind->demand));
}

/* Another number for what the node of the leaf admits, or the same with other room. */
static void count_leaf(struct skr_gang *e, struct kind *kind, int32_t leaf,
                       const struct skr_ledger_node *room, size_t *n_changed)
{
    const int32_t was = kind->slots[leaf], is = count_slots(e, kind, leaf, room);
    struct watched *w;
    if (was == is) {
        return;
    }
    DL_FOREACH(kind->watched, w)
    {
        w->sum += least(is, w->n) - least(was, w->n);
    }
    kind->slots[leaf] = is;
    e->fit_cache->changed[(*n_changed)++] = leaf;
}

static void pass_on(const struct skr_gang *e, struct kind *kind, size_t n_changed)
{
    struct kind_sizes *kept;
    if (n_changed == 0) {
        return;
    }
    kind->changes++;
    DL_FOREACH(kind->sizes, kept)
    {
        if (kept->sizes) {
            skr_sizes_change(kept->sizes, kind->slots, e->fit_cache->changed, n_changed);
        }
    }
}

/* Counts the dirty leaves again. What devices serve there may come later. */
static void kind_update(struct skr_gang *e, struct kind *kind)
{
    struct fit_cache *k = e->fit_cache;
    struct node_entry *const *node = skr_topology_leaf_nodes(e);
    size_t n_changed = 0;
    for (size_t i = 0; i < k->n_dirty; i++) {
        const int32_t leaf = k->dirty[i];
        int32_t most;
        if (!(k->is_dirty[leaf] & DIRT_NODE)) {
            count_leaf(e, kind, leaf, k->room[i], &n_changed);
        } else if (find_most(e, kind, node[leaf], &most)) {
            kind->most[leaf] = most;
            count_leaf(e, kind, leaf, k->room[i], &n_changed);
        } else {
            kind->is_late[leaf] = 1;
            kind->late = true;
        }
    }
    pass_on(e, kind, n_changed);
}

void skr_kind_catch_up(struct skr_gang *e, struct kind *kind)
{
    struct node_entry *const *node = skr_topology_leaf_nodes(e);
    size_t n_changed = 0;
    for (int32_t leaf = 0; kind->late && leaf < e->fit_cache->tree->n_leaves; leaf++) {
        if (kind->is_late[leaf]) {
            kind->is_late[leaf] = 0;
            kind->most[leaf] = most_with_devices(e, kind, node[leaf]);
            count_leaf(e, kind, leaf, skr_ledger_get(e->ledger, name_of(e, leaf)), &n_changed);
        }
    }
    kind->late = false;
    pass_on(e, kind, n_changed);
}

static int by_leaf(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void begin_tree(struct skr_gang *e, struct fit_cache *k)
{
    forget_all(e);
    if (!e->topology.tree || e->topology.tree->n_leaves == 0) {
        return;
    }
    size_t n = (size_t)e->topology.tree->n_leaves;
    k->tree = skr_tree_ref(e->topology.tree);
    k->is_dirty = skr_alloc_array(n, sizeof *k->is_dirty);
    k->changed = skr_alloc_array(n, sizeof *k->changed);
    k->room = skr_alloc_array(n, sizeof *k->room);
}

static void touch_all(struct fit_cache *k)
{
    skr_grow(&k->dirty, &k->cap_dirty, (size_t)k->tree->n_leaves, sizeof *k->dirty);
    for (k->n_dirty = 0; k->n_dirty < (size_t)k->tree->n_leaves; k->n_dirty++) {
        k->dirty[k->n_dirty] = (int32_t)k->n_dirty;
        k->is_dirty[k->n_dirty] = DIRT_ROOM | DIRT_NODE;
    }
}

void skr_fit_cache_refresh(struct skr_gang *e)
{
    struct fit_cache *k = fit_cache_of(e);
    struct kind *kind;
    skr_fit_cache_see_changes(e);
    if (k->tree != e->topology.tree) {
        begin_tree(e, k);
    }
    skr_vetoes_expire(e);
    mark_booked(e);
    if ((e->settings.plain_planning || k->all_dirty) && k->kinds) {
        touch_all(k);
    }
    k->all_dirty = false;
    if (k->n_dirty == 0) {
        return;
    }
    qsort(k->dirty, k->n_dirty, sizeof *k->dirty, by_leaf);
    for (size_t i = 0; i < k->n_dirty; i++) {
        k->room[i] = skr_ledger_get(e->ledger, name_of(e, k->dirty[i]));
    }
    DL_FOREACH(k->kinds, kind)
    {
        kind_update(e, kind);
    }
    for (size_t i = 0; i < k->n_dirty; i++) {
        k->is_dirty[k->dirty[i]] = 0;
    }
    k->n_dirty = 0;
}

/* ---- kinds and sizes, found or made ---- */

static bool same_shapes(const struct shapes *a, const struct shapes *b)
{
    if (a->n != b->n) {
        return false;
    }
    for (size_t i = 0; i < a->n; i++) {
        size_t j = 0;
        while (j < b->n && b->item[j] != a->item[i]) {
            j++;
        }
        if (j == b->n) {
            return false;
        }
    }
    return true;
}

static size_t bytes_kept(const struct fit_cache *k)
{
    return k->bytes + skr_sizes_pool_bytes(k->pool);
}

/* Drops unused kinds, least recently used first, until there is room. */
static bool make_room(struct skr_gang *e, size_t bytes)
{
    struct fit_cache *k = e->fit_cache;
    for (;;) {
        struct kind *kind, *oldest = NULL;
        size_t unused = 0;
        DL_FOREACH(k->kinds, kind)
        {
            if (kind->refs > 0) {
                continue;
            }
            unused++;
            if (!oldest || kind->used < oldest->used) {
                oldest = kind;
            }
        }
        bool full = bytes_kept(k) + bytes > KEPT_BYTES_MAX;
        if (!full && unused <= KINDS_UNUSED_MAX) {
            return true;
        }
        if (!oldest) {
            return !full;
        }
        kind_drop(e, oldest);
    }
}

const struct group *skr_kind_owner(const struct group *g)
{
    return g->vetoes.n > 0 || g->booking ? g : NULL;
}

struct kind *skr_kind_get(struct skr_gang *e, const struct group *g, const struct shapes *shapes,
                          struct device_needs *needs, const struct window *window)
{
    struct fit_cache *k = e->fit_cache;
    const struct group *owner = skr_kind_owner(g);
    struct kind *kind;
    DL_FOREACH(k->kinds, kind)
    {
        if (kind->owner == owner && skr_window_equal(&kind->window, window) &&
            same_shapes(&kind->shapes, shapes) && skr_devices_needs_equal(kind->needs, needs)) {
            return kind;
        }
    }
    if (!make_room(e, kind_bytes(k))) {
        return NULL;
    }
    size_t n = (size_t)k->tree->n_leaves;
    struct node_entry *const *node = skr_topology_leaf_nodes(e);
    kind = skr_alloc(sizeof *kind);
    kind->shapes = *shapes;
    kind->owner = owner;
    kind->needs = skr_devices_needs_ref(needs);
    kind->window = *window;
    kind->changes = 1;
    skr_shapes_demand(shapes, &kind->demand);
    kind->slots = skr_alloc_array(n, sizeof *kind->slots);
    kind->most = skr_alloc_array(n, sizeof *kind->most);
    kind->is_late = needs ? skr_alloc(n) : NULL;
    for (size_t i = 0; i < n; i++) {
        kind->most[i] = most_with_devices(e, kind, node[i]);
        kind->slots[i] =
            count_slots(e, kind, (int32_t)i, skr_ledger_get(e->ledger, name_of(e, (int32_t)i)));
    }
    DL_APPEND(k->kinds, kind);
    k->n_kinds++;
    k->bytes += kind_bytes(k);
    return kind;
}

/* Sizes up to n at least; groups of one kind grow by doubling. */
static void sizes_make(struct skr_gang *e, struct kind *kind, struct kind_sizes *kept, int32_t n)
{
    struct fit_cache *k = e->fit_cache;
    int32_t most = SIZES_FIRST;
    while (most < n) {
        most *= 2;
    }
    if (!skr_sizes_can_keep(k->tree, kept->rule, most)) {
        most = n;
    }
    skr_sizes_destroy(kept->sizes);
    kept->sizes = skr_sizes_create(k->pool, k->tree, kept->rule, most, kind->slots);
    if (!make_room(e, 0)) {
        skr_sizes_destroy(kept->sizes);
        kept->sizes = NULL;
    }
}

struct kind_sizes *skr_kind_sizes_get(struct skr_gang *e, struct kind *kind, const struct group *g,
                                      int32_t n)
{
    struct skr_rule rule[SKR_LEVELS_MAX] = {{0}};
    struct kind_sizes *kept;
    skr_rules_of(g, NULL, e->topology.tree, rule, NULL);
    DL_FOREACH(kind->sizes, kept)
    {
        if (skr_rules_equal(kept->rule, rule, e->topology.tree->n_levels)) {
            break;
        }
    }
    if (!kept) {
        kept = skr_alloc(sizeof *kept);
        memcpy(kept->rule, rule, sizeof rule);
        DL_APPEND(kind->sizes, kept);
    }
    if (!e->settings.plain_planning && skr_sizes_can_keep(e->topology.tree, rule, n) &&
        (!kept->sizes || skr_sizes_most(kept->sizes) < n)) {
        sizes_make(e, kind, kept, n);
    }
    return kept;
}

struct watched *skr_watched_get(struct skr_gang *e, struct kind *kind, int32_t n)
{
    const struct fit_cache *k = e->fit_cache;
    struct watched *w;
    DL_FOREACH(kind->watched, w)
    {
        if (w->n == n) {
            break;
        }
    }
    if (!w) {
        w = skr_alloc(sizeof *w);
        w->n = n;
        for (int32_t leaf = 0; leaf < k->tree->n_leaves; leaf++) {
            w->sum += least(kind->slots[leaf], n);
        }
        DL_APPEND(kind->watched, w);
    }
    w->refs++;
    return w;
}

/* Large clusters are checked only now and then. */
int skr_fit_cache_check(struct skr_gang *e, struct skr_error *error)
{
    struct fit_cache *k = e->fit_cache;
    struct kind *kind;
    if (!k || !k->tree || k->tree != e->topology.tree) {
        return 0;
    }
    if (k->n_kinds * (size_t)k->tree->n_leaves > CHECKED_ALWAYS && k->checks++ % 64 != 0) {
        return 0;
    }
    struct node_entry *const *node = skr_topology_leaf_nodes(e);
    skr_fit_cache_see_changes(e);
    skr_vetoes_expire(e);
    mark_booked(e);
    DL_FOREACH(k->kinds, kind)
    {
        skr_kind_catch_up(e, kind);
        for (int32_t leaf = 0; leaf < k->tree->n_leaves; leaf++) {
            const int32_t most = most_with_devices(e, kind, node[leaf]);
            const struct skr_ledger_node *room = skr_ledger_get(e->ledger, name_of(e, leaf));
            const int32_t now = count_slots(e, kind, leaf, room);
            if ((kind->slots[leaf] != now || kind->most[leaf] != most) && !k->is_dirty[leaf] &&
                !k->all_dirty) {
                return skr_error_set(
                    error, SKR_BUG, "kept slots of leaf %s: %d, but it holds %d now",
                    k->tree->unit_name[k->tree->first_leaf + leaf], kind->slots[leaf], now);
            }
        }
    }
    return 0;
}
