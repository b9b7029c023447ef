/* SPDX-License-Identifier: Apache-2.0 */
/* Lives of certificates in a small world: one Secret, one bundle that API servers trust a little
 * later, replicas that read the Secret now and then, leaders that change at any moment. */
#include "test/test.h"

#include "server/daemon/certificates.h"
#include "topology/base/arena.h"

#define NAME "sakkara-spotmix.sakkara.svc"

enum { T0 = 1700000000, REPLICAS = 3, LAG_S = 2 };

static const struct skr_certificates_rules rules = {
    .name = NAME, .leaf_s = 120, .authority_s = 360}; /* pace 1 s */

struct replica {
    char *leaf;
    int64_t read_at;
};

struct world {
    struct skr_certificates secret;
    char *bundle;  /* in the configuration */
    char *trusted; /* by API servers, LAG_S later */
    int64_t bundle_at;
    int64_t changed_at; /* as this leader has seen it */
    int leader;
    struct replica replica[REPLICAS];
    unsigned random;
    unsigned steps[SKR_CERTIFICATES_STEP_COUNT];
};

static void world_set_up(struct world *world)
{
    world->random = 1;
}

static void world_tear_down(struct world *world)
{
    skr_certificates_fini(&world->secret);
    free(world->bundle);
    free(world->trusted);
    for (int i = 0; i < REPLICAS; i++) {
        free(world->replica[i].leaf);
    }
}

static unsigned draw(struct world *world, unsigned n)
{
    world->random = world->random * 1664525 + 1013904223;
    return (world->random >> 8) % n;
}

static void set(char **text, const char *value)
{
    char *copy = skr_strdup(value);
    free(*text);
    *text = copy;
}

/* May be cut off between its two writes. */
static void lead(struct world *world, int64_t now)
{
    struct skr_certificates *secret = &world->secret;
    const bool stood =
        secret->bundle && world->bundle && strcmp(secret->bundle, world->bundle) == 0;
    if (!stood && secret->bundle && draw(world, 4) != 0) {
        set(&world->bundle, secret->bundle);
        world->bundle_at = now;
    }
    world->changed_at = stood ? world->changed_at : now;
    const enum skr_certificates_step step = skr_certificates_next(
        secret, &rules,
        now - world->changed_at > SKR_CERTIFICATES_SETTLED * skr_certificates_pace_s(&rules), now);
    if (step != SKR_CERTIFICATES_KEEP) {
        assert_int_equal(skr_certificates_take(secret, step, &rules, now, NULL), 0);
        world->changed_at = now;
        world->steps[step]++;
    }
    if (draw(world, 50) == 0) { /* another one, which has seen nothing */
        world->leader = (world->leader + 1) % REPLICAS;
        world->changed_at = now;
    }
}

static void live(struct world *world, int64_t now)
{
    lead(world, now);
    if (world->bundle && now - world->bundle_at >= LAG_S) {
        set(&world->trusted, world->bundle);
    }
    for (int i = 0; i < REPLICAS; i++) {
        struct replica *replica = &world->replica[i];
        if (now - replica->read_at >= 1 + (int)draw(world, 3) &&
            skr_certificates_are_usable(&world->secret, &rules, now)) {
            set(&replica->leaf, world->secret.leaf.cert);
            replica->read_at = now;
        }
    }
}

TEST_WITH(world, whatever_a_replica_serves_is_trusted_at_any_moment)
{
    for (int64_t now = T0; now < T0 + 1600; now++) {
        live(world, now);
        for (int i = 0; i < REPLICAS && now > T0 + 20; i++) {
            assert_true(skr_x509_is_trusted(world->replica[i].leaf, NAME, world->trusted,
                                            SKR_X509_BUNDLE_MAX, now));
        }
    }
    assert_int_equal(world->steps[SKR_CERTIFICATES_ANEW], 1);
    assert_in_range(world->steps[SKR_CERTIFICATES_PUBLISH], 5, 7);
    assert_in_range(world->steps[SKR_CERTIFICATES_DROP], 5, 7);
    assert_in_range(world->steps[SKR_CERTIFICATES_ISSUE], 16, 24);
}

