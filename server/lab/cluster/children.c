/* SPDX-License-Identifier: Apache-2.0 */
/* Creates what an operator's object lacks, through the API of the store. */
#include "server/lab/cluster/children.h"

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
