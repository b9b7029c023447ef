/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_BACKLOG_H
#define SKR_SERVER_KUBE_BACKLOG_H
/*
 * Writes that wait to be sent, by class and in turns of their namespaces (turns.h). All writes share
 * one token bucket. A subscriber with its own rate has a second bucket in front of it, so its writes
 * never take the room of the others, and wait only behind each other. Kube thread only.
 */
#include <stdbool.h>
#include <stddef.h>

#include "server/kube/options.h"
#include "server/kube/turns.h"
#include "topology/base/limiter.h"

/* Jobs that wait for the rate of their subscriber. */
struct skr_kube_lane {
    const struct skr_kube_subscriber *of; /* NULL: has no rate of its own */
    struct skr_limiter limiter;
    struct skr_turns turns;
};

struct skr_backlog {
    const struct skr_kube_options *options;
    struct skr_limiter limiter; /* of all */
    struct skr_kube_lane lane[SKR_KUBE_SUBSCRIBERS_MAX];
    struct skr_turns turns;
    size_t waiting[SKR_WRITE_CLASS_COUNT]; /* lanes included */
    size_t n;                              /* all of them */
};

/* options: borrowed, its subscribers are those of the jobs. Owns nothing while no job waits. */
void skr_backlog_init(struct skr_backlog *backlog, const struct skr_kube_options *options);
/* Takes the job, or returns why there is no room for it. */
const char *skr_backlog_put(struct skr_backlog *backlog, struct skr_kube_job *job);
/* Moves the jobs on that the rates of their subscribers allow. Returns when the next one may go,
 * INT64_MAX: none waits. */
int64_t skr_backlog_admit(struct skr_backlog *backlog, int64_t now);
/* The class of the next job that waits only for the rate of all; SKR_WRITE_CLASS_COUNT: none. */
enum skr_write_class skr_backlog_class(struct skr_backlog *backlog);
/* Its first job; NULL: the rate of all holds it back until *ret_next. */
struct skr_kube_job *skr_backlog_take(struct skr_backlog *backlog, enum skr_write_class class,
                                      int64_t now, int64_t *ret_next);
/* Any job of this class, whatever the rates say; NULL: none is left. */
struct skr_kube_job *skr_backlog_drain(struct skr_backlog *backlog, enum skr_write_class class);

#endif
