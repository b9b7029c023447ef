/* SPDX-License-Identifier: Apache-2.0 */
/* The rig's API server: objects by resource and key, verbs with their preconditions, faults, and
 * what the watches show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <utlist.h>

#include "test/unit/frame_rig_parts.h"
#include "test/unit/json_text.h"

/* ---- objects ---- */

static char *id_of(const struct skr_resource *resource, const char *key)
{
    char id[700];
    snprintf(id, sizeof id, "%s/%s:%s", resource->group, resource->plural, key);
    return skr_strdup(id);
}

static struct frame_object *find(const struct frame_rig *rig, const struct skr_resource *resource,
                                 const char *key)
{
    struct frame_object *o;
    SKR_AUTO_FREE char *id = id_of(resource, key);
    HASH_FIND_STR(rig->parts->objects, id, o);
    return o;
}

static const char *text_at(const json_t *json, const char *path)
{
    char part[128];
    while (*path) {
        size_t n = strcspn(path, ".");
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        json = json_object_get(json, part);
        path += n + (path[n] == '.');
    }
    return json_is_string(json) ? json_string_value(json) : "";
}

const json_t *frame_rig_get(const struct frame_rig *rig, const struct skr_resource *resource,
                            const char *key)
{
    const struct frame_object *o = find(rig, resource, key);
    return o ? o->json : NULL;
}

const char *frame_rig_text(const struct frame_rig *rig, const struct skr_resource *resource,
                           const char *key, const char *path)
{
    return text_at(frame_rig_get(rig, resource, key), path);
}

size_t frame_rig_count(const struct frame_rig *rig, const struct skr_resource *resource)
{
    size_t n = 0;
    for (const struct frame_object *o = rig->parts->objects; o; o = o->hh.next) {
        n += skr_resource_is(o->resource, resource);
    }
    return n;
}

/* ---- watches ---- */

void frame_rig_news_free(struct frame_news *n)
{
    skr_event_fini(&n->event);
    json_decref(n->json);
    free(n->key);
    free(n->uid);
    free(n->message);
    free(n);
}

/* "a,b=c" */
static bool selects(const char *selector, const json_t *json)
{
    const json_t *labels = json_object_get(json_object_get(json, "metadata"), "labels");
    char term[256];
    while (selector && *selector) {
        size_t n = strcspn(selector, ",");
        snprintf(term, sizeof term, "%.*s", (int)n, selector);
        char *value = strchr(term, '=');
        if (value) {
            *value++ = '\0';
        }
        const char *have = json_string_value(json_object_get(labels, term));
        if (!have || (value && strcmp(have, value) != 0)) {
            return false;
        }
        selector += n + (selector[n] == ',');
    }
    return true;
}

static void show(struct frame_rig *rig, const struct skr_watch *watch, const struct frame_object *o,
                 bool gone)
{
    struct frame_news *n = skr_alloc(sizeof *n);
    n->watch = watch;
    n->key = skr_strdup(o->key);
    n->uid = skr_strdup(text_at(o->json, "metadata.uid"));
    n->json = gone ? NULL : json_deep_copy(o->json);
    n->event.kind = SKR_EVENT_TIMER;
    DL_APPEND(rig->parts->news, n);
}

static void announce(struct frame_rig *rig, const struct frame_object *o, const json_t *before,
                     bool gone)
{
    const struct skr_scheduler *s = rig->parts->scheduler;
    for (size_t i = 0; rig->engine && i < s->n_watches; i++) {
        if (!skr_resource_is(s->watch[i].type->resource, o->resource)) {
            continue;
        }
        bool was = before && selects(s->watch[i].label_selector, before);
        bool is = !gone && selects(s->watch[i].label_selector, o->json);
        if (was || is) {
            show(rig, &s->watch[i], o, !is);
        }
    }
}

void frame_rig_list(struct frame_rig *rig)
{
    for (const struct frame_object *o = rig->parts->objects; o; o = o->hh.next) {
        announce(rig, o, NULL, false);
    }
}

/* ---- changes ---- */

