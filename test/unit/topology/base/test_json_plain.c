/* SPDX-License-Identifier: Apache-2.0 */
/* Every byte at every place, against a look at one byte after the other. */
#include "test/test.h"
#include "topology/base/json_plain.h"

enum { SIZE = 21 }; /* two words of eight bytes, and a rest */

static size_t one_by_one(const char *s, size_t n)
{
    size_t at = 0;
    while (at < n && skr_json_is_plain((unsigned char)s[at])) {
        at++;
    }
    return at;
}

TEST(bytes_that_stand_for_themselves_are_told_from_the_others)
{
    for (int c = 0; c < 256; c++) {
        const bool plain = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
        assert_int_equal(skr_json_is_plain((unsigned char)c), plain);
    }
}

TEST(the_first_byte_that_is_not_plain_is_found_wherever_it_is)
{
    static const char around[] = {'a', ' ', '!', '#', '[', ']', 0x7f};
    char text[SIZE];
    for (size_t fill = 0; fill < sizeof around; fill++) {
        for (size_t at = 0; at < SIZE; at++) {
            for (int c = 0; c < 256; c++) {
                memset(text, around[fill], sizeof text);
                text[at] = (char)c;
                text[SIZE - 1] = '"';
                assert_int_equal(skr_json_plain_length(text, SIZE), one_by_one(text, SIZE));
            }
        }
    }
}

TEST(no_byte_behind_the_end_is_looked_at)
{
    for (size_t n = 0; n <= SIZE; n++) {
        SKR_AUTO_FREE char *text = malloc(n + 1);
        memset(text, 'a', n);
        text[n] = '"';
        assert_int_equal(skr_json_plain_length(text, n), n);
    }
}
