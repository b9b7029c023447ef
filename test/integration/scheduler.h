/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_INTEGRATION_SCHEDULER_H
#define SKR_TEST_INTEGRATION_SCHEDULER_H
/*
 * The sandbox's kube-scheduler (server/lab/sandbox/scheduler_thread.h) in this process, and a tap that
 * all its calls to the daemon's extender pass. The tap misbehaves on command: calls wait while it
 * points nowhere, and bind calls of some pods while these are held. A failed cycle comes back at the
 * next second of the clock (podInitialBackoffSeconds would be one more).
 *
 * Answers are held to the protocol (200, one JSON object, lists never null, only names that were
 * asked about; a bind is successful only when the pod is bound there): what is not is a violation
 * of the cluster.
 */
#include "test/integration/cluster.h"
#include "test/unit/web.h"

enum { SCHEDULER_TEXTS_MAX = 64 };

struct scheduler_counts {
    size_t filters;        /* answered */
    size_t binds;          /* passed on */
    size_t answered;       /* bind calls with an answer of the daemon */
    size_t bound;          /* of these: success */
    size_t failed;         /* calls without an answer: the daemon was gone */
    int64_t filter_max_ns; /* longest filter call */
    size_t n_texts;
    char text[SCHEDULER_TEXTS_MAX][96]; /* different Errors and reasons that came back */
};

struct scheduler;
/* tls, of the daemon's extender: NULL: plain HTTP; borrowed. The cluster's guard is told about bind
 * calls that were passed on. */
struct scheduler *scheduler_start(struct cluster *cluster, const struct web_tls *tls);
/* Where the daemon is; 0, 0: nowhere (calls wait). */
void scheduler_point(struct scheduler *s, uint16_t port, uint16_t bind_port);
/* Before a daemon dies: open bind calls stay, nothing new is asked until the tap is pointed
 * elsewhere. The daemon's ports are free from then on, and a test that runs beside this one may have
 * a server on one of them, which must not be asked. The proxy's lock is held. */
void scheduler_cut_off(struct scheduler *s);
/* Waits for calls to end: the daemon is gone or holds none. NULL allowed. */
void scheduler_stop(struct scheduler *s);
struct scheduler_counts scheduler_counts(struct scheduler *s);
bool scheduler_saw(struct scheduler *s, const char *text);
void scheduler_wait_open_calls(struct scheduler *s, size_t n); /* at least */
void scheduler_wait_filters(struct scheduler *s, size_t n); /* so many answered since the start */
/* Until no call is open. */
void scheduler_wait_idle(struct scheduler *s);
/* Bind calls of pods whose names begin so wait before the daemon hears of them; NULL: none. */
void scheduler_hold(struct scheduler *s, const char *prefix);

#endif
