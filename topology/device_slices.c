/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes ResourceSlices. An index over the attributes of the slice finds equal ones. */
#include "topology/device_slices.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/hash.h"
#include "topology/fields.h"
#include "topology/quantity.h"

/* What is shared by the devices of one slice. */
struct shared {
    const struct skr_device_attribute **attribute;
    const struct skr_device_capacity **capacity;
    const char **text; /* names of attributes, capacities, counters and their sets */
    size_t n_attributes, cap_attributes, n_capacities, cap_capacities, n_texts, cap_texts;
    struct skr_hash_index attributes, capacities, texts;
};

static void shared_fini(struct shared *shared)
{
    free(shared->attribute);
    free(shared->capacity);
    free(shared->text);
    skr_hash_index_fini(&shared->attributes);
    skr_hash_index_fini(&shared->capacities);
    skr_hash_index_fini(&shared->texts);
}

/* The equal text of the slice, or a copy. */
static const char *share_text(struct shared *shared, const struct skr_fields *in, const char *text)
{
    const uint32_t hash = (uint32_t)skr_hash_string(text);
    uint32_t i;
    for (size_t at = 0; skr_hash_index_next(&shared->texts, hash, &at, &i);) {
        if (strcmp(shared->text[i], text) == 0) {
            return shared->text[i];
        }
    }
    skr_grow(&shared->text, &shared->cap_texts, shared->n_texts + 1, sizeof(const char *));
    shared->text[shared->n_texts] = skr_fields_copy(in, text);
    skr_hash_index_add(&shared->texts, hash, (uint32_t)shared->n_texts);
    return shared->text[shared->n_texts++];
}

/* ---- attributes ---- */

static bool same_attribute(const struct skr_device_attribute *a,
                           const struct skr_device_attribute *b)
{
    return a->kind == b->kind && a->integer == b->integer && strcmp(a->name, b->name) == 0 &&
           strcmp(a->text, b->text) == 0;
}

/* The equal one of the slice, or a copy. */
static const struct skr_device_attribute *share(struct shared *shared, const struct skr_fields *in,
                                                const struct skr_device_attribute *wanted)
{
    const uint32_t hash = (uint32_t)skr_hash_pair(
        skr_hash_pair(skr_hash_string(wanted->name), skr_hash_string(wanted->text)),
        (uint64_t)wanted->integer);
    uint32_t i;
    for (size_t at = 0; skr_hash_index_next(&shared->attributes, hash, &at, &i);) {
        if (same_attribute(shared->attribute[i], wanted)) {
            return shared->attribute[i];
        }
    }
    struct skr_device_attribute *made = skr_fields_room(in, 1, sizeof *made);
    if (!made) {
        return NULL;
    }
    *made = *wanted;
    made->name = share_text(shared, in, wanted->name);
    made->text = skr_fields_copy(in, wanted->text);
    skr_grow(&shared->attribute, &shared->cap_attributes, shared->n_attributes + 1,
             sizeof(struct skr_device_attribute *));
    shared->attribute[shared->n_attributes] = made;
    skr_hash_index_add(&shared->attributes, hash, (uint32_t)shared->n_attributes++);
    return made;
}

