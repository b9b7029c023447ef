/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the start costs on a large cluster: an API server on 127.0.0.1 that answers at once, with
 * nodes and pods that run already, and the program beside it until /readyz says yes. Once without
 * pods and once with them; the difference is what a pod costs.
 *
 *   bench_start [NODES [PODS [TEMPLATES [GROUPS [SIZE]]]]]        10000 100000 500 0 10
 *
 * With groups the first GROUPS * SIZE of the pods are their members, which run, in a third run. CPU
 * and memory are those of the program alone, from /proc, when it is ready and has written what it
 * had to.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "server/daemon/memory.h"
#include "test/bench/start_objects.h"
#include "test/bench/times.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

enum { REQUEST_MAX = 65536, PAGE_MAX = 1 << 20, READY_SECONDS = 600, MILLISECOND = 1000000 };

struct world {
    struct start_objects objects;
    pid_t pid;                 /* of the program; 0 before it runs */
    atomic_ullong bytes;       /* of lists of pods and nodes */
    atomic_ullong writes;      /* besides Leases */
    _Atomic double cpu_at_end; /* CPU seconds of the program when the last page of pods was sent */
};

struct connection {
    struct world *world;
    int fd;
};

/* ---- /proc ---- */

/* CPU seconds of the program; 0 when it is gone. */
static double cpu_seconds(pid_t pid)
{
    char path[64], text[1024];
    unsigned long long user = 0, kernel = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = pid ? fopen(path, "re") : NULL;
    if (!f) {
        return 0;
    }
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    (void)fclose(f);
    const char *after = strrchr(text, ')');
    if (!after || sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user,
                         &kernel) != 2) {
        return 0;
    }
    return (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
}

/* A line of /proc/PID/status in bytes. */
static double status_bytes(pid_t pid, const char *key)
{
    char path[64], line[256];
    double kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, key, strlen(key)) == 0) {
            kib = strtod(line + strlen(key), NULL);
        }
    }
    if (f) {
        (void)fclose(f);
    }
    return kib * 1024;
}

/* ---- the server ---- */

/* The number behind "key=" of the target; else none. */
static size_t parameter(const char *target, const char *key, size_t none)
{
    const char *found = strstr(target, key);
    return found ? strtoull(found + strlen(key), NULL, 10) : none;
}

static bool send_all(int fd, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        text += sent;
        n -= (size_t)sent;
    }
    return true;
}

static bool answer(int fd, int code, const char *text, size_t n)
{
    char head[160];
    int h = snprintf(
        head, sizeof head,
        "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", code, n);
    return send_all(fd, head, (size_t)h) && send_all(fd, text, n);
}

/* One page of nodes or pods. */
static bool answer_list(const struct connection *c, const char *target, const char *kind, size_t n,
                        void (*add)(struct skr_strbuf *, const struct start_objects *, size_t))
{
    struct world *w = c->world;
    SKR_STRBUF(b);
    size_t from = parameter(target, "continue=", 0);
    size_t end = from + parameter(target, "limit=", n ? n : 1);
    end = end < n ? end : n;
    skr_strbuf_addf(&b,
                    "{\"kind\":\"%s\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":"
                    "\"9000000\"",
                    kind);
    if (end < n) {
        skr_strbuf_addf(&b, ",\"continue\":\"%zu\",\"remainingItemCount\":%zu", end, n - end);
    }
    skr_strbuf_add(&b, "},\"items\":[");
    for (size_t i = from; i < end; i++) {
        skr_strbuf_add(&b, i > from ? "," : "");
        add(&b, &w->objects, i);
    }
    skr_strbuf_add(&b, "]}\n");
    bool ok = answer(c->fd, 200, b.s, b.len);
    atomic_fetch_add(&w->bytes, b.len);
    if (end == n && add == start_add_pod) {
        atomic_store(&w->cpu_at_end, cpu_seconds(w->pid));
    }
    return ok;
}

