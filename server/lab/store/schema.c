/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over the object along tables of fields. The depth is that of the tables. */
#include "server/lab/store/schema.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "server/lab/store/schema_tables.h"
#include "server/object/pairs.h"
#include "server/object/path.h"
#include "topology/base/json_field.h"
#include "topology/base/strbuf.h"

enum { PATH_MAX_BYTES = 512 };

/* A position in the walk; turned into text only for an error. */
struct place {
    const struct place *up;
    const char *name; /* of the member; NULL: an element */
    size_t index;
};

struct walk {
    const char *kind;
    bool strict;
    struct skr_error *error;
    const struct place *at; /* NULL: the object itself */
};

static const char *type_text(enum skr_schema_type type)
{
    switch (type) {
    case SKR_SCHEMA_STRING:
    case SKR_SCHEMA_STRINGS:
    case SKR_SCHEMA_STRING_MAP:
    case SKR_SCHEMA_BYTES_MAP:
        return "string";
    case SKR_SCHEMA_TIME:
        return "v1.Time";
    case SKR_SCHEMA_INTEGER:
        return "int32";
    case SKR_SCHEMA_LONG:
        return "int64";
    case SKR_SCHEMA_BOOLEAN:
        return "bool";
    case SKR_SCHEMA_QUANTITY:
    case SKR_SCHEMA_QUANTITY_MAP:
        return "resource.Quantity";
    case SKR_SCHEMA_INT_OR_STRING:
        return "intstr.IntOrString";
    case SKR_SCHEMA_LIST:
    case SKR_SCHEMA_ANY_LIST:
        return "array";
    case SKR_SCHEMA_OBJECT:
    case SKR_SCHEMA_ANY_OBJECT:
    case SKR_SCHEMA_ANY:
    default:
        return "object";
    }
}

/* As deep as the tables. */
static void add_place(struct skr_strbuf *b, const struct place *place)
{
    if (!place) {
        return;
    }
    add_place(b, place->up);
    if (place->name) {
        skr_strbuf_add(b, place->up ? "." : "");
        skr_strbuf_add(b, place->name);
    } else {
        skr_strbuf_addf(b, "[%zu]", place->index);
    }
}

/* The path, cut at PATH_MAX_BYTES. */
static const char *path_of(const struct walk *w, char text[PATH_MAX_BYTES])
{
    SKR_STRBUF(b);
    add_place(&b, w->at);
    (void)snprintf(text, PATH_MAX_BYTES, "%s", b.s ? b.s : "");
    return text;
}

static int wrong(struct walk *w, const json_t *value, enum skr_schema_type type)
{
    char path[PATH_MAX_BYTES], number[24] = "";
    if (type == SKR_SCHEMA_INTEGER && json_is_integer(value)) {
        (void)snprintf(number, sizeof number, " %lld", (long long)json_integer_value(value));
    }
    return skr_error_set(w->error, SKR_INVALID,
                         "json: cannot unmarshal %s%s into Go struct field %s.%.140s of type %s",
                         skr_path_go_type(value), number, w->kind, path_of(w, path),
                         type_text(type));
}

static int unknown(struct walk *w)
{
    char path[PATH_MAX_BYTES];
    return skr_error_set(w->error, SKR_INVALID, "strict decoding error: unknown field \"%.180s\"",
                         path_of(w, path));
}

static bool fits_32_bits(const json_t *value)
{
    const json_int_t number = json_integer_value(value);
    return json_is_integer(value) && number >= INT32_MIN && number <= INT32_MAX;
}

static bool is_scalar_of(const json_t *value, enum skr_schema_type type)
{
    switch (type) {
    case SKR_SCHEMA_STRING:
    case SKR_SCHEMA_TIME:
        return json_is_string(value);
    case SKR_SCHEMA_INTEGER:
        return fits_32_bits(value);
    case SKR_SCHEMA_LONG:
        return json_is_integer(value);
    case SKR_SCHEMA_BOOLEAN:
        return json_is_boolean(value);
    case SKR_SCHEMA_QUANTITY:
        return json_is_string(value) || json_is_number(value);
    case SKR_SCHEMA_INT_OR_STRING:
        return json_is_string(value) || fits_32_bits(value);
    case SKR_SCHEMA_ANY_OBJECT:
        return json_is_object(value);
    case SKR_SCHEMA_ANY_LIST:
        return json_is_array(value);
    case SKR_SCHEMA_ANY:
        return true;
    case SKR_SCHEMA_STRINGS:
    case SKR_SCHEMA_STRING_MAP:
    case SKR_SCHEMA_BYTES_MAP:
    case SKR_SCHEMA_QUANTITY_MAP:
    case SKR_SCHEMA_OBJECT:
    case SKR_SCHEMA_LIST:
    default:
        return false;
    }
}

