/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes there are, and names that only nominations know. */
#include "core/gang/nodes.h"

#include "core/gang/names.h"

#include <string.h>
#include <utlist.h>

struct node_entry *nodes_find(const struct skr_gang *e, const char *name)
{
    struct node_entry *n;
    HASH_FIND_STR(e->nodes, name, n);
    return n && n->node ? n : NULL;
}

struct node_entry *nodes_get(struct skr_gang *e, const char *name)
{
    struct node_entry *n;
    HASH_FIND_STR(e->nodes, name, n);
    if (!n) {
        n = skr_alloc(sizeof *n);
        n->name = names_intern(e, name);
        HASH_ADD_KEYPTR(hh, e->nodes, n->name, strlen(n->name), n);
    }
    return n;
}

void nodes_touch(struct skr_gang *e, const char *name)
{
    struct node_entry *n = name && *name ? nodes_find(e, name) : NULL;
    if (n) {
        n->changed_at = skr_frame_now(e->frame);
    }
}

void nodes_set_awaited(struct node_entry *n, bool awaited)
{
    n->awaited = awaited;
}

bool nodes_forget_if_unused(struct skr_gang *e, struct node_entry *n)
{
    if (n->node || n->nominated || n->awaited) {
        return false;
    }
    HASH_DEL(e->nodes, n);
    free(n);
    return true;
}
