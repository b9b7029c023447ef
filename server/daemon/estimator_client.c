/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One multi handle of libcurl and a fixed number of calls. Queries stand in a row in the order of
 * their deadlines, since all have the same timeout; each free call takes the next question of the
 * first query that has one.
 */
#include "server/daemon/estimator_client.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "server/daemon/estimator_address.h"
#include "server/kube/grpc.h"
#include "server/log.h"
#include "server/thread.h"
#include "topology/base/arena.h"

enum {
    POLL_MS = 1000,
    QUERY_BYTES_MAX = 1024 * 1024 * 1024, /* questions and answers of one query */
};
static const char service[] = "github.com.karmada_io.karmada.pkg.estimator.service.Estimator";

struct query {
    struct query *prev, *next;
    struct skr_arena *arena; /* of the query and of all that it points to */
    const char *method;
    int64_t deadline; /* skr_kube_now() */
    size_t begun;     /* questions that have a call, or had one */
    size_t left;      /* replies that are missing */
    const struct skr_question *question;
    struct skr_reply *reply;
    struct skr_replies replies;
};

struct call {
    struct skr_estimator_client *client;
    struct skr_transfer transfer, look_up; /* the call, and the address before it */
    struct skr_strbuf message, answer, url;
    struct query *query; /* NULL: free */
    size_t index;        /* of the question */
};

struct skr_estimator_client {
    const struct skr_config_estimators *options;
    skr_estimator_done *done;
    void *context;
    struct skr_kube_access access; /* files of TLS alone */
    struct skr_kube_session session;
    struct skr_estimator_addresses *addresses;
    int64_t refresh_at;
    struct call call[SKR_ESTIMATOR_CALLS_MAX];
    struct query *waiting; /* queries with questions that have not begun */
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; /* of everything below */
    struct query *inbox;
    bool stopping;
};

/* ---- queries ---- */

static void *room(struct query *query, size_t n)
{
    void *p = skr_arena_alloc(query->arena, n);
    skr_bug_on(!p);
    return p;
}

static void *copy(struct query *query, const void *data, size_t n)
{
    void *p = room(query, n + 1);
    if (n > 0) {
        memcpy(p, data, n);
    }
    return p;
}

static struct query *query_create(const struct skr_query *from)
{
    struct skr_arena *arena = skr_arena_create(QUERY_BYTES_MAX, 0);
    skr_bug_on(!arena);
    struct query *query = skr_arena_alloc(arena, sizeof *query);
    skr_bug_on(!query);
    query->arena = arena;
    query->method = from->method;
    query->deadline = skr_kube_now() + from->timeout;
    query->left = from->n;
    struct skr_question *question = room(query, from->n * sizeof *question);
    query->question = question;
    query->reply = room(query, from->n * sizeof *query->reply);
    for (size_t i = 0; i < from->n; i++) {
        const struct skr_question *q = &from->question[i];
        question[i] = (struct skr_question){.service = copy(query, q->service, strlen(q->service)),
                                            .body = copy(query, q->body, q->body_len),
                                            .body_len = q->body_len};
    }
    query->replies = (struct skr_replies){.id = from->id,
                                          .key = copy(query, from->key, strlen(from->key)),
                                          .n = from->n,
                                          .reply = query->reply};
    return query;
}

static void release(void *keep)
{
    skr_arena_destroy(((struct query *)keep)->arena);
}

static void fail(struct query *query, size_t index, const char *why)
{
    query->reply[index].failure = copy(query, why, strlen(why));
}

static void count_down(struct skr_estimator_client *client, struct query *query)
{
    if (--query->left == 0) {
        client->done(client->context, &query->replies, release, query);
    }
}

/* ---- calls ---- */

static void end_call(struct call *call)
{
    struct query *query = call->query;
    call->query = NULL;
    count_down(call->client, query);
}

static void on_done(struct skr_transfer *transfer, CURLcode result)
{
    struct call *call = transfer->owner;
    struct skr_reply *reply = &call->query->reply[call->index];
    struct skr_error error = {.text = ""};
    const void *message = NULL;
    size_t n = 0;
    if (skr_grpc_finish(transfer, result, &message, &n, &error) < 0) {
        fail(call->query, call->index, error.text);
    } else {
        *reply = (struct skr_reply){
            .answered = true, .body = copy(call->query, message, n), .body_len = n};
    }
    end_call(call);
}

static bool uses_tls(const struct skr_config_estimators *options)
{
    return options->ca_file[0] || options->insecure;
}

static int64_t left_ms(const struct query *query)
{
    const int64_t left = query->deadline - skr_kube_now();
    return left > 0 ? left / SKR_MILLISECOND + 1 : 1;
}

