/* SPDX-License-Identifier: Apache-2.0 */
/* A family is found by all that its kinds have alike, as bytes. Of its kinds, a device takes the first that has few
 * other values, or founds another; if there are many, it takes the last one. */
#include "core/devices/kinds.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "topology/base/arena.h"
#include "topology/base/strbuf.h"
#include "topology/base/table.h"

enum {
    FEW = 3,           /* values of its own for which a device founds no kind */
    KINDS_MAX = 64,    /* of a family */
    LOOSE = 64 * 1024, /* bytes of the first block of a copy that is measured */
    PADDING = 64       /* of arrays that began a block of it */
};

struct kind {
    struct skr_device_kind is; /* first: devices point to it */
    struct kind *prev, *next;
    struct skr_kind_family *family;
    struct skr_arena *arena;
    size_t refs;      /* devices, or slices whose counters they are */
    const char *name; /* of the device that founded it */
};

struct skr_kind_family {
    UT_hash_handle hh; /* by key */
    struct kind *kinds;
    size_t n, n_key;
    char key[];
};

/* ---- families ---- */

static void add_text(struct skr_strbuf *key, const char *text)
{
    skr_strbuf_addn(key, text, strlen(text) + 1);
}

#define ADD_VALUE(key, value) skr_strbuf_addn(key, (const char *)&(value), sizeof value)

static void add_policy(struct skr_strbuf *key, const struct skr_device_policy *policy)
{
    skr_strbuf_addc(key, policy ? '1' : '0');
    if (policy) {
        ADD_VALUE(key, policy->has_default);
        ADD_VALUE(key, policy->has_range);
        ADD_VALUE(key, policy->has_max);
        ADD_VALUE(key, policy->has_step);
        ADD_VALUE(key, policy->default_);
        ADD_VALUE(key, policy->min);
        ADD_VALUE(key, policy->max);
        ADD_VALUE(key, policy->step);
        ADD_VALUE(key, policy->n_values);
        skr_strbuf_addn(key, (const char *)policy->value, policy->n_values * sizeof *policy->value);
    }
}

static bool has_one_set(const struct skr_device_kind *kind)
{
    size_t i = 1;
    while (i < kind->n_counters && strcmp(kind->counter[i].set, kind->counter[0].set) == 0) {
        i++;
    }
    return kind->n_counters > 0 && i >= kind->n_counters;
}

/* sets: their names count even if there is one. */
static void add_key(struct skr_strbuf *key, const struct skr_device_kind *kind, bool sets)
{
    sets = sets || !has_one_set(kind);
    ADD_VALUE(key, kind->n_attributes);
    ADD_VALUE(key, kind->n_capacities);
    ADD_VALUE(key, kind->n_counters);
    ADD_VALUE(key, kind->shared);
    ADD_VALUE(key, kind->binds);
    ADD_VALUE(key, kind->groups);
    ADD_VALUE(key, sets);
    for (size_t i = 0; i < kind->n_attributes; i++) {
        add_text(key, kind->attribute[i].name);
    }
    for (size_t i = 0; i < kind->n_capacities; i++) {
        add_text(key, kind->capacity[i].name);
        ADD_VALUE(key, kind->capacity[i].value);
        add_policy(key, kind->capacity[i].policy);
    }
    for (size_t i = 0; i < kind->n_counters; i++) {
        const struct skr_device_counter *c = &kind->counter[i];
        skr_strbuf_addc(key, i > 0 && c->set == c[-1].set ? '1' : '0');
        add_text(key, sets ? c->set : "");
        add_text(key, c->name);
        ADD_VALUE(key, c->value);
    }
    for (size_t i = 0; i < kind->n_taints; i++) {
        add_text(key, kind->taint[i].key);
        add_text(key, kind->taint[i].value);
        add_text(key, kind->taint[i].effect);
    }
}

