/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the wire format: fields as (number << 3 | wire type) varints, lengths before bytes. Go's
 * encoder writes empty values of non-pointer fields, which JSON leaves out. Therefore empty
 * strings, zero times and false are dropped, and zero where it has no meaning.
 */
#include "server/lab/sandbox/protobuf.h"

#include <stdio.h>
#include <string.h>

#include "server/lab/store/schema_tables.h"
#include "topology/base/base64.h"
#include "topology/base/strbuf.h"
#include "topology/object.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

struct input {
    const unsigned char *at;
    const unsigned char *end;
};

struct field {
    uint64_t number;
    unsigned wire;
    uint64_t value;     /* VARINT */
    struct input bytes; /* BYTES */
};

struct reader {
    const char *kind;
    struct skr_error *error;
};

static int malformed(const struct reader *r, const char *what)
{
    return skr_error_set(r->error, SKR_INVALID, "%s: protocol buffer: %s is malformed", r->kind,
                         what);
}

static bool take_varint(struct input *in, uint64_t *ret)
{
    *ret = 0;
    for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
        const unsigned char byte = *in->at++;
        *ret |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return true;
        }
    }
    return false;
}

static bool skip(struct input *in, size_t n)
{
    if ((size_t)(in->end - in->at) < n) {
        return false;
    }
    in->at += n;
    return true;
}

static bool take_field(struct input *in, struct field *ret)
{
    uint64_t tag;
    if (!take_varint(in, &tag)) {
        return false;
    }
    *ret = (struct field){.number = tag >> 3, .wire = (unsigned)(tag & 7)};
    switch (ret->wire) {
    case VARINT:
        return take_varint(in, &ret->value);
    case BYTES:
        if (!take_varint(in, &ret->value) || ret->value > (uint64_t)(in->end - in->at)) {
            return false;
        }
        ret->bytes = (struct input){in->at, in->at + ret->value};
        return skip(in, (size_t)ret->value);
    case FIXED64:
        return skip(in, 8);
    case FIXED32:
        return skip(in, 4);
    default:
        return false;
    }
}

/* NULL: not UTF-8. */
static json_t *text_of(const struct input *in)
{
    return json_stringn((const char *)in->at, (size_t)(in->end - in->at));
}

static bool is_empty(const struct input *in)
{
    return in->at == in->end;
}

/* ---- small messages ---- */

/* Time and MicroTime: seconds 1, nanos 2. The zero time is dropped. */
static json_t *time_of(struct input in)
{
    struct field field;
    int64_t seconds = 0, nanos = 0;
    char text[40];
    while (!is_empty(&in)) {
        if (!take_field(&in, &field) || field.wire != VARINT) {
            return NULL;
        }
        if (field.number == 1) {
            seconds = (int64_t)field.value;
        } else if (field.number == 2) {
            nanos = (int64_t)field.value;
        }
    }
    if (seconds > INT64_MAX / SKR_SECOND - 1 || seconds < 0 || nanos < 0 || nanos >= SKR_SECOND) {
        return NULL;
    }
    skr_time_write(seconds * SKR_SECOND + nanos, 0, text, sizeof text);
    return json_string(text);
}

/* Quantity: string 1. */
static json_t *quantity_of(struct input in)
{
    struct field field;
    json_t *text = NULL;
    while (!is_empty(&in)) {
        if (!take_field(&in, &field)) {
            break;
        }
        if (field.number == 1 && field.wire == BYTES) {
            json_decref(text);
            text = text_of(&field.bytes);
        }
    }
    return text;
}

/* IntOrString: type 1 (0 the number, 1 the string), intVal 2, strVal 3. */
static json_t *int_or_string_of(struct input in)
{
    struct field field;
    uint64_t type = 0, number = 0;
    struct input text = {NULL, NULL};
    while (!is_empty(&in)) {
        if (!take_field(&in, &field)) {
            return NULL;
        }
        if (field.number == 1) {
            type = field.value;
        } else if (field.number == 2) {
            number = field.value;
        } else if (field.number == 3 && field.wire == BYTES) {
            text = field.bytes;
        }
    }
    return type == 0 ? json_integer((json_int_t)number) : text_of(&text);
}

