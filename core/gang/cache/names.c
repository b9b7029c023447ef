/* SPDX-License-Identifier: Apache-2.0 */
/* One copy of every node name that the engine refers to: a hash index over a slab. */
#include "core/gang/cache/names.h"

#include <stddef.h>
#include <string.h>

struct interned_name {
    bool marked;
    char name[];
};

static struct interned_name *name_at(const struct skr_gang *e, uint32_t number)
{
    return *(struct interned_name **)skr_slab_at(&e->names.item, number);
}

const char *skr_names_intern(struct skr_gang *e, const char *node)
{
    const uint32_t hash = (uint32_t)skr_hash_string(node);
    uint32_t number;
    for (size_t at = 0; skr_hash_index_next(&e->names.index, hash, &at, &number);) {
        const struct interned_name *n = name_at(e, number);
        if (strcmp(n->name, node) == 0) {
            return n->name;
        }
    }
    const size_t size = strlen(node) + 1;
    struct interned_name *n = skr_alloc(sizeof *n + size);
    memcpy(n->name, node, size);
    e->names.item.size = sizeof(struct interned_name *);
    number = skr_slab_add(&e->names.item);
    *(struct interned_name **)skr_slab_at(&e->names.item, number) = n;
    skr_hash_index_add(&e->names.index, hash, number);
    return n->name;
}

void skr_names_mark(const char *name)
{
    if (name) {
        struct interned_name *n =
            (struct interned_name *)(uintptr_t)(name - offsetof(struct interned_name, name));
        n->marked = true;
    }
}

bool skr_names_are_many(const struct skr_gang *e, size_t few)
{
    const size_t n = e->names.item.n;
    return n > few && n > 2 * e->names.n_swept;
}

void skr_names_free_unmarked(struct skr_gang *e)
{
    uint32_t number;
    for (size_t at = 0; skr_slab_next(&e->names.item, &at, &number);) {
        struct interned_name *n = name_at(e, number);
        if (n->marked) {
            n->marked = false;
            continue;
        }
        skr_hash_index_remove(&e->names.index, (uint32_t)skr_hash_string(n->name), number);
        skr_slab_remove(&e->names.item, number);
        free(n);
    }
    e->names.n_swept = e->names.item.n;
}

void skr_names_fini(struct skr_gang *e)
{
    uint32_t number;
    for (size_t at = 0; skr_slab_next(&e->names.item, &at, &number);) {
        free(name_at(e, number));
    }
    skr_slab_fini(&e->names.item);
    skr_hash_index_fini(&e->names.index);
}
