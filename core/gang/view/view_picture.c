/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes nodes and groups for the page /ui. A description looks at those that were stamped since
 * the last one. If nodes came or went, or groups went, it walks over all, and describes those with
 * another stamp.
 */
#include "core/gang/cache/device_needs.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/group/membership.h"
#include "core/gang/state/booking.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/view/view.h"
#include "core/gang/view/view_tree.h"

#include <string.h>
#include <utlist.h>

#define DECISIONS_SINCE (3600 * SKR_SECOND)

struct memory {
    char resource[320]; /* the one that is drawn, or "class/NAME" */
    int64_t one;        /* amount of a slot */
    uint64_t chosen;    /* the stamp when both were chosen */
    uint64_t classes;   /* classes_of() then */
    uint64_t looked;    /* the stamp when all was described; 0: it was not */
    bool counted;       /* a node had the resource then: pods have amounts of it */
};

struct draw {
    struct view *v;
    struct skr_picture *picture;
    const struct memory *memory;
    int resource;                      /* -1: no node has it now, or it is a class of devices */
    const char *class_;                /* NULL: it is none, or is gone */
    const struct skr_claim_spec *spec; /* one device of it */
    struct news {
        skr_time at;
        uint32_t subject;
        enum skr_picture_decision kind;
    } * news;
    size_t n_news, cap_news;
};

/* ---- nodes ---- */

struct sum {
    int64_t allocatable, used, slots;
    size_t leaves, ready, cordoned, missing;
};

static void add_devices(const struct draw *d, const struct node_entry *n, struct sum *s)
{
    static const struct slot_size pod = {.n = 1, .item = {{SKR_RESOURCE_PODS, false, 1}}};
    const struct node_devices of = skr_view_class_node(d->v->e, n, d->class_);
    const int64_t pods = skr_slots_of_node(d->v->e, n, &pod);
    s->allocatable += of.all;
    s->used += of.taken;
    s->slots += skr_view_class_slots(d->v->e, d->spec, n, pods);
}

static void add_node(const struct draw *d, const struct node_entry *n, struct sum *s)
{
    const struct skr_ledger_node *room = n ? skr_ledger_get(d->v->e->ledger, n->name) : NULL;
    s->leaves++;
    if (!n || !n->node) {
        s->missing++;
        return;
    }
    s->ready += n->node->ready;
    s->cordoned += n->node->ready && n->node->unschedulable;
    if (d->class_) {
        add_devices(d, n, s);
        return;
    }
    const uint16_t id = (uint16_t)(d->resource < 0 ? SKR_RESOURCE_ABSENT : d->resource);
    const int64_t all = skr_ledger_node_allocatable(room, id);
    const int64_t left = skr_ledger_node_free(room, id);
    int64_t charged;
    s->allocatable = skr_amount_sum(s->allocatable, all);
    if (all > 0 && n->node->ready && !__builtin_sub_overflow(all, left, &charged)) {
        s->used = skr_amount_sum(s->used, charged);
    }
    if (n->node->ready && !n->node->unschedulable && left > 0) {
        const int64_t pods = skr_ledger_node_free(room, SKR_RESOURCE_PODS);
        const int64_t fits = id == SKR_RESOURCE_PODS ? left : skr_room_holds(left, d->memory->one);
        const int64_t slots = fits < pods ? fits : pods;
        s->slots = skr_amount_sum(s->slots, slots > 0 ? slots : 0);
    }
}

static enum skr_picture_state state_of(const struct sum *s)
{
    return s->missing == s->leaves                   ? SKR_PLACE_MISSING
           : s->ready + s->missing < s->leaves       ? SKR_PLACE_NOT_READY
           : s->ready > 0 && s->cordoned == s->ready ? SKR_PLACE_CORDONED
                                                     : SKR_PLACE_READY;
}

