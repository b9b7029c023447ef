/* SPDX-License-Identifier: Apache-2.0 */
/* Computes placement and rank: the keys of the group's object that say where its members are. */
#include "core/gang/report/outputs.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/group/member_order.h"
#include "core/gang/group/roles.h"
#include "core/gang/group/seating.h"
#include "core/gang/group/set_units.h"
#include "core/gang/plan/plan.h"
#include "core/gang/state/map_entry.h"
#include "core/gang/state/plan_entry.h"

#include <jansson.h>
#include <string.h>
#include <utlist.h>

/* Bytes of placement, rank and sets: in data; in annotations, which share the 256 KiB of the object with
 * the plan. */
enum { OUTPUT_MAX = 700 * 1024, ANNOTATED_MAX = 220 * 1024 };

struct output {
    const char *unit[SKR_LEVELS_MAX]; /* names from level 1 down to the node */
    int32_t depth;
    const char *pod, *role; /* role NULL: the members are equal */
    int32_t rank;
    bool done; /* its pod has Succeeded */
};

static int by_path(const void *a, const void *b)
{
    const struct output *x = a, *y = b;
    for (int32_t i = 0; i < x->depth && i < y->depth; i++) {
        int c = strcmp(x->unit[i], y->unit[i]);
        if (c != 0) {
            return c;
        }
    }
    return x->depth != y->depth ? (x->depth < y->depth ? -1 : 1) : strcmp(x->pod, y->pod);
}

static int by_rank(const void *a, const void *b)
{
    const struct output *x = a, *y = b;
    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    if (x->done != y->done) {
        return x->done ? 1 : -1;
    }
    return strcmp(x->pod, y->pod);
}

static void fill_path(const struct skr_tree *t, const char *node, struct output *o)
{
    int32_t leaf = t ? skr_tree_find_leaf(t, node) : -1;
    if (leaf < 0) { /* outside the tree: directly below the root */
        o->unit[0] = node;
        o->depth = 1;
        return;
    }
    o->depth = t->n_levels;
    int32_t unit = t->first_leaf + leaf;
    for (int32_t l = t->n_levels; l > 0; l--, unit = t->parent[unit]) {
        o->unit[l - 1] = t->unit_name[unit];
    }
}

static char *placement_text(struct output *o, size_t n)
{
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    qsort(o, n, sizeof *o, by_path);
    skr_strbuf_add(&b, "{\"root\":{");
    int32_t open = 0; /* used units directly below the root */
    for (size_t i = 0; i < n; i++) {
        int32_t same = 0;
        if (i > 0) {
            while (same < o[i].depth && same < o[i - 1].depth &&
                   strcmp(o[i].unit[same], o[i - 1].unit[same]) == 0) {
                same++;
            }
            for (; open > same; open--) {
                skr_strbuf_addc(&b, '}');
            }
            skr_strbuf_addc(&b, ',');
        }
        for (; open < o[i].depth; open++) {
            skr_strbuf_add_json(&b, o[i].unit[open]);
            skr_strbuf_add(&b, ":{");
        }
        skr_strbuf_add_json(&b, o[i].pod);
        skr_strbuf_add(&b, o[i].role ? ":{\"role\":" : ":{");
        if (o[i].role) {
            skr_strbuf_add_json(&b, o[i].role);
        }
        skr_strbuf_addc(&b, '}');
    }
    for (; open > 0; open--) {
        skr_strbuf_addc(&b, '}');
    }
    skr_strbuf_add(&b, "}}");
    return skr_strbuf_take(&b, NULL);
}

static char *rank_text(struct output *o, size_t n)
{
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    qsort(o, n, sizeof *o, by_rank);
    skr_strbuf_addc(&b, '[');
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_addf(&b, "%s(%s,%d)", i ? " " : "", o[i].pod, o[i].rank);
    }
    skr_strbuf_addc(&b, ']');
    return skr_strbuf_take(&b, NULL);
}

int32_t skr_outputs_rank_of(const struct pod_entry *p)
{
    return p->place.rank >= 0 ? p->place.rank : skr_pods_rank_label(p);
}

const char *skr_outputs_node_of(const struct pod_entry *p)
{
    if (skr_pods_is_bound(p)) {
        return p->pod->node_name;
    }
    return p->plan && p->plan->binding && !p->plan->aborting ? p->place.node : NULL;
}

/* Bound pods of an earlier process may lack a rank: they are ranked as if dealt; members.c labels
 * them. */
