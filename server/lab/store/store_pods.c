/* SPDX-License-Identifier: Apache-2.0 */
/* The subresources binding and eviction of pods (kubernetes pkg/registry/core/pod/storage). */
#include <stdio.h>
#include <string.h>

#include "server/lab/store/store_parts.h"

/* ---- binding ---- */

static bool check_binding(struct skr_store_call *call)
{
    const json_t *body = call->request->body;
    const char *kind = skr_path_text(body, "target.kind");
    const char *name = skr_path_text(body, "metadata.name");
    if (!skr_store_check_body(call, NULL)) {
        return false;
    }
    if (*name != '\0' && strcmp(name, call->request->name) != 0) {
        skr_status_fail(call->reply, 400, NULL, NULL,
                        "name in URL does not match name in Binding object");
        return false;
    }
    if (*kind != '\0' && strcmp(kind, "Node") != 0) {
        skr_status_fail_reason(call->reply, 500, "", NULL, NULL,
                               "target.kind: Unsupported value: \"%.60s\": supported values: "
                               "\"Node\", \"<empty>\"",
                               kind);
        return false;
    }
    if (*skr_path_text(body, "target.name") == '\0') {
        skr_status_fail_reason(call->reply, 500, "", NULL, NULL, "target.name: Required value");
        return false;
    }
    return true;
}

static void refuse_binding(struct skr_store_call *call, const char *why)
{
    const char *name = call->request->name;
    json_t *details = json_pack("{s:s, s:s}", "name", name, "kind", "pods/binding");
    char message[1024];
    (void)snprintf(message, sizeof message,
                   "Operation cannot be fulfilled on pods/binding \"%s\": %s", name, why);
    call->reply->status = 409;
    call->reply->body = skr_status_json(409, NULL, message, details);
}

static bool may_bind(struct skr_store_call *call, const json_t *pod)
{
    const char *name = call->request->name;
    const char *uid = skr_path_text(call->request->body, "metadata.uid");
    const char *node = skr_path_text(pod, "spec.nodeName");
    char why[768];
    if (*uid != '\0' && strcmp(uid, skr_path_text(pod, "metadata.uid")) != 0) {
        (void)snprintf(why, sizeof why,
                       "StorageError: invalid object, Code: 4, Key: /registry/pods/%s/%s, "
                       "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in "
                       "precondition: %.80s, UID in object meta: %s",
                       call->request->namespace_, name, uid, skr_path_text(pod, "metadata.uid"));
        skr_status_conflict(call->reply, call->asked, name, why);
        return false;
    }
    if (skr_path_get(pod, "metadata.deletionTimestamp")) {
        (void)snprintf(why, sizeof why, "pod %s is being deleted, cannot be assigned to a host",
                       name);
    } else if (*node != '\0') {
        (void)snprintf(why, sizeof why, "pod %s is already assigned to node \"%s\"", name, node);
    } else if (json_array_size(skr_path_get(pod, "spec.schedulingGates")) > 0) {
        (void)snprintf(why, sizeof why, "pod %s has non-empty .spec.schedulingGates", name);
    } else {
        return true;
    }
    refuse_binding(call, why);
    return false;
}

static void merge_strings(json_t *meta, const char *key, const json_t *more)
{
    if (json_object_size(more) > 0) {
        json_object_update(skr_path_own(meta, key), skr_object_unconst(more));
    }
}

static bool texts_are_valid(struct skr_store_call *call, const json_t *pod, const json_t *before)
{
    struct skr_causes causes = {.list = NULL};
    skr_validate_meta(call->resource, pod, before, before, &causes);
    return !skr_causes_fail(&causes, call->reply, call->asked, call->request->name);
}

void skr_store_do_bind(struct skr_store_call *call)
{
    const struct skr_store_request *request = call->request;
    struct skr_shelf_item *item = check_binding(call) ? skr_store_find_asked(call) : NULL;
    if (!item || !may_bind(call, item->object)) {
        return;
    }
    json_t *pod = json_copy(item->object);
    json_t *meta = skr_path_own(pod, "metadata");
    json_t *status = skr_path_own(pod, "status");
    json_object_set_new_nocheck(skr_path_own(pod, "spec"), "nodeName",
                                json_string(skr_path_text(request->body, "target.name")));
    merge_strings(meta, "annotations", skr_path_get(request->body, "metadata.annotations"));
    merge_strings(meta, "labels", skr_path_get(request->body, "metadata.labels")); /* since 1.35 */
    json_object_del(status, "nominatedNodeName");                                  /* likewise */
    skr_store_set_condition(status, "PodScheduled", "True", "", "", call->now);
    if (!texts_are_valid(call, pod, item->object) || request->dry_run) {
        json_decref(pod);
    } else {
        (void)skr_store_commit(call->store, call->resource, item, pod);
    }
    if (call->reply->status == 0) {
        skr_status_success(call->reply, 201);
    }
}

/* ---- eviction ---- */

/* A pod that serves nothing is evicted regardless of its budget. */
static bool ignores_budgets(const json_t *pod)
{
    const char *phase = skr_path_text(pod, "status.phase");
    return strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0 ||
           strcmp(phase, "Pending") == 0 || skr_path_get(pod, "metadata.deletionTimestamp");
}

