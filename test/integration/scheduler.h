/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_INTEGRATION_SCHEDULER_H
#define SKR_TEST_INTEGRATION_SCHEDULER_H
/*
 * The part of kube-scheduler that an extender sees, over real HTTP: one cycle at a time (the
 * nominated node first and alone, then all nodes; prioritize when more than one is left), one
 * thread a bind call, conditions patched when they change, nominations cleared after an Error or a
 * failed bind, a backoff of SCHEDULER_BACKOFF_MS. A rejected pod returns when its object changes.
 * In-tree filters are left out: every node is offered that is not cordoned.
 *
 * Answers are held to the protocol (200, one JSON object, lists never null, only names that were
 * asked about; a bind is successful only when the pod is bound there): what is not is a violation
 * of the cluster.
 */
#include "test/integration/cluster.h"

enum { SCHEDULER_BACKOFF_MS = 100, SCHEDULER_TEXTS_MAX = 64 };

struct scheduler_tls {
    const char *ca, *cert, *key; /* files */
};

struct scheduler_counts {
    size_t filters;        /* answered */
    size_t binds;          /* sent */
    size_t answered;       /* bind calls with an answer of the daemon */
    size_t bound;          /* of these: success */
    size_t failed;         /* calls without an answer: the daemon was gone */
    int64_t filter_max_ns; /* longest filter call */
    size_t n_texts;
    char text[SCHEDULER_TEXTS_MAX][96]; /* different Errors and reasons that came back */
};

struct scheduler;
/* tls NULL: plain HTTP; borrowed. The cluster's guard is told about open bind calls. */
struct scheduler *scheduler_start(struct cluster *cluster, const struct scheduler_tls *tls);
/* Where the daemon is; 0, 0: nowhere (cycles wait). */
void scheduler_point(struct scheduler *s, uint16_t port, uint16_t bind_port);
/* Before a daemon dies: open bind calls stay, nothing new is asked until the scheduler is pointed
 * elsewhere. The daemon's ports are free from then on, and a test that runs beside this one may have
 * a server on one of them, which must not be asked. The cluster's lock is held. */
void scheduler_cut_off(struct scheduler *s);
void scheduler_stop(struct scheduler *s); /* waits for calls to end; NULL allowed */
struct scheduler_counts scheduler_counts(struct scheduler *s);
bool scheduler_saw(struct scheduler *s, const char *text);
size_t scheduler_open_calls(struct scheduler *s);
void scheduler_wait_open_calls(struct scheduler *s, size_t n); /* at least */
void scheduler_wait_filters(struct scheduler *s, size_t n); /* so many answered since the start */
/* Until no call is open. */
void scheduler_wait_idle(struct scheduler *s);
/* Whether pods of this name may be taken from the queue; NULL: all. */
void scheduler_hold(struct scheduler *s, const char *prefix);

#endif
