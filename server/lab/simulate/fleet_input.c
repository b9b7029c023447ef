/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes every object while its text is available, so that errors have positions, and again after
 * all are read and changed. */
#include "server/lab/simulate/fleet_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/object/path.h"
#include "topology/base/arena.h"

/* The number of the watch for this object; n_watches: none. */
static size_t watch_of(const struct skr_fleet_input *input, const json_t *object)
{
    const struct skr_scheduler *scheduler = input->rules->scheduler;
    const char *version = skr_path_text(object, "apiVersion");
    const char *kind = skr_path_text(object, "kind");
    char own[SKR_API_VERSION_MAX];
    size_t i = 0;
    for (; i < scheduler->n_watches; i++) {
        const struct skr_resource *r = scheduler->watch[i].type->resource;
        skr_resource_api_version(r, own, sizeof own);
        const size_t n = input->rules->any_version ? strlen(r->group) + 1 : sizeof own;
        if (strncmp(version, own, n) == 0 && strcmp(kind, r->kind) == 0) {
            break;
        }
    }
    return i;
}

static int check(void *context, const json_t *json, struct skr_error *error)
{
    const struct skr_fleet_input *input = context;
    const size_t w = watch_of(input, json);
    void *object = NULL;
    if (w == input->rules->scheduler->n_watches) {
        return 0;
    }
    const struct skr_object_type *type = input->rules->scheduler->watch[w].type;
    int rc = type->decode(json, &object, error);
    if (rc == 0 && input->rules->check) {
        rc = input->rules->check(type, object, error);
    }
    type->destroy(object);
    return rc;
}

void skr_fleet_input_init(struct skr_fleet_input *input, const struct skr_fleet_rules *rules)
{
    *input = (struct skr_fleet_input){.rules = rules};
    skr_manifests_init(&input->manifests);
}

void skr_fleet_input_fini(struct skr_fleet_input *input)
{
    skr_engine_destroy(input->engine);
    free(input->object);
    skr_manifests_fini(&input->manifests);
}

int skr_fleet_input_read(struct skr_fleet_input *input, const char *path, struct skr_strbuf *errors)
{
    return skr_manifests_read(&input->manifests, path, check, input, errors);
}

int skr_fleet_input_parse(struct skr_fleet_input *input, const char *name, const char *text,
                          size_t n, struct skr_strbuf *errors)
{
    return skr_manifests_parse(&input->manifests, name, text, n, check, input, errors);
}

/* ---- after all are read ---- */

static void warn(const struct skr_manifest *item, const struct skr_strbuf *text,
                 struct skr_strbuf *out)
{
    if (text->len > 0) {
        skr_strbuf_addf(out, "%s:%zu:%zu: warning: %s\n", item->file, item->line, item->column,
                        text->s);
    }
}

static void warn_doubted(const struct skr_fleet_input *input, size_t i,
                         const struct skr_object_type *type, struct skr_strbuf *out)
{
    SKR_STRBUF(text);
    if (input->rules->doubted) {
        input->rules->doubted(type, input->manifests.item[i].object, &text);
    }
    warn(&input->manifests.item[i], &text, out);
}

/* Once per kind. */
static void warn_ignored(const struct skr_fleet_input *input, size_t i, struct skr_strbuf *out)
{
    const struct skr_manifest *item = &input->manifests.item[i];
    SKR_STRBUF(text);
    const char *kind = skr_path_text(item->object, "kind");
    const size_t none = input->rules->scheduler->n_watches;
    for (size_t k = 0; k < i; k++) {
        const json_t *before = input->manifests.item[k].object;
        if (watch_of(input, before) == none && strcmp(skr_path_text(before, "kind"), kind) == 0) {
            return;
        }
    }
    input->rules->ignored(kind, skr_path_text(item->object, "apiVersion"), &text);
    warn(item, &text, out);
}

static void set_namespace(const struct skr_fleet_input *input, const struct skr_resource *resource,
                          json_t *object)
{
    json_t *meta = json_object_get(object, "metadata");
    if (input->rules->into_default && resource->namespaced &&
        !skr_path_text(meta, "namespace")[0]) {
        json_object_set_new(meta, "namespace", json_string("default"));
    }
}

static int by_key(const struct skr_fleet_object *a, const struct skr_fleet_object *b)
{
    int order = strcmp(a->meta->namespace_, b->meta->namespace_);
    return order != 0 ? order : strcmp(a->meta->name, b->meta->name);
}

static int by_key_and_number(const void *a, const void *b)
{
    const struct skr_fleet_object *s = a, *t = b;
    const int order = by_key(s, t);
    return order != 0 ? order : (s->number > t->number) - (s->number < t->number);
}

