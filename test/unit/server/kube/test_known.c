/* SPDX-License-Identifier: Apache-2.0 */
/* The objects that a watch knows of. */
#include "server/kube/known.h"
#include "test/test.h"
#include "topology/base/hash.h"

enum { NAMES = 300 };

/* Names of one stem, of stems of their own, without one, and too long to stand in place. */
static void name_of(size_t i, char *ret, size_t size)
{
    static const char *const begin[] = {"web-7d9-x", "job-", "n", "a-very.long.name.of.its.own"};
    (void)snprintf(ret, size, "%s%zu%s", begin[i % 4], i / 4, i % 4 == 1 ? "-0" : "");
}

static const char *namespace_of(size_t i)
{
    static const char *const names[] = {"", "a", "a-b"};
    return names[i % 3];
}

static void uid_of(size_t i, unsigned int life, char *ret, size_t size)
{
    if (i % 2 == 1) {
        (void)snprintf(ret, size, "%08x-0000-4000-8000-0123456789ab", life);
    } else {
        (void)snprintf(ret, size, "uid-%u", life);
    }
}

static void expect(const struct skr_known *known, const struct skr_known_object *o, size_t i,
                   unsigned int life)
{
    struct skr_known_names names;
    char name[64], uid[64];
    name_of(i, name, sizeof name);
    uid_of(i, life, uid, sizeof uid);
    skr_known_read(known, o, &names);
    assert_string_equal(names.namespace_, namespace_of(i));
    assert_string_equal(names.name, name);
    assert_string_equal(names.uid, uid);
    assert_true(skr_known_has_uid(o, uid));
    assert_false(skr_known_has_uid(o, "another"));
}

static void expect_sorted(const struct skr_known *known, uint32_t list, size_t expected)
{
    struct skr_known_names names[2];
    size_t n = 0;
    struct skr_known_object **unseen = skr_known_unseen(known, list, &n);
    assert_int_equal(n, expected);
    for (size_t i = 0; i < n; i++) {
        skr_known_read(known, unseen[i], &names[i % 2]);
        const struct skr_known_names *now = &names[i % 2], *last = &names[(i + 1) % 2];
        int order = i > 0 ? strcmp(last->namespace_, now->namespace_) : -1;
        assert_true(order < 0 || (order == 0 && strcmp(last->name, now->name) < 0));
    }
    free(unseen);
}

/* Random puts and removals against a plain array. */
TEST(known_objects_are_what_was_put_and_not_removed)
{
    unsigned int present[NAMES] = {0}; /* 0: absent, else which life */
    uint32_t random = 12345;
    struct skr_known *known = skr_known_create(&(struct skr_hash_seed){{1, 2}});
    size_t n = 0;
    for (unsigned int step = 1; step <= 20000; step++) {
        random = random * 1664525u + 1013904223u;
        size_t i = (random >> 8) % NAMES;
        char name[64], uid[64];
        name_of(i, name, sizeof name);
        uid_of(i, step, uid, sizeof uid);
        struct skr_known_object *o = skr_known_find(known, namespace_of(i), name);
        assert_int_equal(!!o, present[i] != 0);
        if (o) {
            expect(known, o, i, present[i]);
        }
        if (random >> 30 && (random >> 29) % 3) {
            o = skr_known_put(known, namespace_of(i), name, uid);
            assert_true(o && !o->delivered && o->list == 0);
            assert_ptr_equal(skr_known_put(known, namespace_of(i), name, uid), o);
            o->list = (step & 1023) | 1024;
            n += present[i] == 0;
            present[i] = step;
        } else if (o) {
            skr_known_remove(known, o);
            present[i] = 0;
            n--;
        }
        assert_int_equal(skr_known_count(known), n);
    }
    expect_sorted(known, 0, n);
    skr_known_destroy(known);
}

TEST(what_a_list_did_not_see_is_found_by_its_number)
{
    struct skr_known *known = skr_known_create(&(struct skr_hash_seed){{1, 2}});
    skr_known_put(known, "ns", "a-1", "u")->list = 7;
    skr_known_put(known, "ns", "a-2", "u")->list = 8;
    size_t n = 0;
    struct skr_known_object **unseen = skr_known_unseen(known, 8 + SKR_KNOWN_LISTS, &n);
    struct skr_known_names names;
    assert_int_equal(n, 1);
    skr_known_read(known, unseen[0], &names);
    assert_string_equal(names.name, "a-1");
    free(unseen);
    skr_known_destroy(known);
}

TEST(names_beyond_their_limits_are_not_taken)
{
    char text[SKR_KNOWN_NAME_MAX + 2];
    struct skr_known *known = skr_known_create(&(struct skr_hash_seed){{1, 2}});
    struct skr_known_names names;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_null(skr_known_put(known, "ns", text, "u"));
    assert_null(skr_known_put(known, "ns", "n", text));
    assert_null(skr_known_put(known, text, "n", "u"));
    assert_int_equal(skr_known_count(known), 0);
    const char *longest = text + 1;
    skr_known_read(known, skr_known_put(known, "ns", longest, "u"), &names);
    assert_string_equal(names.name, longest);
    skr_known_destroy(known);
}
