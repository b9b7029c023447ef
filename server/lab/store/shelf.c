/* SPDX-License-Identifier: Apache-2.0 */
/* A skip list in which one item in four has one level more, and a table of chains, about as many as
 * items. */
#include "server/lab/store/shelf.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/base/hash.h"

enum { PLACES_MIN = 16 };

static int compare(const struct skr_shelf_item *item, const char *namespace_, const char *name)
{
    const int order = strcmp(item->namespace_, namespace_);
    return order != 0 ? order : strcmp(item->name, name);
}

static uint64_t hash_of(const char *namespace_, const char *name)
{
    return skr_hash_pair(skr_hash_string(namespace_), skr_hash_string(name));
}

static struct skr_shelf_item **place_of(const struct skr_shelf *shelf, uint64_t hash)
{
    return &shelf->table[hash >> 32 & (shelf->n_places - 1)];
}

static void link_in(struct skr_shelf *shelf, struct skr_shelf_item *item)
{
    struct skr_shelf_item **place = place_of(shelf, item->hash);
    item->chain = *place;
    *place = item;
}

/* Grows the table to twice the number of items. */
static void grow_table(struct skr_shelf *shelf)
{
    free(shelf->table);
    shelf->n_places = shelf->n_places > 0 ? shelf->n_places * 2 : PLACES_MIN;
    shelf->table = skr_alloc_array(shelf->n_places, sizeof shelf->table[0]);
    for (struct skr_shelf_item *item = shelf->first[0]; item; item = item->next[0]) {
        link_in(shelf, item);
    }
}

static int levels_of(uint64_t hash)
{
    int levels = 1;
    for (; levels < SKR_SHELF_LEVELS && (hash & 3) == 0; levels++) {
        hash >>= 2;
    }
    return levels;
}

/* link[i]: the pointer at level i to the first item that is not before the key. */
static void search(struct skr_shelf *shelf, const char *namespace_, const char *name,
                   struct skr_shelf_item **link[SKR_SHELF_LEVELS])
{
    struct skr_shelf_item **at = shelf->first;
    for (int level = SKR_SHELF_LEVELS - 1; level >= 0; level--) {
        while (at[level] && compare(at[level], namespace_, name) < 0) {
            at = at[level]->next;
        }
        link[level] = &at[level];
    }
}

struct skr_shelf_item *skr_shelf_from(const struct skr_shelf *shelf, const char *namespace_,
                                      const char *name)
{
    struct skr_shelf_item *const *at = shelf->first;
    for (int level = SKR_SHELF_LEVELS - 1; level > 0; level--) {
        while (at[level] && compare(at[level], namespace_, name) < 0) {
            at = at[level]->next;
        }
    }
    struct skr_shelf_item *item = at[0];
    while (item && compare(item, namespace_, name) < 0) {
        item = item->next[0];
    }
    return item;
}

struct skr_shelf_item *skr_shelf_find(const struct skr_shelf *shelf, const char *namespace_,
                                      const char *name)
{
    const uint64_t hash = hash_of(namespace_, name);
    struct skr_shelf_item *item = shelf->table ? *place_of(shelf, hash) : NULL;
    while (item && (item->hash != hash || compare(item, namespace_, name) != 0)) {
        item = item->chain;
    }
    return item;
}

struct skr_shelf_item *skr_shelf_insert(struct skr_shelf *shelf, const char *namespace_,
                                        const char *name, json_t *object)
{
    struct skr_shelf_item **link[SKR_SHELF_LEVELS];
    const uint64_t hash = hash_of(namespace_, name);
    const int levels = levels_of(hash);
    const size_t namespace_size = strlen(namespace_) + 1;
    const size_t name_size = strlen(name) + 1;
    const size_t head = sizeof(struct skr_shelf_item) + (size_t)levels * sizeof link[0];
    struct skr_shelf_item *item = skr_alloc(head + namespace_size + name_size);
    char *text = (char *)item + head;
    memcpy(text, namespace_, namespace_size);
    memcpy(text + namespace_size, name, name_size);
    item->namespace_ = text;
    item->name = text + namespace_size;
    item->object = object;
    item->hash = hash;
    search(shelf, namespace_, name, link);
    for (int level = 0; level < levels; level++) {
        item->next[level] = *link[level];
        *link[level] = item;
    }
    if (++shelf->n > shelf->n_places) {
        grow_table(shelf);
    } else {
        link_in(shelf, item);
    }
    return item;
}

void skr_shelf_remove(struct skr_shelf *shelf, struct skr_shelf_item *item)
{
    struct skr_shelf_item **link[SKR_SHELF_LEVELS];
    struct skr_shelf_item **place = place_of(shelf, item->hash);
    search(shelf, item->namespace_, item->name, link);
    for (int level = levels_of(item->hash) - 1; level >= 0; level--) {
        *link[level] = item->next[level];
    }
    while (*place != item) {
        place = &(*place)->chain;
    }
    *place = item->chain;
    shelf->n--;
    json_decref(item->object);
    free(item);
}

void skr_shelf_fini(struct skr_shelf *shelf)
{
    struct skr_shelf_item *item = shelf->first[0];
    while (item) {
        struct skr_shelf_item *next = item->next[0];
        json_decref(item->object);
        free(item);
        item = next;
    }
    free(shelf->table);
    *shelf = (struct skr_shelf){.n = 0};
}
