/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two tables of what was read last. The key is the content of all JSON that decides, as types, lengths and
 * texts of its values. When a table is full all of it is dropped: templates come in runs, and the pods that
 * share an entry hold a reference.
 */
#include "core/pod/shapes.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "core/pod/fields.h"
#include "core/pod/parts.h"
#include "core/pod/share.h"
#include "topology/base/json_tree.h"

struct entry {
    UT_hash_handle hh; /* by text */
    struct skr_pod_share *share;
    size_t n;
    char text[];
};

struct table {
    struct entry *entries;
    size_t bytes; /* of texts and of what was read of them */
};

struct skr_pod_shapes {
    struct table shapes, labels;
    struct skr_strbuf key; /* of what is looked for */
};

/* Label keys whose value is different for every pod. */
static const char *const own_key[] = {
    SKR_LABEL_RANK,
    "batch.kubernetes.io/job-completion-index",
    "apps.kubernetes.io/pod-index",
    "statefulset.kubernetes.io/pod-name",
};

const char *const skr_pod_common_keys[] = {
    SKR_LABEL_GROUP,
    SKR_LABEL_STATUS,
    SKR_LABEL_RANK,
    SKR_LABEL_RETRIES,
    SKR_LABEL_PLAN,
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
    "batch.kubernetes.io/job-completion-index",
    "apps.kubernetes.io/pod-index",
    "statefulset.kubernetes.io/pod-name",
    "controller-revision-hash",
    "controller-uid",
    "job-name",
    NULL,
};

/* ---- the tables ---- */

struct skr_pod_shapes *skr_pod_shapes_create(void)
{
    struct skr_pod_shapes *shapes = skr_alloc(sizeof *shapes);
    skr_strbuf_init(&shapes->key);
    return shapes;
}

static void drop_all(struct table *table)
{
    struct entry *e, *tmp;
    HASH_ITER(hh, table->entries, e, tmp)
    {
        HASH_DEL(table->entries, e);
        skr_pod_share_unref(e->share);
        free(e);
    }
    table->bytes = 0;
}

void skr_pod_shapes_destroy(struct skr_pod_shapes *shapes)
{
    if (!shapes) {
        return;
    }
    drop_all(&shapes->shapes);
    drop_all(&shapes->labels);
    skr_strbuf_fini(&shapes->key);
    free(shapes);
}

static struct skr_pod_share *find(const struct table *table, const struct skr_strbuf *key)
{
    struct entry *e;
    HASH_FIND(hh, table->entries, key->s, key->len, e);
    return e ? skr_pod_share_ref(e->share) : NULL;
}

static void remember(struct table *table, const struct skr_strbuf *key, struct skr_pod_share *share)
{
    size_t bytes = sizeof(struct entry) + key->len + skr_arena_used(share->arena);
    if (key->len > SKR_POD_SHAPES_KEY_MAX || bytes > SKR_POD_SHAPES_BYTES_MAX) {
        return;
    }
    if (HASH_COUNT(table->entries) >= SKR_POD_SHAPES_ENTRIES_MAX ||
        bytes > SKR_POD_SHAPES_BYTES_MAX - table->bytes) {
        drop_all(table);
    }
    struct entry *e = skr_alloc(sizeof *e + key->len);
    e->share = skr_pod_share_ref(share);
    e->n = key->len;
    memcpy(e->text, key->s, key->len);
    HASH_ADD_KEYPTR(hh, table->entries, e->text, e->n, e);
    table->bytes += bytes;
}

/* ---- keys ---- */

/* value NULL: absent. */
static void add_value(struct skr_strbuf *key, const struct skr_json *value)
{
    char head[1 + sizeof(uint32_t)] = {'-'};
    if (!value) {
        skr_strbuf_addn(key, head, 1);
        return;
    }
    for (const struct skr_json *v = value, *end = skr_json_next(value); v < end; v++) {
        head[0] = (char)('0' + v->type);
        memcpy(head + 1, &v->n, sizeof v->n);
        skr_strbuf_addn(key, head, sizeof head);
        if (v->type == SKR_JSON_STRING || v->type == SKR_JSON_NUMBER) {
            skr_strbuf_addn(key, v->text, v->n);
        }
    }
}

/* A list of objects, of which a few members decide. */
static void add_list(struct skr_strbuf *key, const struct skr_json *list, const char *const name[],
                     size_t n)
{
    enum { MOST = 4 };
    const struct skr_json *member[MOST];
    if (!list || list->type != SKR_JSON_ARRAY) {
        add_value(key, list);
        return;
    }
    skr_strbuf_addc(key, '[');
    SKR_JSON_EACH(list, item)
    {
        if (item->type != SKR_JSON_OBJECT) {
            add_value(key, item);
            continue;
        }
        skr_strbuf_addc(key, '{');
        skr_json_members(item, name, n, member);
        for (size_t i = 0; i < n; i++) {
            add_value(key, member[i]);
        }
    }
    skr_strbuf_addc(key, ']');
}

