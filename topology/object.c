/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all API objects have in common: metadata, string maps, resource lists. Decoding copies what
 * is kept into the object's arena; the JSON can be released afterwards.
 *
 * As in the Go types of Kubernetes, null is the same as absent, for a string in a map the same as
 * "". Limits: the arena's.
 */
#include "topology/object.h"

#include <stdalign.h>
#include <stddef.h>
#include <string.h>

#include "topology/base/attr.h"
#include "topology/base/decimal.h"
#include "topology/base/json_field.h"
#include "topology/base/json_tree.h"
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

/* Bytes of a key that has one of the prefixes. */
static bool has_prefix(const struct skr_json *key, const char *const *prefixes)
{
    bool has = !prefixes;
    for (size_t i = 0; !has && prefixes[i]; i++) {
        const size_t n = strlen(prefixes[i]);
        has = key->n >= n && memcmp(key->text, prefixes[i], n) == 0;
    }
    return has;
}

static const char *find_known(const struct skr_json *key, const char *const *known)
{
    while (known && *known && !skr_json_is(key, *known)) {
        known++;
    }
    return known ? *known : NULL;
}

/* Members with the same key stay in the order of the tape, which their values point to. */
static int by_key(const void *a, const void *b)
{
    const struct skr_label *x = a;
    const struct skr_label *y = b;
    const int order = strcmp(x->key, y->key);
    return order != 0 ? order : (x->value > y->value) - (x->value < y->value);
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

/* Of members with the same key the last one stays. */
static void drop_doubles(struct skr_labels *labels)
{
    size_t n = 0;
    for (size_t i = 0; i < labels->n; i++) {
        if (i + 1 == labels->n || strcmp(labels->item[i].key, labels->item[i + 1].key) != 0) {
            labels->item[n++] = labels->item[i];
        }
    }
    labels->n = n;
}

size_t skr_labels_size(const struct skr_json *object, const char *const *prefixes,
                       const char *const *known)
{
    size_t size = 0;
    SKR_JSON_EACH_MEMBER(object && object->type == SKR_JSON_OBJECT ? object : NULL, key)
    {
        if (has_prefix(key, prefixes)) {
            size += sizeof(struct skr_label) + (find_known(key, known) ? 0 : key->n + 1);
            size += key[1].type == SKR_JSON_STRING ? key[1].n + 1 : 0;
        }
    }
    return size > 0 ? size + alignof(max_align_t) - 1 : 0;
}

/* The keys of the object, sorted; their values are still those of the tape. */
static int read_keys(struct skr_arena *arena, const struct skr_json *object,
                     const char *const *prefixes, const char *const *known, const char *path,
                     struct skr_labels *labels, struct skr_error *error)
{
    SKR_JSON_EACH_MEMBER(object, key)
    {
        if (!has_prefix(key, prefixes)) {
            continue;
        }
        struct skr_label *label = &labels->item[labels->n++];
        label->key = find_known(key, known);
        label->key = label->key ? label->key : skr_arena_strndup(arena, key->text, key->n);
        if (!label->key) {
            return skr_object_too_large(error, path);
        }
        label->value = (const char *)(key + 1);
    }
    sort(labels);
    drop_doubles(labels);
    return 0;
}

int skr_labels_read(struct skr_arena *arena, const struct skr_json *object,
                    const char *const *prefixes, const char *const *known, const char *path,
                    struct skr_labels *ret, struct skr_error *error)
{
    const struct skr_field_path at = {NULL, path, SKR_FIELD_NO_INDEX};
    struct skr_labels labels = {0, NULL};
    size_t n = 0;
    int rc = skr_json_expect(object, SKR_JSON_OBJECT, &at, NULL, &object, error);
    if (rc != 0) {
        return rc;
    }
    SKR_JSON_EACH_MEMBER(object, key)
    {
        n += has_prefix(key, prefixes) ? 1 : 0;
    }
    labels.item = n > 0 ? skr_arena_array(arena, n, sizeof labels.item[0]) : NULL;
    if (n > 0 && !labels.item) {
        return skr_object_too_large(error, path);
    }
    if (n > 0) {
        rc = read_keys(arena, object, prefixes, known, path, &labels, error);
    }
    for (size_t i = 0; rc == 0 && i < labels.n; i++) {
        struct skr_label *label = &labels.item[i];
        const struct skr_json *value = (const void *)label->value;
        rc = skr_json_expect(value, SKR_JSON_STRING, &at, label->key, &value, error);
        if (rc == 0) {
            label->value =
                value && value->n > 0 ? skr_arena_strndup(arena, value->text, value->n) : "";
            rc = label->value ? 0 : skr_object_too_large(error, path);
        }
    }
    if (rc == 0) {
        *ret = labels;
    }
    return rc;
}

int skr_labels_decode(struct skr_arena *arena, const json_t *object, const char *const *prefixes,
                      const char *path, struct skr_labels *ret, struct skr_error *error)
{
    SKR_JSON_READER(reader);
    const struct skr_json *value = NULL;
    const int rc = skr_json_of_tree(&reader, object, &value, error);
    return rc != 0 ? rc : skr_labels_read(arena, value, prefixes, NULL, path, ret, error);
}

bool skr_meta_is_older(const struct skr_meta *meta, const struct skr_meta *than)
{
    return meta->created < than->created ||
           (meta->created == than->created && strcmp(meta->name, than->name) < 0);
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
    [SKR_META_GRACE] = "deletionGracePeriodSeconds",
    [SKR_META_LABELS] = "labels",
    [SKR_META_ANNOTATIONS] = "annotations",
    [SKR_META_OWNERS] = "ownerReferences",
};
_Static_assert(sizeof meta_key / sizeof meta_key[0] == SKR_META_COUNT, "a key per member");

void skr_meta_members_read(const struct skr_json *metadata, struct skr_meta_members *ret)
{
    ret->metadata = metadata;
    skr_json_members(metadata, meta_key, SKR_META_COUNT, ret->of);
}

static int copy_of(struct skr_arena *arena, const struct skr_meta_members *members,
                   enum skr_meta_member which, const char **ret, struct skr_error *error)
{
    return skr_json_copy_string(arena, members->of[which], &in_metadata, meta_key[which], ret,
                                error);
}

enum { LOOK_MAX = 64 }; /* times and versions; longer ones are cut, and then are none */

/* A string that is looked at and not kept. */
static int look_at(const struct skr_meta_members *members, enum skr_meta_member which,
                   char ret[LOOK_MAX], struct skr_error *error)
{
    const struct skr_json *text = NULL;
    const int rc = skr_json_expect(members->of[which], SKR_JSON_STRING, &in_metadata,
                                   meta_key[which], &text, error);
    const size_t n = rc != 0 || !text ? 0 : text->n < LOOK_MAX ? text->n : LOOK_MAX - 1;
    if (n > 0) {
        memcpy(ret, text->text, n);
    }
    ret[n] = '\0';
    return rc;
}

/* -1: there is no integer of 0 or more. */
static int32_t grace_of(const struct skr_json *value)
{
    int64_t seconds = -1;
    if (!value || value->type != SKR_JSON_NUMBER ||
        !skr_decimal_parse(value->text, value->n, &seconds) || seconds < 0) {
        return -1;
    }
    return seconds > INT32_MAX ? INT32_MAX : (int32_t)seconds;
}

skr_time skr_object_time(const struct skr_json *value)
{
    char text[sizeof "2006-01-02T15:04:05.000000000+00:00"];
    skr_time t = 0;
    if (!value || value->type != SKR_JSON_STRING || value->n >= sizeof text) {
        return 0;
    }
    memcpy(text, value->text, value->n);
    text[value->n] = '\0';
    return skr_time_parse(text, &t, NULL) == 0 ? t : 0;
}

static int decode_times(const struct skr_meta_members *members, struct skr_meta *meta,
                        struct skr_error *error)
{
    char text[LOOK_MAX];
    int rc = look_at(members, SKR_META_CREATED, text, error);
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
    rc = look_at(members, SKR_META_DELETED, text, error);
    meta->deleting = rc == 0 && text[0] != '\0';
    if (meta->deleting && skr_time_parse(text, &meta->deleted_at, NULL) != 0) {
        meta->deleted_at = 0; /* it goes all the same; when is not known */
    }
    meta->deletion_grace_s = meta->deleting ? grace_of(members->of[SKR_META_GRACE]) : -1;
    return rc;
}

const char *const skr_meta_annotations[] = {"sakkara.", "leaderworkerset.sigs.k8s.io/size",
                                            "kueue.x-k8s.io/", "autoscaling.x-k8s.io/consume-",
                                            NULL};

int skr_meta_decode(struct skr_arena *arena, const json_t *object, const char *const *prefixes,
                    struct skr_meta *ret, struct skr_error *error)
{
    SKR_JSON_READER(reader);
    struct skr_meta_members members;
    const struct skr_json *metadata = NULL;
    if (!json_is_object(object)) {
        return skr_field_set_type_error(NULL, "object", "an object", object, error);
    }
    int rc = skr_json_of_tree(&reader, json_object_get(object, "metadata"), &metadata, error);
    if (rc != 0) {
        return skr_error_prefix(error, "metadata");
    }
    skr_meta_members_read(metadata, &members);
    return skr_meta_read(arena, &members, prefixes, ret, error);
}

int skr_meta_read(struct skr_arena *arena, const struct skr_meta_members *members,
                  const char *const *prefixes, struct skr_meta *ret, struct skr_error *error)
{
    struct skr_meta meta = {.namespace_ = NULL};
    const struct skr_json *metadata = NULL;
    char version[LOOK_MAX];
    int rc =
        skr_json_expect(members->metadata, SKR_JSON_OBJECT, NULL, "metadata", &metadata, error);
    if (rc == 0 && !metadata) {
        return skr_error_set_key(error, SKR_INVALID, "metadata", "missing");
    }
    if (rc != 0 ||
        (rc = copy_of(arena, members, SKR_META_NAMESPACE, &meta.namespace_, error)) != 0 ||
        (rc = copy_of(arena, members, SKR_META_NAME, &meta.name, error)) != 0 ||
        (rc = copy_of(arena, members, SKR_META_UID, &meta.uid, error)) != 0 ||
        (rc = look_at(members, SKR_META_VERSION, version, error)) != 0 ||
        (rc = decode_times(members, &meta, error)) != 0 ||
        (rc = skr_labels_read(arena, members->of[SKR_META_LABELS], prefixes, NULL,
                              "metadata.labels", &meta.labels, error)) != 0 ||
        (rc = skr_labels_read(arena, members->of[SKR_META_ANNOTATIONS], skr_meta_annotations, NULL,
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
static int parse_trimmed(const char *name, const char *text, size_t n, int64_t *ret,
                         struct skr_error *error)
{
    static const char blanks[] = " \t\n\v\f\r";
    char trimmed[SKR_QUANTITY_TEXT_MAX + 1];
    while (n > 0 && strchr(blanks, text[n - 1])) {
        n--;
    }
    while (n > 0 && strchr(blanks, *text)) {
        text++;
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

/* Numbers are quantities as they are written. */
static int decode_quantity(const char *name, const struct skr_json *value, const char *path,
                           int64_t *ret, struct skr_error *error)
{
    const struct skr_field_path at = {NULL, path, SKR_FIELD_NO_INDEX};
    int rc = 0;
    if (value->type == SKR_JSON_STRING || value->type == SKR_JSON_NUMBER) {
        rc = parse_trimmed(name, value->text, value->n, ret, error);
    } else if (value->type == SKR_JSON_NULL) {
        *ret = 0;
    } else {
        return skr_json_type_error(&at, name, "a quantity", value, error);
    }
    if (rc != 0) {
        (void)skr_error_prefix(error, "%s", path);
    }
    return rc;
}

/* The item of that name, or a new one. */
static struct skr_quantity_item *item_of(struct skr_quantities *list, const struct skr_json *name)
{
    size_t i = 0;
    while (i < list->n && !skr_json_is(name, list->item[i].name)) {
        i++;
    }
    list->n += i == list->n ? 1 : 0;
    return &list->item[i];
}

int skr_quantities_read(struct skr_arena *arena, const struct skr_json *object, const char *path,
                        struct skr_quantities *ret, struct skr_error *error)
{
    const struct skr_field_path at = {NULL, path, SKR_FIELD_NO_INDEX};
    struct skr_quantities list = {0, NULL};
    int rc = skr_json_expect(object, SKR_JSON_OBJECT, &at, NULL, &object, error);
    const size_t n = rc == 0 ? skr_json_count(object) : 0;
    if (rc == 0 && n > RESOURCE_LIST_MAX) {
        return skr_error_set_key(error, SKR_LIMIT, path, "%zu resources, limit %d", n,
                                 RESOURCE_LIST_MAX);
    }
    list.item = n > 0 ? skr_arena_array(arena, n, sizeof list.item[0]) : NULL;
    if (n > 0 && !list.item) {
        return skr_object_too_large(error, path);
    }
    SKR_JSON_EACH_MEMBER(rc == 0 ? object : NULL, key)
    {
        skr_bug_on(!list.item); /* there is room for every key */
        struct skr_quantity_item *item = item_of(&list, key);
        item->name = skr_arena_strndup(arena, key->text, key->n);
        if (!item->name) {
            return skr_object_too_large(error, path);
        }
        rc = decode_quantity(item->name, key + 1, path, &item->amount, error);
        if (rc != 0) {
            return rc;
        }
    }
    if (list.n > 1) {
        qsort(list.item, list.n, sizeof list.item[0], by_name);
    }
    if (rc == 0) {
        *ret = list;
    }
    return rc;
}

int skr_quantities_decode(struct skr_arena *arena, const json_t *object, const char *path,
                          struct skr_quantities *ret, struct skr_error *error)
{
    SKR_JSON_READER(reader);
    const struct skr_json *value = NULL;
    const int rc = skr_json_of_tree(&reader, object, &value, error);
    return rc != 0 ? rc : skr_quantities_read(arena, value, path, ret, error);
}
