/* SPDX-License-Identifier: Apache-2.0 */
/* The scripted API server: HTTP/1.1 with Content-Length requests, GnuTLS where TLS is asked for. */
#include "test/unit/fake_api.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { REQUEST_MAX = 4 * 1024 * 1024, STEPS_MAX = 256, HEAD_MAX = 1024 };

struct chunk {
    struct chunk *next;
    char *text;
};

struct conn {
    struct fake_api *api;
    struct conn *next;
    pthread_t thread;
    int fd;
    gnutls_session_t tls;
    char *buffer; /* REQUEST_MAX + 1 */
    size_t n;
    /* Of an open stream. */
    char *stream; /* its request line; NULL: none */
    struct chunk *chunks;
    bool ending;
    enum fake_mode end;
    bool gone;
};

struct step {
    struct fake_step step;
    bool used;
};

struct request {
    char *text;
    struct request *next;
};

struct fake_api {
    int listener;
    uint16_t port;
    pthread_t thread;
    bool listening;
    const struct fake_pki *pki;
    bool require_client;
    gnutls_certificate_credentials_t credentials;

    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t changed;
    bool stopping;
    struct conn *conns;
    struct step steps[STEPS_MAX];
    size_t n_steps;
    struct request *requests;
    struct request **requests_end;
    char *released[STEPS_MAX];
    size_t n_released;
    size_t busy;
    size_t peak;
    size_t n_accepted;
    fake_responder responder;
    void *responder_context;
};

static void lock(struct fake_api *api)
{
    if (pthread_mutex_lock(&api->lock) != 0) {
        abort();
    }
}

static void unlock(struct fake_api *api)
{
    if (pthread_mutex_unlock(&api->lock) != 0) {
        abort();
    }
}

static void changed(struct fake_api *api)
{
    (void)pthread_cond_broadcast(&api->changed);
}

static struct timespec deadline(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += FAKE_DEADLINE_S;
    return t;
}

static void wait_changed(struct fake_api *api, const struct timespec *until, const char *what)
{
    if (pthread_cond_timedwait(&api->changed, &api->lock, until) == ETIMEDOUT) {
        fprintf(stderr, "fake_api: nothing happened for %d s: %s\nrequests so far:\n",
                FAKE_DEADLINE_S, what);
        for (const struct request *r = api->requests; r; r = r->next) {
            fprintf(stderr, "  %.*s\n", (int)strcspn(r->text, "\n"), r->text);
        }
        abort();
    }
}

static char *copy(const char *text)
{
    char *c = strdup(text ? text : "");
    if (!c) {
        abort();
    }
    return c;
}

/* Whether match is part of the first line. */
static bool line_matches(const char *text, const char *match)
{
    if (!match || match[0] == '\0') {
        return true;
    }
    const char *found = strstr(text, match);
    return found && (size_t)(found - text) <= strcspn(text, "\n");
}

/* ---- bytes ---- */

static bool write_all(struct conn *c, const char *data, size_t n)
{
    while (n > 0) {
        ssize_t sent =
            c->tls ? gnutls_record_send(c->tls, data, n) : send(c->fd, data, n, MSG_NOSIGNAL);
        if (sent == GNUTLS_E_AGAIN || sent == GNUTLS_E_INTERRUPTED) {
            continue;
        }
        if (sent <= 0) {
            return false;
        }
        data += sent;
        n -= (size_t)sent;
    }
    return true;
}

static ssize_t read_some(struct conn *c, char *data, size_t n)
{
    ssize_t got;
    do {
        got = c->tls ? gnutls_record_recv(c->tls, data, n) : recv(c->fd, data, n, 0);
    } while (c->tls && (got == GNUTLS_E_AGAIN || got == GNUTLS_E_INTERRUPTED));
    return got;
}

static void reset(const struct conn *c)
{
    struct linger hard = {.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
}

/* Reads one request; its length with the body, 0 at the end of the connection. */
static size_t read_request(struct conn *c, size_t *ret_head)
{
    for (;;) {
        c->buffer[c->n] = '\0';
        char *head = strstr(c->buffer, "\r\n\r\n");
        if (head) {
            size_t head_len = (size_t)(head - c->buffer) + 4;
            const char *length = strcasestr(c->buffer, "\r\nContent-Length:");
            size_t body = length && length < head ? strtoul(length + 17, NULL, 10) : 0;
            if (head_len + body > REQUEST_MAX) {
                return 0;
            }
            if (c->n >= head_len + body) {
                *ret_head = head_len;
                return head_len + body;
            }
        }
        ssize_t got = c->n < REQUEST_MAX ? read_some(c, c->buffer + c->n, REQUEST_MAX - c->n) : 0;
        if (got <= 0) {
            return 0;
        }
        c->n += (size_t)got;
    }
}

/* ---- the journal ---- */

/* "METHOD TARGET\nheaders\n\nbody". */
static char *request_text(const char *raw, size_t head, size_t n)
{
    char *text = malloc(n + 1);
    if (!text) {
        abort();
    }
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        if (i >= head || raw[i] != '\r') {
            text[len++] = raw[i];
        }
    }
    text[len] = '\0';
    char *version = strstr(text, " HTTP/1.1\n");
    if (version) {
        memmove(version, version + 9, strlen(version + 9) + 1);
    }
    return text;
}

