/* SPDX-License-Identifier: Apache-2.0 */
/* Writes that wait: the rate of one engine holds back that engine alone. */
#include "server/kube/backlog.h"
#include "test/test.h"

struct desk {
    struct skr_kube_options options;
    struct skr_backlog backlog;
};

/* Of two engines the second may send two at once and ten a second. */
static void desk_set_up(struct desk *desk)
{
    desk->options = (struct skr_kube_options){
        .n_subscribers = 2, .qps = 1000, .burst = 100, .max_queued = 100, .max_queued_events = 3};
    desk->options.subscriber[1].qps = 10;
    desk->options.subscriber[1].burst = 2;
    skr_backlog_init(&desk->backlog, &desk->options);
}

static void desk_tear_down(struct desk *desk)
{
    for (int c = 0; c < SKR_WRITE_CLASS_COUNT; c++) {
        for (struct skr_kube_job *job;
             (job = skr_backlog_drain(&desk->backlog, (enum skr_write_class)c));) {
            free(job);
        }
    }
    assert_int_equal(desk->backlog.n, 0);
}

static const char *put_of(struct desk *desk, size_t subscriber, const char *namespace_, uint64_t id,
                          enum skr_write_class class)
{
    const struct skr_write write = {
        .id = id, .class = class, .body = "", .name = "x", .namespace_ = namespace_};
    struct skr_kube_job *job = skr_kube_job_create(&desk->options.subscriber[subscriber], &write);
    const char *full = skr_backlog_put(&desk->backlog, job);
    if (full) {
        free(job);
    }
    return full;
}

static const char *put(struct desk *desk, size_t subscriber, uint64_t id,
                       enum skr_write_class class)
{
    return put_of(desk, subscriber, "ns", id, class);
}

/* Id of what is sent next; 0: nothing may be. */
static uint64_t send_one(struct desk *desk, int64_t now)
{
    int64_t next = 0;
    (void)skr_backlog_admit(&desk->backlog, now);
    const enum skr_write_class class = skr_backlog_class(&desk->backlog);
    if (class == SKR_WRITE_CLASS_COUNT) {
        return 0;
    }
    SKR_AUTO_FREE struct skr_kube_job *job = skr_backlog_take(&desk->backlog, class, now, &next);
    return job ? job->write.id : 0;
}

TEST_WITH(desk, who_is_limited_makes_nobody_else_wait)
{
    const int64_t now = SKR_SECOND;
    for (uint64_t i = 1; i <= 5; i++) {
        assert_null(put(desk, 1, i, SKR_WRITE_CLASS_COMMIT));
    }
    assert_null(put(desk, 0, 100, SKR_WRITE_CLASS_EVENT));
    assert_int_equal(send_one(desk, now), 1);
    assert_int_equal(send_one(desk, now), 2);
    assert_int_equal(send_one(desk, now), 100);
    assert_int_equal(send_one(desk, now), 0);
    assert_int_equal(skr_backlog_admit(&desk->backlog, now), now + 100 * SKR_MILLISECOND);
    assert_int_equal(send_one(desk, now + 100 * SKR_MILLISECOND), 3);
    assert_int_equal(send_one(desk, now + 100 * SKR_MILLISECOND), 0);
    assert_int_equal(send_one(desk, now + SKR_SECOND), 4);
    assert_int_equal(send_one(desk, now + SKR_SECOND), 5);
    assert_int_equal(skr_backlog_admit(&desk->backlog, now + SKR_SECOND), INT64_MAX);
}

TEST_WITH(desk, what_decides_goes_before_what_reports_also_where_the_rate_is_low)
{
    const int64_t now = SKR_SECOND;
    for (uint64_t i = 1; i <= 3; i++) {
        assert_null(put(desk, 1, i, SKR_WRITE_CLASS_EVENT));
    }
    assert_null(put(desk, 1, 11, SKR_WRITE_CLASS_STATUS));
    assert_null(put(desk, 1, 12, SKR_WRITE_CLASS_COMMIT));
    assert_int_equal(send_one(desk, now), 12);
    assert_int_equal(send_one(desk, now), 11);
    assert_int_equal(send_one(desk, now), 0);
    assert_int_equal(send_one(desk, now + SKR_SECOND), 1);
}

TEST_WITH(desk, what_is_held_back_counts_as_waiting)
{
    for (uint64_t i = 1; i <= 3; i++) {
        assert_null(put(desk, 1, i, SKR_WRITE_CLASS_EVENT));
    }
    assert_string_equal(put(desk, 1, 4, SKR_WRITE_CLASS_EVENT), "too many Events are waiting");
    assert_string_equal(put(desk, 0, 5, SKR_WRITE_CLASS_EVENT), "too many Events are waiting");
    desk->options.max_queued = 4;
    assert_null(put(desk, 1, 6, SKR_WRITE_CLASS_COMMIT));
    assert_string_equal(put(desk, 0, 7, SKR_WRITE_CLASS_COMMIT), "too many writes are waiting");
    assert_int_equal(desk->backlog.waiting[SKR_WRITE_CLASS_EVENT], 3);
    assert_int_equal(desk->backlog.n, 4);
}

/* ---- between namespaces ---- */

/* The first subscriber sends 100 a second, and as many are queued as a test likes. */
static void slow(struct desk *desk)
{
    desk->options.qps = 100;
    desk->options.burst = 1;
    desk->options.max_queued = 100000;
    skr_backlog_init(&desk->backlog, &desk->options);
}

