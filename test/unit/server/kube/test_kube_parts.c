/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of the kube client by themselves: lines out of chunks. */
#include "server/kube/known.h"
#include "server/kube/lines.h"
#include "test/test.h"
#include "topology/base/error.h"

struct heard {
    char text[256];
    size_t left; /* lines to take before stopping */
};

static bool hear(void *context, const char *text, size_t n)
{
    struct heard *h = context;
    size_t at = strlen(h->text);
    (void)snprintf(h->text + at, sizeof h->text - at, "[%.*s]", (int)n, text);
    return --h->left > 0;
}

TEST(lines_are_cut_wherever_chunks_fall)
{
    static const struct {
        const char *chunks[4];
        const char *heard;
        int result;
    } cases[] = {
        {{"ab\ncd\n"}, "[ab][cd]", 0},         {{"a", "b", "\n", "c"}, "[ab]", 0},
        {{"ab\r\n\n\r\ncd"}, "[ab]", 0},       {{"12345678\n"}, "[12345678]", 0},
        {{"1234", "5678\n"}, "[12345678]", 0}, {{"123456789\n"}, "", -SKR_LIMIT},
        {{"1234", "56789"}, "", -SKR_LIMIT},   {{"a\nb\nc\nd\ne\n"}, "[a][b][c][d]", -SKR_GONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct skr_lines lines;
        struct heard h = {.left = 4};
        int rc = 0;
        skr_lines_init(&lines, 8);
        for (size_t k = 0; k < 4 && cases[i].chunks[k] && rc == 0; k++) {
            rc = skr_lines_feed(&lines, cases[i].chunks[k], strlen(cases[i].chunks[k]), hear, &h);
        }
        assert_int_equal(rc, cases[i].result);
        assert_string_equal(h.text, cases[i].heard);
        skr_lines_fini(&lines);
    }
}
