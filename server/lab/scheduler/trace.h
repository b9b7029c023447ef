/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SCHEDULER_TRACE_H
#define SKR_SERVER_LAB_SCHEDULER_TRACE_H
/*
 * Trace of the parts of the simulated cluster, one line at a time: for -v, for the demo's story,
 * for tests. Lines are the same in every run of the same input.
 */
#include "topology/object.h"

enum skr_trace_kind {
    SKR_TRACE_DECISION, /* of the engine: a group changed state */
    SKR_TRACE_VERB,     /* a request of kube-scheduler to the extender, and its answer */
    SKR_TRACE_WRITE,    /* a request of the engine to the API server, and its answer */
    SKR_TRACE_QUEUE,    /* kube-scheduler: a cycle that ended without a node */
    SKR_TRACE_KIND_COUNT
};

/* line NULL: no trace. text is borrowed and has no line end. */
struct skr_trace {
    void (*line)(void *context, enum skr_trace_kind kind, skr_time now, const char *text);
    void *context;
};

/* No effect without a listener; lines longer than 2 KiB are cut. */
void skr_trace_add(const struct skr_trace *trace, enum skr_trace_kind kind, skr_time now,
                   const char *format, ...) SKR_PRINTF(4, 5);

#endif