/* The place of a leaf; leaves of one place are adjacent. Returns the leaf after them. */
static int32_t draw_place(const struct draw *d, struct node_entry *const *leaf, int32_t at)
{
    const int32_t n = d->v->e->topology.tree->n_leaves;
    const int32_t place = skr_picture_place_of(d->picture, at);
    struct sum s = {0};
    while (at > 0 && skr_picture_place_of(d->picture, at - 1) == place) {
        at--;
    }
    do {
        add_node(d, leaf[at++], &s);
    } while (at < n && skr_picture_place_of(d->picture, at) == place);
    skr_picture_place(d->picture, place, state_of(&s), s.allocatable, s.used, s.slots);
    return at;
}

/* Nodes that have not changed are left out. */
static void draw_all_nodes(const struct draw *d)
{
    const struct skr_gang *e = d->v->e;
    const uint64_t looked = d->memory->looked;
    struct node_entry *const *leaf = skr_topology_leaf_nodes(d->v->e);
    for (int32_t i = 0, drawn = 1; i < e->topology.tree->n_leaves;) {
        if (looked > 0 && leaf[i] && leaf[i]->stamp <= looked) {
            i++;
            continue;
        }
        i = draw_place(d, leaf, i);
        if (drawn++ % LOOK_EVERY == 0 && skr_view_must_end(d->v)) {
            return;
        }
    }
}

static void draw_stamped_nodes(const struct draw *d)
{
    struct node_entry *const *leaf = skr_topology_leaf_nodes(d->v->e);
    const struct node_entry *n = skr_nodes_stamped_since(d->v->e, d->memory->looked);
    for (size_t drawn = 1; n; n = n->snext, drawn++) {
        const int32_t at = skr_tree_find_leaf(d->v->e->topology.tree, n->name);
        if (at >= 0) {
            (void)draw_place(d, leaf, at);
        }
        if (drawn % LOOK_EVERY == 0 && skr_view_must_end(d->v)) {
            return;
        }
    }
}

/* ---- groups ---- */

static void write_rules(const struct skr_group_spec *spec, struct skr_strbuf *b)
{
    for (size_t i = 0; spec && i < spec->n_rules; i++) {
        const struct skr_rule *r = &spec->rule[i].rule;
        skr_strbuf_addf(b, "%s%s=%s", i > 0 ? ", " : "", spec->rule[i].level,
                        r->type == SKR_RULE_SPREAD ? "spread" : "pack");
        if (r->min > 0 || r->max > 0) {
            skr_strbuf_addf(b, "[%d,%d]", r->min, r->max);
        }
        if (r->factor > 1) {
            skr_strbuf_addf(b, " factor %d", r->factor);
        }
        if (r->partitions > 0) {
            skr_strbuf_addf(b, " in %d", r->partitions);
        }
        skr_strbuf_add(b, r->hard ? " (hard)" : "");
    }
}

static int64_t amount_of(const struct draw *d, const struct shape *shape)
{
    return d->resource < 0 || !shape ? 0 : skr_amounts_get(&shape->amounts, (uint16_t)d->resource);
}

/* paid: devices.h; of the members before this one. */
static int64_t amount_of_pod(const struct draw *d, const struct pod_entry *m,
                             struct device_paid *paid)
{
    return d->class_ ? skr_view_class_pod(d->v->e, d->class_, m, skr_view_node_of(m), paid)
                     : amount_of(d, m->shape);
}

static uint32_t describe(const struct draw *d, const struct group *g, const char *reason,
                         const char *sentence)
{
    SKR_STRBUF(rules);
    struct device_paid paid = {0};
    write_rules(g->spec, &rules);
    const struct skr_picture_subject subject = {
        .namespace_ = g->namespace_,
        .name = g->name,
        .kind = "Group",
        .status = skr_group_status_name(g->status),
        .reason = reason ? reason : "",
        .sentence = sentence ? sentence : "",
        .rules = rules.len > 0 ? rules.s : "",
        .size = (int64_t)skr_membership_seats(g),
        .present = (int64_t)skr_view_present(g),
        .bound = (int64_t)g->seats.n_bound,
        .priority = g->spec ? g->spec->priority : 0,
        .each = g->members ? amount_of_pod(d, g->members, &paid) : 0,
        .since = g->status_since <= d->v->now ? g->status_since : 0,
        .start = g->booking ? g->booking->start * SKR_SECOND : 0,
        .guess = g->booking && g->booking->guess,
    };
    skr_device_paid_fini(&paid);
    return skr_picture_subject(d->picture, &subject);
}

