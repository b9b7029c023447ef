/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of the kube client by themselves: lines out of chunks, pruned objects, known ones. */
#include "server/kube/known.h"
#include "server/kube/lines.h"
#include "server/kube/prune.h"
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

/* What the parser gets is the same document with empty managedFields, whatever they held. */
TEST(managed_fields_are_left_out_and_nothing_else_is)
{
    static const struct {
        const char *in;
        const char *out; /* NULL: as in */
    } cases[] = {
        {"", NULL},
        {"{}", NULL},
        {"{\"managedFields\":[]}", NULL},
        {"{\"managedFields\":[{\"a\":[1,\"]\"],\"f:\\\"]\":{}}],\"b\":1}",
         "{\"managedFields\":[],\"b\":1}"},
        {"[{\"managedFields\": \n[1]},{\"managedFields\":[2,[3]]},4]",
         "[{\"managedFields\": \n[]},{\"managedFields\":[]},4]"},
        {"{\"managedFields\":\"[text]\"}", NULL},
        {"{\"x\\\"managedFields\":[1]}", NULL},
        {"{\"a\":\"\\\"managedFields\\\":[1]\"}", NULL},
        {"{\"managedFields\":[1", NULL},
        {"{\"managedFields\":", NULL},
        {"{\"managedFields\":[\"\\", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t size = 1; size < 40; size += 6) {
            struct skr_prune prune;
            char out[256] = "";
            size_t n = 0;
            skr_prune_init(&prune, cases[i].in, strlen(cases[i].in));
            for (size_t got; (got = skr_prune_read(out + n, size, &prune)) > 0;) {
                n += got;
            }
            out[n] = '\0';
            assert_string_equal(out, cases[i].out ? cases[i].out : cases[i].in);
        }
    }
}
