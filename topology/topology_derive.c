/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of a cluster without a topology ConfigMap, from the rack labels of its nodes. Sorted, so
 * that the same nodes give the same tree whatever order they come in.
 */
#include <string.h>

#include "topology/topology_map.h"

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

static bool have_racks(const struct skr_node *const *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!rack_of(nodes[i])) {
            return false;
        }
    }
    return n != 0;
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

int skr_topology_derive(const struct skr_node *const *nodes, size_t n, struct skr_tree **ret,
                        struct skr_error *error)
{
    static const char *const levels[] = {"rack", "node"};
    static const char *const resources[] = {"cpu", "memory"};
    bool racks = have_racks(nodes, n);
    SKR_AUTO_FREE struct place *place = skr_alloc_array(n, sizeof place[0]);

    for (size_t i = 0; i < n; i++) {
        place[i].rack = racks ? rack_of(nodes[i]) : "";
        place[i].node = nodes[i]->meta.name;
    }
    if (n > 1) {
        qsort(place, n, sizeof place[0], by_place);
    }
    struct skr_tree_builder *b = skr_tree_builder_create("default-tree");
    int rc = add_places(b, place, n, racks, error);
    if (rc == 0) {
        rc = skr_tree_builder_finish(b, racks ? levels : levels + 1, racks ? 2 : 1, resources, 2,
                                     ret, NULL, error);
    }
    skr_tree_builder_destroy(b);
    return rc;
}
