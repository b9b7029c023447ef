/* SPDX-License-Identifier: Apache-2.0 */
/* Builds Statuses and field errors. */
#include "server/lab/store/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/object/path.h"
#include "topology/base/strbuf.h"

enum { MESSAGE_MAX = 2048, VALUE_SHOWN = 512 };

static const char *reason_of(int code)
{
    static const struct {
        int code;
        const char *reason;
    } table[] = {
        {400, "BadRequest"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "NotFound"},
        {405, "MethodNotAllowed"},
        {406, "NotAcceptable"},
        {409, "Conflict"},
        {410, "Expired"},
        {413, "RequestEntityTooLarge"},
        {415, "UnsupportedMediaType"},
        {422, "Invalid"},
        {429, "TooManyRequests"},
        {500, "InternalError"},
        {501, "NotImplemented"},
        {503, "ServiceUnavailable"},
        {504, "Timeout"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].code == code) {
            return table[i].reason;
        }
    }
    return "";
}

json_t *skr_status_json(int code, const char *reason, const char *message, json_t *details)
{
    json_t *status = json_pack("{s:s, s:s, s:{}, s:s, s:s, s:s}", "kind", "Status", "apiVersion",
                               "v1", "metadata", "status", "Failure", "message", message, "reason",
                               reason ? reason : reason_of(code));
    if (!status) { /* the message is no UTF-8 */
        json_decref(details);
        return skr_status_json(code, reason, "the message is not valid UTF-8", NULL);
    }
    if (details) {
        json_object_set_new(status, "details", details);
    }
    json_object_set_new(status, "code", json_integer(code));
    return status;
}

const char *skr_status_plural(const struct skr_store_resource *resource, char text[128])
{
    (void)snprintf(text, 128, "%s%s%s", resource->plural, *resource->group != '\0' ? "." : "",
                   resource->group);
    return text;
}

static const char *status_kind(const struct skr_store_resource *resource, char text[128])
{
    (void)snprintf(text, 128, "%s%s%s", resource->kind, *resource->group != '\0' ? "." : "",
                   resource->group);
    return text;
}

static json_t *details_of(const struct skr_store_resource *resource, const char *name,
                          const char *kind)
{
    json_t *details = json_object();
    if (!resource) {
        return details;
    }
    if (name && *name != '\0') {
        json_object_set_new(details, "name", json_string(name));
    }
    if (*resource->group != '\0') {
        json_object_set_new(details, "group", json_string(resource->group));
    }
    json_object_set_new(details, "kind", json_string(kind));
    return details;
}

static void set_reply(struct skr_store_reply *reply, int code, json_t *body)
{
    json_decref(reply->body);
    reply->status = code;
    reply->body = body;
}

void skr_status_fail(struct skr_store_reply *reply, int code,
                     const struct skr_store_resource *resource, const char *name,
                     const char *format, ...)
{
    char message[MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    set_reply(reply, code,
              skr_status_json(code, NULL, message,
                              details_of(resource, name, resource ? resource->plural : "")));
}

void skr_status_fail_reason(struct skr_store_reply *reply, int code, const char *reason,
                            const struct skr_store_resource *resource, const char *name,
                            const char *format, ...)
{
    char message[MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    set_reply(reply, code,
              skr_status_json(code, reason, message,
                              details_of(resource, name, resource ? resource->plural : "")));
}

void skr_status_not_found(struct skr_store_reply *reply, const struct skr_store_resource *resource,
                          const char *name)
{
    char plural[128];
    skr_status_fail(reply, 404, resource, name, "%s \"%s\" not found",
                    skr_status_plural(resource, plural), name);
}

void skr_status_conflict(struct skr_store_reply *reply, const struct skr_store_resource *resource,
                         const char *name, const char *why)
{
    char plural[128];
    skr_status_fail(reply, 409, resource, name, "Operation cannot be fulfilled on %s \"%s\": %s",
                    skr_status_plural(resource, plural), name, why);
}

void skr_status_success(struct skr_store_reply *reply, int code)
{
    set_reply(reply, code,
              json_pack("{s:s, s:s, s:{}, s:s, s:i}", "kind", "Status", "apiVersion", "v1",
                        "metadata", "status", "Success", "code", code));
}

/* ---- field errors ---- */

void skr_causes_add(struct skr_causes *causes, const char *reason, const char *field,
                    const char *format, ...)
{
    char message[MESSAGE_MAX];
    va_list args;
    if (!causes->list) {
        causes->list = json_array();
    }
    if (json_array_size(causes->list) >= SKR_CAUSES_MAX) {
        return;
    }
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    json_t *cause =
        json_pack("{s:s, s:s, s:s}", "reason", reason, "message", message, "field", field);
    if (!cause) { /* cut in the middle of a character */
        cause = json_pack("{s:s, s:s, s:s}", "reason", reason, "message", "the value is not valid",
                          "field", field);
    }
    json_array_append_new(causes->list, cause);
}

void skr_causes_unless_one_of(struct skr_causes *causes, const char *field, const char *value,
                              const char *supported)
{
    const size_t n = strlen(value);
    const char *at = supported;
    while (at && !(strncmp(at + 1, value, n) == 0 && at[n + 1] == '"')) {
        at = strstr(at + 1, ", \"");
        at = at ? at + 2 : NULL;
    }
    if (!at) {
        skr_causes_add(causes, "FieldValueNotSupported", field,
                       "Unsupported value: \"%.60s\": supported values: %s", value, supported);
    }
}

void skr_causes_required(struct skr_causes *causes, const char *field, const char *what)
{
    skr_causes_add(causes, "FieldValueRequired", field, "Required value%s%s",
                   *what != '\0' ? ": " : "", what);
}

void skr_causes_forbidden(struct skr_causes *causes, const char *field, const char *why)
{
    skr_causes_add(causes, "FieldValueForbidden", field, "Forbidden: %s", why);
}

void skr_causes_invalid(struct skr_causes *causes, const char *field, const json_t *value,
                        const char *why)
{
    SKR_AUTO_FREE char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    skr_causes_add(causes, "FieldValueInvalid", field, "Invalid value: %.*s: %s", VALUE_SHOWN,
                   text ? text : "\"\"", why);
}

void skr_causes_invalid_text(struct skr_causes *causes, const char *field, const char *value,
                             const char *why)
{
    skr_causes_add(causes, "FieldValueInvalid", field, "Invalid value: \"%.*s\": %s", VALUE_SHOWN,
                   value, why);
}

bool skr_causes_fail(struct skr_causes *causes, struct skr_store_reply *reply,
                     const struct skr_store_resource *resource, const char *name)
{
    char kind[128];
    struct skr_strbuf message;
    const size_t n = json_array_size(causes->list);
    if (n == 0) {
        return false;
    }
    skr_strbuf_init(&message);
    skr_strbuf_addf(&message, "%s \"%s\" is invalid: %s", status_kind(resource, kind), name,
                    n > 1 ? "[" : "");
    for (size_t i = 0; i < n; i++) {
        const json_t *cause = json_array_get(causes->list, i);
        skr_strbuf_addf(&message, "%s%s: %s", i > 0 ? ", " : "", skr_path_text(cause, "field"),
                        skr_path_text(cause, "message"));
    }
    skr_strbuf_add(&message, n > 1 ? "]" : "");
    json_t *details = details_of(resource, name, resource->kind);
    json_object_set_new(details, "causes", causes->list);
    causes->list = NULL;
    set_reply(reply, 422, skr_status_json(422, NULL, message.s, details));
    skr_strbuf_fini(&message);
    return true;
}
