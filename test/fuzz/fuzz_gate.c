/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AdmissionReviews. An answer allows, carries the request's uid, and is a review itself; its patch
 * is the gate and nothing else, and a pod that has it is left alone.
 */
#include "core/pod/pod.h"
#include "server/http/gate.h"
#include "server/kube/base64.h"
#include "test/fuzz/fuzz.h"
#include "topology/base/json_field.h"

static const struct skr_gate_options options = {.n_scheduler_names = 2,
                                                .scheduler_name = {"sakkara", "other"}};

/* The operation of a patch, NULL: none. */
static json_t *patch_of(const json_t *response)
{
    struct skr_error error;
    SKR_AUTO_FREE char *text = NULL;
    size_t n = 0;
    const char *coded = skr_object_text(response, "patch");
    fuzz_check((*coded != '\0') ==
               (strcmp(skr_object_text(response, "patchType"), "JSONPatch") == 0));
    if (*coded == '\0') {
        return NULL;
    }
    fuzz_check(skr_base64_decode(coded, strlen(coded), &text, &n, &error) == 0);
    json_auto_t *patch = fuzz_json(text, n);
    fuzz_check(json_array_size(patch) == 1);
    return json_incref(json_array_get(patch, 0));
}

static void apply(json_t *review, const json_t *operation)
{
    json_t *spec =
        json_object_get(json_object_get(json_object_get(review, "request"), "object"), "spec");
    json_t *value = json_object_get(operation, "value");
    fuzz_check(strcmp(skr_object_text(operation, "op"), "add") == 0 && json_is_object(spec));
    if (strcmp(skr_object_text(operation, "path"), "/spec/schedulingGates/-") == 0) {
        json_t *gates = json_object_get(spec, "schedulingGates");
        fuzz_check(json_is_array(gates) && !strcmp(skr_object_text(value, "name"), SKR_GATE));
        json_array_append(gates, value);
    } else {
        const json_t *old = json_object_get(spec, "schedulingGates");
        fuzz_check(strcmp(skr_object_text(operation, "path"), "/spec/schedulingGates") == 0);
        fuzz_check(!json_is_array(old) && json_array_size(value) == 1);
        json_object_set(spec, "schedulingGates", value);
    }
}

/* The patch, NULL: none or no answer. */
static json_t *review_once(const char *body, size_t n)
{
    SKR_STRBUF(out);
    struct skr_error error;
    json_t *operation = NULL;
    int rc = skr_gate_review(&options, n % 2 == 1, body, n, &out, &error);
    fuzz_check_rc(rc, &error);
    if (rc == 0) {
        json_t *request = json_loadb(body, n, 0, NULL), *answer = fuzz_json(out.s, out.len);
        const json_t *response = json_object_get(answer, "response");
        fuzz_check(strcmp(skr_object_text(answer, "kind"), "AdmissionReview") == 0);
        fuzz_check(strcmp(skr_object_text(answer, "apiVersion"),
                          skr_object_text(request, "apiVersion")) == 0);
        fuzz_check(json_is_true(json_object_get(response, "allowed")));
        fuzz_check(strcmp(skr_object_text(response, "uid"),
                          skr_object_text(json_object_get(request, "request"), "uid")) == 0);
        operation = patch_of(response);
        json_decref(answer);
        json_decref(request);
    } else {
        fuzz_check(out.len == 0 && strchr(error.text, ':'));
    }
    return operation;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_auto_t *operation = review_once((const char *)data, size);
    if (operation) {
        json_auto_t *review = json_loadb((const char *)data, size, 0, NULL);
        apply(review, operation);
        SKR_AUTO_FREE char *patched = json_dumps(review, JSON_COMPACT);
        fuzz_check(patched);
        fuzz_check(!review_once(patched, strlen(patched)));
    }
    return 0;
}
