/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No loop: a plan that kube-scheduler refused does not come back to the same node for as many pods of the same
 * template within a minute, unless the engine has heard of something that the refusal may rest on.
 * Which refusals ended a plan is read from the engine's decisions.
 *
 * No plan ends by silence: a pod that ends one does not stand in kube-scheduler's queue all the time. No refusal is
 * made of silence: kube-scheduler has tried the pod that it is said to refuse since its plan was made.
 *
 * A template is the one that the engine has heard of, not the API server's newest: a refusal is remembered of the pods that
 * the engine knows. Who comes back with another template (gates may go with a node selector, tests edit volumes) is
 * another pod to it, and what was refused to a template that no pod has any more is forgotten with it.
 */
#include "core/gang/group/group_table.h"
#include "core/gang/plan/scheduler_progress.h"
#include "core/gang/state/plan_entry.h"
#include "test/unit/engine_rig_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { VETO_S = 60 };

/* The word behind `before` in text. */
static char *word_behind(const char *text, const char *before)
{
    const char *at = strstr(text, before);
    at = at ? at + strlen(before) : "";
    size_t n = strcspn(at, " :,;");
    char *word = skr_alloc(n + 1);
    memcpy(word, at, n);
    return word;
}

/* Of a pod's version; "" when it is none of ours. free() it. */
static char *template_of(struct rig *rig, const json_t *json)
{
    struct skr_event event;
    if (!json || !rig_decode(rig, RIG_POD, json, &event)) {
        return skr_strdup("");
    }
    struct skr_pod *pod = event.upsert.object;
    char *key = skr_strdup(pod->shape->key);
    skr_pod_destroy(pod);
    return key;
}

static const json_t *heard_pod(const struct rig *rig, const char *key)
{
    return json_object_get(rig->heard[RIG_POD], key);
}

/* Pods of the group and template that kube-scheduler counts on the node: accepted there, or nominated. */
static int64_t counted_on(const struct rig *rig, const char *group, const char *template,
                          const char *node)
{
    const struct rig_object *o;
    int64_t n = 0;
    DL_FOREACH(rig->list, o)
    {
        char of[600];
        const bool accepted =
            o->kind == RIG_POD && o->place == RIG_ASSUMED && strcmp(o->assumed_node, node) == 0;
        if (o->kind != RIG_POD || (!accepted && strcmp(o->pod->nominated_node, node) != 0)) {
            continue;
        }
        rig_group_of(o->json, of, sizeof of);
        n += strcmp(of, group) == 0 && strcmp(o->pod->shape->key, template) == 0;
    }
    return n;
}

static const struct rig_object *pod_of(const struct rig *rig, const char *group, const char *name)
{
    SKR_STRBUF(key);
    if (strncmp(group, "default/", 8) != 0) {
        skr_strbuf_addf(&key, "%.*s/", (int)strcspn(group, "/"), group);
    }
    skr_strbuf_addf(&key, "%s", name);
    return rig_find(rig, RIG_POD, key.s);
}

/* A test that steps kube-scheduler by hand lets pods stand as it likes. name: of the pod by which the plan ends. */
static void judge_silence(struct rig *rig, const char *group, const char *name, bool refused)
{
    const struct rig_object *pod = pod_of(rig, group, name);
    const struct group *g = skr_groups_find(rig->gang, group);
    const skr_time patience = SKR_ACTIVATION_PATIENCE_S * SKR_SECOND;
    if (refused && pod && g && g->plan && pod->tried_at < g->plan->created_at) {
        rig_fail(rig, "%s: pod %s is said to be refused, and was not tried since its plan was made",
                 group, name);
    }
    if (pod && !rig->hold_scheduler && pod->place == RIG_QUEUED && !pod->in_cycle &&
        pod->queued_at + patience <= rig->now) {
        rig_fail(rig, "%s: its plan ends by pod %s, which has stood in the queue for %lld s", group,
                 name, (long long)((rig->now - pod->queued_at) / SKR_SECOND));
    }
}

void rig_refusals_note(struct rig *rig, const char *group, const char *message)
{
    char *node = word_behind(message, "refuses node "), *name = word_behind(message, " for pod ");
    char *passed = word_behind(message, "has not asked about pod ");
    judge_silence(rig, group, *passed ? passed : name, *node);
    free(passed);
    SKR_STRBUF(key);
    skr_strbuf_addf(&key, "%.*s/%s", (int)strcspn(group, "/"), group, name);
    SKR_AUTO_FREE char *template = template_of(rig, heard_pod(rig, key.s));
    skr_strbuf_reset(&key);
    if (*node && *template) {
        skr_strbuf_addf(&key, "%s %s %s", node, group, template);
        const json_t *before = json_object_get(rig->refusals, key.s);
        const int64_t counted = counted_on(rig, group, template, node);
        if (before &&
            json_integer_value(json_array_get(before, 0)) + VETO_S * SKR_SECOND > rig->now &&
            json_integer_value(json_array_get(before, 1)) <= counted) {
            rig_fail(rig, "%s: a plan came back to %s, which kube-scheduler refused to %s", group,
                     node, name);
        }
        json_object_set_new(rig->refusals, key.s,
                            json_pack("[I,I]", (json_int_t)rig->now, (json_int_t)counted));
    }
    free(node);
    free(name);
}

void rig_refusals_forget(struct rig *rig)
{
    json_object_clear(rig->refusals);
}

/* Versions share what stays: most have the very spec of the one before. */
static bool changes_template(struct rig *rig, const struct rig_watch *w)
{
    const json_t *before = heard_pod(rig, w->key);
    if (!before || json_object_get(before, "spec") == json_object_get(w->json, "spec")) {
        return false;
    }
    char *was = template_of(rig, before), *is = template_of(rig, w->json);
    bool so = strcmp(was, is) != 0;
    free(was);
    free(is);
    return so;
}

void rig_refusals_heard(struct rig *rig, const struct rig_watch *w)
{
    const char *key, *phase = rig_text(w->json, "status.phase");
    void *next;
    json_t *at;
    bool ended = !w->json || strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0;
    if (json_object_size(rig->refusals) == 0) {
        return;
    }
    const bool devices = w->kind == RIG_SLICE || w->kind == RIG_CLASS;
    if (devices || (w->kind == RIG_POD && (ended || changes_template(rig, w)))) {
        rig_refusals_forget(rig);
    }
    json_object_foreach_safe(rig->refusals, next, key, at)
    {
        size_t n = strlen(w->key);
        if (w->kind == RIG_NODE && strncmp(key, w->key, n) == 0 && key[n] == ' ') {
            json_object_del(rig->refusals, key);
        }
    }
}
