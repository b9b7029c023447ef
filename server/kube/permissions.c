/* SPDX-License-Identifier: Apache-2.0 */
/* One table, and one review a row. */
#include "server/kube/permissions.h"

#include "topology/base/json_writer.h"

#define REVIEWS  "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
#define ASK_TIME (10 * SKR_SECOND)

static const struct skr_permission always[] = {
    {"", "nodes", "", "list", "", "", "the cluster cannot be seen"},
    {"", "nodes", "", "watch", "", "", "the cluster cannot be seen"},
    {"", "pods", "", "get", "", "", "unknown outcomes of writes cannot be read back"},
    {"", "pods", "", "list", "", "", "the cluster cannot be seen"},
    {"", "pods", "", "watch", "", "", "the cluster cannot be seen"},
    {"", "pods", "", "patch", "", "", "gates stay closed"},
    {"", "pods", "binding", "create", "", "", "nothing is bound"},
    {"", "pods", "status", "patch", "", "", "members are not nominated"},
    {"", "configmaps", "", "get", "", "", "unknown outcomes of writes cannot be read back"},
    {"", "configmaps", "", "list", "", "", "groups and topology cannot be seen"},
    {"", "configmaps", "", "watch", "", "", "groups and topology cannot be seen"},
    {"", "configmaps", "", "patch", "", "", "no plan can be committed"},
    {"events.k8s.io", "events", "", "create", "", "", "Events are lost"},
    {"scheduling.x-k8s.io", "podgroups", "", "get", "", "", "PodGroups are not placed"},
    {"scheduling.x-k8s.io", "podgroups", "", "list", "", "", "PodGroups are not placed"},
    {"scheduling.x-k8s.io", "podgroups", "", "watch", "", "", "PodGroups are not placed"},
    {"scheduling.x-k8s.io", "podgroups", "", "patch", "", "", "PodGroups are not placed"},
};
enum { ALWAYS = sizeof always / sizeof always[0] };
_Static_assert(ALWAYS + 8 <= SKR_PERMISSIONS_MAX, "room for all");

size_t skr_permissions_list(const struct skr_permission_needs *needs, struct skr_permission *list)
{
    static const char leases[] = "coordination.k8s.io";
    size_t n = 0;
    for (; n < ALWAYS; n++) {
        list[n] = always[n];
    }
    if (needs->rollback) {
        list[n++] = (struct skr_permission){
            "", "pods", "", "delete", "", "", "onPartialBind: rollback does not roll back"};
    }
    if (needs->lease_namespace) {
        static const char none[] = "no leader can be elected";
        const char *ns = needs->lease_namespace;
        list[n++] = (struct skr_permission){leases, "leases", "", "create", ns, "", none};
        list[n++] = (struct skr_permission){leases, "leases", "", "get", ns, needs->lease, none};
        list[n++] = (struct skr_permission){leases, "leases", "", "update", ns, needs->lease, none};
    }
    if (needs->lease_namespace && needs->scheduler_lease) {
        list[n++] = (struct skr_permission){leases,
                                            "leases",
                                            "",
                                            "get",
                                            needs->lease_namespace,
                                            needs->scheduler_lease,
                                            "the daemon cannot follow its scheduler"};
    }
    return n;
}

static void write_review(const struct skr_permission *p, struct skr_strbuf *out)
{
    struct skr_json_writer w = {.out = out};
    skr_json_open(&w, NULL, '{');
    skr_json_string(&w, "apiVersion", "authorization.k8s.io/v1");
    skr_json_string(&w, "kind", "SelfSubjectAccessReview");
    skr_json_open(&w, "spec", '{');
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

enum skr_permission_answer skr_permission_ask(struct skr_caller *caller,
                                              const struct skr_permission *permission,
                                              struct skr_error *error)
{
    struct skr_call_answer answer;
    struct skr_strbuf body;
    skr_strbuf_init(&body);
    write_review(permission, &body);
    const struct skr_call call = {
        .method = "POST", .target = REVIEWS, .body = body.s, .timeout = ASK_TIME};
    skr_caller_call(caller, &call, &answer);
    const json_t *allowed = json_object_get(json_object_get(answer.json, "status"), "allowed");
    enum skr_permission_answer said = SKR_PERMISSION_UNKNOWN;
    if (json_is_boolean(allowed)) {
        said = json_is_true(allowed) ? SKR_PERMISSION_YES : SKR_PERMISSION_NO;
    } else {
        (void)skr_error_set(error, answer.http_status == 404 ? SKR_NOT_FOUND : SKR_RETRY,
                            "HTTP %d: %.200s", answer.http_status, answer.message);
    }
    skr_call_answer_fini(&answer);
    skr_strbuf_fini(&body);
    return said;
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
