/* SPDX-License-Identifier: Apache-2.0 */
#include "topology/base/uuid.h"

#include "test/test.h"

TEST(a_uuid_comes_back_as_it_was)
{
    static const char *const text[] = {"00000000-0000-0000-0000-000000000000",
                                       "ffffffff-ffff-ffff-ffff-ffffffffffff",
                                       "01234567-89ab-cdef-0123-456789abcdef"};
    uint64_t uuid[2];
    char back[SKR_UUID_TEXT];
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        assert_true(skr_uuid_pack(text[i], uuid));
        assert_string_equal(skr_uuid_unpack(uuid, back), text[i]);
    }
    assert_true(uuid[0] == 0x0123456789abcdef && uuid[1] == 0x0123456789abcdef);
}

TEST(other_texts_are_no_uuids)
{
    static const char *const text[] = {"",
                                       "0",
                                       "01234567-89AB-cdef-0123-456789abcdef",
                                       "01234567-89ab-cdef-0123-456789abcde",
                                       "01234567-89ab-cdef-0123-456789abcdef0",
                                       "0123456789abcdef-0123-456789abcdef--",
                                       "01234567_89ab-cdef-0123-456789abcdef"};
    uint64_t uuid[2];
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        assert_false(skr_uuid_pack(text[i], uuid));
    }
}
