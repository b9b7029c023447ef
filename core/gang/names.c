/* SPDX-License-Identifier: Apache-2.0 */
/* One copy of every node name that something of ours outlives. */
#include "core/gang/names.h"

#include <stddef.h>
#include <string.h>
#include <uthash.h>

struct interned_name {
    UT_hash_handle hh;
    bool marked;
    char name[];
};

const char *names_intern(struct skr_gang *e, const char *node)
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

void names_mark(const char *name)
{
    if (name) {
        struct interned_name *n =
            (struct interned_name *)(uintptr_t)(name - offsetof(struct interned_name, name));
        n->marked = true;
    }
}

bool names_are_many(const struct skr_gang *e, size_t few)
{
    size_t n = HASH_COUNT(e->names);
    return n > few && n > 2 * e->n_names_swept;
}

void names_free_unmarked(struct skr_gang *e)
{
    struct interned_name *n, *tmp;
    HASH_ITER(hh, e->names, n, tmp)
    {
        if (!n->marked) {
            HASH_DEL(e->names, n);
            free(n);
            continue;
        }
        n->marked = false;
    }
    e->n_names_swept = HASH_COUNT(e->names);
}

void names_fini(struct skr_gang *e)
{
    struct interned_name *n, *tmp;
    HASH_ITER(hh, e->names, n, tmp)
    {
        HASH_DEL(e->names, n);
        free(n);
    }
}