static int check_map(struct walk *w, const json_t *map, enum skr_schema_type type)
{
    const enum skr_schema_type element =
        type == SKR_SCHEMA_QUANTITY_MAP ? SKR_SCHEMA_QUANTITY : SKR_SCHEMA_STRING;
    const char *key;
    json_t *value;
    if (!json_is_object(map)) {
        return wrong(w, map, SKR_SCHEMA_OBJECT);
    }
    json_object_foreach(skr_object_unconst(map), key, value)
    {
        if (!json_is_null(value) && !is_scalar_of(value, element)) {
            return wrong(w, value, type);
        }
    }
    return 0;
}

static int check_strings(struct walk *w, const json_t *list)
{
    size_t i;
    json_t *value;
    if (!json_is_array(list)) {
        return wrong(w, list, SKR_SCHEMA_LIST);
    }
    json_array_foreach(list, i, value)
    {
        if (!json_is_string(value)) {
            return wrong(w, value, SKR_SCHEMA_STRINGS);
        }
    }
    return 0;
}

static int check_object(struct walk *w, const json_t *object, const json_t *known,
                        const struct skr_schema_field *fields);

static int check_list(struct walk *w, const json_t *list, const json_t *known,
                      const struct skr_schema_field *fields)
{
    size_t i;
    json_t *value;
    int rc = 0;
    if (!json_is_array(list)) {
        return wrong(w, list, SKR_SCHEMA_LIST);
    }
    json_array_foreach(list, i, value)
    {
        const struct place here = {.up = w->at, .index = i};
        w->at = &here;
        const json_t *there = json_array_get(known, i);
        rc = value == there ? 0 : check_object(w, value, there, fields);
        w->at = here.up;
        if (rc != 0) {
            break;
        }
    }
    return rc;
}

static int check_field(struct walk *w, const json_t *value, const json_t *known,
                       const struct skr_schema_field *field)
{
    switch (field->type) {
    case SKR_SCHEMA_OBJECT:
        return check_object(w, value, known, field->of);
    case SKR_SCHEMA_LIST:
        return check_list(w, value, known, field->of);
    case SKR_SCHEMA_STRINGS:
        return check_strings(w, value);
    case SKR_SCHEMA_STRING_MAP:
    case SKR_SCHEMA_BYTES_MAP:
    case SKR_SCHEMA_QUANTITY_MAP:
        return check_map(w, value, field->type);
    case SKR_SCHEMA_STRING:
    case SKR_SCHEMA_TIME:
    case SKR_SCHEMA_INTEGER:
    case SKR_SCHEMA_LONG:
    case SKR_SCHEMA_BOOLEAN:
    case SKR_SCHEMA_QUANTITY:
    case SKR_SCHEMA_INT_OR_STRING:
    case SKR_SCHEMA_ANY_OBJECT:
    case SKR_SCHEMA_ANY_LIST:
    case SKR_SCHEMA_ANY:
    default:
        return is_scalar_of(value, field->type) ? 0 : wrong(w, value, field->type);
    }
}

/* Skips members that equal those of known: they were checked before. */
static int check_object(struct walk *w, const json_t *object, const json_t *known,
                        const struct skr_schema_field *fields)
{
    struct skr_pairs p = skr_pairs_of(object, known);
    int rc = 0;
    if (!json_is_object(object)) {
        return wrong(w, object, SKR_SCHEMA_OBJECT);
    }
    while (skr_pairs_next(&p)) {
        const struct skr_schema_field *field = fields;
        if (p.value == p.other) {
            continue;
        }
        while (field->name && (field->name[0] != p.key[0] || strcmp(field->name, p.key) != 0)) {
            field++;
        }
        const struct place here = {.up = w->at, .name = p.key};
        w->at = &here;
        if (!field->name && w->strict) {
            rc = unknown(w);
        } else if (field->name && !json_is_null(p.value)) {
            rc = check_field(w, p.value, p.other, field);
        }
        w->at = here.up;
        if (rc != 0) {
            return rc;
        }
    }
    return 0;
}

int skr_schema_check(const char *kind, const json_t *object, const json_t *known, bool strict,
                     struct skr_error *error)
{
    struct walk w = {.kind = kind, .strict = strict, .error = error};
    const struct skr_schema_field *fields = skr_schema_of(kind);
    return fields ? check_object(&w, object, known, fields) : 0;
}
