/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The proxy before the sandbox. Steps (fake_api.h) are done by the scripted HTTP server; what they
 * let through comes here, one request at a time, and goes on to the sandbox: requests on one
 * connection that is kept, each watch on one of its own, whose chunks the stream takes over.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/gang/state/types.h"
#include "server/lab/sandbox/route.h"
#include "server/object/path.h"
#include "test/integration/cluster.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

enum { TARGET_MAX = 4096, LINE_MAX_BYTES = 512 };

#define REVIEWS "subjectaccessreviews" /* of the caller, and of others */

/* ---- the way to the sandbox ---- */

struct fault_upstream {
    int fd;
    FILE *in;
};

static struct fault_upstream *connect_upstream(uint16_t port)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons(port),
                                   .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    struct fault_upstream *up = skr_alloc(sizeof *up);
    up->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    skr_bug_on(connect(up->fd, (const struct sockaddr *)&to, sizeof to) != 0);
    up->in = fdopen(up->fd, "re");
    skr_bug_on(!up->in);
    return up;
}

void fault_upstream_close(struct fault_upstream *up)
{
    if (up) {
        (void)fclose(up->in);
        free(up);
    }
}

static void send_upstream(const struct fault_upstream *up, const struct skr_strbuf *text)
{
    for (size_t sent = 0; sent < text->len;) {
        const ssize_t n = send(up->fd, text->s + sent, text->len - sent, MSG_NOSIGNAL);
        skr_bug_on(n <= 0);
        sent += (size_t)n;
    }
}

/* n bytes as text, heap; NULL: the connection ended before. */
static char *read_bytes(FILE *in, size_t n)
{
    char *text = skr_alloc(n + 1);
    if (fread(text, 1, n, in) != n) {
        free(text);
        text = NULL;
    }
    return text;
}

/* Status and length of the body, 0 when it comes in chunks. */
static int read_head(FILE *in, size_t *ret_length)
{
    char line[LINE_MAX_BYTES];
    int status = 0;
    *ret_length = 0;
    skr_bug_on(!fgets(line, sizeof line, in) || sscanf(line, "HTTP/1.1 %d", &status) != 1);
    while (fgets(line, sizeof line, in) && line[0] != '\r') {
        if (strncasecmp(line, "Content-Length:", 15) == 0) {
            *ret_length = strtoul(line + 15, NULL, 10);
        }
    }
    return status;
}

/* ---- a watch, for struct fake_source ---- */

static char *next_chunk(void *context)
{
    const struct fault_upstream *up = context;
    char line[LINE_MAX_BYTES];
    const size_t n = fgets(line, sizeof line, up->in) ? strtoul(line, NULL, 16) : 0;
    char *text = n > 0 ? read_bytes(up->in, n) : NULL;
    return fgets(line, sizeof line, up->in) ? text : (free(text), NULL);
}

static void stop_watch(void *context)
{
    const struct fault_upstream *up = context;
    (void)shutdown(up->fd, SHUT_RDWR);
}

static void destroy_watch(void *context)
{
    fault_upstream_close(context);
}

/* ---- a request ---- */

struct request {
    char method[16];
    char target[TARGET_MAX];
    const char *headers, *body; /* of the text that came */
    struct skr_route route;
    bool is_routed;
    enum skr_write_kind write; /* SKR_WRITE_KIND_COUNT: none that is counted */
    json_t *json;              /* NULL: no body */
};

/* Of one line; "" when it is not there. */
static void header_of(const struct request *r, const char *name, char value[LINE_MAX_BYTES])
{
    const char *found = strcasestr(r->headers, name);
    value[0] = '\0';
    if (found && found < r->body) {
        found += strlen(name);
        snprintf(value, LINE_MAX_BYTES, "%.*s", (int)strcspn(found, "\n"), found);
    }
}

