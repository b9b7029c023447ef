/* SPDX-License-Identifier: Apache-2.0 */
/* Permissions as tables, and one SelfSubjectAccessReview for each. */
#include "server/kube/permissions.h"

#include <stdio.h>
#include <string.h>

#include "core/gang/state/types.h"
#include "topology/base/json_writer.h"

#define REVIEWS           "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
#define REVIEWS_OF_OTHERS "/apis/authorization.k8s.io/v1/subjectaccessreviews"
#define ASK_TIME          (10 * SKR_SECOND)

enum { ACCOUNT_MAX = 600 }; /* two names, and words around them */
enum { GET = 1, LIST = 2, WATCH = 4, CREATE = 8, UPDATE = 16, PATCH = 32, DELETE = 64 };
#define SEE (LIST | WATCH)

static const struct {
    unsigned verb;
    const char *name;
} verbs[] = {{GET, "get"},       {LIST, "list"},   {WATCH, "watch"},  {CREATE, "create"},
             {UPDATE, "update"}, {PATCH, "patch"}, {DELETE, "delete"}};

/* What one scheduler needs of one resource; one row a purpose. */
struct grant {
    const char *group;
    const char *resource;
    const char *subresource;
    unsigned verbs;
    const char *purpose;
};

#define HELD "devices of members whose plan has ended are freed by kube-scheduler alone"
/* Besides reading what it watches. */
static const struct grant gang[] = {
    {"", "pods", "", GET, "unknown outcomes of writes cannot be read back"},
    {"", "pods", "", PATCH, "gates stay closed"},
    {"", "pods", "binding", CREATE, "nothing is bound"},
    {"", "pods", "status", PATCH, "members are not nominated"},
    {"", "pods", "eviction", CREATE,
     "nothing is evicted: no group gives way or moves, no member leaves a lost node"},
    {"resource.k8s.io", "resourceclaims", "status", PATCH, HELD},
    {"resource.k8s.io", "resourceclaims", "binding", PATCH, HELD},
    {"", "configmaps", "", GET, "unknown outcomes of writes cannot be read back"},
    {"", "configmaps", "", PATCH, "no plan can be committed"},
    {"events.k8s.io", "events", "", CREATE, "Events are lost"},
    {"scheduling.x-k8s.io", "podgroups", "", GET | PATCH, "PodGroups are not placed"},
    /* ClusterRole sakkara-workloads of manifests/install.yaml */
    {"scheduling.k8s.io", "podgroups", "", GET | PATCH,
     "PodGroups of scheduling.k8s.io are not placed"},
    {"scheduling.k8s.io", "podgroups", "status", PATCH,
     "PodGroups of scheduling.k8s.io have no conditions of their groups"},
    {"", "configmaps", "", CREATE, "groups of workloads have no map that shows them"},
    {0},
};

static const struct grant rollback[] = {
    {"", "pods", "", DELETE, "onPartialBind: rollback does not roll back"},
    {0},
};

static const struct grant force[] = {
    {"", "pods", "", DELETE, "preemptForceAfter deletes no pods"},
    {0},
};

/* ClusterRole sakkara-provisioning of manifests/install.yaml */
static const struct grant provisioning[] = {
    {"", "podtemplates", "", CREATE | DELETE, "provisioningClass: no room is asked for"},
    {"autoscaling.x-k8s.io", "provisioningrequests", "", GET | CREATE | DELETE,
     "provisioningClass: no room is asked for"},
    {0},
};

#define KUEUE "kueue.x-k8s.io"
/* manifests/kueue.yaml */
static const struct grant kueue[] = {
    {KUEUE, "workloads", "", GET, "kueue: no admission check is answered"},
    {KUEUE, "workloads", "status", PATCH, "kueue: no admission check is answered"},
    {KUEUE, "admissionchecks", "status", PATCH, "kueue: no queue with a check becomes active"},
    {0},
};

