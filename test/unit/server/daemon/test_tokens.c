/* SPDX-License-Identifier: Apache-2.0 */
/* Lives of tokens in a small world: one Secret, one path that API servers send a little later,
 * replicas that read the Secret now and then, leaders that change at any moment. */
#include "test/test.h"

#include "server/daemon/tokens.h"

enum { T0 = 1700000000, LIFETIME_S = 90, REPLICAS = 3, LAG_S = 2, SETTLED_S = 6, HOUR_S = 3600 };

struct world {
    struct skr_tokens secret;
    char path[SKR_CALLER_TOKEN_LEN + 1]; /* in the configuration */
    char sent[SKR_CALLER_TOKEN_LEN + 1]; /* by API servers, LAG_S later */
    int64_t path_at, changed_at;
    struct skr_caller_tokens replica[REPLICAS];
    int64_t read_at[REPLICAS];
    unsigned random;
    unsigned steps[SKR_TOKENS_STEP_COUNT];
};

static void world_set_up(struct world *world)
{
    world->random = 1;
}

static void world_tear_down(struct world *world)
{
    (void)world;
}

static unsigned draw(struct world *world, unsigned n)
{
    world->random = world->random * 1664525 + 1013904223;
    return (world->random >> 8) % n;
}

/* May be cut off between its two writes. */
static void lead(struct world *world, int64_t now, int64_t wall)
{
    struct skr_tokens *secret = &world->secret;
    const char *current = secret->at[SKR_TOKEN_CURRENT].text;
    const bool stood = current[0] != '\0' && strcmp(current, world->path) == 0;
    if (!stood && current[0] != '\0' && draw(world, 4) != 0) {
        memcpy(world->path, current, sizeof world->path);
        world->path_at = now;
    }
    world->changed_at = stood ? world->changed_at : now;
    const enum skr_tokens_step step =
        skr_tokens_next(secret, LIFETIME_S, now - world->changed_at > SETTLED_S, wall);
    if (step != SKR_TOKENS_KEEP) {
        assert_int_equal(skr_tokens_take(secret, step, wall, NULL), 0);
        world->changed_at = now;
        world->steps[step]++;
    }
    if (draw(world, 50) == 0) { /* another one, which has seen nothing */
        world->changed_at = now;
    }
}

static void live(struct world *world, int64_t now, int64_t wall)
{
    lead(world, now, wall);
    if (now - world->path_at >= LAG_S) {
        memcpy(world->sent, world->path, sizeof world->sent);
    }
    for (int i = 0; i < REPLICAS; i++) {
        if (now - world->read_at[i] >= 1 + (int)draw(world, 3)) {
            skr_tokens_accepted(&world->secret, &world->replica[i]);
            world->read_at[i] = now;
        }
    }
}

static void live_through(struct world *world, int64_t from, int64_t until, int64_t clock_is_off)
{
    for (int64_t now = from; now < until; now++) {
        live(world, now, now + clock_is_off);
        for (int i = 0; i < REPLICAS && now > T0 + 20; i++) {
            assert_true(skr_caller_tokens_accept(&world->replica[i], world->sent));
        }
    }
}

TEST_WITH(world, whatever_api_servers_send_is_accepted_by_every_replica_at_any_moment)
{
    live_through(world, T0, T0 + 1600, 0);
    assert_int_equal(world->steps[SKR_TOKENS_MAKE], 1);
    assert_in_range(world->steps[SKR_TOKENS_ADD], 15, 26);
    assert_in_range(world->steps[SKR_TOKENS_SWITCH], 15, 26);
    assert_in_range(world->steps[SKR_TOKENS_DROP], 15, 26);
}

TEST_WITH(world, a_clock_that_jumps_an_hour_either_way_refuses_no_review_and_ends_no_rotation)
{
    live_through(world, T0, T0 + 300, 0);
    live_through(world, T0 + 300, T0 + 600, HOUR_S);
    const unsigned added = world->steps[SKR_TOKENS_ADD];
    live_through(world, T0 + 600, T0 + 900, 0);
    live_through(world, T0 + 900, T0 + 1200, -HOUR_S);
    live_through(world, T0 + 1200, T0 + 1500, 0);
    assert_in_range(world->steps[SKR_TOKENS_ADD] - added, 9, 16);
    assert_int_equal(world->steps[SKR_TOKENS_MAKE], 1);
}