/* Asks the estimator, or first where it is. */
static int begin(struct call *call, struct skr_error *error)
{
    const struct skr_estimator_client *client = call->client;
    const struct query *query = call->query;
    const struct skr_question *question = &query->question[call->index];
    if (!skr_estimator_is_host(question->service)) {
        return skr_error_set(error, SKR_INVALID, "its name cannot be that of a host");
    }
    skr_strbuf_reset(&call->url);
    skr_strbuf_add(&call->url, uses_tls(client->options) ? "https://" : "http://");
    if (!skr_estimator_address_find(client->addresses, question->service, &call->url)) {
        return skr_estimator_address_ask(client->addresses, &call->look_up, question->service,
                                         left_ms(query), error);
    }
    skr_strbuf_addf(&call->url, "/%s/%s", service, query->method);
    skr_strbuf_reset(&call->message);
    skr_grpc_frame(question->body, question->body_len, &call->message);
    return skr_grpc_start(&call->transfer, call->url.s, &call->message, left_ms(query), error);
}

static void begin_call(struct call *call)
{
    struct skr_error error = {.text = ""};
    if (begin(call, &error) < 0) {
        fail(call->query, call->index, error.text);
        end_call(call);
    }
}

static void on_looked_up(struct skr_transfer *transfer, CURLcode result)
{
    struct call *call = transfer->owner;
    struct query *query = call->query;
    struct skr_error error = {.text = ""};
    if (skr_estimator_address_take(call->client->addresses, transfer,
                                   query->question[call->index].service, result, &error) < 0) {
        fail(query, call->index, error.text);
        end_call(call);
        return;
    }
    begin_call(call);
}

/* The next question that may begin; false: there is none. */
static bool next_question(struct skr_estimator_client *client, struct query **ret,
                          size_t *ret_index)
{
    struct query *query = client->waiting;
    if (!query) {
        return false;
    }
    *ret = query;
    *ret_index = query->begun++;
    if (query->begun == query->replies.n) {
        DL_DELETE(client->waiting, query);
    }
    return true;
}

static void begin_calls(struct skr_estimator_client *client)
{
    struct query *query = NULL;
    size_t index = 0;
    for (size_t i = 0; i < SKR_ESTIMATOR_CALLS_MAX; i++) {
        while (!client->call[i].query && next_question(client, &query, &index)) {
            client->call[i].query = query;
            client->call[i].index = index;
            begin_call(&client->call[i]);
        }
    }
}

/* Questions that found no free call until their deadline. */
static void expire(struct skr_estimator_client *client)
{
    struct query *query = NULL;
    size_t index = 0;
    while (client->waiting && client->waiting->deadline <= skr_kube_now() &&
           next_question(client, &query, &index)) {
        fail(query, index, "too many estimators were asked at a time");
        count_down(client, query);
    }
}

/* ---- the thread ---- */

static void refresh(struct skr_estimator_client *client)
{
    const int64_t now = skr_kube_now();
    struct skr_error error = {.text = ""};
    if (now < client->refresh_at) {
        return;
    }
    client->refresh_at = now + SKR_KUBE_REFRESH_S * SKR_SECOND;
    skr_estimator_addresses_refresh(client->addresses);
    (void)skr_kube_access_refresh(&client->access, &error);
    if (error.code != SKR_OK) {
        skr_log_warning("Certificates for estimators could not be read again, the old ones were "
                        "kept",
                        SKR_LOG_S("err", error.text), SKR_LOG_END);
    }
}

static bool take_inbox(struct skr_estimator_client *client)
{
    pthread_mutex_lock(&client->lock);
    struct query *inbox = client->inbox;
    client->inbox = NULL;
    const bool stopping = client->stopping;
    pthread_mutex_unlock(&client->lock);
    DL_CONCAT(client->waiting, inbox);
    return !stopping;
}

static int wait_ms(const struct skr_estimator_client *client)
{
    if (!client->waiting) {
        return POLL_MS;
    }
    const int64_t ms = (client->waiting->deadline - skr_kube_now()) / SKR_MILLISECOND + 1;
    return ms < 0 ? 0 : ms > POLL_MS ? POLL_MS : (int)ms;
}

static void *run(void *context)
{
    struct skr_estimator_client *client = context;
    while (take_inbox(client)) {
        int running = 0;
        refresh(client);
        expire(client);
        begin_calls(client);
        (void)curl_multi_perform(client->session.multi, &running);
        if (!skr_transfer_take_results(&client->session)) {
            (void)curl_multi_poll(client->session.multi, NULL, 0, wait_ms(client), NULL);
        }
    }
    return NULL;
}

/* ---- life ---- */

static int read_files(struct skr_estimator_client *client, struct skr_error *error)
{
    const struct skr_config_estimators *options = client->options;
    struct skr_kube_access *access = &client->access;
    const struct {
        struct skr_kube_secret *secret;
        const char *file;
    } files[] = {{&access->ca, options->ca_file},
                 {&access->certificate, options->cert_file},
                 {&access->key, options->key_file}};
    int rc = 0;
    access->insecure = options->insecure;
    for (size_t i = 0; i < sizeof files / sizeof *files && rc == 0; i++) {
        rc = files[i].file[0] ? skr_kube_secret_read(files[i].secret, files[i].file, error) : 0;
    }
    return rc;
}

