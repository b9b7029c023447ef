/* SPDX-License-Identifier: Apache-2.0 */
/* Starting, reading and ending the program. */
#include "test/integration/daemon.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test/unit/failure_log.h"
#include "test/unit/web.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

enum { ARGUMENTS_MAX = 32, STOP_SECONDS = 5, SLOW_FACTOR = 6 };

struct line {
    char *text;
    struct line *next;
};

struct daemon {
    struct cluster *cluster;
    char *folder;
    char format[8];
    bool slow; /* valgrind, sanitizers */
    pid_t pid;
    int fd;
    pthread_t reader;
    struct line *lines, **lines_end; /* under the proxy's lock, as all that follows */
    bool ended;                      /* its stderr is closed */
    uint16_t port, bind_port, admin_port, gate_port;
};

const char *daemon_program(void)
{
    const char *name = getenv("SAKKARA");
    return name && name[0] ? name : "build/sakkara";
}

/* ---- files ---- */

char *make_folder(void)
{
    char *folder = skr_strdup("/tmp/sakkara-integration-XXXXXX");
    skr_bug_on(!mkdtemp(folder));
    return folder;
}

void write_text_file(const char *folder, const char *name, const char *text)
{
    char path[512], fresh[520];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(fresh, sizeof fresh, "%s.new", path);
    int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t n = strlen(text);
    skr_bug_on(fd < 0 || write(fd, text, n) != (ssize_t)n);
    skr_bug_on(close(fd) != 0 || rename(fresh, path) != 0);
}

void remove_folder(char *folder)
{
    DIR *list = folder ? opendir(folder) : NULL;
    for (const struct dirent *e; list && (e = readdir(list));) {
        (void)unlinkat(dirfd(list), e->d_name, 0);
    }
    if (list) {
        (void)closedir(list);
    }
    if (folder) {
        (void)rmdir(folder);
    }
    free(folder);
}

static void write_kubeconfig(struct daemon *d, const char *user)
{
    SKR_STRBUF(out);
    const struct cluster *c = d->cluster;
    char standard[256];
    snprintf(standard, sizeof standard, "{token: %s}", c->token);
    if (c->pki) {
        write_text_file(d->folder, "ca.pem", c->pki->ca);
    }
    skr_strbuf_addf(&out,
                    "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                    "contexts: [{name: c, context: {cluster: c, user: u}}]\n"
                    "users: [{name: u, user: %s}]\n"
                    "clusters: [{name: c, cluster: {server: \"%s://127.0.0.1:%u\"%s}}]\n",
                    user ? user : standard, c->pki ? "https" : "http", (unsigned)cluster_port(c),
                    c->pki ? ", certificate-authority: ca.pem" : "");
    write_text_file(d->folder, "kubeconfig", out.s);
}

static void write_config(const struct daemon *d, const struct daemon_options *o)
{
    SKR_STRBUF(out);
    skr_strbuf_addf(&out,
                    "apiVersion: sakkara/v1\nkind: SakkaraConfiguration\nplanDelay: %s\n"
                    "extender: {listen: \"127.0.0.1:0\", bindListen: \"127.0.0.1:0\"%s%s}\n"
                    "admin: {listen: \"127.0.0.1:0\"}\n",
                    o->plan_delay ? o->plan_delay : "10ms", o->tls ? ", tls: " : "",
                    o->tls ? o->tls : "");
    if (o->gate) {
        skr_strbuf_addf(&out, "gate: {listen: \"127.0.0.1:0\", %s}\n", o->gate);
    }
    skr_strbuf_add(&out, o->config ? o->config : "");
    write_text_file(d->folder, "sakkara.yaml", out.s);
}

/* ---- the log ---- */

static uint16_t port_in(const char *line, const char *key)
{
    char text[32], json[32];
    snprintf(text, sizeof text, " %s=", key);
    snprintf(json, sizeof json, "\"%s\":", key);
    const char *found = strstr(line, text);
    size_t skip = strlen(text);
    if (!found) {
        found = strstr(line, json);
        skip = strlen(json);
    }
    return found ? (uint16_t)strtoul(found + skip, NULL, 10) : 0;
}