static void set_version(struct frame_rig *rig, json_t *json)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)++rig->parts->version);
    json_object_set_new(json_object_get(json, "metadata"), "resourceVersion", json_string(text));
}

static json_t *without(const json_t *json, const char *a, const char *b)
{
    json_t *copy = json_copy((json_t *)(uintptr_t)json);
    json_object_del(copy, a);
    json_object_del(copy, b);
    return copy;
}

/* Takes json in place of what the object is; nothing happens when they are equal. */
static void replace(struct frame_rig *rig, struct frame_object *o, json_t *json)
{
    if (json_equal(o->json, json)) {
        json_decref(json);
        return;
    }
    json_t *a = without(o->json, "metadata", "status"), *b = without(json, "metadata", "status");
    if (!json_equal(a, b)) {
        json_t *meta = json_object_get(json, "metadata");
        json_int_t generation = json_integer_value(json_object_get(meta, "generation"));
        json_object_set_new(meta, "generation", json_integer(generation + 1));
    }
    json_decref(a);
    json_decref(b);
    json_auto_t *before = o->json;
    o->json = json;
    set_version(rig, json);
    announce(rig, o, before, false);
}

static void add(struct frame_rig *rig, const struct skr_resource *resource, const char *key,
                json_t *json)
{
    char text[64];
    struct frame_object *o = skr_alloc(sizeof *o);
    o->id = id_of(resource, key);
    o->key = strchr(o->id, ':') + 1;
    o->resource = resource;
    o->json = json;
    const char *slash = strchr(key, '/');
    assert_true(!slash == !resource->namespaced);
    if (!json_object_get(json, "metadata")) {
        json_object_set_new(json, "metadata", json_object());
    }
    json_t *meta = json_object_get(json, "metadata");
    skr_resource_api_version(resource, text, sizeof text);
    json_object_set_new(json, "apiVersion", json_string(text));
    json_object_set_new(json, "kind", json_string(resource->kind));
    json_object_set_new(meta, "name", json_string(slash ? slash + 1 : key));
    if (slash) {
        json_object_set_new(meta, "namespace", json_stringn(key, (size_t)(slash - key)));
    }
    snprintf(text, sizeof text, "uid-%05llu", (unsigned long long)++rig->parts->uid);
    json_object_set_new(meta, "uid", json_string(text));
    json_object_set_new(meta, "generation", json_integer(1));
    if (!json_object_get(meta, "creationTimestamp")) {
        skr_time_write(rig->now / SKR_SECOND * SKR_SECOND, 0, text, sizeof text);
        json_object_set_new(meta, "creationTimestamp", json_string(text));
    }
    set_version(rig, json);
    HASH_ADD_KEYPTR(hh, rig->parts->objects, o->id, strlen(o->id), o);
    announce(rig, o, NULL, false);
}

static void object_free(struct frame_object *o)
{
    json_decref(o->json);
    free(o->id);
    free(o);
}

static void drop(struct frame_rig *rig, struct frame_object *o)
{
    HASH_DEL(rig->parts->objects, o);
    announce(rig, o, o->json, true);
    object_free(o);
}

SKR_PRINTF(1, 0)
static json_t *json_va(const char *format, va_list args)
{
    char text[16384];
    int n = vsnprintf(text, sizeof text, format, args);
    assert_true(n >= 0 && (size_t)n < sizeof text);
    return json_text_load(text);
}

void frame_rig_add(struct frame_rig *rig, const struct skr_resource *resource, const char *key,
                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    assert_null(find(rig, resource, key));
    add(rig, resource, key, json_va(format, args));
    va_end(args);
}

/* RFC 7386 */
static void merge(json_t *target, const json_t *patch)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)patch, key, value)
    {
        if (json_is_null(value)) {
            json_object_del(target, key);
        } else if (json_is_object(value)) {
            if (!json_is_object(json_object_get(target, key))) {
                json_object_set_new(target, key, json_object());
            }
            merge(json_object_get(target, key), value);
        } else {
            json_object_set_new(target, key, json_deep_copy(value));
        }
    }
}