/* Appends the objects of a watch, sorted; of those with one name only the last. */
static int decode_all(struct skr_fleet_input *input, size_t w, struct skr_strbuf *messages)
{
    const struct skr_object_type *type = input->rules->scheduler->watch[w].type;
    struct skr_fleet_object *all = input->object + input->n;
    size_t n = 0, kept = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < input->manifests.n; i++) {
        const struct skr_manifest *item = &input->manifests.item[i];
        struct skr_error error = {.text = ""};
        if (watch_of(input, item->object) != w) {
            continue;
        }
        set_namespace(input, type->resource, item->object);
        rc = type->decode(item->object, &all[n].object, &error);
        if (rc < 0) {
            skr_strbuf_addf(messages, "%s:%zu:%zu: %s\n", item->file, item->line, item->column,
                            error.text);
        } else {
            all[n].type = type;
            all[n].meta = type->meta(all[n].object);
            all[n++].number = i;
        }
    }
    qsort(all, n, sizeof *all, by_key_and_number);
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && by_key(&all[i], &all[i + 1]) == 0) {
            const struct skr_manifest *first = &input->manifests.item[all[i].number];
            rc = input->rules->twice(first, &all[i], messages) ? rc : -SKR_INVALID;
            type->destroy(all[i].object);
        } else {
            all[kept++] = all[i];
        }
    }
    input->n += kept;
    return rc;
}

/* Refuses a name that objects of two watches share in one cache, which would store only one of
 * them. */
static int check_one_cache(const struct skr_fleet_input *input, struct skr_strbuf *messages)
{
    size_t first = 0;
    for (size_t w = 0; w < input->rules->one_cache; w++) {
        const struct skr_object_type *type = input->rules->scheduler->watch[w].type;
        while (first < input->n && input->object[first].type == type) {
            first++;
        }
    }
    const size_t n = input->rules->one_cache > 0 ? input->n - first : 0;
    SKR_AUTO_FREE struct skr_fleet_object *all = skr_alloc_array(n + 1, sizeof *all);
    int rc = 0;
    memcpy(all, input->object + first, n * sizeof *all);
    qsort(all, n, sizeof *all, by_key_and_number);
    for (size_t i = 1; i < n; i++) {
        if (by_key(&all[i - 1], &all[i]) == 0) {
            input->rules->twice(&input->manifests.item[all[i - 1].number], &all[i], messages);
            rc = -SKR_INVALID;
        }
    }
    return rc;
}

int skr_fleet_input_finish(struct skr_fleet_input *input, struct skr_strbuf *messages)
{
    const struct skr_scheduler *scheduler = input->rules->scheduler;
    struct skr_actions actions;
    int rc = 0;
    for (size_t i = 0; i < input->manifests.n; i++) {
        const size_t w = watch_of(input, input->manifests.item[i].object);
        if (w == scheduler->n_watches) {
            warn_ignored(input, i, messages);
        } else {
            warn_doubted(input, i, scheduler->watch[w].type, messages);
        }
    }
    input->object = skr_alloc_array(input->manifests.n + 1, sizeof *input->object);
    for (size_t w = 0; w < scheduler->n_watches && rc == 0; w++) {
        rc = decode_all(input, w, messages);
    }
    rc = rc == 0 ? check_one_cache(input, messages) : rc;
    input->engine = skr_engine_create(scheduler, input->rules->settings, "simulate");
    skr_actions_init(&actions);
    for (size_t i = 0; i < input->n && rc != 0; i++) { /* no engine takes them */
        input->object[i].type->destroy(input->object[i].object);
    }
    input->n = rc == 0 ? input->n : 0;
    for (size_t i = 0; i < input->n; i++) {
        struct skr_event event = {
            .kind = SKR_EVENT_UPSERT,
            .upsert = {.type = input->object[i].type, .object = input->object[i].object}};
        skr_engine_handle(input->engine, &event, 0, &actions);
    }
    skr_actions_fini(&actions);
    return rc;
}

/* ---- lookups ---- */

const struct skr_fleet_object *skr_fleet_input_of(const struct skr_fleet_input *input,
                                                  const struct skr_object_type *type, size_t *ret_n)
{
    size_t first = 0, end;
    while (first < input->n && input->object[first].type != type) {
        first++;
    }
    for (end = first; end < input->n && input->object[end].type == type;) {
        end++;
    }
    *ret_n = end - first;
    return input->object + first;
}

static int compare(const void *a, const void *b)
{
    return by_key(a, b);
}

const void *skr_fleet_input_find(const struct skr_fleet_input *input,
                                 const struct skr_object_type *type, const char *namespace_,
                                 const char *name)
{
    const struct skr_meta meta = {.namespace_ = namespace_, .name = name};
    const struct skr_fleet_object key = {.meta = &meta};
    size_t n;
    const struct skr_fleet_object *all = skr_fleet_input_of(input, type, &n);
    const struct skr_fleet_object *found =
        n > 0 ? bsearch(&key, all, n, sizeof key, compare) : NULL;
    return found ? found->object : NULL;
}
