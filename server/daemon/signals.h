/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_SIGNALS_H
#define SKR_SERVER_DAEMON_SIGNALS_H
/*
 * Signals of a program that runs until a signal stops it. They are blocked in every thread, and the
 * main thread takes them. Once the end has begun, a second signal or an end that takes too long
 * terminates the process with exit code 1. Main thread only.
 */
#include <signal.h>

#include "topology/object.h"

/* Blocks SIGTERM, SIGINT and SIGHUP and ignores SIGPIPE, before any thread is started. */
void skr_signals_block(sigset_t *ret);
/* Waits for one of the set, at most for timeout (SKR_TIME_NEVER: without end). The signal, or 0
 * when the time is over. */
int skr_signals_wait(const sigset_t *set, skr_time timeout);
/* From here on a second signal of the set, or so many seconds, end the process. */
void skr_signals_arm_end(const sigset_t *set, unsigned seconds);

#endif
