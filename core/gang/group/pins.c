/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the given node of a member: pins.h. */
#include "core/gang/group/pins.h"

#include "core/gang/cache/nodes.h"

#include <string.h>

static const char hostname[] = "kubernetes.io/hostname";

/* metadata.name of the only term; kube-scheduler permits one value. */
static const char *name_of(const struct skr_pod_shape *shape)
{
    for (size_t i = 0; shape->n_terms == 1 && i < shape->term[0].n; i++) {
        const struct skr_selector_requirement *r = &shape->term[0].requirement[i];
        if (r->is_field && r->op == SKR_SELECTOR_IN && r->n_values == 1) {
            return r->values[0];
        }
    }
    return NULL;
}

const char *skr_pins_said(const struct skr_pod_shape *shape)
{
    const char *name = name_of(shape);
    return name ? name : skr_labels_get(&shape->node_selector, hostname);
}

bool skr_pins_is_pinned(const struct skr_pod_shape *shape)
{
    return skr_pins_said(shape);
}

bool skr_pins_count(struct pod_entry *const *newcomers, size_t n)
{
    bool any = false, differ = false;
    for (size_t i = 0; i < n; i++) {
        any = any || skr_pins_is_pinned(newcomers[i]->shape->spec);
        differ = differ || newcomers[i]->shape != newcomers[0]->shape;
    }
    return any && differ;
}

bool skr_pins_is_called(const struct skr_node *node, const char *host)
{
    const char *label = skr_labels_get(&node->meta.labels, hostname);
    return label && strcmp(label, host) == 0;
}

const char *skr_pins_node(const struct skr_gang *e, const struct skr_pod_shape *shape)
{
    const char *name = name_of(shape);
    const char *host = skr_labels_get(&shape->node_selector, hostname);
    struct node_entry *n = NULL;
    if (name) {
        n = skr_nodes_find(e, name);
        return n && n->node ? n->name : NULL;
    }
    n = host ? skr_nodes_find(e, host) : NULL;
    if (!host || (n && n->node && skr_pins_is_called(n->node, host))) {
        return n ? n->name : NULL;
    }
    for (size_t at = 0; (n = skr_nodes_next(e, &at));) {
        if (n->node && skr_pins_is_called(n->node, host)) {
            return n->name;
        }
    }
    return NULL;
}
