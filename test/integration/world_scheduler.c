/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world's kube-scheduler: cycles one after the other, in order of the pods' changes; the
 * nominated node first and alone, then all nodes; each bind call in a thread of its own. A pod is
 * tried again when its object has changed, or WORLD_BACKOFF_MS after a failed bind. In-tree filters
 * are left out, so filter alone decides.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "test/integration/world.h"
#include "topology/strbuf.h"

enum { WORLD_BACKOFF_MS = 200, TICK_MS = 50, ANSWER_MAX = 1 << 20 };

/* ---- HTTP ---- */

static int connect_to(uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Everything until the peer closes; NULL when it was no answer with status 200. */
static char *receive(int fd)
{
    char *text = malloc(ANSWER_MAX + 1);
    size_t n = 0;
    ssize_t got;
    skr_bug_on(!text);
    while (n < ANSWER_MAX && (got = recv(fd, text + n, ANSWER_MAX - n, 0)) > 0) {
        n += (size_t)got;
    }
    text[n] = '\0';
    char *body = strstr(text, "\r\n\r\n");
    if (!body || strncmp(text, "HTTP/1.1 200", 12) != 0) {
        free(text);
        return NULL;
    }
    memmove(text, body + 4, strlen(body + 4) + 1);
    return text;
}

bool world_post(uint16_t port, const char *path, const char *body, char **ret)
{
    struct skr_strbuf request;
    int fd = connect_to(port);
    if (fd < 0) {
        return false;
    }
    skr_strbuf_init(&request);
    skr_strbuf_addf(&request,
                    "POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: "
                    "application/json\r\nContent-Length: %zu\r\n\r\n",
                    path, strlen(body));
    skr_strbuf_add(&request, body);
    bool sent = send(fd, request.s, request.len, MSG_NOSIGNAL) == (ssize_t)request.len;
    skr_strbuf_fini(&request);
    char *answer = sent ? receive(fd) : NULL;
    close(fd);
    *ret = answer;
    return answer != NULL;
}

static struct timespec soon(long ms)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += ms * 1000000L;
    t.tv_sec += t.tv_nsec / 1000000000L;
    t.tv_nsec %= 1000000000L;
    return t;
}

static bool is_past(const struct timespec *t)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec > t->tv_sec || (now.tv_sec == t->tv_sec && now.tv_nsec >= t->tv_nsec);
}

/* ---- the queue ---- */

struct world_pod *world_find_pod(struct world *w, const char *uid)
{
    for (size_t i = 0; i < w->n_pods; i++) {
        if (strcmp(w->pod[i].uid, uid) == 0) {
            return &w->pod[i];
        }
    }
    skr_bug_on(w->n_pods == WORLD_PODS_MAX);
    struct world_pod *pod = &w->pod[w->n_pods++];
    snprintf(pod->uid, sizeof pod->uid, "%s", uid);
    return pod;
}

static bool is_schedulable(const json_t *pod)
{
    const json_t *gates = json_object_get(json_object_get(pod, "spec"), "schedulingGates");
    return strcmp(skr_demo_text(pod, "spec.schedulerName"), "sakkara") == 0 &&
           !skr_demo_text(pod, "spec.nodeName")[0] && json_array_size(gates) == 0;
}

static uint64_t version_of(const json_t *object)
{
    return strtoull(skr_demo_text(object, "metadata.resourceVersion"), NULL, 10);
}

/* The pod that changed first among those to be tried; a copy (json_decref), NULL: none. */
static json_t *take_next(struct world *w, struct world_pod **ret)
{
    json_t *object, *best = NULL;
    for (size_t i = 0; (object = skr_demo_objects_at(w->objects, SKR_DEMO_POD, i)); i++) {
        struct world_pod *pod = world_find_pod(w, skr_demo_text(object, "metadata.uid"));
        bool due = is_schedulable(object) && !pod->assumed && !pod->frozen &&
                   pod->tried < version_of(object) && is_past(&pod->not_before);
        if (due && (!best || version_of(object) < version_of(best))) {
            best = object;
            *ret = pod;
        }
    }
    if (best) {
        (*ret)->tried = version_of(best);
        snprintf((*ret)->name, sizeof(*ret)->name, "%s", skr_demo_text(best, "metadata.name"));
        snprintf((*ret)->namespace_, sizeof(*ret)->namespace_, "%s",
                 skr_demo_text(best, "metadata.namespace"));
    }
    return best ? json_deep_copy(best) : NULL;
}

static json_t *all_nodes(struct world *w)
{
    json_t *names = json_array();
    const json_t *node;
    for (size_t i = 0; (node = skr_demo_objects_at(w->objects, SKR_DEMO_NODE, i)); i++) {
        json_array_append_new(names, json_string(skr_demo_text(node, "metadata.name")));
    }
    return names;
}

