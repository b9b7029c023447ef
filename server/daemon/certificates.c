/* SPDX-License-Identifier: Apache-2.0 */
/* Decides and makes the next change of own certificates. */
#include "server/daemon/certificates.h"

#include <stdlib.h>
#include <string.h>

enum { PACE_MIN_S = 1, PACE_MAX_S = 30, LOOKS_A_LIFETIME = 600 };

const char *const skr_certificates_step_name[] = {"kept", "made", "issued", "published", "dropped"};
_Static_assert(sizeof skr_certificates_step_name / sizeof skr_certificates_step_name[0] ==
                   SKR_CERTIFICATES_STEP_COUNT,
               "a name each");

void skr_certificates_fini(struct skr_certificates *certificates)
{
    if (certificates->authority_key) {
        explicit_bzero(certificates->authority_key, strlen(certificates->authority_key));
    }
    free(certificates->bundle);
    free(certificates->authority_key);
    skr_x509_pair_fini(&certificates->leaf);
    *certificates = (struct skr_certificates){0};
}

int64_t skr_certificates_pace_s(const struct skr_certificates_rules *rules)
{
    const int64_t pace = rules->leaf_s / LOOKS_A_LIFETIME;
    return pace < PACE_MIN_S ? PACE_MIN_S : pace > PACE_MAX_S ? PACE_MAX_S : pace;
}

bool skr_certificates_are_usable(const struct skr_certificates *certificates,
                                 const struct skr_certificates_rules *rules, int64_t now_s)
{
    return skr_x509_is_pair(certificates->leaf.cert, certificates->leaf.key) &&
           skr_x509_is_trusted(certificates->leaf.cert, rules->name, certificates->bundle,
                               SKR_X509_BUNDLE_MAX, now_s);
}

static bool is_due(const char *cert, int64_t now_s)
{
    struct skr_x509_dates dates;
    return !skr_x509_dates(cert, &dates) || now_s >= skr_x509_due(&dates);
}

/* The first authority can issue. One that begins in the future was made by a clock that was wrong: what
 * it issues would not be trusted, and would be issued again in every turn. */
static bool can_issue(const struct skr_certificates *certificates, int64_t now_s)
{
    struct skr_x509_dates dates;
    return skr_x509_is_pair(certificates->bundle, certificates->authority_key) &&
           skr_x509_dates(certificates->bundle, &dates) && now_s >= dates.from_s &&
           now_s < dates.until_s;
}

enum skr_certificates_step skr_certificates_next(const struct skr_certificates *certificates,
                                                 const struct skr_certificates_rules *rules,
                                                 bool settled, int64_t now_s)
{
    const struct skr_certificates *c = certificates;
    if (!can_issue(c, now_s)) {
        return SKR_CERTIFICATES_ANEW;
    }
    if (!skr_certificates_are_usable(c, rules, now_s)) {
        return SKR_CERTIFICATES_ISSUE;
    }
    if (skr_x509_count(c->bundle) > 1) {
        if (!settled) {
            return SKR_CERTIFICATES_KEEP;
        }
        return skr_x509_is_trusted(c->leaf.cert, rules->name, c->bundle, 1, now_s)
                   ? SKR_CERTIFICATES_DROP
                   : SKR_CERTIFICATES_ISSUE;
    }
    if (is_due(c->bundle, now_s)) {
        return SKR_CERTIFICATES_PUBLISH;
    }
    return is_due(c->leaf.cert, now_s) ? SKR_CERTIFICATES_ISSUE : SKR_CERTIFICATES_KEEP;
}

static void set_authority(struct skr_certificates *c, struct skr_x509_pair *authority)
{
    if (c->authority_key) {
        explicit_bzero(c->authority_key, strlen(c->authority_key));
    }
    free(c->bundle);
    free(c->authority_key);
    c->bundle = authority->cert;
    c->authority_key = authority->key;
    *authority = (struct skr_x509_pair){0};
}

static void set_leaf(struct skr_certificates *c, struct skr_x509_pair *leaf)
{
    skr_x509_pair_fini(&c->leaf);
    c->leaf = *leaf;
    *leaf = (struct skr_x509_pair){0};
}

static int make_anew(struct skr_certificates *c, const struct skr_certificates_rules *rules,
                     int64_t now_s, struct skr_error *error)
{
    struct skr_x509_pair authority = {0}, leaf = {0};
    int rc = skr_x509_make_authority(now_s, rules->authority_s, &authority, error);
    rc = rc < 0 ? rc : skr_x509_issue(&authority, rules->name, now_s, rules->leaf_s, &leaf, error);
    if (rc == 0) {
        set_authority(c, &authority);
        set_leaf(c, &leaf);
    }
    skr_x509_pair_fini(&authority);
    skr_x509_pair_fini(&leaf);
    return rc;
}

static int issue(struct skr_certificates *c, const struct skr_certificates_rules *rules,
                 int64_t now_s, struct skr_error *error)
{
    const struct skr_x509_pair authority = {.cert = c->bundle, .key = c->authority_key};
    struct skr_x509_pair leaf = {0};
    const int rc = skr_x509_issue(&authority, rules->name, now_s, rules->leaf_s, &leaf, error);
    if (rc == 0) {
        set_leaf(c, &leaf);
    }
    return rc;
}

/* The new authority in front of the one that has issued last. */
static int publish(struct skr_certificates *c, const struct skr_certificates_rules *rules,
                   int64_t now_s, struct skr_error *error)
{
    struct skr_x509_pair authority = {0};
    SKR_STRBUF(bundle);
    const int rc = skr_x509_make_authority(now_s, rules->authority_s, &authority, error);
    if (rc < 0) {
        return rc;
    }
    skr_strbuf_add(&bundle, authority.cert);
    (void)skr_x509_add_nth(c->bundle, 0, &bundle);
    free(authority.cert);
    authority.cert = skr_strbuf_take(&bundle, NULL);
    set_authority(c, &authority);
    return 0;
}

static void drop(struct skr_certificates *c)
{
    SKR_STRBUF(first);
    (void)skr_x509_add_nth(c->bundle, 0, &first);
    free(c->bundle);
    c->bundle = skr_strbuf_take(&first, NULL);
}

int skr_certificates_take(struct skr_certificates *certificates, enum skr_certificates_step step,
                          const struct skr_certificates_rules *rules, int64_t now_s,
                          struct skr_error *error)
{
    switch (step) {
    case SKR_CERTIFICATES_ANEW:
        return make_anew(certificates, rules, now_s, error);
    case SKR_CERTIFICATES_ISSUE:
        return issue(certificates, rules, now_s, error);
    case SKR_CERTIFICATES_PUBLISH:
        return publish(certificates, rules, now_s, error);
    case SKR_CERTIFICATES_DROP:
        drop(certificates);
        break;
    case SKR_CERTIFICATES_KEEP:
    case SKR_CERTIFICATES_STEP_COUNT:
        break;
    }
    return 0;
}
