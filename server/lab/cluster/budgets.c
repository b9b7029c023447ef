/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PodDisruptionBudgets (kubernetes pkg/controller/disruption): computes how many covered pods may
 * be evicted now. A change of a pod wakes the budgets that cover it. Therefore compiled selectors
 * are cached, in a list, since budgets are few.
 */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "server/lab/cluster/cluster_parts.h"
#include "topology/base/arena.h"

enum {
    BATCH_MS = 20,
    DISRUPTED_S = 120, /* an eviction without effect is forgotten after this */
};

struct skr_budget {
    char *namespace_;
    char *name;
    struct skr_selector *selector;
    struct skr_budget *prev, *next;
};

static void free_budget(struct skr_budget *budget)
{
    free(budget->namespace_);
    free(budget->name);
    skr_selector_destroy(budget->selector);
    free(budget);
}

void skr_budgets_fini(struct skr_cluster *c)
{
    struct skr_budget *budget, *next;
    DL_FOREACH_SAFE(c->budgets, budget, next)
    {
        DL_DELETE(c->budgets, budget);
        free_budget(budget);
    }
}

static void forget(struct skr_cluster *c, const char *namespace_, const char *name)
{
    struct skr_budget *budget, *next;
    DL_FOREACH_SAFE(c->budgets, budget, next)
    {
        if (strcmp(budget->namespace_, namespace_) == 0 && strcmp(budget->name, name) == 0) {
            DL_DELETE(c->budgets, budget);
            free_budget(budget);
        }
    }
}

static void learn(struct skr_cluster *c, const struct skr_store_change *change)
{
    const char *namespace_ = skr_path_text(change->object, "metadata.namespace");
    const char *name = skr_path_text(change->object, "metadata.name");
    struct skr_selector *selector = NULL;
    forget(c, namespace_, name);
    if (change->kind == SKR_STORE_DELETED ||
        skr_selector_of_json(skr_path_get(change->object, "spec.selector"), "spec.selector",
                             &selector, NULL) != 0) {
        return;
    }
    struct skr_budget *budget = skr_alloc(sizeof *budget);
    budget->namespace_ = skr_strdup(namespace_);
    budget->name = skr_strdup(name);
    budget->selector = selector;
    DL_APPEND(c->budgets, budget);
    skr_cluster_plan(c, SKR_TASK_BUDGET, namespace_, name, c->now);
}

static bool covers(const struct skr_budget *budget, const json_t *pod)
{
    return pod && skr_selector_matches(budget->selector, pod);
}

void skr_budgets_change(struct skr_cluster *c, const struct skr_store_change *change)
{
    struct skr_budget *budget;
    if (strcmp(change->resource->kind, "PodDisruptionBudget") == 0) {
        if (!change->before || change->kind == SKR_STORE_DELETED ||
            skr_path_get(change->before, "spec") != skr_path_get(change->object, "spec")) {
            learn(c, change);
        }
        return;
    }
    if (!c->shown.is_pod) {
        return;
    }
    DL_FOREACH(c->budgets, budget)
    {
        if (strcmp(budget->namespace_, c->shown.namespace_) == 0 &&
            (covers(budget, change->object) || covers(budget, change->before))) {
            skr_cluster_plan(c, SKR_TASK_BUDGET, budget->namespace_, budget->name,
                             c->now + BATCH_MS * SKR_MILLISECOND);
        }
    }
}

/* ---- counting ---- */

/* A controller of covered pods and its wanted number of pods. */
struct scale {
    const char *uid;
    int64_t replicas;
};

struct census {
    struct skr_cluster *c;
    const json_t *budget;
    struct skr_selector *selector;
    const json_t *disrupted;
    int64_t pods, healthy;
    bool scaled; /* every pod's controller has a wanted number */
    size_t n_scales, cap_scales;
    struct scale *scale;
    json_t *still_disrupted;
};

/* A pod of a ReplicaSet of a Deployment counts for the Deployment. */
static bool find_scale(struct census *s, const json_t *pod, struct scale *ret)
{
    const char *namespace_ = skr_path_text(pod, "metadata.namespace");
    const json_t *reference = skr_owners_controller(pod);
    const char *kind = skr_path_text(reference, "kind");
    if (strcmp(kind, "ReplicaSet") != 0 && strcmp(kind, "StatefulSet") != 0) {
        return false; /* Jobs and bare pods have no scale */
    }
    const json_t *owner =
        skr_store_get(s->c->store, kind, namespace_, skr_path_text(reference, "name"));
    const json_t *above = skr_owners_controller(owner);
    if (strcmp(skr_path_text(above, "kind"), "Deployment") == 0) {
        const json_t *deployment =
            skr_store_get(s->c->store, "Deployment", namespace_, skr_path_text(above, "name"));
        owner = deployment ? deployment : owner;
    }
    *ret = (struct scale){.uid = skr_path_text(owner, "metadata.uid"),
                          .replicas = skr_path_int(owner, "spec.replicas", 0)};
    return owner;
}

