/* SPDX-License-Identifier: Apache-2.0 */
/* A skip list with one level more for one item in four, and a table of one item a place of the hash,
 * the one that was found or put in last. */
#include "server/model/shelf.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/base/hash.h"

enum { RECENT_FROM = 64 }; /* items: fewer are found at once anyway */

static int compare(const struct skr_shelf_item *item, const char *namespace_, const char *name)
{
    const int order = strcmp(item->namespace_, namespace_);
    return order != 0 ? order : strcmp(item->name, name);
}

static uint64_t hash_of(const char *namespace_, const char *name)
{
    return skr_hash_pair(skr_hash_string(namespace_), skr_hash_string(name));
}

/* The place of the key; NULL: there is no table. */
static struct skr_shelf_item **place_of(const struct skr_shelf *shelf, uint64_t hash)
{
    return shelf->recent ? &shelf->recent[hash >> 32 & (shelf->n_recent - 1)] : NULL;
}

/* As many places as items, about; it fills again as they are found. */
static void grow_recent(struct skr_shelf *shelf)
{
    if (shelf->n >= RECENT_FROM && shelf->n > shelf->n_recent) {
        free(shelf->recent);
        shelf->n_recent = shelf->n_recent > 0 ? shelf->n_recent * 2 : RECENT_FROM * 2;
        shelf->recent = skr_alloc_array(shelf->n_recent, sizeof shelf->recent[0]);
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

struct skr_shelf_item *skr_shelf_find(struct skr_shelf *shelf, const char *namespace_,
                                      const char *name)
{
    struct skr_shelf_item **place =
        shelf->recent ? place_of(shelf, hash_of(namespace_, name)) : NULL;
    if (place && *place && compare(*place, namespace_, name) == 0) {
        return *place;
    }
    struct skr_shelf_item *item = skr_shelf_from(shelf, namespace_, name);
    if (!item || compare(item, namespace_, name) != 0) {
        return NULL;
    }
    if (place) {
        *place = item;
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
    search(shelf, namespace_, name, link);
    for (int level = 0; level < levels; level++) {
        item->next[level] = *link[level];
        *link[level] = item;
    }
    shelf->n++;
    grow_recent(shelf);
    if (shelf->recent) {
        *place_of(shelf, hash) = item;
    }
    return item;
}

void skr_shelf_remove(struct skr_shelf *shelf, struct skr_shelf_item *item)
{
    struct skr_shelf_item **link[SKR_SHELF_LEVELS];

    const uint64_t hash = hash_of(item->namespace_, item->name);
    struct skr_shelf_item **place = place_of(shelf, hash);

    search(shelf, item->namespace_, item->name, link);
    for (int level = levels_of(hash) - 1; level >= 0; level--) {
        *link[level] = item->next[level];
    }
    if (place && *place == item) {
        *place = NULL;
    }
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
    free(shelf->recent);
    *shelf = (struct skr_shelf){.n = 0};
}
