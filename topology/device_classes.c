/* SPDX-License-Identifier: Apache-2.0 */
/* A sorted array: a row for each resource that a class serves, the class that counts first. */
#include "topology/device_classes.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/json_field.h"
#include "topology/base/strbuf.h"

/* ---- one class ---- */

static bool is_prefixed(const char *resource)
{
    return strncmp(resource, SKR_DEVICE_CLASS_PREFIX, sizeof SKR_DEVICE_CLASS_PREFIX - 1) == 0;
}

static int read_selectors(const json_t *spec, struct skr_device_class *class,
                          struct skr_error *error)
{
    const struct skr_field_path in_spec = {.key = "spec", .index = SKR_FIELD_NO_INDEX};
    json_t *list = NULL, *entry;
    size_t i;
    int rc = skr_field_array(spec, &in_spec, "selectors", SKR_CLASS_SELECTORS_MAX, &list, error);
    const size_t n = rc == 0 ? json_array_size(list) : 0;
    class->selector = n > 0 ? skr_arena_array(class->arena, n, sizeof *class->selector) : NULL;
    json_array_foreach(class->selector ? list : NULL, i, entry)
    {
        const char *text =
            json_string_value(json_object_get(json_object_get(entry, "cel"), "expression"));
        class->selector[i] = skr_arena_strdup(class->arena, text ? text : "");
        if (!class->selector[i]) {
            return skr_object_too_large(error, "deviceclass");
        }
        class->n_selectors++;
    }
    return rc;
}

static int decode(const json_t *json, struct skr_device_class *class, struct skr_error *error)
{
    const struct skr_field_path in_spec = {.key = "spec", .index = SKR_FIELD_NO_INDEX};
    json_t *spec = NULL;
    int rc = skr_meta_decode(class->arena, json, NULL, &class->meta, error);
    if (rc == 0) {
        rc = skr_field_object(json, NULL, "spec", &spec, error);
    }
    class->resource = "";
    if (rc == 0 && spec) {
        rc = skr_field_copy_string(class->arena, spec, &in_spec, "extendedResourceName",
                                   &class->resource, error);
    }
    if (rc == 0 && spec) {
        rc = read_selectors(spec, class, error);
    }
    if (rc == 0 && is_prefixed(class->resource)) {
        class->resource = ""; /* another class's own name; the API server refuses it */
    }
    return rc;
}

int skr_device_class_decode(const json_t *json, struct skr_device_class **ret,
                            struct skr_error *error)
{
    if (!json_is_object(json)) {
        return skr_field_set_type_error(NULL, "deviceclass", "an object", json, error);
    }
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
    struct skr_device_class *class = arena ? skr_arena_alloc(arena, sizeof *class) : NULL;
    if (!class) {
        skr_arena_destroy(arena);
        return skr_error_set(error, SKR_NO_MEMORY, "deviceclass: out of memory");
    }
    class->arena = arena;
    int rc = decode(json, class, error);
    if (rc < 0) {
        skr_device_class_destroy(class);
        return rc;
    }
    *ret = class;
    return 0;
}

void skr_device_class_destroy(struct skr_device_class *class)
{
    if (class) {
        skr_arena_destroy(class->arena);
    }
}

/* ---- all of them ---- */

struct row {
    char *resource, *class;
    skr_time created;
};

struct skr_device_classes {
    struct row *row;
    size_t n, cap;
    uint64_t version;
};

struct skr_device_classes *skr_device_classes_create(void)
{
    return skr_alloc(sizeof(struct skr_device_classes));
}

void skr_device_classes_destroy(struct skr_device_classes *classes)
{
    for (size_t i = 0; classes && i < classes->n; i++) {
        free(classes->row[i].resource);
        free(classes->row[i].class);
    }
    if (classes) {
        free(classes->row);
        free(classes);
    }
}

uint64_t skr_device_classes_version(const struct skr_device_classes *classes)
{
    return classes->version;
}

/* Where rows of the resource begin, or would. */
static size_t first_of(const struct skr_device_classes *classes, const char *resource)
{
    size_t low = 0, high = classes->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(classes->row[middle].resource, resource) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const char *skr_device_classes_find(const struct skr_device_classes *classes, const char *resource)
{
    const size_t at = first_of(classes, resource);
    const bool found = at < classes->n && strcmp(classes->row[at].resource, resource) == 0;
    return found ? classes->row[at].class : NULL;
}

bool skr_device_classes_has(const struct skr_device_classes *classes, const char *name)
{
    SKR_STRBUF(implied);
    skr_strbuf_addf(&implied, SKR_DEVICE_CLASS_PREFIX "%s", name);
    return skr_device_classes_find(classes, implied.s);
}

/* Whether the class counts before that of the row, which serves the same resource. */
static bool counts_before(const struct skr_device_class *class, const struct row *row)
{
    return class->meta.created != row->created ? class->meta.created > row->created
                                               : strcmp(class->meta.name, row->class) < 0;
}

static void add(struct skr_device_classes *classes, const struct skr_device_class *class,
                const char *resource)
{
    size_t at = first_of(classes, resource);
    while (at < classes->n && strcmp(classes->row[at].resource, resource) == 0 &&
           !counts_before(class, &classes->row[at])) {
        at++;
    }
    skr_grow(&classes->row, &classes->cap, classes->n + 1, sizeof classes->row[0]);
    memmove(&classes->row[at + 1], &classes->row[at], (classes->n - at) * sizeof classes->row[0]);
    classes->row[at] = (struct row){.resource = skr_strdup(resource),
                                    .class = skr_strdup(class->meta.name),
                                    .created = class->meta.created};
    classes->n++;
}

void skr_device_classes_put(struct skr_device_classes *classes,
                            const struct skr_device_class *class)
{
    skr_device_classes_remove(classes, class->meta.name);
    SKR_STRBUF(implied);
    skr_strbuf_addf(&implied, SKR_DEVICE_CLASS_PREFIX "%s", class->meta.name);
    add(classes, class, implied.s);
    if (class->resource[0]) {
        add(classes, class, class->resource);
    }
    classes->version++;
}

void skr_device_classes_remove(struct skr_device_classes *classes, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < classes->n; i++) {
        if (strcmp(classes->row[i].class, name) == 0) {
            free(classes->row[i].resource);
            free(classes->row[i].class);
        } else {
            classes->row[kept++] = classes->row[i];
        }
    }
    classes->version += kept != classes->n ? 1 : 0;
    classes->n = kept;
}