static void note_scale(struct census *s, const json_t *pod)
{
    struct scale scale;
    if (!find_scale(s, pod, &scale)) {
        s->scaled = false;
        return;
    }
    for (size_t i = 0; i < s->n_scales; i++) {
        if (strcmp(s->scale[i].uid, scale.uid) == 0) {
            return;
        }
    }
    skr_grow(&s->scale, &s->cap_scales, s->n_scales + 1, sizeof s->scale[0]);
    s->scale[s->n_scales++] = scale;
}

static bool count_pod(void *context, const json_t *pod)
{
    struct census *s = context;
    const char *name = skr_path_text(pod, "metadata.name");
    const skr_time disrupted =
        json_object_get(s->disrupted, name) ? skr_cluster_time(s->disrupted, name) : 0;
    const bool deleting = skr_path_get(pod, "metadata.deletionTimestamp");
    const char *phase = skr_path_text(pod, "status.phase");
    if (strcmp(skr_path_text(pod, "metadata.namespace"),
               skr_path_text(s->budget, "metadata.namespace")) != 0 ||
        !skr_selector_matches(s->selector, pod)) {
        return true;
    }
    s->pods++;
    note_scale(s, pod);
    if (deleting) {
        return true;
    }
    if (disrupted != 0 && s->c->now < disrupted + DISRUPTED_S * SKR_SECOND) {
        json_object_set(s->still_disrupted, name, json_object_get(s->disrupted, name));
        return true;
    }
    if (skr_store_pod_ready(pod) && strcmp(phase, "Failed") != 0 &&
        strcmp(phase, "Succeeded") != 0) {
        s->healthy++;
    }
    return true;
}

/* The expected number of pods, and how many of them must stay. */
static void expectations(const struct census *s, int64_t *expected, int64_t *desired)
{
    const json_t *least = skr_path_get(s->budget, "spec.minAvailable");
    const json_t *most = skr_path_get(s->budget, "spec.maxUnavailable");
    int64_t scaled = 0;
    for (size_t i = 0; i < s->n_scales; i++) {
        scaled += s->scale[i].replicas;
    }
    *expected = s->pods;
    *desired = 0;
    if (most) {
        *expected = scaled;
        *desired = scaled - skr_workload_share(most, scaled, true);
    } else if (json_is_integer(least)) {
        *desired = skr_workload_share(least, s->pods, true);
    } else if (least) {
        *expected = scaled;
        *desired = skr_workload_share(least, scaled, true);
    }
    *desired = *desired > 0 ? *desired : 0;
}

static void write_status(struct census *s)
{
    const json_t *old = skr_path_get(s->budget, "status.conditions");
    const bool needs_scale = skr_path_get(s->budget, "spec.maxUnavailable") ||
                             json_is_string(skr_path_get(s->budget, "spec.minAvailable"));
    int64_t expected, desired;
    expectations(s, &expected, &desired);
    int64_t allowed = s->healthy - desired;
    allowed = allowed > 0 && expected > 0 && (s->scaled || !needs_scale) ? allowed : 0;
    json_t *status = json_pack("{s:I, s:I, s:I, s:I, s:I}", "observedGeneration",
                               (json_int_t)skr_path_int(s->budget, "metadata.generation", 0),
                               "disruptionsAllowed", (json_int_t)allowed, "currentHealthy",
                               (json_int_t)s->healthy, "desiredHealthy", (json_int_t)desired,
                               "expectedPods", (json_int_t)expected);
    if (json_object_size(s->still_disrupted) > 0) {
        json_object_set(status, "disruptedPods", s->still_disrupted);
    }
    if (old) {
        json_object_set_new(status, "conditions", skr_path_ref(old));
    }
    if (s->scaled || !needs_scale) {
        skr_store_set_condition(status, "DisruptionAllowed", allowed > 0 ? "True" : "False",
                                allowed > 0 ? "SufficientPods" : "InsufficientPods", "", s->c->now);
    } else {
        skr_store_set_condition(status, "DisruptionAllowed", "False", "SyncFailed",
                                "a controller of the pods does not implement the scale subresource",
                                s->c->now);
    }
    skr_cluster_set_status(s->c, "PodDisruptionBudget", s->budget, status);
}

void skr_budgets_run(struct skr_cluster *c, json_t *budget)
{
    struct census s = {.c = c,
                       .budget = budget,
                       .disrupted = skr_path_get(budget, "status.disruptedPods"),
                       .scaled = true,
                       .still_disrupted = json_object()};
    if (skr_selector_of_json(skr_path_get(budget, "spec.selector"), "spec.selector", &s.selector,
                             NULL) == 0) {
        skr_store_each(c->store, "Pod", count_pod, &s);
        write_status(&s);
    }
    if (json_object_size(s.still_disrupted) > 0) {
        skr_cluster_plan(c, SKR_TASK_BUDGET, skr_path_text(budget, "metadata.namespace"),
                         skr_path_text(budget, "metadata.name"), c->now + DISRUPTED_S * SKR_SECOND);
    }
    json_decref(s.still_disrupted);
    free(s.scale);
    skr_selector_destroy(s.selector);
}
