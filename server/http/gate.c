/* SPDX-License-Identifier: Apache-2.0 */
/* AdmissionReview in, AdmissionReview out. The patch is RFC 6902 in base64 (RFC 4648), as
 * admission.k8s.io/v1 demands. */
#include "server/http/gate.h"

#include <jansson.h>
#include <microhttpd.h>
#include <string.h>

#include "core/group/workload.h"
#include "server/http/review_text.h"
#include "topology/base/base64.h"
#include "topology/base/json_count.h"

#define REVIEW_VERSION "admission.k8s.io/v1"

struct skr_gate {
    struct skr_gate_options options;
    struct skr_listener *listener;
};

static const char *string_at(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

static bool has_value(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return value && !json_is_null(value);
}

static bool is_ours(const struct skr_gate_options *options, const json_t *spec)
{
    const char *name = string_at(spec, "schedulerName");
    for (size_t i = 0; i < options->n_scheduler_names; i++) {
        if (strcmp(name, options->scheduler_name[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_gate(json_t *gates)
{
    size_t i;
    json_t *gate;
    json_array_foreach(gates, i, gate)
    {
        if (strcmp(string_at(gate, "name"), SKR_GATE) == 0) {
            return true;
        }
    }
    return false;
}

/* By label, by its PodGroup of scheduling.k8s.io, or by its workload. */
static bool is_member(const json_t *pod)
{
    const json_t *metadata = json_object_get(pod, "metadata");
    const json_t *labels = json_object_get(metadata, "labels");
    const char *gang = string_at(json_object_get(metadata, "annotations"), SKR_ANNOTATION_GANG);
    return has_value(labels, SKR_LABEL_GROUP) || has_value(labels, SKR_LABEL_POD_GROUP) ||
           (strcmp(gang, "off") != 0 &&
            (*gang || has_value(json_object_get(pod, "spec"), "schedulingGroup")));
}

/* Of a namespace whose pods are gangs without an annotation. */
static bool is_owned(const json_t *pod)
{
    const json_t *metadata = json_object_get(pod, "metadata");
    return json_array_size(json_object_get(metadata, "ownerReferences")) > 0 &&
           !has_value(json_object_get(metadata, "annotations"), SKR_ANNOTATION_GANG);
}

static bool wants_gate(const struct skr_gate_options *options, bool owned, const json_t *request)
{
    const json_t *pod = json_object_get(request, "object");
    const json_t *spec = json_object_get(pod, "spec");
    const json_t *kind = json_object_get(request, "kind");
    return strcmp(string_at(request, "operation"), "CREATE") == 0 &&
           strcmp(string_at(kind, "kind"), "Pod") == 0 && string_at(kind, "group")[0] == 0 &&
           string_at(request, "subResource")[0] == 0 && is_ours(options, spec) &&
           (is_member(pod) || (owned && is_owned(pod))) && string_at(spec, "nodeName")[0] == 0 &&
           !has_gate(json_object_get(spec, "schedulingGates"));
}

/* "add" to a missing or null list makes the list; "-" appends to one that is there. */
static const char *patch(const json_t *request)
{
    const json_t *spec = json_object_get(json_object_get(request, "object"), "spec");
    if (json_is_array(json_object_get(spec, "schedulingGates"))) {
        return "[{\"op\":\"add\",\"path\":\"/spec/schedulingGates/-\","
               "\"value\":{\"name\":\"" SKR_GATE "\"}}]";
    }
    return "[{\"op\":\"add\",\"path\":\"/spec/schedulingGates\","
           "\"value\":[{\"name\":\"" SKR_GATE "\"}]}]";
}

static int check_review(const json_t *review, struct skr_error *error)
{
    if (!json_is_object(review)) {
        return skr_error_set(error, SKR_INVALID, "AdmissionReview: must be an object");
    }
    if (strcmp(string_at(review, "kind"), "AdmissionReview") != 0) {
        return skr_error_set(error, SKR_INVALID, "kind: must be AdmissionReview, got \"%s\"",
                             string_at(review, "kind"));
    }
    if (strcmp(string_at(review, "apiVersion"), REVIEW_VERSION) != 0) {
        return skr_error_set(error, SKR_INVALID,
                             "apiVersion: must be " REVIEW_VERSION ", got \"%s\"",
                             string_at(review, "apiVersion"));
    }
    const json_t *request = json_object_get(review, "request");
    if (!json_is_object(request)) {
        return skr_error_set(error, SKR_INVALID, "request: must be an object");
    }
    if (string_at(request, "uid")[0] == 0) {
        return skr_error_set(error, SKR_INVALID, "request.uid: missing");
    }
    return 0;
}

int skr_gate_review(const struct skr_gate_options *options, bool owned, const char *body,
                    size_t len, struct skr_strbuf *out, struct skr_error *error)
{
    json_error_t where;
    size_t n = 0;
    SKR_AUTO_FREE char *shorter = skr_review_text_shorten(body, len, &n);
    const char *text = shorter ? shorter : body;
    n = shorter ? n : len;
    if (skr_json_has_more_values(text, n, SKR_GATE_VALUES_MAX)) {
        return skr_error_set(error, SKR_INVALID, "AdmissionReview: more than %d JSON values",
                             (int)SKR_GATE_VALUES_MAX);
    }
    json_auto_t *review = json_loadb(text, n, 0, &where);
    if (!review) {
        return skr_error_set(error, SKR_INVALID, "AdmissionReview: line %d, column %d: %s",
                             where.line, where.column, where.text);
    }
    const int rc = check_review(review, error);
    if (rc == 0) {
        const json_t *request = json_object_get(review, "request");
        skr_strbuf_add(out, "{\"apiVersion\":\"" REVIEW_VERSION "\",\"kind\":\"AdmissionReview\","
                            "\"response\":{\"uid\":");
        skr_strbuf_add_json(out, string_at(request, "uid"));
        skr_strbuf_add(out, ",\"allowed\":true");
        if (wants_gate(options, owned, request)) {
            skr_strbuf_add(out, ",\"patchType\":\"JSONPatch\",\"patch\":\"");
            const char *operations = patch(request);
            skr_strbuf_add_base64(out, operations, strlen(operations));
            skr_strbuf_addc(out, '"');
        }
        skr_strbuf_add(out, "}}");
    }
    return rc;
}

/* ---- the listener ---- */

static void refuse(struct skr_gate *gate, struct skr_http_request *request, unsigned status,
                   const char *why)
{
    SKR_STRBUF(out);
    skr_http_logf(&gate->options.log, SKR_HTTP_LOG_WARNING, "Admission review was malformed: %s",
                  why);
    skr_strbuf_addf(&out, "%s\n", why);
    skr_http_reply_buffer(request, status, SKR_HTTP_TEXT, &out);
}

static void on_handle(void *context, struct skr_http_request *request)
{
    struct skr_gate *gate = context;
    struct skr_error error = {0};
    SKR_STRBUF(out);
    const bool owned = strcmp(request->path, "/v1/gate/namespaces") == 0;
    if (!owned && strcmp(request->path, "/v1/gate") != 0) {
        skr_http_reply_not_found(request);
        return;
    }
    request->handler = "gate";
    if (!skr_http_allows(request, MHD_HTTP_METHOD_POST)) {
        return;
    }
    if (request->too_large) {
        refuse(gate, request, MHD_HTTP_CONTENT_TOO_LARGE, "AdmissionReview: body is too large");
    } else if (skr_gate_review(&gate->options, owned, request->body ? request->body : "",
                               request->body_len, &out, &error) != 0) {
        refuse(gate, request, MHD_HTTP_BAD_REQUEST, error.text);
    } else {
        skr_http_reply_buffer(request, MHD_HTTP_OK, SKR_HTTP_JSON, &out);
    }
}

int skr_gate_create(const struct skr_gate_options *options, struct skr_gate **ret,
                    struct skr_error *error)
{
    struct skr_gate *gate = skr_alloc(sizeof *gate);
    struct skr_listener_options listener;
    skr_bug_on(options->n_scheduler_names > SKR_SCHEDULER_NAMES_MAX);
    gate->options = *options;
    skr_listener_options_default(&listener);
    listener.name = "gate";
    listener.address = options->listen;
    listener.tls = options->tls;
    listener.log = options->log;
    listener.metrics = options->metrics;
    listener.connections_max = 256;
    listener.per_address_max = 128; /* a pod alone does not fill the listener */
    listener.body_max = SKR_GATE_BODY_MAX;
    listener.bodies_max = 64 * 1024 * 1024;
    listener.stop_timeout_ms = 1000;
    listener.handler = (struct skr_http_handler){.context = gate, .handle = on_handle};
    const int rc = skr_listener_create(&listener, &gate->listener, error);
    if (rc != 0) {
        free(gate);
        return rc;
    }
    *ret = gate;
    return 0;
}

struct skr_listener *skr_gate_listener(struct skr_gate *gate)
{
    return gate ? gate->listener : NULL;
}

void skr_gate_destroy(struct skr_gate *gate)
{
    if (!gate) {
        return;
    }
    skr_listener_destroy(gate->listener);
    free(gate);
}