static void write_down(struct fake_api *api, char *text)
{
    struct request *r = calloc(1, sizeof *r);
    if (!r) {
        abort();
    }
    r->text = text;
    *api->requests_end = r;
    api->requests_end = &r->next;
    changed(api);
}

/* ---- answers ---- */

static bool answer(struct conn *c, int status, const char *headers, const char *body, bool half)
{
    char head[HEAD_MAX];
    size_t n = strlen(body);
    int len = snprintf(head, sizeof head,
                       "HTTP/1.1 %d Said\r\nContent-Type: application/json\r\n%sContent-Length: "
                       "%zu\r\n\r\n",
                       status, headers, n);
    return write_all(c, head, (size_t)len) && write_all(c, body, half ? n / 2 : n);
}

static bool send_chunk(struct conn *c, const char *text)
{
    char head[32];
    int len = snprintf(head, sizeof head, "%zx\r\n", strlen(text));
    return write_all(c, head, (size_t)len) && write_all(c, text, strlen(text)) &&
           write_all(c, "\r\n", 2);
}

static void free_chunks(struct conn *c)
{
    while (c->chunks) {
        struct chunk *next = c->chunks->next;
        free(c->chunks->text);
        free(c->chunks);
        c->chunks = next;
    }
}

static void add_chunk(struct conn *c, char *text)
{
    struct chunk *chunk = calloc(1, sizeof *chunk);
    if (!chunk) {
        abort();
    }
    chunk->text = text;
    struct chunk **end = &c->chunks;
    while (*end) {
        end = &(*end)->next;
    }
    *end = chunk;
}

/* Called and left with the lock held, which is not let go before the stream can be found. Returns
 * whether the connection can be used on. */
static bool stream(struct conn *c, const char *line, const char *body, bool end)
{
    struct fake_api *api = c->api;
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n";
    c->ending = end;
    c->end = FAKE_ANSWER;
    c->stream = copy(line);
    if (body && body[0] != '\0') {
        add_chunk(c, copy(body));
    }
    unlock(api);
    bool ok = write_all(c, head, sizeof head - 1);
    lock(api);
    changed(api);
    while (ok && !api->stopping && !(c->ending && !c->chunks)) {
        struct chunk *first = c->chunks;
        if (!first) {
            (void)pthread_cond_wait(&api->changed, &api->lock);
            continue;
        }
        c->chunks = first->next;
        unlock(api);
        ok = send_chunk(c, first->text);
        free(first->text);
        free(first);
        lock(api);
    }
    free(c->stream);
    c->stream = NULL;
    free_chunks(c);
    if (c->ending && c->end == FAKE_RESET) {
        reset(c);
    }
    return ok && c->ending && c->end == FAKE_ANSWER && write_all(c, "0\r\n\r\n", 5);
}

static bool is_released(const struct fake_api *api, const char *line)
{
    for (size_t i = 0; i < api->n_released; i++) {
        if (line_matches(line, api->released[i])) {
            return true;
        }
    }
    return false;
}

static struct fake_step default_step(const char *line)
{
    if (strstr(line, "watch=true")) {
        return (struct fake_step){.mode = FAKE_STREAM};
    }
    if (strstr(line, "?limit=")) {
        return (struct fake_step){
            .body = "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}"};
    }
    return (struct fake_step){.body = "{\"kind\":\"Status\",\"status\":\"Success\"}"};
}

static struct fake_step choose_step(struct fake_api *api, const char *text)
{
    for (size_t i = 0; i < api->n_steps; i++) {
        struct step *s = &api->steps[i];
        if (s->used || !line_matches(text, s->step.match)) {
            continue;
        }
        if (s->step.skip > 0) {
            s->step.skip--;
            continue;
        }
        s->used = !s->step.forever;
        return s->step;
    }
    return api->responder ? (struct fake_step){.mode = FAKE_PASS} : default_step(text);
}

