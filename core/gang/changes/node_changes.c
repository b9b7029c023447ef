/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies a change of a node. Relevant are allocatable, taints, cordon and labels (not readiness:
 * kube-scheduler looks at taints). A relevant change updates the ledger, ends vetoes of the node,
 * wakes waiting groups and aborts plans that cannot use the node any more. Heartbeats change none
 * of these and cost a comparison.
 */
#include "core/gang/changes/node_changes.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/fit_cache.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/plan/plan.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/output.h"
#include "topology/node_keep.h"

#include <string.h>
#include <utlist.h>

static bool matters(const struct skr_node *a, const struct skr_node *b)
{
    return a->unschedulable != b->unschedulable || a->ready != b->ready ||
           !skr_node_taints_equal(a, b) ||
           !skr_quantities_equal(&a->allocatable, &b->allocatable) ||
           !skr_labels_equal(&a->meta.labels, &b->meta.labels);
}

/* Groups whose plan uses the node check whether the plan is still valid. */
static void touch_plans(struct skr_gang *e, const char *node)
{
    struct group *g;
    DL_FOREACH2(e->planned, g, pnext)
    {
        if (skr_plan_uses_node(g->plan, node)) {
            skr_dirty_plan_nodes(g->plan);
            skr_dirty_group(e, g);
        }
    }
}

/* Groups with key replace look whether members run on lost nodes. */
static void touch_replacers(struct skr_gang *e)
{
    struct group *g;
    DL_FOREACH2(e->replacers, g, replacing.next)
    {
        skr_dirty_group(e, g);
    }
}

static void changed(struct skr_gang *e, struct node_entry *n)
{
    skr_nodes_touch(e, n->name);
    skr_dirty_openings(e);
    skr_fit_cache_touch_node(e, n->name);
    skr_vetoes_end(e, n->name);
    touch_plans(e, n->name);
    skr_dirty_capacity(e);
    skr_dirty_nodes(e);
    struct pod_entry *p;
    DL_FOREACH2(n->nominated, p, work->nnext)
    {
        skr_dirty_pod(e, p);
    }
}

static void set_refused(struct skr_gang *e, struct node_entry *n, bool refused)
{
    e->n_nodes_refused -= n->refused ? 1 : 0;
    e->n_nodes_refused += refused ? 1 : 0;
    n->refused = refused;
}

/* The node's allocatable by the table of names, which has all of its names unless it was
 * refused. */
static struct skr_amounts offered(const struct skr_gang *e, const struct node_entry *n)
{
    struct skr_amounts offer = {0, NULL};
    if (n->node && !n->refused) {
        skr_amounts_resolve(e->resources, &n->node->allocatable, &offer);
    }
    return offer;
}

/* Updates the node in the ledger: its allocatable, or nothing if the table of names has no room for
 * all of it. was: its previous allocatable; taken. */
static void offer_one(struct skr_gang *e, struct node_entry *n, struct skr_amounts was)
{
    struct skr_error error;
    struct skr_amounts offer = was;
    bool refused =
        skr_resource_names_offer(e->resources, &n->node->allocatable, &offer, &error) < 0;
    if (refused && !n->refused) {
        SKR_STRBUF(text);
        skr_strbuf_addf(&text, "node %s: %s; nothing is placed on it", n->name, error.text);
        skr_out_decision(e, "", "", "Node refused", "", text.s, true);
    } else if (!refused && n->refused) {
        skr_out_decision(e, "", "", "Node is used again", "", n->name, false);
    }
    set_refused(e, n, refused);
    skr_ledger_set_node(e->ledger, n->name, &offer);
    skr_amounts_fini(&offer);
}

/* Names came or went: requests of pods are resolved again, and refused nodes may have room for
 * their names now. */
static void follow_names(struct skr_gang *e, uint64_t version)
{
    struct node_entry *n;
    if (version == skr_resource_names_version(e->resources)) {
        return;
    }
    if (e->n_nodes_refused > 0) {
        for (size_t at = 0; (n = skr_nodes_next(e, &at));) {
            if (n->refused) {
                offer_one(e, n, offered(e, n));
                skr_nodes_touch(e, n->name);
                skr_fit_cache_touch_node(e, n->name);
            }
        }
    }
    skr_shapes_resolve(e);
}

static void offer(struct skr_gang *e, struct node_entry *n, struct skr_amounts was)
{
    const uint64_t version = skr_resource_names_version(e->resources);
    offer_one(e, n, was);
    follow_names(e, version);
}

static void withdraw(struct skr_gang *e, struct node_entry *n, struct skr_amounts was)
{
    const uint64_t version = skr_resource_names_version(e->resources);
    skr_resource_names_withdraw(e->resources, &was);
    set_refused(e, n, false);
    skr_ledger_remove_node(e->ledger, n->name);
    follow_names(e, version);
}

/* Takes node. */
static void replace(struct skr_gang *e, struct node_entry *n, struct skr_node *node)
{
    struct skr_node *old = n->node;
    const bool news = !old || matters(old, node);
    const bool lives = !old || old->ready != node->ready || !skr_node_taints_equal(old, node);
    const bool moved = old && !skr_labels_equal(&old->meta.labels, &node->meta.labels);
    struct skr_amounts was = {0, NULL};
    if (news) {
        was = offered(e, n);
    }
    if (!old || moved || old->unschedulable != node->unschedulable ||
        !skr_node_taints_equal(old, node)) {
        skr_dirty_lifted(e);
    }
    if (moved) {
        skr_topology_labels_changed(e, &old->meta.labels, &node->meta.labels);
    }
    n->node = skr_node_keep(&e->node_shared, node, n->name);
    skr_node_destroy(node);
    skr_node_forget(&e->node_shared, old);
    if (!old) {
        e->n_nodes++;
        skr_topology_nodes_changed(e);
    }
    if (news) {
        offer(e, n, was);
        changed(e, n);
    }
    if (lives) {
        touch_replacers(e);
    }
}

void skr_node_changes_upsert(struct skr_gang *e, struct skr_node *node)
{
    struct node_entry *n = skr_nodes_get(e, node->meta.name);
    const struct skr_node *old = n->node;
    if (old && node->meta.resource_version &&
        node->meta.resource_version < old->meta.resource_version &&
        strcmp(node->meta.uid, old->meta.uid) == 0) {
        skr_node_destroy(node);
        return;
    }
    replace(e, n, node);
}

void skr_node_changes_delete(struct skr_gang *e, const char *name)
{
    struct node_entry *n = skr_nodes_find(e, name);
    if (!n) {
        return;
    }
    struct skr_amounts was = offered(e, n);
    skr_node_forget(&e->node_shared, n->node);
    n->node = NULL;
    e->n_nodes--;
    skr_topology_nodes_changed(e);
    withdraw(e, n, was);
    changed(e, n);
    touch_replacers(e);
}

void skr_node_changes_fini(struct skr_gang *e)
{
    struct node_entry *n;
    for (size_t at = 0; (n = skr_nodes_next(e, &at));) {
        skr_node_forget(&e->node_shared, n->node);
    }
    skr_slab_fini(&e->nodes.item);
    skr_hash_index_fini(&e->nodes.by_name);
    skr_node_shared_fini(&e->node_shared);
}