TEST_WITH(world, an_authority_is_published_before_it_issues_and_dropped_after)
{
    struct skr_certificates *secret = &world->secret;
    int64_t now = T0;
    assert_int_equal(skr_certificates_next(secret, &rules, true, now), SKR_CERTIFICATES_ANEW);
    assert_int_equal(skr_certificates_take(secret, SKR_CERTIFICATES_ANEW, &rules, now, NULL), 0);
    assert_int_equal(skr_certificates_next(secret, &rules, true, now), SKR_CERTIFICATES_KEEP);
    now = T0 + 80; /* two thirds of the certificate */
    assert_int_equal(skr_certificates_next(secret, &rules, false, now), SKR_CERTIFICATES_ISSUE);
    now = T0 + 240; /* two thirds of the authority */
    assert_int_equal(skr_certificates_take(secret, SKR_CERTIFICATES_ISSUE, &rules, now, NULL), 0);
    assert_int_equal(skr_certificates_next(secret, &rules, false, now), SKR_CERTIFICATES_PUBLISH);
    assert_int_equal(skr_certificates_take(secret, SKR_CERTIFICATES_PUBLISH, &rules, now, NULL), 0);
    assert_int_equal(skr_x509_count(secret->bundle), 2);
    assert_int_equal(skr_certificates_next(secret, &rules, false, now), SKR_CERTIFICATES_KEEP);
    assert_int_equal(skr_certificates_next(secret, &rules, true, now), SKR_CERTIFICATES_ISSUE);
    assert_int_equal(skr_certificates_take(secret, SKR_CERTIFICATES_ISSUE, &rules, now, NULL), 0);
    assert_int_equal(skr_certificates_next(secret, &rules, false, now), SKR_CERTIFICATES_KEEP);
    assert_int_equal(skr_certificates_next(secret, &rules, true, now), SKR_CERTIFICATES_DROP);
    assert_int_equal(skr_certificates_take(secret, SKR_CERTIFICATES_DROP, &rules, now, NULL), 0);
    assert_int_equal(skr_x509_count(secret->bundle), 1);
    assert_true(skr_certificates_are_usable(secret, &rules, now));
    assert_int_equal(skr_certificates_next(secret, &rules, true, now), SKR_CERTIFICATES_KEEP);
}

TEST_WITH(world, what_somebody_broke_is_made_again)
{
    struct skr_certificates *secret = &world->secret;
    assert_int_equal(skr_certificates_take(secret, SKR_CERTIFICATES_ANEW, &rules, T0, NULL), 0);
    set(&secret->leaf.key, secret->authority_key);
    assert_false(skr_certificates_are_usable(secret, &rules, T0));
    assert_int_equal(skr_certificates_next(secret, &rules, false, T0), SKR_CERTIFICATES_ISSUE);
    set(&secret->authority_key, "nothing");
    assert_int_equal(skr_certificates_next(secret, &rules, false, T0), SKR_CERTIFICATES_ANEW);
    assert_int_equal(skr_certificates_take(secret, SKR_CERTIFICATES_ANEW, &rules, T0, NULL), 0);
    assert_int_equal(skr_certificates_next(secret, &rules, false, T0 + 360), SKR_CERTIFICATES_ANEW);
}

/* How many steps the leader takes at this time until nothing is due. */
static unsigned steps_at(struct skr_certificates *secret, const struct skr_certificates_rules *of,
                         int64_t now)
{
    unsigned n = 0;
    for (enum skr_certificates_step step;
         (step = skr_certificates_next(secret, of, true, now)) != SKR_CERTIFICATES_KEEP; n++) {
        assert_true(n < 10);
        assert_int_equal(skr_certificates_take(secret, step, of, now, NULL), 0);
    }
    assert_true(skr_certificates_are_usable(secret, of, now));
    return n;
}

/* With lifetimes as they are by default. */
TEST_WITH(world, a_clock_that_jumps_an_hour_either_way_changes_no_certificate)
{
    static const struct skr_certificates_rules usual = {
        .name = NAME, .leaf_s = 90 * 86400, .authority_s = 365 * 86400};
    enum { HOUR_S = 3600, LATER_S = 86400 };
    struct skr_certificates *secret = &world->secret;
    assert_int_equal(steps_at(secret, &usual, T0), 1);
    assert_int_equal(steps_at(secret, &usual, T0 + 10 - HOUR_S), 0);
    assert_int_equal(steps_at(secret, &usual, T0 + LATER_S + HOUR_S), 0);
    assert_int_equal(steps_at(secret, &usual, T0 + LATER_S), 0);
    assert_int_equal(steps_at(secret, &usual, T0 + LATER_S - HOUR_S), 0);
}

/* Certificates count from an hour before they are made. */
TEST_WITH(world, certificates_from_a_future_beyond_an_hour_are_made_anew_once)
{
    enum { DAY_S = 86400 };
    static const struct skr_certificates_rules usual = {
        .name = NAME, .leaf_s = 90 * DAY_S, .authority_s = 365 * DAY_S};
    struct skr_certificates *secret = &world->secret;
    assert_int_equal(steps_at(secret, &usual, T0 + DAY_S), 1); /* the clock is a day ahead */
    assert_false(skr_certificates_are_usable(secret, &usual, T0));
    assert_int_equal(steps_at(secret, &usual, T0), 1);
    assert_int_equal(steps_at(secret, &usual, T0 + DAY_S), 0);
}

TEST(replicas_look_every_second_to_every_half_minute)
{
    const struct skr_certificates_rules shortest = {.leaf_s = 30}, usual = {.leaf_s = 90 * 86400};
    assert_int_equal(skr_certificates_pace_s(&shortest), 1);
    assert_int_equal(skr_certificates_pace_s(&usual), 30);
}
