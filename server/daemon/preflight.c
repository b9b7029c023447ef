/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the API server, and dates of certificates. */
#include "server/daemon/preflight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/gang/changes/namespace_limits.h"
#include "server/daemon/caller_thread.h"
#include "server/daemon/gated_pods.h"
#include "server/daemon/webhook_objects.h"
#include "server/exit_code.h"
#include "server/file.h"
#include "server/http/spotmix_webhook.h"
#include "server/http/tls.h"
#include "server/http/x509.h"
#include "server/kube/permissions.h"
#include "server/log.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

#define NAMESPACE_FILE "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

#define ASK_TIME (10 * SKR_SECOND)

enum {
    NAMESPACE_MAX = 254,
    RETRY_S = 5,
    DAY_S = 86400,
    CERTIFICATE_DAYS_MIN = 7,
    MINOR_MAX = 10000
};

void skr_lease_namespace(const struct skr_config *config, char *buffer, size_t size)
{
    SKR_AUTO_FREE char *of_pod = NULL;
    const char *name = config->leader_namespace;
    size_t n;
    if (!name[0] && skr_file_read(NAMESPACE_FILE, size, &of_pod, &n, NULL) == 0) {
        of_pod[strcspn(of_pod, " \r\n")] = '\0';
        name = of_pod;
    }
    (void)snprintf(buffer, size, "%s", name[0] ? name : config->settings.topology_namespace);
}

size_t skr_config_permissions(const struct skr_config *config, const char *namespace_,
                              struct skr_permission *list)
{
    const struct skr_permission_needs needs = {
        .rollback = config->settings.rollback_partial,
        .kueue = config->settings.admission_check,
        .provisioning = config->settings.provisioning_class[0],
        .force = config->settings.preempt_force_after != SKR_TIME_NEVER,
        .spotmix = config->spotmix.enabled,
        .spotmix_name = config->spotmix.name,
        .own_namespace = namespace_,
        .ocm = config->ocm_enabled,
        .karmada = config->karmada_enabled,
        .estimators = config->estimators.enabled ? config->estimators.namespace_ : NULL,
        .lease = config->leader_name,
        .scheduler_lease =
            config->leader_mode == SKR_LEADER_SCHEDULER ? config->scheduler_lease : NULL,
    };
    return skr_permissions_list(&needs, list);
}

/* ---- sakkara check ---- */

static const struct skr_call version_call = {
    .method = "GET", .target = "/version", .timeout = ASK_TIME};

static int print_server(struct skr_caller *caller, struct skr_strbuf *out)
{
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    skr_caller_call(caller, &version_call, &answer);
    const char *version = json_string_value(json_object_get(answer.json, "gitVersion"));
    const bool ok = answer.http_status == 200;
    if (ok) {
        skr_strbuf_addf(out, "ok   API server %s, version %s\n", skr_caller_server(caller),
                        version ? version : "unknown");
    } else {
        skr_strbuf_addf(out, "FAIL API server %s: %s\n", skr_caller_server(caller),
                        answer.message[0] ? answer.message : "no answer");
    }
    return ok ? SKR_EXIT_OK : answer.http_status > 0 ? SKR_EXIT_FINDINGS : SKR_EXIT_UNREACHABLE;
}

static int print_permission(struct skr_caller *caller, const struct skr_permission *permission,
                            struct skr_strbuf *out)
{
    struct skr_error error = {0};
    enum skr_permission_answer said = skr_permission_ask(caller, permission, NULL, &error);
    skr_strbuf_add(out, said == SKR_PERMISSION_YES ? "ok   may " : "FAIL may ");
    skr_permission_write(permission, out);
    if (said == SKR_PERMISSION_NO) {
        skr_strbuf_addf(out, ": no; without it %s", permission->purpose);
    } else if (said == SKR_PERMISSION_UNKNOWN) {
        skr_strbuf_addf(out, ": the API server did not say: %s", error.text);
    }
    skr_strbuf_addc(out, '\n');
    return said == SKR_PERMISSION_YES ? SKR_EXIT_OK : SKR_EXIT_FINDINGS;
}

