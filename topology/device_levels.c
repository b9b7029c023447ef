/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of devices as labels of their nodes: see device_levels.h. */
#include "topology/device_levels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct named {
    const char *name;
    size_t at;
};

struct attributes {
    const struct skr_label_levels *levels;
    struct skr_arena *arena;
    const char **value; /* [node][level] NULL: none yet */
    bool no_room;
};

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Slices of one pool are neighbours, the newest generation first. */
static int by_pool(const void *a, const void *b)
{
    const struct skr_device_slice *x = *(const struct skr_device_slice *const *)a;
    const struct skr_device_slice *y = *(const struct skr_device_slice *const *)b;
    int order = strcmp(x->driver, y->driver);
    order = order != 0 ? order : strcmp(x->pool, y->pool);
    return order != 0 ? order : (x->generation < y->generation) - (x->generation > y->generation);
}

/* wanted: "DOMAIN/NAME". A name without a domain is the driver's. */
static bool is_called(const char *name, const char *driver, const char *wanted)
{
    const size_t n = strlen(driver);
    return strcmp(name, wanted) == 0 || (!strchr(name, '/') && strncmp(wanted, driver, n) == 0 &&
                                         wanted[n] == '/' && strcmp(wanted + n + 1, name) == 0);
}

/* As a label says it; NULL: a value of another kind. */
static const char *text_of(struct attributes *a, const struct skr_device_attribute *attribute)
{
    char text[24];
    switch (attribute->kind) {
    case SKR_DEVICE_VALUE_STRING:
    case SKR_DEVICE_VALUE_VERSION:
        return attribute->text;
    case SKR_DEVICE_VALUE_BOOL:
        return attribute->integer ? "true" : "false";
    case SKR_DEVICE_VALUE_INT:
        break;
    case SKR_DEVICE_VALUE_OTHER:
    default:
        return NULL;
    }
    snprintf(text, sizeof text, "%" PRId64, attribute->integer);
    const char *copy = skr_arena_strdup(a->arena, text);
    a->no_room = a->no_room || !copy;
    return copy;
}

static void read_device(struct attributes *a, const char *driver, const struct skr_device *device,
                        const char **value)
{
    for (size_t i = 0; i < device->kind->n_attributes; i++) {
        for (size_t l = 0; l < a->levels->n; l++) {
            const char *wanted = a->levels->level[l].attribute;
            if (!wanted || !is_called(device->kind->attribute[i].name, driver, wanted)) {
                continue;
            }
            const struct skr_device_attribute attribute = skr_device_attribute(device, i);
            const char *text = text_of(a, &attribute);
            if (text) {
                value[l] = !value[l] || strcmp(value[l], text) == 0 ? text : "";
            }
        }
    }
}

/* Labels are sorted by key. */
static struct skr_labels labels_of(struct attributes *a, const struct skr_labels *own,
                                   const char *const *value)
{
    struct skr_labels labels = {
        .n = own->n,
        .item = skr_arena_array(a->arena, own->n + a->levels->n + 1, sizeof *own->item)};
    if (!labels.item) {
        a->no_room = true;
        return (struct skr_labels){0};
    }
    if (own->n > 0) {
        memcpy(labels.item, own->item, own->n * sizeof *own->item);
    }
    for (size_t l = 0; l < a->levels->n; l++) {
        const char *key = a->levels->level[l].label[0];
        if (!a->levels->level[l].attribute || !value[l] || skr_labels_get(&labels, key)) {
            continue;
        }
        size_t at = labels.n++;
        for (; at > 0 && strcmp(labels.item[at - 1].key, key) > 0; at--) {
            labels.item[at] = labels.item[at - 1];
        }
        labels.item[at] = (struct skr_label){key, value[l]};
    }
    return labels;
}

const struct skr_labels *skr_device_levels_apply(const struct skr_label_levels *levels,
                                                 const struct skr_device_slice *const *slice,
                                                 size_t n_slices,
                                                 const struct skr_node *const *node, size_t n,
                                                 struct skr_arena *arena)
{
    struct attributes a = {.levels = levels, .arena = arena};
    struct skr_labels *ret = skr_arena_array(arena, n + 1, sizeof *ret);
    struct named *names = skr_arena_array(arena, n + 1, sizeof *names);
    const struct skr_device_slice **sorted = skr_arena_array(arena, n_slices + 1, sizeof *sorted);
    a.value = skr_arena_array(arena, n * levels->n + 1, sizeof *a.value);
    if (!ret || !names || !sorted || !a.value) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        names[i] = (struct named){node[i]->meta.name, i};
    }
    qsort(names, n, sizeof *names, by_name);
    for (size_t i = 0; i < n_slices; i++) {
        sorted[i] = slice[i];
    }
    qsort(sorted, n_slices, sizeof *sorted, by_pool);
    int64_t newest = 0;
    for (size_t i = 0; i < n_slices; i++) {
        const struct skr_device_slice *s = sorted[i];
        const bool first = i == 0 || strcmp(s->driver, sorted[i - 1]->driver) != 0 ||
                           strcmp(s->pool, sorted[i - 1]->pool) != 0;
        newest = first ? s->generation : newest;
        const struct named wanted = {s->reach.node, 0};
        const struct named *found = s->generation == newest && *s->reach.node
                                        ? bsearch(&wanted, names, n, sizeof *names, by_name)
                                        : NULL;
        for (size_t d = 0; d < s->n_devices && found; d++) {
            read_device(&a, s->driver, &s->device[d], a.value + found->at * levels->n);
        }
    }
    for (size_t i = 0; i < n; i++) {
        ret[i] = labels_of(&a, &node[i]->meta.labels, a.value + i * levels->n);
    }
    return a.no_room ? NULL : ret;
}
