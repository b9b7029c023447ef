/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all API objects have in common: metadata, string maps, resource lists. Decoding copies what
 * is kept into the object's arena; the JSON can be released afterwards.
 *
 * As in the Go types of Kubernetes, null is the same as absent, for a string in a map the same as
 * "". Limits: the arena's.
 */
#include "topology/object.h"

#include <string.h>

#include "topology/base/json_field.h"
#include "topology/quantity.h"

enum { RESOURCE_LIST_MAX = SKR_RESOURCES_MAX };

int skr_object_too_large(struct skr_error *error, const char *path)
{
    return skr_error_set_key(error, SKR_LIMIT, path,
                             "object larger than %d bytes, or out of memory", SKR_OBJECT_BYTES_MAX);
}

char *skr_object_key(const char *namespace_, const char *name)
{
    size_t n_namespace = strlen(namespace_), n_name = strlen(name);
    char *key = skr_alloc(n_namespace + n_name + 2);
    memcpy(key, namespace_, n_namespace);
    if (n_namespace > 0) {
        key[n_namespace++] = '/';
    }
    memcpy(key + n_namespace, name, n_name);
    return key;
}

static int type_error(const char *path, const char *key, const char *what, const json_t *value,
                      struct skr_error *error)
{
    const struct skr_field_path at = {NULL, path, SKR_FIELD_NO_INDEX};
    return skr_field_set_type_error(&at, key, what, value, error);
}

static bool has_prefix(const char *key, const char *const *prefixes)
{
    if (!prefixes) {
        return true;
    }
    for (size_t i = 0; prefixes[i]; i++) {
        if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

static int by_key(const void *a, const void *b)
{
    const struct skr_label *x = a;
    const struct skr_label *y = b;
    return strcmp(x->key, y->key);
}

/* Maps are small and mostly in order already, for which qsort() takes ten times as long. */
static void sort(struct skr_labels *labels)
{
    enum { SMALL = 24 };
    struct skr_label *item = labels->item;
    if (labels->n > SMALL) {
        qsort(item, labels->n, sizeof item[0], by_key);
        return;
    }
    for (size_t i = 1; i < labels->n; i++) {
        const struct skr_label moved = item[i];
        size_t at = i;
        for (; at > 0 && by_key(&item[at - 1], &moved) > 0; at--) {
            item[at] = item[at - 1];
        }
        item[at] = moved;
    }
}

/* Kept members of the object, counted first so that the array is of the right size. */
static size_t count_kept(json_t *object, const char *const *prefixes)
{
    size_t n = 0;
    if (!prefixes) {
        return json_object_size(object);
    }
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        n += has_prefix(json_object_iter_key(at), prefixes) ? 1 : 0;
    }
    return n;
}

int skr_labels_decode(struct skr_arena *arena, const json_t *object, const char *const *prefixes,
                      const char *path, struct skr_labels *ret, struct skr_error *error)
{
    struct skr_labels labels = {0, NULL};
    if (skr_object_is_absent(object)) {
        *ret = labels;
        return 0;
    }
    if (!json_is_object(object)) {
        return type_error(path, NULL, "an object", object, error);
    }
    json_t *map = skr_object_unconst(object);
    size_t n = count_kept(map, prefixes);
    if (n == 0) {
        *ret = labels;
        return 0;
    }
    labels.item = skr_arena_array(arena, n, sizeof labels.item[0]);
    if (!labels.item) {
        return skr_object_too_large(error, path);
    }
    for (void *at = json_object_iter(map); at; at = json_object_iter_next(map, at)) {
        const char *key = json_object_iter_key(at);
        const json_t *value = json_object_iter_value(at);
        if (!has_prefix(key, prefixes)) {
            continue;
        }
        if (!json_is_string(value) && !json_is_null(value)) {
            return type_error(path, key, "a string", value, error);
        }
        struct skr_label *label = &labels.item[labels.n++];
        label->key = skr_arena_strdup(arena, key);
        label->value = skr_arena_strdup(arena, json_is_null(value) ? "" : json_string_value(value));
        if (!label->key || !label->value) {
            return skr_object_too_large(error, path);
        }
    }
    sort(&labels);
    *ret = labels;
    return 0;
}

uint64_t skr_meta_version_parse(const char *text)
{
    uint64_t version = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9') {
            return 0;
        }
        uint64_t digit = (uint64_t)(*at - '0');
        if (version > (UINT64_MAX - digit) / 10) {
            return 0;
        }
        version = version * 10 + digit;
    }
    return version;
}

