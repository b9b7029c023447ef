/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of CEL and what they give, as texts. */
#include "test/unit/cel_rows.h"

#include "core/cel/cel.h"
#include "core/cel/net.h"
#include "core/cel/type.h"
#include "test/test.h"

static const char object[] =
    "{\"name\":\"one\",\"labels\":{\"env\":\"prod\",\"a.b/"
    "c\":\"x\",\"empty\":\"\"},\"list\":[1,2,3],"
    "\"none\":null,\"claims\":[{\"name\":\"version\",\"value\":\"v1.30.2\"},{\"name\":\"zone\","
    "\"value\":\"a\"}],\"real\":1.5,\"flag\":true,\"cpu\":\"4500m\",\"big\":9223372036854775807}";

static void write_value(const struct skr_cel_value *v, struct skr_strbuf *out);

static void write_list(const struct skr_cel_value *v, struct skr_strbuf *out)
{
    skr_strbuf_add(out, "[");
    for (size_t i = 0; i < v->n; i++) {
        skr_strbuf_add(out, i > 0 ? "," : "");
        write_value(&v->item[i], out);
    }
    skr_strbuf_add(out, "]");
}

static void write_map(const struct skr_cel_value *v, struct skr_strbuf *out)
{
    skr_strbuf_add(out, "{");
    for (size_t i = 0; i < v->n; i++) {
        skr_strbuf_add(out, i > 0 ? "," : "");
        write_value(&v->entry[i].key, out);
        skr_strbuf_add(out, ":");
        write_value(&v->entry[i].value, out);
    }
    skr_strbuf_add(out, "}");
}

static void write_value(const struct skr_cel_value *v, struct skr_strbuf *out)
{
    char number[SKR_CEL_DOUBLE_TEXT], net[SKR_CEL_NET_TEXT];
    switch (v->kind) {
    case SKR_CEL_NULL:
        skr_strbuf_add(out, "null");
        break;
    case SKR_CEL_BOOL:
        skr_strbuf_add(out, v->boolean ? "true" : "false");
        break;
    case SKR_CEL_UINT:
        skr_strbuf_addf(out, "%" PRIu64 "u", v->natural);
        break;
    case SKR_CEL_DOUBLE:
        skr_strbuf_addn(out, number, skr_cel_double_write(v->real, number));
        break;
    case SKR_CEL_STRING:
    case SKR_CEL_BYTES:
        skr_strbuf_addf(out, "\"%.*s\"", (int)v->n, v->text);
        break;
    case SKR_CEL_LIST:
        write_list(v, out);
        break;
    case SKR_CEL_MAP:
        write_map(v, out);
        break;
    case SKR_CEL_TYPE:
        skr_strbuf_add(out, v->text);
        break;
    case SKR_CEL_QUANTITY:
        skr_strbuf_addf(out, "%" PRId64 "n", (int64_t)*v->nano);
        break;
    case SKR_CEL_SEMVER:
        skr_strbuf_addf(out, "v%" PRIu64, v->semver->part[0]);
        break;
    case SKR_CEL_IP:
        skr_strbuf_addn(out, net, skr_cel_ip_write(v->net, net));
        break;
    case SKR_CEL_CIDR:
        skr_strbuf_addn(out, net, skr_cel_cidr_write(v->net, net));
        break;
    case SKR_CEL_URL:
        skr_strbuf_add(out, "url");
        break;
    case SKR_CEL_INT:
    case SKR_CEL_TIMESTAMP:
    case SKR_CEL_DURATION:
    case SKR_CEL_ERROR:
    case SKR_CEL_KIND_COUNT:
        skr_strbuf_addf(out, "%" PRId64, v->integer);
        break;
    }
}

void cel_evaluate(const char *text, uint64_t cost_max, struct skr_strbuf *out)
{
    static const struct skr_cel_root roots[] = {{"x", "Ms?"}, {"n", "i"}, {0}};
    static const struct skr_cel_dialect dialect = {.root = roots, .binds = true};
    SKR_AUTO(skr_arena_destroy)
    struct skr_arena *arena = skr_arena_create(SKR_CEL_RUN_BYTES_MAX, 0);
    const struct skr_cel_program *program;
    struct skr_error error;
    if (skr_cel_compile(&dialect, text, arena, &program, &error) < 0) {
        skr_strbuf_addf(out, "refused %s", error.text);
        return;
    }
    json_auto_t *json = json_loads(object, 0, NULL);
    assert_non_null(json);
    const struct skr_cel_value value[] = {skr_cel_of_json(json, false, arena), skr_cel_int(7)};
    struct skr_cel_run run = {.arena = arena, .root = value, .cost_max = cost_max};
    const struct skr_cel_value result = skr_cel_evaluate(program, &run);
    const uint64_t bound = skr_cel_cost_bound(text);
    if (!run.over && run.cost > bound) {
        fail_msg("%s\n  costs %" PRIu64 ", and %" PRIu64 " at most", text, run.cost, bound);
    }
    if (result.kind == SKR_CEL_ERROR) {
        const struct skr_position at = skr_cel_position(program, result.n);
        skr_strbuf_addf(out, "error %zu:%zu: %s", at.line, at.column, result.text);
        return;
    }
    /* What the checker promised is what came out. */
    const char *type = skr_cel_program_type(program);
    assert_true(type[0] == '?' || type[0] == skr_cel_type_of(result.kind));
    write_value(&result, out);
}

void cel_expect(const struct row *row)
{
    SKR_STRBUF(out);
    cel_evaluate(row->title, SKR_CEL_COST_MAX, &out);
    if (strcmp(out.s, row->expected) != 0) {
        fail_msg("%s\n  is  %s\n  not %s", row->title, out.s, row->expected);
    }
}
