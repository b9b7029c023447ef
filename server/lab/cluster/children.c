/* SPDX-License-Identifier: Apache-2.0 */
/* Creates what an operator's object lacks, through the API of the store. */
#include "server/lab/cluster/children.h"

#include <stdio.h>

int64_t skr_children_bounded(int64_t n)
{
    return n < 0 ? 0 : (n > SKR_CHILDREN_MAX ? SKR_CHILDREN_MAX : n);
}

bool skr_children_is_deleted(const json_t *object)
{
    return skr_path_get(object, "metadata.deletionTimestamp");
}

json_t *skr_children_text_of(int64_t number)
{
    return json_sprintf("%lld", (long long)number);
}

void skr_children_add(json_t *object, const char *member, json_t *more)
{
    if (json_is_object(more)) {
        json_object_update(skr_path_own(skr_path_own(object, "metadata"), member), more);
    }
    json_decref(more);
}

json_t *skr_children_template(const json_t *template)
{
    return json_is_object(template) ? skr_path_copy(template) : json_object();
}

bool skr_children_have(struct skr_cluster *c, const json_t *owner, const char *kind,
                       const char *name, json_t *body)
{
    const char *namespace_ = skr_path_text(owner, "metadata.namespace");
    if (skr_store_get(c->store, kind, namespace_, name)) {
        json_decref(body);
        return true;
    }
    json_auto_t *answer = NULL;
    json_t *meta = skr_path_own(body, "metadata");
    json_object_set_new(meta, "name", json_string(name));
    json_object_set_new(meta, "ownerReferences", json_pack("[o]", skr_owners_reference(owner)));
    if (skr_cluster_request(c, SKR_STORE_CREATE, kind, namespace_, "", "", body, &answer) >= 400) {
        skr_workload_refuse(c, owner, skr_path_text(answer, "message"));
    } else {
        skr_workload_accept(c, owner);
    }
    return false;
}

bool skr_children_follow(struct skr_cluster *c, const json_t *owner, const char *kind,
                         const char *name, json_t *body, const char *const *field)
{
    const char *namespace_ = skr_path_text(owner, "metadata.namespace");
    const json_t *there = skr_store_get(c->store, kind, namespace_, name);
    json_t *wanted = there ? skr_path_ref(there) : NULL;
    if (!there) {
        return skr_children_have(c, owner, kind, name, body);
    }
    for (; *field; field++) {
        char path[64];
        (void)snprintf(path, sizeof path, "spec.%s", *field);
        json_t *next = skr_path_with(
            wanted, path, json_incref(json_object_get(json_object_get(body, "spec"), *field)));
        json_decref(wanted);
        wanted = next;
    }
    json_decref(body);
    json_auto_t *answer = NULL;
    if (skr_cluster_request(c, SKR_STORE_UPDATE, kind, namespace_, name, "", wanted, &answer) >=
        400) {
        skr_workload_refuse(c, owner, skr_path_text(answer, "message"));
    }
    return true;
}

void skr_children_have_pod(struct skr_cluster *c, const json_t *owner, const json_t *template,
                           const char *name, json_t *labels)
{
    const struct skr_pod_plan plan = {.name = name,
                                      .metadata = json_pack("{s:o}", "labels", labels)};
    if (skr_store_get(c->store, "Pod", skr_path_text(owner, "metadata.namespace"), name)) {
        json_decref(plan.metadata);
    } else {
        (void)skr_workload_create_pod(c, owner, template, &plan);
    }
}

void skr_children_drop_pods(struct skr_cluster *c, const json_t *owner)
{
    struct skr_worker *worker;
    const size_t n = skr_workload_pods(c, owner, &worker);
    for (size_t i = 0; i < n; i++) {
        if (!worker[i].deleting) {
            skr_cluster_delete(c, "Pod", worker[i].namespace_, worker[i].name, NULL, -1);
        }
    }
    skr_workload_let_go(worker, n);
}

bool skr_children_are_ready(struct skr_cluster *c, const json_t *owner, int64_t wanted)
{
    struct skr_worker *worker;
    const size_t n = skr_workload_pods(c, owner, &worker);
    int64_t ready = 0;
    for (size_t i = 0; i < n; i++) {
        ready += worker[i].active && worker[i].ready ? 1 : 0;
    }
    skr_workload_let_go(worker, n);
    return ready >= wanted;
}
