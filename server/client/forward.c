/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `kubectl get service` gives selector and port, and `kubectl get pods` the pods. The first line of
 * `kubectl port-forward pod/NAME :PORT` has the free local port: "Forwarding from 127.0.0.1:40123 ->
 * 9662".
 */
#include "server/client/forward.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/client/child.h"
#include "server/client/kubectl.h"
#include "server/object/path.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

enum { PODS_MAX = 8, NAME_MAX_BYTES = 256 };

#define LEADER_LABEL "sakkara.role"

struct skr_forward {
    struct skr_client_options options; /* server: url below */
    char namespace_[NAME_MAX_BYTES];
    char service[NAME_MAX_BYTES];
    char port[NAME_MAX_BYTES]; /* of the pod: a number or a name */
    struct skr_strbuf selector;
    char pod[PODS_MAX][NAME_MAX_BYTES + 4]; /* "pod/NAME" */
    size_t n_pods;
    size_t next;    /* index of the pod that is tried next */
    unsigned local; /* port; 0: any */
    bool running;
    struct skr_child child;
    struct skr_strbuf said, complaint; /* of the child */
    char url[64];
};

/* ---- the Service ---- */

/* NAMESPACE/[http:]NAME:PORT; false: another one. */
static bool parse(struct skr_forward *f, const char *service)
{
    const char *slash = strchr(service, '/');
    const char *name = slash ? slash + 1 : "";
    name += strncmp(name, "http:", 5) == 0 ? 5 : 0;
    const char *colon = strchr(name, ':');
    if (!slash || slash == service || !colon || colon == name || strchr(colon + 1, ':')) {
        return false;
    }
    return (size_t)snprintf(f->namespace_, sizeof f->namespace_, "%.*s", (int)(slash - service),
                            service) < sizeof f->namespace_ &&
           (size_t)snprintf(f->service, sizeof f->service, "%.*s", (int)(colon - name), name) <
               sizeof f->service &&
           (size_t)snprintf(f->port, sizeof f->port, "%s", colon + 1) < sizeof f->port;
}

/* The pod's port behind the one of the Service; where the Service has none such, it is the pod's. */
static void read_port(struct skr_forward *f, const json_t *service)
{
    const json_t *ports = skr_path_get(service, "spec.ports");
    char number[24];
    for (size_t i = 0; i < json_array_size(ports); i++) {
        const json_t *port = json_array_get(ports, i);
        const json_t *target = json_object_get(port, "targetPort");
        (void)snprintf(number, sizeof number, "%lld", (long long)skr_path_int(port, "port", 0));
        if (strcmp(number, f->port) != 0 && strcmp(skr_path_text(port, "name"), f->port) != 0) {
            continue;
        }
        if (json_is_string(target)) {
            (void)snprintf(f->port, sizeof f->port, "%s", json_string_value(target));
        } else {
            (void)snprintf(
                f->port, sizeof f->port, "%lld",
                (long long)(target ? json_integer_value(target) : skr_path_int(port, "port", 0)));
        }
        return;
    }
}

/* Whether there is one whose pods are known. */
static bool read_service(struct skr_forward *f, const json_t *service)
{
    const char *key;
    json_t *value;
    json_object_foreach(skr_object_unconst(skr_path_get(service, "spec.selector")), key, value)
    {
        skr_strbuf_addf(&f->selector, "%s%s=%s", f->selector.len > 0 ? "," : "--selector=", key,
                        json_is_string(value) ? json_string_value(value) : "");
    }
    read_port(f, service);
    return f->selector.len > 0;
}

/* ---- the pods ---- */

static bool leads(const json_t *pod)
{
    const char *role = skr_path_label(pod, LEADER_LABEL);
    return role && strcmp(role, "leader") == 0;
}

static void note_pod(struct skr_forward *f, const json_t *pod)
{
    const char *name = skr_path_text(pod, "metadata.name");
    if (f->n_pods < PODS_MAX && *name && !skr_path_get(pod, "metadata.deletionTimestamp")) {
        (void)snprintf(f->pod[f->n_pods++], sizeof f->pod[0], "pod/%.255s", name);
    }
}

/* The pod with the label of the leader comes first. */
static void read_pods(struct skr_forward *f, const json_t *list)
{
    const json_t *items = json_object_get(list, "items");
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < json_array_size(items); i++) {
            const json_t *pod = json_array_get(items, i);
            if (leads(pod) == (pass == 0)) {
                note_pod(f, pod);
            }
        }
    }
}

/* ---- what kubectl is asked ---- */

/* *ret NULL, and *ret_code, when kubectl refuses: said holds its words. */
static int get(const struct skr_forward *f, const char *const *words, json_t **ret, int *ret_code,
               struct skr_strbuf *said, struct skr_error *error)
{
    SKR_STRBUF(out);
    struct skr_kubectl a;
    skr_kubectl_begin(&a, &f->options);
    skr_kubectl_add_timeout(&a, &f->options);
    skr_kubectl_add_all(
        &a, (const char *const[]){"--namespace", f->namespace_, "get", "--output=json", NULL});
    skr_kubectl_add_all(&a, words);
    skr_strbuf_reset(said);
    int rc = skr_kubectl_run(&a, &f->options, &out, said, ret_code, error);
    *ret = rc == 0 && *ret_code == 0 ? json_loadb(out.s, out.len, 0, NULL) : NULL;
    return rc;
}

