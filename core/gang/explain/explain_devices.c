/* SPDX-License-Identifier: Apache-2.0 */
/* What members ask for, and what nodes have of it: see explain_devices.h. */
#include "core/gang/explain/explain_devices.h"

#include "core/devices/pod_problem.h"
#include "core/gang/cache/device_pools.h"
#include "core/gang/cache/devices.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/state/groups.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { DEVICES_SAID = 5, SHAPES_SAID = 3 };

struct wanted_device {
    const char *resource, *class; /* class NULL: one is assumed */
    int64_t amount;               /* the most that a member requests */
};

struct wanted_devices {
    struct wanted_device item[DEVICES_SAID];
    size_t n;
};

static void add(struct wanted_devices *list, const struct skr_quantity_item *request,
                const char *class)
{
    size_t i = 0;
    while (i < list->n && strcmp(list->item[i].resource, request->name) != 0) {
        i++;
    }
    if (i == DEVICES_SAID) {
        return;
    }
    if (i == list->n) {
        list->item[list->n++] = (struct wanted_device){request->name, class, 0};
    }
    if (request->amount > list->item[i].amount) {
        list->item[i].amount = request->amount;
    }
}

static void find(const struct skr_gang *e, const struct group *g, struct wanted_devices *list)
{
    const struct shape *seen = NULL;
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (p->shape == seen || skr_pods_is_bound(p) || !p->seated) {
            continue;
        }
        seen = p->shape;
        for (size_t i = 0; i < p->shape->spec->requests.n; i++) {
            const struct skr_quantity_item *request = &p->shape->spec->requests.item[i];
            const char *class;
            if (request->amount > 0 &&
                skr_resource_names_is_served(e->resources, request->name, &class)) {
                add(list, request, class);
            }
        }
    }
}

static size_t n_listing(const struct skr_gang *e, const char *resource)
{
    const int id = skr_resource_names_find(e->resources, resource);
    const struct node_entry *n;
    size_t found = 0;
    for (size_t at = 0; id >= 0 && (n = skr_nodes_next(e, &at));) {
        found += skr_ledger_allocatable(e->ledger, n->name, (uint16_t)id) > 0 ? 1u : 0;
    }
    return found;
}

/* Some node does not list one of the resources. */
static bool is_elsewhere(const struct skr_gang *e, const struct wanted_devices *list)
{
    size_t i = 0;
    while (i < list->n && n_listing(e, list->item[i].resource) == e->n_nodes) {
        i++;
    }
    return i < list->n;
}

static bool waits(const struct pod_entry *p)
{
    return p->seated && !skr_pods_is_bound(p);
}

static bool has_claims(const struct group *g)
{
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (waits(p) && skr_devices_has_claims(p->pod)) {
            return true;
        }
    }
    return false;
}

static bool are_of_classes(const struct skr_gang *e, const struct group *g)
{
    struct wanted_devices list = {.n = 0};
    find(e, g, &list);
    return is_elsewhere(e, &list);
}

bool skr_devices_are_wanted(const struct skr_gang *e, const struct group *g)
{
    return has_claims(g) || are_of_classes(e, g);
}

/* ---- what nodes have ---- */

struct standing {
    struct device_room sum; /* of all nodes that count; most: of one node */
    int64_t places;
    bool regional; /* devices of claims of regions are added by region */
    size_t n_nodes, n_uncounted;
    struct device_room greedy; /* of a node where another order of devices serves most pods more */
    const char *greedy_node;   /* the first of these by name; NULL: there is none */
    const char *why, *node;    /* of the first that is not counted */
};

/* Whether all members that wait may go to the node. */
static bool is_open(struct pod_entry *const *list, size_t n, const struct node_entry *node)
{
    const struct shape *seen = NULL;
    bool open = node->node;
    for (size_t i = 0; open && i < n; i++) {
        open = list[i]->shape == seen ||
               skr_pod_shape_check_node(list[i]->shape->spec, node->node) == SKR_ELIGIBLE;
        seen = list[i]->shape;
    }
    return open;
}

/* Devices of all nodes are the same on each, and so are those of a region on its nodes. place: it is no node, but a
 * region. */
