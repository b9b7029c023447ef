/* SPDX-License-Identifier: Apache-2.0 */
#include "core/spotmix/review_body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/base/json_count.h"
#include "topology/base/json_field.h"

/* NULL: none. */
static const char *flaw_of(const json_t *review)
{
    const json_t *request = json_object_get(review, "request");
    if (!json_is_object(review) ||
        strcmp(skr_object_text(review, "kind"), "AdmissionReview") != 0) {
        return "kind: must be AdmissionReview";
    }
    if (strcmp(skr_object_text(review, "apiVersion"), SKR_SPOTMIX_REVIEW_VERSION) != 0) {
        return "apiVersion: must be " SKR_SPOTMIX_REVIEW_VERSION;
    }
    if (!json_is_object(request)) {
        return "request: must be an object";
    }
    return *skr_object_text(request, "uid") == '\0' ? "request.uid: missing" : NULL;
}

static json_t *parse(const char *text, size_t len, char *flaw, size_t size)
{
    json_error_t where;
    if (len > SKR_SPOTMIX_BODY_MAX) {
        (void)snprintf(flaw, size, "AdmissionReview: %zu bytes, at most %d are read", len,
                       (int)SKR_SPOTMIX_BODY_MAX);
        return NULL;
    }
    if (skr_json_has_more_values(text, len, SKR_SPOTMIX_REVIEW_VALUES_MAX)) {
        (void)snprintf(flaw, size, "AdmissionReview: more than %d JSON values",
                       (int)SKR_SPOTMIX_REVIEW_VALUES_MAX);
        return NULL;
    }
    json_t *review = json_loadb(text, len, JSON_ALLOW_NUL, &where);
    if (!review) {
        (void)snprintf(flaw, size, "AdmissionReview: line %d, column %d: %s", where.line,
                       where.column, where.text);
    }
    return review;
}

struct skr_spotmix_body *skr_spotmix_body_read(const char *text, size_t len)
{
    struct skr_spotmix_body *body = skr_alloc(sizeof *body);
    body->refs = 1;
    body->review = parse(text, len, body->flaw, sizeof body->flaw);
    const char *flaw = body->review ? flaw_of(body->review) : NULL;
    if (flaw) {
        (void)snprintf(body->flaw, sizeof body->flaw, "%s", flaw);
        json_decref(body->review);
        body->review = NULL;
    }
    return body;
}

struct skr_spotmix_body *skr_spotmix_body_ref(struct skr_spotmix_body *body)
{
    body->refs++;
    return body;
}

void skr_spotmix_body_unref(struct skr_spotmix_body *body)
{
    if (body && --body->refs == 0) {
        json_decref(body->review);
        free(body);
    }
}
