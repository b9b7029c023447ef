/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the HTTP side costs, with an engine that answers at once:
 *
 *   filter   round trip of 5,000 node names over one loopback connection, p50 and p99, for the
 * three answers a real engine gives: one node, a mask, nobody parked   memory of the server for
 * each parked bind, and the time to answer all of them
 *
 * usage: bench_filter [ROUNDS [NAMES [PARKED]]]     defaults 3000 5000 5000
 *
 * Client and server are two processes, so that memory and open files are the server's own.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/gang/state/reason.h"
#include "server/http/verbs.h"
#include "test/bench/times.h"
#include "topology/base/arena.h"

enum answers { ONE, MASK, NONE, ANSWERS };
static const char *const answer_name[] = {"one node", "mask", "nobody"};

struct message {
    struct skr_event event;
    void (*release)(void *keep);
    void *keep;
    struct message *next;
};

/* The engine's thread and its queue. */
struct bench {
    struct skr_verbs *verbs;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct message *first;
    struct message **last;
    bool stop;
    enum answers answers;
    uint64_t *parked;
    size_t n_parked;
    uint8_t mask[(1 << 18) / 8];
};

static SKR_NORETURN void die(const char *what)
{
    fprintf(stderr, "bench_filter: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- server ---- */

static void on_post(void *context, const struct skr_event *event, void (*release)(void *keep),
                    void *keep)
{
    struct bench *bench = context;
    struct message *message = skr_alloc(sizeof *message);
    *message = (struct message){.event = *event, .release = release, .keep = keep};
    pthread_mutex_lock(&bench->lock);
    *bench->last = message;
    bench->last = &message->next;
    pthread_cond_signal(&bench->changed);
    pthread_mutex_unlock(&bench->lock);
}

static void handle(struct bench *bench, const struct message *message)
{
    struct skr_answer answer = {.text = SKR_TEXT_CAPACITY};
    const struct skr_event *event = &message->event;
    bool asked = event->kind == SKR_EVENT_REQUEST;
    if (asked && event->request.verb == SKR_GANG_BIND) {
        pthread_mutex_lock(&bench->lock);
        bench->parked[bench->n_parked++] = event->request.id;
        pthread_cond_broadcast(&bench->changed);
        pthread_mutex_unlock(&bench->lock);
    } else if (asked && event->request.verb == SKR_GANG_FILTER) {
        const struct skr_filter_request *filter = event->request.body;
        answer.request = event->request.id;
        answer.kind = bench->answers == ONE    ? SKR_ANSWER_FILTER_ONE
                      : bench->answers == MASK ? SKR_ANSWER_FILTER_MASK
                                               : SKR_ANSWER_FILTER_NONE;
        answer.n = filter->n_nodes;
        answer.mask = bench->mask;
        (void)skr_verbs_answer(bench->verbs, &answer);
    }
    if (message->release) {
        message->release(message->keep);
    }
}

static void *engine(void *context)
{
    struct bench *bench = context;
    pthread_mutex_lock(&bench->lock);
    while (!bench->stop || bench->first) {
        struct message *message = bench->first;
        if (!message) {
            pthread_cond_wait(&bench->changed, &bench->lock);
            continue;
        }
        bench->first = message->next;
        if (!bench->first) {
            bench->last = &bench->first;
        }
        pthread_mutex_unlock(&bench->lock);
        handle(bench, message);
        free(message);
        pthread_mutex_lock(&bench->lock);
    }
    pthread_mutex_unlock(&bench->lock);
    return NULL;
}

static double resident_bytes(void)
{
    unsigned long total = 0;
    unsigned long resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file || fscanf(file, "%lu %lu", &total, &resident) != 2) {
        die("/proc/self/statm");
    }
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

/* ---- client ---- */

static int connect_to(uint16_t port)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons(port),
                                   .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    const int on = 1;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
        die("connect");
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

static void send_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
        if (sent <= 0) {
            die("send");
        }
        bytes += sent;
        n -= (size_t)sent;
    }
}

static void add_request(struct skr_strbuf *out, const char *path, const char *body, size_t n)
{
    skr_strbuf_addf(out,
                    "POST %s HTTP/1.1\r\nHost: 127.0.0.1:9660\r\nUser-Agent: Go-http-client/1.1\r\n"
                    "Content-Length: %zu\r\nContent-Type: application/json\r\n"
                    "Accept-Encoding: gzip\r\n\r\n",
                    path, n);
    skr_strbuf_addn(out, body, n);
}