static const struct skr_field_path in_metadata = {NULL, "metadata", SKR_FIELD_NO_INDEX};

static const char *const meta_key[] = {
    [SKR_META_NAME] = "name",
    [SKR_META_NAMESPACE] = "namespace",
    [SKR_META_UID] = "uid",
    [SKR_META_VERSION] = "resourceVersion",
    [SKR_META_CREATED] = "creationTimestamp",
    [SKR_META_DELETED] = "deletionTimestamp",
    [SKR_META_LABELS] = "labels",
    [SKR_META_ANNOTATIONS] = "annotations",
    [SKR_META_OWNERS] = "ownerReferences",
};
_Static_assert(sizeof meta_key / sizeof meta_key[0] == SKR_META_COUNT, "a key per member");

void skr_meta_tree_read(const json_t *object, struct skr_meta_tree *ret)
{
    ret->metadata = json_object_get(object, "metadata");
    skr_object_members(ret->metadata, meta_key, SKR_META_COUNT, ret->member);
}

static int text_of(const struct skr_meta_tree *tree, enum skr_meta_member which, const char **ret,
                   struct skr_error *error)
{
    return skr_value_string(tree->member[which], &in_metadata, meta_key[which], ret, error);
}

static int copy_of(struct skr_arena *arena, const struct skr_meta_tree *tree,
                   enum skr_meta_member which, const char **ret, struct skr_error *error)
{
    return skr_value_copy_string(arena, tree->member[which], &in_metadata, meta_key[which], ret,
                                 error);
}

static int decode_times(const struct skr_meta_tree *tree, struct skr_meta *meta,
                        struct skr_error *error)
{
    const char *text = "";
    int rc = text_of(tree, SKR_META_CREATED, &text, error);
    if (rc != 0) {
        return rc;
    }
    if (text[0] != '\0') {
        rc = skr_time_parse(text, &meta->created, error);
        if (rc != 0) {
            (void)skr_error_prefix(error, "metadata.creationTimestamp");
            return rc;
        }
    }
    rc = text_of(tree, SKR_META_DELETED, &text, error);
    meta->deleting = rc == 0 && text[0] != '\0';
    if (meta->deleting && skr_time_parse(text, &meta->deleted_at, NULL) != 0) {
        meta->deleted_at = 0; /* it goes all the same; nobody knows when */
    }
    return rc;
}

int skr_meta_decode(struct skr_arena *arena, const json_t *object, const char *const *prefixes,
                    struct skr_meta *ret, struct skr_error *error)
{
    struct skr_meta_tree tree;
    if (!json_is_object(object)) {
        return type_error("object", NULL, "an object", object, error);
    }
    skr_meta_tree_read(object, &tree);
    return skr_meta_tree_decode(arena, &tree, prefixes, ret, error);
}

int skr_meta_tree_decode(struct skr_arena *arena, const struct skr_meta_tree *tree,
                         const char *const *prefixes, struct skr_meta *ret, struct skr_error *error)
{
    static const char *const annotation_prefixes[] = {"sakkara.", NULL};
    struct skr_meta meta = {.namespace_ = NULL};
    const char *version = "";
    int rc = 0;
    if (skr_object_is_absent(tree->metadata)) {
        return skr_error_set_key(error, SKR_INVALID, "metadata", "missing");
    }
    if (!json_is_object(tree->metadata)) {
        return type_error("metadata", NULL, "an object", tree->metadata, error);
    }
    if ((rc = copy_of(arena, tree, SKR_META_NAMESPACE, &meta.namespace_, error)) != 0 ||
        (rc = copy_of(arena, tree, SKR_META_NAME, &meta.name, error)) != 0 ||
        (rc = copy_of(arena, tree, SKR_META_UID, &meta.uid, error)) != 0 ||
        (rc = text_of(tree, SKR_META_VERSION, &version, error)) != 0 ||
        (rc = decode_times(tree, &meta, error)) != 0 ||
        (rc = skr_labels_decode(arena, tree->member[SKR_META_LABELS], prefixes, "metadata.labels",
                                &meta.labels, error)) != 0 ||
        (rc = skr_labels_decode(arena, tree->member[SKR_META_ANNOTATIONS], annotation_prefixes,
                                "metadata.annotations", &meta.annotations, error)) != 0) {
        return rc;
    }
    meta.resource_version = skr_meta_version_parse(version);
    *ret = meta;
    return 0;
}

