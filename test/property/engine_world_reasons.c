/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reasons of groups that wait, judged while room is scarce: users and faults rest, and what is said of a group is compared
 * with what the API server's objects say, by trying all placements (at most nine nodes and six members).
 *
 *   nobody_waits_in_vain   a group whose members are there and fit now is Bound: no wake-up was lost
 *   every_wait_has_a_reason
 *   MembersMissing         members are missing, as many as it says
 *   WaitingForCapacity     there is no placement now, and as much room as it says
 *   TopologyPlacementFailed  there is enough room, and no placement under the rules; its numbers
 *   NeverFits              nor is there one when all other pods are gone
 *   ConstraintConflict     nor with as much room as one likes
 *
 * What is not judged: groups with members of several controllers or that have ended (whose turn it is then is decided by
 * core/gang/membership.c and judged by its tests), groups of labels alone, numbers of open PodGroups, whatever waits for the
 * eviction of others, groups that give way as long as members of theirs run (whoever joined them would have to go, too), and
 * the reasons FilteredByOthers, GroupNotFound, GroupInvalid, DuplicateGroup and TopologyMissing.
 */
#include "test/property/engine_world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "test/unit/engine_rig_parts.h"
#include "test/unit/json_fast.h"

enum { RACKS_MAX = 3, MEMBERS_MAX = 12, UNLIMITED = 1000 };

struct node_room {
    const char *name;
    int rack;  /* in the tree; -1: in none */
    bool open; /* ready for new pods */
    int64_t has, used, planned;
    int held; /* members that are bound here */
};

struct waiter { /* a group, as the objects say */
    const char *name, *status, *reason, *message;
    const struct rig_object *home; /* NULL: labels */
    int size, live, held, waiting,
        gated;        /* waiting: with a seat; gated: so too, by others' gates */
    bool open, plain; /* plain: its members are judged */
    bool pack, one_a_node;
    int64_t each; /* cpu of a new member */
    int n_nodes;
    struct node_room node[WORLD_NODES];
};

/* ---- what the objects say ---- */

static bool is_terminal(const struct skr_pod *pod)
{
    return pod->phase == SKR_POD_SUCCEEDED || pod->phase == SKR_POD_FAILED;
}

static int64_t cpu_of(const struct skr_quantities *q)
{
    for (size_t i = 0; i < q->n; i++) {
        if (strcmp(q->item[i].name, "cpu") == 0) {
            return q->item[i].amount;
        }
    }
    return 0;
}

static json_t *tree_of(const struct world *w)
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

static struct node_room *room_at(struct waiter *g, const char *node)
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
            if (!room_at(g, node)) {
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
                                   .has = cpu_of(&o->node->allocatable)};
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
        struct node_room *room = room_at(g, json_string_value(at));
        DL_FOREACH(w->rig->list, o)
        {
            if (room && o->kind == RIG_POD && strcmp(o->pod->meta.uid, uid) == 0 &&
                !*o->pod->node_name && skr_pod_is_live(o->pod)) {
                room->planned += cpu_of(&o->pod->shape.requests);
            }
        }
    }
    json_decref(plan);
}

static void look_at_others(const struct world *w, struct waiter *g)
{
    const struct rig_object *o;
    DL_FOREACH(w->rig->list, o)
    {
        struct node_room *room =
            o->kind == RIG_POD && !is_terminal(o->pod) ? room_at(g, o->pod->node_name) : NULL;
        if (room) {
            room->used += cpu_of(&o->pod->shape.requests);
        } else if (o != g->home && o->kind != RIG_NODE &&
                   (o->kind != RIG_POD || skr_pod_is_live(o->pod))) { /* who goes carries none */
            look_at_plan(w, g, o);
        }
    }
}

static bool is_older(const struct rig_object *a, const struct rig_object *b)
{
    return a->pod->meta.created != b->pod->meta.created
               ? a->pod->meta.created < b->pod->meta.created
               : strcmp(a->pod->meta.name, b->pod->meta.name) < 0;
}