/* Ids of the flood are below 1000000. It never ends: for each that is sent comes a new one. Returns how
 * many of the flood were sent before all n others. */
static size_t flood_before(struct desk *desk, enum skr_write_class flood, size_t n)
{
    size_t sent = 0, strangers = 0;
    int64_t now = SKR_SECOND;
    while (sent < n && strangers < 10000) {
        const uint64_t id = send_one(desk, now);
        now += 10 * SKR_MILLISECOND;
        if (id >= 1000000) {
            sent++;
        } else if (id > 0) {
            strangers++;
            assert_null(put_of(desk, 0, "hostile", id, flood));
        }
    }
    return strangers;
}

TEST(a_namespace_that_writes_without_end_delays_another_one_twofold_at_most)
{
    static const struct {
        enum skr_write_class flood, other;
    } row[] = {
        {SKR_WRITE_CLASS_COMMIT, SKR_WRITE_CLASS_COMMIT},
        {SKR_WRITE_CLASS_COMMIT, SKR_WRITE_CLASS_MEMBER}, /* plans before gates, but not for ever */
        {SKR_WRITE_CLASS_COMMIT, SKR_WRITE_CLASS_EVICT},
        {SKR_WRITE_CLASS_MEMBER, SKR_WRITE_CLASS_COMMIT},
        {SKR_WRITE_CLASS_LABEL, SKR_WRITE_CLASS_LABEL},
        {SKR_WRITE_CLASS_EVENT, SKR_WRITE_CLASS_EVENT},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct desk desk;
        desk_set_up(&desk);
        slow(&desk);
        desk.options.max_queued_events = 100000;
        for (uint64_t k = 1; k <= 1000; k++) {
            assert_null(put_of(&desk, 0, "hostile", k, row[i].flood));
        }
        for (uint64_t k = 0; k < 100; k++) {
            assert_null(put_of(&desk, 0, "honest", 1000000 + k, row[i].other));
        }
        const size_t before = flood_before(&desk, row[i].flood, 100);
        if (before > 100 + SKR_TURN_WRITES) {
            fail_msg("row %zu: %zu before", i, before);
        }
        desk_tear_down(&desk);
    }
}

/* With one of few writes the wait is short, whatever its class. */
TEST_WITH(desk, a_few_writes_pass_a_flood_within_a_turn)
{
    slow(desk);
    for (uint64_t k = 1; k <= 1000; k++) {
        assert_null(put_of(desk, 0, "hostile", k, SKR_WRITE_CLASS_COMMIT));
    }
    (void)flood_before(desk, SKR_WRITE_CLASS_COMMIT, 0);
    for (int i = 0; i < 20; i++) {
        assert_null(put_of(desk, 0, "honest", 1000000, SKR_WRITE_CLASS_MEMBER));
        assert_true(flood_before(desk, SKR_WRITE_CLASS_COMMIT, 1) <= SKR_TURN_WRITES);
    }
}

/* What only informs waits for all that decides, of any namespace. */
TEST_WITH(desk, what_informs_one_namespace_waits_for_what_decides_about_others)
{
    slow(desk);
    for (uint64_t k = 1; k <= 50; k++) {
        assert_null(put_of(desk, 0, "busy", k, SKR_WRITE_CLASS_MEMBER));
    }
    assert_null(put_of(desk, 0, "other", 1000000, SKR_WRITE_CLASS_STATUS));
    for (uint64_t k = 1; k <= 50; k++) {
        assert_int_equal(send_one(desk, SKR_SECOND + (int64_t)k * 10 * SKR_MILLISECOND), k);
    }
    assert_int_equal(send_one(desk, 2 * SKR_SECOND), 1000000);
}

/* Within a namespace the classes stay as they are, also where it has sent more than its share. */
TEST_WITH(desk, within_a_namespace_classes_and_orders_stay)
{
    slow(desk);
    for (uint64_t k = 1; k <= 30; k++) {
        assert_null(put_of(desk, 0, "a", 100 + k, SKR_WRITE_CLASS_MEMBER));
        assert_null(put_of(desk, 0, "a", k, SKR_WRITE_CLASS_COMMIT));
    }
    for (uint64_t k = 1; k <= 60; k++) {
        assert_int_equal(send_one(desk, SKR_SECOND + (int64_t)k * 10 * SKR_MILLISECOND),
                         k <= 30 ? k : 70 + k);
    }
}

/* Any sequence of puts and takes: each job comes out once, and no namespace waits for long. */
TEST(random_namespaces_take_turns_and_lose_nothing)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        struct desk desk;
        uint32_t dice = seed;
        size_t in = 0, out = 0;
        desk_set_up(&desk);
        slow(&desk);
        desk.options.max_queued_events = 100000;
        for (int step = 0; step < 4000; step++) {
            char name[16];
            dice = dice * 1664525u + 1013904223u;
            (void)snprintf(name, sizeof name, "ns-%u", dice >> 24 & 31);
            if (dice >> 16 & 1) {
                assert_null(put_of(&desk, 0, name, 1 + in++,
                                   (enum skr_write_class)((dice >> 8) % SKR_WRITE_CLASS_COUNT)));
            } else {
                out += send_one(&desk, SKR_SECOND + step * 10 * SKR_MILLISECOND) != 0;
            }
            assert_int_equal(desk.backlog.n, in - out);
        }
        desk_tear_down(&desk);
    }
}
