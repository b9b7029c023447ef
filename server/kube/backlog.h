/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_BACKLOG_H
#define SKR_SERVER_KUBE_BACKLOG_H
/*
 * Writes that wait to be sent, by class. Two token buckets stand before the door: one of each
 * subscriber that has a rate of its own, and one of all together. So a scheduler with little to say
 * at a time (client.qps of a hub's API server) never takes the room of the others, and waits behind
 * nobody but itself.
 *
 * Within a class: by order, then first come first served. Kube thread only.
 */
#include <stdbool.h>
#include <stddef.h>

#include "server/kube/limiter.h"
#include "server/kube/options.h"
#include "server/kube/writer.h"

struct skr_kube_queue {
    struct skr_kube_job *first, *last;
    size_t n;
};

/* What a subscriber's own rate holds back. */
struct skr_kube_lane {
    const struct skr_kube_subscriber *of; /* NULL: has no rate of its own */
    struct skr_limiter limiter;
    struct skr_kube_queue queue[SKR_WRITE_CLASS_COUNT];
};

struct skr_backlog {
    const struct skr_kube_options *options;
    struct skr_limiter limiter; /* of all */
    struct skr_kube_lane lane[SKR_KUBE_SUBSCRIBERS_MAX];
    struct skr_kube_queue queue[SKR_WRITE_CLASS_COUNT];
    size_t waiting[SKR_WRITE_CLASS_COUNT]; /* lanes included */
    size_t n;                              /* all of them */
};

/* options: borrowed, its subscribers are those of the jobs. Nothing is allocated. */
void skr_backlog_init(struct skr_backlog *backlog, const struct skr_kube_options *options);
/* Takes the job, or returns why there is no room for it. */
const char *skr_backlog_put(struct skr_backlog *backlog, struct skr_kube_job *job);
/* Lets through what the lanes may send by now. Returns when the next one may, INT64_MAX: none waits
 * for that. */
int64_t skr_backlog_admit(struct skr_backlog *backlog, int64_t now);
/* The most important class with a job that only the rate of all holds back; SKR_WRITE_CLASS_COUNT:
 * none. */
enum skr_write_class skr_backlog_class(const struct skr_backlog *backlog);
/* Its first job; NULL: the rate of all holds it back until *ret_next. */
struct skr_kube_job *skr_backlog_take(struct skr_backlog *backlog, enum skr_write_class class,
                                      int64_t now, int64_t *ret_next);
/* Any job of this class, whatever the rates say; NULL: none is left. */
struct skr_kube_job *skr_backlog_drain(struct skr_backlog *backlog, enum skr_write_class class);

#endif
