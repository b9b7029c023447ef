/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the spot mix costs:
 *
 *   review   processor time of one AdmissionReview of a pod of 6 KB, in memory: a ReplicaSet of PODS pods, a pod of a
 *            workload that is off, p50 and p99
 *   http     the same over one loopback connection that is kept, as the API server keeps its own;
 *            the engine is called on the listener's thread
 *   rebuild  100,000 pods of 1,000 ReplicaSets put into an empty mix and settled; bytes a pod; what
 *            the daemon's metrics count over them
 *
 * usage: bench_spotmix [ROUNDS [PODS]]     defaults 20000 500
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "core/spotmix/view.h"
#include "server/http/spotmix_webhook.h"
#include "test/bench/mix.h"
#include "test/bench/times.h"
#include "topology/base/arena.h"

enum { LISTED_SETS = 1000, LISTED_PODS = 100 };

static struct skr_spotmix_settings settings;
static struct skr_spotmix *mix;
static struct skr_spotmix_webhook *webhook;
static skr_time virtual_now;

/* Of this thread: what other programs do on the machine does not count. */
static double processor_s(void)
{
    return times_now_s(CLOCK_THREAD_CPUTIME_ID);
}

static void report(const char *what, double *took, size_t n)
{
    double sum = 0;
    times_sort(took, n);
    for (size_t i = 0; i < n; i++) {
        sum += took[i];
    }
    printf("%-34s p50 %6.1f us  p99 %6.1f us  %8.0f /s\n", what, took[n / 2] * 1e6,
           took[n * 99 / 100] * 1e6, (double)n / sum);
}

static void bench_reviews(const char *what, const char *body, int rounds)
{
    SKR_AUTO_FREE double *took = skr_alloc_array((size_t)rounds, sizeof *took);
    const size_t len = strlen(body);
    for (int i = 0; i < rounds; i++) {
        struct skr_spotmix_answer answer;
        /* 1,000 a second: reservations of half a minute do not pile up beyond what they would. */
        virtual_now += 60 * SKR_MILLISECOND;
        const double begin = processor_s();
        mix_answer(mix, body, len, i, virtual_now, &answer);
        took[i] = processor_s() - begin;
        skr_strbuf_fini(&answer.body);
    }
    report(what, took, (size_t)rounds);
}

/* ---- over HTTP ---- */

static void post(void *context, const struct skr_event *event, void (*release)(void *keep),
                 void *keep)
{
    const struct skr_spotmix_request *asked = event->request.body;
    struct skr_spotmix_answer answer;
    (void)context;
    virtual_now += 60 * SKR_MILLISECOND;
    struct skr_spotmix_review review = {.body = asked->body, .serving = true, .now = virtual_now};
    memcpy(review.random, asked->random, sizeof review.random);
    skr_spotmix_review(mix, &review, &answer);
    const struct skr_spotmix_reply reply = {
        .status = answer.status, .body = answer.body.s, .len = answer.body.len};
    skr_spotmix_webhook_answer(webhook, event->request.id, &reply);
    skr_strbuf_fini(&answer.body);
    release(keep);
}

/* Reads one answer with Content-Length; false: there is none. */
static bool receive(int fd)
{
    char buffer[16384];
    size_t n = 0;
    for (;;) {
        const ssize_t got = recv(fd, buffer + n, sizeof buffer - 1 - n, 0);
        if (got <= 0) {
            return false;
        }
        n += (size_t)got;
        buffer[n] = '\0';
        const char *end = strstr(buffer, "\r\n\r\n"),
                   *length = strcasestr(buffer, "content-length:");
        if (end && length && n >= (size_t)(end - buffer) + 4 + strtoul(length + 15, NULL, 10)) {
            return strstr(buffer, " 200 ");
        }
    }
}

