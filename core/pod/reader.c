/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two tables of what was read last, by text. The shape comes from its own decoder (shape.c) when its
 * text is new, labels are short and are read here. When a table is full all of it is dropped:
 * templates come in runs, and the pods that share an entry keep it alive.
 */
#include "core/pod/reader.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "core/pod/parts.h"
#include "core/pod/share.h"
#include "core/pod/text_parts.h"

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

struct skr_pod_reader {
    struct table shapes, labels;
    struct skr_strbuf key; /* of the shape */
    struct skr_strbuf labels_key;
};

/* Keys whose values differ from pod to pod: who has one shares its labels with nobody. */
static const char *const own_key[] = {
    SKR_LABEL_RANK,
    "batch.kubernetes.io/job-completion-index",
    "apps.kubernetes.io/pod-index",
    "statefulset.kubernetes.io/pod-name",
};

/* Keys that whole kinds of pods have, beside values of each pod's own: they are not copied. */
static const char *const common_key[] = {
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
};

/* ---- the tables ---- */

struct skr_pod_reader *skr_pod_reader_create(void)
{
    struct skr_pod_reader *reader = skr_alloc(sizeof *reader);
    skr_strbuf_init(&reader->key);
    skr_strbuf_init(&reader->labels_key);
    return reader;
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

void skr_pod_reader_destroy(struct skr_pod_reader *reader)
{
    if (!reader) {
        return;
    }
    drop_all(&reader->shapes);
    drop_all(&reader->labels);
    skr_strbuf_fini(&reader->key);
    skr_strbuf_fini(&reader->labels_key);
    free(reader);
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
    if (key->len > SKR_POD_READER_KEY_MAX || bytes > SKR_POD_READER_BYTES_MAX) {
        return;
    }
    if (HASH_COUNT(table->entries) >= SKR_POD_READER_ENTRIES_MAX ||
        bytes > SKR_POD_READER_BYTES_MAX - table->bytes) {
        drop_all(table);
    }
    struct entry *e = skr_alloc(sizeof *e + key->len);
    e->share = skr_pod_share_ref(share);
    e->n = key->len;
    memcpy(e->text, key->s, key->len);
    HASH_ADD_KEYPTR(hh, table->entries, e->text, e->n, e);
    table->bytes += bytes;
}

/* ---- strings ---- */

/* A string of the text, unescaped, in the arena. false without room. */
static bool copy(struct skr_arena *arena, const struct skr_json_span *span, const char **ret)
{
    *ret = "";
    if (!span->s || span->len == 2) {
        return true;
    }
    if (!memchr(span->s, '\\', span->len)) {
        *ret = skr_arena_strndup(arena, span->s + 1, span->len - 2);
        return *ret;
    }
    struct skr_json_scan scan;
    char *text = NULL;
    char *raw = skr_arena_strndup(arena, span->s, span->len);
    if (!raw) {
        return false;
    }
    skr_json_scan_init(&scan, raw, span->len);
    if (!skr_json_scan_string(&scan, &text)) {
        return false;
    }
    *ret = text;
    return true;
}

/* NULL: it is none. */
static const char *find_common(const struct skr_json_span *key)
{
    const char *found = NULL;
    for (size_t i = 0; !found && i < sizeof common_key / sizeof common_key[0]; i++) {
        found = skr_pod_parts_is(key, common_key[i]) ? common_key[i] : NULL;
    }
    return found;
}

/* As copy(), without a copy of one that is common. */
static bool copy_key(struct skr_arena *arena, const struct skr_json_span *key, const char **ret)
{
    *ret = find_common(key);
    return *ret || copy(arena, key, ret);
}

/* Which members of an object of strings are taken. */
typedef bool wanted(const struct skr_json_span *key);

static bool want_all(const struct skr_json_span *key)
{
    (void)key;
    return true;
}

static bool want_ours(const struct skr_json_span *key)
{
    static const char prefix[] = "\"sakkara.";
    return key->len >= sizeof prefix - 1 && memcmp(key->s, prefix, sizeof prefix - 1) == 0;
}

static bool want_index(const struct skr_json_span *key)
{
    for (int i = 0; i < SKR_POD_INDEX_COUNT; i++) {
        if (skr_pod_parts_is(key, skr_pod_index_key_name((enum skr_pod_index_key)i))) {
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

static size_t count_wanted(const struct skr_json_span *object, wanted *want, bool *odd)
{
    struct skr_json_scan scan;
    struct skr_json_span key;
    bool first = true;
    size_t n = 0;
    skr_json_scan_init(&scan, object->s, object->len);
    (void)skr_json_scan_enter(&scan, '{');
    while (skr_json_scan_raw_member(&scan, &first, &key) && skr_json_scan_value(&scan, NULL)) {
        n += want(&key) ? 1 : 0;
        *odd = *odd || (want != want_all && memchr(key.s, '\\', key.len));
    }
    return n;
}

/* An object of strings as a sorted list; false: something else is in it, or a key twice. */
static bool read_strings(struct skr_arena *arena, const struct skr_json_span *object, wanted *want,
                         struct skr_labels *ret)
{
    struct skr_json_scan scan;
    struct skr_json_span key;
    struct skr_json_span value;
    bool first = true;
    bool odd = false;
    *ret = (struct skr_labels){0, NULL};
    size_t n = object->s ? count_wanted(object, want, &odd) : 0;
    if (n == 0 || odd) {
        return !odd;
    }
    ret->item = skr_arena_array(arena, n, sizeof ret->item[0]);
    if (!ret->item) {
        return false;
    }
    skr_json_scan_init(&scan, object->s, object->len);
    (void)skr_json_scan_enter(&scan, '{');
    while (skr_json_scan_raw_member(&scan, &first, &key) && skr_json_scan_value(&scan, &value)) {
        if (!want(&key)) {
            continue;
        }
        struct skr_label *item = &ret->item[ret->n++];
        if (value.s[0] == 'n') {
            value = (struct skr_json_span){0};
        }
        if ((value.s && value.s[0] != '"') || !copy_key(arena, &key, &item->key) ||
            !copy(arena, &value, &item->value)) {
            return false;
        }
    }
    if (ret->n > 1) {
        qsort(ret->item, ret->n, sizeof ret->item[0], by_key);
    }
    for (size_t i = 1; i < ret->n; i++) {
        if (strcmp(ret->item[i - 1].key, ret->item[i].key) == 0) {
            return false;
        }
    }
    return true;
}

/* ---- what is shared ---- */

static void add_span(struct skr_strbuf *b, const struct skr_json_span *span)
{
    skr_strbuf_addn(b, span->s ? span->s : "", span->len);
    skr_strbuf_addc(b, '\n');
}

static bool is_own_key(const struct skr_json_span *key)
{
    bool is = false;
    for (size_t i = 0; !is && i < sizeof own_key / sizeof own_key[0]; i++) {
        is = skr_pod_parts_is(key, own_key[i]);
    }
    return is;
}

static bool spans_equal(const struct skr_json_span *a, const struct skr_json_span *b)
{
    return a->len == b->len && a->len > 0 && memcmp(a->s, b->s, a->len) == 0;
}

/* Bytes that labels and owner take, so that their arena is one block of that size. *ret_own: they are
 * like those of no other pod. */
static size_t labels_size(const struct skr_pod_parts *parts, bool *ret_own)
{
    struct skr_json_scan scan;
    struct skr_json_span key, value;
    bool first = true, owner_is_label = false;
    enum { ALIGNMENT = 16 };
    size_t size = ALIGNMENT;
    *ret_own = false;
    skr_json_scan_init(&scan, parts->labels.s, parts->labels.len);
    (void)(parts->labels.s && skr_json_scan_enter(&scan, '{'));
    while (parts->labels.s && skr_json_scan_raw_member(&scan, &first, &key) &&
           skr_json_scan_value(&scan, &value)) {
        size += sizeof(struct skr_label) + value.len + (find_common(&key) ? 0 : key.len);
        *ret_own = *ret_own || is_own_key(&key);
        owner_is_label = owner_is_label || spans_equal(&value, &parts->controller_uid);
    }
    return size + (owner_is_label ? 0 : parts->controller_uid.len);
}

/* The controller's uid, which Jobs give their pods as a label, too. */
static bool read_owner(struct skr_arena *arena, const struct skr_pod_parts *parts,
                       const struct skr_labels *labels, const char **ret)
{
    const struct skr_json_span *uid = &parts->controller_uid;
    const bool plain = uid->s && !memchr(uid->s, '\\', uid->len);
    const size_t n = plain && uid->len > 2 ? uid->len - 2 : 0;
    for (size_t i = 0; n > 0 && i < labels->n; i++) {
        const char *value = labels->item[i].value;
        if (strncmp(value, uid->s + 1, n) == 0 && value[n] == '\0') {
            *ret = value;
            return true;
        }
    }
    return copy(arena, uid, ret);
}

static bool read_labels(struct skr_arena *arena, const struct skr_pod_parts *parts,
                        struct skr_labels *ret, const char **ret_owner)
{
    return read_strings(arena, &parts->labels, want_all, ret) &&
           read_owner(arena, parts, ret, ret_owner);
}

/* The caller's reference; NULL: refused, or *ret_own is how many bytes the labels of its own take. */
static struct skr_pod_share *labels_of(struct skr_pod_reader *reader,
                                       const struct skr_pod_parts *parts, size_t *ret_own)
{
    struct skr_strbuf *key = &reader->labels_key;
    bool own;
    skr_strbuf_reset(key);
    add_span(key, &parts->labels);
    add_span(key, &parts->controller_uid);
    *ret_own = 0;
    struct skr_pod_share *share = find(&reader->labels, key);
    if (share) {
        return share;
    }
    const size_t size = labels_size(parts, &own);
    if (own) {
        *ret_own = size;
        return NULL;
    }
    share = skr_pod_share_create(size);
    if (!share) {
        return NULL;
    }
    if (!read_labels(share->arena, parts, &share->labels, &share->controller_uid)) {
        skr_pod_share_unref(share);
        return NULL;
    }
    remember(&reader->labels, key, share);
    return share;
}

static json_t *load(const struct skr_json_span *span)
{
    return span->s ? json_loadb(span->s, span->len, 0, NULL) : NULL;
}

static bool decode_shape(const struct skr_pod_parts *parts, const struct skr_labels *labels,
                         struct skr_pod_share *share)
{
    struct skr_error error = {.code = SKR_OK};
    struct skr_meta meta = {.labels = *labels};
    json_auto_t *spec = load(&parts->spec);
    json_auto_t *status = load(&parts->status);
    return (!parts->spec.s || spec) && (!parts->status.s || status) &&
           copy(share->arena, &parts->namespace_, &meta.namespace_) &&
           copy(share->arena, &parts->scheduler, &share->scheduler_name) &&
           skr_pod_shape_decode(share->arena, &meta, spec, status, share->shape, &error) == 0;
}

/* NULL: refused. The caller's reference. */
static struct skr_pod_share *shape_of(struct skr_pod_reader *reader,
                                      const struct skr_pod_parts *parts,
                                      const struct skr_labels *labels)
{
    struct skr_strbuf *key = &reader->key;
    add_span(key, &parts->scheduler);
    if (parts->affinity.s || parts->constraints.s) {
        add_span(key, &parts->namespace_);
    }
    if (parts->depends_on_labels) {
        add_span(key, &parts->labels);
    }
    struct skr_pod_share *share = find(&reader->shapes, key);
    if (share) {
        return share;
    }
    share = skr_pod_share_create_shape();
    if (!share) {
        return NULL;
    }
    if (!decode_shape(parts, labels, share)) {
        skr_pod_share_unref(share);
        return NULL;
    }
    remember(&reader->shapes, key, share);
    return share;
}

/* ---- the pod ---- */

enum { SHORT_TEXT = 64 }; /* times and versions; longer ones are left to the tree */

/* A string that is looked at and not kept. */
static bool look(const struct skr_json_span *span, char text[SHORT_TEXT])
{
    size_t n = span->s ? span->len - 2 : 0;
    if (n >= SHORT_TEXT || (n > 0 && memchr(span->s, '\\', span->len))) {
        return false;
    }
    memcpy(text, n > 0 ? span->s + 1 : "", n);
    text[n] = '\0';
    return true;
}

static bool read_time(const struct skr_json_span *span, skr_time *ret)
{
    char text[SHORT_TEXT];
    struct skr_error error;
    return look(span, text) && (text[0] == '\0' || skr_time_parse(text, ret, &error) == 0);
}

static bool read_meta(struct skr_pod *pod, const struct skr_pod_parts *parts)
{
    struct skr_meta *meta = &pod->meta;
    char version[SHORT_TEXT];
    if (!copy(pod->arena, &parts->namespace_, &meta->namespace_) ||
        !copy(pod->arena, &parts->name, &meta->name) ||
        !copy(pod->arena, &parts->uid, &meta->uid) || !look(&parts->version, version) ||
        !read_time(&parts->created, &meta->created)) {
        return false;
    }
    meta->resource_version = skr_meta_version_parse(version);
    char deleted[SHORT_TEXT];
    struct skr_error error;
    if (!look(&parts->deleted, deleted)) {
        return false;
    }
    meta->deleting = deleted[0] != '\0';
    if (meta->deleting && skr_time_parse(deleted, &meta->deleted_at, &error) != 0) {
        meta->deleted_at = 0;
    }
    return read_strings(pod->arena, &parts->annotations, want_ours, &meta->annotations);
}

static bool read_state(struct skr_pod *pod, const struct skr_pod_parts *parts)
{
    const char *message = "";
    if (!copy(pod->arena, &parts->node, &pod->node_name) ||
        !copy(pod->arena, &parts->nominated, &pod->nominated_node) ||
        !copy(pod->arena, &parts->failed_reason, &pod->failed_reason) ||
        !copy(pod->arena, &parts->scheduled_reason, &pod->scheduled_reason) ||
        !copy(pod->arena, &parts->scheduled_message, &message)) {
        return false;
    }
    pod->scheduled_message =
        message[0] == '\0'
            ? ""
            : skr_arena_strndup(pod->arena, message, skr_pod_message_length(message));
    pod->phase = parts->phase.s ? skr_pod_phase_of(parts->phase.s + 1, parts->phase.len - 2)
                                : SKR_POD_PENDING;
    pod->has_priority = parts->has_priority;
    pod->priority = parts->priority;
    pod->preempts_never = parts->preempts_never;
    pod->grace_s = parts->has_grace ? parts->grace_s : SKR_POD_GRACE_S;
    pod->gate = parts->gate;
    pod->foreign_gate = parts->foreign_gate;
    pod->of_job = parts->of_job;
    return pod->scheduled_message;
}

static bool read_labels_of(struct skr_pod *pod, const struct skr_pod_parts *parts)
{
    if (!pod->of_labels) {
        return read_labels(pod->arena, parts, &pod->meta.labels, &pod->controller_uid);
    }
    pod->meta.labels = pod->of_labels->labels;
    pod->controller_uid = pod->of_labels->controller_uid;
    return true;
}

static bool read_shape(struct skr_pod_reader *reader, struct skr_pod *pod,
                       const struct skr_pod_parts *parts)
{
    struct skr_labels annotations;
    pod->of_shape = shape_of(reader, parts, &pod->meta.labels);
    if (!pod->of_shape ||
        !read_strings(pod->arena, &parts->annotations, want_index, &annotations)) {
        return false;
    }
    pod->shape = pod->of_shape->shape;
    pod->scheduler_name = pod->of_shape->scheduler_name;
    skr_pod_index_find(&pod->meta.labels, &annotations, pod->index);
    return true;
}

/* Bytes that an ordinary pod takes, so that its arena is one block of that size. */
static size_t size_of(const struct skr_pod_parts *p)
{
    enum { ALIGNMENT = 16 };
    return sizeof(struct skr_pod) + ALIGNMENT + p->namespace_.len + p->name.len + p->uid.len +
           p->node.len + p->nominated.len + p->failed_reason.len + p->scheduled_reason.len +
           2 * p->scheduled_message.len;
}

bool skr_pod_reader_read(struct skr_pod_reader *reader, struct skr_json_scan *scan,
                         struct skr_pod **ret)
{
    struct skr_pod_parts parts;
    if (!skr_pod_parts_scan(scan, &parts, &reader->key)) {
        return false;
    }
    size_t own;
    struct skr_pod_share *labels = labels_of(reader, &parts, &own);
    if (!labels && own == 0) {
        return false;
    }
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, size_of(&parts) + own);
    struct skr_pod *pod = arena ? skr_arena_alloc(arena, sizeof *pod) : NULL;
    if (!pod) {
        skr_pod_share_unref(labels);
        skr_arena_destroy(arena);
        return false;
    }
    pod->arena = arena;
    pod->of_labels = labels;
    if (!read_meta(pod, &parts) || !read_state(pod, &parts) || !read_labels_of(pod, &parts) ||
        !read_shape(reader, pod, &parts)) {
        skr_pod_destroy(pod);
        return false;
    }
    *ret = pod;
    return true;
}
