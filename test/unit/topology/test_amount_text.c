/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts in people's words. */
#include "test/test.h"
#include "topology/amount_text.h"

static const struct {
    const char *resource;
    int64_t amount;
    const char *number, *text;
} cases[] = {
    {"cpu", 2000, "2", "2 CPU"},
    {"cpu", 1500, "1.5", "1.5 CPU"},
    {"cpu", 1, "0.1", "0.1 CPU"}, /* never too small */
    {"cpu", 1950, "2", "2 CPU"},
    {"cpu", 0, "0", "0 CPU"},
    {"cpu", -2500, "-2.5", "-2.5 CPU"},
    {"cpu", INT64_MAX, "9223372036854775.9", "9223372036854775.9 CPU"},
    {"memory", 0, "0 B", "0 B memory"},
    {"memory", 1023, "1023 B", "1023 B memory"},
    {"memory", 1024, "1 KiB", "1 KiB memory"},
    {"memory", (int64_t)4 << 30, "4 GiB", "4 GiB memory"},
    {"memory", ((int64_t)4 << 30) + 1, "4.1 GiB", "4.1 GiB memory"},
    {"memory", INT64_MIN, "-8192 PiB", "-8192 PiB memory"},
    {"memory", INT64_MAX, "8192 PiB", "8192 PiB memory"},
    {"ephemeral-storage", (int64_t)10 << 40, "10 TiB", "10 TiB ephemeral-storage"},
    {"hugepages-2Mi", 2 << 20, "2 MiB", "2 MiB hugepages-2Mi"},
    {"nvidia.com/gpu", 2, "2", "2 GPU"},
    {"amd.com/gpu", -1, "-1", "-1 GPU"},
    {"example.com/dongle", 3, "3", "3 dongle"},
    {"strange/", 1, "1", "1 strange/"},
    {"pods", 1, "1", "1 pod"},
    {"pods", 2, "2", "2 pods"},
    {"places", 1, "1", "1 place"},
    {"places", 2, "2", "2 places"},
};

TEST(amounts_are_said_with_their_units)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SKR_STRBUF(b);
        skr_amount_add_number(&b, cases[i].resource, cases[i].amount);
        assert_string_equal(b.s, cases[i].number);
        skr_strbuf_reset(&b);
        skr_amount_add(&b, cases[i].resource, cases[i].amount);
        assert_string_equal(b.s, cases[i].text);
    }
}

TEST(labels_are_heads_of_columns)
{
    static const char *const pairs[][2] = {{"nvidia.com/gpu", "GPU"},
                                           {"cpu", "CPU"},
                                           {"memory", "MEMORY"},
                                           {"ephemeral-storage", "EPHEMERAL-STORAGE"},
                                           {"rack", "RACK"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        SKR_STRBUF(b);
        skr_amount_add_label(&b, pairs[i][0]);
        assert_string_equal(b.s, pairs[i][1]);
    }
}
