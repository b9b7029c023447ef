/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes ResourceSlices. Each device is of a kind of its own. */
#include "topology/device_slices.h"

#include <string.h>

#include "topology/fields.h"
#include "topology/quantity.h"

/* ---- attributes ---- */

static struct skr_device_attribute read_attribute(const struct skr_fields *list, const char *name)
{
    const struct skr_fields value = skr_fields_object(list, name);
    struct skr_device_attribute ret = {.name = skr_fields_copy(list, name), .text = ""};
    if (skr_fields_has(&value, "string")) {
        ret.kind = SKR_DEVICE_VALUE_STRING;
        ret.text = skr_fields_text(&value, "string");
    } else if (skr_fields_has(&value, "int")) {
        ret.kind = SKR_DEVICE_VALUE_INT;
        ret.integer = skr_fields_int64(&value, "int", 0);
    } else if (skr_fields_has(&value, "bool")) {
        ret.kind = SKR_DEVICE_VALUE_BOOL;
        ret.integer = skr_fields_bool(&value, "bool");
    } else if (skr_fields_has(&value, "version")) {
        ret.kind = SKR_DEVICE_VALUE_VERSION;
        ret.text = skr_fields_text(&value, "version");
    }
    return ret;
}

/* Entries of an object, at most SKR_DEVICE_FIELDS_MAX. */
static size_t size_of(const struct skr_fields *object, const char *what)
{
    const size_t n = object->json ? json_object_size(object->json) : 0;
    if (n > SKR_DEVICE_FIELDS_MAX) {
        skr_fields_fail(object, NULL, SKR_LIMIT, "%zu %s, limit %d", n, what,
                        (int)SKR_DEVICE_FIELDS_MAX);
        return 0;
    }
    return n;
}

static void read_attributes(const struct skr_fields *in, struct skr_device_kind *kind)
{
    const struct skr_fields list = skr_fields_object(in, "attributes");
    const size_t n = size_of(&list, "attributes");
    struct skr_device_attribute *item = n > 0 ? skr_fields_room(&list, n, sizeof *item) : NULL;
    const char *name;
    json_t *ignored;
    if (!item) {
        return;
    }
    json_object_foreach(list.json, name, ignored)
    {
        item[kind->n_attributes++] = read_attribute(&list, name);
    }
    kind->attribute = item;
}

/* ---- capacities ---- */

static const struct skr_device_policy *read_policy(const struct skr_fields *in)
{
    const struct skr_fields policy = skr_fields_object(in, "requestPolicy");
    const struct skr_fields range = skr_fields_object(&policy, "validRange");
    struct skr_device_policy *made = policy.json ? skr_fields_room(in, 1, sizeof *made) : NULL;
    if (!made) {
        return NULL;
    }
    made->has_default = skr_fields_has(&policy, "default");
    made->default_ = skr_fields_nano(&policy, "default");
    made->has_range = range.json;
    made->min = skr_fields_nano(&range, "min");
    made->has_max = skr_fields_has(&range, "max");
    made->max = skr_fields_nano(&range, "max");
    made->has_step = skr_fields_has(&range, "step");
    made->step = skr_fields_nano(&range, "step");
    const char **text;
    const size_t n = skr_fields_texts(&policy, "validValues", SKR_DEVICE_FIELDS_MAX, &text);
    skr_int128 *value = skr_fields_room(in, n + 1, sizeof *value);
    for (size_t i = 0; value && i < n; i++) {
        skr_fields_note(in, skr_quantity_parse_nano(text[i], &value[i], in->decoding->error));
    }
    made->n_values = value ? n : 0;
    made->value = value;
    return made;
}

static void read_capacities(const struct skr_fields *in, struct skr_device_kind *kind)
{
    const struct skr_fields list = skr_fields_object(in, "capacity");
    const size_t n = size_of(&list, "capacities");
    struct skr_device_capacity *item = n > 0 ? skr_fields_room(&list, n, sizeof *item) : NULL;
    const char *name;
    json_t *ignored;
    if (!item) {
        return;
    }
    json_object_foreach(list.json, name, ignored)
    {
        const struct skr_fields entry = skr_fields_object(&list, name);
        item[kind->n_capacities++] = (struct skr_device_capacity){
            skr_fields_copy(&list, name), skr_fields_nano(&entry, "value"), read_policy(&entry)};
    }
    kind->capacity = item;
}

/* ---- counters, taints ---- */

/* Counters of a list of sets; set_key: where an entry has the name of its set. That name is one text a set. */
static size_t read_counters(const struct skr_fields *in, const char *key, const char *set_key,
                            const struct skr_device_counter **ret)
{
    const struct skr_fields list = skr_fields_list(in, key, SKR_SLICE_USES_MAX);
    struct skr_device_counter *item = NULL;
    size_t n = 0, room = 0;
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields set = skr_fields_entry(&list, i);
        const struct skr_fields counters = skr_fields_object(&set, "counters");
        room += counters.json ? json_object_size(counters.json) : 0;
    }
    if (room > SKR_SLICE_USES_MAX) {
        skr_fields_fail(in, key, SKR_LIMIT, "%zu counters, limit %d", room,
                        (int)SKR_SLICE_USES_MAX);
        return 0;
    }
    item = room > 0 ? skr_fields_room(in, room, sizeof *item) : NULL;
    for (size_t i = 0; item && skr_fields_more(&list, i); i++) {
        const struct skr_fields set = skr_fields_entry(&list, i);
        const struct skr_fields counters = skr_fields_object(&set, "counters");
        const char *set_name = skr_fields_text(&set, set_key), *name;
        json_t *ignored;
        json_object_foreach(counters.json, name, ignored)
        {
            const struct skr_fields counter = skr_fields_object(&counters, name);
            item[n++] = (struct skr_device_counter){set_name, skr_fields_copy(&counters, name),
                                                    skr_fields_nano(&counter, "value")};
        }
    }
    *ret = item;
    return n;
}

