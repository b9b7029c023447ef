/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open addressing with linear probing over pointers, at most three quarters full, deletion by
 * moving later entries of the run back (Knuth, TAOCP 6.4, algorithm R), so there are no tombstones.
 * An object is one block: header, namespace, name, uid. UUIDs, which is what every API server
 * hands out, are packed into 16 bytes.
 */
#include "server/kube/known.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/base/uuid.h"

enum { UID_PACKED = 255 };

struct skr_known {
    struct skr_known_object **slot;
    size_t cap; /* a power of two or 0 */
    size_t n;
};

struct skr_known *skr_known_create(void)
{
    return skr_alloc(sizeof(struct skr_known));
}

void skr_known_destroy(struct skr_known *known)
{
    if (!known) {
        return;
    }
    for (size_t i = 0; i < known->cap; i++) {
        free(known->slot[i]);
    }
    free(known->slot);
    free(known);
}

size_t skr_known_count(const struct skr_known *known)
{
    return known->n;
}

/* ---- texts ---- */

const char *skr_known_namespace(const struct skr_known_object *object)
{
    return object->text;
}

const char *skr_known_name(const struct skr_known_object *object)
{
    return object->text + object->namespace_len + 1;
}

static const char *stored_uid(const struct skr_known_object *object)
{
    return object->text + object->namespace_len + object->name_len + 2;
}

const char *skr_known_uid(const struct skr_known_object *object, char buffer[SKR_KNOWN_UID_BUFFER])
{
    if (object->uid_len == UID_PACKED) {
        uint64_t packed[2];
        memcpy(packed, stored_uid(object), sizeof packed);
        skr_uuid_unpack(packed, buffer);
    } else {
        memcpy(buffer, stored_uid(object), object->uid_len);
        buffer[object->uid_len] = '\0';
    }
    return buffer;
}

bool skr_known_has_uid(const struct skr_known_object *object, const char *uid)
{
    char buffer[SKR_KNOWN_UID_BUFFER];
    return strcmp(skr_known_uid(object, buffer), uid) == 0;
}

/* ---- the table ---- */

static uint32_t hash_text(uint32_t h, const char *text)
{
    for (; *text; text++) {
        h = (h ^ (unsigned char)*text) * 16777619u;
    }
    return (h ^ 0xff) * 16777619u;
}

static uint32_t hash_key(const char *namespace_, const char *name)
{
    uint32_t h = hash_text(hash_text(2166136261u, namespace_), name);
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    return h ^ h >> 13;
}

/* Slot of the object or the empty one where it belongs. cap > 0. */
static size_t probe(const struct skr_known *known, uint32_t hash, const char *namespace_,
                    const char *name)
{
    size_t i = hash & (known->cap - 1);
    for (;; i = (i + 1) & (known->cap - 1)) {
        const struct skr_known_object *o = known->slot[i];
        if (!o || (o->hash == hash && strcmp(skr_known_namespace(o), namespace_) == 0 &&
                   strcmp(skr_known_name(o), name) == 0)) {
            return i;
        }
    }
}

struct skr_known_object *skr_known_find(const struct skr_known *known, const char *namespace_,
                                        const char *name)
{
    if (known->n == 0) {
        return NULL;
    }
    return known->slot[probe(known, hash_key(namespace_, name), namespace_, name)];
}

static void grow(struct skr_known *known)
{
    size_t cap = known->cap ? known->cap * 2 : 64;
    struct skr_known_object **slot = skr_alloc_array(cap, sizeof *slot);
    for (size_t i = 0; i < known->cap; i++) {
        struct skr_known_object *o = known->slot[i];
        if (!o) {
            continue;
        }
        size_t at = o->hash & (cap - 1);
        while (slot[at]) {
            at = (at + 1) & (cap - 1);
        }
        slot[at] = o;
    }
    free(known->slot);
    known->slot = slot;
    known->cap = cap;
}

static struct skr_known_object *object_create(const char *namespace_, const char *name,
                                              const char *uid)
{
    size_t namespace_len = strlen(namespace_);
    size_t name_len = strlen(name);
    size_t uid_len = strlen(uid);
    if (namespace_len > SKR_KNOWN_NAMESPACE_MAX || name_len > SKR_KNOWN_NAME_MAX ||
        uid_len > SKR_KNOWN_UID_MAX) {
        return NULL;
    }
    uint64_t packed[2];
    bool is_uuid = skr_uuid_pack(uid, packed);
    size_t stored = is_uuid ? sizeof packed : uid_len;
    struct skr_known_object *o = skr_alloc(sizeof *o + namespace_len + name_len + 2 + stored);
    o->hash = hash_key(namespace_, name);
    o->namespace_len = (uint8_t)namespace_len;
    o->name_len = (uint16_t)name_len;
    o->uid_len = (uint8_t)(is_uuid ? UID_PACKED : uid_len);
    memcpy(o->text, namespace_, namespace_len + 1);
    memcpy(o->text + namespace_len + 1, name, name_len + 1);
    memcpy(o->text + namespace_len + name_len + 2, is_uuid ? (const void *)packed : uid, stored);
    return o;
}

struct skr_known_object *skr_known_put(struct skr_known *known, const char *namespace_,
                                       const char *name, const char *uid)
{
    struct skr_known_object *o = skr_known_find(known, namespace_, name);
    if (o && skr_known_has_uid(o, uid)) {
        return o;
    }
    struct skr_known_object *fresh = object_create(namespace_, name, uid);
    if (!fresh) {
        return NULL;
    }
    if (!o && (known->n + 1) * 4 > known->cap * 3) {
        grow(known);
    }
    size_t i = probe(known, fresh->hash, namespace_, name);
    free(known->slot[i]);
    known->slot[i] = fresh;
    known->n += o ? 0 : 1;
    return fresh;
}

void skr_known_take(struct skr_known *known, struct skr_known_object *object)
{
    size_t mask = known->cap - 1;
    size_t hole = probe(known, object->hash, skr_known_namespace(object), skr_known_name(object));
    known->slot[hole] = NULL;
    known->n--;
    for (size_t i = (hole + 1) & mask; known->slot[i]; i = (i + 1) & mask) {
        size_t home = known->slot[i]->hash & mask;
        /* An entry may move back only as far as its home. */
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            known->slot[hole] = known->slot[i];
            known->slot[i] = NULL;
            hole = i;
        }
    }
}

static int compare_objects(const void *a, const void *b)
{
    const struct skr_known_object *x = *(const struct skr_known_object *const *)a;
    const struct skr_known_object *y = *(const struct skr_known_object *const *)b;
    int c = strcmp(skr_known_namespace(x), skr_known_namespace(y));
    return c ? c : strcmp(skr_known_name(x), skr_known_name(y));
}

struct skr_known_object **skr_known_unseen(const struct skr_known *known, uint32_t list,
                                           size_t *ret_n)
{
    struct skr_known_object **unseen = NULL;
    size_t n = 0;
    size_t cap = 0;
    for (size_t i = 0; i < known->cap; i++) {
        struct skr_known_object *o = known->slot[i];
        if (!o || o->list == list) {
            continue;
        }
        skr_grow(&unseen, &cap, n + 1, sizeof(struct skr_known_object *));
        unseen[n++] = o;
    }
    if (n > 1) {
        qsort(unseen, n, sizeof(struct skr_known_object *), compare_objects);
    }
    *ret_n = n;
    return unseen;
}
