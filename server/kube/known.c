/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slab of objects, an index over it by namespace and name, and a table of stems. A stem is the
 * namespace, a slash and the name up to its last '-', which pods of one controller share. UUIDs, the
 * uids of every API server, are packed into 16 bytes.
 */
#include "server/kube/known.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/base/strbuf.h"
#include "topology/base/texts.h"
#include "topology/base/uuid.h"

_Static_assert(sizeof(struct skr_known_object) == 48, "there are a million of them");

struct skr_known {
    struct skr_slab item;
    struct skr_hash_index index;
    struct skr_hash_seed hash_seed;
    struct skr_texts stems;
    struct skr_strbuf text; /* of a stem that is looked for */
};

static void object_fini(struct skr_known_object *object)
{
    if (object->uid_is_text) {
        free((char *)(uintptr_t)object->uid[0]);
    }
    skr_short_text_fini(&object->rest);
}

struct skr_known *skr_known_create(const struct skr_hash_seed *hash_seed)
{
    struct skr_known *known = skr_alloc(sizeof *known);
    known->hash_seed = *hash_seed;
    known->item = (struct skr_slab){.size = sizeof(struct skr_known_object)};
    skr_strbuf_init(&known->text);
    return known;
}

void skr_known_destroy(struct skr_known *known)
{
    uint32_t number;
    if (!known) {
        return;
    }
    for (size_t at = 0; skr_slab_next(&known->item, &at, &number);) {
        object_fini(skr_slab_at(&known->item, number));
    }
    skr_slab_fini(&known->item);
    skr_hash_index_fini(&known->index);
    skr_texts_fini(&known->stems);
    skr_strbuf_fini(&known->text);
    free(known);
}

size_t skr_known_count(const struct skr_known *known)
{
    return known->item.n;
}

/* ---- texts ---- */

static const char *stem_of(const struct skr_known *known, const struct skr_known_object *object)
{
    return skr_texts_at(&known->stems, object->stem);
}

static const char *uid_of(const struct skr_known_object *object, char buffer[SKR_UUID_TEXT])
{
    return object->uid_is_text ? (const char *)(uintptr_t)object->uid[0]
                               : skr_uuid_unpack(object->uid, buffer);
}

void skr_known_read(const struct skr_known *known, const struct skr_known_object *object,
                    struct skr_known_names *ret)
{
    const char *stem = stem_of(known, object), *slash = strchr(stem, '/');
    char buffer[SKR_UUID_TEXT];
    memset(ret, 0, sizeof *ret);
    (void)snprintf(ret->namespace_, sizeof ret->namespace_, "%.*s", (int)(slash - stem), stem);
    (void)snprintf(ret->name, sizeof ret->name, "%s%s", slash + 1,
                   skr_short_text_get(&object->rest));
    (void)snprintf(ret->uid, sizeof ret->uid, "%s", uid_of(object, buffer));
}

bool skr_known_has_uid(const struct skr_known_object *object, const char *uid)
{
    char buffer[SKR_UUID_TEXT];
    return strcmp(uid_of(object, buffer), uid) == 0;
}

/* ---- the table ---- */

static uint32_t hash_texts(const struct skr_known *known, const char *a, const char *b,
                           const char *c)
{
    return (uint32_t)skr_hash_keyed_joined(&known->hash_seed, a, b, c);
}

static uint32_t hash_of(const struct skr_known *known, const struct skr_known_object *object)
{
    return hash_texts(known, stem_of(known, object), skr_short_text_get(&object->rest), "");
}

static bool is_named(const struct skr_known *known, const struct skr_known_object *object,
                     const char *namespace_, const char *name)
{
    const char *stem = stem_of(known, object);
    const size_t n = strlen(namespace_);
    if (strncmp(stem, namespace_, n) != 0 || stem[n] != '/') {
        return false;
    }
    const size_t m = strlen(stem + n + 1);
    return strncmp(stem + n + 1, name, m) == 0 &&
           strcmp(skr_short_text_get(&object->rest), name + m) == 0;
}

struct skr_known_object *skr_known_find(const struct skr_known *known, const char *namespace_,
                                        const char *name)
{
    uint32_t number = 0;
    if (known->item.n == 0) {
        return NULL;
    }
    const uint32_t hash = hash_texts(known, namespace_, "/", name);
    for (size_t at = 0; skr_hash_index_next(&known->index, hash, &at, &number);) {
        struct skr_known_object *object = skr_slab_at(&known->item, number);
        if (is_named(known, object, namespace_, name)) {
            return object;
        }
    }
    return NULL;
}

