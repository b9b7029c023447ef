/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of errors and warnings taken apart. */
#include <stdio.h>

#include "test/test.h"
#include "topology/defect.h"

static void write_down(void *context, const struct skr_defect *d)
{
    snprintf(context, 256, "%s %s|%s|%zu:%zu|%zu:%zu|%s", d->is_warning ? "warning" : "error",
             d->code, d->key, d->at.line, d->at.column, d->see.line, d->see.column, d->text);
}

TEST(a_text_has_key_position_and_a_place_to_see)
{
    static const struct {
        const char *text, *parts;
    } rows[] = {
        {"tree: 3:14: node \"node-3\" twice (see 1:9)", "tree|3:14|1:9|node \"node-3\" twice"},
        {"tree: missing", "tree|0:0|0:0|missing"},
        {"constraints: 1:12: \"min\" 4: odd", "constraints|1:12|0:0|\"min\" 4: odd"},
        {"label sakkara.group.size: missing", "sakkara.group.size|0:0|0:0|missing"},
        {"label x.y: unknown, ignored", "x.y|0:0|0:0|unknown, ignored"},
        {"no key at all", "|0:0|0:0|no key at all"},
        {"tree: 1:2 no position", "tree|0:0|0:0|1:2 no position"},
        {"tree: 1:2: x (see 1:2) y", "tree|1:2|0:0|x (see 1:2) y"},
        {"tree: 1:2: x (see (see 3:4)", "tree|1:2|3:4|x (see"},
        {"tree: 9999999999:1: x", "tree|0:0|0:0|9999999999:1: x"},
        {"", "|0:0|0:0|"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char got[256] = "", expected[256];
        const struct skr_defects to = {write_down, got};
        skr_defect_add(&to, "Code", true, rows[i].text);
        snprintf(expected, sizeof expected, "warning Code|%s", rows[i].parts);
        assert_string_equal(got, expected);
    }
}

TEST(an_error_is_told_and_handed_on)
{
    char got[256] = "";
    const struct skr_defects to = {write_down, got};
    struct skr_error error;
    (void)skr_error_set(&error, SKR_LIMIT, "size: 1:1: too large");
    assert_int_equal(skr_defect_error(&to, "Limit", &error), -SKR_LIMIT);
    assert_string_equal(got, "error Limit|size|1:1|0:0|too large");
    assert_int_equal(skr_defect_error(NULL, "Limit", &error), -SKR_LIMIT);
    skr_defect_add(NULL, "Limit", true, "nobody listens");
}
