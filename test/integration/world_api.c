/* SPDX-License-Identifier: Apache-2.0 */
/* The world's API server: one thread a connection, one lock around the store. Watches send the log
 * of changes from the version they ask for. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test/integration/world.h"
#include "topology/strbuf.h"

enum { REQUEST_MAX = 1 << 20, WATCH_TICK_MS = 50 };

struct connection {
    struct world *world;
    int fd;
};

struct request {
    char *text; /* REQUEST_MAX + 1 bytes */
    size_t n;   /* bytes read */
    char method[8];
    char path[512];  /* without the query */
    char query[512]; /* "" without one */
    char *body;
    size_t total; /* bytes of this request in text */
    bool strategic;
};

static bool send_all(int fd, const char *s, size_t n)
{
    while (n > 0) {
        ssize_t done = send(fd, s, n, MSG_NOSIGNAL);
        if (done <= 0) {
            return false;
        }
        s += done;
        n -= (size_t)done;
    }
    return true;
}

static bool answer(int fd, int status, const char *body)
{
    struct skr_strbuf out;
    skr_strbuf_init(&out);
    skr_strbuf_addf(
        &out, "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
        status, strlen(body));
    skr_strbuf_add(&out, body);
    bool sent = send_all(fd, out.s, out.len);
    skr_strbuf_fini(&out);
    return sent;
}

static bool answer_status(int fd, int status)
{
    char body[160];
    snprintf(body, sizeof body,
             "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"%s\",\"code\":%d,"
             "\"message\":\"%d\"}",
             status < 300 ? "Success" : "Failure", status, status);
    return answer(fd, status, body);
}

/* ---- reading ---- */

static bool has_all(struct request *r)
{
    r->text[r->n] = '\0';
    char *end = strstr(r->text, "\r\n\r\n");
    if (!end) {
        return false;
    }
    size_t length = 0;
    const char *header = strcasestr(r->text, "\r\nContent-Length:");
    if (header && header < end) {
        length = strtoul(header + strlen("\r\nContent-Length:"), NULL, 10);
    }
    r->body = end + 4;
    r->total = (size_t)(r->body - r->text) + length;
    return r->n >= r->total;
}

static bool read_request(int fd, struct request *r)
{
    while (!has_all(r)) {
        ssize_t n = recv(fd, r->text + r->n, REQUEST_MAX - r->n, 0);
        if (n <= 0) {
            return false;
        }
        r->n += (size_t)n;
    }
    char target[1024] = "";
    if (sscanf(r->text, "%7s %1023s", r->method, target) != 2) {
        return false;
    }
    const char *query = strchr(target, '?');
    snprintf(r->path, sizeof r->path, "%.*s", (int)strcspn(target, "?"), target);
    snprintf(r->query, sizeof r->query, "%s", query ? query + 1 : "");
    const char *strategic = strstr(r->text, "strategic-merge-patch");
    r->strategic = strategic && strategic < r->body;
    return true;
}

static void consume(struct request *r)
{
    memmove(r->text, r->text + r->total, r->n - r->total);
    r->n -= r->total;
}

static const char *query_value(const struct request *r, const char *name, char *buffer, size_t size)
{
    const char *at = strstr(r->query, name);
    const char *value = at ? at + strlen(name) + 1 : "";
    snprintf(buffer, size, "%.*s", (int)strcspn(value, "&"), value);
    return at ? buffer : NULL;
}

/* ---- lists and watches ---- */

static bool selects(const char *selector, const json_t *object)
{
    const json_t *labels = json_object_get(json_object_get(object, "metadata"), "labels");
    return !selector || json_object_get(labels, selector);
}

static bool kind_of_collection(const char *path, enum skr_demo_kind *ret)
{
    static const char *const paths[] = {"/api/v1/nodes", "/api/v1/pods", "/api/v1/configmaps"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(path, paths[i]) == 0) {
            *ret = (enum skr_demo_kind)i;
            return true;
        }
    }
    return false;
}

static uint64_t last_version(const struct world *w)
{
    return w->n_log ? w->log[w->n_log - 1].version : 1;
}

