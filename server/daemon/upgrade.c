/* SPDX-License-Identifier: Apache-2.0 */
/* An installation, before this program takes it over. */
#include "server/daemon/upgrade.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/daemon/preflight.h"
#include "server/exit_code.h"
#include "server/kube/caller.h"
#include "server/kube/permissions.h"
#include "server/version.h"
#include "topology/base/json_field.h"

#define TIMEOUT     (30 * SKR_SECOND)
#define CONFIG_MAP  "sakkara-config"
#define CONFIG_FILE "sakkara.yaml"
#define PLAN        "sakkara.plan"

enum {
    MINOR_FIRST = 30, /* of Kubernetes; kubeVersion of the chart has the same */
    MINOR_BEHIND = 2, /* minor versions of this program whose objects it reads */
    NUMBER_MAX = 10000,
    NAME_BYTES = 600,
    LIST_BYTES_MAX = 64 * 1024 * 1024,
};

struct upgrade {
    const struct skr_upgrade_options *options;
    struct skr_caller *caller;
    struct skr_strbuf *out;
    char server[NAME_BYTES];  /* version of the API server */
    char account[NAME_BYTES]; /* of the daemon */
    struct skr_config *config;
    size_t n_objects, n_plans;
    bool found; /* something to repair */
};

static void finding(struct upgrade *u)
{
    u->found = true;
    skr_strbuf_add(u->out, "FAIL ");
}

static void get(struct upgrade *u, const char *target, struct skr_call_answer *ret)
{
    const struct skr_call call = {
        .method = "GET", .target = target, .timeout = TIMEOUT, .answer_max = LIST_BYTES_MAX};
    skr_caller_call(u->caller, &call, ret);
}

/* Major and minor of "v1.36.3", "0.2.0-1a2b3c4d". false: no such version, as of "latest". */
static bool read_version(const char *text, int64_t ret[2])
{
    const char *at = text + (text[0] == 'v');
    for (size_t i = 0; i < 2; i++) {
        char *end = NULL;
        const long n = at[0] >= '0' && at[0] <= '9' ? strtol(at, &end, 10) : -1;
        if (n < 0 || n > NUMBER_MAX || (i == 0 && *end != '.')) {
            return false;
        }
        ret[i] = n;
        at = end + 1;
    }
    return true;
}

/* ---- what runs there ---- */

static int check_server(struct upgrade *u)
{
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    int64_t version[2];
    get(u, "/version", &answer);
    (void)snprintf(u->server, sizeof u->server, "%s", skr_object_text(answer.json, "gitVersion"));
    if (answer.http_status != 200 || !read_version(u->server, version)) {
        finding(u);
        skr_strbuf_addf(u->out, "API server %s: %s\n", skr_caller_server(u->caller),
                        answer.message[0] ? answer.message : "no version");
        return answer.http_status > 0 ? SKR_EXIT_FINDINGS : SKR_EXIT_UNREACHABLE;
    }
    if (version[0] == 1 && version[1] < MINOR_FIRST) {
        finding(u);
        skr_strbuf_addf(u->out, "API server: version %s; upgrade it first, 1.%d is the oldest\n",
                        u->server, (int)MINOR_FIRST);
    } else {
        skr_strbuf_addf(u->out, "ok   API server: version %s\n", u->server);
    }
    return SKR_EXIT_OK;
}

/* "registry:5000/sakkara:0.1.3@sha256:..." -> "0.1.3"; "": no tag. */
static void tag_of(const char *image, char *ret, size_t size)
{
    const char *last = strrchr(image, '/');
    const char *colon = strchr(last ? last : image, ':');
    (void)snprintf(ret, size, "%s", colon && !strchr(image, '@') ? colon + 1 : "");
    if (colon && strchr(colon, '@')) {
        (void)snprintf(ret, size, "%.*s", (int)strcspn(colon + 1, "@"), colon + 1);
    }
}

