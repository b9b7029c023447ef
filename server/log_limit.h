/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LOG_LIMIT_H
#define SKR_SERVER_LOG_LIMIT_H
/*
 * Limits the lines of one message about one namespace. Objects and requests of users must not fill
 * the log, and one namespace must not silence another one. Each pair of message and namespace
 * therefore has its own bucket. If all SKR_LOG_LIMIT_BUCKETS are in use, further pairs share one.
 * Held lines are counted, and the count is logged later.
 *
 * There is no clock and no lock here: server/log.c has both. O(SKR_LOG_LIMIT_BUCKETS) a call.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/object.h"

enum {
    SKR_LOG_LIMIT_BUCKETS = 256,
    SKR_LOG_LIMIT_TEXT =
        64, /* bytes of a message and of a namespace, NUL included; the rest is cut */
    /* Lines at once, and from then on in a second. */
    SKR_LOG_LIMIT_BURST = 1000,
    SKR_LOG_LIMIT_RATE = 100,
    SKR_LOG_LIMIT_ERROR_BURST = 50,
    SKR_LOG_LIMIT_ERROR_RATE = 1,
};
#define SKR_LOG_LIMIT_SILENCE (10 * SKR_SECOND) /* then the count of held lines is logged anyway */

struct skr_log_bucket {
    char message[SKR_LOG_LIMIT_TEXT], namespace_[SKR_LOG_LIMIT_TEXT];
    int64_t lines_milli; /* that may go */
    skr_time last;       /* line, told or not */
    uint64_t held;       /* back since the last one that went */
    bool is_error, used;
};

/* All zero: nothing yet. */
struct skr_log_limit {
    struct skr_log_bucket bucket[SKR_LOG_LIMIT_BUCKETS];
};

/* What was held back of one bucket. */
struct skr_log_held {
    char message[SKR_LOG_LIMIT_TEXT], namespace_[SKR_LOG_LIMIT_TEXT];
    uint64_t n;
};

/* Whether a line goes now. message may be followed by ": " and more, which does not count. When it goes,
 * *ret_held is what was held back before it (n 0: nothing), and the count begins anew. */
bool skr_log_limit_take(struct skr_log_limit *limit, bool is_error, const char *message,
                        const char *namespace_, skr_time now, struct skr_log_held *ret_held);
/* The next bucket that has held lines back and was silent since; false: none. all: silent or not. */
bool skr_log_limit_due(struct skr_log_limit *limit, bool all, skr_time now,
                       struct skr_log_held *ret_held);

#endif
