/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_STORE_STATUS_H
#define SKR_SERVER_LAB_STORE_STATUS_H
/*
 * metav1.Status, in kube-apiserver's words (apimachinery pkg/api/errors), and lists of field errors
 * that become one Status with 422.
 */
#include "server/lab/store/store.h"

/* {"kind":"Status",...,"status":"Failure"}, with the code's reason. details: taken, NULL
 * allowed. */
json_t *skr_status_json(int code, const char *reason, const char *message, json_t *details);

/* Fills the reply, replaces its body. resource, name: for details; NULL allowed. */
void skr_status_fail(struct skr_store_reply *reply, int code,
                     const struct skr_store_resource *resource, const char *name,
                     const char *format, ...) SKR_PRINTF(5, 6);
/* The same with another reason, such as AlreadyExists. */
void skr_status_fail_reason(struct skr_store_reply *reply, int code, const char *reason,
                            const struct skr_store_resource *resource, const char *name,
                            const char *format, ...) SKR_PRINTF(6, 7);
/* PLURAL.GROUP "NAME" not found. */
void skr_status_not_found(struct skr_store_reply *reply, const struct skr_store_resource *resource,
                          const char *name);
/* Operation cannot be fulfilled on ... */
void skr_status_conflict(struct skr_store_reply *reply, const struct skr_store_resource *resource,
                         const char *name, const char *why);
/* Success, such as of a Binding. */
void skr_status_success(struct skr_store_reply *reply, int code);

/* PLURAL or PLURAL.GROUP; KIND or KIND.GROUP. */
const char *skr_status_plural(const struct skr_store_resource *resource, char text[128]);

/* ---- field errors ---- */

enum { SKR_CAUSES_MAX = 32 }; /* of one object; further ones are not reported */

struct skr_causes {
    json_t *list; /* NULL if it is empty */
};

/* reason: FieldValueInvalid, FieldValueRequired, FieldValueForbidden, FieldValueNotSupported,
 * FieldValueDuplicate. */
void skr_causes_add(struct skr_causes *causes, const char *reason, const char *field,
                    const char *format, ...) SKR_PRINTF(4, 5);
/* Adds a cause unless value is one of supported ("\"A\", \"B\""). */
void skr_causes_unless_one_of(struct skr_causes *causes, const char *field, const char *value,
                              const char *supported);
void skr_causes_required(struct skr_causes *causes, const char *field, const char *what);
void skr_causes_forbidden(struct skr_causes *causes, const char *field, const char *why);
/* value: any JSON, borrowed; NULL is the empty string. */
void skr_causes_invalid(struct skr_causes *causes, const char *field, const json_t *value,
                        const char *why);
void skr_causes_invalid_text(struct skr_causes *causes, const char *field, const char *value,
                             const char *why);
/* If there are causes: fills the reply with 422, empties the list, returns true. */
bool skr_causes_fail(struct skr_causes *causes, struct skr_store_reply *reply,
                     const struct skr_store_resource *resource, const char *name);

#endif
