/* SPDX-License-Identifier: Apache-2.0 */
#include "test/property/engine_world_waiter.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/cache/booked.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/spare.h"
#include "core/gang/group/group_table.h"
#include "core/time/end.h"
#include "test/property/engine_world_roles.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/json_fast.h"

enum { UNLIMITED = 1000 };

/* Pods that have Succeeded and are deleted: they are not made again (core/gang/group/generation.h). */
static int ended(const struct world *w, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "default/%s", name);
    const struct group *g = skr_groups_find(w->rig->gang, key);
    return g && g->generation.n_succeeded > 0 ? g->generation.ended : 0;
}

bool waiter_home(const struct world *w, struct waiter *g, int group)
{
    const struct rig_object *o, *double_ = rig_find(w->rig, RIG_MAP, "double");
    const bool podgroup = group == WORLD_PODGROUP;
    g->home = rig_find(w->rig, podgroup ? RIG_PODGROUP : RIG_MAP, g->name);
    if (!g->home || (w->partners && strcmp(g->name, "gb") == 0) ||
        (double_ && strcmp(rig_text(double_->json, "data.name"), g->name) == 0)) {
        return false;
    }
    o = g->home;
    const int minimum = atoi(rig_text(o->json, "data.minimum"));
    g->most = podgroup ? INT_MAX : atoi(rig_text(o->json, "data.size"));
    g->size = podgroup ? (int)json_integer_value(
                             json_object_get(json_object_get(o->json, "spec"), "minMember"))
              : minimum > 0 ? minimum
                            : g->most;
    g->open = g->size < g->most;
    g->ended = ended(w, g->name);
    g->size -= g->ended < g->size ? g->ended : g->size;
    g->most -= podgroup || g->ended > g->most ? 0 : g->ended;
    g->step = minimum > 0 ? atoi(rig_text(o->json, "data.step")) : 1;
    g->step = g->step > 0 ? g->step : 1;
    g->status = podgroup ? rig_meta_text(o->json, "annotations", "sakkara.status")
                         : rig_text(o->json, "data.status");
    g->reason = podgroup ? rig_meta_text(o->json, "annotations", "sakkara.reason")
                         : rig_text(o->json, "data.reason");
    g->message = podgroup ? rig_meta_text(o->json, "annotations", "sakkara.message")
                          : rig_text(o->json, "data.message");
    return strcmp(rig_text(o->json, "data.constraints"), "{") != 0 &&
           !world_roles_are_keyed(w, g->name);
}

/* ---- what the objects say ---- */

static bool is_terminal(const struct skr_pod *pod)
{
    return pod->phase == SKR_POD_SUCCEEDED || pod->phase == SKR_POD_FAILED;
}

int64_t waiter_cpu_of(const struct skr_quantities *q)
{
    for (size_t i = 0; i < q->n; i++) {
        if (strcmp(q->item[i].name, "cpu") == 0) {
            return q->item[i].amount;
        }
    }
    return 0;
}

json_t *waiter_tree(const struct world *w)
{
    const char *text = rig_key(w->rig, "topology", "tree");
    return json_fast_read(text, strlen(text), NULL);
}

static int rack_of(const json_t *tree, const char *node)
{
    const char *rack;
    json_t *nodes;
    int at = 0;
    json_object_foreach((json_t *)(uintptr_t)tree, rack, nodes)
    {
        if (json_object_get(nodes, node)) {
            return at;
        }
        at++;
    }
    return -1;
}

struct node_room *waiter_room_at(struct waiter *g, const char *node)
{
    for (int i = 0; i < g->n_nodes; i++) {
        if (strcmp(g->node[i].name, node) == 0) {
            return &g->node[i];
        }
    }
    return NULL;
}

/* Leaves of the tree whose node is gone: closed and without room. Members that still sit there, as a node may come
 * back before they are deleted, tie those of hard rules to their rack as any others. */