static bool answer_one(const struct connection *c, const char *method, const char *target)
{
    static const char empty[] =
        "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"9000000\"},"
        "\"items\":[]}";
    static const char allowed[] = "{\"status\":{\"allowed\":true}}";
    static const char patched[] = "{\"metadata\":{\"resourceVersion\":\"9000001\"}}";
    static const char stream[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                 "Transfer-Encoding: chunked\r\n\r\n";
    if (strcmp(method, "GET") != 0 && !strstr(target, "/leases")) {
        atomic_fetch_add(&c->world->writes, 1);
    }
    if (strcmp(method, "PATCH") == 0) {
        return answer(c->fd, 200, patched, sizeof patched - 1);
    }
    if (strcmp(method, "GET") != 0) {
        return answer(c->fd, 201, allowed, sizeof allowed - 1);
    }
    if (strstr(target, "watch=true")) {
        return send_all(c->fd, stream, sizeof stream - 1);
    }
    if (strncmp(target, "/api/v1/pods?", 13) == 0) {
        return answer_list(c, target, "PodList", c->world->objects.n_pods, start_add_pod);
    }
    if (strncmp(target, "/api/v1/nodes?", 14) == 0) {
        return answer_list(c, target, "NodeList", c->world->objects.n_nodes, start_add_node);
    }
    if (strncmp(target, "/api/v1/configmaps?", 19) == 0 && !strstr(target, "sakkara.topology")) {
        return answer_list(c, target, "ConfigMapList", c->world->objects.n_groups, start_add_group);
    }
    return answer(c->fd, 200, empty, sizeof empty - 1);
}

static void *serve(void *context)
{
    struct connection *c = context;
    SKR_AUTO_FREE char *text = skr_alloc(REQUEST_MAX + 1);
    char method[16], target[4096];
    size_t n = 0;
    bool ok = true;
    while (ok) {
        ssize_t got = recv(c->fd, text + n, REQUEST_MAX - n, 0);
        if (got <= 0) {
            break;
        }
        n += (size_t)got;
        text[n] = '\0';
        const char *end = strstr(text, "\r\n\r\n");
        const char *length = strcasestr(text, "\r\ncontent-length:");
        size_t body = length ? strtoull(length + 17, NULL, 10) : 0;
        if (!end || n < (size_t)(end + 4 - text) + body) {
            continue;
        }
        n = 0;
        ok = sscanf(text, "%15s %4095s", method, target) == 2 && answer_one(c, method, target);
    }
    (void)close(c->fd);
    free(c);
    return NULL;
}

struct listener {
    struct world *world;
    int fd;
};

static void *accept_all(void *context)
{
    const struct listener *l = context;
    for (;;) {
        int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) {
            return NULL;
        }
        struct connection *c = skr_alloc(sizeof *c);
        *c = (struct connection){.world = l->world, .fd = fd};
        pthread_t thread;
        skr_bug_on(pthread_create(&thread, NULL, serve, c) != 0);
        (void)pthread_detach(thread);
    }
}

/* A socket that listens on a port of 127.0.0.1, which is returned. */
static uint16_t listen_somewhere(int *ret)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    skr_bug_on(fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(fd, 64) != 0 ||
               getsockname(fd, (struct sockaddr *)&at, &size) != 0);
    *ret = fd;
    return ntohs(at.sin_port);
}

/* What the program answers to a GET: of status 200, up to size bytes of it with its head. */
static bool get(uint16_t port, const char *path, char *text, size_t size)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons(port),
                             .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    char request[128];
    int n = snprintf(request, sizeof request,
                     "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", path);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok = fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0 &&
              send_all(fd, request, (size_t)n);
    ssize_t got = ok ? recv(fd, text, size - 1, MSG_WAITALL) : 0;
    text[got > 0 ? got : 0] = '\0';
    (void)close(fd);
    return ok && strncmp(text, "HTTP/1.1 200", 12) == 0;
}

static bool is_ready(uint16_t port)
{
    char text[64];
    return get(port, "/readyz", text, sizeof text);
}