static bool budget_covers(const json_t *budget, const json_t *pod)
{
    struct skr_selector *selector = NULL;
    if (skr_selector_of_json(skr_path_get(budget, "spec.selector"), "spec.selector", &selector,
                             NULL) != 0) {
        return false;
    }
    const bool covers = skr_selector_matches(selector, pod);
    skr_selector_destroy(selector);
    return covers;
}

/* The one budget over the pod, or NULL; false: there are several. */
static bool find_budget(struct skr_store_call *call, const json_t *pod, struct skr_shelf_item **ret)
{
    const struct skr_store_resource *budgets =
        skr_store_resource_of_kind("policy/v1", "PodDisruptionBudget");
    const char *namespace_ = call->request->namespace_;
    struct skr_shelf_item *item =
        skr_shelf_from(skr_store_shelf(call->store, budgets), namespace_, "");
    *ret = NULL;
    for (; item && strcmp(item->namespace_, namespace_) == 0; item = item->next[0]) {
        if (!budget_covers(item->object, pod)) {
            continue;
        }
        if (*ret) {
            skr_status_fail_reason(call->reply, 500, "", NULL, NULL,
                                   "This pod has more than one PodDisruptionBudget, which the "
                                   "eviction subresource does not support.");
            return false;
        }
        *ret = item;
    }
    return true;
}

static bool refuse_eviction(struct skr_store_call *call, const char *cause)
{
    call->reply->status = 429;
    call->reply->body = skr_status_json(
        429, NULL, "Cannot evict pod as it would violate the pod's disruption budget.",
        json_pack("{s:[{s:s, s:s}]}", "causes", "reason", "DisruptionBudget", "message", cause));
    return false;
}

/* Uses one of the disruptions that the budget allows; false: the reply refuses. */
static bool take_disruption(struct skr_store_call *call, struct skr_shelf_item *item,
                            const json_t *pod, bool dry)
{
    const json_t *budget = item->object;
    const int64_t allowed = skr_path_int(budget, "status.disruptionsAllowed", 0);
    const int64_t desired = skr_path_int(budget, "status.desiredHealthy", 0);
    const int64_t healthy = skr_path_int(budget, "status.currentHealthy", 0);
    char cause[512];
    if (skr_path_int(budget, "status.observedGeneration", 0) <
        skr_path_int(budget, "metadata.generation", 0)) {
        (void)snprintf(cause, sizeof cause,
                       "The disruption budget %s is still being processed by the server.",
                       item->name);
        return refuse_eviction(call, cause);
    }
    if (!skr_store_pod_ready(pod)) {
        const bool always =
            strcmp(skr_path_text(budget, "spec.unhealthyPodEvictionPolicy"), "AlwaysAllow") == 0;
        if (always || (healthy >= desired && desired > 0)) {
            return true;
        }
    }
    if (allowed <= 0) {
        (void)snprintf(cause, sizeof cause,
                       "The disruption budget %s needs %lld healthy pods and has %lld currently",
                       item->name, (long long)desired, (long long)healthy);
        return refuse_eviction(call, cause);
    }
    if (!dry) {
        json_t *copy = json_copy(item->object);
        (void)skr_path_own(copy, "metadata");
        json_t *status = skr_path_own(copy, "status");
        json_object_set_new_nocheck(status, "disruptionsAllowed", json_integer(allowed - 1));
        json_object_set_new_nocheck(skr_path_own(status, "disruptedPods"),
                                    skr_path_text(pod, "metadata.name"), skr_store_time(call->now));
        (void)skr_store_commit(call->store,
                               skr_store_resource_of_kind("policy/v1", "PodDisruptionBudget"), item,
                               copy);
    }
    return true;
}

static void mark_disrupted(struct skr_store_call *call, struct skr_shelf_item *item)
{
    json_t *pod = json_copy(item->object);
    (void)skr_path_own(pod, "metadata");
    skr_store_set_condition(skr_path_own(pod, "status"), "DisruptionTarget", "True",
                            "EvictionByEvictionAPI", "Eviction API: evicting", call->now);
    (void)skr_store_commit(call->store, call->resource, item, pod);
}

static bool check_eviction(struct skr_store_call *call)
{
    const char *name = skr_path_text(call->request->body, "metadata.name");
    if (!skr_store_check_body(call, NULL)) {
        return false;
    }
    if (*name != '\0' && strcmp(name, call->request->name) != 0) {
        skr_status_fail(call->reply, 400, NULL, NULL,
                        "name in URL does not match name in Eviction object");
        return false;
    }
    return true;
}

void skr_store_do_evict(struct skr_store_call *call)
{
    const struct skr_store_request *request = call->request;
    const json_t *options = skr_path_get(request->body, "deleteOptions");
    const bool dry = request->dry_run || skr_path_holds(json_object_get(options, "dryRun"), "All");
    struct skr_shelf_item *budget = NULL;
    struct skr_shelf_item *item = check_eviction(call) ? skr_store_find_asked(call) : NULL;
    if (!item || !skr_store_preconditions(call, item->object, options)) {
        return;
    }
    if (!ignores_budgets(item->object) &&
        (!find_budget(call, item->object, &budget) ||
         (budget && !take_disruption(call, budget, item->object, dry)))) {
        return;
    }
    if (!dry) {
        if (!skr_path_get(item->object, "metadata.deletionTimestamp")) {
            mark_disrupted(call, item);
        }
        skr_store_delete_item(call, item, options);
    }
    if (call->reply->status < 400) {
        skr_status_success(call->reply, 201);
    }
}