/* Whether rules about other pods name keys of the pod's own labels (matchLabelKeys). */
static bool names_label_keys(const struct skr_json *rules)
{
    static const char end[] = "abelKeys";
    const size_t n = sizeof end - 1;
    bool names = false;
    for (const struct skr_json *v = rules; rules && !names && v < skr_json_next(rules); v++) {
        names = v->type == SKR_JSON_STRING && v->n >= n && memcmp(v->text + v->n - n, end, n) == 0;
    }
    return names;
}

/* What core/pod/shape.c, requests.c and rules.c read. */
static void write_shape_key(struct skr_strbuf *key, const struct skr_pod_fields *f)
{
    static const char *const in_container[] = {"name", "resources", "ports", "restartPolicy"};
    static const char *const in_status[] = {"name", "resources", "allocatedResources"};
    const struct skr_json *affinity = f->part[SKR_POD_PART_AFFINITY];
    const struct skr_json *spread = f->part[SKR_POD_PART_SPREAD];
    skr_strbuf_reset(key);
    for (size_t i = 0; i < SKR_POD_PART_LISTS; i++) {
        const bool status = i == SKR_POD_PART_STATUSES || i == SKR_POD_PART_INIT_STATUSES;
        add_list(key, f->part[i], status ? in_status : in_container, status ? 3 : 4);
    }
    for (size_t i = SKR_POD_PART_LISTS; i < SKR_POD_PART_COUNT; i++) {
        add_value(key, f->part[i]);
    }
    skr_strbuf_addc(key, f->late_capacity ? 'l' : 'e');
    skr_strbuf_addc(key, f->is_resizing ? 'r' : 's');
    add_value(key, f->scheduler);
    if (affinity || spread) {
        add_value(key, f->meta.of[SKR_META_NAMESPACE]);
    }
    if (names_label_keys(affinity) || names_label_keys(spread)) {
        add_value(key, f->meta.of[SKR_META_LABELS]);
    }
}

/* ---- labels and owner ---- */

bool skr_pod_labels_are_own(const struct skr_json *labels)
{
    enum { N = sizeof own_key / sizeof own_key[0] };
    const struct skr_json *value[N];
    bool own = false;
    skr_json_members(labels, own_key, N, value);
    for (size_t i = 0; i < N; i++) {
        own = own || value[i];
    }
    return own;
}

struct skr_pod_share *skr_pod_shapes_labels(struct skr_pod_shapes *shapes,
                                            const struct skr_pod_fields *fields,
                                            struct skr_error *error)
{
    if (shapes) {
        skr_strbuf_reset(&shapes->key);
        add_value(&shapes->key, fields->meta.of[SKR_META_LABELS]);
        add_value(&shapes->key, fields->controller_uid);
        add_value(&shapes->key, fields->controller_version);
        add_value(&shapes->key, fields->controller_kind);
        add_value(&shapes->key, fields->controller_name);
        struct skr_pod_share *found = find(&shapes->labels, &shapes->key);
        if (found) {
            return found;
        }
    }
    struct skr_pod_share *share = skr_pod_share_create(skr_pod_labels_size(fields));
    if (!share) {
        (void)skr_pod_no_room(error);
        return NULL;
    }
    if (skr_pod_labels_read(share->arena, fields, &share->labels, &share->controller_uid,
                            &share->controller, error) < 0) {
        skr_pod_share_unref(share);
        return NULL;
    }
    if (shapes) {
        remember(&shapes->labels, &shapes->key, share);
    }
    return share;
}

/* ---- shapes ---- */

static int decode_shape(const struct skr_pod_fields *fields, const struct skr_meta *meta,
                        const json_t *tree, struct skr_pod_share *share, struct skr_error *error)
{
    json_auto_t *spec = tree           ? json_incref(json_object_get(tree, "spec"))
                        : fields->spec ? skr_json_tree(fields->spec)
                                       : NULL;
    json_auto_t *status = tree             ? json_incref(json_object_get(tree, "status"))
                          : fields->status ? skr_json_tree(fields->status)
                                           : NULL;
    const int rc = skr_json_copy_string(share->arena, fields->scheduler, NULL, "pod",
                                        &share->scheduler_name, error);
    return rc < 0 ? rc
                  : skr_pod_shape_decode(share->arena, meta, json_is_object(spec) ? spec : NULL,
                                         json_is_object(status) ? status : NULL,
                                         fields->late_capacity, share->shape, error);
}

struct skr_pod_share *skr_pod_shapes_shape(struct skr_pod_shapes *shapes,
                                           const struct skr_pod_fields *fields,
                                           const struct skr_meta *meta, const json_t *tree,
                                           struct skr_error *error)
{
    if (shapes) {
        write_shape_key(&shapes->key, fields);
        struct skr_pod_share *found = find(&shapes->shapes, &shapes->key);
        if (found) {
            return found;
        }
    }
    struct skr_pod_share *share = skr_pod_share_create_shape();
    if (!share) {
        (void)skr_pod_no_room(error);
        return NULL;
    }
    if (decode_shape(fields, meta, tree, share, error) < 0) {
        skr_pod_share_unref(share);
        return NULL;
    }
    if (shapes) {
        remember(&shapes->shapes, &shapes->key, share);
    }
    return share;
}