static int print_certificate(const char *what, const char *pem, struct skr_strbuf *out)
{
    struct skr_x509_dates dates;
    const int64_t now = time(NULL);
    const bool there = skr_x509_dates(pem, &dates);
    const long long days = there ? (dates.until_s - now) / DAY_S : 0;
    if (days >= CERTIFICATE_DAYS_MIN) {
        skr_strbuf_addf(out, "ok   %s: valid for %lld days\n", what, days);
        return SKR_EXIT_OK;
    }
    if (!there) {
        skr_strbuf_addf(out, "FAIL %s: no certificate can be read\n", what);
    } else if (dates.until_s <= now) {
        skr_strbuf_addf(out, "FAIL %s: has run out\n", what);
    } else {
        skr_strbuf_addf(out, "FAIL %s: valid for %lld days only\n", what, days);
    }
    return SKR_EXIT_FINDINGS;
}

static int print_listener(const char *name, const struct skr_config_tls *config,
                          struct skr_strbuf *out)
{
    const struct skr_tls_files files = {
        .cert = config->cert_file, .key = config->key_file, .client_ca = config->client_ca_file};
    struct skr_tls tls;
    struct skr_error error = {0};
    char what[64];
    if (!skr_tls_is_on(&files)) {
        return SKR_EXIT_OK;
    }
    if (skr_tls_load(&files, &tls, &error) < 0) {
        skr_strbuf_addf(out, "FAIL %s: %s\n", name, error.text);
        return SKR_EXIT_FINDINGS;
    }
    (void)snprintf(what, sizeof what, "certificate of %s", name);
    int rc = print_certificate(what, tls.cert, out);
    if (tls.client_ca) {
        (void)snprintf(what, sizeof what, "client CA of %s", name);
        int ca = print_certificate(what, tls.client_ca, out);
        rc = rc ? rc : ca;
    }
    skr_tls_fini(&tls);
    return rc;
}

static int print_access(const struct skr_kube_access *access, struct skr_strbuf *out)
{
    int rc = SKR_EXIT_OK;
    if (access->insecure) {
        skr_strbuf_add(out, "FAIL trust: insecure-skip-tls-verify is set: the API server is not "
                            "authenticated\n");
        rc = SKR_EXIT_FINDINGS;
    }
    if (access->ca.data) {
        int ca = print_certificate("authority of the API server", access->ca.data, out);
        rc = rc ? rc : ca;
    }
    if (access->certificate.data) {
        int own = print_certificate("client certificate", access->certificate.data, out);
        rc = rc ? rc : own;
    }
    return rc;
}

/* Where the configuration and the Secret disagree, every review is refused. */
static const char *flaw_of_webhook(const struct skr_webhook_secret *secret, const json_t *webhook)
{
    const json_t *service = json_object_get(json_object_get(webhook, "clientConfig"), "service");
    const char *path = json_string_value(json_object_get(service, "path"));
    const char *policy = json_string_value(json_object_get(webhook, "failurePolicy"));
    struct skr_caller_tokens accepted;
    char base[SKR_WEBHOOK_PATH_MAX];
    skr_tokens_accepted(&secret->tokens, &accepted);
    (void)snprintf(base, sizeof base, "%s/", SKR_SPOTMIX_PATH);
    if (!webhook) {
        return "no webhook of the configuration leads to its Service; apply "
               "manifests/spotmix-webhook.yaml";
    }
    if (policy && strcmp(policy, "Fail") == 0) {
        return "failurePolicy Fail shows its path, and with it the token, to users in errors; set "
               "Ignore";
    }
    if (accepted.n > 0 && (!path || strncmp(path, base, strlen(base)) != 0 ||
                           !skr_caller_tokens_accept(&accepted, path + strlen(base)))) {
        return "its path has no valid token, and every review is refused; the leader of a running "
               "daemon writes it within 30 s";
    }
    return NULL;
}

