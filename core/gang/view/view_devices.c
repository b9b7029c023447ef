/* SPDX-License-Identifier: Apache-2.0 */
/* A class of devices in the tree and the picture, as "class/NAME": devices of each node by state, those of
 * each pod, and how many pods that ask for some of them each node serves, after the planned pods there. */
#include "core/gang/cache/device_needs.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/view/view_tree.h"

#include <stdio.h>
#include <string.h>

#define PREFIX "class/"

const char *skr_view_class_of(const char *name)
{
    const size_t n = sizeof PREFIX - 1;
    return strncmp(name, PREFIX, n) == 0 && name[n] ? &name[n] : NULL;
}

const char *skr_view_class_choose(struct tree_page *p, const char *class_, int *ret_code)
{
    const char *chosen = p->class_name[0] ? &p->class_name[sizeof PREFIX - 1] : class_;
    if (!skr_devices_stock_class(p->v->e->devices.stock, class_)) {
        *ret_code = skr_view_refuse(p->v, 404, "there is no DeviceClass \"%.64s\"", class_);
        return NULL;
    }
    if (strcmp(chosen, class_) != 0) {
        *ret_code = skr_view_refuse(p->v, 400, PREFIX "%.100s and %.100s are two classes, name one",
                                    class_, p->class_name);
        return NULL;
    }
    (void)snprintf(p->class_name, sizeof p->class_name, PREFIX "%s", class_);
    return p->class_name;
}

/* The first by name of those with most devices. O(classes * devices). */
bool skr_view_class_usual(struct tree_page *p)
{
    struct skr_devices_census census;
    size_t most = 0, best = 0;
    skr_devices_count(p->v->e, &census);
    for (size_t i = 0; i < census.n && i < SKR_CENSUS_CLASSES; i++) {
        const size_t *n = census.of[i].n;
        const size_t all = n[SKR_CENSUS_FREE] + n[SKR_CENSUS_TAKEN] + n[SKR_CENSUS_TAINTED];
        best = all > most ? i : best;
        most = all > most ? all : most;
    }
    if (most > 0) {
        (void)snprintf(p->class_name, sizeof p->class_name, PREFIX "%s", census.of[best].name);
    }
    return most > 0;
}

size_t skr_view_class_list(struct tree_page *p)
{
    const struct skr_devices_stock *stock = p->v->e->devices.stock;
    const struct skr_stock_class *first[SHOWN_CLASSES_MAX], *c;
    size_t n = 0;
    for (c = stock->slices ? stock->classes : NULL; c; c = c->hh.next) {
        size_t i = n;
        while (i > 0 && strcmp(first[i - 1]->name, c->name) > 0) {
            i--;
        }
        if (i < SHOWN_CLASSES_MAX) {
            n += n < SHOWN_CLASSES_MAX;
            memmove(&first[i + 1], &first[i], (n - 1 - i) * sizeof *first);
            first[i] = c;
        }
    }
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(p->of_class[i], sizeof p->of_class[i], PREFIX "%s", first[i]->name);
    }
    return n;
}

const struct skr_claim_spec *skr_view_class_spec(const struct skr_gang *e, const char *class_,
                                                 int64_t n)
{
    return skr_devices_stock_extended(e->devices.stock, class_, n);
}

struct node_devices skr_view_class_node(const struct skr_gang *e, const struct node_entry *n,
                                        const char *class_)
{
    struct skr_census_class of;
    skr_devices_census_node(e->devices.stock, n->name, class_, NULL, &of);
    const size_t taken = of.n[SKR_CENSUS_TAKEN], tainted = of.n[SKR_CENSUS_TAINTED];
    const size_t all = of.n[SKR_CENSUS_FREE] + taken + tainted;
    return (struct node_devices){
        .all = (int64_t)all,
        .taken = n->node->ready ? (int64_t)taken : 0,
        .unusable = (int64_t)(!n->node->ready          ? all
                              : n->node->unschedulable ? all - taken
                                                       : tainted),
    };
}

int64_t skr_view_class_slots(struct skr_gang *e, const struct skr_claim_spec *spec,
                             const struct node_entry *n, int64_t slots)
{
    struct device_room room;
    if (!spec || slots == 0) {
        return slots;
    }
    const struct device_shape shape = {.n = 1, .spec = &spec};
    (void)skr_devices_room(e, NULL, &shape, n->name, &room);
    return room.most < slots ? room.most : slots;
}

/* What it asks for and has not got yet. */
static int64_t asked(struct skr_gang *e, const char *class_, const struct pod_entry *p,
                     const char *node, const struct device_paid *paid)
{
    struct device_shape shape;
    int64_t count = 0;
    (void)skr_device_shape_of(e, p->pod, p, paid, &shape);
    const size_t n = node ? skr_device_claims_on(e, &shape, node) : shape.n;
    for (size_t i = 0; i < n; i++) {
        const struct skr_claim_spec *spec = shape.spec[i];
        for (size_t k = 0; k < spec->n_asks; k++) { /* of alternatives the first */
            const struct skr_claim_request *request = &spec->request[spec->ask[k].first];
            const bool is = strcmp(request->class_, class_) == 0 && !request->admin;
            count = is && !request->all ? skr_amount_sum(count, request->count) : count;
        }
    }
    skr_device_shape_fini(e, &shape);
    return count;
}

int64_t skr_view_class_pod(struct skr_gang *e, const char *class_, const struct pod_entry *p,
                           const char *node, struct device_paid *paid)
{
    struct skr_census_class has = {.name = ""};
    if (node) {
        skr_devices_census_node(e->devices.stock, node, class_, p->pod->meta.uid, &has);
    }
    const int64_t taken = (int64_t)has.n[SKR_CENSUS_TAKEN];
    const bool whole = taken > 0 && skr_pods_is_bound(p);
    const int64_t count = whole ? taken : taken + asked(e, class_, p, node, paid);
    skr_device_paid_add(e, paid, p->pod);
    return count;
}