static void seat(const struct draw *d, uint32_t subject, const char *node, int64_t amount,
                 enum skr_picture_seat kind)
{
    const int32_t leaf = skr_tree_find_leaf(d->v->e->topology.tree, node);
    if (leaf >= 0) {
        skr_picture_seat(d->picture, subject, skr_picture_place_of(d->picture, leaf), 1, amount,
                         kind);
    }
}

/* What its reservation takes of the resource. */
static void draw_booking(const struct draw *d, const struct booking *b, uint32_t subject)
{
    for (size_t i = 0; i < b->n_uses; i++) {
        const struct booking_node *node = &b->node[b->use[i].node];
        const int32_t leaf = skr_tree_find_leaf(d->v->e->topology.tree, node->name);
        if (leaf >= 0 && b->use[i].amount > 0 &&
            strcmp(b->resource[b->use[i].resource], d->memory->resource) == 0) {
            skr_picture_seat(d->picture, subject, skr_picture_place_of(d->picture, leaf),
                             node->count, b->use[i].amount, SKR_SEAT_RESERVED);
        }
    }
}

static void draw_members(const struct draw *d, const struct group *g, uint32_t subject)
{
    const struct pod_entry *m;
    struct device_paid paid = {0};
    skr_picture_unseat(d->picture, subject);
    DL_FOREACH(g->members, m)
    {
        const char *node = skr_view_node_of(m);
        if (node) {
            seat(d, subject, node, amount_of_pod(d, m, &paid),
                 skr_pods_is_bound(m) ? SKR_SEAT_FIRM : SKR_SEAT_PLANNED);
        }
    }
    skr_device_paid_fini(&paid);
    for (size_t i = 0; i < g->holds.n; i++) {
        seat(d, subject, g->holds.item[i].node, amount_of(d, g->holds.item[i].shape),
             SKR_SEAT_PLANNED);
    }
    if (g->booking) {
        draw_booking(d, g->booking, subject);
    }
}

/* ---- decisions ---- */

static bool kind_of(const char *reason, enum skr_picture_decision *ret)
{
    static const char *const name[] = {"GroupPlaced", "GroupBound", "GroupPreempted",
                                       "GroupUnplaced"};
    _Static_assert(sizeof name / sizeof *name == SKR_DECISION_KIND_COUNT, "names");
    for (int i = 0; i < SKR_DECISION_KIND_COUNT; i++) {
        if (strcmp(reason, name[i]) == 0) {
            *ret = (enum skr_picture_decision)i;
            return true;
        }
    }
    return false;
}

/* Events of the group that the picture has not seen. */
static void gather_decisions(struct draw *d, const struct group *g, uint32_t subject)
{
    uint64_t *seen = skr_picture_note(d->picture, subject);
    const size_t kept =
        g->reported.n_events > SKR_EVENTS_KEPT ? g->reported.n_events - SKR_EVENTS_KEPT : 0;
    for (size_t i = *seen > kept ? (size_t)*seen : kept; i < g->reported.n_events; i++) {
        const struct reported_event *event = &g->reported.event[i % SKR_EVENTS_KEPT];
        enum skr_picture_decision kind;
        if (kind_of(event->reason, &kind) && event->at >= d->v->now - DECISIONS_SINCE) {
            skr_grow(&d->news, &d->cap_news, d->n_news + 1, sizeof *d->news);
            d->news[d->n_news++] = (struct news){.at = event->at, .subject = subject, .kind = kind};
        }
    }
    *seen = g->reported.n_events;
}

static int by_time(const void *a, const void *b)
{
    const struct news *x = a, *y = b;
    if (x->at != y->at) {
        return x->at < y->at ? -1 : 1;
    }
    return x->subject != y->subject ? (x->subject < y->subject ? -1 : 1)
                                    : (int)x->kind - (int)y->kind;
}