static struct skr_device_attribute read_attribute(const struct skr_fields *list, const char *name)
{
    const struct skr_fields value = skr_fields_object(list, name);
    struct skr_device_attribute ret = {.name = name, .text = ""};
    if (skr_fields_has(&value, "string")) {
        ret.kind = SKR_DEVICE_VALUE_STRING;
        ret.text = skr_fields_word(&value, "string");
    } else if (skr_fields_has(&value, "int")) {
        ret.kind = SKR_DEVICE_VALUE_INT;
        ret.integer = skr_fields_int64(&value, "int", 0);
    } else if (skr_fields_has(&value, "bool")) {
        ret.kind = SKR_DEVICE_VALUE_BOOL;
        ret.integer = skr_fields_bool(&value, "bool");
    } else if (skr_fields_has(&value, "version")) {
        ret.kind = SKR_DEVICE_VALUE_VERSION;
        ret.text = skr_fields_word(&value, "version");
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

static void read_attributes(struct shared *shared, const struct skr_fields *in,
                            struct skr_device *device)
{
    const struct skr_fields list = skr_fields_object(in, "attributes");
    const size_t n = size_of(&list, "attributes");
    const struct skr_device_attribute **item = skr_fields_room(&list, n + 1, sizeof *item);
    const char *name;
    json_t *ignored;
    json_object_foreach(n > 0 && item ? list.json : NULL, name, ignored)
    {
        const struct skr_device_attribute attribute = read_attribute(&list, name);
        const struct skr_device_attribute *found = share(shared, &list, &attribute);
        if (!found) {
            return;
        }
        item[device->n_attributes++] = found;
    }
    device->attribute = item;
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

static bool same_policy(const struct skr_device_policy *a, const struct skr_device_policy *b)
{
    if (!a || !b) {
        return a == b;
    }
    bool same = a->has_default == b->has_default && a->default_ == b->default_ &&
                a->has_range == b->has_range && a->min == b->min && a->has_max == b->has_max &&
                a->max == b->max && a->has_step == b->has_step && a->step == b->step &&
                a->n_values == b->n_values;
    for (size_t i = 0; same && i < a->n_values; i++) {
        same = a->value[i] == b->value[i];
    }
    return same;
}

static const struct skr_device_capacity *share_capacity(struct shared *shared,
                                                        const struct skr_fields *in,
                                                        const struct skr_device_capacity *wanted)
{
    const uint32_t hash =
        (uint32_t)skr_hash_pair(skr_hash_string(wanted->name), (uint64_t)wanted->value);
    uint32_t i;
    for (size_t at = 0; skr_hash_index_next(&shared->capacities, hash, &at, &i);) {
        const struct skr_device_capacity *one = shared->capacity[i];
        if (one->value == wanted->value && strcmp(one->name, wanted->name) == 0 &&
            same_policy(one->policy, wanted->policy)) {
            return one;
        }
    }
    struct skr_device_capacity *made = skr_fields_room(in, 1, sizeof *made);
    if (!made) {
        return NULL;
    }
    *made = *wanted;
    made->name = share_text(shared, in, wanted->name);
    skr_grow(&shared->capacity, &shared->cap_capacities, shared->n_capacities + 1,
             sizeof(struct skr_device_capacity *));
    shared->capacity[shared->n_capacities] = made;
    skr_hash_index_add(&shared->capacities, hash, (uint32_t)shared->n_capacities++);
    return made;
}

static void read_capacities(struct shared *shared, const struct skr_fields *in,
                            struct skr_device *device)
{
    const struct skr_fields list = skr_fields_object(in, "capacity");
    const size_t n = size_of(&list, "capacities");
    const struct skr_device_capacity **item = skr_fields_room(&list, n + 1, sizeof *item);
    const char *name;
    json_t *ignored;
    json_object_foreach(n > 0 && item ? list.json : NULL, name, ignored)
    {
        const struct skr_fields entry = skr_fields_object(&list, name);
        const struct skr_device_capacity capacity = {name, skr_fields_nano(&entry, "value"),
                                                     read_policy(&entry)};
        const struct skr_device_capacity *found = share_capacity(shared, &list, &capacity);
        if (!found) {
            return;
        }
        item[device->n_capacities++] = found;
    }
    device->capacity = item;
}

/* ---- counters, taints ---- */

/* Counters of a list of sets; set_key: where an entry has the name of its set. That name is one text a set,
 * unless devices use the counters. */
static size_t read_counters(struct shared *shared, const struct skr_fields *in, const char *key,
                            const char *set_key, const struct skr_device_counter **ret)
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
        const char *word = skr_fields_word(&set, set_key), *name;
        const char *set_name = strcmp(key, "consumesCounters") == 0 ? share_text(shared, &set, word)
                                                                    : skr_fields_copy(&set, word);
        json_t *ignored;
        json_object_foreach(counters.json, name, ignored)
        {
            const struct skr_fields counter = skr_fields_object(&counters, name);
            item[n++] = (struct skr_device_counter){set_name, share_text(shared, &counters, name),
                                                    skr_fields_nano(&counter, "value")};
        }
    }
    *ret = item;
    return n;
}

static void read_taints(const struct skr_fields *in, struct skr_device *device)
{
    const struct skr_fields list = skr_fields_list(in, "taints", SKR_DEVICE_FIELDS_MAX);
    struct skr_device_taint *item = list.n > 0 ? skr_fields_room(in, list.n, sizeof *item) : NULL;
    for (size_t i = 0; item && skr_fields_more(&list, i); i++) {
        const struct skr_fields taint = skr_fields_entry(&list, i);
        item[device->n_taints++] = (struct skr_device_taint){skr_fields_text(&taint, "key"),
                                                             skr_fields_text(&taint, "value"),
                                                             skr_fields_text(&taint, "effect")};
    }
    device->taint = item;
}

/* ---- the slice ---- */

static struct skr_device_reach read_reach(struct shared *shared, const struct skr_fields *in)
{
    const struct skr_fields selector = skr_fields_object(in, "nodeSelector");
    struct skr_device_reach ret = {.node = skr_fields_text(in, "nodeName"), .selector = ""};
    ret.all = skr_fields_bool(in, "allNodes") && !*ret.node;
    if (selector.json && !*ret.node && !ret.all) {
        ret.selector =
            share_text(shared, in, skr_fields_json(&selector, JSON_COMPACT | JSON_SORT_KEYS));
    }
    return ret;
}

/* each: which nodes reach it depends on the device. */
static void read_device(struct shared *shared, const struct skr_fields *in, bool each,
                        struct skr_device *device)
{
    struct skr_device_reach *reach = each ? skr_fields_room(in, 1, sizeof *reach) : NULL;
    device->name = skr_fields_text(in, "name");
    if (reach) {
        *reach = read_reach(shared, in);
        device->reach = reach;
    }
    read_attributes(shared, in, device);
    read_capacities(shared, in, device);
    device->n_counters =
        read_counters(shared, in, "consumesCounters", "counterSet", &device->counter);
    read_taints(in, device);
    device->shared = skr_fields_bool(in, "allowMultipleAllocations");
    device->binds = skr_fields_list(in, "bindingConditions", SKR_DEVICE_FIELDS_MAX).n > 0;
    device->groups = skr_fields_has(in, "compatibilityGroups");
}

static void fill(void *object, const struct skr_fields *json)
{
    struct skr_device_slice *slice = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields pool = skr_fields_object(&spec, "pool");
    const struct skr_fields list = skr_fields_list(&spec, "devices", SKR_SLICE_DEVICES_MAX);
    struct shared shared = {0};
    slice->driver = skr_fields_text(&spec, "driver");
    slice->pool = skr_fields_text(&pool, "name");
    slice->generation = skr_fields_int64(&pool, "generation", 0);
    slice->n_slices = skr_fields_int64(&pool, "resourceSliceCount", 0);
    slice->reach = read_reach(&shared, &spec);
    slice->each = skr_fields_bool(&spec, "perDeviceNodeSelection") && !*slice->reach.node &&
                  !slice->reach.all && !*slice->reach.selector;
    slice->n_counters = read_counters(&shared, &spec, "sharedCounters", "name", &slice->counter);
    struct skr_device *device = list.n > 0 ? skr_fields_room(&list, list.n, sizeof *device) : NULL;
    for (size_t i = 0; device && skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        read_device(&shared, &entry, slice->each, &device[i]);
    }
    slice->n_devices = device ? list.n : 0;
    slice->device = device;
    shared_fini(&shared);
}

int skr_device_slice_decode(const json_t *json, struct skr_device_slice **ret,
                            struct skr_error *error)
{
    void *object = NULL;
    const int rc =
        skr_object_decode_tight(json, "resourceslice", sizeof **ret, fill, &object, error);
    if (rc == 0) {
        *ret = object;
    }
    return rc;
}

void skr_device_slice_destroy(struct skr_device_slice *slice)
{
    skr_object_destroy(slice);
}