static json_t *base64_of(const struct input *in)
{
    SKR_STRBUF(b);

    skr_strbuf_add(&b, "");
    skr_strbuf_add_base64(&b, in->at, (size_t)(in->end - in->at));
    return json_string(b.s);
}

/* Adds an entry of a map, key 1, value 2, to the object. */
static bool add_entry(json_t *map, struct input in, enum skr_schema_type type)
{
    struct field field;
    char key[512] = "";
    json_t *value = NULL;
    while (!is_empty(&in)) {
        if (!take_field(&in, &field) || field.wire != BYTES) {
            json_decref(value);
            return false;
        }
        if (field.number == 1) {
            const size_t n = (size_t)(field.bytes.end - field.bytes.at);
            if (n >= sizeof key) {
                json_decref(value);
                return false;
            }
            memcpy(key, field.bytes.at, n);
            key[n] = '\0';
        } else if (field.number == 2) {
            json_decref(value);
            value = type == SKR_SCHEMA_QUANTITY_MAP ? quantity_of(field.bytes)
                    : type == SKR_SCHEMA_BYTES_MAP  ? base64_of(&field.bytes)
                                                    : text_of(&field.bytes);
        }
    }
    value = value ? value : json_string("");
    return json_object_set_new(map, key, value) == 0;
}

/* ---- objects ---- */

static json_t *member(json_t *object, const char *name, bool array)
{
    if (!json_object_get(object, name)) {
        json_object_set_new(object, name, array ? json_array() : json_object());
    }
    return json_object_get(object, name);
}

static int read_object(const struct reader *r, struct input in,
                       const struct skr_schema_field *fields, json_t *object);

/* Whether zero is Go's value for an unset field. */
static bool zero_means_nothing(const char *name)
{
    static const char *const names[] = {
        "generation", "hostPort",           "minReadySeconds", "weight",
        "count",      "observedGeneration", "nodePort",        "healthCheckNodePort"};
    return skr_names_include(names, sizeof names / sizeof *names, name);
}

static void read_number(const struct skr_schema_field *field, uint64_t value, json_t *object)
{
    if (field->type == SKR_SCHEMA_BOOLEAN) {
        if (value != 0) {
            json_object_set_new(object, field->name, json_true());
        }
    } else if (value != 0 || !zero_means_nothing(field->name)) {
        json_object_set_new(object, field->name, json_integer((json_int_t)value));
    }
}

static int read_part(const struct reader *r, struct input in, const struct skr_schema_field *field,
                     json_t *object)
{
    json_t *part = json_object();
    const int rc = read_object(r, in, field->of, part);
    if (rc != 0) {
        json_decref(part);
    } else if (field->type == SKR_SCHEMA_LIST) {
        json_array_append_new(member(object, field->name, true), part);
    } else {
        json_object_set_new(object, field->name, part);
    }
    return rc;
}

/* value: taken; NULL: malformed. */
static int set_value(const struct reader *r, const struct skr_schema_field *field, json_t *object,
                     json_t *value)
{
    return value && json_object_set_new(object, field->name, value) == 0
               ? 0
               : malformed(r, field->name);
}

static int read_bytes(const struct reader *r, struct input in, const struct skr_schema_field *field,
                      json_t *object)
{
    switch (field->type) {
    case SKR_SCHEMA_STRING:
        return is_empty(&in) ? 0 : set_value(r, field, object, text_of(&in));
    case SKR_SCHEMA_TIME:
        return is_empty(&in) ? 0 : set_value(r, field, object, time_of(in));
    case SKR_SCHEMA_INT_OR_STRING:
        return set_value(r, field, object, int_or_string_of(in));
    case SKR_SCHEMA_QUANTITY:
        return set_value(r, field, object, quantity_of(in));
    case SKR_SCHEMA_STRINGS:
        return json_array_append_new(member(object, field->name, true), text_of(&in)) == 0
                   ? 0
                   : malformed(r, field->name);
    case SKR_SCHEMA_STRING_MAP:
    case SKR_SCHEMA_BYTES_MAP:
    case SKR_SCHEMA_QUANTITY_MAP:
        return add_entry(member(object, field->name, false), in, field->type)
                   ? 0
                   : malformed(r, field->name);
    case SKR_SCHEMA_OBJECT:
    case SKR_SCHEMA_LIST:
        return read_part(r, in, field, object);
    case SKR_SCHEMA_ANY_OBJECT:
    case SKR_SCHEMA_ANY_LIST:
    case SKR_SCHEMA_ANY:
    case SKR_SCHEMA_INTEGER:
    case SKR_SCHEMA_LONG:
    case SKR_SCHEMA_BOOLEAN:
    default:
        if (is_empty(&in) || strcmp(field->name, "managedFields") == 0) {
            return 0;
        }
        return skr_error_set(r->error, SKR_INVALID,
                             "%s: field %s is not read from protocol buffers: send JSON", r->kind,
                             field->name);
    }
}