TEST_WITH(world, a_token_is_accepted_before_it_is_published_and_after_it_is_replaced)
{
    struct skr_tokens *secret = &world->secret;
    struct skr_caller_tokens accepted;
    struct skr_token first, second;
    assert_int_equal(skr_tokens_next(secret, LIFETIME_S, true, T0), SKR_TOKENS_MAKE);
    assert_int_equal(skr_tokens_take(secret, SKR_TOKENS_MAKE, T0, NULL), 0);
    first = secret->at[SKR_TOKEN_CURRENT];
    assert_int_equal(skr_tokens_next(secret, LIFETIME_S, true, T0 + 59), SKR_TOKENS_KEEP);
    assert_int_equal(skr_tokens_next(secret, LIFETIME_S, false, T0 + 60), SKR_TOKENS_ADD);
    assert_int_equal(skr_tokens_take(secret, SKR_TOKENS_ADD, T0 + 60, NULL), 0);
    second = secret->at[SKR_TOKEN_NEXT];
    assert_string_equal(secret->at[SKR_TOKEN_CURRENT].text, first.text);
    skr_tokens_accepted(secret, &accepted);
    assert_true(skr_caller_tokens_accept(&accepted, first.text) &&
                skr_caller_tokens_accept(&accepted, second.text));
    assert_int_equal(skr_tokens_next(secret, LIFETIME_S, false, T0 + 70), SKR_TOKENS_KEEP);
    assert_int_equal(skr_tokens_next(secret, LIFETIME_S, true, T0 + 70), SKR_TOKENS_SWITCH);
    assert_int_equal(skr_tokens_take(secret, SKR_TOKENS_SWITCH, T0 + 70, NULL), 0);
    assert_string_equal(secret->at[SKR_TOKEN_CURRENT].text, second.text);
    skr_tokens_accepted(secret, &accepted);
    assert_true(skr_caller_tokens_accept(&accepted, first.text));
    assert_int_equal(skr_tokens_next(secret, LIFETIME_S, false, T0 + 80), SKR_TOKENS_KEEP);
    assert_int_equal(skr_tokens_next(secret, LIFETIME_S, true, T0 + 80), SKR_TOKENS_DROP);
    assert_int_equal(skr_tokens_take(secret, SKR_TOKENS_DROP, T0 + 80, NULL), 0);
    skr_tokens_accepted(secret, &accepted);
    assert_false(skr_caller_tokens_accept(&accepted, first.text));
    assert_true(skr_caller_tokens_accept(&accepted, second.text));
}

TEST(a_token_from_a_far_future_is_replaced)
{
    struct skr_tokens tokens = {0};
    assert_int_equal(skr_tokens_take(&tokens, SKR_TOKENS_MAKE, T0 + 2 * LIFETIME_S, NULL), 0);
    assert_int_equal(skr_tokens_next(&tokens, LIFETIME_S, true, T0), SKR_TOKENS_ADD);
}

#define DIGITS "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct reading {
    const char *title, *text;
    bool is_token;
} readings[] = {
    {"one", DIGITS " 1700000000", true},
    {"of the year 1970", DIGITS " 0", true},
    {"without a time", DIGITS, false},
    {"with an empty time", DIGITS " ", false},
    {"with a time and more", DIGITS " 1x", false},
    {"of a negative time", DIGITS " -1", false},
    {"too short", "0123456789abcdef 1700000000", false},
    {"with a slash", "/123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef 17", false},
    {"of capitals", "ABCDEF6789abcdef0123456789abcdef0123456789abcdef0123456789abcdef 17", false},
    {"nothing", "", false},
};

TEST_EACH(reading, readings, what_the_secret_holds_is_a_token_or_nothing)
{
    struct skr_token token;
    char text[SKR_TOKEN_TEXT_MAX];
    assert_int_equal(skr_token_parse(reading->text, &token), reading->is_token);
    if (reading->is_token) {
        skr_token_write(&token, text);
        assert_string_equal(text, reading->text);
    } else {
        assert_string_equal(token.text, "");
    }
}