/* ---- resource lists ---- */

static int by_name(const void *a, const void *b)
{
    const struct skr_quantity_item *x = a;
    const struct skr_quantity_item *y = b;
    return strcmp(x->name, y->name);
}

/* Blanks around a quantity are tolerated, as Quantity.UnmarshalJSON does. */
static int parse_trimmed(const char *name, const char *text, int64_t *ret, struct skr_error *error)
{
    static const char blanks[] = " \t\n\v\f\r";
    char trimmed[SKR_QUANTITY_TEXT_MAX + 1];
    text += strspn(text, blanks);
    size_t n = strlen(text);
    while (n > 0 && strchr(blanks, text[n - 1])) {
        n--;
    }
    if (n > SKR_QUANTITY_TEXT_MAX) {
        return skr_error_set_key(error, SKR_LIMIT, name, "a quantity of %zu characters, limit %d",
                                 n, SKR_QUANTITY_TEXT_MAX);
    }
    memcpy(trimmed, text, n);
    trimmed[n] = '\0';
    return skr_resource_parse(name, trimmed, ret, error);
}

static int decode_quantity(const char *name, const json_t *value, const char *path, int64_t *ret,
                           struct skr_error *error)
{
    char number[SKR_QUANTITY_TEXT_MAX + 1];
    int rc = 0;
    if (json_is_string(value)) {
        rc = parse_trimmed(name, json_string_value(value), ret, error);
    } else if (json_is_integer(value)) {
        (void)snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        rc = skr_resource_parse(name, number, ret, error);
    } else if (json_is_real(value)) {
        /* A number with a fraction (cpu: 0.5) as its shortest text; 17 digits would show 0.1 as
         * 0.10000000000000001 and round it up. */
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        if (!text) {
            return skr_object_too_large(error, path);
        }
        rc = parse_trimmed(name, text, ret, error);
        free(text);
    } else if (json_is_null(value)) {
        *ret = 0;
    } else {
        return type_error(path, name, "a quantity", value, error);
    }
    if (rc != 0) {
        (void)skr_error_prefix(error, "%s", path);
    }
    return rc;
}

int skr_quantities_decode(struct skr_arena *arena, const json_t *object, const char *path,
                          struct skr_quantities *ret, struct skr_error *error)
{
    struct skr_quantities list = {0, NULL};
    const char *name;
    json_t *value;
    if (skr_object_is_absent(object)) {
        *ret = list;
        return 0;
    }
    if (!json_is_object(object)) {
        return type_error(path, NULL, "an object", object, error);
    }
    json_t *map = skr_object_unconst(object);
    size_t n = json_object_size(map);
    if (n > RESOURCE_LIST_MAX) {
        return skr_error_set_key(error, SKR_LIMIT, path, "%zu resources, limit %d", n,
                                 RESOURCE_LIST_MAX);
    }
    if (n == 0) {
        *ret = list;
        return 0;
    }
    list.item = skr_arena_array(arena, n, sizeof list.item[0]);
    if (!list.item) {
        return skr_object_too_large(error, path);
    }
    json_object_foreach(map, name, value)
    {
        struct skr_quantity_item *item = &list.item[list.n++];
        int rc = decode_quantity(name, value, path, &item->amount, error);
        if (rc != 0) {
            return rc;
        }
        item->name = skr_arena_strdup(arena, name);
        if (!item->name) {
            return skr_object_too_large(error, path);
        }
    }
    if (list.n > 1) {
        qsort(list.item, list.n, sizeof list.item[0], by_name);
    }
    *ret = list;
    return 0;
}