static bool list(struct connection *c, enum skr_demo_kind kind, const char *selector)
{
    struct world *w = c->world;
    pthread_mutex_lock(&w->lock);
    json_t *items = json_array();
    json_t *object;
    for (size_t i = 0; (object = skr_demo_objects_at(w->objects, kind, i)); i++) {
        if (selects(selector, object)) {
            json_array_append(items, object);
        }
    }
    char version[24];
    snprintf(version, sizeof version, "%llu", (unsigned long long)last_version(w));
    json_t *all = json_pack("{s:s, s:{s:s}, s:o}", "kind", "List", "metadata", "resourceVersion",
                            version, "items", items);
    char *text = json_dumps(all, JSON_COMPACT);
    json_decref(all);
    pthread_mutex_unlock(&w->lock);
    bool sent = answer(c->fd, 200, text);
    free(text);
    return sent;
}

static bool send_chunk(int fd, const char *text, size_t n)
{
    char head[32];
    int length = snprintf(head, sizeof head, "%zx\r\n", n);
    return send_all(fd, head, (size_t)length) && send_all(fd, text, n) && send_all(fd, "\r\n", 2);
}

/* Lines of the changes from *next on; waits for the first. "" after a while without any. */
static char *next_lines(struct world *w, enum skr_demo_kind kind, const char *selector,
                        uint64_t version, size_t *next, bool *stop)
{
    struct skr_strbuf lines;
    struct timespec tick;
    skr_strbuf_init(&lines);
    pthread_mutex_lock(&w->lock);
    if (*next == w->n_log && !w->stop) {
        clock_gettime(CLOCK_REALTIME, &tick);
        tick.tv_nsec += WATCH_TICK_MS * 1000000L;
        tick.tv_sec += tick.tv_nsec / 1000000000L;
        tick.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&w->change, &w->lock, &tick);
    }
    for (; *next < w->n_log; ++*next) {
        const struct world_change *change = &w->log[*next];
        if (change->kind == kind && change->version > version &&
            selects(selector, change->object)) {
            char *object = json_dumps(change->object, JSON_COMPACT);
            skr_strbuf_addf(&lines, "{\"type\":\"%s\",\"object\":", change->type);
            skr_strbuf_add(&lines, object);
            skr_strbuf_add(&lines, "}\n");
            free(object);
        }
    }
    *stop = w->stop;
    pthread_mutex_unlock(&w->lock);
    return skr_strbuf_take(&lines, NULL);
}

static bool is_closed(int fd)
{
    char byte;
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static bool watch(struct connection *c, enum skr_demo_kind kind, const char *selector,
                  uint64_t version)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n";
    bool alive = send_all(c->fd, head, strlen(head));
    bool stop = false;
    size_t next = 0;
    while (alive && !stop) {
        char *lines = next_lines(c->world, kind, selector, version, &next, &stop);
        if (lines && lines[0]) {
            alive = send_chunk(c->fd, lines, strlen(lines));
        } else {
            alive = !is_closed(c->fd);
        }
        free(lines);
    }
    return false;
}

/* ---- writes ---- */

static bool split(const struct request *r, char *namespace_, char *resource, char *name, char *sub)
{
    namespace_[0] = resource[0] = name[0] = sub[0] = '\0';
    return sscanf(r->path, "/api/v1/namespaces/%63[^/]/%63[^/]/%63[^/]/%63[^/]", namespace_,
                  resource, name, sub) >= 3;
}

static void count_write(struct world *w)
{
    w->n_writes++;
    if (w->kill_at_write && w->n_writes == w->kill_at_write && w->daemon > 0) {
        kill(w->daemon, SIGKILL);
    }
    pthread_cond_broadcast(&w->change);
}

static int apply(struct world *w, const struct request *r, enum skr_demo_kind kind,
                 const char *namespace_, const char *name, const char *sub, const json_t *body)
{
    if (strcmp(sub, "binding") == 0) {
        return skr_demo_objects_bind(w->objects, namespace_, name, body);
    }
    if (sub[0] && strcmp(sub, "status") != 0) {
        return 404;
    }
    return r->strategic ? skr_demo_objects_patch_gates(w->objects, namespace_, name, body)
                        : skr_demo_objects_patch(w->objects, kind, namespace_, name, body);
}

