/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of the API server (k8s.io/apimachinery metav1.WatchEvent, Status, ObjectMeta) to events. */
#include "server/kube/decode.h"

#include <string.h>

#include "server/kube/prune.h"
#include "topology/base/json_field.h"

static const char *const line_types[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", ""};
_Static_assert(sizeof line_types / sizeof line_types[0] == SKR_KUBE_LINE_TYPE_COUNT,
               "a name for each type of line");

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

int skr_kube_line_parse(json_t *root, enum skr_kube_line_type *ret_type, json_t **ret_object,
                        struct skr_error *error)
{
    const char *type = skr_object_text(root, "type");
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
        .namespace_ = skr_object_text(metadata, "namespace"),
        .name = skr_object_text(metadata, "name"),
        .uid = skr_object_text(metadata, "uid"),
        .version_text = skr_object_text(metadata, "resourceVersion"),
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
    if (!json_is_object(json) || strcmp(skr_object_text(json, "kind"), "Status") != 0) {
        return false;
    }
    json_int_t code = json_integer_value(json_object_get(json, "code"));
    *ret = (struct skr_kube_status){
        .code = code > 0 && code < 1000 ? (int)code : 0,
        .reason = skr_object_text(json, "reason"),
        .message = skr_object_text(json, "message"),
    };
    return true;
}

int skr_kube_decode(const struct skr_object_type *type, const json_t *object, struct skr_event *ret,
                    struct skr_error *error)
{
    struct skr_event event = {.kind = SKR_EVENT_UPSERT, .upsert = {.type = type}};
    int rc = type->decode(object, &event.upsert.object, error);
    if (rc == 0) {
        *ret = event;
    }
    return rc;
}

struct skr_event skr_kube_deleted(const struct skr_object_type *type, const char *namespace_,
                                  const char *name, const char *uid)
{
    return (struct skr_event){
        .kind = SKR_EVENT_DELETE,
        .deleted = {.type = type, .namespace_ = namespace_, .name = name, .uid = uid}};
}
