/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protocol Buffers, the wire format (https://protobuf.dev/programming-guides/encoding): a message is
 * a row of fields, each a tag (number and wire type) and a value. Only varints and length-delimited
 * values are written; all wire types are skipped when read, groups excepted, which proto3 does not
 * have.
 */
#include "core/propagation/estimator_wire.h"

#include <string.h>

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };
enum { VARINT_BYTES_MAX = 10 };

/* ---- writing ---- */

static void write_varint(uint64_t value, struct skr_strbuf *out)
{
    for (; value >= 0x80; value >>= 7) {
        skr_strbuf_addc(out, (char)(value | 0x80));
    }
    skr_strbuf_addc(out, (char)value);
}

static void write_number(unsigned int field, int64_t value, struct skr_strbuf *out)
{
    if (value != 0) {
        write_varint(field << 3 | WIRE_VARINT, out);
        write_varint((uint64_t)value, out);
    }
}

/* Also when it is empty: an entry of a list counts by being there. */
static void write_bytes(unsigned int field, const char *data, size_t n, struct skr_strbuf *out)
{
    write_varint(field << 3 | WIRE_BYTES, out);
    write_varint(n, out);
    skr_strbuf_addn(out, data, n);
}

static void write_message(unsigned int field, const struct skr_strbuf *message,
                          struct skr_strbuf *out)
{
    write_bytes(field, message->s, message->len, out);
}

static void write_text(unsigned int field, const char *text, struct skr_strbuf *out)
{
    if (text && text[0] != '\0') {
        write_bytes(field, text, strlen(text), out);
    }
}

static void write_key(unsigned int field, const json_t *object, const char *key,
                      struct skr_strbuf *out)
{
    write_text(field, json_string_value(json_object_get(object, key)), out);
}

/* Writes an object of the API as a message. */
typedef void write_fn(const json_t *json, struct skr_strbuf *out);

static void write_list(unsigned int field, const json_t *list, write_fn *write,
                       struct skr_strbuf *out)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        SKR_STRBUF(message);
        write(json_array_get(list, i), &message);
        write_message(field, &message, out);
    }
}

/* ---- requests of resources ---- */

static void write_quantity(const json_t *json, struct skr_strbuf *out)
{
    SKR_AUTO_FREE char *number = json_is_number(json) ? json_dumps(json, JSON_ENCODE_ANY) : NULL;
    write_text(1, number ? number : json_string_value(json), out);
}

/* An entry of both maps: map<string, Quantity>, and map<string, bytes> where the bytes are a
 * Quantity, are the same bytes. */
static void write_resources(unsigned int field, unsigned int bytes_field, json_t *resources,
                            struct skr_strbuf *out)
{
    const char *name;
    json_t *amount;
    json_object_foreach(resources, name, amount)
    {
        SKR_STRBUF(quantity);
        SKR_STRBUF(entry);
        write_quantity(amount, &quantity);
        write_text(1, name, &entry);
        write_message(2, &quantity, &entry);
        write_message(field, &entry, out);
        write_message(bytes_field, &entry, out);
    }
}

/* ---- nodes ---- */

static void write_requirement(const json_t *json, struct skr_strbuf *out)
{
    const json_t *values = json_object_get(json, "values");
    write_key(1, json, "key", out);
    write_key(2, json, "operator", out);
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *value = json_array_get(values, i);
        if (json_is_string(value)) {
            write_bytes(3, json_string_value(value), json_string_length(value), out);
        }
    }
}

static void write_term(const json_t *json, struct skr_strbuf *out)
{
    write_list(1, json_object_get(json, "matchExpressions"), write_requirement, out);
    write_list(2, json_object_get(json, "matchFields"), write_requirement, out);
}

static void write_toleration(const json_t *json, struct skr_strbuf *out)
{
    const json_t *seconds = json_object_get(json, "tolerationSeconds");
    write_key(1, json, "key", out);
    write_key(2, json, "operator", out);
    write_key(3, json, "value", out);
    write_key(4, json, "effect", out);
    if (json_is_integer(seconds)) {
        write_varint(5 << 3 | WIRE_VARINT, out); /* 0 is not the same as none */
        write_varint((uint64_t)json_integer_value(seconds), out);
    }
}

static void write_selector(json_t *selector, struct skr_strbuf *out)
{
    const char *key;
    json_t *value;
    json_object_foreach(selector, key, value)
    {
        SKR_STRBUF(entry);
        write_text(1, key, &entry);
        write_text(2, json_string_value(value), &entry);
        write_message(2, &entry, out);
    }
}

