/* SPDX-License-Identifier: Apache-2.0 */
/* Token buckets in thousandths of a line. A bucket that is full again and holds no line is reused. */
#include "server/log_limit.h"

#include <string.h>

enum { MILLI = 1000 };

static void copy(char ret[SKR_LOG_LIMIT_TEXT], const char *text, size_t n)
{
    size_t len = n < SKR_LOG_LIMIT_TEXT - 1 ? n : SKR_LOG_LIMIT_TEXT - 1;
    memcpy(ret, text, len);
    ret[len] = '\0';
}

static int64_t burst(bool is_error)
{
    return (int64_t)MILLI * (is_error ? SKR_LOG_LIMIT_ERROR_BURST : SKR_LOG_LIMIT_BURST);
}

static void refill(struct skr_log_bucket *b, skr_time now)
{
    const int64_t rate = b->is_error ? SKR_LOG_LIMIT_ERROR_RATE : SKR_LOG_LIMIT_RATE;
    skr_time passed = now > b->last ? now - b->last : 0;
    if (passed > burst(b->is_error) / MILLI / rate * SKR_SECOND) {
        b->lines_milli = burst(b->is_error);
    } else {
        b->lines_milli += passed / (SKR_SECOND / MILLI) * rate;
    }
    if (b->lines_milli > burst(b->is_error)) {
        b->lines_milli = burst(b->is_error);
    }
    b->last = now;
}

static bool is_idle(struct skr_log_bucket *b, skr_time now)
{
    if (b->used && b->held == 0) {
        refill(b, now);
    }
    return !b->used || (b->held == 0 && b->lines_milli == burst(b->is_error));
}

/* The first one, without a name, is what all share that find no other. */
static struct skr_log_bucket *bucket_of(struct skr_log_limit *limit, bool is_error,
                                        const char message[SKR_LOG_LIMIT_TEXT],
                                        const char namespace_[SKR_LOG_LIMIT_TEXT], skr_time now)
{
    struct skr_log_bucket *idle = NULL;
    for (size_t i = 1; i < SKR_LOG_LIMIT_BUCKETS; i++) {
        struct skr_log_bucket *b = &limit->bucket[i];
        if (b->used && b->is_error == is_error && strcmp(b->message, message) == 0 &&
            strcmp(b->namespace_, namespace_) == 0) {
            return b;
        }
        if (!idle && is_idle(b, now)) {
            idle = b;
        }
    }
    struct skr_log_bucket *b = idle ? idle : &limit->bucket[0];
    if (idle || !b->used) {
        *b = (struct skr_log_bucket){
            .used = true, .is_error = is_error, .lines_milli = burst(is_error), .last = now};
        if (idle) {
            memcpy(b->message, message, sizeof b->message);
            memcpy(b->namespace_, namespace_, sizeof b->namespace_);
        }
    }
    return b;
}

static void tell(struct skr_log_bucket *b, struct skr_log_held *ret)
{
    memcpy(ret->message, b->message, sizeof ret->message);
    memcpy(ret->namespace_, b->namespace_, sizeof ret->namespace_);
    ret->n = b->held;
    b->held = 0;
}

bool skr_log_limit_take(struct skr_log_limit *limit, bool is_error, const char *message,
                        const char *namespace_, skr_time now, struct skr_log_held *ret_held)
{
    char kind[SKR_LOG_LIMIT_TEXT], space[SKR_LOG_LIMIT_TEXT];
    const char *end = strstr(message, ": ");
    copy(kind, message, end ? (size_t)(end - message) : strlen(message));
    copy(space, namespace_, strlen(namespace_));
    struct skr_log_bucket *b = bucket_of(limit, is_error, kind, space, now);
    refill(b, now);
    if (b->lines_milli < MILLI) {
        b->held++;
        return false;
    }
    b->lines_milli -= MILLI;
    tell(b, ret_held);
    return true;
}

bool skr_log_limit_due(struct skr_log_limit *limit, bool all, skr_time now,
                       struct skr_log_held *ret_held)
{
    for (size_t i = 0; i < SKR_LOG_LIMIT_BUCKETS; i++) {
        struct skr_log_bucket *b = &limit->bucket[i];
        if (b->held > 0 && (all || now - b->last >= SKR_LOG_LIMIT_SILENCE)) {
            tell(b, ret_held);
            return true;
        }
    }
    return false;
}