static void add_room(const struct skr_gang *e, const struct device_shape *shape, bool place,
                     struct standing *s, const struct device_room *room)
{
    for (size_t i = 0; i < SKR_STAND_CLAIMS && i < shape->n; i++) {
        const enum skr_claim_reach reach = skr_claim_reach_of(e->devices.stock, shape->spec[i]);
        const bool again = reach == SKR_CLAIM_OF_ALL_NODES && s->n_nodes - s->n_uncounted > 1;
        const bool counts = place == (s->regional && reach == SKR_CLAIM_OF_REGIONS) && !again;
        for (size_t k = 0; k < SKR_STAND_REQUESTS && counts; k++) {
            s->sum.claim[i][k].all += room->claim[i][k].all;
            s->sum.claim[i][k].free += room->claim[i][k].free;
            s->sum.claim[i][k].tainted += room->claim[i][k].tainted;
            s->sum.claim[i][k].fails += room->claim[i][k].fails;
        }
    }
}

static void add_regions(struct skr_gang *e, const struct group *g, const struct device_shape *shape,
                        const struct device_needs *needs, const struct device_regions *regions,
                        struct standing *s)
{
    int64_t most = 0;
    for (size_t i = 0; i < regions->n; i++) {
        struct device_room room;
        most += skr_device_pools_most_in(e, g, needs, regions->name[i], false);
        if (skr_devices_room(e, g, shape, regions->name[i], &room) && !room.why) {
            add_room(e, shape, true, s, &room);
        }
    }
    s->places = s->places > most ? most : s->places;
}

static void note_order(struct standing *s, const char *node, const struct device_room *room)
{
    const int32_t more = room->other - room->most, had = s->greedy.other - s->greedy.most;
    const bool same = s->greedy_node && more == had && strcmp(node, s->greedy_node) < 0;
    if (more > 0 && (more > had || same)) {
        s->greedy = *room;
        s->greedy_node = node;
    }
}

static void stand(struct skr_gang *e, const struct group *g, struct pod_entry *const *list,
                  size_t n, const struct device_shape *shape, struct standing *ret)
{
    const struct device_needs needs = {.n = 1, .shape = {*shape}};
    struct device_regions regions;
    const struct node_entry *node;
    *ret = (struct standing){.regional = skr_device_pools_regions(e, &needs, &regions)};
    for (size_t at = 0; (node = skr_nodes_next(e, &at));) {
        struct device_room room;
        if (!is_open(list, n, node) || !skr_devices_room(e, g, shape, node->name, &room)) {
            continue;
        }
        ret->n_nodes++;
        if (!room.why) {
            note_order(ret, node->name, &room);
            ret->places += room.most;
            ret->sum.most = room.most > ret->sum.most ? room.most : ret->sum.most;
            add_room(e, shape, false, ret, &room);
            continue;
        }
        if (ret->n_uncounted++ == 0 || strcmp(node->name, ret->node) < 0) {
            ret->node = node->name;
            ret->why = room.why;
        }
    }
    if (ret->regional) {
        add_regions(e, g, shape, &needs, &regions, ret);
        free(regions.of_leaf);
    }
    const int32_t most = skr_device_pools_most(e, g, &needs);
    ret->places = ret->places > most ? most : ret->places;
}

/* ---- what is said ---- */

static void say_request(const struct device_shape *shape, size_t claim, size_t i,
                        const struct skr_sequence_stand *stand, struct skr_strbuf *b)
{
    const struct skr_claim_request *request = &shape->spec[claim]->request[i];
    if (request->all) {
        skr_strbuf_add(b, "all devices");
    } else {
        skr_strbuf_addf(b, "%lld %s", (long long)request->count,
                        request->count == 1 ? "device" : "devices");
    }
    skr_strbuf_addf(b, " of class %s", request->class_);
    if (shape->resource && claim + 1 == shape->n) {
        skr_strbuf_addf(b, " for %s", shape->resource);
    }
    if (stand->all + stand->tainted + stand->fails == 0) {
        skr_strbuf_add(b, " (no device matches)");
        return;
    }
    skr_strbuf_addf(b, " (%zu of %zu are free", stand->free, stand->all);
    if (stand->tainted > 0) {
        skr_strbuf_addf(b, ", %zu tainted", stand->tainted);
    }
    if (stand->fails > 0) {
        skr_strbuf_addf(b, ", a selector fails for %zu", stand->fails);
    }
    skr_strbuf_addc(b, ')');
}