/* Reads one answer; buffer is large enough for all of it. */
static void receive(int fd, char *buffer, size_t size)
{
    size_t got = 0;
    size_t want = 0;
    while (want == 0 || got < want) {
        const ssize_t r = recv(fd, buffer + got, size - 1 - got, 0);
        if (r <= 0) {
            die("recv");
        }
        got += (size_t)r;
        buffer[got] = 0;
        if (want == 0) {
            const char *end = strstr(buffer, "\r\n\r\n");
            const char *length = strcasestr(buffer, "content-length:");
            if (end && length) {
                want = (size_t)(end + 4 - buffer) + strtoul(length + 15, NULL, 10);
            }
        }
    }
    if (strncmp(buffer, "HTTP/1.1 200", 12) != 0) {
        die("status");
    }
}

/* Runs in the client: rounds of the same filter request, printed as one line. */
static void measure_filter(uint16_t port, const char *name, int rounds, int names)
{
    const size_t size = 64 * 1024 * 1024;
    SKR_AUTO_FREE double *took = skr_alloc_array((size_t)rounds, sizeof *took);
    SKR_AUTO_FREE char *buffer = skr_alloc(size);
    const int fd = connect_to(port);
    SKR_STRBUF(body);
    SKR_STRBUF(request);

    skr_strbuf_add(
        &body, "{\"Pod\":{\"metadata\":{\"name\":\"job-a-0\",\"namespace\":\"default\",\"uid\":"
               "\"5b0f2a8e-2a0c-4a3f-9f57-2f5d0c1f7a11\",\"labels\":{\"sakkara.group.name\":"
               "\"group-a\"}},\"spec\":{\"schedulerName\":\"sakkara\",\"containers\":[{\"name\":"
               "\"main\",\"image\":\"busybox\",\"resources\":{\"requests\":{\"cpu\":\"100m\","
               "\"memory\":\"128Mi\"}}}],\"tolerations\":[{\"key\":\"node.kubernetes.io/"
               "not-ready\",\"operator\":\"Exists\",\"effect\":\"NoExecute\","
               "\"tolerationSeconds\":300}]},\"status\":{\"phase\":\"Pending\"}},\"Nodes\":"
               "null,\"NodeNames\":[");
    for (int i = 0; i < names; i++) {
        skr_strbuf_addf(&body, "%s\"ip-10-%d-%d-%d.ec2.internal\"", i > 0 ? "," : "", i / 65536,
                        i / 256 % 256, i % 256);
    }
    skr_strbuf_add(&body, "]}");
    add_request(&request, "/v1/filter", body.s, body.len);
    for (int i = -rounds / 10; i < rounds; i++) { /* a tenth of them to warm up */
        const double begin = times_now_s(CLOCK_MONOTONIC);
        send_all(fd, request.s, request.len);
        receive(fd, buffer, size);
        if (i >= 0) {
            took[i] = times_now_s(CLOCK_MONOTONIC) - begin;
        }
    }
    times_sort(took, (size_t)rounds);
    printf("filter  %d names (%zu bytes), answer %-8s  p50 %.3f ms  p99 %.3f ms  max %.3f ms\n",
           names, body.len, name, took[rounds / 2] * 1e3, took[rounds * 99 / 100] * 1e3,
           took[rounds - 1] * 1e3);
    fflush(stdout);
    close(fd);
}

static void measure_parked(uint16_t port, int n, int to_server, int from_server)
{
    SKR_AUTO_FREE int *fd = skr_alloc_array((size_t)n, sizeof *fd);
    char buffer[4096];
    SKR_STRBUF(request);
    char go;

    for (int i = 0; i < n; i++) {
        char body[160];
        (void)snprintf(body, sizeof body,
                       "{\"PodName\":\"job-a-%d\",\"PodNamespace\":\"default\",\"PodUID\":"
                       "\"5b0f2a8e-2a0c-4a3f-9f57-2f5d0c1f7a11\",\"Node\":\"node-%d\"}",
                       i, i);
        skr_strbuf_reset(&request);
        add_request(&request, "/v1/bind", body, strlen(body));
        fd[i] = connect_to(port);
        send_all(fd[i], request.s, request.len);
    }
    if (read(from_server, &go, 1) != 1) { /* the server answers from here on */
        die("pipe");
    }
    const double begin = times_now_s(CLOCK_MONOTONIC);
    for (int i = 0; i < n; i++) {
        receive(fd[i], buffer, sizeof buffer);
    }
    printf("parked  %d answered in %.1f ms\n", n, (times_now_s(CLOCK_MONOTONIC) - begin) * 1e3);
    fflush(stdout);
    if (write(to_server, "x", 1) != 1) {
        die("pipe");
    }
}

/* ---- both ---- */

struct ports {
    uint16_t filter;
    uint16_t bind;
};

