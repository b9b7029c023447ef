/* SPDX-License-Identifier: Apache-2.0 */
#include "test/golden.h"

#include "test/test.h"
#include "topology/base/strbuf.h"

char *golden_read(const char *path)
{
    struct skr_strbuf text;
    char chunk[4096];
    size_t n;
    FILE *file = fopen(path, "rb");
    skr_strbuf_init(&text);
    while (file && (n = fread(chunk, 1, sizeof chunk, file)) > 0) {
        skr_strbuf_addn(&text, chunk, n);
    }
    if (file) {
        fclose(file);
    }
    return skr_strbuf_take(&text, NULL);
}

static bool write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    bool good = file && fputs(text, file) >= 0;
    good = file && fclose(file) == 0 && good;
    if (!good) {
        print_error("%s cannot be written\n", path);
    }
    return good;
}

static void print_difference(const char *path, const char *expected, const char *got)
{
    size_t begin = 0, line = 1;
    for (size_t i = 0; expected[i] && expected[i] == got[i]; i++) {
        if (expected[i] == '\n') {
            begin = i + 1;
            line++;
        }
    }
    print_error("%s:%zu differs (UPDATE=1 writes it anew)\n", path, line);
    print_error("expected: %.*s\n", (int)strcspn(expected + begin, "\n"), expected + begin);
    print_error("got:      %.*s\n", (int)strcspn(got + begin, "\n"), got + begin);
}

bool golden_is(const char *path, const char *got)
{
    const char *update = getenv("UPDATE");
    if (update && *update) {
        return write_file(path, got);
    }
    SKR_AUTO_FREE char *expected = golden_read(path);
    bool same = strcmp(expected, got) == 0;
    if (!same) {
        print_difference(path, expected, got);
    }
    return same;
}

void golden_check(const char *path, const char *got)
{
    if (!golden_is(path, got)) {
        fail_msg("%s differs", path);
    }
}
