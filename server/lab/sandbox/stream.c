/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cursor over the store's history. The event of a change depends on whether the object was and is
 * selected: a newly selected one is ADDED, one no longer selected is DELETED.
 */
#include "server/lab/sandbox/stream.h"

#include <stdlib.h>
#include <string.h>

#include "server/object/path.h"
#include "server/object/selector.h"
#include "topology/base/arena.h"

enum {
    CHUNK_BYTES = 64 * 1024,
    BOOKMARK_S = 60,
    CHANGES_AT_ONCE = 10000, /* examined in one call, selected or not */
};

struct skr_stream {
    const struct skr_store *store;
    const struct skr_store_resource *resource; /* as requested */
    const struct skr_store_resource *keeper;
    char *namespace_;
    struct skr_selector *labels, *fields;
    enum skr_stream_shape shape;
    enum skr_table_include include;
    bool bookmarks;
    bool columns_sent; /* for tables: once per stream */
    skr_time end, bookmark;
    uint64_t revision; /* examined so far */
    json_t *initial;   /* initial objects; NULL: none */
    size_t next_initial;
};

void skr_stream_destroy(struct skr_stream *stream)
{
    if (!stream) {
        return;
    }
    json_decref(stream->initial);
    skr_selector_destroy(stream->labels);
    skr_selector_destroy(stream->fields);
    free(stream->namespace_);
    free(stream);
}

static bool is_selected(const struct skr_stream *s, const json_t *object)
{
    return object &&
           (*s->namespace_ == '\0' ||
            strcmp(s->namespace_, skr_path_text(object, "metadata.namespace")) == 0) &&
           skr_selector_matches(s->labels, object) && skr_selector_matches(s->fields, object);
}

static bool collect(void *context, const json_t *object)
{
    struct skr_stream *s = context;
    if (is_selected(s, object)) {
        json_array_append_new(s->initial, skr_path_ref(object));
    }
    return true;
}

int skr_stream_create(const struct skr_store *store, const struct skr_stream_options *options,
                      skr_time now, struct skr_stream **ret, struct skr_error *error)
{
    const struct skr_store_resource *resource = options->resource;
    struct skr_stream *s = skr_alloc(sizeof *s);
    s->store = store;
    s->resource = resource;
    s->keeper = skr_store_resource_keeper(resource);
    s->namespace_ = skr_strdup(resource->namespaced ? options->namespace_ : "");
    s->shape = options->shape;
    s->include = options->include;
    s->bookmarks = options->bookmarks;
    s->end = options->end;
    s->bookmark = now + BOOKMARK_S * SKR_SECOND;
    s->revision = options->from_now ? skr_store_revision(store) : options->revision;
    int rc = skr_selector_parse_labels(options->label_selector, &s->labels, error);
    if (rc == 0) {
        rc = skr_selector_parse_fields(options->field_selector, s->keeper->kind, &s->fields, error);
    }
    if (rc != 0) {
        skr_stream_destroy(s);
        return rc;
    }
    if (options->from_now) {
        s->initial = json_array();
        skr_store_each(store, skr_store_resource_key(s->keeper), collect, s);
    }
    *ret = s;
    return 0;
}

/* ---- lines ---- */

/* value: taken. */
static void line(struct skr_strbuf *out, const char *type, json_t *value)
{
    json_auto_t *event = json_pack("{s:s, s:o}", "type", type, "object", value);
    SKR_AUTO_FREE char *text = json_dumps(event, JSON_COMPACT);
    skr_bug_on(!text);
    skr_strbuf_add(out, text);
    skr_strbuf_addc(out, '\n');
}

/* object: taken, in the shape of the requested resource. */
static json_t *shaped(struct skr_stream *s, json_t *object, skr_time now)
{
    json_t *result;
    if (s->shape == SKR_STREAM_OBJECT) {
        return object;
    }
    result = s->shape == SKR_STREAM_TABLE ? skr_table_of(s->resource, object, s->include, now)
                                          : skr_table_metadata_of(object);
    json_decref(object);
    if (s->shape == SKR_STREAM_TABLE && s->columns_sent) {
        json_object_set_new(result, "columnDefinitions", json_null());
    }
    s->columns_sent = true;
    return result;
}

static void send_event(struct skr_stream *s, const char *type, const json_t *object, skr_time now,
                       struct skr_strbuf *out)
{
    line(out, type, shaped(s, skr_store_present(s->resource, object), now));
}

