/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/cache/vetoes.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/fit_cache.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/wakes.h"

#include <string.h>
#include <utlist.h>

/* ---- lives ---- */

static void remove_veto(struct skr_gang *e, struct veto_set *set, struct veto *v)
{
    skr_dirty_openings(e);
    skr_fit_cache_touch_node(e, v->node);
    HASH_DEL(set->item, v);
    free(v->node);
    free(v);
    if (--set->group->vetoes.n == 0) {
        skr_fit_cache_group_shares(e, set->group); /* made anew if it has a reservation */
    }
}

static void remove_set(struct skr_gang *e, struct veto_set *set)
{
    while (set->item) {
        remove_veto(e, set, set->item);
    }
    set->group->vetoes.n_sets--;
    DL_DELETE(set->group->vetoes.set, set);
    DL_DELETE2(e->vetoes, set, gprev, gnext);
    skr_shapes_unref(e, set->shape);
    free(set->probed);
    free(set);
}

void skr_vetoes_fini(struct skr_gang *e, struct group *g)
{
    while (g->vetoes.set) {
        remove_set(e, g->vetoes.set);
    }
}

struct veto_set *skr_vetoes_find(const struct group *g, const struct shape *s)
{
    struct veto_set *set = g ? g->vetoes.set : NULL;
    while (set && set->shape != s) {
        set = set->next;
    }
    return set;
}

/* Sets whose last veto is older come first in the group's list. */
static struct veto_set *set_get(struct skr_gang *e, struct group *g, struct shape *s)
{
    struct veto_set *set = skr_vetoes_find(g, s);
    if (set) {
        DL_DELETE(g->vetoes.set, set);
        DL_APPEND(g->vetoes.set, set);
        return set;
    }
    if (g->vetoes.n_sets == SHAPES_MAX) {
        remove_set(e, g->vetoes.set);
    }
    set = skr_alloc(sizeof *set);
    set->group = g;
    set->shape = skr_shapes_ref(s);
    DL_APPEND(g->vetoes.set, set);
    DL_APPEND2(e->vetoes, set, gprev, gnext);
    g->vetoes.n_sets++;
    return set;
}

void skr_vetoes_member_gone(struct skr_gang *e, struct group *g, const struct shape *s)
{
    struct veto_set *set = skr_vetoes_find(g, s);
    const struct pod_entry *p = set ? g->members : NULL;
    while (p && p->shape != s) {
        p = p->next;
    }
    if (set && !p) {
        remove_set(e, set);
    }
}

static struct veto *find(const struct veto_set *set, const char *node)
{
    struct veto *v = NULL;
    if (set) {
        HASH_FIND_STR(set->item, node, v);
    }
    return v;
}

void skr_vetoes_expire(struct skr_gang *e)
{
    const skr_time now = skr_frame_now(e->frame);
    struct veto_set *set, *next;
    DL_FOREACH_SAFE2(e->vetoes, set, next, gnext)
    {
        while (set->item && set->item->until <= now) {
            remove_veto(e, set, set->item);
        }
        if (set->until <= now) {
            remove_set(e, set);
        }
    }
}

/* ---- vetoes ---- */

static bool stands(const struct skr_gang *e, const struct veto *v)
{
    return v && v->until > skr_frame_now(e->frame);
}

int32_t skr_vetoes_most(const struct skr_gang *e, const struct group *g, const struct shape *s,
                        const char *node)
{
    const struct veto *v = find(skr_vetoes_find(g, s), node);
    return stands(e, v) ? v->most : INT32_MAX;
}

bool skr_vetoes_close(const struct skr_gang *e, const struct group *g, const struct shape *s,
                      const char *node)
{
    return skr_vetoes_most(e, g, s, node) == 0;
}

/* ---- guesses ---- */

static bool same_offer(const struct skr_node *a, const struct skr_node *b)
{
    const struct skr_quantities *x = &a->allocatable, *y = &b->allocatable;
    bool same = x->n == y->n;
    for (size_t i = 0; same && i < x->n; i++) {
        same =
            x->item[i].amount == y->item[i].amount && strcmp(x->item[i].name, y->item[i].name) == 0;
    }
    return same;
}

/* The newest veto of the set; before a veto: the next older one. */
static const struct veto *newest(const struct veto_set *set)
{
    return set && set->item ? ELMT_FROM_HH(set->item->hh.tbl, set->item->hh.tbl->tail) : NULL;
}

bool skr_vetoes_have_counted(const struct skr_gang *e, const struct group *g, const struct shape *s)
{
    const struct veto *v = newest(skr_vetoes_find(g, s));
    for (int i = 0; stands(e, v) && i < SKR_VETO_GUESSES; v = v->hh.prev, i++) {
        if (v->most > 0) {
            return true;
        }
    }
    return false;
}

int32_t skr_vetoes_guess(const struct skr_gang *e, const struct group *g, const struct shape *s,
                         const struct skr_node *node)
{
    const struct veto *v = newest(skr_vetoes_find(g, s));
    int32_t most = 0;
    for (int i = 0; stands(e, v) && i < SKR_VETO_GUESSES; v = v->hh.prev, i++) {
        const struct node_entry *taught = v->most > most ? skr_nodes_find(e, v->node) : NULL;
        if (taught && taught->node && same_offer(taught->node, node)) {
            most = v->most;
        }
    }
    return most > 0 ? most : INT32_MAX;
}

/* ---- new ones ---- */

