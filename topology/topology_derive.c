/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of a cluster without a topology ConfigMap, from the rack labels of its nodes. Sorted, so
 * that the same nodes give the same tree whatever order they come in.
 */
#include <string.h>

#include "topology/topology_map.h"

static const char *const levels[] = {"rack", "node"};

struct place {
    const char *rack; /* "" in a flat tree */
    const char *node;
};

static int by_place(const void *a, const void *b)
{
    const struct place *x = a;
    const struct place *y = b;
    int order = strcmp(x->rack, y->rack);
    return order != 0 ? order : strcmp(x->node, y->node);
}

/* The rack of a node or NULL; a name that could not stand in a tree is none. */
static const char *rack_of(const struct skr_node *node)
{
    const char *rack = skr_labels_get(&node->meta.labels, SKR_RACK_LABEL);
    return rack && skr_tree_check_name("rack", rack, NULL) == 0 ? rack : NULL;
}

/* Notes a node that is left out. */
static void leave_out(const char *node, struct skr_topology_warnings *w)
{
    if (w->n_unlabelled++ == 0 || strcmp(node, w->first_unlabelled) < 0) {
        snprintf(w->first_unlabelled, sizeof w->first_unlabelled, "%s", node);
    }
}

/* Places of the nodes that have a rack, and how many; 0: none has. */
static size_t place_in_racks(const struct skr_node *const *nodes, size_t n, struct place *place,
                             struct skr_topology_warnings *warnings)
{
    size_t n_places = 0;
    for (size_t i = 0; i < n; i++) {
        const char *rack = rack_of(nodes[i]);
        if (rack) {
            place[n_places++] = (struct place){rack, nodes[i]->meta.name};
        } else {
            leave_out(nodes[i]->meta.name, warnings);
        }
    }
    return n_places;
}

static int add_places(struct skr_tree_builder *b, const struct place *place, size_t n, bool racks,
                      struct skr_error *error)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        if (racks && (i == 0 || strcmp(place[i - 1].rack, place[i].rack) != 0)) {
            rc = skr_tree_builder_add(b, 1, place[i].rack, error);
        }
        if (rc == 0) {
            rc = skr_tree_builder_add(b, racks ? 2 : 1, place[i].node, error);
        }
    }
    return rc;
}

void skr_topology_say_unlabelled(size_t n, const char *first, struct skr_strbuf *b)
{
    skr_strbuf_addf(b, "%zu node%s left out: no label %s (level %s), first %s", n,
                    n == 1 ? " is" : "s are", SKR_RACK_LABEL, levels[0], first);
}

int skr_topology_derive(const struct skr_node *const *nodes, size_t n, struct skr_tree **ret,
                        struct skr_topology_warnings *warnings, struct skr_error *error)
{
    static const char *const resources[] = {"cpu", "memory"};
    struct skr_topology_warnings left_out = {0};
    SKR_AUTO_FREE struct place *place = skr_alloc_array(n, sizeof place[0]);
    size_t n_places = place_in_racks(nodes, n, place, &left_out);
    const bool racks = n_places > 0;
    for (; !racks && n_places < n; n_places++) {
        place[n_places] = (struct place){"", nodes[n_places]->meta.name};
    }
    if (n_places > 1) {
        qsort(place, n_places, sizeof place[0], by_place);
    }
    struct skr_tree_builder *b = skr_tree_builder_create("default-tree");
    int rc = add_places(b, place, n_places, racks, error);
    if (rc == 0) {
        rc = skr_tree_builder_finish(b, racks ? levels : levels + 1, racks ? 2 : 1, resources, 2,
                                     ret, NULL, error);
    }
    skr_tree_builder_destroy(b);
    if (rc == 0 && warnings) {
        *warnings = racks ? left_out : (struct skr_topology_warnings){0};
    }
    return rc;
}
