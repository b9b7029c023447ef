/* SPDX-License-Identifier: Apache-2.0 */
/* Converts Events between two shapes: core/v1, in which they are stored, and events.k8s.io/v1
 * (kubernetes pkg/apis/events/v1/conversion.go). */
#include <string.h>

#include "server/lab/store/store_parts.h"

static const struct {
    const char *core;
    const char *events;
} names[] = {
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
};

static json_t *convert(const json_t *event, bool to_core)
{
    json_t *result = json_object();
    const char *key;
    json_t *value;
    json_object_foreach(skr_object_unconst(event), key, value)
    {
        const char *name = key;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (strcmp(key, to_core ? names[i].events : names[i].core) == 0) {
                name = to_core ? names[i].core : names[i].events;
            }
        }
        json_object_set(result, name, value);
    }
    json_object_set_new(result, "apiVersion", json_string(to_core ? "v1" : "events.k8s.io/v1"));
    return result;
}

json_t *skr_event_to_core(const json_t *event)
{
    return convert(event, true);
}

json_t *skr_event_from_core(const json_t *event)
{
    return convert(event, false);
}

/* Requirements of events.k8s.io/v1 beyond core/v1 (pkg/apis/core/validation/events.go). */
static void validate_new(const json_t *event, struct skr_causes *causes)
{
    static const char *const required[] = {"reportingComponent", "reportingInstance", "action",
                                           "reason"};
    const char *type = skr_path_text(event, "type");
    if (!skr_path_get(event, "eventTime")) {
        skr_causes_required(causes, "eventTime", "");
    }
    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        if (*skr_path_text(event, required[i]) == '\0') {
            skr_causes_required(causes, i == 0 ? "reportingController" : required[i], "");
        }
    }
    if (strlen(skr_path_text(event, "message")) > 1024) {
        skr_causes_invalid_text(causes, "message", "", "can have at most 1024 characters");
    }
    if (strcmp(type, "Normal") != 0 && strcmp(type, "Warning") != 0) {
        skr_causes_add(causes, "FieldValueInvalid", "type",
                       "Invalid value: \"%.60s\": has invalid value: %.60s", type, type);
    }
}

void skr_validate_event(const json_t *event, bool new_api, struct skr_causes *causes)
{
    const char *namespace_ = skr_path_text(event, "metadata.namespace");
    const char *involved = skr_path_text(event, "involvedObject.namespace");
    /* Events about objects without a namespace are stored in "default". */
    if (strcmp(*involved != '\0' ? involved : "default", namespace_) != 0 &&
        !(*involved == '\0' && strcmp(namespace_, "kube-system") == 0)) {
        skr_causes_invalid_text(causes, "involvedObject.namespace", involved,
                                "does not match event.namespace");
    }
    if (new_api) {
        validate_new(event, causes);
    }
}