/* manifests/spotmix-webhook.yaml */
static const struct grant spotmix[] = {
    {"", "pods", "", GET | SEE | PATCH, "spotmix: classes of pods are not repaired"},
    {"", "pods", "eviction", CREATE, "spotmix: a changed mix is not rebuilt"},
    {"", "nodes", "", SEE, "spotmix: nodes of a class cannot be seen"},
    {"apps", "deployments", "", GET | SEE, "spotmix: rules cannot be seen"},
    {"apps", "replicasets", "", GET | SEE, "spotmix: owners of pods cannot be seen"},
    {"apps", "statefulsets", "", GET | SEE, "spotmix: rules cannot be seen"},
    {"events.k8s.io", "events", "", CREATE, "Events are lost"},
    {0},
};

#define OCM "cluster.open-cluster-management.io"
/* manifests/ocm/rbac.yaml */
static const struct grant ocm[] = {
    {OCM, "placements", "", GET | SEE, "ocm: Placements cannot be seen"},
    {OCM, "placementdecisions", "", GET | SEE, "ocm: decisions cannot be seen"},
    {OCM, "managedclusters", "", GET | SEE, "ocm: clusters cannot be seen"},
    {OCM, "managedclustersets", "", GET | SEE, "ocm: sets of clusters cannot be seen"},
    {OCM, "managedclustersetbindings", "", GET | SEE, "ocm: bindings of sets cannot be seen"},
    {OCM, "addonplacementscores", "", GET | SEE, "ocm: scores of add-ons do not count"},
    {OCM, "placementdecisions", "", CREATE | UPDATE | PATCH | DELETE, "ocm: nothing is decided"},
    {OCM, "placementdecisions", "status", UPDATE | PATCH, "ocm: nothing is decided"},
    {OCM, "placements", "status", UPDATE | PATCH, "ocm: the status of Placements stays as it is"},
    {OCM, "placements", "finalizers", UPDATE, "ocm: decisions may not name their Placement"},
    {"", "events", "", CREATE | PATCH, "Events are lost"},
    {"events.k8s.io", "events", "", CREATE | PATCH, "Events are lost"},
    {0},
};

#define WORK "work.karmada.io"
/* manifests/karmada/rbac.yaml */
static const struct grant karmada[] = {
    {WORK, "resourcebindings", "", GET | SEE, "karmada: bindings cannot be seen"},
    {WORK, "clusterresourcebindings", "", GET | SEE, "karmada: bindings cannot be seen"},
    {WORK, "resourcebindings", "", PATCH, "karmada: nothing is decided"},
    {WORK, "clusterresourcebindings", "", PATCH, "karmada: nothing is decided"},
    {WORK, "resourcebindings", "status", PATCH, "karmada: the status of bindings stays"},
    {WORK, "clusterresourcebindings", "status", PATCH, "karmada: the status of bindings stays"},
    {"cluster.karmada.io", "clusters", "", GET | SEE, "karmada: clusters cannot be seen"},
    {"events.k8s.io", "events", "", CREATE | PATCH, "Events are lost"},
    {0},
};

static bool is_listed(const struct skr_permission *list, size_t n, const struct grant *grant,
                      const char *verb)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i].verb, verb) == 0 && strcmp(list[i].group, grant->group) == 0 &&
            strcmp(list[i].resource, grant->resource) == 0 &&
            strcmp(list[i].subresource, grant->subresource) == 0) {
            return true;
        }
    }
    return false;
}

/* What is not in the list yet; grants end with an empty row. */
static size_t add_grants(struct skr_permission *list, size_t n, const struct grant *grants)
{
    for (const struct grant *grant = grants; grant->resource; grant++) {
        for (size_t v = 0; v < sizeof verbs / sizeof verbs[0]; v++) {
            if (!(grant->verbs & verbs[v].verb) || is_listed(list, n, grant, verbs[v].name)) {
                continue;
            }
            skr_bug_on(n == SKR_PERMISSIONS_MAX);
            list[n++] = (struct skr_permission){
                grant->group, grant->resource, grant->subresource, verbs[v].name, "",
                "",           grant->purpose};
        }
    }
    return n;
}

