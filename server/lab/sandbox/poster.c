/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other threads append to a list under a lock and wake the poster's thread, which takes the list,
 * lets libcurl work and reports. It waits on epoll and tells libcurl which socket is ready:
 * thousands of held calls cost nothing while others proceed. Texts of errors follow net/http:
 * client.go, transport.go, net.OpError.
 */
#include "server/lab/sandbox/poster.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utlist.h>

#include "server/kube/transfer.h"
#include "server/thread.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

enum {
    IDLE_MAX = 64,           /* idle connections */
    READY_MAX = 256,         /* sockets handled after one wait */
    TIMEOUT_MS_MAX = 1 << 30 /* of an exchange, 12 days */
};

struct post {
    struct post *prev, *next;
    struct skr_poster *poster;
    struct skr_transfer transfer;
    char *url;
    char *body;
    size_t n;
    skr_time timeout;
    skr_post_done *done;
    void *context;
    struct skr_strbuf answer;
    bool too_large;
};

struct skr_poster {
    struct skr_kube_session session;
    int epoll, wake; /* wake: an eventfd among the sockets */
    int64_t due_ms;  /* when libcurl must be called, by the monotonic clock; -1: never */
    pthread_t thread;
    bool started, joined;
    struct post *open; /* poster's thread */
    pthread_mutex_t lock;
    struct post *inbox; /* under the lock, with the following members */
    bool stopping;
};

/* ---- texts ---- */

static const char *decode_errno(long number, char text[128])
{
    static const struct {
        int number;
        const char *text;
    } known[] = {{ECONNREFUSED, "connection refused"},
                 {ECONNRESET, "connection reset by peer"},
                 {EPIPE, "broken pipe"},
                 {ETIMEDOUT, "connection timed out"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].number == number) {
            return known[i].text;
        }
    }
    snprintf(text, 128, "error %ld", number);
    return text;
}

/* The address in "http://127.0.0.1:9660/v1/filter". */
static void write_address(const struct post *post, struct skr_strbuf *out)
{
    const char *at = strstr(post->url, "://");
    at = at ? at + 3 : post->url;
    skr_strbuf_addn(out, at, strcspn(at, "/"));
}

static void write_ends(const struct post *post, struct skr_strbuf *out)
{
    char *local = NULL, *remote = NULL;
    long local_port = 0, remote_port = 0;
    curl_easy_getinfo(post->transfer.easy, CURLINFO_LOCAL_IP, &local);
    curl_easy_getinfo(post->transfer.easy, CURLINFO_LOCAL_PORT, &local_port);
    curl_easy_getinfo(post->transfer.easy, CURLINFO_PRIMARY_IP, &remote);
    curl_easy_getinfo(post->transfer.easy, CURLINFO_PRIMARY_PORT, &remote_port);
    skr_strbuf_addf(out, "%s:%ld->%s:%ld", local ? local : "", local_port, remote ? remote : "",
                    remote_port);
}

/* The cause after 'Post "URL": '. */
static void write_cause(const struct post *post, CURLcode result, struct skr_strbuf *out)
{
    char text[128];
    long number = 0;
    curl_easy_getinfo(post->transfer.easy, CURLINFO_OS_ERRNO, &number);
    if (result == CURLE_COULDNT_CONNECT) {
        skr_strbuf_add(out, "dial tcp ");
        write_address(post, out);
        skr_strbuf_addf(out, ": connect: %s", decode_errno(number, text));
    } else if (result == CURLE_OPERATION_TIMEDOUT) {
        skr_strbuf_add(out, "context deadline exceeded (Client.Timeout exceeded while awaiting "
                            "headers)");
    } else if (result == CURLE_GOT_NOTHING || result == CURLE_ABORTED_BY_CALLBACK) {
        skr_strbuf_add(out, "EOF"); /* aborted: it is never retried */
    } else if (result == CURLE_RECV_ERROR || result == CURLE_SEND_ERROR) {
        const bool receives = result == CURLE_RECV_ERROR;
        skr_strbuf_add(out, receives ? "read tcp " : "write tcp ");
        write_ends(post, out);
        skr_strbuf_addf(out, ": %s: %s", receives ? "read" : "write",
                        decode_errno(number ? number : ECONNRESET, text));
    } else {
        skr_strbuf_add(out, skr_transfer_error(&post->transfer, result));
    }
}