static struct skr_kind_family *family_of(struct skr_device_kinds *kinds,
                                         const struct skr_device_kind *kind, bool sets)
{
    struct skr_kind_family *family = NULL;
    SKR_STRBUF(key);
    add_key(&key, kind, sets);
    SKR_TABLE_FIND(&kinds->seed, hh, kinds->families, key.s, key.len, family);
    if (!family) {
        family = skr_alloc(sizeof *family + key.len);
        family->n_key = key.len;
        memcpy(family->key, key.s, key.len);
        SKR_TABLE_ADD(&kinds->seed, hh, kinds->families, family->key, key.len, family);
        kinds->n_bytes += sizeof *family + key.len;
    }
    return family;
}

/* ---- kinds ---- */

/* Aborts without memory, as all that the stock makes. */
static void *room(struct skr_arena *arena, size_t n, size_t size)
{
    void *memory = skr_arena_array(arena, n, size);
    skr_bug_on(!memory);
    return memory;
}

static const char *copy(struct skr_arena *arena, const char *text)
{
    const char *made = *text ? skr_arena_strdup(arena, text) : "";
    skr_bug_on(!made);
    return made;
}

static const struct skr_device_policy *copy_policy(struct skr_arena *arena,
                                                   const struct skr_device_policy *from)
{
    struct skr_device_policy *made = from ? room(arena, 1, sizeof *made) : NULL;
    if (made) {
        skr_int128 *value = room(arena, from->n_values, sizeof *value);
        *made = *from;
        made->value = value;
        for (size_t i = 0; i < from->n_values; i++) {
            value[i] = from->value[i];
        }
    }
    return made;
}

static void copy_kind(struct skr_arena *arena, const struct skr_device_kind *from,
                      struct skr_device_kind *to)
{
    struct skr_device_attribute *attribute = room(arena, from->n_attributes, sizeof *attribute);
    struct skr_device_capacity *capacity = room(arena, from->n_capacities, sizeof *capacity);
    struct skr_device_counter *counter = room(arena, from->n_counters, sizeof *counter);
    struct skr_device_taint *taint = room(arena, from->n_taints, sizeof *taint);
    *to = *from;
    to->attribute = attribute;
    to->capacity = capacity;
    to->counter = counter;
    to->taint = taint;
    for (size_t i = 0; i < from->n_attributes; i++) {
        const struct skr_device_attribute *a = &from->attribute[i];
        attribute[i] = (struct skr_device_attribute){copy(arena, a->name), a->kind, a->integer,
                                                     copy(arena, a->text)};
    }
    for (size_t i = 0; i < from->n_capacities; i++) {
        const struct skr_device_capacity *c = &from->capacity[i];
        capacity[i] = (struct skr_device_capacity){copy(arena, c->name), c->value,
                                                   copy_policy(arena, c->policy)};
    }
    for (size_t i = 0; i < from->n_counters; i++) {
        const struct skr_device_counter *c = &from->counter[i];
        const bool again = i > 0 && c->set == c[-1].set;
        counter[i] = (struct skr_device_counter){again ? counter[i - 1].set : copy(arena, c->set),
                                                 copy(arena, c->name), c->value};
    }
    for (size_t i = 0; i < from->n_taints; i++) {
        const struct skr_device_taint *t = &from->taint[i];
        taint[i] = (struct skr_device_taint){copy(arena, t->key), copy(arena, t->value),
                                             copy(arena, t->effect)};
    }
}

static size_t bytes_of(const struct kind *kind)
{
    return sizeof *kind + skr_arena_used(kind->arena);
}

static struct skr_arena *loose_arena(void)
{
    struct skr_arena *loose = skr_arena_create(SIZE_MAX, LOOSE);
    skr_bug_on(!loose);
    return loose;
}

/* Of one block for what was copied to this one, which is destroyed. */
static struct skr_arena *tight_arena(struct skr_arena *loose)
{
    const size_t size = skr_arena_used(loose);
    struct skr_arena *tight = skr_arena_create(SIZE_MAX, size <= LOOSE ? size : size + PADDING);
    skr_bug_on(!tight);
    skr_arena_destroy(loose);
    return tight;
}