/* A row of the program's own figures; 0 when it is not there. */
static double figure(const char *page, const char *row)
{
    const char *found = strstr(page, row);
    return found ? strtod(found + strlen(row), NULL) : 0;
}

/* ---- one run ---- */

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t n = strlen(text);
    skr_bug_on(fd < 0 || write(fd, text, n) != (ssize_t)n || close(fd) != 0);
}

struct cost {
    double wall;
    double cpu, cpu_after; /* until it is ready, and of that since the last byte of the lists */
    double cpu_quiet;      /* until it has written all */
    double resident, peak, bytes;
    double residents, charges; /* bytes of the engine's two tables of pods */
    unsigned long long writes;
};

/* Until it has not written anything for so long that it has given back what it does not need. */
static void wait_for_quiet(struct world *w)
{
    unsigned long long before = 0, writes = 1;
    for (int i = 0; i < READY_SECONDS && writes != before; i++) {
        before = writes;
        nanosleep(&(struct timespec){.tv_sec = SKR_MEMORY_TEND_S + 1}, NULL);
        writes = 1 + atomic_load(&w->writes);
    }
}

static pid_t start(const char *folder, uint16_t api, uint16_t admin, uint16_t probes)
{
    const char *program = getenv("SAKKARA") ? getenv("SAKKARA") : "build/sakkara";
    char config[512], kubeconfig[512], text[1024];
    snprintf(kubeconfig, sizeof kubeconfig, "%s/kubeconfig", folder);
    snprintf(config, sizeof config, "%s/sakkara.yaml", folder);
    snprintf(text, sizeof text,
             "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
             "contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\n"
             "clusters: [{name: c, cluster: {server: \"http://127.0.0.1:%u\"}}]\n",
             (unsigned)api);
    write_file(kubeconfig, text);
    snprintf(text, sizeof text,
             "apiVersion: sakkara/v1\nkind: SakkaraConfiguration\n"
             "extender: {listen: \"127.0.0.1:0\", bindListen: \"127.0.0.1:0\"}\n"
             "admin: {listen: \"127.0.0.1:%u\", probes: \"127.0.0.1:%u\"}\n",
             (unsigned)admin, (unsigned)probes);
    write_file(config, text);
    pid_t pid = fork();
    skr_bug_on(pid < 0);
    if (pid == 0) {
        int log = getenv("SAKKARA_BENCH_LOG") ? STDERR_FILENO : open("/dev/null", O_WRONLY);
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)dup2(log, STDERR_FILENO);
        execl(program, program, "serve", "--config", config, "--kubeconfig", kubeconfig,
              (char *)NULL);
        _exit(127);
    }
    return pid;
}

