/* SPDX-License-Identifier: Apache-2.0 */
/* The life of the scripted API server: its lock, its listener, a thread for every connection. */
#include "test/unit/fake_api_parts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void fake_api_lock(struct fake_api *api)
{
    if (pthread_mutex_lock(&api->lock) != 0) {
        abort();
    }
}

bool fake_api_lock_unless_held(struct fake_api *api)
{
    int rc = pthread_mutex_lock(&api->lock);
    if (rc != 0 && rc != EDEADLK) {
        abort();
    }
    return rc == 0;
}

void fake_api_unlock(struct fake_api *api)
{
    if (pthread_mutex_unlock(&api->lock) != 0) {
        abort();
    }
}

void fake_api_changed(struct fake_api *api)
{
    (void)pthread_cond_broadcast(&api->changed);
}

char *fake_copy(const char *text)
{
    char *c = strdup(text ? text : "");
    if (!c) {
        abort();
    }
    return c;
}

bool fake_line_matches(const char *text, const char *match)
{
    if (!match || match[0] == '\0') {
        return true;
    }
    const size_t line = strcspn(text, "\n");
    const size_t n = strlen(match);
    const bool whole = strstr(match, "labelSelector=") && match[n - 1] != '.';
    for (const char *found = strstr(text, match); found && (size_t)(found - text) <= line;
         found = strstr(found + 1, match)) {
        if (!whole || strchr("& \n", found[n])) { /* also the end of the text */
            return true;
        }
    }
    return false;
}

/* ---- connections ---- */

static void *serve(void *context)
{
    struct fake_conn *c = context;
    struct fake_api *api = c->api;
    bool ok = fake_wire_begin(c);
    size_t head = 0;
    for (size_t n; ok && (n = fake_wire_request(c, &head)) > 0;) {
        char *text = fake_request_text(c->buffer, head, n);
        memmove(c->buffer, c->buffer + n, c->n - n);
        c->n -= n;
        fake_api_lock(api);
        ok = fake_answer_request(c, text);
        fake_api_unlock(api);
    }
    fake_api_lock(api);
    (void)close(c->fd);
    c->fd = -1;
    c->gone = true;
    fake_api_unlock(api);
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
    struct fake_conn *c = calloc(1, sizeof *c);
    if (!c) {
        abort();
    }
    c->buffer = malloc(FAKE_REQUEST_MAX + 1);
    if (!c->buffer) {
        abort();
    }
    c->api = api;
    c->fd = fd;
    fake_api_lock(api);
    c->next = api->conns;
    api->conns = c;
    api->n_accepted++;
    fake_api_changed(api);
    if (pthread_create(&c->thread, NULL, serve, c) != 0) {
        abort();
    }
    if (api->stopping) {
        (void)shutdown(fd, SHUT_RDWR);
    }
    fake_api_unlock(api);
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

/* A socket on the port, or on one that is free; it does not listen yet. */
static void take_port(struct fake_api *api)
{
    int one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(api->port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t len = sizeof address;
    api->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)setsockopt(api->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (api->listener < 0 || bind(api->listener, (struct sockaddr *)&address, len) != 0 ||
        getsockname(api->listener, (struct sockaddr *)&address, &len) != 0) {
        perror("fake_api");
        abort();
    }
    api->port = ntohs(address.sin_port);
}

/* ---- life ---- */

struct fake_api *fake_api_start(const struct fake_pki *pki, bool require_client)
{
    struct fake_api *api = calloc(1, sizeof *api);
    if (!api) {
        abort();
    }
    api->pki = pki;
    api->require_client = require_client;
    api->requests_end = &api->requests;
    pthread_mutexattr_t checked;
    if (pthread_mutexattr_init(&checked) != 0 ||
        pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK) != 0 ||
        pthread_mutex_init(&api->lock, &checked) != 0 ||
        pthread_cond_init(&api->changed, NULL) != 0) {
        abort();
    }
    (void)pthread_mutexattr_destroy(&checked);
    if (pki) {
        fake_wire_load_pki(api);
    }
    take_port(api);
    fake_api_come_up(api);
    return api;
}

void fake_api_come_up(struct fake_api *api)
{
    if (listen(api->listener, 128) != 0) {
        perror("fake_api");
        abort();
    }
    fake_api_lock(api);
    api->stopping = false;
    api->listening = true;
    fake_api_unlock(api);
    if (pthread_create(&api->thread, NULL, accept_all, api) != 0) {
        abort();
    }
}

static void join_conns(struct fake_api *api, struct fake_conn *first)
{
    while (first) {
        struct fake_conn *next = first->next;
        (void)pthread_join(first->thread, NULL);
        fake_chunks_free(first);
        free(first);
        first = next;
    }
    (void)api;
}

void fake_api_go_down(struct fake_api *api)
{
    fake_api_lock(api);
    bool was = api->listening;
    api->listening = false;
    api->stopping = true;
    fake_api_changed(api);
    fake_api_unlock(api);
    if (!was) {
        return;
    }
    (void)shutdown(api->listener, SHUT_RDWR);
    (void)pthread_join(api->thread, NULL);
    (void)close(api->listener);
    take_port(api); /* no server of a test beside this one gets it */
    fake_api_lock(api);
    struct fake_conn *conns = api->conns;
    api->conns = NULL;
    for (struct fake_conn *c = conns; c; c = c->next) {
        if (c->fd >= 0) {
            (void)shutdown(c->fd, SHUT_RDWR);
        }
    }
    fake_api_changed(api);
    fake_api_unlock(api);
    join_conns(api, conns);
}

void fake_api_stop(struct fake_api *api)
{
    if (!api) {
        return;
    }
    fake_api_go_down(api);
    (void)close(api->listener);
    while (api->requests) {
        struct fake_request *next = api->requests->next;
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
