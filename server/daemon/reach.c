/* SPDX-License-Identifier: Apache-2.0 */
/* Each turn reads the present state. Only the time of the last change is kept. */
#include "server/daemon/reach.h"

#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/daemon/caller_thread.h"
#include "server/kube/base64.h"
#include "server/kube/transfer.h"
#include "server/log.h"
#include "topology/base/arena.h"

#define CALL_TIME    (5 * SKR_SECOND)
#define ROLE_LABEL   "sakkara.role"
#define ROLE_LEADER  "leader"
#define FILES_PACE_S 30

enum { NAME_MAX_BYTES = 254 };

struct skr_reach {
    struct skr_reach_options options;
    struct skr_certificates_rules rules;
    char namespace_[NAME_MAX_BYTES], name[NAME_MAX_BYTES], pod[NAME_MAX_BYTES];
    char server[2 * NAME_MAX_BYTES + 8];           /* the DNS name */
    struct skr_strbuf secret, configuration, pods; /* targets */
    struct skr_caller_thread thread;
    char *served;    /* certificate */
    char *seen;      /* bundle and certificate as of since */
    int64_t since_s; /* CLOCK_MONOTONIC; Secret and configuration are what they are since then */
    bool trouble;    /* the last request failed, and that was logged */
    bool no_pod;     /* no pod has the name of this machine */
};

static int64_t seconds_of(clockid_t clock)
{
    struct timespec t;
    skr_bug_on(clock_gettime(clock, &t) != 0);
    return (int64_t)t.tv_sec;
}

/* ---- requests ---- */

/* Whether it was done. Two failures are not logged: a conflict, which the next turn resolves, and a
 * request that the end of the daemon interrupts. */
static bool call(struct skr_reach *r, const char *method, const char *target, const json_t *body,
                 struct skr_call_answer *ret)
{
    char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
    const struct skr_call request = {
        .method = method, .target = target, .body = text, .timeout = CALL_TIME};
    skr_caller_call(r->thread.caller, &request, ret);
    if (text) {
        explicit_bzero(text, strlen(text));
    }
    free(text);
    const bool done = ret->http_status / 100 == 2 && ret->json;
    const bool conflict = ret->http_status == 409;
    if (!done && !conflict && !r->trouble && !skr_caller_thread_is_stopping(&r->thread)) {
        skr_log_warning("Webhook could not be made reachable", SKR_LOG_S("what", target),
                        SKR_LOG_S("err", ret->message), SKR_LOG_END);
    }
    r->trouble = !done && !conflict;
    return done;
}

/* ---- the Secret ---- */

static char *take_data(const json_t *secret, const char *key)
{
    const char *text = json_string_value(json_object_get(json_object_get(secret, "data"), key));
    char *bytes = NULL;
    size_t n;
    if (!text || *text == '\0' || skr_base64_decode(text, strlen(text), &bytes, &n, NULL) < 0) {
        return NULL;
    }
    return bytes;
}

static void read_certificates(const json_t *secret, struct skr_certificates *ret)
{
    *ret = (struct skr_certificates){
        .bundle = take_data(secret, "ca.crt"),
        .authority_key = take_data(secret, "ca.key"),
        .leaf = {.cert = take_data(secret, "tls.crt"), .key = take_data(secret, "tls.key")}};
}

static json_t *base64_of(const char *text)
{
    const gnutls_datum_t bytes = {(unsigned char *)(uintptr_t)text, (unsigned)strlen(text)};
    gnutls_datum_t encoded = {NULL, 0};
    skr_bug_on(gnutls_base64_encode2(&bytes, &encoded) < 0);
    json_t *value = json_stringn((const char *)encoded.data, encoded.size);
    explicit_bzero(encoded.data, encoded.size);
    gnutls_free(encoded.data);
    return value;
}

static void write_certificates(const struct skr_certificates *c, json_t *secret)
{
    json_t *data = json_object_get(secret, "data");
    if (!json_is_object(data)) {
        data = json_object();
        json_object_set_new(secret, "data", data);
    }
    json_object_set_new(data, "ca.crt", base64_of(c->bundle));
    json_object_set_new(data, "ca.key", base64_of(c->authority_key));
    json_object_set_new(data, "tls.crt", base64_of(c->leaf.cert));
    json_object_set_new(data, "tls.key", base64_of(c->leaf.key));
}