static struct kind *found_kind(struct skr_device_kinds *kinds, struct skr_kind_family *family,
                               const struct skr_device *device)
{
    struct kind *made = skr_alloc(sizeof *made);
    struct skr_arena *loose = loose_arena();
    copy_kind(loose, device->kind, &made->is);
    made->name = copy(loose, device->name);
    made->arena = tight_arena(loose);
    copy_kind(made->arena, device->kind, &made->is);
    made->name = copy(made->arena, device->name);
    made->is.id = ++kinds->last_id;
    made->family = family;
    family->n++;
    DL_APPEND(family->kinds, made);
    kinds->n_bytes += bytes_of(made);
    return made;
}

static void leave(struct skr_device_kinds *kinds, const struct skr_device_kind *is)
{
    struct kind *kind = (struct kind *)(uintptr_t)is;
    struct skr_kind_family *family = kind->family;
    if (--kind->refs > 0) {
        return;
    }
    kinds->n_bytes -= bytes_of(kind);
    DL_DELETE(family->kinds, kind);
    skr_arena_destroy(kind->arena);
    free(kind);
    if (--family->n == 0) {
        kinds->n_bytes -= sizeof *family + family->n_key;
        HASH_DEL(kinds->families, family);
        free(family);
    }
}

static bool is_text(unsigned kind)
{
    return kind == SKR_DEVICE_VALUE_STRING || kind == SKR_DEVICE_VALUE_VERSION;
}

/* Whether few values of the device are others. Devices of slices that are packed have none of their own. */
static bool is_near(const struct kind *kind, const struct skr_device_kind *from)
{
    size_t n = has_one_set(from) && strcmp(from->counter[0].set, kind->is.counter[0].set) != 0;
    for (size_t i = 0; i < from->n_attributes && n <= FEW; i++) {
        n += !skr_device_same_value(&from->attribute[i], &kind->is.attribute[i]);
    }
    return n <= FEW;
}

/* Adds what the device has instead; own NULL: counts it. */
static size_t differences(const struct kind *kind, const struct skr_device_kind *from,
                          struct skr_device_own *own)
{
    size_t n = 0;
    for (size_t i = 0; i < from->n_attributes; i++) {
        const struct skr_device_attribute *a = &from->attribute[i];
        if (skr_device_same_value(a, &kind->is.attribute[i])) {
            continue;
        }
        if (own) {
            own[n] = (struct skr_device_own){.at = (uint16_t)i, .kind = (uint16_t)a->kind};
            own[n].value.integer = a->integer;
            if (is_text(a->kind)) {
                own[n].value.text = a->text;
            }
        }
        n++;
    }
    if (has_one_set(from) && strcmp(from->counter[0].set, kind->is.counter[0].set) != 0) {
        if (own) {
            own[n] = (struct skr_device_own){.at = SKR_DEVICE_OWN_SET,
                                             .kind = SKR_DEVICE_VALUE_STRING,
                                             .value.text = from->counter[0].set};
        }
        n++;
    }
    return n;
}

static const struct kind *enter(struct skr_device_kinds *kinds, const struct skr_device *device,
                                bool sets)
{
    struct skr_kind_family *family = family_of(kinds, device->kind, sets);
    struct kind *kind = family->kinds;
    while (kind && !is_near(kind, device->kind)) {
        kind = kind->next;
    }
    if (!kind) {
        kind = family->n < KINDS_MAX || !family->kinds ? found_kind(kinds, family, device)
                                                       : family->kinds->prev;
    }
    kind->refs++;
    return kind;
}

/* ---- slices ---- */

/* The text of one of the last values of the slice, or a copy. */
static const char *share(struct skr_arena *arena, const struct skr_device_own *own, size_t n,
                         const char *text)
{
    for (size_t i = n; i > 0 && i + 2 * FEW > n; i--) {
        if (is_text(own[i - 1].kind) && strcmp(own[i - 1].value.text, text) == 0) {
            return own[i - 1].value.text;
        }
    }
    return copy(arena, text);
}