static void take_line(struct daemon *d, char *text)
{
    struct line *line = skr_alloc(sizeof *line);
    line->text = text;
    fake_api_lock(d->cluster->api);
    *d->lines_end = line;
    d->lines_end = &line->next;
    if (strstr(text, "\"Daemon started\"")) {
        d->port = port_in(text, "extenderPort");
        d->bind_port = port_in(text, "bindPort");
        d->gate_port = port_in(text, "gatePort");
        d->admin_port = port_in(text, "adminPort");
    }
    fake_api_changed(d->cluster->api);
    fake_api_unlock(d->cluster->api);
}

static void *read_log(void *context)
{
    struct daemon *d = context;
    FILE *stream = fdopen(d->fd, "r");
    char *text = NULL;
    size_t cap = 0;
    for (ssize_t n; stream && (n = getline(&text, &cap, stream)) > 0;) {
        text[n - 1] = text[n - 1] == '\n' ? '\0' : text[n - 1];
        take_line(d, skr_strdup(text));
    }
    free(text);
    if (stream) {
        (void)fclose(stream);
    }
    fake_api_lock(d->cluster->api);
    d->ended = true;
    fake_api_changed(d->cluster->api);
    fake_api_unlock(d->cluster->api);
    return NULL;
}

static void dump(void *context)
{
    const struct daemon *d = context;
    size_t n = 0, i = 0;
    for (const struct line *l = d->lines; l; l = l->next) {
        n++;
    }
    for (const struct line *l = d->lines; l; l = l->next) {
        if (i++ + 150 >= n) {
            fprintf(stderr, "  log %.600s\n", l->text);
        }
    }
}

/* ---- starting ---- */

/* In the child: only what is safe between fork and exec. */
_Noreturn static void become(char *const *argv, int in, int out, int err)
{
    sigset_t none;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)dup2(in, STDIN_FILENO);
    (void)dup2(out, STDOUT_FILENO);
    (void)dup2(err, STDERR_FILENO);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    execvp(argv[0], argv);
    _exit(127);
}

pid_t daemon_spawn(const char *const *argv, int out, int err)
{
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void)fflush(stdout);
    pid_t pid = fork();
    skr_bug_on(pid < 0 || in < 0);
    if (pid == 0) {
        become((char *const *)(uintptr_t)argv, in, out, err);
    }
    (void)close(in);
    return pid;
}

static void launch(struct daemon *d, const struct daemon_options *o)
{
    char config[256], kubeconfig[256], level[16];
    const char *argv[ARGUMENTS_MAX];
    size_t n = 0;
    int fd[2];
    for (const char *const *r = o->runner; r && *r; r++) {
        argv[n++] = *r;
    }
    snprintf(config, sizeof config, "--config=%s/sakkara.yaml", d->folder);
    snprintf(kubeconfig, sizeof kubeconfig, "--kubeconfig=%s/kubeconfig", d->folder);
    snprintf(level, sizeof level, "-v%d", o->level ? o->level : 4);
    argv[n++] = daemon_program();
    argv[n++] = "serve";
    argv[n++] = config;
    argv[n++] = kubeconfig;
    argv[n++] = level;
    argv[n++] = "--log-format";
    argv[n++] = d->format;
    argv[n] = NULL;
    skr_bug_on(pipe2(fd, O_CLOEXEC) != 0);
    d->pid = daemon_spawn(argv, fd[1], fd[1]);
    (void)close(fd[1]);
    d->fd = fd[0];
    skr_bug_on(pthread_create(&d->reader, NULL, read_log, d) != 0);
}

static bool has_port(void *context)
{
    const struct daemon *d = context;
    return d->admin_port != 0 || d->ended;
}

static bool is_slow(const struct daemon_options *o)
{
    const char *program = daemon_program();
    return o->runner || strstr(program, "asan") || strstr(program, "tsan");
}

static void print_log(void *context)
{
    const struct daemon *d = context;
    const bool locked = fake_api_lock_unless_held(d->cluster->api);
    dump(context);
    if (locked) {
        fake_api_unlock(d->cluster->api);
    }
}