void frame_rig_edit(struct frame_rig *rig, const struct skr_resource *resource, const char *key,
                    const char *format, ...)
{
    struct frame_object *o = find(rig, resource, key);
    va_list args;
    va_start(args, format);
    json_t *patch = json_va(format, args);
    va_end(args);
    assert_non_null(o);
    json_t *json = json_deep_copy(o->json);
    merge(json, patch);
    json_decref(patch);
    replace(rig, o, json);
}

void frame_rig_delete(struct frame_rig *rig, const struct skr_resource *resource, const char *key)
{
    struct frame_object *o = find(rig, resource, key);
    assert_non_null(o);
    drop(rig, o);
}

void frame_rig_api_fini(struct frame_rig *rig)
{
    struct frame_object *o, *next;
    HASH_ITER(hh, rig->parts->objects, o, next)
    {
        HASH_DEL(rig->parts->objects, o);
        object_free(o);
    }
    struct frame_set_fault *f, *fnext;
    DL_FOREACH_SAFE(rig->parts->faults, f, fnext)
    {
        DL_DELETE(rig->parts->faults, f);
        free(f->key);
        free(f->subresource);
        free(f);
    }
}

/* ---- verbs ---- */

static bool differs(const char *have, const json_t *body, const char *path)
{
    const char *want = text_at(body, path);
    return *want && strcmp(want, have) != 0;
}

static int create_object(struct frame_rig *rig, const struct skr_write *w, const char *key,
                         const json_t *body)
{
    if (find(rig, w->resource, key)) {
        return 409;
    }
    json_t *json = json_deep_copy(body);
    json_object_del(json, "status");
    add(rig, w->resource, key, json);
    return 201;
}

static int bind_pod(struct frame_rig *rig, struct frame_object *o, const json_t *body)
{
    if (*text_at(o->json, "spec.nodeName") ||
        differs(text_at(o->json, "metadata.uid"), body, "metadata.uid")) {
        return 409;
    }
    json_t *json = json_deep_copy(o->json);
    json_t *spec = json_object_get(json, "spec");
    if (!spec) {
        spec = json_object();
        json_object_set_new(json, "spec", spec);
    }
    json_object_set_new(spec, "nodeName", json_string(text_at(body, "target.name")));
    replace(rig, o, json);
    return 201;
}

static int delete_object(struct frame_rig *rig, struct frame_object *o, const json_t *options)
{
    const json_t *conditions = json_object_get(options, "preconditions");
    if (differs(text_at(o->json, "metadata.uid"), conditions, "uid") ||
        differs(text_at(o->json, "metadata.resourceVersion"), conditions, "resourceVersion")) {
        return 409;
    }
    drop(rig, o);
    return 200;
}

/* The object with what a patch or an update changes of it. */
static json_t *changed(const struct frame_object *o, const struct skr_write *w, const json_t *body)
{
    bool status = strcmp(w->subresource, "status") == 0, put = w->verb == SKR_VERB_UPDATE;
    json_t *json = put ? json_deep_copy(body) : json_deep_copy(o->json);
    if (!put) {
        merge(json, body);
    }
    if (w->verb == SKR_VERB_STRATEGIC_PATCH) {
        frame_rig_delete_gates(json, o->json, body);
    }
    json_t *kept = json_deep_copy(o->json); /* the half that this may not touch is as it was */
    if (status) {
        json_t *now = json_object_get(json, "status");
        if (now) {
            json_object_set(kept, "status", now);
        } else {
            json_object_del(kept, "status");
        }
        json_decref(json);
        return kept;
    }
    json_object_del(json, "status");
    if (json_object_get(kept, "status")) {
        json_object_set(json, "status", json_object_get(kept, "status"));
    }
    static const char *const fixed[] = {
        "uid", "name", "namespace", "generation", "creationTimestamp", "resourceVersion"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        json_t *value = json_object_get(json_object_get(kept, "metadata"), fixed[i]);
        if (value) {
            json_object_set(json_object_get(json, "metadata"), fixed[i], value);
        }
    }
    json_decref(kept);
    return json;
}