/* Lets ms pass, or less when the server goes down. Lock held at call and return. */
static void delay(struct fake_api *api, int ms)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    while (!api->stopping &&
           pthread_cond_timedwait(&api->changed, &api->lock, &until) != ETIMEDOUT) {
        ;
    }
}

/* Lock held at call and return. Returns whether the connection can be used on. */
static bool answer_step(struct conn *c, const struct fake_step *step)
{
    struct fake_api *api = c->api;
    bool half = step->mode == FAKE_SHORT;
    unlock(api);
    bool ok = answer(c, step->status ? step->status : 200, step->headers ? step->headers : "",
                     step->body ? step->body : "", half);
    lock(api);
    return ok && !half;
}

/* The same with the responder's answer. */
static bool pass(struct conn *c, const struct fake_step *step, const char *text, const char *line)
{
    struct fake_api *api = c->api;
    struct fake_reply reply = api->responder(api->responder_context, text);
    bool ok = false;
    if (step->mode == FAKE_LOST) {
        reset(c);
    } else if (reply.stream) {
        ok = stream(c, line, reply.body, reply.end);
    } else {
        ok = answer_step(c, &(struct fake_step){.status = reply.status, .body = reply.body});
    }
    free(reply.body);
    return ok;
}

/* Lock held at call and return. text stays in the journal. */
static bool handle(struct conn *c, char *text)
{
    struct fake_api *api = c->api;
    bool is_read = line_matches(text, "watch=true") || line_matches(text, "?limit=");
    struct fake_step step = choose_step(api, text);
    char *line = copy(text);
    line[strcspn(line, "\n")] = '\0';
    write_down(api, text);
    bool ok = false;
    if (!is_read && ++api->busy > api->peak) {
        api->peak = api->busy;
    }
    if (step.delay_ms > 0) {
        delay(api, step.delay_ms);
    }
    while (step.mode == FAKE_HANG && !api->stopping && !is_released(api, line)) {
        (void)pthread_cond_wait(&api->changed, &api->lock);
    }
    if (api->stopping) {
        ok = false; /* it went down before it took the request */
    } else if (step.mode == FAKE_PASS || step.mode == FAKE_LOST) {
        ok = pass(c, &step, text, line);
    } else if (step.mode == FAKE_STREAM) {
        ok = stream(c, line, step.body, false);
    } else if (step.mode == FAKE_RESET) {
        reset(c);
    } else if (step.mode != FAKE_CLOSE) {
        ok = answer_step(c, &step);
    }
    if (!is_read) {
        api->busy--;
    }
    free(line);
    return ok && !api->stopping;
}

/* ---- connections ---- */

static bool tls_begin(struct conn *c)
{
    struct fake_api *api = c->api;
    if (!api->pki) {
        return true;
    }
    if (gnutls_init(&c->tls, GNUTLS_SERVER | GNUTLS_NO_SIGNAL) < 0) {
        return false;
    }
    (void)gnutls_set_default_priority(c->tls);
    (void)gnutls_credentials_set(c->tls, GNUTLS_CRD_CERTIFICATE, api->credentials);
    if (api->require_client) {
        gnutls_certificate_server_set_request(c->tls, GNUTLS_CERT_REQUIRE);
        gnutls_session_set_verify_cert(c->tls, NULL, 0);
    }
    gnutls_transport_set_int(c->tls, c->fd);
    int rc;
    do {
        rc = gnutls_handshake(c->tls);
    } while (rc < 0 && !gnutls_error_is_fatal(rc));
    return rc == 0;
}

static void *serve(void *context)
{
    struct conn *c = context;
    struct fake_api *api = c->api;
    bool ok = tls_begin(c);
    size_t head = 0;
    for (size_t n; ok && (n = read_request(c, &head)) > 0;) {
        char *text = request_text(c->buffer, head, n);
        memmove(c->buffer, c->buffer + n, c->n - n);
        c->n -= n;
        lock(api);
        ok = handle(c, text);
        unlock(api);
    }
    lock(api);
    (void)close(c->fd);
    c->fd = -1;
    c->gone = true;
    unlock(api);
    if (c->tls) {
        gnutls_deinit(c->tls);
    }
    free(c->buffer);
    return NULL;
}