/* Seats go by age; a PodGroup has one for everybody. */
static void look_at_members(const struct world *w, struct waiter *g)
{
    const struct rig_object *o, *waiting[MEMBERS_MAX];
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
        g->plain = g->plain && skr_pod_is_live(o->pod) && alike && *controller && n < MEMBERS_MAX;
        if (!g->plain) {
            return;
        }
        g->live++;
        struct node_room *room = room_at(g, o->pod->node_name);
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
    int seats = g->open ? n : g->size - g->held < n ? g->size - g->held : n;
    for (int i = 0; i < seats; i++) {
        int64_t cpu = cpu_of(&waiting[i]->pod->shape.requests);
        g->each = cpu > g->each && !waiting[i]->pod->foreign_gate ? cpu : g->each;
        g->waiting += !waiting[i]->pod->foreign_gate;
        g->gated += waiting[i]->pod->foreign_gate;
    }
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

/* ---- all placements ---- */

enum room_kind { ROOM_NOW, ROOM_EMPTY, ROOM_UNLIMITED };

/* Further members that the node can take, whatever the rules. */
static int slots_of(const struct waiter *g, const struct node_room *n, enum room_kind kind)
{
    int64_t others = kind == ROOM_NOW ? n->used + n->planned : n->held * g->each;
    int64_t left = n->has - others;
    if (n->rack < 0 || (kind != ROOM_UNLIMITED && !n->open)) {
        return 0;
    }
    return kind == ROOM_UNLIMITED ? UNLIMITED : left > 0 ? (int)(left / g->each) : 0;
}

static bool keeps_rules(const struct waiter *g, const int *more)
{
    int rack = -1;
    for (int i = 0; i < g->n_nodes; i++) {
        int sum = g->node[i].held + more[i];
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

static bool places(const struct waiter *g, enum room_kind kind, int at, int left, int *more)
{
    if (at == g->n_nodes) {
        return left == 0 && keeps_rules(g, more);
    }
    int most = slots_of(g, &g->node[at], kind);
    for (int x = 0; x <= most && x <= left; x++) {
        more[at] = x;
        if (places(g, kind, at + 1, left - x, more)) {
            return true;
        }
    }
    return false;
}

/* Whether n more members have a place. */
static bool fits(const struct waiter *g, enum room_kind kind, int n)
{
    int more[WORLD_NODES];
    return g->each > 0 && places(g, kind, 0, n, more);
}

static int most_that_fit(const struct waiter *g)
{
    int n = g->waiting;
    while (n > 0 && !fits(g, ROOM_NOW, n)) {
        n--;
    }
    return n;
}

/* As the sentence counts: of each node no more than there are members. */
static int free_slots(const struct waiter *g)
{
    int sum = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        int here = slots_of(g, &g->node[i], ROOM_NOW);
        sum += here < g->waiting ? here : g->waiting;
    }
    return sum;
}

/* ---- judgement ---- */

static void expect(struct world *w, const struct waiter *g, bool so, const char *what)
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
        (long long)g->each, most_that_fit(g), free_slots(g), g->message);
}

static bool says(const struct waiter *g, const char *format, ...) SKR_PRINTF(2, 3);
static bool says(const struct waiter *g, const char *format, ...)
{
    char part[160];
    va_list args;
    va_start(args, format);
    vsnprintf(part, sizeof part, format, args);
    va_end(args);
    return strstr(g->message, part);
}

static void judge_missing(struct world *w, const struct waiter *g)
{
    expect(w, g, g->held + g->waiting < g->size, "members are there");
    if (g->held > 0) {
        expect(w, g, says(g, " has %d of ", g->held) && says(g, " of %d members bound", g->size),
               "other numbers");
    } else if (g->gated == 0) {
        expect(w, g, says(g, " has %d of ", g->waiting) && says(g, " of %d members", g->size),
               "other numbers");
    } else {
        expect(w, g, says(g, ", %d held by other gates", g->gated), "other numbers");
    }
}

static void judge_numbers(struct world *w, const struct waiter *g)
{
    int fit = most_that_fit(g);
    if (g->open || strstr(g->message, " gives way to ")) {
        return; /* of an open one as many are tried as may fit */
    }
    expect(w, g,
           says(g, "needs %d %sslot", g->waiting, g->held ? "more " : "") ||
               strstr(g->message, " a pod, the largest node has "),
           "another need");
    if (strstr(g->message, " free on eligible nodes")) {
        expect(w, g,
               says(g, ", %d is free on", free_slots(g)) ||
                   says(g, ", %d are free on", free_slots(g)),
               "another number is free");
    } else if (strstr(g->message, "leave room for")) {
        expect(w, g, says(g, "leave room for %d", fit), "another number has room");
    } else if (strstr(g->message, "the nodes open to it have")) {
        expect(w, g, says(g, "the nodes open to it have %d", fit), "another number is open");
    } else if (strstr(g->message, "fit now") || strstr(g->message, "fits now")) {
        expect(w, g, says(g, " %d fit", fit), "another number fits now");
    } else if (strstr(g->message, "best rack has")) {
        expect(w, g, says(g, "best rack has %d", fit), "the best rack has another number");
    } else if (strstr(g->message, " free there")) {
        expect(w, g, says(g, "; %d is free", fit) || says(g, "; %d are free", fit),
               "another number is free there");
    }
}

