/* SPDX-License-Identifier: Apache-2.0 */
/* fork(), because posix_spawn() cannot end the child together with this process. */
#include "server/client/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "server/client/options.h"
#include "server/clock.h"
#include "topology/base/arena.h"

enum { CHUNK = 65536, STOP_MS = 1000, STOP_STEP_MS = 5 };

static int64_t now_ms(void)
{
    return skr_clock_monotonic() / SKR_MILLISECOND;
}

/* ---- its beginning ---- */

static void close_one(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

/* In the child; does not return. Only what is safe between fork() and exec(). */
static void become(const char *const *argv, pid_t parent, int out, int err, int trouble)
{
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent && nothing >= 0 &&
        dup2(nothing, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
        dup2(err, STDERR_FILENO) >= 0) {
        execvp(argv[0], (char *const *)(uintptr_t)argv); /* changes nothing */
    }
    const int why = errno;
    ssize_t n = write(trouble, &why, sizeof why);
    _exit(n == (ssize_t)sizeof why ? 127 : 126);
}

/* 0, or what kept the child from running kubectl. */
static int trouble_of(int fd)
{
    int why = 0;
    ssize_t n;
    do {
        n = read(fd, &why, sizeof why);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof why ? why : 0;
}

static int cannot_run(int why, struct skr_error *error)
{
    if (why == ENOENT) {
        return skr_error_set(error, SKR_RETRY,
                             "kubectl is not in PATH; --server URL asks a daemon, --file DUMP a "
                             "dump of a cluster");
    }
    return skr_error_set(error, SKR_RETRY, "kubectl cannot be run: %s", strerror(why));
}

int skr_child_start(struct skr_child *child, const char *const *argv, struct skr_strbuf *out,
                    struct skr_strbuf *said, struct skr_error *error)
{
    int fd[6] = {-1, -1, -1, -1, -1, -1}; /* output, error, trouble: to read, to write */
    const pid_t self = getpid();
    *child = (struct skr_child){.pid = -1,
                                .fd = {-1, -1},
                                .text = {out, said},
                                .max = {SKR_VIEW_BYTES_MAX, SKR_CLIENT_STDERR_MAX}};
    if (pipe2(fd, O_CLOEXEC) < 0 || pipe2(fd + 2, O_CLOEXEC) < 0 || pipe2(fd + 4, O_CLOEXEC) < 0 ||
        (child->pid = fork()) < 0) {
        const int why = errno;
        for (int i = 0; i < 6; i++) {
            close_one(&fd[i]);
        }
        return skr_error_set(error, SKR_LIMIT, "kubectl: no process: %s", strerror(why));
    }
    if (child->pid == 0) {
        become(argv, self, fd[1], fd[3], fd[5]);
    }
    close_one(&fd[1]);
    close_one(&fd[3]);
    close_one(&fd[5]);
    child->fd[0] = fd[0];
    child->fd[1] = fd[2];
    const int why = trouble_of(fd[4]);
    close_one(&fd[4]);
    if (why == 0) {
        return 0;
    }
    skr_child_stop(child);
    return cannot_run(why, error);
}

/* ---- what it writes ---- */

static void read_some(struct skr_child *c, int which, char *buffer)
{
    const ssize_t n = read(c->fd[which], buffer, CHUNK);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    if (n <= 0) {
        close_one(&c->fd[which]);
        return;
    }
    const size_t room = c->max[which] - c->text[which]->len;
    const size_t take = (size_t)n < room ? (size_t)n : room;
    skr_strbuf_addn(c->text[which], buffer, take);
    c->too_large = c->too_large || (which == 0 && take < (size_t)n);
}

/* Waits so long for something, reads it. false: nothing came. */
static bool read_once(struct skr_child *c, int wait_ms, char *buffer)
{
    struct pollfd p[2] = {{.fd = c->fd[0], .events = POLLIN}, {.fd = c->fd[1], .events = POLLIN}};
    if (poll(p, 2, wait_ms) <= 0) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (p[i].fd >= 0 && p[i].revents) {
            read_some(c, i, buffer);
        }
    }
    return true;
}

static bool is_open(const struct skr_child *c)
{
    return c->fd[0] >= 0 || c->fd[1] >= 0;
}

static void wait_some(struct skr_child *c, int64_t deadline, char *buffer)
{
    const int64_t left = deadline - now_ms();
    if (left <= 0) {
        c->too_late = true;
    } else {
        (void)read_once(c, left > 60000 ? 60000 : (int)left, buffer);
    }
}

static void read_all(struct skr_child *c, int64_t deadline)
{
    SKR_AUTO_FREE char *buffer = skr_alloc(CHUNK);
    while (is_open(c) && !c->too_large && !c->too_late) {
        wait_some(c, deadline, buffer);
    }
}

bool skr_child_wait_for_line(struct skr_child *child, int64_t timeout_ms)
{
    const int64_t deadline = now_ms() + timeout_ms;
    SKR_AUTO_FREE char *buffer = skr_alloc(CHUNK);
    while (is_open(child) && !child->too_large && !child->too_late &&
           !(child->text[0]->s && strchr(child->text[0]->s, '\n'))) {
        wait_some(child, deadline, buffer);
    }
    return child->text[0]->s && strchr(child->text[0]->s, '\n');
}

void skr_child_drain(struct skr_child *child)
{
    SKR_AUTO_FREE char *buffer = skr_alloc(CHUNK);
    while (is_open(child) && read_once(child, 0, buffer)) {
        skr_strbuf_reset(child->text[0]); /* only its errors are of interest */
    }
}

/* ---- its end ---- */

/* Whether it has ended, by itself or within the time. */
static bool has_ended(pid_t pid, int64_t within_ms, int *ret_status)
{
    const struct timespec step = {0, STOP_STEP_MS * 1000000L};
    for (int64_t deadline = now_ms() + within_ms;;) {
        const pid_t ended = waitpid(pid, ret_status, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR)) {
            return true;
        }
        if (now_ms() >= deadline) {
            return false;
        }
        nanosleep(&step, NULL);
    }
}

static int reap(struct skr_child *c)
{
    int status = 0;
    close_one(&c->fd[0]);
    close_one(&c->fd[1]);
    while (c->pid > 0 && waitpid(c->pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    c->pid = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void skr_child_stop(struct skr_child *child)
{
    int status;
    close_one(&child->fd[0]);
    close_one(&child->fd[1]);
    if (child->pid <= 0) {
        return;
    }
    kill(child->pid, SIGTERM);
    if (has_ended(child->pid, STOP_MS, &status)) {
        child->pid = -1;
        return;
    }
    kill(child->pid, SIGKILL);
    (void)reap(child);
}

int skr_child_run(const char *const *argv, int64_t timeout_ms, struct skr_strbuf *out,
                  struct skr_strbuf *said, int *ret_code, struct skr_error *error)
{
    struct skr_child c;
    int rc = skr_child_start(&c, argv, out, said, error);
    if (rc < 0) {
        return rc;
    }
    read_all(&c, now_ms() + timeout_ms);
    if (c.too_large || c.too_late) {
        kill(c.pid, SIGKILL);
    }
    *ret_code = reap(&c);
    if (c.too_large) {
        return skr_error_set(error, SKR_LIMIT, "the answer has more than %d bytes",
                             SKR_VIEW_BYTES_MAX);
    }
    if (c.too_late) {
        return skr_error_set(error, SKR_RETRY, "kubectl did not end within %lld s",
                             (long long)(timeout_ms / 1000));
    }
    return 0;
}