/* Reading what the gang scheduler watches. */
static size_t add_watches(struct skr_permission *list, size_t n, size_t n_watches)
{
    for (const struct skr_watch *w = skr_gang_watch; w < skr_gang_watch + n_watches; w++) {
        const struct skr_resource *r = w->type->resource;
        const struct grant grants[] = {{r->group, r->plural, "", SEE, w->missing}, {0}};
        n = add_grants(list, n, grants);
    }
    return n;
}

/* One object by its name. */
static size_t add_named(struct skr_permission *list, size_t n, struct skr_permission permission)
{
    skr_bug_on(n == SKR_PERMISSIONS_MAX);
    list[n] = permission;
    return n + 1;
}

static size_t add_lease(struct skr_permission *list, size_t n, const char *verb,
                        const char *namespace_, const char *name, const char *purpose)
{
    return add_named(list, n,
                     (struct skr_permission){"coordination.k8s.io", "leases", "", verb, namespace_,
                                             name, purpose});
}

/* Of the objects that lead API servers to the webhook. */
static size_t add_webhook(struct skr_permission *list, size_t n, const char *namespace_,
                          const char *name)
{
    static const char *const both[] = {"get", "update"};
    for (size_t i = 0; i < 2; i++) {
        n = add_named(list, n,
                      (struct skr_permission){"", "secrets", "", both[i], namespace_, name,
                                              "spotmix: certificates and tokens cannot be kept"});
        n = add_named(list, n,
                      (struct skr_permission){"admissionregistration.k8s.io",
                                              "mutatingwebhookconfigurations", "", both[i], "",
                                              name, "spotmix: every review is refused"});
    }
    return n;
}

size_t skr_permissions_list(const struct skr_permission_needs *needs, struct skr_permission *list)
{
    const char *namespace_ = needs->own_namespace;
    size_t n = add_watches(list, 0, SKR_GANG_WATCHES - (needs->kueue ? 0 : SKR_GANG_WATCHES_KUEUE));
    n = add_grants(list, n, gang);
    n = needs->rollback ? add_grants(list, n, rollback) : n;
    n = needs->force ? add_grants(list, n, force) : n;
    n = needs->provisioning ? add_grants(list, n, provisioning) : n;
    n = needs->kueue ? add_grants(list, n, kueue) : n;
    n = needs->spotmix ? add_grants(list, n, spotmix) : n;
    if (needs->spotmix) {
        n = add_webhook(list, n, needs->own_namespace, needs->spotmix_name);
    }
    n = needs->ocm ? add_grants(list, n, ocm) : n;
    n = needs->karmada ? add_grants(list, n, karmada) : n;
    if (needs->karmada && needs->estimators) { /* manifests/karmada/estimators.yaml */
        n = add_named(list, n,
                      (struct skr_permission){"", "services", "", "get", needs->estimators, "",
                                              "karmada: externalName of Services of estimators is "
                                              "not read"});
    }
    static const char none[] = "no daemon decides";
    n = add_lease(list, n, "create", namespace_, "", none);
    n = add_lease(list, n, "get", namespace_, needs->lease, none);
    n = add_lease(list, n, "update", namespace_, needs->lease, none);
    static const char beside[] =
        "a second installation in another namespace decides beside this one";
    static const struct grant reviews[] = {
        {"authorization.k8s.io", "subjectaccessreviews", "", CREATE, beside}, {0}};
    n = add_lease(list, n, "list", "", needs->lease, beside);
    n = add_grants(list, n, reviews);
    if (needs->scheduler_lease) {
        n = add_lease(list, n, "get", namespace_, needs->scheduler_lease,
                      "the daemon cannot follow its scheduler");
    }
    return n;
}