static int find_pods(struct skr_forward *f, struct skr_strbuf *said, struct skr_error *error)
{
    const char *const words[] = {"pods", f->selector.s, "--field-selector=status.phase=Running",
                                 NULL};
    json_t *list;
    int code;
    int rc = get(f, words, &list, &code, said, error);
    if (rc == 0 && !list) {
        rc = skr_kubectl_refused(said->s, code, error);
    }
    if (rc < 0) {
        return rc;
    }
    read_pods(f, list);
    json_decref(list);
    return f->n_pods > 0
               ? 0
               : skr_error_set(error, SKR_RETRY, "no pod of the Service %.80s/%.80s is running",
                               f->namespace_, f->service);
}

int skr_forward_create(const struct skr_client_options *options, struct skr_forward **ret,
                       struct skr_error *error)
{
    struct skr_forward *f = skr_alloc(sizeof *f);
    const char *const words[] = {"service", f->service, NULL};
    SKR_STRBUF(said);
    json_auto_t *service = NULL;
    int rc = 0, code;
    f->options = *options;
    skr_strbuf_init(&f->selector);
    skr_strbuf_init(&f->said);
    skr_strbuf_init(&f->complaint);
    *ret = f;
    const bool known = parse(f, options->service);
    if (known) {
        rc = get(f, words, &service, &code, &said, error);
    }
    const bool way = rc == 0 && service && read_service(f, service);
    if (way) {
        rc = find_pods(f, &said, error);
    }
    if (rc < 0 || !way) {
        skr_forward_destroy(f);
        *ret = NULL;
    }
    return rc;
}

/* ---- the tunnel ---- */

static void close_tunnel(struct skr_forward *f)
{
    if (f->running) {
        skr_child_stop(&f->child);
    }
    f->running = false;
}

void skr_forward_listen(struct skr_forward *forward, unsigned port)
{
    forward->local = port;
}

const char *skr_forward_url(const struct skr_forward *forward)
{
    return forward->url;
}

void skr_forward_destroy(struct skr_forward *forward)
{
    if (!forward) {
        return;
    }
    close_tunnel(forward);
    skr_strbuf_fini(&forward->selector);
    skr_strbuf_fini(&forward->said);
    skr_strbuf_fini(&forward->complaint);
    free(forward);
}

/* The last line of what the child complained about. */
static const char *complaint(struct skr_forward *f)
{
    char *text = f->complaint.s;
    size_t n = f->complaint.len;
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r')) {
        text[--n] = '\0';
    }
    const char *line = n > 0 ? strrchr(text, '\n') : NULL;
    return line ? line + 1 : text;
}

static int refuse(struct skr_forward *f, struct skr_error *error)
{
    const char *line = complaint(f);
    const bool denied = strstr(line, "(Forbidden)") || strstr(line, "forbidden");
    return skr_error_set(
        error, denied ? SKR_DENIED : SKR_RETRY, "%s: kubectl port-forward %.60s: %.100s%s",
        denied ? "not allowed" : "the daemon cannot be reached", f->pod[f->next],
        *line ? line : "it said no port", denied ? "; it takes create of pods/portforward" : "");
}

static int open_tunnel(struct skr_forward *f, struct skr_error *error)
{
    struct skr_kubectl a;
    char remote[NAME_MAX_BYTES + 16];
    unsigned port = 0;
    if (f->running) {
        return 0;
    }
    skr_strbuf_reset(&f->said);
    skr_strbuf_reset(&f->complaint);
    skr_strbuf_add(&f->said, "");
    skr_strbuf_add(&f->complaint, "");
    if (f->local > 0) {
        (void)snprintf(remote, sizeof remote, "%u:%s", f->local, f->port);
    } else {
        (void)snprintf(remote, sizeof remote, ":%s", f->port);
    }
    skr_kubectl_begin(&a, &f->options);
    skr_kubectl_add_all(&a, (const char *const[]){"--namespace", f->namespace_, "port-forward",
                                                  "--address=127.0.0.1", f->pod[f->next], remote,
                                                  NULL});
    int rc = skr_child_start(&f->child, a.item, &f->said, &f->complaint, error);
    if (rc < 0) {
        return rc;
    }
    f->running = true;
    if (!skr_child_wait_for_line(&f->child, skr_kubectl_timeout_ms(&f->options)) ||
        sscanf(f->said.s, "Forwarding from 127.0.0.1:%5u", &port) != 1) {
        rc = refuse(f, error);
        close_tunnel(f);
        return rc;
    }
    (void)snprintf(f->url, sizeof f->url, "http://127.0.0.1:%u", port);
    f->options.server = f->url;
    return 0;
}

static int ask(struct skr_forward *f, const char *target, struct skr_strbuf *out,
               struct skr_error *error)
{
    int rc = open_tunnel(f, error);
    if (rc < 0) {
        return rc;
    }
    skr_child_drain(&f->child);
    skr_strbuf_reset(out);
    rc = skr_source_http(&f->options, target, out, error);
    skr_child_drain(&f->child);
    return rc == -SKR_RETRY && f->complaint.len > 0 ? refuse(f, error) : rc;
}

int skr_source_forward(struct skr_forward *forward, const char *target, struct skr_strbuf *out,
                       struct skr_error *error)
{
    struct skr_forward *f = forward;
    int rc = 0;
    for (size_t tries = 0; tries < f->n_pods; tries++) {
        rc = ask(f, target, out, error);
        if (rc != -SKR_RETRY) { /* else: it is gone, it does not lead */
            return rc;
        }
        close_tunnel(f);
        f->next = (f->next + 1) % f->n_pods;
    }
    return rc;
}