static int start(struct skr_estimator_client *client, struct skr_error *error)
{
    const char *missing = NULL;
    if (!skr_grpc_is_possible(&missing)) {
        return skr_error_set(error, SKR_LIMIT,
                             "karmada.estimators: libcurl of this machine lacks %s", missing);
    }
    const int rc = read_files(client, error);
    return rc < 0 ? rc : skr_thread_start(&client->thread, "estimators", run, client, error);
}

static void call_init(struct call *call, struct skr_estimator_client *client)
{
    call->client = client;
    skr_strbuf_init(&call->message);
    skr_strbuf_init(&call->answer);
    skr_strbuf_init(&call->url);
    skr_transfer_init(&call->transfer, &client->session, call);
    call->transfer.body = &call->answer;
    call->transfer.done = on_done;
    skr_transfer_init(&call->look_up, skr_estimator_addresses_session(client->addresses), call);
    call->look_up.body = &call->answer;
    call->look_up.done = on_looked_up;
}

int skr_estimator_client_create(const struct skr_config_estimators *options,
                                struct skr_kube_access *access, skr_estimator_done *done,
                                void *context, struct skr_estimator_client **ret,
                                struct skr_error *error)
{
    skr_bug_on(curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK);
    struct skr_estimator_client *client = skr_alloc(sizeof *client);
    client->options = options;
    client->done = done;
    client->context = context;
    client->session =
        (struct skr_kube_session){.multi = curl_multi_init(), .access = &client->access};
    skr_bug_on(!client->session.multi);
    (void)curl_multi_setopt(client->session.multi, CURLMOPT_MAXCONNECTS,
                            (long)SKR_ESTIMATOR_CONNECTIONS_MAX);
    (void)curl_multi_setopt(client->session.multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
                            (long)SKR_ESTIMATOR_CONNECTIONS_MAX);
    client->addresses = skr_estimator_addresses_create(options, access, client->session.multi);
    pthread_mutex_init(&client->lock, NULL);
    client->refresh_at = skr_kube_now() + SKR_KUBE_REFRESH_S * SKR_SECOND;
    for (size_t i = 0; i < SKR_ESTIMATOR_CALLS_MAX; i++) {
        call_init(&client->call[i], client);
    }
    const int rc = start(client, error);
    client->started = rc == 0;
    if (rc < 0) {
        skr_estimator_client_destroy(client);
        return rc;
    }
    *ret = client;
    return 0;
}

void skr_estimator_client_ask(struct skr_estimator_client *client, const struct skr_query *query)
{
    struct query *copy_of = query_create(query);
    pthread_mutex_lock(&client->lock);
    DL_APPEND(client->inbox, copy_of);
    pthread_mutex_unlock(&client->lock);
    (void)curl_multi_wakeup(client->session.multi);
}

/* Queries whose questions have all begun are known by their calls alone. */
static void drop_queries(struct skr_estimator_client *client)
{
    struct query *query, *next;
    for (size_t i = 0; i < SKR_ESTIMATOR_CALLS_MAX; i++) {
        struct call *call = &client->call[i];
        if (call->query && call->query->begun == call->query->replies.n &&
            --call->query->left == 0) {
            release(call->query);
        }
    }
    DL_CONCAT(client->waiting, client->inbox);
    DL_FOREACH_SAFE(client->waiting, query, next)
    {
        release(query);
    }
}

void skr_estimator_client_stop(struct skr_estimator_client *client)
{
    if (client && client->started) {
        pthread_mutex_lock(&client->lock);
        client->stopping = true;
        pthread_mutex_unlock(&client->lock);
        (void)curl_multi_wakeup(client->session.multi);
        pthread_join(client->thread, NULL);
        client->started = false;
    }
}

void skr_estimator_client_destroy(struct skr_estimator_client *client)
{
    if (!client) {
        return;
    }
    skr_estimator_client_stop(client);
    drop_queries(client);
    for (size_t i = 0; i < SKR_ESTIMATOR_CALLS_MAX; i++) {
        struct call *call = &client->call[i];
        skr_transfer_fini(&call->transfer);
        skr_transfer_fini(&call->look_up);
        skr_strbuf_fini(&call->message);
        skr_strbuf_fini(&call->answer);
        skr_strbuf_fini(&call->url);
    }
    (void)curl_multi_cleanup(client->session.multi);
    skr_kube_access_fini(&client->access);
    skr_estimator_addresses_destroy(client->addresses);
    pthread_mutex_destroy(&client->lock);
    free(client);
    curl_global_cleanup();
}