static void write_error(const struct post *post, CURLcode result, struct skr_strbuf *out)
{
    const bool began = skr_transfer_status(&post->transfer) != 0;
    if (post->too_large) {
        skr_strbuf_addf(out, "the answer is larger than %d bytes", SKR_POSTER_ANSWER_MAX);
    } else if (began && result == CURLE_OPERATION_TIMEDOUT) {
        skr_strbuf_add(out, "context deadline exceeded (Client.Timeout or context cancellation "
                            "while reading body)");
    } else if (began) {
        skr_strbuf_add(out, "unexpected EOF");
    } else {
        skr_strbuf_addf(out, "Post \"%s\": ", post->url);
        write_cause(post, result, out);
    }
}

/* ---- one exchange ---- */

static bool on_receive(struct skr_transfer *transfer, const char *data, size_t n)
{
    struct post *post = transfer->owner;
    post->too_large = post->answer.len + n > SKR_POSTER_ANSWER_MAX;
    if (!post->too_large) {
        skr_strbuf_addn(&post->answer, data, n);
    }
    return !post->too_large;
}

static int64_t milliseconds(skr_time time)
{
    const skr_time ms = (time + SKR_MILLISECOND - 1) / SKR_MILLISECOND;
    return ms > TIMEOUT_MS_MAX ? TIMEOUT_MS_MAX : ms < 1 ? 1 : ms;
}

static void free_post(struct post *post)
{
    skr_transfer_fini(&post->transfer);
    skr_strbuf_fini(&post->answer);
    free(post->url);
    free(post->body);
    free(post);
}

/* Reports and frees. */
static void on_done(struct skr_transfer *transfer, CURLcode result)
{
    struct post *post = transfer->owner;
    struct skr_post_answer answer = {.body = ""};
    SKR_STRBUF(error);
    answer.status = skr_transfer_status(&post->transfer);
    /* The body is read only with status 200. */
    if (result != CURLE_OK && (answer.status == 0 || answer.status == 200)) {
        write_error(post, result, &error);
        answer.error = error.s;
    } else if (answer.status == 200) {
        answer.body = post->answer.s ? post->answer.s : "";
        answer.n = post->answer.len;
    }
    DL_DELETE(post->poster->open, post);
    post->done(post->context, &answer);
    free_post(post);
}

static void drop(struct post *post)
{
    const struct skr_post_answer answer = {.body = "", .error = "dropped", .dropped = true};
    post->done(post->context, &answer);
    free_post(post);
}

/* ---- the thread ---- */

static struct post *take_inbox(struct skr_poster *poster, bool *ret_stopping)
{
    pthread_mutex_lock(&poster->lock);
    struct post *first = poster->inbox;
    poster->inbox = NULL;
    *ret_stopping = poster->stopping;
    pthread_mutex_unlock(&poster->lock);
    return first;
}

static void begin(struct skr_poster *poster, struct post *post)
{
    const struct skr_transfer_request request = {.method = "POST",
                                                 .target = post->url,
                                                 .content_type = "application/json",
                                                 .body = post->body,
                                                 .body_len = post->n,
                                                 .timeout_ms = milliseconds(post->timeout)};
    skr_transfer_init(&post->transfer, &poster->session, post);
    post->transfer.receive = on_receive;
    post->transfer.done = on_done;
    DL_APPEND(poster->open, post);
    if (skr_transfer_start(&post->transfer, &request, NULL) < 0) {
        on_done(&post->transfer, CURLE_FAILED_INIT);
    }
}

static int64_t now_ms(void)
{
    return skr_kube_now() / SKR_MILLISECOND;
}

/* libcurl: when it must be called. */
static int on_timer(CURLM *multi, long timeout_ms, void *context)
{
    struct skr_poster *poster = context;
    (void)multi;
    poster->due_ms = timeout_ms < 0 ? -1 : now_ms() + timeout_ms;
    return 0;
}

/* libcurl: the events it needs for this socket. */
static int on_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *unused)
{
    struct skr_poster *poster = context;
    struct epoll_event event = {.data.fd = socket};
    (void)easy;
    (void)unused;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(poster->epoll, EPOLL_CTL_DEL, socket, NULL); /* removed when it was closed */
        return 0;
    }
    event.events |= what & CURL_POLL_IN ? EPOLLIN : 0U;
    event.events |= what & CURL_POLL_OUT ? EPOLLOUT : 0U;
    if (epoll_ctl(poster->epoll, EPOLL_CTL_MOD, socket, &event) != 0) {
        skr_bug_on(errno != ENOENT || epoll_ctl(poster->epoll, EPOLL_CTL_ADD, socket, &event) != 0);
    }
    return 0;
}

