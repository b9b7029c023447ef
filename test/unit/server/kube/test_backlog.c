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

static const char *put(struct desk *desk, size_t subscriber, uint64_t id,
                       enum skr_write_class class)
{
    const struct skr_write write = {.id = id, .class = class, .body = "", .name = "x"};
    struct skr_kube_job *job = skr_kube_job_create(&desk->options.subscriber[subscriber], &write);
    const char *full = skr_backlog_put(&desk->backlog, job);
    if (full) {
        free(job);
    }
    return full;
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