static void check_daemon(struct upgrade *u, const char *image)
{
    char tag[NAME_BYTES];
    int64_t have[2], new[2];
    tag_of(image, tag, sizeof tag);
    const bool known = read_version(tag, have) && read_version(skr_version, new);
    const bool far = known && (new[0] > have[0] || new[1] - have[1] > MINOR_BEHIND);
    const bool back = known && (new[0] < have[0] || (new[0] == have[0] && new[1] < have[1]));
    if (far && new[0] == have[0]) {
        finding(u);
        skr_strbuf_addf(u->out,
                        "daemon: %s; %s reads what the %d minor versions before it wrote; "
                        "upgrade to one between them first\n",
                        image, skr_version, (int)MINOR_BEHIND);
    } else if (back) {
        finding(u);
        skr_strbuf_addf(u->out,
                        "daemon: %s is newer than this program, %s; check with the new one\n",
                        image, skr_version);
    } else {
        skr_strbuf_addf(u->out, "ok   daemon: %s; this program is %s\n", image, skr_version);
    }
}

static void check_scheduler(struct upgrade *u, const char *image)
{
    char tag[NAME_BYTES];
    int64_t have[2], server[2];
    tag_of(image, tag, sizeof tag);
    if (!read_version(tag, have) || !read_version(u->server, server)) {
        return;
    }
    if (have[0] == server[0] && have[1] > server[1]) {
        finding(u);
        skr_strbuf_addf(u->out,
                        "scheduler: %s is newer than the API server, %s; set "
                        "scheduler.image.tag\n",
                        image, u->server);
    } else {
        skr_strbuf_addf(u->out, "ok   scheduler: %s\n", image);
    }
}

/* Images and account are those of the Deployment. */
static void check_deployment(struct upgrade *u)
{
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    char target[NAME_BYTES];
    size_t i;
    const json_t *container;
    (void)snprintf(target, sizeof target, "/apis/apps/v1/namespaces/%.253s/deployments/sakkara",
                   u->options->namespace_);
    get(u, target, &answer);
    if (answer.http_status != 200) {
        finding(u);
        skr_strbuf_addf(u->out, "Deployment %.253s/sakkara: %s; name its namespace with -n\n",
                        u->options->namespace_, answer.message[0] ? answer.message : "no answer");
    }
    const json_t *pod =
        json_object_get(json_object_get(json_object_get(answer.json, "spec"), "template"), "spec");
    const char *account = skr_object_text(pod, "serviceAccountName");
    (void)snprintf(u->account, sizeof u->account, "%s", account[0] ? account : "sakkara");
    json_array_foreach(json_object_get(pod, "containers"), i, container)
    {
        const char *name = skr_object_text(container, "name");
        const char *image = skr_object_text(container, "image");
        if (strcmp(name, "sakkara") == 0) {
            check_daemon(u, image);
        } else if (strstr(image, "kube-scheduler")) {
            check_scheduler(u, image);
        }
    }
}

/* ---- what this program needs ---- */

/* The new manifests grant missing permissions, so they must be applied first. */
static void check_permissions(struct upgrade *u)
{
    struct skr_permission list[SKR_PERMISSIONS_MAX];
    const struct skr_account account = {u->options->namespace_, u->account};
    const size_t n = skr_config_permissions(u->config, u->options->namespace_, list);
    size_t n_missing = 0;
    for (size_t i = 0; i < n; i++) {
        struct skr_error error = {.code = SKR_OK};
        const enum skr_permission_answer said =
            skr_permission_ask(u->caller, &list[i], &account, &error);
        if (said == SKR_PERMISSION_UNKNOWN) {
            finding(u);
            skr_strbuf_addf(u->out, "permissions of account %s: the API server did not say: %s\n",
                            u->account, error.text);
            return;
        }
        if (said == SKR_PERMISSION_NO) {
            n_missing++;
            finding(u);
            skr_strbuf_addf(u->out, "account %s may not ", u->account);
            skr_permission_write(&list[i], u->out);
            skr_strbuf_addf(u->out, "; without it %s\n", list[i].purpose);
        }
    }
    if (n_missing > 0) {
        skr_strbuf_add(u->out, "     apply the new manifests, or upgrade the chart, which grant "
                               "what is missing\n");
    } else {
        skr_strbuf_addf(u->out, "ok   account %s has the %zu permissions needed\n", u->account, n);
    }
}