static const struct skr_schema_field *find(const struct skr_schema_field *fields, uint64_t number)
{
    for (; fields->name; fields++) {
        if (fields->number > 0 && (uint64_t)fields->number == number) {
            return fields;
        }
    }
    return NULL;
}

static bool is_unset(const struct field *field)
{
    return field->wire == BYTES ? is_empty(&field->bytes) : field->value == 0;
}

static int read_object(const struct reader *r, struct input in,
                       const struct skr_schema_field *fields, json_t *object)
{
    struct field field;
    char number[40];
    while (!is_empty(&in)) {
        if (!take_field(&in, &field)) {
            return malformed(r, "the message");
        }
        const struct skr_schema_field *known = find(fields, field.number);
        if (!known && is_unset(&field)) {
            continue;
        }
        (void)snprintf(number, sizeof number, "field number %llu",
                       (unsigned long long)field.number);
        if (!known || (field.wire != VARINT && field.wire != BYTES)) {
            return skr_error_set(r->error, SKR_INVALID,
                                 "%s: %s is not read from protocol buffers: send JSON", r->kind,
                                 number);
        }
        if (strcmp(known->name, "status") == 0) {
            continue;
        }
        if (field.wire == BYTES) {
            const int rc = read_bytes(r, field.bytes, known, object);
            if (rc != 0) {
                return rc;
            }
        } else if (known->type == SKR_SCHEMA_INTEGER || known->type == SKR_SCHEMA_LONG ||
                   known->type == SKR_SCHEMA_BOOLEAN) {
            read_number(known, field.value, object);
        } else {
            return malformed(r, known->name);
        }
    }
    return 0;
}

/* ---- the envelope ---- */

/* runtime.Unknown: typeMeta 1 {apiVersion 1, kind 2}, raw 2, contentEncoding 3, contentType 4. */
static bool read_envelope(struct input in, json_t *object, struct input *ret_raw)
{
    struct field field;
    *ret_raw = (struct input){NULL, NULL};
    while (!is_empty(&in)) {
        if (!take_field(&in, &field)) {
            return false;
        }
        if (field.number == 1 && field.wire == BYTES) {
            struct input type = field.bytes;
            while (!is_empty(&type)) {
                if (!take_field(&type, &field) || field.wire != BYTES ||
                    json_object_set_new(object, field.number == 1 ? "apiVersion" : "kind",
                                        text_of(&field.bytes)) != 0) {
                    return false;
                }
            }
        } else if (field.number == 2 && field.wire == BYTES) {
            *ret_raw = field.bytes;
        } else if (!is_unset(&field) && field.number == 3) {
            return false; /* an unsupported encoding */
        }
    }
    return true;
}

int skr_protobuf_parse(const char *bytes, size_t n, json_t **ret, struct skr_error *error)
{
    static const char magic[4] = "k8s";
    struct input in = {(const unsigned char *)bytes, (const unsigned char *)bytes + n}, raw;
    json_t *object = json_object();
    if (n < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0 ||
        (in.at += sizeof magic, !read_envelope(in, object, &raw))) {
        json_decref(object);
        return skr_error_set(error, SKR_INVALID, "the body is no Kubernetes protocol buffer");
    }
    const char *kind = json_string_value(json_object_get(object, "kind"));
    kind = kind ? kind : "";
    const struct skr_schema_field *fields = skr_schema_of(kind);
    const struct reader reader = {.kind = kind, .error = error};
    const int rc = fields
                       ? read_object(&reader, raw, fields, object)
                       : skr_error_set(error, SKR_INVALID,
                                       "%.80s is not read from protocol buffers: send JSON", kind);
    if (rc != 0) {
        json_decref(object);
        return rc;
    }
    *ret = object;
    return 0;
}
