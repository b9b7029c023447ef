/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CEL: an expression, and behind a separator the JSON of its variable x. It is refused with a
 * position, or evaluated within its cost, twice with the same result.
 */
#include "core/cel/cel.h"
#include "core/cel/type.h"
#include "test/fuzz/fuzz.h"

enum { COST_MAX = 20000, BYTES_MAX = 32 * 1024 * 1024 };

static const struct skr_cel_root roots[] = {{"x", "?"}, {0}};
static const struct skr_cel_dialect dialect = {.root = roots, .binds = true};

static struct skr_cel_value evaluate(const struct skr_cel_program *program, const json_t *json,
                                     struct skr_arena *arena, uint64_t *ret_cost)
{
    const struct skr_cel_value x = skr_cel_of_json(json, false, arena);
    struct skr_cel_run run = {.arena = arena, .root = &x, .cost_max = COST_MAX};
    struct skr_cel_value result = {.kind = SKR_CEL_NULL};
    if (x.kind != SKR_CEL_ERROR) {
        result = skr_cel_evaluate(program, &run);
    }
    *ret_cost = run.cost;
    return result;
}

static void check(const struct skr_cel_program *program, const char *text, const json_t *json)
{
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(BYTES_MAX, 0);
    uint64_t cost, cost_again;
    const struct skr_cel_value result = evaluate(program, json, arena, &cost);
    const struct skr_cel_value again = evaluate(program, json, arena, &cost_again);
    const char *type = skr_cel_program_type(program);
    fuzz_check(result.kind == again.kind && cost == cost_again);
    if (result.kind == SKR_CEL_ERROR) {
        fuzz_check(result.n <= strlen(text) && result.text[0] && result.n == again.n);
        return;
    }
    fuzz_check(type[0] == '?' || type[0] == skr_cel_type_of(result.kind));
    if (result.kind == SKR_CEL_STRING) {
        fuzz_check(skr_cel_is_utf8(result.text, result.n));
        fuzz_check(skr_cel_equal(&result, &again));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SKR_AUTO_FREE char *text = fuzz_text(data, size);
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(BYTES_MAX, 0);
    const struct skr_cel_program *program;
    struct skr_error error = {0};
    char *part[2] = {text, NULL};
    fuzz_split(text, part, 2);
    if (!fuzz_is_utf8(part[0], strlen(part[0]))) {
        return 0; /* expressions are strings of JSON */
    }
    int rc = skr_cel_compile(&dialect, part[0], arena, &program, &error);
    if (rc < 0) {
        fuzz_check(rc == -SKR_NO_MEMORY || rc == -SKR_INVALID || rc == -SKR_LIMIT);
        fuzz_check(rc == -SKR_NO_MEMORY || strlen(part[0]) > SKR_CEL_TEXT_MAX ||
                   fuzz_has_position(error.text));
        return 0;
    }
    json_auto_t *json = json_loads(part[1] ? part[1] : "null", JSON_DECODE_ANY, NULL);
    check(program, part[0], json);
    return 0;
}