/* First node that passes, heap; NULL: none. */
static char *filter(uint16_t port, json_t *pod, json_t *names)
{
    json_t *request = json_pack("{s:O, s:n, s:O}", "Pod", pod, "Nodes", "NodeNames", names);
    char *text = json_dumps(request, JSON_COMPACT), *reply = NULL, *node = NULL;
    json_decref(request);
    if (world_post(port, "/v1/filter", text, &reply)) {
        json_t *answer = json_loads(reply, 0, NULL);
        const char *first =
            json_string_value(json_array_get(json_object_get(answer, "NodeNames"), 0));
        node = first ? strdup(first) : NULL;
        json_decref(answer);
    }
    free(reply);
    free(text);
    return node;
}

/* ---- bind ---- */

struct bind_call {
    struct world *world;
    struct world_pod *pod;
    char *body;
    uint16_t port;
};

static void *call_bind(void *argument)
{
    struct bind_call *call = argument;
    struct world *w = call->world;
    char *reply = NULL;
    bool answered = world_post(call->port, "/v1/bind", call->body, &reply);
    json_t *answer = answered ? json_loads(reply, 0, NULL) : NULL;
    bool bound = answer && skr_demo_text(answer, "Error")[0] == '\0';
    pthread_mutex_lock(&w->lock);
    call->pod->assumed = false;
    w->open_binds--;
    if (!bound) {
        /* Back through the error queue, and the nomination is cleared. */
        w->failed_binds++;
        call->pod->tried = 0;
        call->pod->not_before = soon(WORLD_BACKOFF_MS);
        json_t *clear = json_pack("{s:{s:s}, s:{s:n}}", "metadata", "uid", call->pod->uid, "status",
                                  "nominatedNodeName");
        if (skr_demo_objects_patch(w->objects, SKR_DEMO_POD, call->pod->namespace_, call->pod->name,
                                   clear) == 200) {
            world_note(w, SKR_DEMO_POD, "MODIFIED",
                       skr_demo_objects_get(w->objects, SKR_DEMO_POD, call->pod->namespace_,
                                            call->pod->name));
        }
        json_decref(clear);
    }
    pthread_cond_broadcast(&w->change);
    pthread_mutex_unlock(&w->lock);
    json_decref(answer);
    free(reply);
    free(call->body);
    free(call);
    return NULL;
}

static void start_bind(struct world *w, struct world_pod *pod, const char *node)
{
    struct bind_call *call = malloc(sizeof *call);
    pthread_t thread;
    skr_bug_on(!call);
    json_t *body = json_pack("{s:s, s:s, s:s, s:s}", "PodName", pod->name, "PodNamespace",
                             pod->namespace_, "PodUID", pod->uid, "Node", node);
    pthread_mutex_lock(&w->lock);
    *call = (struct bind_call){w, pod, json_dumps(body, JSON_COMPACT), w->bind_port};
    pod->assumed = true;
    w->open_binds++;
    if (w->open_binds > w->most_open_binds) {
        w->most_open_binds = w->open_binds;
    }
    pthread_mutex_unlock(&w->lock);
    json_decref(body);
    skr_bug_on(pthread_create(&thread, NULL, call_bind, call) != 0);
    pthread_detach(thread);
}

/* One cycle; the lock is not held. */
static void schedule(struct world *w, struct world_pod *pod, json_t *object, json_t *nodes,
                     uint16_t port)
{
    const char *nominated = skr_demo_text(object, "status.nominatedNodeName");
    char *node = NULL;
    if (nominated[0]) {
        json_t *one = json_pack("[s]", nominated);
        node = filter(port, object, one);
        json_decref(one);
    }
    node = node ? node : filter(port, object, nodes);
    if (node) {
        start_bind(w, pod, node);
    }
    free(node);
}

static void *run(void *argument)
{
    struct world *w = argument;
    pthread_mutex_lock(&w->lock);
    while (!w->stop) {
        struct world_pod *pod = NULL;
        json_t *object = w->extender_port ? take_next(w, &pod) : NULL;
        if (!object) {
            struct timespec tick = soon(TICK_MS);
            pthread_cond_timedwait(&w->change, &w->lock, &tick);
            continue;
        }
        json_t *nodes = all_nodes(w);
        uint16_t port = w->extender_port;
        pthread_mutex_unlock(&w->lock);
        schedule(w, pod, object, nodes, port);
        json_decref(nodes);
        json_decref(object);
        pthread_mutex_lock(&w->lock);
    }
    while (w->open_binds > 0) {
        pthread_cond_wait(&w->change, &w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

void world_start_scheduler(struct world *w)
{
    skr_bug_on(pthread_create(&w->scheduler, NULL, run, w) != 0);
}

/* After world_stop_api() has set stop and the daemon has ended. */
void world_stop_scheduler(struct world *w)
{
    pthread_join(w->scheduler, NULL);
}