/* false: it cannot be read, and out says so. */
static bool read_object(struct skr_caller *caller, const char *target, struct skr_call_answer *ret,
                        struct skr_strbuf *out)
{
    const struct skr_call request = {.method = "GET", .target = target, .timeout = ASK_TIME};
    skr_caller_call(caller, &request, ret);
    if (ret->http_status != 200) {
        skr_strbuf_addf(out, "FAIL webhook: %s: %s\n", target,
                        ret->message[0] ? ret->message : "no answer");
    }
    return ret->http_status == 200;
}

static int print_webhook(struct skr_caller *caller, const struct skr_config *config,
                         const char *namespace_, struct skr_strbuf *out)
{
    const char *name = config->spotmix.name, *flaw = NULL;
    struct skr_call_answer answer[2] = {0};
    struct skr_webhook_secret secret = {0};
    struct skr_webhook_targets targets = {.secret = ""};
    skr_webhook_targets_write(namespace_, name, &targets);
    const bool read = read_object(caller, targets.secret, &answer[0], out) &&
                      read_object(caller, targets.configuration, &answer[1], out);
    if (read) {
        skr_webhook_secret_read(answer[0].json, &secret);
        flaw = flaw_of_webhook(&secret,
                               skr_webhook_configuration_find(answer[1].json, namespace_, name));
        skr_strbuf_addf(out, "%s webhook %s: %s\n", flaw ? "FAIL" : "ok  ", name,
                        flaw ? flaw
                        : secret.tokens.at[SKR_TOKEN_CURRENT].text[0]
                            ? "reviews need the token of its path"
                            : "no token yet, the leader makes it when it starts");
    }
    skr_webhook_secret_fini(&secret);
    skr_call_answer_fini(&answer[0]);
    skr_call_answer_fini(&answer[1]);
    return read && !flaw ? SKR_EXIT_OK : SKR_EXIT_FINDINGS;
}

/* ---- daemons that decide ---- */

enum {
    LIVE_S = 60, /* a Lease renewed so long before the newest one is of a daemon that ended */
    LEASES_MAX = 128,
};

static const char *spec_text(const json_t *lease, const char *key)
{
    const char *text = json_string_value(json_object_get(json_object_get(lease, "spec"), key));
    return text ? text : "";
}

/* 0: never. */
static skr_time renewed_at(const json_t *lease)
{
    skr_time at;
    return skr_time_parse(spec_text(lease, "renewTime"), &at, NULL) == 0 ? at : 0;
}

static void add_holder(const json_t *lease, size_t n, struct skr_strbuf *out)
{
    const json_t *meta = json_object_get(lease, "metadata");
    const char *namespace_ = json_string_value(json_object_get(meta, "namespace"));
    const char *name = json_string_value(json_object_get(meta, "name"));
    skr_strbuf_addf(out, "%s%s/%s held by %s", n > 0 ? ", " : "", namespace_ ? namespace_ : "",
                    name ? name : "", spec_text(lease, "holderIdentity"));
}

/* Whether the Lease is one that daemons count: of this installation, of a namespace that operators
 * name, or of one whose account has the rights of an installation. *ret_why: why it is not. */
static bool counts(struct skr_caller *caller, const struct skr_config *config,
                   const char *own_namespace, const json_t *lease, const char **ret_why)
{
    const char *namespace_ = skr_object_text(json_object_get(lease, "metadata"), "namespace");
    struct skr_error error = {0};
    if (strcmp(namespace_, own_namespace) == 0 ||
        skr_namespace_is_listed(config->leader_trusted, namespace_)) {
        return true;
    }
    const enum skr_permission_answer said =
        skr_permission_ask_installation(caller, namespace_, ASK_TIME, &error);
    *ret_why = said == SKR_PERMISSION_NO
                   ? "the account sakkara of its namespace may not bind pods"
                   : "whether its namespace has an installation may not be asked";
    return said == SKR_PERMISSION_YES;
}

/* Those that have a holder and count, the newest one first; the others are named. At most LEASES_MAX
 * are looked at. */
