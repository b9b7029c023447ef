/* SPDX-License-Identifier: Apache-2.0 */
/* Look-up in sorted lists. */
#include <string.h>

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