static int apply(struct frame_rig *rig, const struct skr_write *w, const char *key,
                 const json_t *body)
{
    struct frame_object *o = find(rig, w->resource, key);
    if (w->verb == SKR_VERB_CREATE && !*w->subresource) {
        return create_object(rig, w, key, body);
    }
    if (!o) {
        return 404;
    }
    if (w->verb == SKR_VERB_GET) {
        return 200;
    }
    if (w->verb == SKR_VERB_CREATE && strcmp(w->subresource, "binding") == 0) {
        return bind_pod(rig, o, body);
    }
    if (w->verb == SKR_VERB_CREATE && strcmp(w->subresource, "eviction") == 0) {
        int rc = delete_object(rig, o, json_object_get(body, "deleteOptions"));
        return rc == 200 ? 201 : rc;
    }
    if (w->verb == SKR_VERB_DELETE) {
        return delete_object(rig, o, body);
    }
    assert_true(w->verb != SKR_VERB_JSON_PATCH);
    if (differs(text_at(o->json, "metadata.uid"), body, "metadata.uid") ||
        differs(text_at(o->json, "metadata.resourceVersion"), body, "metadata.resourceVersion")) {
        return 409;
    }
    replace(rig, o, changed(o, w, body));
    return 200;
}

/* ---- faults and outcomes ---- */

static bool equal(const char *want, const char *have)
{
    return !want || strcmp(want, have) == 0;
}

bool frame_rig_matches(const struct frame_rig_match *match, const struct frame_rig_write *write)
{
    return !match ||
           ((!match->verb || *match->verb == write->verb) &&
            (!match->resource || skr_resource_is(match->resource, write->resource)) &&
            equal(match->subresource, write->subresource) && equal(match->key, write->key));
}

void frame_rig_fault(struct frame_rig *rig, enum frame_fault fault, size_t n,
                     const struct frame_rig_match *match)
{
    struct frame_set_fault *f = skr_alloc(sizeof *f);
    f->fault = fault;
    f->n = n;
    if (match) {
        f->verb = match->verb ? *match->verb : SKR_VERB_GET;
        f->key = skr_strdup(match->key);
        f->subresource = skr_strdup(match->subresource);
        f->match = (struct frame_rig_match){.verb = match->verb ? &f->verb : NULL,
                                            .resource = match->resource,
                                            .subresource = f->subresource,
                                            .key = f->key};
    }
    DL_APPEND(rig->parts->faults, f);
}

/* FRAME_FAULT_KIND_COUNT: nothing goes wrong. */
static enum frame_fault take_fault(struct frame_rig *rig, const struct frame_rig_write *w)
{
    struct frame_set_fault *f;
    DL_FOREACH(rig->parts->faults, f)
    {
        if (f->n > 0 && frame_rig_matches(&f->match, w)) {
            f->n--;
            return f->fault;
        }
    }
    return FRAME_FAULT_KIND_COUNT;
}

static enum skr_write_outcome outcome_of(int http_status)
{
    switch (http_status) {
    case 200:
    case 201:
        return SKR_WRITE_OK;
    case 403:
        return SKR_WRITE_DENIED;
    case 404:
        return SKR_WRITE_NOT_FOUND;
    case 409:
        return SKR_WRITE_CONFLICT;
    case 422:
        return SKR_WRITE_INVALID;
    case 429:
        return SKR_WRITE_BUSY;
    default:
        return SKR_WRITE_UNKNOWN;
    }
}

