/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lint over up to three files. Every finding has a place in its file, on whose line there is such a
 * column, and a code of the table; all three forms say the same; the same files give the same
 * bytes; a file without objects of ours is silent or broken.
 */
#include "server/lint/lint.h"
#include "test/fuzz/fuzz.h"

enum { FILES_MAX = 3 };

static const char *const names[FILES_MAX] = {"a", "b", "c"};

/* Characters are at most bytes, line ends too: libyaml knows more of them than we count here. */
static void check_place(const json_t *place, const size_t size[FILES_MAX])
{
    const char *file = json_string_value(json_object_get(place, "file"));
    const json_int_t line = json_integer_value(json_object_get(place, "line"));
    const json_int_t column = json_integer_value(json_object_get(place, "column"));
    fuzz_check(file && file[0] >= 'a' && file[0] <= 'c' && file[1] == '\0');
    const json_int_t max = (json_int_t)size[file[0] - 'a'] + 1;
    fuzz_check(line >= 0 && line <= max && column >= 0 && column <= max);
    fuzz_check((line == 0) == (column == 0));
}

static size_t check_json(const struct skr_lint *lint, const size_t size[FILES_MAX])
{
    SKR_STRBUF(out);
    skr_lint_write_json(lint, &out);
    json_auto_t *root = fuzz_json(out.s, out.len);
    const json_t *list = json_object_get(root, "findings");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *finding = json_array_get(list, i);
        check_place(finding, size);
        if (json_object_get(finding, "see")) {
            check_place(json_object_get(finding, "see"), size);
        }
        const char *code = json_string_value(json_object_get(finding, "code"));
        fuzz_check(skr_lint_rule_find(code) < skr_lint_rule_count);
        fuzz_check(json_string_length(json_object_get(finding, "message")) > 0);
    }
    const json_int_t n = json_integer_value(json_object_get(root, "errors")) +
                         json_integer_value(json_object_get(root, "warnings"));
    fuzz_check((size_t)n == skr_lint_count(lint));
    const size_t told = json_array_size(list);
    fuzz_check(told <= (size_t)n && (told == (size_t)n || told >= SKR_LINT_FINDINGS_MAX));
    return told;
}

static void check_sarif(const struct skr_lint *lint, size_t told)
{
    SKR_STRBUF(out);
    skr_lint_write_sarif(lint, &out);
    json_auto_t *root = fuzz_json(out.s, out.len);
    const json_t *run = json_array_get(json_object_get(root, "runs"), 0);
    fuzz_check(json_array_size(json_object_get(run, "results")) == told);
}

static char *run(char *const *part, size_t n, const size_t size[FILES_MAX])
{
    struct skr_strbuf out;
    struct skr_lint *lint = skr_lint_create();
    skr_strbuf_init(&out);
    for (size_t i = 0; i < n; i++) {
        skr_lint_add(lint, names[i], part[i], size[i]);
    }
    (void)skr_lint_finish(lint);
    skr_lint_write_text(lint, &out);
    fuzz_check((out.len > 0) == (skr_lint_count(lint) > 0));
    size_t lines = 0;
    for (size_t i = 0; i < out.len; i++) {
        lines += out.s[i] == '\n';
    }
    const size_t told = check_json(lint, size);
    fuzz_check(told == 0 || (lines > told && lines <= told + 1 + FILES_MAX));
    check_sarif(lint, told);
    skr_lint_destroy(lint);
    return skr_strbuf_take(&out, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *part[FILES_MAX];
    size_t length[FILES_MAX] = {0};
    SKR_AUTO_FREE char *text = fuzz_text(data, size);
    const size_t n = fuzz_split(text, part, FILES_MAX);
    for (size_t i = 0; i < n; i++) {
        length[i] = strlen(part[i]);
    }
    char *one = run(part, n, length), *other = run(part, n, length);
    fuzz_check((!one) == (!other) && (!one || strcmp(one, other) == 0));
    free(one);
    free(other);
    return 0;
}