static void add_conn(struct fake_api *api, int fd)
{
    int one = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct conn *c = calloc(1, sizeof *c);
    if (!c) {
        abort();
    }
    c->buffer = malloc(REQUEST_MAX + 1);
    if (!c->buffer) {
        abort();
    }
    c->api = api;
    c->fd = fd;
    lock(api);
    c->next = api->conns;
    api->conns = c;
    api->n_accepted++;
    changed(api);
    if (pthread_create(&c->thread, NULL, serve, c) != 0) {
        abort();
    }
    if (api->stopping) {
        (void)shutdown(fd, SHUT_RDWR);
    }
    unlock(api);
}

static void *accept_all(void *context)
{
    struct fake_api *api = context;
    for (;;) {
        int fd = accept4(api->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0) {
            add_conn(api, fd);
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return NULL;
        }
    }
}

static void open_listener(struct fake_api *api)
{
    int one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(api->port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t len = sizeof address;
    api->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)setsockopt(api->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (api->listener < 0 || bind(api->listener, (struct sockaddr *)&address, len) != 0 ||
        listen(api->listener, 128) != 0 ||
        getsockname(api->listener, (struct sockaddr *)&address, &len) != 0) {
        perror("fake_api");
        abort();
    }
    api->port = ntohs(address.sin_port);
}

static void load_pki(struct fake_api *api)
{
    const struct fake_pki *p = api->pki;
    gnutls_datum_t cert = {.data = (unsigned char *)copy(p->server_cert),
                           .size = (unsigned int)strlen(p->server_cert)};
    gnutls_datum_t key = {.data = (unsigned char *)copy(p->server_key),
                          .size = (unsigned int)strlen(p->server_key)};
    gnutls_datum_t ca = {.data = (unsigned char *)copy(p->ca), .size = (unsigned int)strlen(p->ca)};
    if (gnutls_certificate_allocate_credentials(&api->credentials) < 0 ||
        gnutls_certificate_set_x509_key_mem(api->credentials, &cert, &key, GNUTLS_X509_FMT_PEM) <
            0 ||
        gnutls_certificate_set_x509_trust_mem(api->credentials, &ca, GNUTLS_X509_FMT_PEM) < 0) {
        abort();
    }
    free(cert.data);
    free(key.data);
    free(ca.data);
}

struct fake_api *fake_api_start(const struct fake_pki *pki, bool require_client)
{
    struct fake_api *api = calloc(1, sizeof *api);
    if (!api) {
        abort();
    }
    api->pki = pki;
    api->require_client = require_client;
    api->requests_end = &api->requests;
    if (pthread_mutex_init(&api->lock, NULL) != 0 || pthread_cond_init(&api->changed, NULL) != 0) {
        abort();
    }
    if (pki) {
        load_pki(api);
    }
    fake_api_come_up(api);
    return api;
}

void fake_api_come_up(struct fake_api *api)
{
    open_listener(api);
    lock(api);
    api->stopping = false;
    api->listening = true;
    unlock(api);
    if (pthread_create(&api->thread, NULL, accept_all, api) != 0) {
        abort();
    }
}

static void join_conns(struct fake_api *api, struct conn *first)
{
    while (first) {
        struct conn *next = first->next;
        (void)pthread_join(first->thread, NULL);
        free_chunks(first);
        free(first);
        first = next;
    }
    (void)api;
}

void fake_api_go_down(struct fake_api *api)
{
    lock(api);
    bool was = api->listening;
    api->listening = false;
    api->stopping = true;
    changed(api);
    unlock(api);
    if (!was) {
        return;
    }
    (void)shutdown(api->listener, SHUT_RDWR);
    (void)pthread_join(api->thread, NULL);
    (void)close(api->listener);
    lock(api);
    struct conn *conns = api->conns;
    api->conns = NULL;
    for (struct conn *c = conns; c; c = c->next) {
        if (c->fd >= 0) {
            (void)shutdown(c->fd, SHUT_RDWR);
        }
    }
    changed(api);
    unlock(api);
    join_conns(api, conns);
}

void fake_api_stop(struct fake_api *api)
{
    if (!api) {
        return;
    }
    fake_api_go_down(api);
    while (api->requests) {
        struct request *next = api->requests->next;
        free(api->requests->text);
        free(api->requests);
        api->requests = next;
    }
    for (size_t i = 0; i < api->n_steps; i++) {
        free((void *)(uintptr_t)api->steps[i].step.match);
        free((void *)(uintptr_t)api->steps[i].step.headers);
        free((void *)(uintptr_t)api->steps[i].step.body);
    }
    for (size_t i = 0; i < api->n_released; i++) {
        free(api->released[i]);
    }
    if (api->credentials) {
        gnutls_certificate_free_credentials(api->credentials);
    }
    (void)pthread_cond_destroy(&api->changed);
    (void)pthread_mutex_destroy(&api->lock);
    free(api);
}

/* ---- the test's side ---- */

uint16_t fake_api_port(const struct fake_api *api)
{
    return api->port;
}

void fake_api_expect(struct fake_api *api, const struct fake_step *step)
{
    lock(api);
    if (api->n_steps == STEPS_MAX) {
        abort();
    }
    struct step *s = &api->steps[api->n_steps++];
    s->step = *step;
    s->step.match = copy(step->match);
    s->step.headers = copy(step->headers);
    s->step.body = copy(step->body);
    unlock(api);
}

static const struct request *find_request(const struct fake_api *api, const char *match, size_t i,
                                          size_t *ret_n)
{
    const struct request *found = NULL;
    size_t n = 0;
    for (const struct request *r = api->requests; r; r = r->next) {
        if (line_matches(r->text, match) && n++ == i) {
            found = r;
        }
    }
    *ret_n = n;
    return found;
}

size_t fake_api_count(struct fake_api *api, const char *match)
{
    size_t n = 0;
    lock(api);
    (void)find_request(api, match, 0, &n);
    unlock(api);
    return n;
}

void fake_api_wait_count(struct fake_api *api, const char *match, size_t n)
{
    struct timespec until = deadline();
    lock(api);
    for (size_t have = 0; (void)find_request(api, match, 0, &have), have < n;) {
        wait_changed(api, &until, match);
    }
    unlock(api);
}

char *fake_api_request(struct fake_api *api, const char *match, size_t i)
{
    fake_api_wait_count(api, match, i + 1);
    size_t n = 0;
    lock(api);
    char *text = copy(find_request(api, match, i, &n)->text);
    unlock(api);
    return text;
}

static struct conn *wait_stream(struct fake_api *api, const char *match)
{
    struct timespec until = deadline();
    for (;;) {
        for (struct conn *c = api->conns; c; c = c->next) {
            if (c->stream && !c->ending && line_matches(c->stream, match)) {
                return c;
            }
        }
        wait_changed(api, &until, match);
    }
}

void fake_api_send(struct fake_api *api, const char *match, const char *text)
{
    lock(api);
    add_chunk(wait_stream(api, match), copy(text));
    changed(api);
    unlock(api);
}

void fake_api_end(struct fake_api *api, const char *match, enum fake_mode how)
{
    lock(api);
    struct conn *c = wait_stream(api, match);
    c->end = how;
    c->ending = true;
    changed(api);
    unlock(api);
}

void fake_api_release(struct fake_api *api, const char *match)
{
    lock(api);
    if (api->n_released == STEPS_MAX) {
        abort();
    }
    api->released[api->n_released++] = copy(match);
    changed(api);
    unlock(api);
}

size_t fake_api_peak(struct fake_api *api)
{
    lock(api);
    size_t peak = api->peak;
    unlock(api);
    return peak;
}

size_t fake_api_connections(struct fake_api *api)
{
    lock(api);
    size_t n = api->n_accepted;
    unlock(api);
    return n;
}

void fake_api_wait_connections(struct fake_api *api, size_t n)
{
    struct timespec until = deadline();
    lock(api);
    while (api->n_accepted < n) {
        wait_changed(api, &until, "connections");
    }
    unlock(api);
}

void fake_api_respond(struct fake_api *api, fake_responder responder, void *context)
{
    lock(api);
    api->responder = responder;
    api->responder_context = context;
    unlock(api);
}

void fake_api_lock(struct fake_api *api)
{
    lock(api);
}

void fake_api_unlock(struct fake_api *api)
{
    unlock(api);
}

void fake_api_changed(struct fake_api *api)
{
    changed(api);
}

bool fake_api_wait(struct fake_api *api, const struct timespec *until)
{
    return pthread_cond_timedwait(&api->changed, &api->lock, until) != ETIMEDOUT;
}

void fake_api_push(struct fake_api *api, char *(*choose)(void *context, const char *line),
                   void *context)
{
    for (struct conn *c = api->conns; c; c = c->next) {
        char *text = c->stream && !c->ending ? choose(context, c->stream) : NULL;
        if (text) {
            add_chunk(c, text);
        }
    }
    changed(api);
}

size_t fake_api_break(struct fake_api *api, const char *match, const char *text, enum fake_mode how)
{
    size_t n = 0;
    for (struct conn *c = api->conns; c; c = c->next) {
        if (!c->stream || c->ending || !line_matches(c->stream, match)) {
            continue;
        }
        if (text) {
            add_chunk(c, copy(text));
        }
        c->end = how;
        c->ending = true;
        n++;
    }
    changed(api);
    return n;
}
