/* SPDX-License-Identifier: Apache-2.0 */
/* Two objects side by side are what look-ups would find (server/object/pairs.h). */
#include "server/object/pairs.h"
#include "test/test.h"
#include "test/unit/json_text.h"

/* Members of a in their order, each with its value and the one in b. */
static void check_members(const json_t *a, const json_t *b)
{
    struct skr_pairs p = skr_pairs_of(a, b);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)a, key, value)
    {
        assert_true(skr_pairs_next(&p));
        assert_string_equal(p.key, key);
        assert_ptr_equal(p.value, value);
        assert_ptr_equal(p.other, json_object_get(b, key));
    }
    assert_false(skr_pairs_next(&p));
}

TEST(members_come_with_what_the_other_object_has_under_their_keys)
{
    static const char *const text[] = {
        "{}",
        "{'a':1}",
        "{'a':1,'b':2,'c':3,'d':4}",
        "{'b':5,'c':6,'d':7}",
        "{'a':1,'x':0,'b':2,'c':3}",
        "{'d':1,'c':2,'b':3,'a':4}",
        "{'c':1,'d':2,'a':3,'b':4,'e':5}",
    };
    enum { N = sizeof text / sizeof *text };
    for (size_t i = 0; i < N; i++) {
        json_auto_t *a = json_text_load(text[i]);
        check_members(a, NULL);
        check_members(NULL, a);
        for (size_t j = 0; j < N; j++) {
            json_auto_t *b = json_text_load(text[j]);
            check_members(a, b);
        }
    }
}

TEST(a_member_may_be_taken_out_or_replaced_where_one_stands)
{
    json_auto_t *own = json_text_load("{'a':1,'b':2,'c':3,'d':4}");
    json_auto_t *with = json_text_load("{'a':5,'c':6,'d':7}");
    json_auto_t *expected = json_text_load("{'a':5,'c':6,'d':7}");
    struct skr_pairs p = skr_pairs_of(own, with);
    while (skr_pairs_next(&p)) {
        if (!p.other) {
            json_object_del(own, p.key);
        } else {
            skr_pairs_set(&p, json_incref(p.other));
            assert_ptr_equal(p.value, p.other);
        }
    }
    assert_true(json_equal(own, expected));
}

TEST(values_are_equal_where_jansson_says_so)
{
    static const char *const text[] = {
        "[null]",
        "[true]",
        "[1]",
        "[1.5]",
        "['1']",
        "[1,2]",
        "[[1],{}]",
        "[{'a':1,'b':[{'c':2}]}]",
        "[{'b':[{'c':2}],'a':1}]",
        "[{'b':[{'c':3}],'a':1}]",
        "[{'a':1}]",
        "[{'a':1,'b':null}]",
    };
    enum { N = sizeof text / sizeof *text };
    for (size_t i = 0; i < N; i++) {
        json_auto_t *a = json_text_load(text[i]);
        assert_true(skr_pairs_equal(a, a));
        assert_false(skr_pairs_equal(a, NULL));
        assert_false(skr_pairs_equal(NULL, a));
        for (size_t j = 0; j < N; j++) {
            json_auto_t *b = json_text_load(text[j]);
            assert_int_equal(skr_pairs_equal(a, b), json_equal(a, b) == 1);
        }
    }
    assert_true(skr_pairs_equal(NULL, NULL));
}