static void write_claim(const json_t *claim, struct skr_strbuf *out)
{
    const json_t *affinity = json_object_get(claim, "hardNodeAffinity");
    const json_t *tolerations = json_object_get(claim, "tolerations");
    if (json_is_object(affinity)) {
        SKR_STRBUF(terms);
        write_list(1, json_object_get(affinity, "nodeSelectorTerms"), write_term, &terms);
        write_message(1, &terms, out);
        write_message(4, &terms, out);
    }
    write_selector(json_object_get(claim, "nodeSelector"), out);
    write_list(3, tolerations, write_toleration, out);
    write_list(5, tolerations, write_toleration, out);
}

static void write_node_claim(const json_t *requirements, struct skr_strbuf *out)
{
    const json_t *claim = json_object_get(requirements, "nodeClaim");
    if (json_is_object(claim)) {
        SKR_STRBUF(message);
        write_claim(claim, &message);
        write_message(1, &message, out);
    }
}

/* ---- whole requests ---- */

void skr_estimator_write_requirements(const json_t *requirements, struct skr_strbuf *out)
{
    if (!json_is_object(requirements)) {
        return;
    }
    SKR_STRBUF(message);
    write_node_claim(requirements, &message);
    write_resources(2, 5, json_object_get(requirements, "resourceRequest"), &message);
    write_key(3, requirements, "namespace", &message);
    write_key(4, requirements, "priorityClassName", &message);
    write_message(2, &message, out);
}

static void write_component(const json_t *json, struct skr_strbuf *out)
{
    const json_t *requirements = json_object_get(json, "replicaRequirements");
    write_key(1, json, "name", out);
    if (json_is_object(requirements)) {
        SKR_STRBUF(message);
        write_node_claim(requirements, &message);
        write_resources(2, 4, json_object_get(requirements, "resourceRequest"), &message);
        write_key(3, requirements, "priorityClassName", &message);
        write_message(2, &message, out);
    }
    write_number(3, json_integer_value(json_object_get(json, "replicas")), out);
}

void skr_estimator_write_components(const json_t *components, const char *namespace_,
                                    struct skr_strbuf *out)
{
    write_list(2, components, write_component, out);
    write_text(3, namespace_, out);
}

void skr_estimator_write_request(const char *cluster, const char *rest, size_t rest_len,
                                 struct skr_strbuf *out)
{
    write_text(1, cluster, out);
    skr_strbuf_addn(out, rest, rest_len);
}

/* ---- answers ---- */

struct reader {
    const unsigned char *at, *end;
};

static bool read_varint(struct reader *r, uint64_t *ret)
{
    *ret = 0;
    for (unsigned int i = 0; i < VARINT_BYTES_MAX && r->at < r->end; i++) {
        const unsigned char byte = *r->at++;
        *ret |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            return i < VARINT_BYTES_MAX - 1 || byte <= 1;
        }
    }
    return false;
}

static bool skip(struct reader *r, uint64_t n)
{
    const bool has = n <= (uint64_t)(r->end - r->at);
    r->at += has ? n : 0;
    return has;
}

static bool skip_value(struct reader *r, unsigned int wire)
{
    uint64_t n = 0;
    switch (wire) {
    case WIRE_VARINT:
        return read_varint(r, &n);
    case WIRE_64:
        return skip(r, 8);
    case WIRE_BYTES:
        return read_varint(r, &n) && skip(r, n);
    case WIRE_32:
        return skip(r, 4);
    default:
        return false;
    }
}

/* false: no message ends there. An int32 is sign-extended to 64 bits; of more the low ones count. */
static bool read_field(struct reader *r, int32_t *number)
{
    enum { TAG_OF_NUMBER = 1 << 3 | WIRE_VARINT };
    uint64_t tag = 0;
    uint64_t value = 0;
    if (!read_varint(r, &tag) || tag >> 3 == 0 || tag > UINT32_MAX) {
        return false;
    }
    if (tag != TAG_OF_NUMBER) {
        return skip_value(r, tag & 7);
    }
    if (!read_varint(r, &value)) {
        return false;
    }
    *number = (int32_t)(uint32_t)value;
    return true;
}

int skr_estimator_read_answer(const void *body, size_t n, int32_t *ret, struct skr_error *error)
{
    const unsigned char *bytes = body;
    struct reader r = {bytes, bytes + n};
    int32_t number = 0;
    while (r.at < r.end) {
        const size_t at = (size_t)(r.at - bytes);
        if (!read_field(&r, &number)) {
            return skr_error_set(error, SKR_INVALID,
                                 "the answer is no protobuf message: byte %zu of %zu", at, n);
        }
    }
    if (number < -1) {
        return skr_error_set(error, SKR_INVALID, "the answer is %ld, less than -1", (long)number);
    }
    *ret = number;
    return 0;
}