static void copy_devices(struct skr_arena *arena, const struct skr_device_slice *from,
                         const struct kind *const *kind, struct skr_device_slice *to)
{
    size_t n = 0;
    for (size_t d = 0; d < from->n_devices; d++) {
        n += differences(kind[d], from->device[d].kind, NULL);
    }
    struct skr_device *device = room(arena, from->n_devices, sizeof *device);
    struct skr_device_own *own = room(arena, n, sizeof *own);
    n = 0;
    for (size_t d = 0; d < from->n_devices; d++) {
        const char *name = from->device[d].name;
        const size_t n_own = differences(kind[d], from->device[d].kind, &own[n]);
        device[d] = (struct skr_device){
            .name = strcmp(name, kind[d]->name) == 0 ? kind[d]->name : copy(arena, name),
            .kind = &kind[d]->is,
            .own = &own[n],
            .n_own = n_own};
        for (size_t k = 0; k < n_own; k++, n++) {
            if (is_text(own[n].kind)) {
                own[n].value.text = share(arena, own, n, own[n].value.text);
            }
        }
    }
    to->device = device;
}

static struct skr_device_reach copy_reach(struct skr_arena *arena,
                                          const struct skr_device_reach *from,
                                          const struct skr_device_reach *last)
{
    return (struct skr_device_reach){
        last && strcmp(last->node, from->node) == 0 ? last->node : copy(arena, from->node),
        from->all,
        last && strcmp(last->selector, from->selector) == 0 ? last->selector
                                                            : copy(arena, from->selector)};
}

/* The arena is that of the copy. Arrays come first: texts need no padding. */
static struct skr_device_slice *copy_slice(struct skr_arena *arena,
                                           const struct skr_device_slice *from,
                                           const struct kind *const *kind,
                                           const struct skr_device_kind *counters)
{
    struct skr_device_slice *to = room(arena, 1, sizeof *to);
    struct skr_device_reach *reach =
        from->reach_of ? room(arena, from->n_devices, sizeof *reach) : NULL;
    *to = *from;
    to->arena = arena;
    copy_devices(arena, from, kind, to);
    to->meta = (struct skr_meta){.namespace_ = "",
                                 .name = copy(arena, from->meta.name),
                                 .uid = "",
                                 .resource_version = from->meta.resource_version};
    to->driver = copy(arena, from->driver);
    to->reach = copy_reach(arena, &from->reach, NULL);
    to->pool = strcmp(from->pool, to->reach.node) == 0 ? to->reach.node : copy(arena, from->pool);
    to->counter = counters ? counters->counter : NULL;
    to->reach_of = reach;
    for (size_t d = 0; reach && d < from->n_devices; d++) {
        reach[d] = copy_reach(arena, &from->reach_of[d], d > 0 ? &reach[d - 1] : NULL);
    }
    return to;
}

struct skr_device_slice *skr_device_kinds_pack(struct skr_device_kinds *kinds,
                                               const struct skr_device_slice *from,
                                               const struct skr_device_kind **ret_counters)
{
    const struct skr_device_kind all = {.n_counters = from->n_counters, .counter = from->counter};
    const struct skr_device counted = {.name = "", .kind = &all};
    SKR_AUTO_FREE const struct kind **kind = skr_alloc_array(from->n_devices, sizeof *kind);
    for (size_t d = 0; d < from->n_devices; d++) {
        kind[d] = enter(kinds, &from->device[d], false);
    }
    const struct skr_device_kind *counters =
        from->n_counters > 0 ? &enter(kinds, &counted, true)->is : NULL;
    struct skr_arena *loose = loose_arena();
    (void)copy_slice(loose, from, kind, counters);
    *ret_counters = counters;
    return copy_slice(tight_arena(loose), from, kind, counters);
}

void skr_device_kinds_unpack(struct skr_device_kinds *kinds, struct skr_device_slice *slice,
                             const struct skr_device_kind *counters)
{
    for (size_t d = 0; d < slice->n_devices; d++) {
        leave(kinds, slice->device[d].kind);
    }
    if (counters) {
        leave(kinds, counters);
    }
    skr_device_slice_destroy(slice);
}