/* Which write of the daemon it is. */
static enum skr_write_kind write_of(const struct request *r)
{
    static const struct {
        const char *method, *type, *kind, *sub;
        enum skr_write_kind write;
    } row[] = {
        {"POST", "", "Pod", "binding", SKR_WRITE_BINDING},
        {"POST", "", "Pod", "eviction", SKR_WRITE_EVICT},
        {"POST", "", "Event", "", SKR_WRITE_CREATE_EVENT},
        {"DELETE", "", "Pod", "", SKR_WRITE_DELETE_POD},
        {"PATCH", "strategic", "Pod", "status", SKR_WRITE_MARK_POD},
        {"PATCH", "", "Pod", "status", SKR_WRITE_PATCH_POD_STATUS},
        {"PATCH", "strategic", "Pod", "", SKR_WRITE_UNGATE_POD},
        {"PATCH", "", "Pod", "", SKR_WRITE_PATCH_POD},
        {"POST", "", "ConfigMap", "", SKR_WRITE_CREATE_CONFIGMAP},
        {"PATCH", "", "ConfigMap", "", SKR_WRITE_PATCH_CONFIGMAP},
        {"PATCH", "", "PodGroup", "", SKR_WRITE_PATCH_PODGROUP},
        {"PATCH", "strategic", "PodGroup", "status", SKR_WRITE_MARK_PODGROUP},
        {"PATCH", "", "ResourceClaim", "status", SKR_WRITE_RELEASE_CLAIM},
        {"GET", "", "Pod", "", SKR_WRITE_GET_POD},
        {"GET", "", "ConfigMap", "", SKR_WRITE_GET_CONFIGMAP},
        {"GET", "", "PodGroup", "", SKR_WRITE_GET_PODGROUP},
    };
    char type[LINE_MAX_BYTES];
    const bool collection = !r->route.name[0] && strcmp(r->method, "POST") != 0;
    header_of(r, "\nContent-Type:", type);
    for (size_t i = 0; r->is_routed && !collection && i < sizeof row / sizeof *row; i++) {
        if (strcmp(row[i].method, r->method) == 0 && strstr(type, row[i].type) &&
            strcmp(row[i].kind, r->route.resource->kind) == 0 &&
            strcmp(row[i].sub, r->route.subresource) == 0) {
            return row[i].write;
        }
    }
    return SKR_WRITE_KIND_COUNT;
}

static void read_request(struct request *r, const char *text)
{
    char path[TARGET_MAX];
    const char *body = strstr(text, "\n\n");
    skr_bug_on(!body || sscanf(text, "%15s %4095s", r->method, r->target) != 2);
    r->headers = strchr(text, '\n');
    r->body = body + 2;
    snprintf(path, sizeof path, "%.*s", (int)strcspn(r->target, "?"), r->target);
    r->is_routed = skr_route_parse(path, &r->route);
    r->write = write_of(r);
    r->json = r->body[0] ? json_loads(r->body, 0, NULL) : NULL;
}

/* As the proxy's manners want it. */
static void spoil(const struct cluster *c, struct request *r)
{
    char *limit = strstr(r->target, "limit=");
    if (limit && c->page > 0) {
        SKR_AUTO_FREE char *rest = skr_strdup(limit + strcspn(limit, "&"));
        snprintf(limit, sizeof r->target - (size_t)(limit - r->target), "limit=%zu%s", c->page,
                 rest);
    }
    if (r->write == SKR_WRITE_BINDING && !c->bindings_carry_labels) {
        (void)json_object_del(json_object_get(r->json, "metadata"), "labels");
    }
}

static void write_request(const struct request *r, struct skr_strbuf *out)
{
    static const char *const passed[] = {"Content-Type:", "Accept:"};
    SKR_AUTO_FREE char *body = r->json ? json_dumps(r->json, JSON_COMPACT) : skr_strdup(r->body);
    skr_strbuf_addf(out, "%s %s HTTP/1.1\r\nHost: sandbox\r\n", r->method, r->target);
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        char name[32], value[LINE_MAX_BYTES];
        snprintf(name, sizeof name, "\n%s", passed[i]);
        header_of(r, name, value);
        if (value[0]) {
            skr_strbuf_addf(out, "%s%s\r\n", passed[i], value);
        }
    }
    skr_strbuf_addf(out, "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
}

/* ---- there and back ---- */

static struct fake_reply forward(struct cluster *c, const struct request *r)
{
    SKR_STRBUF(text);
    size_t length;
    char nothing;
    write_request(r, &text);
    /* The sandbox closes what is idle. */
    if (c->upstream && recv(c->upstream->fd, &nothing, 1, MSG_PEEK | MSG_DONTWAIT) == 0) {
        fault_upstream_close(c->upstream);
        c->upstream = NULL;
    }
    if (!c->upstream) {
        c->upstream = connect_upstream(skr_sandbox_http_port(c->sandbox));
    }
    send_upstream(c->upstream, &text);
    struct fake_reply reply = {.status = read_head(c->upstream->in, &length)};
    reply.body = read_bytes(c->upstream->in, length);
    skr_bug_on(!reply.body);
    return reply;
}

/* As from a server whose history does not reach back so far: the sandbox's does, for its own models
 * read it. */
static struct fake_reply expired(void)
{
    return (struct fake_reply){
        .stream = true,
        .end = true,
        .body = skr_strdup("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"status\":"
                           "\"Failure\",\"message\":\"too old resource version\",\"reason\":"
                           "\"Expired\",\"code\":410}}\n")};
}

