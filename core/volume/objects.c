/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes storage objects, and judges nodes by their volumes. */
#include "core/volume/objects.h"

#include <stdlib.h>
#include <string.h>

#include "core/pod/parts.h"

/* ---- claims ---- */

static const char *annotation(const struct skr_fields *json, const char *key)
{
    const struct skr_fields meta = skr_fields_object(json, "metadata");
    const struct skr_fields annotations = skr_fields_object(&meta, "annotations");
    return skr_fields_text(&annotations, key);
}

/* The class, by the annotation from before the field if that is there. */
static const char *class_of(const struct skr_fields *json, const struct skr_fields *spec)
{
    const char *old = annotation(json, "volume.beta.kubernetes.io/storage-class");
    return *old ? old : skr_fields_text(spec, "storageClassName");
}

enum {
    ONE_POD = 8,
    BLOCK = 32,
    FILESYSTEM = SKR_VOLUME_MODE_BITS - BLOCK
}; /* bits of modes; 16: an unknown access mode */

/* A bit for each access mode, and one for the volumeMode: as claim and volume have one of these alone, the bits of a
 * claim are among those of a volume only if it is the same. An unknown mode is a bit of its own. */
static uint32_t modes_of(const struct skr_fields *spec)
{
    static const char *const known[] = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany",
                                        "ReadWriteOncePod"};
    const char **mode;
    const size_t n = skr_fields_texts(spec, "accessModes", SKR_VOLUME_MODES_MAX, &mode);
    uint32_t bits = strcmp(skr_fields_word(spec, "volumeMode"), "Block") == 0 ? BLOCK : FILESYSTEM;
    for (size_t i = 0; i < n; i++) {
        uint32_t k = 0;
        while (k < sizeof known / sizeof known[0] && strcmp(known[k], mode[i]) != 0) {
            k++;
        }
        bits |= UINT32_C(1) << k;
    }
    return bits;
}

/* Bytes of a quantity, rounded up. */
static int64_t bytes_of(const struct skr_fields *in, const char *key)
{
    const skr_int128 bytes = (skr_fields_nano(in, key) + 999999999) / 1000000000;
    return bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
}