static void look_at_lost_nodes(struct waiter *g, const json_t *tree)
{
    const char *rack, *node;
    json_t *nodes, *leaf;
    json_object_foreach((json_t *)(uintptr_t)tree, rack, nodes)
    {
        json_object_foreach(nodes, node, leaf)
        {
            if (!waiter_room_at(g, node)) {
                g->node[g->n_nodes++] =
                    (struct node_room){.name = node, .rack = rack_of(tree, node)};
            }
        }
    }
}

static void look_at_nodes(const struct world *w, struct waiter *g, const json_t *tree)
{
    const struct rig_object *o;
    DL_FOREACH(w->rig->list, o)
    {
        if (o->kind == RIG_NODE) {
            const json_t *spec = json_object_get(o->json, "spec");
            g->node[g->n_nodes++] =
                (struct node_room){.name = o->key,
                                   .rack = rack_of(tree, o->key),
                                   .open = !json_is_true(json_object_get(spec, "unschedulable")) &&
                                           json_array_size(json_object_get(spec, "taints")) == 0,
                                   .has = waiter_cpu_of(&o->node->allocatable)};
        }
    }
    look_at_lost_nodes(g, tree);
}

/* Room of other groups' plans whose members are not bound yet. */
static void look_at_plan(const struct world *w, struct waiter *g, const struct rig_object *home)
{
    const char *text = rig_meta_text(home->json, "annotations", "sakkara.plan"), *uid;
    json_t *plan = *text ? json_fast_read(text, strlen(text), NULL) : NULL, *at;
    const struct rig_object *o;
    json_object_foreach(json_object_get(plan, "v") ? json_object_get(plan, "members") : NULL, uid,
                        at)
    {
        struct node_room *room = waiter_room_at(g, json_string_value(at));
        DL_FOREACH(w->rig->list, o)
        {
            if (room && o->kind == RIG_POD && strcmp(o->pod->meta.uid, uid) == 0 &&
                !*o->pod->node_name && skr_pod_is_live(o->pod)) {
                room->planned += waiter_cpu_of(&o->pod->shape->requests);
            }
        }
    }
    json_decref(plan);
}

void waiter_look_at_others(const struct world *w, struct waiter *g)
{
    const struct rig_object *o;
    DL_FOREACH(w->rig->list, o)
    {
        struct node_room *room = o->kind == RIG_POD && !is_terminal(o->pod)
                                     ? waiter_room_at(g, o->pod->node_name)
                                     : NULL;
        if (room) {
            room->used += waiter_cpu_of(&o->pod->shape->requests);
        } else if (o != g->home && o->kind != RIG_NODE &&
                   (o->kind != RIG_POD || skr_pod_is_live(o->pod))) { /* who goes carries none */
            look_at_plan(w, g, o);
        }
    }
}

void waiter_look_at_promises(const struct world *w, struct waiter *g, const struct group *self)
{
    const int64_t now = skr_instant_up(w->rig->now);
    const int64_t end = g->holds == INT64_MAX ? INT64_MAX : now + g->holds;
    for (int i = 0; i < g->n_nodes; i++) {
        g->node[i].planned += rig_promised(w->rig, "cpu", g->node[i].name, self, end);
    }
}

void waiter_look_at_seats(const struct rig *rig, struct waiter *g, const struct group *self)
{
    const struct group *h;
    DL_FOREACH2(rig->gang->holders.list, h, holds.next)
    {
        for (size_t i = 0; h != self && i < h->holds.n; i++) {
            struct node_room *room = waiter_room_at(g, h->holds.item[i].node);
            if (room) {
                room->planned += waiter_cpu_of(&h->holds.item[i].shape->spec->requests);
            }
        }
    }
}

bool waiter_is_promised(const struct rig *rig, const struct group *self, const char *node)
{
    const struct booked_node *booked = skr_booked_find(rig->gang, node);
    bool is = false;
    for (size_t i = 0; booked && i < booked->n; i++) {
        is = is || booked->use[i].booking->group != self;
    }
    return is;
}

