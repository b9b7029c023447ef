/* SPDX-License-Identifier: Apache-2.0 */
/* Names of nodes, one copy each, for whoever outlives the node that it names. */
#include "core/gang/state.h"

#include <string.h>

const char *engine_name(struct skr_engine *e, const char *node)
{
    struct interned_name *n;
    HASH_FIND_STR(e->names, node, n);
    if (!n) {
        size_t len = strlen(node);
        n = skr_alloc(sizeof *n + len + 1);
        memcpy(n->name, node, len + 1);
        HASH_ADD_KEYPTR(hh, e->names, n->name, len, n);
    }
    return n->name;
}

char *object_key(const char *namespace_, const char *name)
{
    size_t n = strlen(namespace_) + strlen(name) + 2;
    char *key = skr_alloc(n);
    snprintf(key, n, "%s/%s", namespace_, name);
    return key;
}
