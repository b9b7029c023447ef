/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzzers share: taking inputs apart, judging errors and outputs. */
#include "test/fuzz/fuzz.h"

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) {
        abort();
    }
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    return text;
}

size_t fuzz_split(char *text, char **part, size_t max)
{
    size_t n = 0;
    part[n++] = text;
    while (n < max && (text = strchr(text, FUZZ_SEPARATOR))) {
        *text++ = '\0';
        part[n++] = text;
    }
    return n;
}

bool fuzz_bytes_left(const struct fuzz_bytes *bytes)
{
    return bytes->at < bytes->size;
}

uint32_t fuzz_pick(struct fuzz_bytes *bytes, uint32_t n)
{
    return fuzz_bytes_left(bytes) ? bytes->data[bytes->at++] % n : 0;
}

/* libjansson decides; strings of it are UTF-8 or nothing. */
bool fuzz_is_utf8(const char *text, size_t n)
{
    json_auto_t *string = json_stringn(text, n);
    return string && strlen(json_string_value(string)) == n;
}

void fuzz_check_rc(int rc, const struct skr_error *error)
{
    if (rc == 0) {
        return;
    }
    fuzz_check(rc == -SKR_INVALID || rc == -SKR_LIMIT);
    fuzz_check(rc == -(int)error->code);
    fuzz_check(memchr(error->text, '\0', sizeof error->text));
    fuzz_check(error->text[0] != '\0');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool fuzz_has_position(const char *text)
{
    for (const char *c = strchr(text, ':'); c; c = strchr(c + 1, ':')) {
        if (c > text && is_digit(c[-1]) && is_digit(c[1])) {
            return true;
        }
    }
    return false;
}

json_t *fuzz_json(const char *text, size_t n)
{
    json_t *json = json_loadb(text, n, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    fuzz_check(json);
    return json;
}