static bool write_object(struct connection *c, const struct request *r)
{
    struct world *w = c->world;
    char namespace_[64], resource[64], name[64], sub[64];
    if (!split(r, namespace_, resource, name, sub)) {
        return answer_status(c->fd, 404);
    }
    enum skr_demo_kind kind = strcmp(resource, "pods") == 0 ? SKR_DEMO_POD : SKR_DEMO_CONFIGMAP;
    json_t *body = json_loadb(r->body, r->total - (size_t)(r->body - r->text), 0, NULL);
    char *text = NULL;
    pthread_mutex_lock(&w->lock);
    int status = 200;
    if (strcmp(r->method, "GET") != 0) {
        status = body ? apply(w, r, kind, namespace_, name, sub, body) : 400;
    }
    json_t *object = skr_demo_objects_get(w->objects, kind, namespace_, name);
    status = object ? status : 404;
    if (status < 300 && strcmp(r->method, "GET") != 0) {
        world_note(w, kind, "MODIFIED", object);
    }
    if (strcmp(r->method, "GET") != 0) {
        count_write(w);
    }
    text = status < 300 ? json_dumps(object, JSON_COMPACT) : NULL;
    pthread_mutex_unlock(&w->lock);
    json_decref(body);
    bool sent = text ? answer(c->fd, status, text) : answer_status(c->fd, status);
    free(text);
    return sent;
}

static bool serve_one(struct connection *c, const struct request *r)
{
    char selector[64], version[32];
    enum skr_demo_kind kind;
    bool has_selector = query_value(r, "labelSelector", selector, sizeof selector) != NULL;
    if (strcmp(r->method, "GET") == 0 && kind_of_collection(r->path, &kind)) {
        if (strstr(r->query, "watch=true")) {
            query_value(r, "resourceVersion", version, sizeof version);
            return watch(c, kind, has_selector ? selector : NULL, strtoull(version, NULL, 10));
        }
        return list(c, kind, has_selector ? selector : NULL);
    }
    if (strncmp(r->path, "/apis/events.k8s.io/", 20) == 0) {
        return answer_status(c->fd, 201);
    }
    return write_object(c, r);
}

static void *serve(void *argument)
{
    struct connection *c = argument;
    struct request r = {.text = malloc(REQUEST_MAX + 1)};
    while (r.text && read_request(c->fd, &r) && serve_one(c, &r)) {
        consume(&r);
    }
    free(r.text);
    close(c->fd);
    pthread_mutex_lock(&c->world->lock);
    c->world->connections--;
    pthread_cond_broadcast(&c->world->change);
    pthread_mutex_unlock(&c->world->lock);
    free(c);
    return NULL;
}

static void *accept_all(void *argument)
{
    struct world *w = argument;
    for (;;) {
        int fd = accept4(w->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) {
            return NULL;
        }
        struct connection *c = malloc(sizeof *c);
        pthread_t thread;
        skr_bug_on(!c);
        *c = (struct connection){w, fd};
        /* A connection that is idle when the world ends must not hold it up. */
        struct timeval limit = {1, 0};
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        pthread_mutex_lock(&w->lock);
        w->connections++;
        pthread_mutex_unlock(&w->lock);
        skr_bug_on(pthread_create(&thread, NULL, serve, c) != 0);
        pthread_detach(thread);
    }
}

void world_start_api(struct world *w)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    w->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    skr_bug_on(bind(w->listener, (struct sockaddr *)&address, length) != 0);
    skr_bug_on(listen(w->listener, 256) != 0);
    skr_bug_on(getsockname(w->listener, (struct sockaddr *)&address, &length) != 0);
    w->port = ntohs(address.sin_port);
    skr_bug_on(pthread_create(&w->acceptor, NULL, accept_all, w) != 0);
}

/* After the daemon has ended: its connections are closed. */
void world_stop_api(struct world *w)
{
    shutdown(w->listener, SHUT_RDWR);
    pthread_join(w->acceptor, NULL);
    close(w->listener);
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_broadcast(&w->change);
    while (w->connections > 0) {
        pthread_cond_wait(&w->change, &w->lock);
    }
    pthread_mutex_unlock(&w->lock);
}