static void rank_adopted(struct skr_gang *e, struct group *g)
{
    struct pod_entry *p;
    struct skr_error error;
    if (!e->topology.tree) {
        return;
    }
    SKR_AUTO_FREE struct skr_seat *seat = skr_alloc_array(g->n_members + 1, sizeof *seat);
    SKR_AUTO_FREE int32_t *on = skr_alloc_array(g->n_members + 1, sizeof *on);
    SKR_AUTO_FREE struct pod_entry **owner = skr_alloc_array(g->n_members + 1, sizeof *owner);
    size_t n = 0, lacking = 0;
    DL_FOREACH(g->members, p)
    {
        const char *node = skr_pod_is_live(p->pod) ? skr_outputs_node_of(p) : NULL;
        if (!node) {
            continue;
        }
        int32_t leaf = skr_tree_find_leaf(e->topology.tree, node);
        owner[n] = p;
        on[n] = leaf;
        seat[n++] = (struct skr_seat){
            .node = node, .leaf = leaf, .rank = skr_outputs_rank_of(p), .claimed = true};
        lacking += skr_outputs_rank_of(p) < 0;
    }
    skr_member_order_seats(owner, seat, n, NULL);
    if (lacking > 0 && skr_seating_deal_known(g, e->topology.tree, on, seat, n, &error) == 0) {
        for (size_t i = 0; i < n; i++) {
            if (skr_outputs_rank_of(owner[i]) < 0 && seat[i].rank >= 0) {
                skr_plan_set_rank(owner[i], seat[i].rank);
                skr_dirty_pod(e, owner[i]);
            }
        }
    }
}

void skr_outputs_forget(struct group *g)
{
    free(g->outputs.placement);
    free(g->outputs.rank);
    free(g->outputs.sets);
    g->outputs.placement = g->outputs.rank = g->outputs.sets = NULL;
}

/* A member that has Succeeded stays in the output, unless another has its seat. */
static size_t leave_out_succeeded(struct output *o, size_t n)
{
    size_t kept = 0;
    qsort(o, n, sizeof *o, by_rank);
    for (size_t i = 0; i < n; i++) {
        if (!o[i].done || kept == 0 || o[i].rank != o[kept - 1].rank) {
            o[kept++] = o[i];
        }
    }
    return kept;
}

static size_t most_bytes(const struct group *g)
{
    size_t plan = g->plan && g->plan->text ? strlen(g->plan->text) : 0;
    bool in_data = g->source.kind == SOURCE_MAP && g->source.map && !g->source.map->map->immutable;
    return in_data ? OUTPUT_MAX : plan < ANNOTATED_MAX ? ANNOTATED_MAX - plan : 0;
}

void skr_outputs_update(struct skr_gang *e, struct group *g)
{
    rank_adopted(e, g);
    SKR_AUTO_FREE struct output *o = skr_alloc_array(g->n_members + 1, sizeof *o);
    struct pod_entry *p;
    size_t n = 0;
    DL_FOREACH(g->members, p)
    {
        const char *node = skr_pod_is_live(p->pod) || p->done ? skr_outputs_node_of(p) : NULL;
        if (!node) {
            continue;
        }
        fill_path(e->topology.tree, node, &o[n]);
        o[n].done = p->done;
        o[n].role =
            skr_roles_are_several(g) && p->role < g->roles.n ? g->roles.item[p->role].name : NULL;
        o[n].pod = p->pod->meta.name;
        o[n++].rank = skr_outputs_rank_of(p);
    }
    n = leave_out_succeeded(o, n);
    skr_outputs_forget(g);
    g->outputs.placement = n ? placement_text(o, n) : NULL;
    g->outputs.rank = n ? rank_text(o, n) : NULL;
    g->outputs.sets = n && e->topology.tree ? skr_set_units_text(e->topology.tree, g) : NULL;
    size_t bytes = n ? strlen(g->outputs.placement) + strlen(g->outputs.rank) : 0;
    bytes += g->outputs.sets ? strlen(g->outputs.sets) : 0;
    g->outputs.too_large = bytes > most_bytes(g);
}

void skr_outputs_refresh(struct skr_gang *e, struct group *g)
{
    if (g->outputs.bound == g->seats.n_bound && g->outputs.input == g->input_epoch) {
        return;
    }
    skr_outputs_update(e, g);
    g->outputs.bound = g->seats.n_bound;
    g->outputs.input = g->input_epoch;
}

/* A user may have written it, and pages show it as it is. */
static bool is_json_object(const char *text)
{
    json_auto_t *value = text ? json_loads(text, 0, NULL) : NULL;
    return json_is_object(value);
}

void skr_outputs_restore(struct group *g, const char *placement, const char *rank, const char *sets)
{
    skr_outputs_forget(g);
    if (!is_json_object(placement)) {
        return;
    }
    g->outputs.sets = sets ? skr_strdup(sets) : NULL;
    g->outputs.placement = skr_strdup(placement);
    g->outputs.rank = skr_strdup(rank);
}