static struct cost run(struct world *w)
{
    char folder[] = "/tmp/sakkara-bench-start-XXXXXX";
    char path[128];
    int server, taken, taken_too;
    struct cost cost = {0};
    uint16_t api = listen_somewhere(&server);
    uint16_t probes = listen_somewhere(&taken), admin = listen_somewhere(&taken_too);
    struct listener listener = {.world = w, .fd = server};
    pthread_t thread;
    (void)close(taken);
    (void)close(taken_too);
    skr_bug_on(!mkdtemp(folder));
    skr_bug_on(pthread_create(&thread, NULL, accept_all, &listener) != 0);
    const double began = times_now_s(CLOCK_MONOTONIC);
    w->pid = start(folder, api, admin, probes);
    while (!is_ready(probes)) {
        nanosleep(&(struct timespec){.tv_nsec = 5 * MILLISECOND}, NULL);
        if (times_now_s(CLOCK_MONOTONIC) - began > READY_SECONDS ||
            waitpid(w->pid, NULL, WNOHANG) != 0) {
            fprintf(stderr, "bench_start: the program did not become ready\n");
            exit(1);
        }
    }
    cost.wall = times_now_s(CLOCK_MONOTONIC) - began;
    cost.cpu = cpu_seconds(w->pid);
    cost.cpu_after = cost.cpu - atomic_load(&w->cpu_at_end);
    wait_for_quiet(w);
    cost.cpu_quiet = cpu_seconds(w->pid);
    cost.writes = atomic_load(&w->writes);
    SKR_AUTO_FREE char *page = skr_alloc(PAGE_MAX);
    if (get(admin, "/metrics", page, PAGE_MAX)) {
        cost.residents = figure(page, "sakkara_pods_bytes{table=\"residents\"} ");
        cost.charges = figure(page, "sakkara_pods_bytes{table=\"charges\"} ");
    }
    cost.resident = status_bytes(w->pid, "VmRSS:");
    cost.peak = status_bytes(w->pid, "VmHWM:");
    cost.bytes = (double)atomic_load(&w->bytes);
    (void)kill(w->pid, SIGTERM);
    (void)waitpid(w->pid, NULL, 0);
    (void)shutdown(server, SHUT_RDWR);
    (void)pthread_join(thread, NULL);
    (void)close(server);
    const char *const names[] = {"kubeconfig", "sakkara.yaml"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
    return cost;
}

/* What holds the memory: the nodes and the program itself are those of a run without pods. */
static void print_parts(const struct cost *base, const struct cost *cost)
{
    printf(
        "  of them nodes and the program %.0f MB, pods that only take room %.0f MB, charges %.0f "
        "MB, members, groups, and what watches know of pods %.0f MB\n",
        base->resident / 1e6, cost->residents / 1e6, cost->charges / 1e6,
        (cost->resident - base->resident - cost->residents - cost->charges) / 1e6);
}

int main(int argc, char **argv)
{
    size_t nodes = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000;
    size_t pods = argc > 2 ? strtoull(argv[2], NULL, 10) : 100000;
    size_t templates = argc > 3 ? strtoull(argv[3], NULL, 10) : 500;
    size_t groups = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
    size_t size = argc > 5 ? strtoull(argv[5], NULL, 10) : 10;
    if (nodes == 0 || pods == 0 || templates == 0 || size == 0 || groups > pods / size) {
        fprintf(stderr, "usage: bench_start [NODES [PODS [TEMPLATES [GROUPS [SIZE]]]]]\n");
        return 2;
    }
    struct start_objects objects = {.n_nodes = nodes, .n_templates = templates};
    struct world without = {.objects = objects};
    objects.n_pods = pods;
    struct world with = {.objects = objects};
    objects.n_groups = groups;
    objects.group_size = size;
    struct world grouped = {.objects = objects};
    double load = 0;
    (void)getloadavg(&load, 1);
    const struct cost base = run(&without);
    const struct cost cost = run(&with);
    const double n = (double)pods;
    const double bytes = cost.bytes - base.bytes;
    printf("%zu nodes alone: ready after %.2f s, %.2f s of CPU, %.0f MB resident; load %.2f\n",
           nodes, base.wall, base.cpu, base.resident / 1e6, load);
    printf("and %zu pods of %zu templates, %.0f MB of JSON: ready after %.2f s, %.2f s of CPU, "
           "%.2f s of it after the last byte\n",
           pods, templates, bytes / 1e6, cost.wall, cost.cpu, cost.cpu_after);
    printf("a pod: %.1f us of CPU (%.0f MB/s), %.0f bytes resident; peak %.0f MB\n",
           (cost.cpu - base.cpu) / n * 1e6, bytes / 1e6 / (cost.cpu - base.cpu),
           (cost.resident - base.resident) / n, cost.peak / 1e6);
    print_parts(&base, &cost);
    if (groups > 0) {
        const struct cost all = run(&grouped);
        printf("with %zu groups of %zu among them: ready after %.2f s, %.2f s of CPU, %.2f s of it "
               "after the last byte; %.2f s with %llu writes after that; %.0f MB resident, a "
               "member %.0f bytes more than another pod; peak %.0f MB\n",
               groups, size, all.wall, all.cpu, all.cpu_after, all.cpu_quiet, all.writes,
               all.resident / 1e6, (all.resident - cost.resident) / (double)(groups * size),
               all.peak / 1e6);
        print_parts(&base, &all);
    }
    return 0;
}