struct daemon *daemon_start(struct cluster *cluster, const struct daemon_options *options)
{
    const struct daemon_options none = {0};
    const struct daemon_options *o = options ? options : &none;
    struct daemon *d = skr_alloc(sizeof *d);
    d->cluster = cluster;
    d->lines_end = &d->lines;
    d->folder = make_folder();
    d->slow = is_slow(o);
    snprintf(d->format, sizeof d->format, "%s", o->format ? o->format : "text");
    write_kubeconfig(d, o->user);
    write_config(d, o);
    fake_api_lock(cluster->api);
    cluster->dump[1] = dump;
    cluster->dump_context[1] = d;
    fake_api_unlock(cluster->api);
    failure_log_add(print_log, d);
    launch(d, o);
    cluster_wait(cluster, has_port, d, "the daemon's ports");
    if (d->admin_port == 0) {
        cluster_fail(cluster, "the daemon ended at its start");
    }
    return d;
}

uint16_t daemon_port(const struct daemon *d)
{
    return d->port;
}

uint16_t daemon_bind_port(const struct daemon *d)
{
    return d->bind_port;
}

uint16_t daemon_admin_port(const struct daemon *d)
{
    return d->admin_port;
}

uint16_t daemon_gate_port(const struct daemon *d)
{
    return d->gate_port;
}

int daemon_pid(const struct daemon *d)
{
    return d->pid;
}

const char *daemon_folder(const struct daemon *d)
{
    return d->folder;
}

/* ---- looking ---- */

void daemon_wait_ready(struct daemon *d)
{
    time_t until = time(NULL) + CLUSTER_DEADLINE_S;
    while (web_get(d->admin_port, "/readyz", NULL) != 200) {
        if (time(NULL) > until) {
            cluster_fail(d->cluster, "/readyz is not 200");
        }
        cluster_pause(d->cluster);
    }
}

static bool has_metric(const struct daemon *d, const char *line)
{
    SKR_AUTO_FREE char *body = NULL;
    char whole[256];
    snprintf(whole, sizeof whole, "\n%s\n", line);
    return web_get(d->admin_port, "/metrics", &body) == 200 && strstr(body, whole);
}

void daemon_wait_metric(struct daemon *d, const char *line)
{
    time_t until = time(NULL) + CLUSTER_DEADLINE_S;
    while (!has_metric(d, line)) {
        if (time(NULL) > until) {
            cluster_fail(d->cluster, "/metrics does not say %s", line);
        }
        cluster_pause(d->cluster);
    }
}

static size_t count_lines(const struct daemon *d, const char *text)
{
    size_t n = 0;
    for (const struct line *l = d->lines; l; l = l->next) {
        n += !!strstr(l->text, text);
    }
    return n;
}

size_t daemon_count_log(struct daemon *d, const char *text)
{
    fake_api_lock(d->cluster->api);
    size_t n = count_lines(d, text);
    fake_api_unlock(d->cluster->api);
    return n;
}

bool daemon_has_log(struct daemon *d, const char *text)
{
    return daemon_count_log(d, text) > 0;
}

struct question {
    const struct daemon *d;
    const char *text;
    size_t n;
};

static bool has_lines(void *context)
{
    const struct question *q = context;
    return count_lines(q->d, q->text) >= q->n;
}

char *daemon_take_log(struct daemon *d, const char *text, size_t n)
{
    const char *found = "";
    struct question q = {d, text, n};
    cluster_wait(d->cluster, has_lines, &q, text);
    fake_api_lock(d->cluster->api);
    for (const struct line *l = d->lines; l; l = l->next) {
        found = strstr(l->text, text) ? l->text : found;
    }
    char *copy = skr_strdup(found);
    fake_api_unlock(d->cluster->api);
    return copy;
}

void daemon_wait_log(struct daemon *d, const char *text)
{
    struct question q = {d, text, 1};
    cluster_wait(d->cluster, has_lines, &q, text);
}

/* ---- ending ---- */

static bool has_ended(void *context)
{
    const struct daemon *d = context;
    return d->ended;
}