void waiter_look_at_spares(const struct rig *rig, struct waiter *g, const struct group *self)
{
    const bool replaces = g->held > 0 && g->held < g->size;
    for (int i = 0; i < g->n_nodes && !replaces; i++) {
        const struct node_entry *n = skr_nodes_find(rig->gang, g->node[i].name);
        g->node[i].open = g->node[i].open && !(n && n->spare && !skr_spare_is_reserved(self, n));
    }
}

static bool is_older(const struct rig_object *a, const struct rig_object *b)
{
    return a->pod->meta.created != b->pod->meta.created
               ? a->pod->meta.created < b->pod->meta.created
               : strcmp(a->pod->meta.name, b->pod->meta.name) < 0;
}

/* How long the members that wait will hold their room. */
static void look_at_limits(struct waiter *g)
{
    const int limit = g->home ? atoi(rig_text(g->home->json, "data.run-limit")) : 0;
    int64_t most = 0, grace = 0;
    for (int i = 0; i < g->n_members; i++) {
        const struct skr_pod *pod = g->member[i]->pod;
        const int64_t own = pod->deadline_s > 0 ? pod->deadline_s : INT64_MAX;
        most = own > most ? own : most;
        grace = pod->grace_s > grace ? pod->grace_s : grace;
    }
    most = limit > 0 && limit < most ? limit : most;
    g->holds = most == INT64_MAX ? INT64_MAX : most + grace;
}

/* Seats go by age. */
static void look_at_members(const struct world *w, struct waiter *g)
{
    const struct rig_object *o, *waiting[WAITER_MEMBERS_MAX];
    const char *controller = NULL;
    int n = 0;
    g->plain = true;
    DL_FOREACH(w->rig->list, o)
    {
        if (o->kind != RIG_POD || strcmp(world_group_of(w, o), g->name) != 0) {
            continue;
        }
        bool alike = !controller || strcmp(controller, o->pod->controller_uid) == 0;
        controller = o->pod->controller_uid;
        g->plain =
            g->plain && skr_pod_is_live(o->pod) && alike && *controller && n < WAITER_MEMBERS_MAX;
        if (!g->plain) {
            return;
        }
        g->live++;
        struct node_room *room = waiter_room_at(g, o->pod->node_name);
        g->held += *o->pod->node_name != '\0';
        if (room) {
            room->held++;
        }
        if (!*o->pod->node_name) {
            int at = n++;
            while (at > 0 && is_older(o, waiting[at - 1])) {
                waiting[at] = waiting[at - 1];
                at--;
            }
            waiting[at] = o;
        }
    }
    int seats = g->most - g->held < n ? g->most - g->held : n;
    for (int i = 0; i < seats; i++) {
        int64_t cpu = waiter_cpu_of(&waiting[i]->pod->shape->requests);
        g->each = cpu > g->each && !waiting[i]->pod->foreign_gate ? cpu : g->each;
        g->waiting += !waiting[i]->pod->foreign_gate;
        g->gated += waiting[i]->pod->foreign_gate;
        if (!waiting[i]->pod->foreign_gate) {
            g->member[g->n_members++] = waiting[i];
        }
    }
    look_at_limits(g);
}

static void look_at_rules(struct waiter *g)
{
    const char *text = g->home ? rig_text(g->home->json, "data.constraints") : "";
    json_auto_t *rules = *text ? json_fast_read(text, strlen(text), NULL) : NULL;
    const json_t *rack = json_object_get(rules, "rack");
    g->pack =
        strcmp(rig_text(rack, "type"), "pack") == 0 && json_is_true(json_object_get(rack, "hard"));
    g->one_a_node = json_integer_value(json_object_get(json_object_get(rules, "node"), "max")) == 1;
}

