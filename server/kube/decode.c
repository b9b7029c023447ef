/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of the API server (k8s.io/apimachinery metav1.WatchEvent, Status, ObjectMeta) to events. */
#include "server/kube/decode.h"

#include <string.h>

#include "server/kube/prune.h"

static const char *const plurals[] = {"nodes", "pods", "configmaps", "podgroups"};
_Static_assert(sizeof plurals / sizeof plurals[0] == SKR_KUBE_KIND_COUNT, "a name for each kind");

static const char *const line_types[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", ""};
_Static_assert(sizeof line_types / sizeof line_types[0] == SKR_KUBE_LINE_TYPE_COUNT,
               "a name for each type of line");

const char *skr_kube_kind_plural(enum skr_kube_kind kind)
{
    return plurals[kind];
}

int skr_kube_json_parse(const char *text, size_t n, json_t **ret, struct skr_error *error)
{
    json_error_t e;
    struct skr_prune prune;
    skr_prune_init(&prune, text, n);
    json_t *json = json_load_callback(skr_prune_read, &prune, 0, &e);
    if (!json) {
        return skr_error_set(error, SKR_INVALID, "not JSON: %d:%d: %s", e.line, e.column, e.text);
    }
    *ret = json;
    return 0;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

int skr_kube_line_parse(json_t *root, enum skr_kube_line_type *ret_type, json_t **ret_object,
                        struct skr_error *error)
{
    const char *type = text_of(root, "type");
    json_t *object = json_object_get(root, "object");
    if (type[0] == '\0' || !json_is_object(object)) {
        return skr_error_set(error, SKR_INVALID, "a watch line without type and object");
    }
    enum skr_kube_line_type t = 0;
    while (t < SKR_KUBE_LINE_UNKNOWN && strcmp(type, line_types[t]) != 0) {
        t++;
    }
    *ret_type = t;
    *ret_object = object;
    return 0;
}

uint64_t skr_kube_version_parse(const char *text)
{
    uint64_t v = 0;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || v > (UINT64_MAX - (uint64_t)(*c - '0')) / 10) {
            return 0;
        }
        v = v * 10 + (uint64_t)(*c - '0');
    }
    return v;
}

int skr_kube_identity_parse(const json_t *object, struct skr_kube_identity *ret,
                            struct skr_error *error)
{
    const json_t *metadata = json_object_get(object, "metadata");
    struct skr_kube_identity identity = {
        .namespace_ = text_of(metadata, "namespace"),
        .name = text_of(metadata, "name"),
        .uid = text_of(metadata, "uid"),
        .version_text = text_of(metadata, "resourceVersion"),
    };
    if (identity.name[0] == '\0') {
        return skr_error_set(error, SKR_INVALID, "an object without metadata.name");
    }
    identity.version = skr_kube_version_parse(identity.version_text);
    *ret = identity;
    return 0;
}

bool skr_kube_status_parse(const json_t *json, struct skr_kube_status *ret)
{
    if (!json_is_object(json) || strcmp(text_of(json, "kind"), "Status") != 0) {
        return false;
    }
    json_int_t code = json_integer_value(json_object_get(json, "code"));
    *ret = (struct skr_kube_status){
        .code = code > 0 && code < 1000 ? (int)code : 0,
        .reason = text_of(json, "reason"),
        .message = text_of(json, "message"),
    };
    return true;
}

int skr_kube_decode(enum skr_kube_kind kind, const json_t *object, struct skr_event *ret,
                    struct skr_error *error)
{
    struct skr_event event = {.namespace_ = "", .name = "", .uid = ""};
    int rc = 0;
    switch (kind) {
    case SKR_KUBE_NODE:
        event.kind = SKR_EVENT_NODE_UPSERT;
        rc = skr_node_decode(object, &event.node, error);
        break;
    case SKR_KUBE_POD:
        event.kind = SKR_EVENT_POD_UPSERT;
        rc = skr_pod_decode(object, &event.pod, error);
        break;
    case SKR_KUBE_CONFIGMAP:
        event.kind = SKR_EVENT_CONFIGMAP_UPSERT;
        rc = skr_configmap_decode(object, &event.configmap, error);
        break;
    case SKR_KUBE_PODGROUP:
        event.kind = SKR_EVENT_PODGROUP_UPSERT;
        rc = skr_podgroup_decode(object, &event.podgroup, error);
        break;
    case SKR_KUBE_KIND_COUNT:
        return skr_error_set(error, SKR_BUG, "no such kind");
    }
    if (rc == 0) {
        *ret = event;
    }
    return rc;
}

static void destroy_results(struct skr_event *event)
{
    skr_pod_destroy(event->write_done.pod);
    skr_configmap_destroy(event->write_done.configmap);
    skr_podgroup_destroy(event->write_done.podgroup);
}

void skr_kube_event_fini(struct skr_event *event)
{
    if (event->kind == SKR_EVENT_NODE_UPSERT) {
        skr_node_destroy(event->node);
    } else if (event->kind == SKR_EVENT_POD_UPSERT) {
        skr_pod_destroy(event->pod);
    } else if (event->kind == SKR_EVENT_CONFIGMAP_UPSERT) {
        skr_configmap_destroy(event->configmap);
    } else if (event->kind == SKR_EVENT_PODGROUP_UPSERT) {
        skr_podgroup_destroy(event->podgroup);
    } else if (event->kind == SKR_EVENT_WRITE_DONE) {
        destroy_results(event);
    }
}

struct skr_event skr_kube_deleted(enum skr_kube_kind kind, const char *namespace_, const char *name,
                                  const char *uid)
{
    static const enum skr_event_kind kinds[] = {SKR_EVENT_NODE_DELETE, SKR_EVENT_POD_DELETE,
                                                SKR_EVENT_CONFIGMAP_DELETE,
                                                SKR_EVENT_PODGROUP_DELETE};
    _Static_assert(sizeof kinds / sizeof kinds[0] == SKR_KUBE_KIND_COUNT, "an event for each");
    return (struct skr_event){
        .kind = kinds[kind], .namespace_ = namespace_, .name = name, .uid = uid};
}