/* The longest line of a PEM text that others do not share. */
static bool holds_key(const char *line, const char *pem)
{
    char secret[65];
    const char *body = strchr(pem, '\n');
    snprintf(secret, sizeof secret, "%.64s", body + 1);
    return strstr(line, secret);
}

static bool holds_secret(const struct daemon *d, const char *line)
{
    static const char *const words[] = {CLUSTER_TOKEN, "Bearer ", "Authorization", "PRIVATE KEY"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(line, words[i])) {
            return true;
        }
    }
    return d->cluster->pki && (holds_key(line, d->cluster->pki->client_key) ||
                               holds_key(line, d->cluster->pki->server_key));
}

static void check_log(struct daemon *d)
{
    for (const struct line *l = d->lines; l; l = l->next) {
        const char *defect = log_line_check(l->text, d->format);
        if (defect) {
            cluster_fail(d->cluster, "%s: %s", defect, l->text);
        }
        if (holds_secret(d, l->text)) {
            cluster_fail(d->cluster, "a secret is in the log: %s", l->text);
        }
    }
}

static int join(struct daemon *d, bool checked)
{
    int status = -1;
    cluster_wait(d->cluster, has_ended, d, "the end of the daemon");
    (void)pthread_join(d->reader, NULL);
    skr_bug_on(waitpid(d->pid, &status, 0) != d->pid);
    if (checked) {
        check_log(d);
    }
    return status;
}

static void destroy(struct daemon *d)
{
    failure_log_drop(d);
    fake_api_lock(d->cluster->api);
    if (d->cluster->dump_context[1] == d) {
        d->cluster->dump[1] = NULL;
    }
    fake_api_unlock(d->cluster->api);
    while (d->lines) {
        struct line *next = d->lines->next;
        free(d->lines->text);
        free(d->lines);
        d->lines = next;
    }
    remove_folder(d->folder);
    free(d);
}

void daemon_stop(struct daemon *d)
{
    struct timespec begin, end;
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    (void)kill(d->pid, SIGTERM);
    int status = join(d, false);
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        cluster_fail(d->cluster, "SIGTERM ended it with wait status %#x", (unsigned)status);
    }
    if (end.tv_sec - begin.tv_sec > (d->slow ? STOP_SECONDS * SLOW_FACTOR : STOP_SECONDS)) {
        cluster_fail(d->cluster, "it took %ld s to end", (long)(end.tv_sec - begin.tv_sec));
    }
    check_log(d);
    destroy(d);
}

int daemon_join(struct daemon *d)
{
    int status = join(d, false);
    destroy(d);
    return status;
}

void daemon_kill(struct daemon *d)
{
    (void)kill(d->pid, SIGKILL);
    (void)join(d, false);
    destroy(d);
}

/* ---- commands ---- */

static char *read_whole(int fd)
{
    struct skr_strbuf out;
    char buffer[4096];
    skr_strbuf_init(&out);
    (void)lseek(fd, 0, SEEK_SET);
    for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;) {
        skr_strbuf_addn(&out, buffer, (size_t)n);
    }
    (void)close(fd);
    return skr_strbuf_take(&out, NULL);
}

static int temporary(void)
{
    char path[] = "/tmp/sakkara-output-XXXXXX";
    int fd = mkostemp(path, O_CLOEXEC);
    skr_bug_on(fd < 0);
    (void)unlink(path);
    return fd;
}

int daemon_run(const char *const *argv, char **ret_out, char **ret_err)
{
    const char *all[ARGUMENTS_MAX] = {daemon_program()};
    size_t n = 1;
    int out = temporary(), err = temporary(), status = 0;
    for (; argv[n - 1]; n++) {
        all[n] = argv[n - 1];
    }
    pid_t pid = daemon_spawn(all, out, err);
    time_t until = time(NULL) + CLUSTER_DEADLINE_S;
    pid_t ended;
    while ((ended = waitpid(pid, &status, WNOHANG)) == 0 && time(NULL) < until) {
        const struct timespec tick = {.tv_nsec = 2000000};
        (void)nanosleep(&tick, NULL);
    }
    if (ended == 0) {
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, &status, 0);
    }
    *ret_out = read_whole(out);
    *ret_err = read_whole(err);
    return ended == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
