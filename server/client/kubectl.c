/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a page with `kubectl get --raw PATH`, found in PATH and run without a shell. The API server
 * forwards the request to the daemon's Service, so the connection works as for any other kubectl
 * command. The standard error of kubectl gives the error: refusals of the daemon begin with
 * "sakkara: " behind kubectl's prefix.
 */
#include "server/client/kubectl.h"

#include <stdio.h>
#include <string.h>

#include "core/group/group.h"
#include "server/client/child.h"
#include "topology/topology_map.h"

enum {
    GRACE_S = 5, /* beyond the request's own time-out, for kubectl to say so */
    LEADER_TRIES = 8,
};

/* ---- what it says ---- */

/* The last line that is not empty, "": none; what stands before is what kubectl logs. said is changed. */
static const char *last_line(char *said)
{
    const char *line = "";
    char *save = NULL;
    for (char *next = strtok_r(said, "\r\n", &save); next; next = strtok_r(NULL, "\r\n", &save)) {
        line = next;
    }
    return line;
}

/* The last line, without kubectl's prefixes: "Error from server (NotFound): ". */
int skr_kubectl_refused(char *said, int code, struct skr_error *error)
{
    static const struct {
        const char *prefix;
        int status;
    } prefixes[] = {
        {"Error from server (NotFound): ", 404},
        {"Error from server (BadRequest): ", 400},
        {"Error from server (RequestEntityTooLarge): ", 413},
        {"Error from server (Forbidden): ", 403},
        {"error: You must be logged in to the server", 401},
    };
    const char *line = last_line(said);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t n = strlen(prefixes[i].prefix);
        if (strncmp(line, prefixes[i].prefix, n) != 0) {
            continue;
        }
        const bool ours = strncmp(line + n, "sakkara: ", 9) == 0;
        if (ours || prefixes[i].status == 401 || prefixes[i].status == 403) {
            return skr_source_refused(prefixes[i].status, ours ? line + n : line, error);
        }
    }
    if (!*line) {
        return skr_error_set(error, SKR_RETRY, "kubectl ended with exit code %d and no word", code);
    }
    return skr_error_set(error, SKR_RETRY,
                         "the daemon cannot be reached: kubectl: %.110s; --server URL asks a "
                         "daemon, behind kubectl port-forward for example",
                         line);
}

/* ---- its arguments ---- */

static void add(struct skr_kubectl *kubectl, const char *word)
{
    skr_bug_on(kubectl->n == SKR_KUBECTL_ARGUMENTS_MAX);
    kubectl->item[kubectl->n++] = word;
}

void skr_kubectl_add_all(struct skr_kubectl *kubectl, const char *const *words)
{
    for (; *words; words++) {
        add(kubectl, *words);
    }
}

void skr_kubectl_add_timeout(struct skr_kubectl *kubectl, const struct skr_client_options *options)
{
    (void)snprintf(kubectl->timeout, sizeof kubectl->timeout, "--request-timeout=%lldms",
                   (long long)(options->request_timeout / SKR_MILLISECOND));
    add(kubectl, kubectl->timeout);
}

static void add_pair(struct skr_kubectl *a, const char *flag, const char *value)
{
    if (value) {
        add(a, flag);
        add(a, value);
    }
}

void skr_kubectl_begin(struct skr_kubectl *kubectl, const struct skr_client_options *options)
{
    *kubectl = (struct skr_kubectl){.n = 0};
    add(kubectl, "kubectl");
    add_pair(kubectl, "--context", options->context);
    add_pair(kubectl, "--kubeconfig", options->kubeconfig);
}

int64_t skr_kubectl_timeout_ms(const struct skr_client_options *options)
{
    return options->request_timeout / SKR_MILLISECOND + GRACE_S * 1000;
}

int skr_kubectl_run(const struct skr_kubectl *kubectl, const struct skr_client_options *options,
                    struct skr_strbuf *out, struct skr_strbuf *said, int *ret_code,
                    struct skr_error *error)
{
    return skr_child_run(kubectl->item, skr_kubectl_timeout_ms(options), out, said, ret_code,
                         error);
}

/* "NAMESPACE/[SCHEME:]NAME[:PORT]" as a path of the API. */
static int write_path(const char *service, const char *target, struct skr_strbuf *out,
                      struct skr_error *error)
{
    const char *slash = strchr(service, '/');
    if (!slash || slash == service || !slash[1] || strpbrk(service, "?#% ") ||
        strchr(slash + 1, '/')) {
        return skr_error_set(error, SKR_INVALID,
                             "--service is NAMESPACE/[SCHEME:]NAME[:PORT], not %.100s", service);
    }
    skr_strbuf_addf(out, "/api/v1/namespaces/%.*s/services/%s/proxy%s", (int)(slash - service),
                    service, slash + 1, target);
    return 0;
}

