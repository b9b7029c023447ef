/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_WORK_H
#define SKR_CORE_FRAME_WORK_H
/*
 * A piece of computation that takes longer than an event may: the first member of a struct of the
 * scheduler's, which holds an immutable copy of the input and has room for the result. An action
 * hands it to the shell, which runs it on another thread; SKR_EVENT_WORK_DONE brings it back,
 * always, also when it was cancelled. The engine destroys it when the scheduler has seen it.
 *
 * A scheduler has one type of work (scheduler.h). The cancel flag is all that two threads share.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct skr_work;

struct skr_work_type {
    /* What one worker keeps from one piece of work to the next; NULL: nothing, or no memory for
     * it. Both functions NULL: nothing is kept. */
    void *(*open)(void);
    void (*close)(void *kept);
    /* Fills in the result; looks at work->cancel now and then. kept may be NULL always. */
    void (*run)(struct skr_work *work, void *kept);
    void (*destroy)(struct skr_work *work);
};

struct skr_work {
    const struct skr_work_type *type;
    uint64_t id; /* given by the frame */
    atomic_bool cancel;
    bool aside;      /* somebody waits for it in person: runs beside the rest, which never waits */
    int64_t took_ns; /* of run(), measured by the shell; 0 under a virtual clock */
};

void skr_work_destroy(struct skr_work *work); /* NULL allowed */

#endif