static size_t sort_leases(struct skr_caller *caller, const struct skr_config *config,
                          const char *own_namespace, const json_t *items,
                          const json_t *counted[LEASES_MAX], struct skr_strbuf *others)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(items) && i < LEASES_MAX; i++) {
        const json_t *lease = json_array_get(items, i);
        const char *why = "";
        if (spec_text(lease, "holderIdentity")[0] == '\0') {
            continue;
        }
        if (!counts(caller, config, own_namespace, lease, &why)) {
            skr_strbuf_add(others, "ok   Lease: ");
            add_holder(lease, 0, others);
            skr_strbuf_addf(others, " is ignored: %s\n", why);
            continue;
        }
        const bool newest = n > 0 && renewed_at(lease) > renewed_at(counted[0]);
        counted[n++] = newest ? counted[0] : lease;
        counted[0] = newest ? lease : counted[0];
    }
    return n;
}

/* Two installations have a Lease each, and each of them decides. Leases that daemons do not count are
 * shown. An account that may not list the Leases of all namespaces gets no line. *ret_decided is false
 * only if no daemon has one. */
static int print_leases(struct skr_caller *caller, const struct skr_config *config,
                        const char *own_namespace, bool *ret_decided, struct skr_strbuf *out)
{
    struct skr_call_answer answer;
    SKR_STRBUF(target);
    SKR_STRBUF(holders);
    SKR_STRBUF(others);
    const json_t *counted[LEASES_MAX];
    size_t n_counted = 0, n = 0;
    skr_strbuf_addf(&target,
                    "/apis/coordination.k8s.io/v1/leases?fieldSelector=metadata.name%%3D%s",
                    config->leader_name);
    const struct skr_call request = {.method = "GET", .target = target.s, .timeout = ASK_TIME};
    skr_caller_call(caller, &request, &answer);
    n_counted = sort_leases(caller, config, own_namespace, json_object_get(answer.json, "items"),
                            counted, &others);
    for (size_t i = 0; i < n_counted; i++) {
        if (renewed_at(counted[0]) - renewed_at(counted[i]) <= LIVE_S * SKR_SECOND) {
            add_holder(counted[i], n++, &holders);
        }
    }
    if (n > 1) {
        skr_strbuf_addf(out,
                        "FAIL Leases: %zu daemons decide for this cluster: %s; remove all "
                        "installations but one\n",
                        n, holders.s);
    } else if (answer.http_status == 200) {
        skr_strbuf_addf(out, "ok   Lease: %s\n", n == 1 ? holders.s : "no daemon decides yet");
    }
    skr_strbuf_add(out, others.len > 0 ? others.s : "");
    *ret_decided = n > 0 || answer.http_status != 200;
    skr_call_answer_fini(&answer);
    return n > 1 ? SKR_EXIT_FINDINGS : SKR_EXIT_OK;
}

static int worse(int a, int b)
{
    return a > b ? a : b;
}

int skr_preflight_print(const struct skr_config *config, struct skr_kube_access *access,
                        struct skr_strbuf *out)
{
    struct skr_permission list[SKR_PERMISSIONS_MAX];
    char namespace_[NAMESPACE_MAX];
    struct skr_caller *caller = NULL;
    struct skr_error error = {0};
    int rc = print_access(access, out);
    rc = worse(rc, print_listener("extender", &config->tls, out));
    rc = worse(rc, print_listener("admin", &config->admin_tls, out));
    rc = worse(rc, print_listener("gate", &config->gate_tls, out));
    if (skr_caller_create(access, "sakkara check", &caller, &error) < 0) {
        skr_strbuf_addf(out, "FAIL API server: %s\n", error.text);
        return SKR_EXIT_UNREACHABLE;
    }
    const int server = print_server(caller, out);
    rc = worse(rc, server);
    skr_lease_namespace(config, namespace_, sizeof namespace_);
    const size_t n =
        server == SKR_EXIT_UNREACHABLE ? 0 : skr_config_permissions(config, namespace_, list);
    for (size_t i = 0; i < n; i++) {
        rc = worse(rc, print_permission(caller, &list[i], out));
    }
    if (n > 0) {
        bool decided = true;
        rc = worse(rc, print_leases(caller, config, namespace_, &decided, out));
        rc = worse(rc, skr_gated_pods_print(caller, decided, out));
    }
    if (n > 0 && config->spotmix.enabled) {
        rc = worse(rc, print_webhook(caller, config, namespace_, out));
    }
    skr_caller_destroy(caller);
    return rc;
}