static void queue_outcome(struct frame_rig *rig, const struct skr_write *w, const char *key,
                          int http_status, bool late)
{
    struct frame_news *n = skr_alloc(sizeof *n);
    char message[64];
    snprintf(message, sizeof message, "HTTP %d", http_status);
    n->message = skr_strdup(message);
    n->event = (struct skr_event){.kind = SKR_EVENT_WRITE_DONE,
                                  .written = {.id = w->id,
                                              .outcome = outcome_of(http_status),
                                              .http_status = http_status,
                                              .type = w->answer,
                                              .message = n->message}};
    const struct frame_object *o = find(rig, w->resource, key);
    if (o && n->event.written.outcome == SKR_WRITE_OK) {
        struct skr_error error;
        n->event.written.resource_version =
            strtoull(text_at(o->json, "metadata.resourceVersion"), NULL, 10);
        if (w->answer && w->answer->decode(o->json, &n->event.written.object, &error) < 0) {
            fail_msg("%s does not decode: %s", key, error.text);
        }
    }
    if (late) {
        DL_APPEND(rig->parts->late, n);
    } else {
        DL_APPEND(rig->parts->news, n);
    }
}

static void record(struct frame_rig *rig, const struct frame_rig_write *w)
{
    skr_grow(&rig->write, &rig->parts->cap_writes, rig->n_writes + 1, sizeof *rig->write);
    rig->write[rig->n_writes++] = *w;
}

/* Events are kept for nobody: they are seen in rig->write. */
static bool is_event(const struct skr_write *w)
{
    return strcmp(w->resource->plural, "events") == 0;
}

static int with_fault(struct frame_rig *rig, const struct skr_write *w,
                      struct frame_rig_write *seen, enum frame_fault fault)
{
    static const int status[] = {[FRAME_FAULT_BUSY] = 429,         [FRAME_FAULT_DENIED] = 403,
                                 [FRAME_FAULT_INVALID] = 422,      [FRAME_FAULT_CONFLICT] = 409,
                                 [FRAME_FAULT_LOST_REQUEST] = 0,   [FRAME_FAULT_LOST_ANSWER] = 0,
                                 [FRAME_FAULT_SERVER_ERROR] = 500, [FRAME_FAULT_OUT_OF_ORDER] = 0,
                                 [FRAME_FAULT_KIND_COUNT] = 0};
    bool answered = fault == FRAME_FAULT_KIND_COUNT || fault == FRAME_FAULT_OUT_OF_ORDER;
    if (!answered && fault != FRAME_FAULT_LOST_ANSWER) {
        return status[fault];
    }
    int rc = is_event(w) ? 201 : apply(rig, w, seen->key, seen->body);
    seen->applied = outcome_of(rc) == SKR_WRITE_OK;
    return answered ? rc : status[fault];
}

static void count_to_crash(struct frame_rig *rig, const struct frame_rig_write *seen)
{
    bool counts = seen->applied && seen->verb != SKR_VERB_GET;
    if (counts && rig->parts->crash_in > 0 && --rig->parts->crash_in == 0) {
        rig->parts->must_crash = true;
    }
}

void frame_rig_apply(struct frame_rig *rig, const struct skr_write *w)
{
    struct frame_rig_write seen = {.verb = w->verb,
                                   .resource = w->resource,
                                   .class = w->class,
                                   .subresource = skr_strdup(w->subresource)};
    seen.body = w->body_len > 0 ? json_loadb(w->body, w->body_len, 0, NULL) : NULL;
    assert_true(seen.body || w->body_len == 0);
    const char *name = *w->name ? w->name : text_at(seen.body, "metadata.name");
    char key[600];
    assert_true(!*w->namespace_ == !w->resource->namespaced);
    snprintf(key, sizeof key, "%s%s%s", w->namespace_, *w->namespace_ ? "/" : "", name);
    seen.key = skr_strdup(key);
    enum frame_fault fault = take_fault(rig, &seen);
    seen.http_status = with_fault(rig, w, &seen, fault);
    queue_outcome(rig, w, key, seen.http_status, fault == FRAME_FAULT_OUT_OF_ORDER);
    record(rig, &seen);
    if (!is_event(w)) {
        count_to_crash(rig, &seen);
    }
}

void frame_rig_crash_after(struct frame_rig *rig, size_t n)
{
    rig->parts->crash_in = n;
}

size_t frame_rig_crashes(const struct frame_rig *rig)
{
    return rig->parts->crashes;
}