static void report_decisions(struct draw *d)
{
    if (d->n_news > 0) {
        qsort(d->news, d->n_news, sizeof *d->news, by_time);
    }
    for (size_t i = 0; i < d->n_news; i++) {
        skr_picture_decide(d->picture, d->news[i].at, d->news[i].subject, d->news[i].kind);
    }
    free(d->news);
}

static bool has_amounts(const struct draw *d)
{
    return d->resource >= 0 || d->class_;
}

/* Changes whenever something is to be shown of the group that may differ. */
static uint64_t mark_of(const struct draw *d, const struct group *g)
{
    return g->stamp * 2 + has_amounts(d);
}

static int by_key(const void *a, const void *b)
{
    const struct group *g = *(const struct group *const *)a, *h = *(const struct group *const *)b;
    const int c = strcmp(g->namespace_, h->namespace_);
    return c ? c : strcmp(g->name, h->name);
}

static void draw_group(struct draw *d, const struct group *g)
{
    const char *sentence;
    const char *reason = skr_view_reason(d->v->e, g, &sentence);
    const uint32_t subject = describe(d, g, reason, sentence);
    draw_members(d, g, subject);
    gather_decisions(d, g, subject);
    skr_picture_mark(d->picture, subject, mark_of(d, g));
}

/* In the order of their names while all are new, so that numbers depend on nothing else. */
static void draw_all_groups(struct draw *d, bool anew)
{
    size_t n = 0;
    SKR_AUTO_FREE const struct group **list =
        skr_alloc_array(HASH_COUNT(d->v->e->groups) + 1, sizeof *list);
    const struct group *g, *tmp;
    HASH_ITER(hh, d->v->e->groups, g, tmp)
    {
        list[n++] = g;
    }
    if (anew) {
        qsort(list, n, sizeof *list, by_key);
    }
    for (size_t i = 0; i < n; i++) {
        if (!skr_picture_keep(d->picture, "Group", list[i]->namespace_, list[i]->name,
                              mark_of(d, list[i]), NULL)) {
            draw_group(d, list[i]);
        }
        if (i % LOOK_EVERY == LOOK_EVERY - 1 && skr_view_must_end(d->v)) {
            break;
        }
    }
}

static void draw_stamped_groups(struct draw *d)
{
    const struct group *g = skr_dirty_stamped_since(d->v->e, d->memory->looked);
    skr_picture_keep_others(d->picture);
    for (size_t drawn = 1; g; g = g->snext, drawn++) {
        draw_group(d, g);
        if (drawn % LOOK_EVERY == 0 && skr_view_must_end(d->v)) {
            return;
        }
    }
}

/* ---- the whole ---- */

/* Another number if classes came or went. */
static uint64_t classes_of(const struct skr_gang *e)
{
    const struct skr_devices_stock *stock = e->devices.stock;
    return stock->slices ? HASH_COUNT(stock->classes) + 1 : 0;
}

/* Of the argument, or the tree's own: as /v1/tree has it. */
static int choose(const struct draw *d, struct memory *m)
{
    struct skr_gang *e = d->v->e;
    struct tree_page page = {.v = d->v, .tree = e->topology.tree};
    page.leaf = skr_topology_leaf_nodes(e);
    const int code = skr_view_tree_asked(&page);
    if (code == 200) {
        const char *name[SHOWN_MAX];
        for (size_t i = 0; i < page.n_resources; i++) {
            name[i] = page.resource[i].name;
        }
        skr_picture_resources(d->picture, name, page.n_resources);
        snprintf(m->resource, sizeof m->resource, "%s", page.resource[page.looked_at].name);
        m->one = page.size.n > 0 ? page.size.item[0].amount : 1;
        m->one = m->one > 0 ? m->one : 1;
        m->chosen = e->seen.now;
        m->classes = classes_of(e);
    }
    return code;
}

