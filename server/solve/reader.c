/* SPDX-License-Identifier: Apache-2.0 */
#include "server/solve/reader.h"

#include <stdio.h>
#include <string.h>

#include "topology/base/json_field.h"
#include "topology/base/strbuf.h"
#include "topology/base/suggest.h"
#include "topology/base/unshown.h"
#include "topology/quantity.h"

#define AMOUNT_MAX (INT64_C(1) << 61) /* differences of two of them fit */

struct skr_position skr_solve_locate(const struct skr_solve_reader *r, const char *const *path)
{
    struct skr_position at = {1, 1};
    skr_json_find_path(r->text, path, &at);
    return at;
}

void skr_solve_quote(const char *s, char buffer[SKR_SOLVE_QUOTE_MAX])
{
    size_t n = strnlen(s, SKR_SOLVE_QUOTE_MAX - 1);
    while (n > 0 && s[n] != '\0' && ((unsigned char)s[n] & 0xC0U) == 0x80U) {
        n--; /* never in the middle of a character */
    }
    memcpy(buffer, s, n);
    buffer[n] = '\0';
    skr_unshown_replace(buffer);
}

int skr_solve_refuse(const struct skr_solve_reader *r, const char *const *path, const char *text)
{
    char subject[4 * SKR_SOLVE_QUOTE_MAX] = "";
    for (size_t i = 0; path[i]; i++) {
        char name[SKR_SOLVE_QUOTE_MAX];
        size_t len = strlen(subject);
        skr_solve_quote(path[i], name);
        snprintf(subject + len, sizeof subject - len, "%s%s", i == 0 ? "" : ".", name);
    }
    struct skr_position at = skr_solve_locate(r, path);
    return skr_error_set(r->error, SKR_INVALID, "%zu:%zu: %s: %s", at.line, at.column, subject,
                         text);
}

int skr_solve_refuse_type(const struct skr_solve_reader *r, const char *const *path,
                          const char *what, const json_t *value)
{
    char text[SKR_SOLVE_PHRASE_MAX];
    snprintf(text, sizeof text, "must be %s, got %s", what, skr_object_type_name(value));
    return skr_solve_refuse(r, path, text);
}

int skr_solve_no_memory(const struct skr_solve_reader *r)
{
    return skr_error_set(r->error, SKR_LIMIT, "1:1: the file does not fit into memory");
}

int skr_solve_check_keys(const struct skr_solve_reader *r, const json_t *object, const char **path,
                         size_t n, const char *const *known)
{
    size_t n_known = 0;
    const char *key;
    json_t *value;
    while (known[n_known]) {
        n_known++;
    }
    json_object_foreach(skr_object_unconst(object), key, value)
    {
        const char *near = skr_suggest(key, known, n_known);
        if (near && strcmp(near, key) == 0) {
            continue;
        }
        SKR_STRBUF(text);
        skr_strbuf_add(&text, "unknown key; known are ");
        for (size_t i = 0; i < n_known; i++) {
            skr_strbuf_addf(&text, "%s%s", i > 0 ? ", " : "", known[i]);
        }
        if (near) {
            skr_strbuf_addf(&text, " (did you mean %s?)", near);
        }
        path[n] = key;
        path[n + 1] = NULL;
        return skr_solve_refuse(r, path, text.s);
    }
    return 0;
}

int skr_solve_read_amount(const struct skr_solve_reader *r, const char *const *path,
                          const char *resource, const json_t *value, int64_t *ret)
{
    char number[32];
    const char *text = json_string_value(value);
    if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        text = number;
    }
    if (!text) {
        return skr_solve_refuse_type(r, path, "a quantity", value);
    }
    struct skr_error inner;
    int rc = strcmp(resource, "cpu") == 0 ? skr_quantity_parse_milli(text, ret, &inner)
                                          : skr_quantity_parse(text, ret, &inner);
    if (rc == 0 && (*ret > AMOUNT_MAX || *ret < -AMOUNT_MAX)) {
        return skr_solve_refuse(r, path, "is beyond 2^61");
    }
    return rc == 0 ? 0 : skr_solve_refuse(r, path, inner.text);
}
