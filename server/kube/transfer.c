/* SPDX-License-Identifier: Apache-2.0 */
/* One libcurl easy handle a transfer, kept and reset between exchanges. */
#include "server/kube/transfer.h"

#include <stdlib.h>
#include <string.h>

#include "server/clock.h"
#include "server/log.h"
#include "topology/base/strbuf.h"

int64_t skr_kube_now(void)
{
    return skr_clock_monotonic() + 1;
}

/* xorshift64* (Vigna); quality beyond jitter is not needed. */
uint64_t skr_kube_random(struct skr_kube_session *session, uint64_t bound)
{
    uint64_t x = session->random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    session->random = x;
    return bound == 0 ? 0 : (x * 2685821657736338717u >> 11) % bound;
}

void skr_kube_escape(struct skr_strbuf *out, const char *text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    for (const char *c = text; *c; c++) {
        if (strchr(plain, *c)) {
            skr_strbuf_addc(out, *c);
        } else {
            skr_strbuf_addf(out, "%%%02X", (unsigned int)(unsigned char)*c);
        }
    }
}

void skr_kube_session_refresh(struct skr_kube_session *session, int64_t now, bool urgent)
{
    bool due = now >= session->refresh_at;
    if (!due && !(urgent && now - session->refreshed >= SKR_SECOND)) {
        return;
    }
    session->refreshed = now;
    session->refresh_at = now + SKR_KUBE_REFRESH_S * SKR_SECOND;
    struct skr_error error = {0};
    if (skr_kube_access_refresh(session->access, &error)) {
        skr_count_add(&session->counters->credential_reloads, 1);
        skr_log_info(2, "Credentials of the API server were read again",
                     SKR_LOG_S("source", session->access->source), SKR_LOG_END);
    }
    if (error.code != SKR_OK) {
        skr_log_warning("Credentials could not be read again, the old ones were kept",
                        SKR_LOG_S("source", session->access->source), SKR_LOG_S("err", error.text),
                        SKR_LOG_END);
    }
}

/* ---- callbacks of libcurl ---- */

static bool collect(struct skr_transfer *t, const char *data, size_t n)
{
    t->too_large = n > t->body_max - t->body->len;
    if (!t->too_large) {
        skr_strbuf_addn(t->body, data, n);
    }
    return !t->too_large;
}

static size_t on_data(char *data, size_t size, size_t n, void *context)
{
    struct skr_transfer *t = context;
    t->last_byte = skr_kube_now();
    const bool taken = t->body ? collect(t, data, size * n) : t->receive(t, data, size * n);
    return taken ? size * n : 0;
}

static size_t on_header(char *data, size_t size, size_t n, void *context)
{
    struct skr_transfer *t = context;
    (void)data;
    t->last_byte = skr_kube_now();
    return size * n;
}