/* Only the leader answers, and the API server asks any replica behind the Service. */
static int ask(const struct skr_kubectl *a, const struct skr_client_options *options,
               struct skr_strbuf *out, struct skr_strbuf *said, int *code, struct skr_error *error)
{
    int rc = 0;
    for (int tries = 0; tries < LEADER_TRIES; tries++) {
        skr_strbuf_reset(out);
        skr_strbuf_reset(said);
        skr_strbuf_add(said, "");
        rc = skr_kubectl_run(a, options, out, said, code, error);
        if (rc < 0 || *code == 0 || !strstr(said->s, "not leader")) {
            break;
        }
    }
    return rc;
}

int skr_source_kubectl_raw(const struct skr_client_options *options, const char *path,
                           struct skr_strbuf *out, struct skr_error *error)
{
    SKR_STRBUF(said);
    struct skr_kubectl a;
    int code = 0;
    skr_kubectl_begin(&a, options);
    skr_kubectl_add_timeout(&a, options);
    skr_kubectl_add_all(&a, (const char *const[]){"get", "--raw", path, NULL});
    const int rc = ask(&a, options, out, &said, &code, error);
    return rc == 0 && code != 0 ? skr_kubectl_refused(said.s, code, error) : rc;
}

int skr_source_kubectl(const struct skr_client_options *options, const char *target,
                       struct skr_strbuf *out, struct skr_error *error)
{
    SKR_STRBUF(path);
    const int rc = write_path(options->service, target, &path, error);
    return rc < 0 ? rc : skr_source_kubectl_raw(options, path.s, out, error);
}

/* What `kubectl get --output=json` writes about objects. absent: the error if there is none. */
static int get_objects(const struct skr_client_options *options, const char *namespace_,
                       const char *const *words, enum skr_error_code absent, struct skr_strbuf *out,
                       struct skr_error *error)
{
    SKR_STRBUF(said);
    struct skr_kubectl a;
    int code = 0;
    skr_kubectl_begin(&a, options);
    add_pair(&a, "--namespace", namespace_);
    skr_kubectl_add_all(&a, (const char *const[]){"get", "--output=json", NULL});
    skr_kubectl_add_all(&a, words);
    const int rc = skr_kubectl_run(&a, options, out, &said, &code, error);
    if (rc < 0 || code == 0) {
        return rc;
    }
    const char *line = last_line(said.s);
    return skr_error_set(error, strstr(line, "(NotFound)") ? absent : SKR_RETRY, "kubectl: %.200s",
                         line);
}

int skr_source_kubectl_map(const struct skr_client_options *options, const char *namespace_,
                           const char *name, struct skr_strbuf *out, struct skr_error *error)
{
    const char *const words[] = {"configmap", name ? "--" : "--all-namespaces",
                                 name ? name : "--selector=" SKR_TOPOLOGY_LABEL, NULL};
    return get_objects(options, name ? namespace_ : NULL, words, SKR_NOT_FOUND, out, error);
}

int skr_source_kubectl_list(const struct skr_client_options *options, const char *resources,
                            struct skr_strbuf *out, struct skr_error *error)
{
    const char *const words[] = {"--all-namespaces", resources, NULL};
    return get_objects(options, NULL, words, SKR_RETRY, out, error);
}

int skr_source_kubectl_own(const struct skr_client_options *options, const char *namespace_,
                           const char *resource, const char *label, struct skr_strbuf *out,
                           struct skr_error *error)
{
    SKR_STRBUF(selector);
    skr_strbuf_addf(&selector, "--selector=%s", label ? label : "");
    const char *const words[] = {resource, label ? selector.s : NULL, NULL};
    const int rc = get_objects(options, namespace_, words, SKR_RETRY, out, error);
    return rc == -SKR_RETRY && error &&
                   (strstr(error->text, "(Forbidden)") || strstr(error->text, "(Unauthorized)"))
               ? skr_error_set(error, SKR_DENIED, "not allowed either: %.200s", error->text)
               : rc;
}

void skr_source_kubectl_namespace(const struct skr_client_options *options, struct skr_strbuf *out)
{
    SKR_STRBUF(said);
    struct skr_kubectl a;
    int code = 0;
    const size_t begin = out->len;
    skr_kubectl_begin(&a, options);
    skr_kubectl_add_all(
        &a, (const char *const[]){"config", "view", "--minify",
                                  "--output=jsonpath={.contexts[0].context.namespace}", NULL});
    if (skr_kubectl_run(&a, options, out, &said, &code, NULL) < 0 || code != 0) {
        out->len = begin;
    }
    while (out->len > begin && strchr(" \r\n", out->s[out->len - 1])) {
        out->len--;
    }
    if (out->s) {
        out->s[out->len] = '\0';
    }
}