static int client(int rounds, int names, int parked, int to_server, int from_server)
{
    struct ports ports;
    (void)skr_http_raise_open_files();
    if (read(from_server, &ports, sizeof ports) != sizeof ports) {
        die("pipe");
    }
    for (int a = 0; a < ANSWERS; a++) {
        char go;
        measure_filter(ports.filter, answer_name[a], rounds, names);
        if (write(to_server, "x", 1) != 1 || read(from_server, &go, 1) != 1) {
            die("pipe");
        }
    }
    measure_parked(ports.bind, parked, to_server, from_server);
    return 0;
}

static void serve(struct bench *bench, int parked, int to_client, int from_client)
{
    char go;
    for (int a = 0; a < ANSWERS; a++) {
        if (read(from_client, &go, 1) != 1) { /* this answer is measured */
            die("pipe");
        }
        pthread_mutex_lock(&bench->lock);
        bench->answers = (enum answers)(a + 1 < ANSWERS ? a + 1 : ONE);
        pthread_mutex_unlock(&bench->lock);
        if (a == ANSWERS - 1) {
            (void)malloc_trim(0);
        }
        const double before = resident_bytes();
        if (write(to_client, "x", 1) != 1) {
            die("pipe");
        }
        if (a < ANSWERS - 1) {
            continue;
        }
        pthread_mutex_lock(&bench->lock);
        while (bench->n_parked < (size_t)parked) {
            pthread_cond_wait(&bench->changed, &bench->lock);
        }
        pthread_mutex_unlock(&bench->lock);
        printf("parked  %d binds, %.0f bytes of resident memory each\n", parked,
               (resident_bytes() - before) / parked);
        fflush(stdout);
    }
    if (write(to_client, "x", 1) != 1) {
        die("pipe");
    }
    for (int i = 0; i < parked; i++) {
        const struct skr_answer answer = {
            .request = bench->parked[i], .kind = SKR_ANSWER_BOUND, .text = ""};
        (void)skr_verbs_answer(bench->verbs, &answer);
    }
    if (read(from_client, &go, 1) != 1) {
        die("pipe");
    }
}

static int server(int parked, int to_client, int from_client)
{
    struct bench *bench = skr_alloc(sizeof *bench);
    struct skr_error error;
    pthread_t thread;
    pthread_mutex_init(&bench->lock, NULL);
    pthread_cond_init(&bench->changed, NULL);
    bench->last = &bench->first;
    bench->parked = skr_alloc_array((size_t)parked, sizeof *bench->parked);
    memset(bench->mask, 0xAA, sizeof bench->mask);
    const struct skr_verbs_options options = {.listen = "127.0.0.1:0",
                                              .bind_listen = "127.0.0.1:0",
                                              .post = on_post,
                                              .post_context = bench};
    if (skr_verbs_create(&options, &bench->verbs, &error) != 0) {
        fprintf(stderr, "bench_filter: %s\n", error.text);
        return 1;
    }
    if (pthread_create(&thread, NULL, engine, bench) != 0) {
        die("thread");
    }
    const struct ports ports = {skr_verbs_port(bench->verbs), skr_verbs_bind_port(bench->verbs)};
    if (write(to_client, &ports, sizeof ports) != sizeof ports) {
        die("pipe");
    }
    serve(bench, parked, to_client, from_client);
    skr_verbs_stop(bench->verbs);
    pthread_mutex_lock(&bench->lock);
    bench->stop = true;
    pthread_cond_signal(&bench->changed);
    pthread_mutex_unlock(&bench->lock);
    pthread_join(thread, NULL);
    skr_verbs_destroy(bench->verbs);
    free(bench->parked);
    free(bench);
    return 0;
}

static int argument(int argc, char **argv, int i, int absent)
{
    const long v = argc > i ? strtol(argv[i], NULL, 10) : absent;
    if (v < 10 || v > 100000) {
        fprintf(stderr, "usage: bench_filter [ROUNDS [NAMES [PARKED]]] (10 to 100000 each)\n");
        exit(2);
    }
    return (int)v;
}

int main(int argc, char **argv)
{
    const int rounds = argument(argc, argv, 1, 3000);
    const int names = argument(argc, argv, 2, 5000);
    const int parked = argument(argc, argv, 3, 5000);
    int down[2];
    int up[2];
    int status = 0;
    if (pipe(down) != 0 || pipe(up) != 0) {
        die("pipe");
    }
    const pid_t child = fork();
    if (child < 0) {
        die("fork");
    }
    if (child == 0) {
        close(down[1]);
        close(up[0]);
        return client(rounds, names, parked, up[1], down[0]);
    }
    close(down[0]);
    close(up[1]);
    const int rc = server(parked, down[1], up[0]);
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
        return 1;
    }
    return rc != 0 ? rc : WEXITSTATUS(status);
}