/* Called whenever the request is about to be sent, so also for libcurl's own second try. */
static int on_send(void *context, char *remote, char *local, int remote_port, int local_port)
{
    struct skr_transfer *t = context;
    (void)remote;
    (void)local;
    (void)remote_port;
    (void)local_port;
    if (t->may_send && !t->may_send(t)) {
        return CURL_PREREQFUNC_ABORT;
    }
    t->attempts++;
    return t->sendable_once && t->attempts > 1 ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

/* ---- setting up ---- */

void skr_transfer_init(struct skr_transfer *transfer, struct skr_kube_session *session, void *owner)
{
    *transfer = (struct skr_transfer){.session = session, .owner = owner};
}

static void free_lists(struct skr_transfer *t)
{
    curl_slist_free_all(t->headers);
    curl_slist_free_all(t->connect_to);
    t->headers = NULL;
    t->connect_to = NULL;
}

void skr_transfer_cancel(struct skr_transfer *transfer)
{
    if (transfer->active) {
        (void)curl_multi_remove_handle(transfer->session->multi, transfer->easy);
    }
    transfer->active = false;
}

void skr_transfer_fini(struct skr_transfer *transfer)
{
    skr_transfer_cancel(transfer);
    if (transfer->easy) {
        curl_easy_cleanup(transfer->easy);
    }
    transfer->easy = NULL;
    free_lists(transfer);
}

/* Sets an option of libcurl; after the first failure of a set-up nothing happens any more. */
#define SET(t, option, value)                                                  \
    do {                                                                       \
        if ((t)->setup == CURLE_OK) {                                          \
            (t)->setup = curl_easy_setopt((t)->easy, CURLOPT_##option, value); \
        }                                                                      \
    } while (0)

static void add_to(struct skr_transfer *t, struct curl_slist **list, const char *text)
{
    struct curl_slist *longer = curl_slist_append(*list, text);
    if (longer) {
        *list = longer;
    } else {
        t->setup = CURLE_OUT_OF_MEMORY;
    }
}

static void add_header(struct skr_transfer *t, const char *name, const char *value)
{
    SKR_STRBUF(b);
    skr_strbuf_addf(&b, "%s: %s", name, value);
    add_to(t, &t->headers, b.s);
    explicit_bzero(b.s, b.len);
}

static void set_tls(struct skr_transfer *t)
{
    const struct skr_kube_access *a = t->session->access;
    const struct {
        CURLoption option;
        const struct skr_kube_secret *secret;
    } blobs[] = {{CURLOPT_CAINFO_BLOB, &a->ca},
                 {CURLOPT_SSLCERT_BLOB, &a->certificate},
                 {CURLOPT_SSLKEY_BLOB, &a->key}};
    for (size_t i = 0; i < sizeof blobs / sizeof *blobs; i++) {
        const struct skr_kube_secret *secret = blobs[i].secret;
        struct curl_blob blob = {.data = secret->data, .len = secret->n, .flags = CURL_BLOB_COPY};
        if (secret->data && t->setup == CURLE_OK) {
            t->setup = curl_easy_setopt(t->easy, blobs[i].option, &blob);
        }
    }
    /* Only the cluster's authority is trusted: without this libcurl adds those of the system. */
    if (a->ca.data) {
        SET(t, CAPATH, NULL);
    }
    if (a->insecure) {
        SET(t, SSL_VERIFYPEER, 0L);
        SET(t, SSL_VERIFYHOST, 0L);
    }
    SET(t, SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
}

static bool is_loopback(const char *host)
{
    return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 ||
           strncmp(host, "127.", 4) == 0;
}

/* As in Go, a proxy of the environment is not used for this machine. */
static void set_proxy(struct skr_transfer *t)
{
    const struct skr_kube_access *a = t->session->access;
    if (a->proxy_url || is_loopback(a->host)) {
        SET(t, PROXY, a->proxy_url ? a->proxy_url : "");
    }
}

/* With tls-server-name the URL carries that name, for SNI and verification, and the connection goes
 * to the host all the same. */
static void set_url(struct skr_transfer *t, const char *target)
{
    const struct skr_kube_access *a = t->session->access;
    const bool v6 = strchr(a->host, ':');
    SKR_STRBUF(b);
    if (a->tls_server_name && strncmp(a->server, "https:", 6) == 0) {
        const char *rest = strchr(strstr(a->server, "://") + 3, '/');
        skr_strbuf_addf(&b, "::%s%s%s:%s", v6 ? "[" : "", a->host, v6 ? "]" : "", a->port);
        add_to(t, &t->connect_to, b.s);
        add_header(t, "Host", b.s + 2);
        SET(t, CONNECT_TO, t->connect_to);
        skr_strbuf_reset(&b);
        skr_strbuf_addf(&b, "https://%s:%s%s", a->tls_server_name, a->port, rest ? rest : "");
    } else {
        skr_strbuf_add(&b, a->server);
    }
    skr_strbuf_add(&b, target);
    SET(t, URL, b.s);
}

static void set_credentials(struct skr_transfer *t)
{
    const struct skr_kube_access *a = t->session->access;
    if (a->username) {
        SET(t, USERNAME, a->username);
        SET(t, PASSWORD, a->password ? a->password : "");
    }
    if (a->token.data) {
        SKR_STRBUF(b);
        skr_strbuf_addf(&b, "Bearer %s", a->token.data);
        add_header(t, "Authorization", b.s);
        explicit_bzero(b.s, b.len);
    }
}

static void set_request(struct skr_transfer *t, const struct skr_transfer_request *r)
{
    t->sendable_once = strcmp(r->method, "GET") != 0 && !r->grpc;
    if (r->content_type) {
        SET(t, POSTFIELDSIZE_LARGE, (curl_off_t)r->body_len);
        SET(t, POSTFIELDS, r->body);
        add_header(t, "Content-Type", r->content_type);
        add_to(t, &t->headers, "Expect:");
    }
    if (t->sendable_once) {
        SET(t, CUSTOMREQUEST, r->method);
    }
    if (r->grpc) {
        const bool tls = strncmp(r->target, "https:", 6) == 0;
        SET(t, HTTP_VERSION,
            (long)(tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE));
        add_header(t, "TE", "trailers");
        /* libcurl 7.88 fails if it uses a connection again that it opened by prior knowledge. */
        SET(t, FRESH_CONNECT, (long)!tls);
        SET(t, FORBID_REUSE, (long)!tls);
    }
    if (r->accept) {
        add_header(t, "Accept", r->accept);
    } else {
        add_to(t, &t->headers, "Accept:");
    }
    SET(t, TIMEOUT_MS, (long)r->timeout_ms);
    SET(t, HTTPHEADER, t->headers);
}

static void set_callbacks(struct skr_transfer *t)
{
    SET(t, PRIVATE, (void *)t);
    SET(t, ERRORBUFFER, t->error);
    SET(t, WRITEFUNCTION, on_data);
    SET(t, WRITEDATA, (void *)t);
    SET(t, HEADERFUNCTION, on_header);
    SET(t, HEADERDATA, (void *)t);
    SET(t, PREREQFUNCTION, on_send);
    SET(t, PREREQDATA, (void *)t);
    SET(t, NOSIGNAL, 1L);
    SET(t, HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(t, PATH_AS_IS, 1L);
    SET(t, CONNECTTIMEOUT_MS, (long)SKR_KUBE_CONNECT_MS);
    SET(t, TCP_KEEPALIVE, 1L);
    SET(t, TCP_KEEPIDLE, 30L);
    SET(t, TCP_KEEPINTVL, 10L);
    SET(t, MAXAGE_CONN, 60L); /* Go servers close idle connections after 90 s */
    SET(t, USERAGENT, t->session->user_agent);
}

static void set_all(struct skr_transfer *t, const struct skr_transfer_request *request)
{
    t->setup = CURLE_OK;
    set_callbacks(t);
    if (t->session->access) {
        set_tls(t);
    }
    if (t->session->access && t->session->access->server) {
        set_proxy(t);
        set_url(t, request->target);
        set_credentials(t);
    } else {
        SET(t, PROXY, "");
        SET(t, URL, request->target);
    }
    set_request(t, request);
}

int skr_transfer_start(struct skr_transfer *transfer, const struct skr_transfer_request *request,
                       struct skr_error *error)
{
    skr_bug_on(transfer->active);
    if (transfer->easy) {
        curl_easy_reset(transfer->easy);
    } else {
        transfer->easy = curl_easy_init();
    }
    if (!transfer->easy) {
        return skr_error_set(error, SKR_NO_MEMORY, "no memory for a request");
    }
    free_lists(transfer);
    transfer->error[0] = '\0';
    transfer->attempts = 0;
    transfer->too_large = false;
    if (transfer->body) {
        skr_strbuf_reset(transfer->body);
    }
    set_all(transfer, request);
    if (transfer->setup) {
        return skr_error_set(error, SKR_BUG, "request could not be made: %s",
                             curl_easy_strerror(transfer->setup));
    }
    CURLMcode m = curl_multi_add_handle(transfer->session->multi, transfer->easy);
    if (m) {
        return skr_error_set(error, SKR_BUG, "request could not be made: %s",
                             curl_multi_strerror(m));
    }
    transfer->active = true;
    transfer->started = skr_kube_now();
    transfer->last_byte = transfer->started;
    return 0;
}

bool skr_transfer_take_results(const struct skr_kube_session *session)
{
    bool any = false;
    int left = 0;
    for (CURLMsg *m; (m = curl_multi_info_read(session->multi, &left));) {
        char *private = NULL;
        const CURLcode result = m->data.result;
        skr_bug_on(m->msg != CURLMSG_DONE);
        skr_bug_on(curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &private) || !private);
        struct skr_transfer *t = (struct skr_transfer *)(void *)private;
        skr_transfer_cancel(t);
        t->done(t, result);
        any = true;
    }
    return any;
}

/* ---- the answer ---- */

int skr_transfer_status(const struct skr_transfer *transfer)
{
    long status = 0;
    if (curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status)) {
        return 0;
    }
    return (int)status;
}

skr_time skr_transfer_retry_after(const struct skr_transfer *transfer)
{
    curl_off_t seconds = 0;
    if (curl_easy_getinfo(transfer->easy, CURLINFO_RETRY_AFTER, &seconds) || seconds <= 0) {
        return 0;
    }
    if (seconds > SKR_KUBE_RETRY_AFTER_MAX_S) {
        seconds = SKR_KUBE_RETRY_AFTER_MAX_S;
    }
    return (skr_time)seconds * SKR_SECOND;
}

const char *skr_transfer_error(const struct skr_transfer *transfer, CURLcode result)
{
    if (result == CURLE_ABORTED_BY_CALLBACK) {
        return "the connection was closed before the answer";
    }
    return transfer->error[0] ? transfer->error : curl_easy_strerror(result);
}

bool skr_transfer_never_sent(const struct skr_transfer *transfer, CURLcode result)
{
    return result != CURLE_OK && transfer->attempts == 0;
}
