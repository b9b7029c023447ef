/* SPDX-License-Identifier: Apache-2.0 */
/* Finds requests that are not counted: see explain_devices.h. */
#include "core/gang/explain/explain_devices.h"

#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/state/groups.h"

#include <string.h>
#include <utlist.h>

enum { DEVICES_SAID = 5 };

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

bool skr_devices_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b)
{
    struct wanted_devices list = {.n = 0};
    bool elsewhere = false;
    find(e, g, &list);
    for (size_t i = 0; i < list.n; i++) {
        const struct wanted_device *x = &list.item[i];
        const size_t listing = n_listing(e, x->resource);
        elsewhere = elsewhere || listing < e->n_nodes;
        skr_strbuf_add(b, i > 0 ? ". " : "");
        if (x->class) {
            skr_strbuf_addf(b, "Device class %s serves", x->class);
        } else {
            skr_strbuf_add(b, "A device class is assumed to serve");
        }
        skr_strbuf_addf(b, " %s, %lld a pod: %zu of %zu nodes list it and count it", x->resource,
                        (long long)x->amount, listing, e->n_nodes);
    }
    if (elsewhere) {
        skr_strbuf_add(b, ". On nodes that do not list it kube-scheduler decides by devices, which "
                          "are not counted here; a node that it refuses is not planned for ");
        skr_strbuf_addf(b, "%d s", SKR_VETO_S);
    }
    if (list.n > 0 && e->classes_forbidden) {
        skr_strbuf_add(b, ". The account may not read device classes: it needs list and watch on "
                          "deviceclasses.resource.k8s.io");
    }
    return elsewhere;
}