static void bench_http(const char *body, int rounds)
{
    const struct skr_spotmix_webhook_options options = {.listen = "127.0.0.1:0", .post = post};
    SKR_AUTO_FREE double *took = skr_alloc_array((size_t)rounds, sizeof *took);
    struct skr_strbuf request;
    struct skr_error error;
    if (skr_spotmix_webhook_create(&options, &webhook, &error) != 0) {
        fprintf(stderr, "bench_spotmix: %s\n", error.text);
        exit(1);
    }
    const struct sockaddr_in to = {
        .sin_family = AF_INET,
        .sin_port = htons(skr_listener_port(skr_spotmix_webhook_listener(webhook))),
        .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
        perror("bench_spotmix");
        exit(1);
    }
    skr_strbuf_init(&request);
    struct skr_caller_tokens tokens = {.n = 1};
    if (skr_caller_token_make(tokens.text[0], &error) < 0) {
        fprintf(stderr, "bench_spotmix: %s\n", error.text);
        exit(1);
    }
    skr_spotmix_webhook_set_tokens(webhook, &tokens);
    skr_strbuf_addf(&request,
                    "POST " SKR_SPOTMIX_PATH "/%s HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n"
                    "\r\n",
                    tokens.text[0], strlen(body));
    skr_strbuf_add(&request, body);
    for (int i = 0; i < rounds; i++) {
        const double begin = times_now_s(CLOCK_MONOTONIC);
        if (send(fd, request.s, request.len, 0) != (ssize_t)request.len || !receive(fd)) {
            fprintf(stderr, "bench_spotmix: no answer\n");
            exit(1);
        }
        took[i] = times_now_s(CLOCK_MONOTONIC) - begin;
    }
    report("http, one kept connection", took, (size_t)rounds);
    close(fd);
    skr_strbuf_fini(&request);
    skr_listener_stop(skr_spotmix_webhook_listener(webhook));
    skr_spotmix_webhook_destroy(webhook);
}

/* ---- rebuilding ---- */

static void no_fix(void *context, const struct skr_spotmix_fix *fix)
{
    (void)context;
    (void)fix;
}

static void bench_rebuild(void)
{
    const struct skr_spotmix_settling settling = {.now = SKR_TIME_NEVER, .emit = no_fix};
    struct skr_spotmix *fresh;
    double took = 0;
    skr_spotmix_create(&settings, &fresh, NULL);
    const size_t before = mallinfo2().uordblks;
    for (int s = 0; s < LISTED_SETS; s++) {
        char set[40], uid[64];
        snprintf(set, sizeof set, "00000000-0000-4000-8000-%012d", s);
        mix_put_set(fresh, set, "true");
        for (int p = 0; p < LISTED_PODS; p++) {
            snprintf(uid, sizeof uid, "pod-%d-00000000-0000-4000-%012d", s, p);
            json_auto_t *pod = mix_pod(set, uid, p);
            const double begin = times_now_s(CLOCK_MONOTONIC);
            skr_spotmix_put(fresh, SKR_SPOTMIX_POD, pod);
            took += times_now_s(CLOCK_MONOTONIC) - begin;
        }
    }
    const double begin = times_now_s(CLOCK_MONOTONIC);
    skr_spotmix_settle(fresh, &settling);
    took += times_now_s(CLOCK_MONOTONIC) - begin;
    struct skr_spotmix_totals totals;
    const double counting = processor_s();
    skr_spotmix_totals(fresh, &totals);
    printf("%-34s %.1f ms\n", "figures of 100,000 pods", (processor_s() - counting) * 1e3);
    printf("%-34s %.2f s, %zu bytes a pod\n", "rebuild of 100,000 pods", took,
           (mallinfo2().uordblks - before) / (LISTED_SETS * LISTED_PODS));
    skr_spotmix_destroy(fresh);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 20000;
    const int pods = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 500;
    skr_spotmix_settings_default(&settings);
    if (rounds <= 0 || pods < 0 || skr_spotmix_create(&settings, &mix, NULL) != 0) {
        return 2;
    }
    mix_put_set(mix, "rs", "true");
    mix_put_set(mix, "off", "false");
    for (int i = 0; i < pods; i++) {
        char uid[32];
        snprintf(uid, sizeof uid, "pod-%d", i);
        json_auto_t *pod = mix_pod("rs", uid, i);
        skr_spotmix_put(mix, SKR_SPOTMIX_POD, pod);
    }
    char *body = mix_review("rs"), *off = mix_review("off");
    bench_reviews("review, patched", body, rounds);
    bench_reviews("review, switch off", off, rounds);
    bench_http(body, rounds);
    bench_rebuild();
    free(body);
    free(off);
    skr_spotmix_destroy(mix);
    return 0;
}
