/* SPDX-License-Identifier: Apache-2.0 */
/* A class of devices in the tree, as "class/NAME": devices of each node by state, and how many pods that
 * ask for some of them each node serves, after the planned pods there. */
#include "core/gang/cache/devices.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/view/view_tree.h"

#include <stdio.h>
#include <string.h>

#define PREFIX "class/"

bool skr_view_is_class(const char *word, size_t len)
{
    return len > sizeof PREFIX - 1 && strncmp(word, PREFIX, sizeof PREFIX - 1) == 0;
}

int skr_view_class_choose(struct tree_page *p, const char *word, size_t len)
{
    char name[sizeof p->class_name];
    if (len < sizeof name) {
        (void)snprintf(name, sizeof name, "%.*s", (int)len, word);
    }
    if (len >= sizeof name ||
        !skr_devices_stock_class(p->v->e->devices.stock, &name[sizeof PREFIX - 1])) {
        return skr_view_refuse(p->v, 404, "there is no DeviceClass \"%.*s\"",
                               (int)(len < 128 ? len - sizeof PREFIX + 1 : 64),
                               &word[sizeof PREFIX - 1]);
    }
    if (p->class_name[0] && strcmp(p->class_name, name) != 0) {
        return skr_view_refuse(p->v, 400, "%.100s and %.100s are two classes, name one", name,
                               p->class_name);
    }
    memcpy(p->class_name, name, sizeof name);
    return 200;
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

void skr_view_class_begin(struct tree_page *p)
{
    if (p->slot_devices > 0) {
        p->slot_spec = skr_devices_stock_extended(
            p->v->e->devices.stock, &p->class_name[sizeof PREFIX - 1], p->slot_devices);
    }
}

void skr_view_class_end(struct tree_page *p)
{
    skr_devices_stock_forget_spec(p->v->e->devices.stock, p->slot_spec);
}

void skr_view_class_sum(struct tree_page *p, const struct node_entry *n, size_t at)
{
    struct skr_census_class of;
    skr_devices_census_node(p->v->e->devices.stock, n->name, &p->class_name[sizeof PREFIX - 1],
                            &of);
    const size_t all = of.n[SKR_CENSUS_FREE] + of.n[SKR_CENSUS_TAKEN] + of.n[SKR_CENSUS_TAINTED];
    p->allocatable[at] = (int64_t)all;
    p->charged[at] = n->node->ready ? (int64_t)of.n[SKR_CENSUS_TAKEN] : 0;
    p->unusable[at] = !n->node->ready          ? (int64_t)all
                      : n->node->unschedulable ? (int64_t)(all - of.n[SKR_CENSUS_TAKEN])
                                               : (int64_t)of.n[SKR_CENSUS_TAINTED];
}

int64_t skr_view_class_slots(struct tree_page *p, const struct node_entry *n, int64_t slots)
{
    struct device_room room;
    if (!p->slot_spec || slots == 0) {
        return slots;
    }
    const struct device_shape shape = {.n = 1, .spec = &p->slot_spec};
    (void)skr_devices_room(p->v->e, NULL, &shape, n->name, &room);
    return room.most < slots ? room.most : slots;
}
