/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_STORE_SCHEMA_TABLES_H
#define SKR_SERVER_LAB_STORE_SCHEMA_TABLES_H
/* The fields of Kubernetes 1.36's kinds, to the extent described in schema.h; constant data. */
#include <stddef.h>

enum skr_schema_type {
    SKR_SCHEMA_STRING,
    SKR_SCHEMA_TIME,    /* RFC 3339 */
    SKR_SCHEMA_INTEGER, /* of 32 bits */
    SKR_SCHEMA_LONG,    /* of 64 bits */
    SKR_SCHEMA_BOOLEAN,
    SKR_SCHEMA_QUANTITY, /* string or number */
    SKR_SCHEMA_INT_OR_STRING,
    SKR_SCHEMA_STRINGS, /* a list of them */
    SKR_SCHEMA_STRING_MAP,
    SKR_SCHEMA_BYTES_MAP, /* base64 in JSON */
    SKR_SCHEMA_QUANTITY_MAP,
    SKR_SCHEMA_OBJECT, /* with the fields of */
    SKR_SCHEMA_LIST,   /* of such objects */
    SKR_SCHEMA_ANY_OBJECT,
    SKR_SCHEMA_ANY_LIST,
    SKR_SCHEMA_ANY,
};

struct skr_schema_field {
    const char *name; /* NULL ends a table */
    enum skr_schema_type type;
    const struct skr_schema_field *of; /* OBJECT, LIST */
    /* In the kind's protocol buffer (generated.proto of k8s.io/api); 0: not read from one. */
    int number;
};

/* The table of a kind of the store, or of Binding, Eviction, DeleteOptions; NULL: none. */
const struct skr_schema_field *skr_schema_of(const char *kind);

#endif