static void judge_room(struct world *w, const struct waiter *g)
{
    int least = !g->open ? g->waiting : g->held > 0 ? 1 : g->size;
    expect(w, g, !fits(g, ROOM_NOW, least), "it fits");
    if (strcmp(g->reason, "NeverFits") == 0) {
        expect(w, g, !fits(g, ROOM_EMPTY, least), "it fits when all others are gone");
    } else if (strcmp(g->reason, "ConstraintConflict") == 0) {
        expect(w, g, !fits(g, ROOM_UNLIMITED, least), "its rules can be met");
        return;
    } else if (strcmp(g->reason, "TopologyPlacementFailed") == 0) {
        expect(w, g, free_slots(g) >= least, "there is too little room whatever the rules");
        expect(w, g, fits(g, ROOM_EMPTY, least), "it never fits");
    }
    judge_numbers(w, g);
}

static bool is_about_room(const char *reason)
{
    return strcmp(reason, "NeverFits") == 0 || strcmp(reason, "ConstraintConflict") == 0 ||
           strcmp(reason, "TopologyPlacementFailed") == 0 ||
           strcmp(reason, "WaitingForCapacity") == 0;
}

static void judge(struct world *w, const struct waiter *g)
{
    if (strcmp(g->reason, "MembersMissing") == 0) {
        judge_missing(w, g);
    } else if (is_about_room(g->reason)) {
        judge_room(w, g);
    }
    bool whole = g->held == 0 && g->waiting >= g->size && g->gated == 0;
    expect(w, g, !whole || !fits(g, ROOM_NOW, g->size), "it fits and waits");
    expect(w, g, !whole || *g->reason, "it waits without a reason");
}

/* ---- the groups ---- */

/* The one map or PodGroup that defines it, with rules that can be read; false: there is none, or more. */
static bool look_at_home(const struct world *w, struct waiter *g, int group)
{
    const struct rig_object *o, *double_ = rig_find(w->rig, RIG_MAP, "double");
    g->open = group == WORLD_PODGROUP;
    g->home = rig_find(w->rig, g->open ? RIG_PODGROUP : RIG_MAP, g->name);
    if (!g->home || (double_ && strcmp(rig_text(double_->json, "data.name"), g->name) == 0)) {
        return false;
    }
    o = g->home;
    g->size = g->open ? (int)json_integer_value(
                            json_object_get(json_object_get(o->json, "spec"), "minMember"))
                      : atoi(rig_text(o->json, "data.size"));
    g->status = g->open ? rig_meta_text(o->json, "annotations", "sakkara.status")
                        : rig_text(o->json, "data.status");
    g->reason = g->open ? rig_meta_text(o->json, "annotations", "sakkara.reason")
                        : rig_text(o->json, "data.reason");
    g->message = g->open ? rig_meta_text(o->json, "annotations", "sakkara.message")
                         : rig_text(o->json, "data.message");
    return strcmp(rig_text(o->json, "data.constraints"), "{") != 0;
}

void world_check_reasons(struct world *w)
{
    json_auto_t *tree = tree_of(w);
    for (int i = 0; tree && i <= WORLD_PODGROUP; i++) {
        struct waiter g = {.name = world_group[i]};
        if (!look_at_home(w, &g, i) || strcmp(g.status, "Preempting") == 0) {
            continue;
        }
        look_at_nodes(w, &g, tree);
        look_at_rules(&g);
        look_at_members(w, &g);
        bool leaves = strcmp(g.status, "Preempted") == 0 && g.held > 0;
        if (g.plain && g.live > 0 && !leaves) {
            look_at_others(w, &g);
            judge(w, &g);
        }
    }
}