static void serve(struct skr_reach *r, const struct skr_certificates *c)
{
    struct skr_x509_dates dates;
    struct skr_error error = {0};
    if (!c->leaf.cert || !skr_certificates_are_usable(c, &r->rules, seconds_of(CLOCK_REALTIME)) ||
        (r->served && strcmp(r->served, c->leaf.cert) == 0)) {
        return;
    }
    if (r->options.serve(r->options.context, &c->leaf, &error) < 0) {
        skr_log_error("Certificate could not be used", SKR_LOG_S("name", r->server),
                      SKR_LOG_S("err", error.text), SKR_LOG_END);
        return;
    }
    free(r->served);
    r->served = skr_strdup(c->leaf.cert);
    if (skr_x509_dates(c->leaf.cert, &dates)) {
        r->options.expires(r->options.context, dates.until_s);
    }
    skr_log_info(2, "Certificate is served", SKR_LOG_S("name", r->server), SKR_LOG_END);
}

/* ---- the configuration ---- */

/* Whether the webhook calls the Service of this daemon. */
static bool is_ours(const struct skr_reach *r, const json_t *client_config)
{
    const json_t *service = json_object_get(client_config, "service");
    const char *name = json_string_value(json_object_get(service, "name"));
    const char *namespace_ = json_string_value(json_object_get(service, "namespace"));
    return name && namespace_ && strcmp(name, r->name) == 0 &&
           strcmp(namespace_, r->namespace_) == 0;
}

/* Whether that changed anything. */
static bool set_bundle(const struct skr_reach *r, json_t *configuration, const char *bundle)
{
    json_auto_t *encoded = base64_of(bundle);
    bool changed = false;
    json_t *webhook;
    size_t i;
    json_array_foreach(json_object_get(configuration, "webhooks"), i, webhook)
    {
        json_t *client_config = json_object_get(webhook, "clientConfig");
        if (is_ours(r, client_config) &&
            !json_equal(json_object_get(client_config, "caBundle"), encoded)) {
            json_object_set(client_config, "caBundle", encoded);
            changed = true;
        }
    }
    return changed;
}

/* Whether the configuration already had this bundle before this turn. */
static bool publish_bundle(struct skr_reach *r, const char *bundle)
{
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    bool stood = false;
    if (call(r, "GET", r->configuration.s, NULL, &answer)) {
        stood = !set_bundle(r, answer.json, bundle);
        if (!stood) {
            SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer written = {0};
            if (call(r, "PUT", r->configuration.s, answer.json, &written)) {
                skr_log_info(2, "Authority was published", SKR_LOG_S("name", r->name), SKR_LOG_END);
            }
        }
    }
    return stood;
}

/* ---- certificates of our own ---- */

/* Whether Secret and configuration have been unchanged for long enough. */
static bool is_settled(struct skr_reach *r, const struct skr_certificates *c, bool stood)
{
    const int64_t now = seconds_of(CLOCK_MONOTONIC);
    SKR_STRBUF(text);

    skr_strbuf_add(&text, c->bundle);
    skr_strbuf_add(&text, c->leaf.cert);
    if (!stood || !r->seen || strcmp(r->seen, text.s) != 0) {
        r->since_s = now;
        free(r->seen);
        r->seen = skr_strbuf_take(&text, NULL);
    }
    return now - r->since_s > SKR_CERTIFICATES_SETTLED * skr_certificates_pace_s(&r->rules);
}

/* Takes one step if one is due; then c is what the Secret holds, or empty. Returns whether a step was
 * tried. */
