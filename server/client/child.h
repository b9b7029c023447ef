/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLIENT_CHILD_H
#define SKR_SERVER_CLIENT_CHILD_H
/*
 * kubectl as a child process, found in PATH and run without a shell: to its end, or beside us. Its
 * standard input is empty, output and error are pipes. It gets SIGTERM when this process ends,
 * however that comes. One thread.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "topology/base/error.h"
#include "topology/base/strbuf.h"

struct skr_child {
    pid_t pid;
    int fd[2]; /* its standard output and error; -1: at its end */
    struct skr_strbuf *text[2];
    size_t max[2]; /* bytes beyond are read and dropped */
    bool too_large, too_late;
};

/* argv: NULL at its end. What it writes goes to out, at most SKR_VIEW_BYTES_MAX, and to said, at
 * most SKR_CLIENT_STDERR_MAX; both stay borrowed until skr_child_stop(). Errors: SKR_RETRY: no
 * kubectl in PATH, or one that cannot be run; SKR_LIMIT: no pipe, no process. */
int skr_child_start(struct skr_child *child, const char *const *argv, struct skr_strbuf *out,
                    struct skr_strbuf *said, struct skr_error *error);
/* Reads until out has a whole line. false: it ended before, or it took too long. */
bool skr_child_wait_for_line(struct skr_child *child, int64_t timeout_ms);
/* Reads what is there, so that it does not wait for us. */
void skr_child_drain(struct skr_child *child);
/* Ends it, with SIGTERM, and after a second with SIGKILL. */
void skr_child_stop(struct skr_child *child);

/* Runs it to its end. *ret_code: its exit code, -1 when a signal ended it. Errors: as of
 * skr_child_start(); SKR_RETRY after the time-out, SKR_LIMIT beyond SKR_VIEW_BYTES_MAX. */
int skr_child_run(const char *const *argv, int64_t timeout_ms, struct skr_strbuf *out,
                  struct skr_strbuf *said, int *ret_code, struct skr_error *error);

#endif
