/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes there are, and names that only nominations know. */
#include "core/gang/state.h"

#include <string.h>
#include <utlist.h>

struct node_entry *nodes_find(const struct skr_engine *e, const char *name)
{
    struct node_entry *n;
    HASH_FIND_STR(e->nodes, name, n);
    return n && n->node ? n : NULL;
}

struct node_entry *nodes_get(struct skr_engine *e, const char *name)
{
    struct node_entry *n;
    HASH_FIND_STR(e->nodes, name, n);
    if (!n) {
        n = skr_alloc(sizeof *n);
        n->name = engine_name(e, name);
        HASH_ADD_KEYPTR(hh, e->nodes, n->name, strlen(n->name), n);
    }
    return n;
}
