/* SPDX-License-Identifier: Apache-2.0 */
/* Parts shared by the steps of all calls: body, selectors, preconditions, the reply's object. */
#include <string.h>

#include "server/lab/store/store_parts.h"

struct skr_shelf_item *skr_store_find_asked(struct skr_store_call *call)
{
    const struct skr_store_request *request = call->request;
    struct skr_shelf_item *item =
        skr_store_find(call->store, call->resource, request->namespace_, request->name);
    if (!item) {
        skr_status_not_found(call->reply, call->asked, request->name);
    }
    return item;
}

bool skr_store_check_body(struct skr_store_call *call, const json_t *known)
{
    if (!json_is_object(call->request->body)) {
        skr_status_fail(call->reply, 400, NULL, NULL,
                        "the object provided is unrecognized (must be of type %s): it is no JSON "
                        "object",
                        call->asked->kind);
        return false;
    }
    if (!call->request->given && skr_path_too_deep_beside(call->request->body, known)) {
        skr_status_fail(call->reply, 400, NULL, NULL, "the body is nested deeper than %d levels",
                        SKR_PATH_DEPTH_MAX);
        return false;
    }
    return true;
}

bool skr_store_selectors(struct skr_store_call *call, struct skr_selector **ret_labels,
                         struct skr_selector **ret_fields)
{
    struct skr_error error = {.code = SKR_OK};
    struct skr_selector *labels = NULL;
    int rc = skr_selector_parse_labels(call->request->label_selector, &labels, &error);
    if (rc == 0) {
        rc = skr_selector_parse_fields(call->request->field_selector, call->resource->kind,
                                       ret_fields, &error);
    }
    if (rc != 0) {
        skr_selector_destroy(labels);
        skr_status_fail(call->reply, 400, NULL, NULL, "%s", error.text);
        return false;
    }
    *ret_labels = labels;
    return true;
}

bool skr_store_preconditions(struct skr_store_call *call, const json_t *object,
                             const json_t *options)
{
    static const struct {
        const char *wanted, *field, *what;
    } table[] = {{"preconditions.uid", "metadata.uid", "UID"},
                 {"preconditions.resourceVersion", "metadata.resourceVersion", "ResourceVersion"}};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *wanted = skr_path_text(options, table[i].wanted);
        const char *is = skr_path_text(object, table[i].field);
        if (skr_path_get(options, table[i].wanted) && strcmp(wanted, is) != 0) {
            skr_status_fail(
                call->reply, 409, call->asked, skr_path_text(object, "metadata.name"),
                "Operation cannot be fulfilled on %s \"%s\": the %s in the precondition "
                "(%.80s) does not match the %s in record (%s). The object might have "
                "been %s",
                call->asked->kind, skr_path_text(object, "metadata.name"), table[i].what, wanted,
                table[i].what, is, i == 0 ? "deleted and then recreated" : "modified");
            return false;
        }
    }
    return true;
}

/* The most bytes that the value takes as JSON: a control character takes six. */
static size_t most_bytes(const json_t *value)
{
    enum { ESCAPED = 6, AROUND = 4, NUMBER = 32 };
    json_t *map = skr_object_unconst(value), *child;
    size_t i, n = AROUND;
    switch (json_typeof(value)) {
    case JSON_STRING:
        return ESCAPED * json_string_length(value) + AROUND;
    case JSON_OBJECT:
        for (void *at = json_object_iter(map); at; at = json_object_iter_next(map, at)) {
            n += ESCAPED * strlen(json_object_iter_key(at)) + AROUND;
            n += most_bytes(json_object_iter_value(at));
        }
        return n;
    case JSON_ARRAY:
        json_array_foreach(value, i, child)
        {
            n += AROUND + most_bytes(child);
        }
        return n;
    case JSON_INTEGER:
    case JSON_REAL:
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
    default:
        return NUMBER;
    }
}

bool skr_store_check_size(struct skr_store_call *call, const json_t *object)
{
    if (most_bytes(object) <= SKR_STORE_OBJECT_BYTES_MAX ||
        json_dumpb(object, NULL, 0, JSON_COMPACT) <= SKR_STORE_OBJECT_BYTES_MAX) {
        return true;
    }
    skr_status_fail(call->reply, 413, NULL, NULL, "Request entity too large: limit is %d",
                    SKR_STORE_OBJECT_BYTES_MAX);
    return false;
}

void skr_store_reply_object(struct skr_store_call *call, int status, const json_t *object)
{
    json_decref(call->reply->body);
    call->reply->status = status;
    call->reply->body = skr_store_present(call->asked, object);
}