static void say_shape(const struct device_shape *shape, const struct standing *s,
                      struct skr_strbuf *b)
{
    bool first = true;
    skr_strbuf_add(b, "A pod wants ");
    for (size_t claim = 0; claim < shape->n && claim < SKR_STAND_CLAIMS; claim++) {
        const struct skr_claim_spec *spec = shape->spec[claim];
        for (size_t a = 0; a < spec->n_asks; a++) {
            const struct skr_claim_ask *ask = &spec->ask[a];
            for (size_t i = ask->first; i < ask->first + ask->n && i < SKR_STAND_REQUESTS; i++) {
                skr_strbuf_add(b, first ? "" : i > ask->first ? " or " : " and ");
                say_request(shape, claim, i, &s->sum.claim[claim][i], b);
                first = false;
            }
        }
    }
    skr_strbuf_addf(b, ": devices for %lld more %s", (long long)s->places,
                    s->places == 1 ? "pod" : "pods");
    if (s->places > 0) {
        skr_strbuf_addf(b, ", at most %d on a node", s->sum.most);
    }
    if (s->greedy_node) {
        skr_strbuf_addf(b,
                        ". On %s kube-scheduler's order of devices fits %d, another %d: narrow the "
                        "first request",
                        s->greedy_node, s->greedy.most, s->greedy.other);
    }
}

/* Each resource of a class, and how many nodes count it. */
static void say_classes(const struct skr_gang *e, const struct wanted_devices *list,
                        struct skr_strbuf *b)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct wanted_device *x = &list->item[i];
        if (x->class) {
            skr_strbuf_addf(b, "Device class %s serves", x->class);
        } else {
            skr_strbuf_add(b, "A device class is assumed to serve");
        }
        skr_strbuf_addf(b, " %s, %lld a pod: %zu of %zu nodes list it and count it. ", x->resource,
                        (long long)x->amount, n_listing(e, x->resource), e->n_nodes);
    }
}

static void say_uncounted(const struct skr_gang *e, const struct group *g, const char *why,
                          const struct standing *s, struct skr_strbuf *b)
{
    struct wanted_devices list = {.n = 0};
    find(e, g, &list);
    say_classes(e, &list, b);
    if (s) {
        skr_strbuf_addf(b, "Devices are not counted on %zu of %zu nodes (%s: %s)", s->n_uncounted,
                        s->n_nodes, s->node, s->why);
    } else {
        skr_strbuf_addf(b, "Devices are not counted%s: %s",
                        list.n > 0 ? " where nodes do not list it" : "", why);
    }
    skr_strbuf_addf(b, ". kube-scheduler decides; a node that it refuses is not planned for %d s",
                    SKR_VETO_S);
    if (list.n > 0 && e->classes_forbidden) {
        skr_strbuf_add(b, ". The account may not read device classes: it needs list and watch on "
                          "deviceclasses.resource.k8s.io");
    }
}

void skr_devices_say(struct skr_gang *e, const struct group *g, struct skr_strbuf *counted,
                     struct skr_strbuf *uncounted)
{
    size_t n = 0, cap = 0;
    struct pod_entry **list = NULL, *p;
    const char *why;
    if (!skr_devices_are_wanted(e, g)) {
        return;
    }
    DL_FOREACH(g->members, p)
    {
        if (waits(p)) {
            skr_grow(&list, &cap, n + 1, sizeof(struct pod_entry *));
            list[n++] = p;
        }
    }
    struct device_needs *needs = skr_devices_explain(e, list, n, &why);
    if (why) {
        say_uncounted(e, g, why, NULL, uncounted);
    }
    for (size_t i = 0; needs && i < needs->n && i < SHAPES_SAID; i++) {
        struct standing s;
        stand(e, g, list, n, &needs->shape[i], &s);
        if (s.n_uncounted < s.n_nodes) {
            skr_strbuf_add(counted, counted->len > 0 ? ". " : "");
            say_shape(&needs->shape[i], &s, counted);
        }
        if (s.n_uncounted > 0 && uncounted->len == 0) {
            say_uncounted(e, g, NULL, &s, uncounted);
        }
    }
    skr_devices_needs_unref(e, needs);
    free(list);
}