/* A LabelSelector as a node selector; "": it selects all. */
static const char *selector_of(const struct skr_fields *selector)
{
    const struct skr_fields list =
        skr_fields_list(selector, "matchExpressions", SKR_TOPOLOGY_TERMS_MAX);
    const struct skr_fields labels = skr_fields_object(selector, "matchLabels");
    json_auto_t *all = list.json ? json_deep_copy(list.json) : json_array();
    const char *key;
    json_t *value;
    json_object_foreach(labels.json, key, value)
    {
        json_array_append_new(
            all, json_pack("{s:s,s:s,s:[O]}", "key", key, "operator", "In", "values", value));
    }
    if (json_array_size(all) == 0) {
        return "";
    }
    json_auto_t *term = json_pack("{s:[{s:O}]}", "nodeSelectorTerms", "matchExpressions", all);
    SKR_AUTO_FREE char *text = term ? json_dumps(term, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    return skr_fields_copy(selector, text ? text : "");
}

static void fill_claim(void *object, const struct skr_fields *json)
{
    struct skr_volume_claim *claim = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields resources = skr_fields_object(&spec, "resources");
    const struct skr_fields requests = skr_fields_object(&resources, "requests");
    claim->volume = skr_fields_text(&spec, "volumeName");
    claim->class_ = class_of(json, &spec);
    claim->selected = annotation(json, "volume.kubernetes.io/selected-node");
    claim->modes = modes_of(&spec);
    claim->one_pod = claim->modes & ONE_POD;
    const struct skr_fields selector = skr_fields_object(&spec, "selector");
    claim->selector = selector.json ? selector_of(&selector) : "";
    claim->attributes = skr_fields_text(&spec, "volumeAttributesClassName");
    claim->bytes = bytes_of(&requests, "storage");
}
SKR_OBJECT_KIND(volume_claim, "persistentvolumeclaim", fill_claim)

/* ---- volumes ---- */

static const char *const zone_keys[] = {
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
};
enum { ZONE_KEYS = sizeof zone_keys / sizeof zone_keys[0] };
/* The newer name of an older key. */
static const char *const newer_key[ZONE_KEYS] = {"topology.kubernetes.io/zone",
                                                 "topology.kubernetes.io/region", NULL, NULL};

static void read_zone(const struct skr_fields *labels, const char *key, struct skr_volume *volume)
{
    const char *text = skr_fields_text(labels, key);
    struct skr_volume_zone *zone = &volume->zone[volume->n_zones];
    size_t n = 1;
    if (!*text) {
        return;
    }
    for (const char *at = strstr(text, "__"); at; at = strstr(at + 2, "__")) {
        n++;
    }
    if (n > SKR_VOLUME_ZONES_MAX) {
        skr_fields_fail(labels, key, SKR_LIMIT, "more than %d zones", (int)SKR_VOLUME_ZONES_MAX);
        return;
    }
    zone->key = key;
    zone->value = skr_fields_room(labels, n, sizeof *zone->value);
    for (size_t i = 0; zone->value && i < n; i++) {
        const char *end = strstr(text, "__");
        const size_t length = end ? (size_t)(end - text) : strlen(text);
        zone->value[i] = skr_arena_strndup(labels->decoding->arena, text, length);
        if (!zone->value[i]) {
            skr_fields_refuse(labels, SKR_LIMIT, "persistentvolume: larger than %d bytes",
                              (int)SKR_OBJECT_BYTES_MAX);
            return;
        }
        text += length + (end ? 2 : 0);
    }
    zone->n_values = zone->value ? n : 0;
    volume->n_zones++;
}

/* The host name of the only node that reaches it, if that is the whole rule. */
static const char *only_host(const struct skr_volume *volume)
{
    const struct skr_pod_shape *reach = &volume->reach;
    const struct skr_selector_requirement *r =
        reach->n_terms == 1 && reach->term[0].n == 1 ? reach->term[0].requirement : NULL;
    const bool is = r && volume->n_zones == 0 && !r->is_field && r->op == SKR_SELECTOR_IN &&
                    r->n_values == 1 && strcmp(r->key, "kubernetes.io/hostname") == 0;
    return is ? r->values[0] : NULL;
}

static void read_reach(const struct skr_fields *json, const struct skr_fields *spec,
                       struct skr_volume *volume)
{
    const struct skr_fields meta = skr_fields_object(json, "metadata");
    const struct skr_fields labels = skr_fields_object(&meta, "labels");
    const struct skr_fields affinity = skr_fields_object(spec, "nodeAffinity");
    const struct skr_fields required = skr_fields_object(&affinity, "required");
    SKR_STRBUF(key);
    for (size_t i = 0; i < ZONE_KEYS; i++) {
        read_zone(&labels, zone_keys[i], volume);
        if (skr_fields_has(&labels, zone_keys[i])) {
            skr_strbuf_addf(&key, "%s=%s;", zone_keys[i], skr_fields_text(&labels, zone_keys[i]));
        }
    }
    if (required.json) {
        skr_fields_note(&required, skr_pod_node_selector_decode(
                                       required.decoding->arena, required.json, &required.path,
                                       &volume->reach, required.decoding->error));
        skr_strbuf_add(&key, skr_fields_json(&required, JSON_COMPACT | JSON_SORT_KEYS));
    }
    volume->reach_key = skr_fields_copy(json, key.s ? key.s : "");
    volume->host = only_host(volume);
}

static void fill_volume(void *object, const struct skr_fields *json)
{
    struct skr_volume *volume = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields csi = skr_fields_object(&spec, "csi");
    volume->class_ = class_of(json, &spec);
    volume->driver = skr_fields_text(&csi, "driver");
    volume->handle = skr_fields_text(&csi, "volumeHandle");
    const struct skr_fields status = skr_fields_object(json, "status");
    const struct skr_fields capacity = skr_fields_object(&spec, "capacity");
    const struct skr_fields claim = skr_fields_object(&spec, "claimRef");
    const struct skr_fields meta = skr_fields_object(json, "metadata");
    const struct skr_fields labels = skr_fields_object(&meta, "labels");
    volume->claim_namespace = skr_fields_text(&claim, "namespace");
    volume->claim_name = skr_fields_text(&claim, "name");
    volume->claim_uid = skr_fields_text(&claim, "uid");
    volume->free = strcmp(skr_fields_word(&status, "phase"), "Available") == 0 && !claim.json;
    volume->attributes = skr_fields_text(&spec, "volumeAttributesClassName");
    volume->labels = json_object_size(labels.json) > 0
                         ? skr_fields_json(&labels, JSON_COMPACT | JSON_SORT_KEYS)
                         : "";
    volume->modes = modes_of(&spec);
    volume->bytes = bytes_of(&capacity, "storage");
    read_reach(json, &spec, volume);
}
SKR_OBJECT_KIND(volume, "persistentvolume", fill_volume)

struct skr_volume *skr_volume_of_selector(const char *selector)
{
    struct skr_error error;
    struct skr_volume *volume = NULL;
    json_auto_t *required = json_loads(selector, 0, NULL);
    json_auto_t *json = json_pack("{s:{s:s},s:{s:{s:O}}}", "metadata", "name", "selector", "spec",
                                  "nodeAffinity", "required", required);
    return json && skr_volume_decode(json, &volume, &error) == 0 ? volume : NULL;
}

static bool has_value(const struct skr_volume_zone *zone, const char *value)
{
    size_t i = 0;
    while (i < zone->n_values && strcmp(zone->value[i], value) != 0) {
        i++;
    }
    return i < zone->n_values;
}

static const char *newer(const char *key)
{
    size_t i = 0;
    while (i < ZONE_KEYS && strcmp(zone_keys[i], key) != 0) {
        i++;
    }
    return i < ZONE_KEYS ? newer_key[i] : NULL;
}

/* A node without any zone label is in every zone. */
static bool zones_match(const struct skr_volume *volume, const struct skr_node *node)
{
    const struct skr_labels *labels = &node->meta.labels;
    bool any = false, match = true;
    for (size_t i = 0; i < ZONE_KEYS && volume->n_zones > 0; i++) {
        any = any || skr_labels_get(labels, zone_keys[i]);
    }
    for (size_t i = 0; i < volume->n_zones && any && match; i++) {
        const struct skr_volume_zone *zone = &volume->zone[i];
        const char *value = skr_labels_get(labels, zone->key), *key = newer(zone->key);
        value = !value && key ? skr_labels_get(labels, key) : value;
        match = value && has_value(zone, value);
    }
    return match;
}

bool skr_volume_reaches(const struct skr_volume *volume, const struct skr_node *node)
{
    return skr_pod_shape_selects_node(&volume->reach, node) && zones_match(volume, node);
}

bool skr_volume_selects(const struct skr_volume *selector, const char *labels)
{
    struct skr_node *node = NULL;
    json_auto_t *json = json_pack("{s:{s:s,s:o*}}", "metadata", "name", "v", "labels",
                                  *labels ? json_loads(labels, 0, NULL) : NULL);
    const bool is =
        json && skr_node_decode(json, &node, NULL) == 0 && skr_volume_reaches(selector, node);
    skr_node_destroy(node);
    return is;
}

bool skr_volume_suits(const struct skr_volume *volume, const struct skr_volume_claim *claim)
{
    SKR_AUTO(skr_volume_destroy)
    struct skr_volume *selector = *claim->selector ? skr_volume_of_selector(claim->selector) : NULL;
    return volume->free && !volume->meta.deleting && strcmp(volume->class_, claim->class_) == 0 &&
           strcmp(volume->attributes, claim->attributes) == 0 && volume->bytes >= claim->bytes &&
           (volume->modes & claim->modes) == claim->modes &&
           (!selector || skr_volume_selects(selector, volume->labels));
}

/* ---- classes and nodes ---- */

/* A term of allowedTopologies as one of a node selector. NULL: no memory. */
static json_t *term_of(const struct skr_fields *term)
{
    const struct skr_fields list =
        skr_fields_list(term, "matchLabelExpressions", SKR_TOPOLOGY_TERMS_MAX);
    json_t *ret = json_array();
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields expression = skr_fields_entry(&list, i);
        json_array_append_new(ret, json_pack("{s:s,s:s,s:O?}", "key",
                                             skr_fields_word(&expression, "key"), "operator", "In",
                                             "values", json_object_get(expression.json, "values")));
    }
    return json_pack("{s:o}", "matchExpressions", ret);
}

