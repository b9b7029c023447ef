/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page through kubectl: `kubectl get --raw PATH`, found in PATH and run without a shell. The API
 * server hands the request on to the daemon's Service, so that everything about the connection is
 * as for any other kubectl command. What kubectl says on its standard error decides what went
 * wrong: our own refusals begin with "sakkara: " behind kubectl's prefix.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "server/client/source.h"
#include "topology/base/arena.h"
#include "topology/topology_map.h"

extern char **environ;

enum {
    ARGUMENTS_MAX = 16,
    GRACE_S = 5, /* beyond the request's own time-out, for kubectl to say so */
    CHUNK = 65536,
    LEADER_TRIES = 8,
};

struct child {
    pid_t pid;
    int fd[2]; /* its standard output and error; -1: at its end */
    struct skr_strbuf *text[2];
    size_t max[2];
    bool too_large, too_late;
};

/* ---- the child ---- */

static void close_all(int fd[4])
{
    for (int i = 0; i < 4; i++) {
        if (fd[i] >= 0) {
            close(fd[i]);
        }
    }
}

static int spawn(struct child *c, char *const *argv, struct skr_error *error)
{
    posix_spawn_file_actions_t actions;
    int fd[4] = {-1, -1, -1, -1};
    if (pipe2(fd, O_CLOEXEC) < 0 || pipe2(fd + 2, O_CLOEXEC) < 0) {
        const int why = errno;
        close_all(fd);
        return skr_error_set(error, SKR_LIMIT, "kubectl: no pipe: %s", strerror(why));
    }
    posix_spawn_file_actions_init(&actions);
    int rc = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    rc = rc ? rc : posix_spawn_file_actions_adddup2(&actions, fd[1], STDOUT_FILENO);
    rc = rc ? rc : posix_spawn_file_actions_adddup2(&actions, fd[3], STDERR_FILENO);
    rc = rc ? rc : posix_spawnp(&c->pid, "kubectl", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(fd[1]);
    close(fd[3]);
    c->fd[0] = fd[0];
    c->fd[1] = fd[2];
    if (rc == 0) {
        return 0;
    }
    close(fd[0]);
    close(fd[2]);
    if (rc == ENOENT) {
        return skr_error_set(error, SKR_RETRY,
                             "kubectl is not in PATH; --server URL asks a daemon, --file DUMP a "
                             "dump of a cluster");
    }
    return skr_error_set(error, SKR_RETRY, "kubectl cannot be run: %s", strerror(rc));
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void read_some(struct child *c, int which, char *buffer)
{
    const ssize_t n = read(c->fd[which], buffer, CHUNK);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    if (n <= 0) {
        close(c->fd[which]);
        c->fd[which] = -1;
        return;
    }
    const size_t room = c->max[which] - c->text[which]->len;
    const size_t take = (size_t)n < room ? (size_t)n : room;
    skr_strbuf_addn(c->text[which], buffer, take);
    c->too_large = c->too_large || (which == 0 && take < (size_t)n);
}

static void read_all(struct child *c, int64_t deadline)
{
    char *buffer = skr_alloc(CHUNK);
    while ((c->fd[0] >= 0 || c->fd[1] >= 0) && !c->too_large && !c->too_late) {
        struct pollfd p[2] = {{.fd = c->fd[0], .events = POLLIN},
                              {.fd = c->fd[1], .events = POLLIN}};
        const int64_t left = deadline - now_ms();
        if (left <= 0) {
            c->too_late = true;
        } else if (poll(p, 2, left > 60000 ? 60000 : (int)left) > 0) {
            for (int i = 0; i < 2; i++) {
                if (p[i].fd >= 0 && p[i].revents) {
                    read_some(c, i, buffer);
                }
            }
        }
    }
    free(buffer);
}

/* Exit code, or -1 when a signal ended it. */
static int reap(struct child *c)
{
    int status;
    if (c->too_large || c->too_late) {
        kill(c->pid, SIGKILL);
    }
    for (int i = 0; i < 2; i++) {
        if (c->fd[i] >= 0) {
            close(c->fd[i]);
        }
    }
    while (waitpid(c->pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs it to its end. *ret_code: its exit code. */
static int run(char *const *argv, int64_t timeout_ms, struct skr_strbuf *out,
               struct skr_strbuf *said, int *ret_code, struct skr_error *error)
{
    struct child c = {.text = {out, said}, .max = {SKR_VIEW_BYTES_MAX, SKR_CLIENT_STDERR_MAX}};
    int rc = spawn(&c, argv, error);
    if (rc < 0) {
        return rc;
    }
    read_all(&c, now_ms() + timeout_ms);
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

/* ---- what it says ---- */

/* The last line that is not empty, without kubectl's prefixes: "Error from server (NotFound): ". */
static int refused(char *said, int code, struct skr_error *error)
{
    static const struct {
        const char *prefix;
        int status;
    } prefixes[] = {
        {"Error from server (NotFound): ", 404},
        {"Error from server (BadRequest): ", 400},
        {"Error from server (RequestEntityTooLarge): ", 413},
        {"Error from server (Forbidden): ", 403},
        {"error: You must be logged in to the server", 401},
    };
    char *line = said, *save = NULL;
    for (char *next = strtok_r(said, "\r\n", &save); next; next = strtok_r(NULL, "\r\n", &save)) {
        line = next;
    }
    for (size_t i = 0; line && i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t n = strlen(prefixes[i].prefix);
        if (strncmp(line, prefixes[i].prefix, n) != 0) {
            continue;
        }
        const bool ours = strncmp(line + n, "sakkara: ", 9) == 0;
        if (ours || prefixes[i].status == 401 || prefixes[i].status == 403) {
            return skr_source_refused(prefixes[i].status, ours ? line + n : line, error);
        }
    }
    if (!line || !*line) {
        return skr_error_set(error, SKR_RETRY, "kubectl ended with exit code %d and no word", code);
    }
    return skr_error_set(error, SKR_RETRY,
                         "the daemon cannot be reached: kubectl: %.110s; or kubectl -n "
                         "sakkara port-forward service/sakkara 9662, and --server "
                         "http://127.0.0.1:9662",
                         line);
}

/* ---- its arguments ---- */

struct arguments {
    const char *item[ARGUMENTS_MAX + 1];
    size_t n;
    char timeout[48];
};

static void add(struct arguments *a, const char *word)
{
    skr_bug_on(a->n == ARGUMENTS_MAX);
    a->item[a->n++] = word;
}

static void add_pair(struct arguments *a, const char *flag, const char *value)
{
    if (value) {
        add(a, flag);
        add(a, value);
    }
}

static struct arguments arguments_of(const struct skr_client_options *options)
{
    struct arguments a = {.n = 0};
    add(&a, "kubectl");
    add_pair(&a, "--context", options->context);
    add_pair(&a, "--kubeconfig", options->kubeconfig);
    return a;
}

static int64_t timeout_ms_of(const struct skr_client_options *options)
{
    return options->request_timeout / SKR_MILLISECOND + GRACE_S * 1000;
}

static char *const *argv_of(const struct arguments *a)
{
    return (char *const *)(uintptr_t)a->item; /* posix_spawn() changes nothing */
}

/* "NAMESPACE/[SCHEME:]NAME[:PORT]" as a path of the API. */
static int write_path(const char *service, const char *target, struct skr_strbuf *out,
                      struct skr_error *error)
{
    const char *slash = strchr(service, '/');
    if (!slash || slash == service || !slash[1] || strpbrk(service, "?#% ") ||
        strchr(slash + 1, '/')) {
        return skr_error_set(error, SKR_INVALID,
                             "--service is NAMESPACE/[SCHEME:]NAME[:PORT], not %.100s", service);
    }
    skr_strbuf_addf(out, "/api/v1/namespaces/%.*s/services/%s/proxy%s", (int)(slash - service),
                    service, slash + 1, target);
    return 0;
}

/* Of the replicas behind the Service one leads, and the API server asks any of them. */
static int ask(const struct arguments *a, const struct skr_client_options *options,
               struct skr_strbuf *out, struct skr_strbuf *said, int *code, struct skr_error *error)
{
    int rc = 0;
    for (int tries = 0; tries < LEADER_TRIES; tries++) {
        skr_strbuf_reset(out);
        skr_strbuf_reset(said);
        skr_strbuf_add(said, "");
        rc = run(argv_of(a), timeout_ms_of(options), out, said, code, error);
        if (rc < 0 || *code == 0 || !strstr(said->s, "not leader")) {
            break;
        }
    }
    return rc;
}

int skr_source_kubectl(const struct skr_client_options *options, const char *target,
                       struct skr_strbuf *out, struct skr_error *error)
{
    struct skr_strbuf path, said;
    struct arguments a = arguments_of(options);
    int code = 0;
    skr_strbuf_init(&path);
    skr_strbuf_init(&said);
    skr_strbuf_add(&said, ""); /* a string, whatever comes */
    snprintf(a.timeout, sizeof a.timeout, "--request-timeout=%lldms",
             (long long)(options->request_timeout / SKR_MILLISECOND));
    int rc = write_path(options->service, target, &path, error);
    if (rc == 0) {
        add(&a, a.timeout);
        add(&a, "get");
        add(&a, "--raw");
        add(&a, path.s);
        rc = ask(&a, options, out, &said, &code, error);
    }
    if (rc == 0 && code != 0) {
        rc = refused(said.s, code, error);
    }
    skr_strbuf_fini(&path);
    skr_strbuf_fini(&said);
    return rc;
}

int skr_source_kubectl_map(const struct skr_client_options *options, const char *namespace_,
                           const char *name, struct skr_strbuf *out, struct skr_error *error)
{
    struct skr_strbuf said;
    struct arguments a = arguments_of(options);
    int code = 0;
    skr_strbuf_init(&said);
    skr_strbuf_add(&said, "");
    add_pair(&a, "--namespace", name ? namespace_ : NULL);
    add(&a, "get");
    add(&a, "--output=json");
    add(&a, "configmap");
    add(&a, name ? "--" : "--all-namespaces");
    add(&a, name ? name : "--selector=" SKR_TOPOLOGY_LABEL);
    int rc = run(argv_of(&a), timeout_ms_of(options), out, &said, &code, error);
    if (rc == 0 && code != 0) {
        said.s[strcspn(said.s, "\r\n")] = '\0';
        rc = skr_error_set(error, strstr(said.s, "(NotFound)") ? SKR_NOT_FOUND : SKR_RETRY,
                           "kubectl: %.200s", said.s);
    }
    skr_strbuf_fini(&said);
    return rc;
}

int skr_source_kubectl_list(const struct skr_client_options *options, const char *resources,
                            struct skr_strbuf *out, struct skr_error *error)
{
    struct skr_strbuf said;
    struct arguments a = arguments_of(options);
    int code = 0;
    skr_strbuf_init(&said);
    skr_strbuf_add(&said, "");
    add(&a, "get");
    add(&a, "--output=json");
    add(&a, "--all-namespaces");
    add(&a, resources);
    int rc = run(argv_of(&a), timeout_ms_of(options), out, &said, &code, error);
    if (rc == 0 && code != 0) {
        said.s[strcspn(said.s, "\r\n")] = '\0';
        rc = skr_error_set(error, SKR_RETRY, "kubectl: %.200s", said.s);
    }
    skr_strbuf_fini(&said);
    return rc;
}

void skr_source_kubectl_namespace(const struct skr_client_options *options, struct skr_strbuf *out)
{
    struct skr_strbuf said;
    struct arguments a = arguments_of(options);
    int code = 0;
    const size_t begin = out->len;
    skr_strbuf_init(&said);
    add(&a, "config");
    add(&a, "view");
    add(&a, "--minify");
    add(&a, "--output=jsonpath={.contexts[0].context.namespace}");
    if (run(argv_of(&a), timeout_ms_of(options), out, &said, &code, NULL) < 0 || code != 0) {
        out->len = begin;
    }
    while (out->len > begin && strchr(" \r\n", out->s[out->len - 1])) {
        out->len--;
    }
    if (out->s) {
        out->s[out->len] = '\0';
    }
    skr_strbuf_fini(&said);
}