static bool take_step(struct skr_reach *r, json_t *secret, struct skr_certificates *c, bool settled)
{
    const int64_t now = seconds_of(CLOCK_REALTIME);
    const enum skr_certificates_step step = skr_certificates_next(c, &r->rules, settled, now);
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    struct skr_error error = {0};
    if (step == SKR_CERTIFICATES_KEEP) {
        return false;
    }
    if (skr_certificates_take(c, step, &r->rules, now, &error) < 0) {
        skr_log_error("Certificate could not be made", SKR_LOG_S("name", r->server),
                      SKR_LOG_S("err", error.text), SKR_LOG_END);
        return false;
    }
    write_certificates(c, secret);
    skr_certificates_fini(c);
    if (call(r, "PUT", r->secret.s, secret, &answer)) {
        read_certificates(answer.json, c);
        skr_log_info(2, "Certificates were changed", SKR_LOG_S("name", r->name),
                     SKR_LOG_S("what", skr_certificates_step_name(step)), SKR_LOG_END);
    }
    return true;
}

/* The configuration comes first: API servers trust a new authority for a while before its certificates
 * are served. */
static void look_at_certificates(struct skr_reach *r, bool leads)
{
    struct skr_certificates c = {0};
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    if (call(r, "GET", r->secret.s, NULL, &answer)) {
        read_certificates(answer.json, &c);
        if (leads) {
            const bool there = c.bundle && c.leaf.cert;
            const bool stood = there && publish_bundle(r, c.bundle);
            const bool settled = there && is_settled(r, &c, stood);
            if (take_step(r, answer.json, &c, settled) && c.bundle) {
                (void)publish_bundle(r, c.bundle);
            }
        }
        serve(r, &c);
    }
    skr_certificates_fini(&c);
}

/* ---- files ---- */

static void look_at_file(struct skr_reach *r)
{
    struct skr_kube_secret file = {0};
    struct skr_x509_dates dates;
    if (skr_kube_secret_read(&file, r->options.cert_file, NULL) == 0 &&
        skr_x509_dates(file.data, &dates)) {
        r->options.expires(r->options.context, dates.until_s);
    }
    free(file.data);
    free(file.file);
}

/* ---- the role ---- */

static void pod_target(const struct skr_reach *r, const char *name, struct skr_strbuf *out)
{
    skr_strbuf_add(out, r->pods.s);
    skr_strbuf_addc(out, '/');
    skr_kube_escape(out, name);
}

static void set_role(struct skr_reach *r, const char *pod, const json_t *uid, bool leader)
{
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    SKR_STRBUF(target);
    json_auto_t *patch = json_pack("{s:{s:{s:o}}}", "metadata", "labels", ROLE_LABEL,
                                   leader ? json_string(ROLE_LEADER) : json_null());
    if (uid) {
        json_object_set(json_object_get(patch, "metadata"), "uid", (json_t *)(uintptr_t)uid);
    }
    pod_target(r, pod, &target);
    if (call(r, "PATCH", target.s, patch, &answer)) {
        skr_log_info(2, leader ? "Role was taken" : "Role was taken from another",
                     SKR_LOG_S("pod", pod), SKR_LOG_END);
    }
}

/* Whether there is a pod of our name. */
static bool is_pod(struct skr_reach *r)
{
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    SKR_STRBUF(target);
    pod_target(r, r->pod, &target);
    const struct skr_call request = {.method = "GET", .target = target.s, .timeout = CALL_TIME};
    skr_caller_call(r->thread.caller, &request, &answer);
    if (answer.http_status == 404) {
        r->no_pod = true;
        skr_log_info(2, "No pod has the name of this machine: no pod gets the role of the leader",
                     SKR_LOG_S("pod", r->pod), SKR_LOG_END);
    }
    const bool there = answer.http_status == 200;
    return there;
}

/* The label is first removed from other pods: only one pod may be behind the Service. */
static void look_at_roles(struct skr_reach *r)
{
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    SKR_STRBUF(list);
    bool ours = false;
    json_t *pod;
    size_t i;
    skr_strbuf_addf(&list, "%s?labelSelector=" ROLE_LABEL "%%3D" ROLE_LEADER, r->pods.s);
    const bool listed = call(r, "GET", list.s, NULL, &answer);
    if (listed) {
        json_array_foreach(json_object_get(answer.json, "items"), i, pod)
        {
            const json_t *meta = json_object_get(pod, "metadata");
            const char *name = json_string_value(json_object_get(meta, "name"));
            if (name && strcmp(name, r->pod) == 0) {
                ours = true;
            } else if (name) {
                set_role(r, name, json_object_get(meta, "uid"), false);
            }
        }
    }
    if (listed && !ours && is_pod(r)) {
        set_role(r, r->pod, NULL, true);
    }
}

