/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_DECODE_H
#define SKR_SERVER_KUBE_DECODE_H
/*
 * Bytes of the API server to JSON, JSON to events of an engine, by the decoder of the type it
 * asked for. Nothing here keeps state.
 */
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "core/frame/event.h"
#include "topology/base/error.h"

/* Who an object is; all borrowed from the JSON. Absent strings are "". */
struct skr_kube_identity {
    const char *namespace_;
    const char *name;
    const char *uid;
    const char *version_text; /* metadata.resourceVersion as it came */
    uint64_t version;         /* the same as a number; 0 when it is none */
};

/* What metav1.Status says; borrowed. */
struct skr_kube_status {
    int code; /* 0 when absent */
    const char *reason;
    const char *message;
};

enum skr_kube_line_type {
    SKR_KUBE_LINE_ADDED,
    SKR_KUBE_LINE_MODIFIED,
    SKR_KUBE_LINE_DELETED,
    SKR_KUBE_LINE_BOOKMARK,
    SKR_KUBE_LINE_ERROR,
    SKR_KUBE_LINE_UNKNOWN, /* of a later API: skipped */
    SKR_KUBE_LINE_TYPE_COUNT
};

/* One JSON document, without managedFields and with the replacement character for NUL (prune.h).
 * *ret: json_decref(). SKR_INVALID with line, column and what is wrong. */
int skr_kube_json_parse(const char *text, size_t n, json_t **ret, struct skr_error *error);

/* {"type":…,"object":{…}}. *ret_object is borrowed from root. SKR_INVALID. */
int skr_kube_line_parse(json_t *root, enum skr_kube_line_type *ret_type, json_t **ret_object,
                        struct skr_error *error);

/* SKR_INVALID when there is no name. Cost O(1). */
int skr_kube_identity_parse(const json_t *object, struct skr_kube_identity *ret,
                            struct skr_error *error);
/* false when the JSON is no Status. json NULL is allowed. */
bool skr_kube_status_parse(const json_t *json, struct skr_kube_status *ret);

/* An upsert event that owns the decoded object. Errors of the type's decoder. */
int skr_kube_decode(const struct skr_object_type *type, const json_t *object, struct skr_event *ret,
                    struct skr_error *error);
/* A delete event; borrows the strings. */
struct skr_event skr_kube_deleted(const struct skr_object_type *type, const char *namespace_,
                                  const char *name, const char *uid);

/* Decimal digits only; 0 for anything else. */
uint64_t skr_kube_version_parse(const char *text);

#endif
