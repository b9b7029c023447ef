/* SPDX-License-Identifier: Apache-2.0 */
/* Authorities and certificates made here. */
#include "test/test.h"

#include "server/http/x509.h"

#define NAME "sakkara-spotmix.sakkara.svc"
#define DAY  ((int64_t)86400)

enum { T0 = 1700000000 };

struct issued {
    struct skr_x509_pair authority, leaf, other;
};

static void issued_set_up(struct issued *issued)
{
    assert_int_equal(skr_x509_make_authority(T0, 365 * DAY, &issued->authority, NULL), 0);
    assert_int_equal(skr_x509_make_authority(T0, 365 * DAY, &issued->other, NULL), 0);
    assert_int_equal(skr_x509_issue(&issued->authority, NAME, T0, 90 * DAY, &issued->leaf, NULL),
                     0);
}

static void issued_tear_down(struct issued *issued)
{
    skr_x509_pair_fini(&issued->authority);
    skr_x509_pair_fini(&issued->leaf);
    skr_x509_pair_fini(&issued->other);
}

TEST_WITH(issued, what_an_authority_issues_is_trusted_under_its_name_alone)
{
    const char *leaf = issued->leaf.cert, *authority = issued->authority.cert;
    assert_true(skr_x509_is_trusted(leaf, NAME, authority, 1, T0));
    assert_false(skr_x509_is_trusted(leaf, "other.sakkara.svc", authority, 1, T0));
    assert_false(skr_x509_is_trusted(leaf, NAME, issued->other.cert, 1, T0));
    assert_false(skr_x509_is_trusted(NULL, NAME, authority, 1, T0));
    assert_false(skr_x509_is_trusted(leaf, NAME, NULL, 1, T0));
    assert_false(skr_x509_is_trusted(leaf, NAME, "-----BEGIN CERTIFICATE-----\n", 1, T0));
}

TEST_WITH(issued, a_certificate_is_trusted_within_its_dates)
{
    struct skr_x509_dates dates;
    assert_true(skr_x509_dates(issued->leaf.cert, &dates));
    assert_int_equal(dates.from_s, T0 - SKR_X509_BACKDATE_S);
    assert_int_equal(dates.until_s, T0 + 90 * DAY);
    assert_int_equal(skr_x509_due(&dates), T0 + 60 * DAY);
    assert_false(
        skr_x509_is_trusted(issued->leaf.cert, NAME, issued->authority.cert, 1, dates.from_s - 1));
    assert_true(
        skr_x509_is_trusted(issued->leaf.cert, NAME, issued->authority.cert, 1, dates.until_s - 1));
    assert_false(
        skr_x509_is_trusted(issued->leaf.cert, NAME, issued->authority.cert, 1, dates.until_s));
}

TEST_WITH(issued, a_certificate_does_not_outlive_its_authority)
{
    struct skr_x509_pair leaf;
    struct skr_x509_dates dates;
    assert_int_equal(
        skr_x509_issue(&issued->authority, NAME, T0 + 300 * DAY, 90 * DAY, &leaf, NULL), 0);
    assert_true(skr_x509_dates(leaf.cert, &dates));
    assert_int_equal(dates.until_s, T0 + 365 * DAY);
    skr_x509_pair_fini(&leaf);
}

TEST_WITH(issued, keys_belong_to_their_certificates)
{
    assert_true(skr_x509_is_pair(issued->leaf.cert, issued->leaf.key));
    assert_true(skr_x509_is_pair(issued->authority.cert, issued->authority.key));
    assert_false(skr_x509_is_pair(issued->leaf.cert, issued->authority.key));
    assert_false(skr_x509_is_pair(issued->leaf.cert, "no key"));
    assert_false(skr_x509_is_pair("no certificate", issued->leaf.key));
    assert_false(skr_x509_is_pair(NULL, NULL));
}

TEST_WITH(issued, who_has_not_the_key_issues_nothing)
{
    const struct skr_x509_pair thief = {.cert = issued->authority.cert, .key = issued->leaf.key};
    struct skr_x509_pair leaf = {0};
    struct skr_error error;
    assert_int_equal(skr_x509_issue(&thief, NAME, T0, DAY, &leaf, &error), -SKR_INVALID);
    assert_null(leaf.cert);
}

TEST_WITH(issued, a_bundle_is_counted_and_taken_apart)
{
    SKR_STRBUF(bundle);
    SKR_STRBUF(second);

    skr_strbuf_add(&bundle, issued->other.cert);
    skr_strbuf_add(&bundle, issued->authority.cert);
    assert_int_equal(skr_x509_count(bundle.s), 2);
    assert_true(skr_x509_is_trusted(issued->leaf.cert, NAME, bundle.s, 2, T0));
    assert_false(skr_x509_is_trusted(issued->leaf.cert, NAME, bundle.s, 1, T0));
    assert_true(skr_x509_add_nth(bundle.s, 1, &second));
    assert_string_equal(second.s, issued->authority.cert);
    assert_false(skr_x509_add_nth(bundle.s, 2, &second));
    for (int i = 0; i < 20; i++) {
        skr_strbuf_add(&bundle, issued->authority.cert);
    }
    assert_int_equal(skr_x509_count(bundle.s), SKR_X509_BUNDLE_MAX);
    assert_int_equal(skr_x509_count(NULL), 0);
    assert_int_equal(skr_x509_count("none"), 0);
}
