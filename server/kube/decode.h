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
#include "topology/base/json.h"
#include "topology/base/strbuf.h"

/* Which object it is; all borrowed. Absent strings are "". */
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

/* One JSON document as a tree (topology/base/json.h says what becomes of managedFields and NUL). *ret:
 * json_decref(). SKR_INVALID "not JSON: LINE:COLUMN: WHAT". */
int skr_kube_json_parse(const char *text, size_t n, json_t **ret, struct skr_error *error);

/* The same words for what the reader found in the value that begins at from. */
int skr_kube_not_json(const struct skr_json_reader *reader, size_t from, struct skr_error *error);

/* namespace, name, uid, resourceVersion; in this order. */
enum { SKR_KUBE_NAMES = 4 };
/* *ret is borrowed from memory, also on error. SKR_INVALID: there is no name. */
int skr_kube_identity_read(const struct skr_json *object, struct skr_strbuf *memory,
                           struct skr_kube_identity *ret, struct skr_error *error);
/* The same in parts: the names one after the other, NULL or what is no string for none; then all. */
void skr_kube_name_add(struct skr_strbuf *memory, const struct skr_json *name);
int skr_kube_names_take(const struct skr_strbuf *memory, struct skr_kube_identity *ret,
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
