/* SPDX-License-Identifier: Apache-2.0 */
#include "server/lab/store/indexes.h"
#include "test/test.h"

TEST(indexes_are_written_as_ranges)
{
    static const int64_t some[] = {9, 0, 2, 3, 4, 5, 7, 8};
    struct skr_indexes set = {NULL, 0}, again = {NULL, 0};

    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        assert_true(skr_indexes_add(&set, some[i]));
    }
    assert_false(skr_indexes_add(&set, 9));
    assert_false(skr_indexes_add(&set, -1));
    assert_false(skr_indexes_add(&set, SKR_INDEXES_MAX));
    char *text = skr_indexes_text(&set);
    assert_string_equal(text, "0,2-5,7-9");
    skr_indexes_parse(&again, text);
    assert_true(skr_indexes_has(&again, 4));
    assert_false(skr_indexes_has(&again, 6));
    free(text);
    text = skr_indexes_text(&again);
    assert_string_equal(text, "0,2-5,7-9");
    free(text);
    skr_indexes_fini(&set);
    skr_indexes_fini(&again);
}
