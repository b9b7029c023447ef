/* SPDX-License-Identifier: Apache-2.0 */
/* The table of nodes, existing or only nominated: a slab and an index by name. */
#include "core/gang/cache/nodes.h"

#include "core/gang/cache/names.h"

#include <string.h>
#include <utlist.h>

struct node_entry *skr_nodes_next(const struct skr_gang *e, size_t *at)
{
    uint32_t number;
    return skr_slab_next(&e->nodes.item, at, &number) ? skr_slab_at(&e->nodes.item, number) : NULL;
}

static struct node_entry *find(const struct skr_gang *e, const char *name, uint32_t hash)
{
    uint32_t number;
    for (size_t at = 0; skr_hash_index_next(&e->nodes.by_name, hash, &at, &number);) {
        struct node_entry *n = skr_slab_at(&e->nodes.item, number);
        if (strcmp(n->name, name) == 0) {
            return n;
        }
    }
    return NULL;
}

struct node_entry *skr_nodes_find(const struct skr_gang *e, const char *name)
{
    struct node_entry *n = find(e, name, (uint32_t)skr_hash_string(name));
    return n && n->node ? n : NULL;
}

bool skr_nodes_is_lost(const struct skr_gang *e, const char *name, skr_time now)
{
    const struct node_entry *n = skr_nodes_find(e, name);
    bool lost = !n || !n->node;
    for (size_t i = 0; !lost && i < n->node->n_taints; i++) {
        lost = strcmp(n->node->taints[i].key, "node.kubernetes.io/out-of-service") == 0;
    }
    return lost ||
           (n->node->unready_since > 0 && now - n->node->unready_since >= e->settings.fail_after);
}

struct node_entry *skr_nodes_get(struct skr_gang *e, const char *name)
{
    const uint32_t hash = (uint32_t)skr_hash_string(name);
    struct node_entry *n = find(e, name, hash);
    if (!n) {
        e->nodes.item.size = sizeof *n;
        const uint32_t number = skr_slab_add(&e->nodes.item);
        n = skr_slab_at(&e->nodes.item, number);
        n->number = number;
        n->name = skr_names_intern(e, name);
        skr_hash_index_add(&e->nodes.by_name, hash, number);
    }
    return n;
}

void skr_nodes_touch(struct skr_gang *e, const char *name)
{
    struct node_entry *n = name && *name ? skr_nodes_find(e, name) : NULL;
    if (n) {
        n->changed_at = skr_frame_now(e->frame);
    }
}

static void leave_stamped(struct skr_gang *e, struct node_entry *n)
{
    if (n->stamp > 0) {
        DL_DELETE2(e->nodes.stamped, n, sprev, snext);
    }
}

void skr_nodes_stamp(struct skr_gang *e, const char *name)
{
    struct node_entry *n = skr_nodes_find(e, name);
    if (n) {
        leave_stamped(e, n);
        n->stamp = skr_seen_note(&e->seen, 0);
        DL_APPEND2(e->nodes.stamped, n, sprev, snext);
    }
}

const struct node_entry *skr_nodes_stamped_since(const struct skr_gang *e, uint64_t stamp)
{
    const struct node_entry *first = NULL, *head = e->nodes.stamped;
    for (const struct node_entry *n = head ? head->sprev : NULL; n && n->stamp > stamp;
         n = n == head ? NULL : n->sprev) {
        first = n;
    }
    return first;
}

void skr_nodes_name(struct skr_gang *e, const char *name)
{
    struct node_entry *n = skr_nodes_find(e, name);
    if (n) {
        n->named = true;
    }
}

bool skr_nodes_take_name(struct node_entry *n)
{
    bool was = n->named;
    n->named = false;
    return was;
}

void skr_nodes_set_awaited(struct node_entry *n, bool awaited)
{
    n->awaited = awaited;
}

bool skr_nodes_forget_if_unused(struct skr_gang *e, struct node_entry *n)
{
    if (n->node || n->nominated || n->awaited || n->ends) {
        return false;
    }
    leave_stamped(e, n);
    skr_hash_index_remove(&e->nodes.by_name, (uint32_t)skr_hash_string(n->name), n->number);
    skr_slab_remove(&e->nodes.item, n->number);
    return true;
}
