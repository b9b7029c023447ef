/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores objects, revisions and the history. Objects are immutable trees that share unchanged
 * parts. So a change costs its own size, not the object's, and the history is small.
 */
#include <stdlib.h>

#include "server/lab/store/store_parts.h"
#include "topology/base/arena.h"
#include "topology/base/hash.h"
#include "topology/base/uuid.h"

static size_t row_of(const struct skr_store_resource *resource)
{
    return (size_t)(resource - skr_store_resource_get(0));
}

struct skr_shelf *skr_store_shelf(const struct skr_store *store,
                                  const struct skr_store_resource *resource)
{
    return &store->shelf[row_of(resource)];
}

struct skr_shelf_item *skr_store_find(const struct skr_store *store,
                                      const struct skr_store_resource *resource,
                                      const char *namespace_, const char *name)
{
    return skr_shelf_find(skr_store_shelf(store, resource), namespace_, name);
}

uint64_t skr_store_revision(const struct skr_store *store)
{
    return store->revision;
}

/* ---- identities ---- */

static uint64_t next_random(struct skr_store *store)
{
    return skr_hash_pair(store->seed, ++store->made);
}

void skr_store_make_uid(struct skr_store *store, char uid[37])
{
    const uint64_t high = (next_random(store) & ~UINT64_C(0xf000)) | 0x4000;
    const uint64_t low =
        (next_random(store) & ~(UINT64_C(3) << 62)) | (UINT64_C(1) << 63); /* RFC 4122 */
    const uint64_t halves[] = {high, low};
    (void)skr_uuid_unpack(halves, uid);
}

void skr_store_make_suffix(struct skr_store *store, char suffix[6])
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789"; /* util/rand's: spell no words */
    uint64_t random = next_random(store);
    for (int i = 0; i < 5; i++) {
        suffix[i] = letters[random % (sizeof letters - 1)];
        random /= sizeof letters - 1;
    }
    suffix[5] = '\0';
}

json_t *skr_store_time(skr_time now)
{
    char text[40];
    skr_time_write(now / SKR_SECOND * SKR_SECOND, 0, text, sizeof text);
    return json_string_nocheck(text);
}

/* ---- the history ---- */

static void forget_oldest(struct skr_store_history *h)
{
    struct skr_store_change *change = &h->item[h->first];
    json_decref(skr_object_unconst(change->object));
    json_decref(skr_object_unconst(change->before));
    h->first = (h->first + 1) & (h->cap - 1);
    h->n--;
}

static void grow_history(struct skr_store_history *h)
{
    const size_t cap = h->cap == 0 ? 1024 : h->cap * 2;
    struct skr_store_change *item = skr_alloc_array(cap, sizeof *item);
    for (size_t i = 0; i < h->n; i++) {
        item[i] = h->item[(h->first + i) & (h->cap - 1)];
    }
    free(h->item);
    *h = (struct skr_store_history){.item = item, .cap = cap, .n = h->n, .max = h->max};
}

/* Takes its own references. */
static void remember(struct skr_store *store, enum skr_store_change_kind kind,
                     const struct skr_store_resource *resource, const json_t *object,
                     const json_t *before)
{
    struct skr_store_history *h = &store->history;
    if (h->n == h->max) {
        forget_oldest(h);
    } else if (h->n == h->cap) {
        grow_history(h);
    }
    h->item[(h->first + h->n++) & (h->cap - 1)] = (struct skr_store_change){
        .kind = kind,
        .revision = store->revision,
        .resource = resource,
        .object = skr_path_ref(object),
        .before = before ? skr_path_ref(before) : NULL,
    };
}

void skr_store_limit_history(struct skr_store *store, size_t changes)
{
    struct skr_store_history *h = &store->history;
    h->max = changes < 1 ? 1 : (changes < SKR_STORE_HISTORY_MAX ? changes : SKR_STORE_HISTORY_MAX);
    while (h->n > h->max) {
        forget_oldest(h);
    }
}

void skr_store_forget_history(struct skr_store *store, uint64_t revision)
{
    struct skr_store_history *h = &store->history;
    while (h->n > 0 && h->item[h->first].revision <= revision) {
        forget_oldest(h);
    }
}

void skr_store_free_history(struct skr_store *store)
{
    while (store->history.n > 0) {
        forget_oldest(&store->history);
    }
    free(store->history.item);
}

