/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of the API server (k8s.io/apimachinery metav1.WatchEvent, Status, ObjectMeta) to events. */
#include "server/kube/decode.h"

#include <string.h>

#include "topology/base/json_field.h"
#include "topology/base/json_tree.h"

int skr_kube_not_json(const struct skr_json_reader *reader, size_t from, struct skr_error *error)
{
    size_t line = 1, begin = from;
    for (size_t i = from; i < reader->pos && i < reader->len; i++) {
        if (reader->text[i] == '\n') {
            line++;
            begin = i + 1;
        }
    }
    return skr_error_set(error, SKR_INVALID, "not JSON: %zu:%zu: %s", line, reader->pos - begin + 1,
                         reader->what);
}

int skr_kube_json_parse(const char *text, size_t n, json_t **ret, struct skr_error *error)
{
    SKR_JSON_READER(reader);
    const struct skr_json *value;
    if (skr_json_read_text(&reader, text, n, &value, NULL) < 0) {
        return skr_kube_not_json(&reader, 0, error);
    }
    *ret = skr_json_tree(value);
    return *ret ? 0 : skr_error_set(error, SKR_NO_MEMORY, "JSON: out of memory");
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

void skr_kube_name_add(struct skr_strbuf *memory, const struct skr_json *name)
{
    if (name && name->type == SKR_JSON_STRING) {
        skr_strbuf_addn(memory, name->text, name->n);
    }
    skr_strbuf_addn(memory, "", 1);
}

int skr_kube_names_take(const struct skr_strbuf *memory, struct skr_kube_identity *ret,
                        struct skr_error *error)
{
    const char *name[SKR_KUBE_NAMES];
    const char *at = memory->s;
    for (size_t i = 0; i < SKR_KUBE_NAMES; i++) {
        name[i] = at;
        at += strlen(at) + 1;
    }
    *ret = (struct skr_kube_identity){.namespace_ = name[0],
                                      .name = name[1],
                                      .uid = name[2],
                                      .version_text = name[3],
                                      .version = skr_kube_version_parse(name[3])};
    return ret->name[0] != '\0'
               ? 0
               : skr_error_set(error, SKR_INVALID, "an object without metadata.name");
}

int skr_kube_identity_read(const struct skr_json *object, struct skr_strbuf *memory,
                           struct skr_kube_identity *ret, struct skr_error *error)
{
    static const char *const key[SKR_KUBE_NAMES] = {"namespace", "name", "uid", "resourceVersion"};
    const struct skr_json *name[SKR_KUBE_NAMES];
    skr_json_members(skr_json_get(object, "metadata"), key, SKR_KUBE_NAMES, name);
    skr_strbuf_reset(memory);
    for (size_t i = 0; i < SKR_KUBE_NAMES; i++) {
        skr_kube_name_add(memory, name[i]);
    }
    return skr_kube_names_take(memory, ret, error);
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