/* Rules may name the groups that service accounts are in. */
static void write_account(struct skr_json_writer *w, const struct skr_account *account)
{
    char text[ACCOUNT_MAX];
    (void)snprintf(text, sizeof text, "system:serviceaccount:%s:%s", account->namespace_,
                   account->name);
    skr_json_string(w, "user", text);
    skr_json_open(w, "groups", '[');
    skr_json_string(w, NULL, "system:authenticated");
    skr_json_string(w, NULL, "system:serviceaccounts");
    (void)snprintf(text, sizeof text, "system:serviceaccounts:%s", account->namespace_);
    skr_json_string(w, NULL, text);
    skr_json_close(w, ']');
}

static void write_review(const struct skr_permission *p, const struct skr_account *account,
                         struct skr_strbuf *out)
{
    struct skr_json_writer w = {.out = out};
    skr_json_open(&w, NULL, '{');
    skr_json_string(&w, "apiVersion", "authorization.k8s.io/v1");
    skr_json_string(&w, "kind", account ? "SubjectAccessReview" : "SelfSubjectAccessReview");
    skr_json_open(&w, "spec", '{');
    if (account) {
        write_account(&w, account);
    }
    skr_json_open(&w, "resourceAttributes", '{');
    skr_json_string(&w, "group", p->group);
    skr_json_string(&w, "resource", p->resource);
    skr_json_string(&w, "subresource", p->subresource);
    skr_json_string(&w, "verb", p->verb);
    skr_json_string(&w, "namespace", p->namespace_);
    skr_json_string(&w, "name", p->name);
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
}

static enum skr_permission_answer ask(struct skr_caller *caller,
                                      const struct skr_permission *permission,
                                      const struct skr_account *account, skr_time timeout,
                                      struct skr_error *error)
{
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    SKR_STRBUF(body);
    write_review(permission, account, &body);
    const struct skr_call call = {.method = "POST",
                                  .target = account ? REVIEWS_OF_OTHERS : REVIEWS,
                                  .body = body.s,
                                  .timeout = timeout};
    skr_caller_call(caller, &call, &answer);
    const json_t *allowed = json_object_get(json_object_get(answer.json, "status"), "allowed");
    enum skr_permission_answer said = SKR_PERMISSION_UNKNOWN;
    if (json_is_boolean(allowed)) {
        said = json_is_true(allowed) ? SKR_PERMISSION_YES : SKR_PERMISSION_NO;
    } else {
        (void)skr_error_set(error,
                            answer.http_status == 404   ? SKR_NOT_FOUND
                            : answer.http_status == 403 ? SKR_DENIED
                                                        : SKR_RETRY,
                            "HTTP %d: %.200s", answer.http_status, answer.message);
    }
    return said;
}

enum skr_permission_answer skr_permission_ask(struct skr_caller *caller,
                                              const struct skr_permission *permission,
                                              const struct skr_account *account,
                                              struct skr_error *error)
{
    return ask(caller, permission, account, ASK_TIME, error);
}

enum skr_permission_answer skr_permission_ask_installation(struct skr_caller *caller,
                                                           const char *namespace_, skr_time timeout,
                                                           struct skr_error *error)
{
    static const struct skr_permission binding = {"", "pods", "binding", "create", "", "", ""};
    const struct skr_account account = {namespace_, "sakkara"};
    return ask(caller, &binding, &account, timeout, error);
}

void skr_permission_write(const struct skr_permission *permission, struct skr_strbuf *out)
{
    const struct skr_permission *p = permission;
    skr_strbuf_addf(out, "%s %s%s%s", p->verb, p->resource, p->group[0] ? "." : "", p->group);
    if (p->subresource[0]) {
        skr_strbuf_addf(out, "/%s", p->subresource);
    }
    if (p->name[0]) {
        skr_strbuf_addf(out, "/%s", p->name);
    }
    if (p->namespace_[0]) {
        skr_strbuf_addf(out, " in namespace %s", p->namespace_);
    }
}