/* ---- objects ---- */

/* item: of a list, which has no kind and apiVersion of its own; they are added. */
static void read_object(struct upgrade *u, json_t *item, const char *kind, const char *version)
{
    const json_t *meta = json_object_get(item, "metadata");
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof name, "%s %.253s/%.253s", kind, skr_object_text(meta, "namespace"),
                   skr_object_text(meta, "name"));
    u->n_plans += json_object_get(json_object_get(meta, "annotations"), PLAN) ? 1 : 0;
    (void)json_object_set_new(item, "kind", json_string(kind));
    (void)json_object_set_new(item, "apiVersion", json_string(version));
    SKR_AUTO_FREE char *text = json_dumps(item, JSON_INDENT(2));
    if (text) {
        u->n_objects++;
        u->options->object(u->options->context, name, text, strlen(text));
    }
}

/* Skips kinds that are not installed. */
static void read_list(struct upgrade *u, const char *target, const char *kind)
{
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    size_t i;
    json_t *item;
    get(u, target, &answer);
    if (answer.http_status != 200 && answer.http_status != 404) {
        finding(u);
        skr_strbuf_addf(u->out, "%ss: %s\n", kind,
                        answer.too_large    ? "more than can be checked at once"
                        : answer.message[0] ? answer.message
                                            : "no answer");
    }
    const char *version = skr_object_text(answer.json, "apiVersion");
    json_array_foreach(json_object_get(answer.json, "items"), i, item)
    {
        read_object(u, item, kind, version);
    }
}

/* If the configuration has defects, the permissions of the default configuration are checked. */
static void read_config(struct upgrade *u)
{
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    struct skr_findings findings;
    char target[NAME_BYTES];
    (void)snprintf(target, sizeof target, "/api/v1/namespaces/%.253s/configmaps/" CONFIG_MAP,
                   u->options->namespace_);
    get(u, target, &answer);
    const char *text = skr_object_text(json_object_get(answer.json, "data"), CONFIG_FILE);
    skr_findings_init(&findings);
    if (answer.http_status != 200 ||
        skr_config_parse(text, strlen(text), &u->config, &findings) < 0) {
        u->config = skr_config_default();
    }
    if (answer.http_status == 200) {
        read_object(u, answer.json, "ConfigMap", "v1");
    } else {
        finding(u);
        skr_strbuf_addf(u->out, "ConfigMap %.253s/" CONFIG_MAP ": %s\n", u->options->namespace_,
                        answer.message[0] ? answer.message : "no answer");
    }
}

static void check_objects(struct upgrade *u)
{
    read_list(u, "/api/v1/configmaps?labelSelector=sakkara.topology", "ConfigMap");
    read_list(u, "/api/v1/configmaps?labelSelector=sakkara.group", "ConfigMap");
    read_list(u, "/apis/scheduling.x-k8s.io/v1alpha1/podgroups", "PodGroup");
    read_list(u, "/apis/monitoring.coreos.com/v1/prometheusrules", "PrometheusRule");
    skr_strbuf_addf(u->out, "ok   objects: %zu read\n", u->n_objects);
    if (u->n_plans > 0) {
        skr_strbuf_addf(u->out, "ok   plans: %zu; the next daemon binds them as they are\n",
                        u->n_plans);
    }
}

int skr_upgrade_print(const struct skr_upgrade_options *options, struct skr_kube_access *access,
                      struct skr_strbuf *out)
{
    struct upgrade u = {.options = options, .out = out};
    struct skr_error error = {.code = SKR_OK};
    if (skr_caller_create(access, "sakkara check", &u.caller, &error) < 0) {
        skr_strbuf_addf(out, "FAIL API server: %s\n", error.text);
        return SKR_EXIT_UNREACHABLE;
    }
    int rc = check_server(&u);
    if (rc == SKR_EXIT_OK) {
        check_deployment(&u);
        read_config(&u);
        check_permissions(&u);
        check_objects(&u);
        rc = u.found ? SKR_EXIT_FINDINGS : SKR_EXIT_OK;
    }
    skr_config_destroy(u.config);
    skr_caller_destroy(u.caller);
    return rc;
}
