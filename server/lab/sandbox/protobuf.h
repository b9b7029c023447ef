/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_PROTOBUF_H
#define SKR_SERVER_LAB_SANDBOX_PROTOBUF_H
/*
 * Bodies as protocol buffers: application/vnd.kubernetes.protobuf, "k8s\0" and a runtime.Unknown
 * (apimachinery pkg/runtime/serializer/protobuf). kubectl 1.33 and 1.36 send `kubectl create KIND`
 * and drain's evictions in this form without negotiation, and fail on 415. Converts them to the
 * same JSON, by the numbers in schema_tables.c; answers are always JSON. Pure.
 */
#include <jansson.h>
#include <stddef.h>

#include "topology/base/error.h"

/* *ret: json_decref(). A status in the body is left out: creations have none. Errors: SKR_INVALID
 * with the field that is malformed or unsupported. */
int skr_protobuf_parse(const char *bytes, size_t n, json_t **ret, struct skr_error *error);

#endif