/* ---- at the start of the daemon ---- */

struct skr_preflight {
    const struct skr_config *config;
    struct skr_caller_thread thread;
    void (*server_is)(void *context, int minor);
    void *context;
};

/* false: the thread has to end. */
static bool wait_a_while(struct skr_preflight *p)
{
    return skr_caller_thread_wait(&p->thread, RETRY_S * SKR_SECOND);
}

static void log_missing(const struct skr_permission *permission)
{
    SKR_STRBUF(text);
    skr_permission_write(permission, &text);
    skr_log_error("Permission is missing", SKR_LOG_S("what", text.s),
                  SKR_LOG_S("reason", permission->purpose), SKR_LOG_END);
}

/* Of "36" or "36+"; -1: not of Kubernetes 1. */
static int minor_of(const json_t *version)
{
    const char *major = json_string_value(json_object_get(version, "major"));
    const char *minor = json_string_value(json_object_get(version, "minor"));
    const long n = major && minor && strcmp(major, "1") == 0 ? strtol(minor, NULL, 10) : -1;
    return n > 0 && n <= MINOR_MAX ? (int)n : -1;
}

/* false: the thread has to end. */
static bool ask_version(struct skr_preflight *p)
{
    bool heard = false, goes_on = true;
    while (!heard && goes_on) {
        SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
        skr_caller_call(p->thread.caller, &version_call, &answer);
        const int minor = answer.http_status == 200 ? minor_of(answer.json) : -1;
        heard = answer.http_status > 0 && answer.http_status < 500 && answer.http_status != 429;
        if (minor > 0) {
            p->server_is(p->context, minor);
        }
        goes_on = heard || wait_a_while(p);
    }
    return goes_on;
}

static void *ask_all(void *context)
{
    struct skr_preflight *p = context;
    if (!ask_version(p)) {
        return NULL;
    }
    struct skr_permission list[SKR_PERMISSIONS_MAX];
    char namespace_[NAMESPACE_MAX];
    skr_lease_namespace(p->config, namespace_, sizeof namespace_);
    const size_t n = skr_config_permissions(p->config, namespace_, list);
    for (size_t i = 0; i < n;) {
        struct skr_error error = {0};
        enum skr_permission_answer said =
            skr_permission_ask(p->thread.caller, &list[i], NULL, &error);
        if (said == SKR_PERMISSION_UNKNOWN && (error.code == SKR_NOT_FOUND || !wait_a_while(p))) {
            return NULL; /* an API server without reviews, or the end */
        }
        if (said == SKR_PERMISSION_NO) {
            log_missing(&list[i]);
        }
        i += said != SKR_PERMISSION_UNKNOWN;
    }
    return NULL;
}

int skr_preflight_start(const struct skr_config *config, struct skr_kube_access *access,
                        void (*server_is)(void *context, int minor), void *context,
                        struct skr_preflight **ret, struct skr_error *error)
{
    struct skr_preflight *p = skr_alloc(sizeof *p);
    p->config = config;
    p->server_is = server_is;
    p->context = context;
    int rc = skr_caller_thread_start(&p->thread, access, "sakkara check", "preflight", ask_all, p,
                                     error);
    if (rc < 0) {
        free(p);
        return rc;
    }
    *ret = p;
    return 0;
}

void skr_preflight_destroy(struct skr_preflight *preflight)
{
    if (preflight) {
        skr_caller_thread_stop(&preflight->thread);
    }
    free(preflight);
}