static void send_bookmark(struct skr_stream *s, skr_time now, struct skr_strbuf *out)
{
    const struct skr_store_resource *r = s->resource;
    json_t *meta =
        json_pack("{s:o, s:n}", "resourceVersion",
                  json_sprintf("%llu", (unsigned long long)s->revision), "creationTimestamp");
    s->bookmark = now + BOOKMARK_S * SKR_SECOND;
    if (s->shape == SKR_STREAM_TABLE) {
        line(out, "BOOKMARK",
             json_pack("{s:s, s:s, s:o, s:n, s:[]}", "kind", "Table", "apiVersion",
                       "meta.k8s.io/v1", "metadata", meta, "columnDefinitions", "rows"));
    } else if (s->shape == SKR_STREAM_METADATA) {
        line(out, "BOOKMARK",
             json_pack("{s:s, s:s, s:o}", "kind", "PartialObjectMetadata", "apiVersion",
                       "meta.k8s.io/v1", "metadata", meta));
    } else {
        line(out, "BOOKMARK",
             json_pack("{s:s, s:o, s:o}", "kind", r->kind, "apiVersion",
                       json_sprintf("%s%s%s", r->group, *r->group != '\0' ? "/" : "", r->version),
                       "metadata", meta));
    }
}

/* An object that is no longer selected, with the revision of that change. */
static json_t *last_selected(const struct skr_store_change *change)
{
    return skr_path_with(change->before, "metadata.resourceVersion",
                         json_string(skr_path_text(change->object, "metadata.resourceVersion")));
}

static void send_change(struct skr_stream *s, const struct skr_store_change *change, skr_time now,
                        struct skr_strbuf *out)
{
    const bool was = is_selected(s, change->before);
    const bool is = change->kind != SKR_STORE_DELETED && is_selected(s, change->object);
    if (is) {
        send_event(s, was ? "MODIFIED" : "ADDED", change->object, now, out);
    } else if (was && change->kind == SKR_STORE_DELETED) {
        send_event(s, "DELETED", change->object, now, out);
    } else if (was) {
        json_auto_t *last = last_selected(change);
        send_event(s, "DELETED", last, now, out);
    }
}

static bool send_gone(const struct skr_stream *s, struct skr_strbuf *out)
{
    line(out, "ERROR",
         json_pack("{s:s, s:s, s:{}, s:s, s:o, s:s, s:i}", "kind", "Status", "apiVersion", "v1",
                   "metadata", "status", "Failure", "message",
                   json_sprintf("too old resource version: %llu (%llu)",
                                (unsigned long long)s->revision,
                                (unsigned long long)skr_store_revision(s->store)),
                   "reason", "Expired", "code", 410));
    return false;
}

/* ---- next lines ---- */

static void send_initial(struct skr_stream *s, skr_time now, struct skr_strbuf *out)
{
    while (s->initial && out->len < CHUNK_BYTES) {
        if (s->next_initial == json_array_size(s->initial)) {
            json_decref(s->initial);
            s->initial = NULL;
            return;
        }
        send_event(s, "ADDED", json_array_get(s->initial, s->next_initial++), now, out);
    }
}

bool skr_stream_more(struct skr_stream *stream, skr_time now, struct skr_strbuf *out)
{
    struct skr_store_change change;
    bool gone = false;
    send_initial(stream, now, out);
    if (stream->initial) {
        return true;
    }
    for (int n = 0; n < CHANGES_AT_ONCE && out->len < CHUNK_BYTES &&
                    skr_store_next_change(stream->store, stream->revision, &change, &gone);
         n++) {
        stream->revision = change.revision;
        if (change.resource == stream->keeper) {
            send_change(stream, &change, now, out);
        }
    }
    if (gone) {
        return send_gone(stream, out);
    }
    if (skr_stream_is_behind(stream)) {
        return true;
    }
    if (now >= stream->end) {
        if (stream->bookmarks) {
            send_bookmark(stream, now, out);
        }
        return false;
    }
    if (stream->bookmarks && now >= stream->bookmark) {
        send_bookmark(stream, now, out);
    }
    return true;
}

skr_time skr_stream_due(const struct skr_stream *stream)
{
    return stream->bookmarks && stream->bookmark < stream->end ? stream->bookmark : stream->end;
}

bool skr_stream_is_behind(const struct skr_stream *stream)
{
    return stream->initial || skr_store_revision(stream->store) > stream->revision;
}