static void wait_and_work(struct skr_poster *poster)
{
    struct epoll_event ready[READY_MAX];
    const int64_t now = now_ms(), due = poster->due_ms;
    const int64_t wait = due < 0 ? -1 : due <= now ? 0 : due - now;
    int running = 0;
    const int n = epoll_wait(poster->epoll, ready, READY_MAX,
                             wait > TIMEOUT_MS_MAX ? TIMEOUT_MS_MAX : (int)wait);
    for (int i = 0; i < n; i++) {
        if (ready[i].data.fd == poster->wake) {
            eventfd_t count;
            (void)eventfd_read(poster->wake, &count);
            continue;
        }
        const uint32_t e = ready[i].events;
        const int mask = (e & EPOLLIN ? CURL_CSELECT_IN : 0) |
                         (e & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                         (e & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
        curl_multi_socket_action(poster->session.multi, ready[i].data.fd, mask, &running);
    }
    if (poster->due_ms >= 0 && poster->due_ms <= now_ms()) {
        poster->due_ms = -1; /* set again if needed */
        curl_multi_socket_action(poster->session.multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
}

static void *run(void *context)
{
    struct skr_poster *poster = context;
    struct post *post, *next;
    bool stopping = false;
    while (!stopping) {
        struct post *inbox = take_inbox(poster, &stopping);
        DL_FOREACH_SAFE(inbox, post, next)
        {
            DL_DELETE(inbox, post);
            begin(poster, post);
        }
        if (!stopping) {
            wait_and_work(poster);
            (void)skr_transfer_take_results(&poster->session);
        }
    }
    DL_FOREACH_SAFE(poster->open, post, next)
    {
        DL_DELETE(poster->open, post);
        drop(post);
    }
    return NULL;
}

/* ---- the interface ---- */

static int start(struct skr_poster *poster, struct skr_error *error)
{
    const int rc = skr_thread_start(&poster->thread, "poster", run, poster, error);
    poster->started = rc == 0;
    return rc;
}

int skr_poster_create(struct skr_poster **ret, struct skr_error *error)
{
    skr_bug_on(curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK);
    struct skr_poster *poster = skr_alloc(sizeof *poster);
    skr_bug_on(pthread_mutex_init(&poster->lock, NULL) != 0);
    poster->session.multi = curl_multi_init();
    poster->due_ms = -1;
    poster->epoll = epoll_create1(EPOLL_CLOEXEC);
    poster->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    skr_bug_on(!poster->session.multi);
    curl_multi_setopt(poster->session.multi, CURLMOPT_MAXCONNECTS, (long)IDLE_MAX);
    curl_multi_setopt(poster->session.multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(poster->session.multi, CURLMOPT_SOCKETDATA, poster);
    curl_multi_setopt(poster->session.multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(poster->session.multi, CURLMOPT_TIMERDATA, poster);
    struct epoll_event wake = {.events = EPOLLIN, .data.fd = poster->wake};
    const bool waits = poster->epoll >= 0 && poster->wake >= 0 &&
                       epoll_ctl(poster->epoll, EPOLL_CTL_ADD, poster->wake, &wake) == 0;
    const int rc = waits
                       ? start(poster, error)
                       : skr_error_set(error, SKR_RETRY, "cannot wait on sockets: error %d", errno);
    if (rc < 0) {
        skr_poster_destroy(poster);
        return rc;
    }
    *ret = poster;
    return 0;
}

void skr_poster_post(struct skr_poster *poster, const char *url, char *body, size_t n,
                     skr_time timeout, skr_post_done *done, void *context)
{
    struct post *post = skr_alloc(sizeof *post);
    post->poster = poster;
    post->url = skr_strdup(url);
    post->body = body;
    post->n = n;
    post->timeout = timeout;
    post->done = done;
    post->context = context;
    skr_strbuf_init(&post->answer);
    pthread_mutex_lock(&poster->lock);
    const bool stopping = poster->stopping;
    if (!stopping) {
        DL_APPEND(poster->inbox, post);
    }
    pthread_mutex_unlock(&poster->lock);
    if (stopping) {
        drop(post);
    } else {
        (void)eventfd_write(poster->wake, 1);
    }
}

void skr_poster_stop(struct skr_poster *poster)
{
    if (poster->joined || !poster->started) {
        return;
    }
    pthread_mutex_lock(&poster->lock);
    poster->stopping = true;
    pthread_mutex_unlock(&poster->lock);
    (void)eventfd_write(poster->wake, 1);
    skr_bug_on(pthread_join(poster->thread, NULL) != 0);
    poster->joined = true;
}

void skr_poster_destroy(struct skr_poster *poster)
{
    if (!poster) {
        return;
    }
    skr_poster_stop(poster);
    curl_multi_cleanup(poster->session.multi);
    if (poster->epoll >= 0) {
        close(poster->epoll);
    }
    if (poster->wake >= 0) {
        close(poster->wake);
    }
    pthread_mutex_destroy(&poster->lock);
    free(poster);
    curl_global_cleanup();
}