static struct skr_known_object *add(struct skr_known *known, const char *namespace_,
                                    const char *name, const char *uid)
{
    const size_t stem = skr_name_stem(name);
    const uint32_t number = skr_slab_add(&known->item);
    struct skr_known_object *object = skr_slab_at(&known->item, number);
    skr_strbuf_reset(&known->text);
    skr_strbuf_add(&known->text, namespace_);
    skr_strbuf_addc(&known->text, '/');
    skr_strbuf_addn(&known->text, name, stem);
    object->stem = skr_texts_number(skr_texts_share(&known->stems, known->text.s));
    skr_short_text_set(&object->rest, name + stem, strlen(name + stem));
    if (!skr_uuid_pack(uid, object->uid)) {
        object->uid_is_text = 1;
        object->uid[0] = (uint64_t)(uintptr_t)skr_strdup(uid);
        object->uid[1] = 0;
    }
    skr_hash_index_add(&known->index, hash_texts(known, namespace_, "/", name), number);
    return object;
}

struct skr_known_object *skr_known_put(struct skr_known *known, const char *namespace_,
                                       const char *name, const char *uid)
{
    struct skr_known_object *object = skr_known_find(known, namespace_, name);
    if (object && skr_known_has_uid(object, uid)) {
        return object;
    }
    if (strlen(namespace_) > SKR_KNOWN_NAMESPACE_MAX || strlen(name) > SKR_KNOWN_NAME_MAX ||
        strlen(uid) > SKR_KNOWN_UID_MAX) {
        return NULL;
    }
    if (object) {
        skr_known_remove(known, object);
    }
    return add(known, namespace_, name, uid);
}

void skr_known_remove(struct skr_known *known, struct skr_known_object *object)
{
    const uint32_t hash = hash_of(known, object);
    uint32_t number = UINT32_MAX;
    for (size_t at = 0; skr_hash_index_next(&known->index, hash, &at, &number);) {
        if (skr_slab_at(&known->item, number) == object) {
            break;
        }
    }
    skr_hash_index_remove(&known->index, hash, number);
    skr_texts_release(&known->stems, stem_of(known, object));
    object_fini(object);
    skr_slab_remove(&known->item, number);
}

/* ---- what a list did not see ---- */

struct unseen {
    struct skr_known_object *object;
    const char *stem, *rest;
};

/* Of a name in two parts; *at begins as 0. */
static unsigned char next_byte(const struct unseen *name, size_t *at, const char **part)
{
    if (*part == name->stem && name->stem[*at] == '\0') {
        *part = name->rest;
        *at = 0;
    }
    const unsigned char byte = (unsigned char)(*part)[*at];
    *at += byte != '\0' ? 1 : 0;
    return byte;
}

/* By namespace, then by name: the slash behind the namespace is less than any other byte. */
static int compare_unseen(const void *a, const void *b)
{
    const struct unseen *x = a, *y = b;
    const char *x_part = x->stem, *y_part = y->stem;
    size_t x_at = 0, y_at = 0;
    for (;;) {
        unsigned char p = next_byte(x, &x_at, &x_part), q = next_byte(y, &y_at, &y_part);
        if (p != q) {
            p = p == '/' ? 1 : p;
            q = q == '/' ? 1 : q;
            return p < q ? -1 : 1;
        }
        if (p == '\0') {
            return 0;
        }
    }
}

struct skr_known_object **skr_known_unseen(const struct skr_known *known, uint32_t list,
                                           size_t *ret_n)
{
    SKR_AUTO_FREE struct unseen *unseen = NULL;
    size_t n = 0, cap = 0;
    uint32_t number;
    for (size_t at = 0; skr_slab_next(&known->item, &at, &number);) {
        struct skr_known_object *object = skr_slab_at(&known->item, number);
        if (object->list != list % SKR_KNOWN_LISTS) {
            skr_grow(&unseen, &cap, n + 1, sizeof *unseen);
            unseen[n++] = (struct unseen){.object = object,
                                          .stem = stem_of(known, object),
                                          .rest = skr_short_text_get(&object->rest)};
        }
    }
    *ret_n = n;
    if (n == 0) {
        return NULL;
    }
    qsort(unseen, n, sizeof *unseen, compare_unseen);
    struct skr_known_object **object = skr_alloc_array(n, sizeof *object);
    for (size_t i = 0; i < n; i++) {
        object[i] = unseen[i].object;
    }
    return object;
}