static struct fake_reply forward_watch(const struct cluster *c, const struct request *r)
{
    SKR_STRBUF(text);
    size_t length;
    const char *version = strstr(r->target, "resourceVersion=");
    if (version && strtoull(version + 16, NULL, 10) < c->compacted) {
        return expired();
    }
    struct fault_upstream *up = connect_upstream(skr_sandbox_http_port(c->sandbox));
    write_request(r, &text);
    send_upstream(up, &text);
    struct fake_reply reply = {.status = read_head(up->in, &length)};
    if (reply.status == 200) {
        reply.stream = true;
        reply.source = (struct fake_source){up, next_chunk, stop_watch, destroy_watch};
    } else {
        reply.body = read_bytes(up->in, length);
        fault_upstream_close(up);
    }
    return reply;
}

/* Whether it reads a kind that need not be installed, and is not here. */
static bool reads_what_may_be_missing(const struct request *r)
{
    for (size_t i = 0; i < SKR_GANG_WATCHES; i++) {
        const struct skr_resource *of = skr_gang_watch[i].type->resource;
        char path[300];
        const int n =
            snprintf(path, sizeof path, "/apis/%s/%s/%s?", of->group, of->version, of->plural);
        if (skr_gang_watch[i].optional && strcmp(r->method, "GET") == 0 &&
            strncmp(r->target, path, (size_t)n) == 0) {
            return true;
        }
    }
    return false;
}

/* Requests that no daemon may ever send: they are answered, and fail the test. */
static void judge(struct cluster *c, const struct request *r, int status)
{
    const bool patch = r->write < SKR_WRITE_KIND_COUNT && strcmp(r->method, "PATCH") == 0;
    char type[LINE_MAX_BYTES];
    header_of(r, "\nContent-Type:", type);
    if (!r->is_routed && reads_what_may_be_missing(r)) {
        return;
    }
    if (!r->is_routed) {
        cluster_violate(c, "there is no %s %.200s", r->method, r->target);
    } else if (r->body[0] && !type[0]) {
        cluster_violate(c, "%s %.200s has no content type", r->method, r->target);
    } else if (status == 415 || status == 405 ||
               (patch && (status == 400 || status == 422) &&
                !skr_path_get(r->json, "metadata.uid")) ||
               (r->write == SKR_WRITE_CREATE_EVENT && status == 422)) {
        cluster_violate(c, "%s %.80s was answered %d: %.100s", r->method, r->target, status,
                        r->body);
    }
}

static void count(struct cluster *c, const struct request *r, int status)
{
    if (r->write == SKR_WRITE_KIND_COUNT) {
        return;
    }
    if (status >= 300) {
        c->n_refused[r->write]++;
        return;
    }
    c->n_writes[r->write]++;
    if (c->on_write && r->write < SKR_WRITE_GET_POD) {
        c->on_write(c->on_write_context, r->write, r->route.name);
    }
}

/* Under the eyes of the guard. */
static struct fake_reply carry_out(struct cluster *c, struct request *r)
{
    const bool is_write = r->write < SKR_WRITE_GET_POD;
    if (is_write) {
        skr_sandbox_http_lock(c->sandbox);
        cluster_guard_before(c, r->write, r->route.namespace_, r->route.name, r->json);
        skr_sandbox_http_unlock(c->sandbox);
    }
    spoil(c, r);
    const struct fake_reply reply = forward(c, r);
    judge(c, r, reply.status);
    if (is_write && reply.status < 300) {
        skr_sandbox_http_lock(c->sandbox);
        cluster_guard_applied(c, r->write, r->route.namespace_, r->route.name, r->json);
        skr_sandbox_http_unlock(c->sandbox);
    }
    count(c, r, reply.status);
    fake_api_changed(c->api);
    return reply;
}

struct fake_reply fault_proxy_respond(void *context, const char *text)
{
    struct cluster *c = context;
    SKR_AUTO_FREE struct request *r = skr_alloc(sizeof *r);
    char wanted[160], authorization[LINE_MAX_BYTES];
    struct fake_reply reply;
    read_request(r, text);
    header_of(r, "\nAuthorization:", authorization);
    snprintf(wanted, sizeof wanted, " Bearer %s", c->token);
    if (c->token[0] && strcmp(authorization, wanted) != 0) {
        c->n_unauthorized++;
        reply = (struct fake_reply){
            .status = 401,
            .body = skr_strdup("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
                               "\"message\":\"Unauthorized\",\"code\":401}")};
    } else if (c->missing[0] && strstr(r->target, c->missing)) {
        reply = (struct fake_reply){.status = 404, .body = skr_strdup("404 page not found\n")};
    } else if (strstr(r->target, REVIEWS) && c->denied[0] && strstr(r->body, c->denied)) {
        reply = (struct fake_reply){.status = 201,
                                    .body = skr_strdup("{\"status\":{\"allowed\":false}}")};
    } else if (strstr(r->target, REVIEWS) || strcmp(r->target, "/version") == 0) {
        reply = forward(c, r); /* about no object */
    } else if (r->is_routed && strstr(r->target, "watch=true")) {
        reply = forward_watch(c, r);
    } else {
        reply = carry_out(c, r);
    }
    json_decref(r->json);
    return reply;
}