/* ---- the thread ---- */

static int64_t pace_of(const struct skr_reach *r)
{
    if (r->options.cert_file) {
        return FILES_PACE_S;
    }
    return r->served ? skr_certificates_pace_s(&r->rules) : 1;
}

static void *work(void *context)
{
    struct skr_reach *r = context;
    do {
        const bool leads = r->options.leads(r->options.context);
        if (leads && !r->no_pod) {
            look_at_roles(r);
        }
        if (r->options.cert_file) {
            look_at_file(r);
        } else {
            look_at_certificates(r, leads);
        }
    } while (skr_caller_thread_wait(&r->thread, pace_of(r) * SKR_SECOND));
    return NULL;
}

/* ---- life ---- */

static void write_server(const struct skr_reach_options *options, char *buffer, size_t size)
{
    (void)snprintf(buffer, size, "%s.%s.svc", options->name, options->namespace_);
}

int skr_reach_first_pair(const struct skr_reach_options *options, struct skr_x509_pair *ret,
                         struct skr_error *error)
{
    const int64_t now = seconds_of(CLOCK_REALTIME);
    char server[2 * NAME_MAX_BYTES + 8];
    struct skr_x509_pair authority = {0};
    write_server(options, server, sizeof server);
    int rc = skr_x509_make_authority(now, options->leaf_s, &authority, error);
    rc = rc < 0 ? rc : skr_x509_issue(&authority, server, now, options->leaf_s, ret, error);
    skr_x509_pair_fini(&authority);
    return rc;
}

static void write_targets(struct skr_reach *r)
{
    skr_strbuf_init(&r->secret);
    skr_strbuf_init(&r->configuration);
    skr_strbuf_init(&r->pods);
    skr_strbuf_add(&r->secret, "/api/v1/namespaces/");
    skr_kube_escape(&r->secret, r->namespace_);
    skr_strbuf_add(&r->pods, r->secret.s);
    skr_strbuf_add(&r->secret, "/secrets/");
    skr_kube_escape(&r->secret, r->name);
    skr_strbuf_add(&r->pods, "/pods");
    skr_strbuf_add(&r->configuration,
                   "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/");
    skr_kube_escape(&r->configuration, r->name);
}

int skr_reach_create(const struct skr_reach_options *options, struct skr_kube_access *access,
                     struct skr_reach **ret, struct skr_error *error)
{
    struct skr_reach *r = skr_alloc(sizeof *r);
    r->options = *options;
    (void)snprintf(r->namespace_, sizeof r->namespace_, "%s", options->namespace_);
    (void)snprintf(r->name, sizeof r->name, "%s", options->name);
    (void)snprintf(r->pod, sizeof r->pod, "%s", options->pod);
    write_server(options, r->server, sizeof r->server);
    r->rules = (struct skr_certificates_rules){
        .name = r->server, .leaf_s = options->leaf_s, .authority_s = options->authority_s};
    write_targets(r);
    const int rc =
        skr_caller_thread_start(&r->thread, access, options->user_agent, "reach", work, r, error);
    if (rc < 0) {
        skr_reach_destroy(r);
        return rc;
    }
    *ret = r;
    return 0;
}

void skr_reach_kick(struct skr_reach *reach)
{
    skr_caller_thread_kick(&reach->thread);
}

void skr_reach_destroy(struct skr_reach *reach)
{
    if (!reach) {
        return;
    }
    skr_caller_thread_stop(&reach->thread);
    skr_strbuf_fini(&reach->secret);
    skr_strbuf_fini(&reach->configuration);
    skr_strbuf_fini(&reach->pods);
    free(reach->served);
    free(reach->seen);
    free(reach);
}