static const char *topologies_of(const struct skr_fields *json)
{
    const struct skr_fields list =
        skr_fields_list(json, "allowedTopologies", SKR_TOPOLOGY_TERMS_MAX);
    json_auto_t *terms = json_array();
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields term = skr_fields_entry(&list, i);
        json_array_append_new(terms, term_of(&term));
    }
    json_auto_t *selector = json_pack("{s:O}", "nodeSelectorTerms", terms);
    SKR_AUTO_FREE char *text =
        list.n > 0 ? json_dumps(selector, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    return skr_fields_copy(json, text ? text : "");
}

static void fill_class(void *object, const struct skr_fields *json)
{
    struct skr_storage_class *class = object;
    class->reach = topologies_of(json);
    class->provisioner = skr_fields_text(json, "provisioner");
    class->late = strcmp(skr_fields_word(json, "volumeBindingMode"), "WaitForFirstConsumer") == 0;
}
SKR_OBJECT_KIND(storage_class, "storageclass", fill_class)

static void fill_node(void *object, const struct skr_fields *json)
{
    struct skr_csi_node *node = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields list = skr_fields_list(&spec, "drivers", SKR_CSI_DRIVERS_MAX);
    node->limit = skr_fields_room(&list, list.n + 1, sizeof *node->limit);
    for (size_t i = 0; skr_fields_more(&list, i) && node->limit; i++) {
        const struct skr_fields driver = skr_fields_entry(&list, i);
        const struct skr_fields allocatable = skr_fields_object(&driver, "allocatable");
        node->limit[node->n++] = (struct skr_csi_limit){
            skr_fields_text(&driver, "name"), skr_fields_int32(&allocatable, "count", INT32_MAX)};
    }
}
SKR_OBJECT_KIND(csi_node, "csinode", fill_node)