bool skr_store_next_change(const struct skr_store *store, uint64_t revision,
                           struct skr_store_change *ret, bool *gone)
{
    const struct skr_store_history *h = &store->history;
    const uint64_t oldest = store->revision - h->n + 1; /* the oldest in the history */
    *gone = revision + 1 < oldest;
    if (*gone || revision >= store->revision) {
        return false;
    }
    *ret = h->item[(h->first + (size_t)(revision + 1 - oldest)) & (h->cap - 1)];
    return true;
}

/* ---- objects ---- */

static void set_revision(json_t *object, uint64_t revision)
{
    char text[24];
    char *at = text + sizeof text;
    do {
        *--at = (char)('0' + revision % 10);
        revision /= 10;
    } while (revision > 0);
    json_object_set_new_nocheck(json_object_get(object, "metadata"), "resourceVersion",
                                json_stringn_nocheck(at, (size_t)(text + sizeof text - at)));
}

const json_t *skr_store_last(const struct skr_store *store,
                             const struct skr_store_resource *resource)
{
    return store->last[row_of(resource)];
}

const json_t *skr_store_commit(struct skr_store *store, const struct skr_store_resource *resource,
                               struct skr_shelf_item *item, json_t *object)
{
    json_t **last = &store->last[row_of(resource)];
    store->revision++;
    set_revision(object, store->revision); /* so that its metadata is unshared */
    skr_store_share(object, *last, item ? item->object : NULL);
    json_decref(*last);
    *last = json_incref(object);
    if (!item) {
        skr_shelf_insert(skr_store_shelf(store, resource),
                         skr_path_text(object, "metadata.namespace"),
                         skr_path_text(object, "metadata.name"), object);
        store->n_objects++;
        remember(store, SKR_STORE_ADDED, resource, object, NULL);
        return object;
    }
    remember(store, SKR_STORE_MODIFIED, resource, object, item->object);
    json_decref(item->object);
    item->object = object;
    return object;
}

const json_t *skr_store_remove(struct skr_store *store, const struct skr_store_resource *resource,
                               struct skr_shelf_item *item, json_t *last)
{
    if (!last) {
        last = json_copy(item->object);
        (void)skr_path_own(last, "metadata");
    }
    store->revision++;
    set_revision(last, store->revision);
    remember(store, SKR_STORE_DELETED, resource, last, item->object);
    json_decref(last); /* the history holds it */
    skr_shelf_remove(skr_store_shelf(store, resource), item);
    store->n_objects--;
    return last;
}

/* The same object under another apiVersion. */
static json_t *as_version(const struct skr_store_resource *resource, const json_t *object)
{
    json_t *copy = json_copy((json_t *)(uintptr_t)object);
    json_object_set_new(copy, "apiVersion",
                        json_sprintf("%s/%s", resource->group, resource->version));
    return copy;
}

static bool is_event(const struct skr_store_resource *resource)
{
    return strcmp(resource->kind, "Event") == 0;
}

json_t *skr_store_present(const struct skr_store_resource *resource, const json_t *object)
{
    return !resource->kept_by   ? skr_path_ref(object)
           : is_event(resource) ? skr_event_from_core(object)
                                : as_version(resource, object);
}

json_t *skr_store_kept(const struct skr_store_call *call, json_t *object)
{
    json_t *kept = NULL;
    if (call->asked == call->resource) {
        return object;
    }
    kept = is_event(call->asked) ? skr_event_to_core(object) : as_version(call->resource, object);
    json_decref(object);
    return kept;
}

const json_t *skr_store_get(const struct skr_store *store, const char *kind, const char *namespace_,
                            const char *name)
{
    const struct skr_shelf_item *item =
        skr_store_find(store, skr_store_resource_keeping(kind), namespace_, name);
    return item ? item->object : NULL;
}

void skr_store_each(const struct skr_store *store, const char *kind,
                    bool (*visit)(void *context, const json_t *object), void *context)
{
    const struct skr_shelf_item *item =
        skr_store_shelf(store, skr_store_resource_keeping(kind))->first[0];
    while (item) {
        const struct skr_shelf_item *next = item->next[0];
        if (!visit(context, item->object)) {
            return;
        }
        item = next;
    }
}
