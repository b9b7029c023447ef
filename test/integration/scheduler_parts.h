/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_INTEGRATION_SCHEDULER_PARTS_H
#define SKR_TEST_INTEGRATION_SCHEDULER_PARTS_H
/* What the files of the scheduler share. Its state is under the cluster's lock. */
#include <pthread.h>

#include "test/integration/scheduler.h"
#include "test/integration/web.h"

/* A pod as the queue and the cache of kube-scheduler see it. */
struct entry {
    char *uid;
    char *tried; /* resourceVersion at the last cycle */
    bool again;  /* after an Error: whatever its version */
    int64_t not_before;
    bool assumed;
    char *node; /* of the open bind call */
    bool lost;  /* it ended without an answer: what the daemon sent before may still arrive */
    struct entry *next;
};

struct call {
    struct scheduler *s;
    struct entry *entry;
    char *namespace_, *name, *uid, *node;
    uint16_t port;
    pthread_t thread;
    struct call *next;
};

struct scheduler {
    struct cluster *cluster;
    struct web_tls tls;
    bool has_tls;
    uint16_t port, bind_port;
    bool stopping;
    char hold[64];
    pthread_t thread;
    struct entry *entries;
    struct call *calls;
    size_t open;
    struct scheduler_counts counts;
};

/* What came of one or two filter calls. */
struct verdict {
    char node[128]; /* "": none */
    char text[128];
    bool error;
    bool silence;
};

/* ---- scheduler.c ---- */

int64_t scheduler_now_ns(void);
/* Among the texts that it heard. Lock held. */
void scheduler_note_text(struct scheduler *s, const char *text);
/* Of the pod with this uid only. Lock held. */
void scheduler_clear_nomination(struct scheduler *s, const char *namespace_, const char *name,
                                const char *uid);

/* ---- scheduler_ask.c ---- */

bool scheduler_is_among(const json_t *names, const char *name);
/* Asks filter about these nodes, and prioritize when more than one is left. Lock not held. */
void scheduler_choose(struct scheduler *s, const json_t *pod, const json_t *names, uint16_t port,
                      struct verdict *v);

/* ---- scheduler_bind.c ---- */

/* Lock held. */
void scheduler_start_call(struct scheduler *s, struct entry *e, const json_t *pod,
                          const char *node);
/* Whether a bind of the pod to the node may still arrive; context: the scheduler. Lock held. */
bool scheduler_has_call(void *context, const char *uid, const char *node);
/* Waits for its end. Lock not held. */
void scheduler_free_call(struct call *call);

#endif
