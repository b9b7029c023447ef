/* SPDX-License-Identifier: Apache-2.0 */
/* Look-up in sorted lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "topology/labels.h"

static void every_key_is_found_and_nothing_else(void **state)
{
    struct skr_label item[] = {{"a", "1"}, {"c", ""}, {"e", "3"}, {"g", "4"}, {"i", "5"}};
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_found_and_nothing_else),
    };
    return cmocka_run_group_tests_name("labels", tests, NULL, NULL);
}