void waiter_look(const struct world *w, struct waiter *g, const json_t *tree)
{
    look_at_nodes(w, g, tree);
    look_at_rules(g);
    look_at_members(w, g);
}

/* ---- all placements ---- */

/* Further members that the node can take, whatever the rules. */
static int slots_of(const struct waiter *g, const struct node_room *n, enum waiter_room kind)
{
    int64_t others = kind == WAITER_NOW ? n->used + n->planned : n->held * g->each;
    int64_t left = n->has - others;
    if (n->rack < 0 || (kind != WAITER_UNLIMITED && !n->open)) {
        return 0;
    }
    return kind == WAITER_UNLIMITED ? UNLIMITED : left > 0 ? (int)(left / g->each) : 0;
}

/* Members on nodes that are not in the tree tie nobody. */
static bool keeps_rules(const struct waiter *g, const int *more)
{
    int rack = -1;
    for (int i = 0; i < g->n_nodes; i++) {
        int sum = g->node[i].rack < 0 ? 0 : g->node[i].held + more[i];
        if (sum > 0 && g->pack && rack >= 0 && g->node[i].rack != rack) {
            return false;
        }
        if (g->one_a_node && sum > 1) {
            return false;
        }
        rack = sum > 0 ? g->node[i].rack : rack;
    }
    return true;
}

/* left: members; room: slots of the nodes from here on. */
static bool places(const struct waiter *g, const int *slots, int at, int left, int room, int *more)
{
    if (room < left) {
        return false;
    }
    if (at == g->n_nodes) {
        return left == 0 && keeps_rules(g, more);
    }
    for (int x = 0; x <= slots[at] && x <= left; x++) {
        more[at] = x;
        if (places(g, slots, at + 1, left - x, room - slots[at], more)) {
            return true;
        }
    }
    return false;
}

int waiter_least(const struct waiter *g)
{
    return g->held == 0        ? g->size
           : !g->open          ? g->waiting
           : g->held < g->size ? 1
                               : g->step - (g->held - g->size) % g->step;
}

bool waiter_fits(const struct waiter *g, enum waiter_room kind, int n)
{
    int more[WORLD_NODES], slots[WORLD_NODES], room = 0;
    for (int i = 0; i < g->n_nodes && g->each > 0; i++) {
        slots[i] = slots_of(g, &g->node[i], kind);
        room += slots[i];
    }
    return g->each > 0 && places(g, slots, 0, n, room, more);
}

int waiter_most_that_fit(const struct waiter *g)
{
    int n = g->waiting;
    while (n > 0 && !waiter_fits(g, WAITER_NOW, n)) {
        n--;
    }
    return n;
}

int waiter_free_slots(const struct waiter *g)
{
    int sum = 0;
    for (int i = 0; i < g->n_nodes && g->each > 0; i++) {
        int here = slots_of(g, &g->node[i], WAITER_NOW);
        sum += here < g->waiting ? here : g->waiting;
    }
    return sum;
}

/* ---- words ---- */

void waiter_expect(struct world *w, const struct waiter *g, bool so, const char *what)
{
    if (so) {
        return;
    }
    for (int i = 0; i < g->n_nodes; i++) {
        const struct node_room *n = &g->node[i];
        fprintf(stderr, "  %s of rack %d%s: %lld m, %lld used, %lld planned, %d members\n", n->name,
                n->rack, n->open ? "" : ", closed", (long long)n->has, (long long)n->used,
                (long long)n->planned, n->held);
    }
    rig_fail(
        w->rig,
        "group %s, status %s, reason %s: %s\n  size %d, %d live, %d held, %d of %lld m wait; %d "
        "fit, %d slots\n  \"%s\"",
        g->name, g->status, g->reason, what, g->size, g->live, g->held, g->waiting,
        (long long)g->each, waiter_most_that_fit(g), waiter_free_slots(g), g->message);
}