/* ---- drivers, their room, and what they have attached ---- */

static void fill_driver(void *object, const struct skr_fields *json)
{
    struct skr_csi_driver *driver = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    driver->says_capacity = skr_fields_bool(&spec, "storageCapacity");
    driver->must_run = skr_fields_bool(&spec, "preventPodSchedulingIfMissing");
}
SKR_OBJECT_KIND(csi_driver, "csidriver", fill_driver)

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct skr_csi_label *)a)->key, ((const struct skr_csi_label *)b)->key);
}

static void read_labels(const struct skr_fields *topology, struct skr_csi_capacity *capacity)
{
    const struct skr_fields labels = skr_fields_object(topology, "matchLabels");
    const size_t n = json_object_size(labels.json);
    const char *key;
    json_t *value;
    if (n > SKR_TOPOLOGY_LABELS_MAX) {
        skr_fields_fail(topology, "matchLabels", SKR_LIMIT, "more than %d labels",
                        (int)SKR_TOPOLOGY_LABELS_MAX);
        return;
    }
    capacity->label = skr_fields_room(&labels, n + 1, sizeof *capacity->label);
    json_object_foreach(capacity->label ? labels.json : NULL, key, value)
    {
        capacity->label[capacity->n_labels++] =
            (struct skr_csi_label){skr_fields_copy(&labels, key), skr_fields_text(&labels, key)};
    }
    if (n > 1 && capacity->label && labels.decoding->rc == 0) {
        qsort(capacity->label, n, sizeof *capacity->label, by_key);
    }
}

static void fill_capacity(void *object, const struct skr_fields *json)
{
    struct skr_csi_capacity *capacity = object;
    const struct skr_fields topology = skr_fields_object(json, "nodeTopology");
    const struct skr_fields list =
        skr_fields_list(&topology, "matchExpressions", SKR_TOPOLOGY_TERMS_MAX);
    const char *size = skr_fields_has(json, "maximumVolumeSize") ? "maximumVolumeSize" : "capacity";
    capacity->class_ = skr_fields_text(json, "storageClassName");
    capacity->bytes = topology.json && skr_fields_has(json, size) ? bytes_of(json, size) : -1;
    read_labels(&topology, capacity);
    capacity->labels_alone = list.n == 0;
    capacity->selector = json->decoding->rc == 0 ? selector_of(&topology) : "";
}
SKR_OBJECT_KIND(csi_capacity, "csistoragecapacity", fill_capacity)

static void fill_attachment(void *object, const struct skr_fields *json)
{
    struct skr_volume_attachment *attachment = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields source = skr_fields_object(&spec, "source");
    attachment->driver = skr_fields_text(&spec, "attacher");
    attachment->node = skr_fields_text(&spec, "nodeName");
    attachment->volume = skr_fields_text(&source, "persistentVolumeName");
}
SKR_OBJECT_KIND(volume_attachment, "volumeattachment", fill_attachment)