static void read_taints(const struct skr_fields *in, struct skr_device_kind *kind)
{
    const struct skr_fields list = skr_fields_list(in, "taints", SKR_DEVICE_FIELDS_MAX);
    struct skr_device_taint *item = list.n > 0 ? skr_fields_room(in, list.n, sizeof *item) : NULL;
    for (size_t i = 0; item && skr_fields_more(&list, i); i++) {
        const struct skr_fields taint = skr_fields_entry(&list, i);
        item[kind->n_taints++] = (struct skr_device_taint){skr_fields_text(&taint, "key"),
                                                           skr_fields_text(&taint, "value"),
                                                           skr_fields_text(&taint, "effect")};
    }
    kind->taint = item;
}

/* ---- the slice ---- */

static struct skr_device_reach read_reach(const struct skr_fields *in)
{
    const struct skr_fields selector = skr_fields_object(in, "nodeSelector");
    struct skr_device_reach ret = {.node = skr_fields_text(in, "nodeName"), .selector = ""};
    ret.all = skr_fields_bool(in, "allNodes") && !*ret.node;
    if (selector.json && !*ret.node && !ret.all) {
        ret.selector = skr_fields_json(&selector, JSON_COMPACT | JSON_SORT_KEYS);
    }
    return ret;
}

static void read_device(const struct skr_fields *in, struct skr_device *device)
{
    struct skr_device_kind *kind = skr_fields_room(in, 1, sizeof *kind);
    if (!kind) {
        return;
    }
    read_attributes(in, kind);
    read_capacities(in, kind);
    kind->n_counters = read_counters(in, "consumesCounters", "counterSet", &kind->counter);
    read_taints(in, kind);
    kind->shared = skr_fields_bool(in, "allowMultipleAllocations");
    kind->binds = skr_fields_list(in, "bindingConditions", SKR_DEVICE_FIELDS_MAX).n > 0;
    kind->groups = skr_fields_has(in, "compatibilityGroups");
    *device = (struct skr_device){.name = skr_fields_text(in, "name"), .kind = kind};
}

static void fill(void *object, const struct skr_fields *json)
{
    struct skr_device_slice *slice = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields pool = skr_fields_object(&spec, "pool");
    const struct skr_fields list = skr_fields_list(&spec, "devices", SKR_SLICE_DEVICES_MAX);
    slice->driver = skr_fields_text(&spec, "driver");
    slice->pool = skr_fields_text(&pool, "name");
    slice->generation = skr_fields_int64(&pool, "generation", 0);
    slice->n_slices = skr_fields_int64(&pool, "resourceSliceCount", 0);
    slice->reach = read_reach(&spec);
    const bool each = skr_fields_bool(&spec, "perDeviceNodeSelection") && !*slice->reach.node &&
                      !slice->reach.all && !*slice->reach.selector;
    slice->n_counters = read_counters(&spec, "sharedCounters", "name", &slice->counter);
    struct skr_device *device = list.n > 0 ? skr_fields_room(&list, list.n, sizeof *device) : NULL;
    struct skr_device_reach *reach = each ? skr_fields_room(&list, list.n, sizeof *reach) : NULL;
    for (size_t i = 0; device && skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        read_device(&entry, &device[i]);
        if (reach) {
            reach[i] = read_reach(&entry);
        }
    }
    slice->n_devices = device ? list.n : 0;
    slice->device = device;
    slice->reach_of = reach;
}

SKR_OBJECT_KIND(device_slice, "resourceslice", fill)

/* ---- devices ---- */

struct skr_device_attribute skr_device_attribute(const struct skr_device *device, size_t i)
{
    struct skr_device_attribute ret = device->kind->attribute[i];
    for (size_t k = 0; k < device->n_own; k++) {
        const struct skr_device_own *own = &device->own[k];
        if (own->at == i) {
            const bool text =
                own->kind == SKR_DEVICE_VALUE_STRING || own->kind == SKR_DEVICE_VALUE_VERSION;
            ret.kind = (enum skr_device_value)own->kind;
            ret.integer = text ? 0 : own->value.integer;
            ret.text = text ? own->value.text : "";
        }
    }
    return ret;
}

struct skr_device_counter skr_device_counter(const struct skr_device *device, size_t i)
{
    struct skr_device_counter ret = device->kind->counter[i];
    for (size_t k = 0; k < device->n_own; k++) {
        if (device->own[k].at == SKR_DEVICE_OWN_SET) {
            ret.set = device->own[k].value.text;
        }
    }
    return ret;
}

bool skr_device_same_value(const struct skr_device_attribute *a,
                           const struct skr_device_attribute *b)
{
    return a->kind == b->kind && a->integer == b->integer && strcmp(a->text, b->text) == 0;
}
