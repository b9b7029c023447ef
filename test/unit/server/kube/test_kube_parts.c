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

/* Random puts and removals against a plain array. */
TEST(known_objects_are_what_was_put_and_not_removed)
{
    enum { NAMES = 300, STEPS = 20000 };
    unsigned int present[NAMES] = {0}; /* 0: absent, else number of the uid */
    uint32_t random = 12345;
    struct skr_known *known = skr_known_create();
    size_t n = 0;
    for (unsigned int step = 1; step <= STEPS; step++) {
        random = random * 1664525u + 1013904223u;
        size_t i = (random >> 8) % NAMES;
        char name[16];
        char uid[64];
        (void)snprintf(name, sizeof name, "pod-%zu", i);
        (void)snprintf(uid, sizeof uid, i % 2 ? "%08x-0000-4000-8000-0123456789ab" : "uid-%u",
                       step);
        struct skr_known_object *o = skr_known_find(known, "ns", name);
        assert_int_equal(!!o, present[i] != 0);
        if (o) {
            char buffer[SKR_KNOWN_UID_BUFFER];
            char expected[64];
            (void)snprintf(expected, sizeof expected,
                           i % 2 ? "%08x-0000-4000-8000-0123456789ab" : "uid-%u", present[i]);
            assert_string_equal(skr_known_uid(o, buffer), expected);
        }
        if (random >> 30 && (random >> 29) % 3) {
            o = skr_known_put(known, "ns", name, uid);
            assert_false(o->delivered);
            o->list = step;
            n += present[i] == 0;
            present[i] = step;
        } else if (o) {
            skr_known_take(known, o);
            free(o);
            present[i] = 0;
            n--;
        }
        assert_int_equal(skr_known_count(known), n);
    }
    size_t unseen = 0;
    struct skr_known_object **list = skr_known_unseen(known, 0, &unseen);
    assert_int_equal(unseen, n);
    for (size_t i = 1; i < unseen; i++) {
        assert_true(strcmp(skr_known_name(list[i - 1]), skr_known_name(list[i])) < 0);
    }
    free(list);
    char long_name[SKR_KNOWN_NAME_MAX + 2];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_null(skr_known_put(known, "ns", long_name, "u"));
    skr_known_destroy(known);
}