static struct veto *add(struct skr_gang *e, struct group *g, struct shape *s, const char *node)
{
    struct veto_set *set = set_get(e, g, s);
    struct veto *v = find(set, node);
    if (v) {
        HASH_DEL(set->item, v);
    } else {
        v = skr_alloc(sizeof *v);
        v->node = skr_strdup(node);
        g->vetoes.n++;
    }
    HASH_ADD_KEYPTR(hh, set->item, v->node, strlen(v->node), v);
    set->until = v->until = skr_frame_now(e->frame) + SKR_VETO_S * SKR_SECOND;
    skr_dirty_facts(e);
    skr_dirty_openings(e);
    skr_fit_cache_touch_node(e, node);
    skr_wakes_add(e, v->until, WAKE_CHANGED, NULL);
    return v;
}

void skr_vetoes_add(struct skr_gang *e, struct group *g, struct shape *s, const char *node)
{
    const struct veto *had = find(skr_vetoes_find(g, s), node);
    if (stands(e, had) && had->most > 0) {
        return;
    }
    struct veto *v = add(e, g, s, node);
    v->refused = v->refused && v->most == 0;
    v->doubtful = false;
    v->most = 0;
}

void skr_vetoes_refuse(struct skr_gang *e, struct group *g, struct shape *s, const char *node,
                       int32_t most, bool doubtful)
{
    const int32_t had = skr_vetoes_most(e, g, s, node);
    struct veto *v = add(e, g, s, node);
    v->refused = true;
    v->doubtful = doubtful;
    v->most = most < had ? most : had;
}

void skr_vetoes_limit(struct skr_gang *e, struct group *g, struct shape *s, const char *node,
                      int32_t most)
{
    const int32_t had = skr_vetoes_most(e, g, s, node);
    if (most < had) {
        struct veto *v = add(e, g, s, node);
        v->most = most;
        v->doubtful = true;
    }
}

size_t skr_vetoes_count_refused(const struct skr_gang *e, const struct group *g,
                                const struct shape *s, size_t *ret_counted)
{
    const struct veto_set *set = skr_vetoes_find(g, s);
    size_t n = 0;
    *ret_counted = 0;
    for (const struct veto *v = set ? set->item : NULL; v; v = v->hh.next) {
        n += v->refused && stands(e, v);
        *ret_counted += v->refused && v->most > 0 && stands(e, v);
    }
    return n;
}

bool skr_vetoes_say_accepted(const struct skr_gang *e, const struct group *g, const struct shape *s,
                             struct skr_strbuf *b)
{
    enum { NAMED = 3 };
    const struct veto_set *set = skr_vetoes_find(g, s);
    size_t n = 0;
    for (const struct veto *v = set ? set->item : NULL; v; v = v->hh.next) {
        if (v->most > 0 && stands(e, v) && n++ < NAMED) {
            skr_strbuf_addf(b, "%s%d on %s", n > 1 ? ", " : "", (int)v->most, v->node);
        }
    }
    if (n > NAMED) {
        skr_strbuf_addf(b, ", some on %zu others", n - NAMED);
    }
    return n > 0;
}

/* ---- probes ---- */

static void set_probed(struct veto_set *set, uint32_t number)
{
    const size_t at = number / 8;
    if (at >= set->probed_bytes) {
        const size_t had = set->probed_bytes;
        skr_grow(&set->probed, &set->probed_bytes, at + 1, 1);
        memset(set->probed + had, 0, set->probed_bytes - had);
    }
    set->probed[at] |= (uint8_t)(1u << number % 8);
}

static bool is_probed(const struct veto_set *set, uint32_t number)
{
    return number / 8 < set->probed_bytes && set->probed[number / 8] >> number % 8 & 1;
}

bool skr_vetoes_have_probed(const struct veto_set *set)
{
    return set && set->probed;
}

bool skr_vetoes_was_probed(const struct skr_gang *e, const struct veto_set *set, const char *node)
{
    const struct node_entry *n = skr_nodes_find(e, node);
    return n && is_probed(set, n->number);
}

bool skr_vetoes_note_listed(struct skr_gang *e, const struct group *g, const struct shape *s,
                            const char *node)
{
    struct veto_set *set = skr_vetoes_find(g, s);
    const struct node_entry *n = set ? skr_nodes_find(e, node) : NULL;
    struct veto *v = find(set, node);
    if (n) {
        set_probed(set, n->number);
    }
    if (!v || v->refused || v->until <= skr_frame_now(e->frame)) {
        return false;
    }
    remove_veto(e, set, v);
    return true;
}

/* ---- what changed ---- */

void skr_vetoes_end_doubtful(struct skr_gang *e, struct group *g)
{
    struct veto_set *set;
    DL_FOREACH(g->vetoes.set, set)
    {
        struct veto *v, *next;
        HASH_ITER(hh, set->item, v, next)
        {
            if (v->doubtful) {
                remove_veto(e, set, v);
            }
        }
    }
}

void skr_vetoes_end_all(struct skr_gang *e)
{
    struct veto_set *set;
    DL_FOREACH2(e->vetoes, set, gnext)
    {
        if (set->item) {
            set->group->vetoes.lifted_at = skr_seen_note(&e->seen, 0);
        }
        while (set->item) {
            remove_veto(e, set, set->item);
        }
    }
}

void skr_vetoes_end(struct skr_gang *e, const char *node)
{
    skr_vetoes_end_of_others(e, node, NULL, -1);
}

void skr_vetoes_end_of_others(struct skr_gang *e, const char *node, const struct group *g,
                              skr_time since)
{
    struct veto_set *set;
    bool ended = false;
    DL_FOREACH2(e->vetoes, set, gnext)
    {
        struct veto *v = set->group != g ? find(set, node) : NULL;
        if (v && v->until - SKR_VETO_S * SKR_SECOND > since) {
            remove_veto(e, set, v);
            set->group->vetoes.lifted_at = skr_seen_note(&e->seen, 0);
            ended = true;
        }
    }
    if (ended) {
        skr_dirty_capacity(e);
    }
}
