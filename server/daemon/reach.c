/* SPDX-License-Identifier: Apache-2.0 */
/* Each turn reads the present state. Only the time of the last change is kept. */
#include "server/daemon/reach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/daemon/caller_thread.h"
#include "server/daemon/webhook_objects.h"
#include "server/kube/transfer.h"
#include "server/log.h"
#include "topology/base/arena.h"

#define CALL_TIME   (5 * SKR_SECOND)
#define ROLE_LABEL  "sakkara.role"
#define ROLE_LEADER "leader"

enum { NAME_MAX_BYTES = 254 };

struct skr_reach {
    struct skr_reach_options options;
    struct skr_certificates_rules rules;
    char namespace_[NAME_MAX_BYTES], name[NAME_MAX_BYTES], pod[NAME_MAX_BYTES];
    char server[2 * NAME_MAX_BYTES + 8]; /* the DNS name */
    struct skr_webhook_targets targets;
    struct skr_strbuf pods; /* target */
    struct skr_caller_thread thread;
    char *served;    /* certificate */
    bool accepts;    /* there are tokens */
    char *seen;      /* bundle, certificate and tokens as of since */
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

/* ---- what replicas serve and accept ---- */

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

static void accept_tokens(struct skr_reach *r, const struct skr_tokens *tokens)
{
    struct skr_caller_tokens accepted;
    skr_tokens_accepted(tokens, &accepted);
    r->options.accept(r->options.context, &accepted);
    r->accepts = accepted.n > 0;
    explicit_bzero(&accepted, sizeof accepted);
}

/* ---- the Secret and the configuration ---- */

/* There is something to publish. */
static bool is_complete(const struct skr_reach *r, const struct skr_webhook_secret *s)
{
    return s->tokens.at[SKR_TOKEN_CURRENT].text[0] != '\0' &&
           (r->options.cert_file || (s->certificates.bundle && s->certificates.leaf.cert));
}

/* Whether the configuration already had this authority and this path before this turn. */
static bool publish(struct skr_reach *r, const struct skr_webhook_secret *s)
{
    char path[SKR_WEBHOOK_PATH_MAX];
    const struct skr_webhook_call given = {.namespace_ = r->namespace_,
                                           .name = r->name,
                                           .path = path,
                                           .bundle = r->options.cert_file ? NULL
                                                                          : s->certificates.bundle};
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    bool stood = false;
    skr_webhook_path_write(r->options.path, &s->tokens.at[SKR_TOKEN_CURRENT], path);
    if (call(r, "GET", r->targets.configuration, NULL, &answer)) {
        stood = !skr_webhook_configuration_set(answer.json, &given);
        if (!stood) {
            SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer written = {0};
            if (call(r, "PUT", r->targets.configuration, answer.json, &written)) {
                skr_log_info(2, "Authority and path were published", SKR_LOG_S("name", r->name),
                             SKR_LOG_END);
            }
        }
    }
    return stood;
}

static void add_part(struct skr_strbuf *text, const char *part)
{
    skr_strbuf_add(text, part ? part : "");
    skr_strbuf_addc(text, '\n');
}

/* Whether Secret and configuration have been unchanged for long enough. */
static bool is_settled(struct skr_reach *r, const struct skr_webhook_secret *s, bool stood)
{
    const int64_t now = seconds_of(CLOCK_MONOTONIC);
    SKR_STRBUF(text);

    add_part(&text, s->certificates.bundle);
    add_part(&text, s->certificates.leaf.cert);
    for (int i = 0; i < SKR_TOKEN_PLACE_COUNT; i++) {
        add_part(&text, s->tokens.at[i].text);
    }
    if (!stood || !r->seen || strcmp(r->seen, text.s) != 0) {
        r->since_s = now;
        free(r->seen);
        r->seen = skr_strbuf_take(&text, NULL);
    }
    return now - r->since_s > SKR_CERTIFICATES_SETTLED * skr_certificates_pace_s(&r->rules);
}

/* The step of the certificates and that of the tokens, if they are due. After an error s is partly
 * changed. */
static int take_steps(struct skr_reach *r, struct skr_webhook_secret *s, bool settled,
                      enum skr_certificates_step *ret_certificates,
                      enum skr_tokens_step *ret_tokens, struct skr_error *error)
{
    const int64_t now = seconds_of(CLOCK_REALTIME);
    *ret_certificates = r->options.cert_file
                            ? SKR_CERTIFICATES_KEEP
                            : skr_certificates_next(&s->certificates, &r->rules, settled, now);
    *ret_tokens = skr_tokens_next(&s->tokens, r->rules.leaf_s, settled, now);
    const int rc =
        skr_certificates_take(&s->certificates, *ret_certificates, &r->rules, now, error);
    return rc < 0 ? rc : skr_tokens_take(&s->tokens, *ret_tokens, now, error);
}

/* Writes what is due; then s is what the Secret holds, or empty. */
static void renew(struct skr_reach *r, json_t *object, struct skr_webhook_secret *s, bool settled)
{
    enum skr_certificates_step certificates;
    enum skr_tokens_step tokens;
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    struct skr_error error = {0};
    if (take_steps(r, s, settled, &certificates, &tokens, &error) < 0) {
        skr_log_error("Certificate or token could not be made", SKR_LOG_S("name", r->server),
                      SKR_LOG_S("err", error.text), SKR_LOG_END);
        skr_webhook_secret_fini(s);
        return;
    }
    if (certificates == SKR_CERTIFICATES_KEEP && tokens == SKR_TOKENS_KEEP) {
        return;
    }
    skr_webhook_secret_write(s, object);
    skr_webhook_secret_fini(s);
    if (call(r, "PUT", r->targets.secret, object, &answer)) {
        skr_webhook_secret_read(answer.json, s);
        skr_log_info(2, "Secret of the webhook was changed", SKR_LOG_S("name", r->name),
                     SKR_LOG_S("certificates", skr_certificates_step_name[certificates]),
                     SKR_LOG_S("tokens", skr_tokens_step_name[tokens]), SKR_LOG_END);
        accept_tokens(r, &s->tokens);
        if (is_complete(r, s)) {
            (void)publish(r, s);
        }
    }
}

/* First what API servers trust, then what is served: a new authority is in the configuration for a
 * while before its certificates are served. First what is accepted, then what API servers send: a
 * new token is in the Secret for a while before it is in the path. */
static void look_at_secret(struct skr_reach *r, bool leads)
{
    struct skr_webhook_secret s = {0};
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    if (call(r, "GET", r->targets.secret, NULL, &answer)) {
        skr_webhook_secret_read(answer.json, &s);
        accept_tokens(r, &s.tokens);
        if (leads) {
            const bool there = is_complete(r, &s);
            const bool stood = there && publish(r, &s);
            renew(r, answer.json, &s, there && is_settled(r, &s, stood));
        }
        if (!r->options.cert_file) {
            serve(r, &s.certificates);
        }
    }
    skr_webhook_secret_fini(&s);
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
    const bool reachable = r->accepts && (r->served || r->options.cert_file);
    return reachable ? skr_certificates_pace_s(&r->rules) : 1;
}

static void *work(void *context)
{
    struct skr_reach *r = context;
    do {
        const bool leads = r->options.leads(r->options.context);
        if (leads && !r->no_pod) {
            look_at_roles(r);
        }
        look_at_secret(r, leads);
        if (r->options.cert_file) {
            look_at_file(r);
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
    skr_webhook_targets_write(r->namespace_, r->name, &r->targets);
    skr_strbuf_init(&r->pods);
    skr_strbuf_add(&r->pods, "/api/v1/namespaces/");
    skr_kube_escape(&r->pods, r->namespace_);
    skr_strbuf_add(&r->pods, "/pods");
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
    skr_strbuf_fini(&reach->pods);
    free(reach->served);
    free(reach->seen);
    free(reach);
}