/* The default rests on what nodes offer; what the query names stays, also if no node offers it. */
static bool must_choose(const struct view *v, const struct memory *m)
{
    const char *asked = v->query->argument[SKR_VIEW_RESOURCE];
    return m->one == 0 ||
           ((!asked || !*asked) && (skr_seen_changed(&v->e->seen, SEEN_NODES, m->chosen) ||
                                    m->classes != classes_of(v->e)));
}

/* Changes of devices that were reported before are reported again from now on. */
static void begin_class(struct draw *d)
{
    struct skr_devices_stock *stock = d->v->e->devices.stock;
    const char *class_ = skr_view_class_of(d->memory->resource);
    if (class_ && skr_devices_stock_class(stock, class_)) {
        d->class_ = class_;
        d->spec = skr_view_class_spec(d->v->e, class_, 1);
        stock->heard++;
    }
}

static int begin(struct draw *d)
{
    struct skr_gang *e = d->v->e;
    struct memory *m = skr_picture_memory(d->picture, sizeof *m);
    struct memory fresh = *m;
    const bool chooses = must_choose(d->v, &fresh);
    int code = chooses ? choose(d, &fresh) : 200;
    if (code != 200) {
        return code;
    }
    fresh.looked = fresh.one == m->one ? m->looked : 0;
    if (skr_picture_begin(d->picture, e->topology.tree, fresh.resource, d->v->now)) {
        if (!chooses) { /* another tree than the one that it was chosen for */
            code = choose(d, &fresh);
            if (code != 200) {
                return code;
            }
            skr_picture_begin(d->picture, e->topology.tree, fresh.resource, d->v->now);
        }
        fresh.looked = 0;
    }
    m = skr_picture_memory(d->picture, sizeof *m);
    *m = fresh;
    d->memory = m;
    d->resource = skr_resource_names_find(e->resources, m->resource);
    begin_class(d);
    return 200;
}

static void draw_all(struct draw *d)
{
    const struct memory *m = d->memory;
    const struct skr_gang *e = d->v->e;
    const bool some = m->looked > 0 && !skr_seen_changed(&e->seen, SEEN_CENSUS, m->looked) &&
                      m->counted == has_amounts(d);
    if (some) {
        draw_stamped_nodes(d);
    } else {
        draw_all_nodes(d);
    }
    if (d->v->interrupted) {
        return;
    }
    if (some) {
        draw_stamped_groups(d);
    } else {
        draw_all_groups(d, skr_picture_version(d->picture) == 0);
    }
}

/* looked: the stamp when it was begun. */
static void note_all(const struct draw *d, uint64_t looked)
{
    struct memory *m = skr_picture_memory(d->picture, sizeof *m);
    m->looked = looked;
    m->counted = has_amounts(d);
}

int skr_gang_draw(struct skr_gang *gang, const struct skr_view_query *query, skr_time now,
                  struct skr_picture *picture, enum skr_picture_news *ret_news,
                  struct skr_strbuf *out)
{
    struct view v = {.e = gang, .query = query, .now = now, .w = {.out = out}, .begin = out->len};
    struct draw d = {.v = &v, .picture = picture};
    if (!skr_frame_is_synced(gang->frame) || skr_frame_is_stopped(gang->frame)) {
        return skr_view_refuse(&v, 503, "not ready: the first lists are not complete");
    }
    if (!skr_frame_is_leader(gang->frame)) {
        return skr_view_refuse(&v, 503, "not leader");
    }
    if (!gang->topology.tree || gang->topology.tree->n_leaves == 0) {
        return skr_view_refuse(&v, 404,
                               "there is no tree: no valid topology ConfigMap, or no node");
    }
    const int code = begin(&d);
    if (code != 200) {
        return code;
    }
    const uint64_t looked = gang->seen.now;
    draw_all(&d);
    skr_devices_stock_forget_spec(gang->devices.stock, d.spec);
    report_decisions(&d); /* also of a description that is broken off: they are noted as seen */
    if (v.interrupted) {
        return SKR_VIEW_INTERRUPTED;
    }
    note_all(&d, looked);
    *ret_news = skr_picture_end(picture, out);
    return 200;
}
