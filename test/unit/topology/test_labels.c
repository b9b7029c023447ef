/* SPDX-License-Identifier: Apache-2.0 */
/* Look-up in sorted lists. */
#include "test/test.h"
#include "topology/labels.h"

TEST(every_key_is_found_and_nothing_else)
{
    struct skr_label item[] = {{"a", "1"}, {"c", ""}, {"e", "3"}, {"g", "4"}, {"i", "5"}};
    for (size_t n = 0; n <= 5; n++) {
        struct skr_labels labels = {n, item};
        for (size_t i = 0; i < n; i++) {
            assert_ptr_equal(skr_labels_get(&labels, item[i].key), item[i].value);
        }
        static const char *const missing[] = {"", "A", "b", "d", "f", "h", "j", "aa", "ii"};
        for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
            assert_null(skr_labels_get(&labels, missing[i]));
        }
    }
}

TEST(names_in_any_order_are_found_once_they_are_sorted_and_nothing_else)
{
    const char *name[] = {"m", "c", "", "z", "c", "a", "aa"};
    static const char *const missing[] = {"b", "A", "zz", "ab", "n"};
    for (size_t n = 0; n <= sizeof name / sizeof name[0]; n++) {
        const char *some[sizeof name / sizeof name[0]];
        memcpy(some, name, n * sizeof *name);
        skr_names_sort(some, n);
        for (size_t i = 0; i < n; i++) {
            assert_true(skr_names_contain(some, n, name[i]));
        }
        for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
            assert_false(skr_names_contain(some, n, missing[i]));
        }
    }
}
