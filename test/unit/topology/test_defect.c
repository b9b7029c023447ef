/* SPDX-License-Identifier: Apache-2.0 */
/* Defects are errors and warnings by their parts. */
#include "test/test.h"
#include "topology/defect.h"

static void write_down(void *context, const struct skr_defect *d)
{
    snprintf(context, 256, "%s %s|%s|%zu:%zu|%zu:%zu|%s", d->is_warning ? "warning" : "error",
             d->code, d->key, d->at.line, d->at.column, d->see.line, d->see.column, d->text);
}

TEST(a_defect_has_key_position_sentence_and_a_place_to_see)
{
    static const struct {
        struct skr_subject about;
        const char *text, *parts;
    } rows[] = {
        {{.key = "tree", .at = {3, 14}, .see = {1, 9}},
         "tree: 3:14: node (see 1:9)",
         "tree|3:14|1:9|node"},
        {{.key = "tree"}, "tree: node", "tree|0:0|0:0|node"},
        {{.key = "x.y", .is_label = true}, "label x.y: node", "x.y|0:0|0:0|node"},
        {{.key = NULL}, "node", "|0:0|0:0|node"},
        {{.key = ""}, "node", "|0:0|0:0|node"},
        {{.at = {1, 2}}, "1:2: node", "|1:2|0:0|node"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char got[256] = "", expected[256];
        const struct skr_defects to = {write_down, got};
        struct skr_error warning;
        (void)skr_error_set_at(&warning, SKR_INVALID, &rows[i].about, "no%s", "de");
        assert_string_equal(warning.text, rows[i].text);
        skr_defect_add(&to, "Code", true, &warning);
        snprintf(expected, sizeof expected, "warning Code|%s", rows[i].parts);
        assert_string_equal(got, expected);
    }
}

TEST(texts_that_look_like_keys_and_positions_are_sentences)
{
    char got[256] = "";
    const struct skr_defects to = {write_down, got};
    struct skr_error error;
    (void)skr_error_set_key(&error, SKR_LIMIT, "size", "1:1: \"x: 2:3: y\" (see 3:4)");
    skr_defect_add(&to, "Limit", false, &error);
    assert_string_equal(got, "error Limit|size|0:0|0:0|1:1: \"x: 2:3: y\" (see 3:4)");
    skr_defect_add(NULL, "Limit", false, &error); /* nobody listens */
}
