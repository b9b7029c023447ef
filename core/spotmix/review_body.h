/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_REVIEW_BODY_H
#define SKR_CORE_SPOTMIX_REVIEW_BODY_H
/*
 * The body of a review, read. Reading costs what its values are, and the sender chooses them: so the
 * thread of the listener does it, never that of the engine. The values are counted first, while
 * nothing has been allocated for them.
 */
#include <jansson.h>

#include "topology/base/attr.h"

#define SKR_SPOTMIX_REVIEW_VERSION "admission.k8s.io/v1"

enum {
    /* An API server accepts no larger object. */
    SKR_SPOTMIX_BODY_MAX = 3 * 1024 * 1024,
    /* Keys and values. A pod with 1,000 terms of ten requirements has 80,000. */
    SKR_SPOTMIX_REVIEW_VALUES_MAX = 100000,
    SKR_SPOTMIX_FLAW_MAX = 320, /* bytes of a flaw with its NUL */
};

/* One thread at a time. */
struct skr_spotmix_body {
    json_t *review;                  /* an AdmissionReview with a request; NULL: */
    char flaw[SKR_SPOTMIX_FLAW_MAX]; /* why there is none */
    unsigned refs;
};

/* Never NULL. O(len). skr_spotmix_body_unref() */
struct skr_spotmix_body *skr_spotmix_body_read(const char *text, size_t len);
struct skr_spotmix_body *skr_spotmix_body_ref(struct skr_spotmix_body *body);
void skr_spotmix_body_unref(struct skr_spotmix_body *body); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_spotmix_body, skr_spotmix_body_unref)

#endif
