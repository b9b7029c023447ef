/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How pods go: DELETE and evictions, as the API server does them. A pod that runs terminates for its grace period. One with
 * finalizers stays until it has none.
 */
#include "test/unit/engine_rig_parts.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static bool has_finalizers(const struct rig_object *o)
{
    return json_array_size(json_object_get(json_object_get(o->json, "metadata"), "finalizers")) > 0;
}

skr_time rig_grace_of(const struct rig_object *pod)
{
    const json_t *spec = json_object_get(pod->json, "spec");
    json_int_t s = json_integer_value(json_object_get(spec, "terminationGracePeriodSeconds"));
    s = s < RIG_GRACE_MAX_S ? s : RIG_GRACE_MAX_S;
    return *pod->pod->node_name ? s * SKR_SECOND : 0;
}

static void remove_pod(struct rig *rig, struct rig_object *o, skr_time grace)
{
    char text[64];
    if (grace == 0 && !has_finalizers(o)) {
        rig_delete(rig, RIG_POD, o->key);
        return;
    }
    o->removed = true;
    skr_time_write((rig->now + grace) / SKR_SECOND * SKR_SECOND, 0, text, sizeof text);
    rig_edit(rig, RIG_POD, o->key,
             "{'metadata':{'deletionTimestamp':'%s','deletionGracePeriodSeconds':%d}}", text,
             (int)(grace / SKR_SECOND));
}

void rig_remove(struct rig *rig, const char *pod)
{
    struct rig_object *o = rig_find(rig, RIG_POD, pod);
    if (!o->pod->meta.deleting) {
        remove_pod(rig, o, rig_grace_of(o));
    }
}

int rig_apply_delete(struct rig *rig, struct rig_object *o, const struct rig_write *w)
{
    if (rig_differs(json_object_get(o->json, "metadata"), json_object_get(w->body, "preconditions"),
                    "uid")) {
        return 409;
    }
    if (has_finalizers(o)) {
        rig_remove(rig, w->key);
    } else {
        rig_delete(rig, RIG_POD, w->key);
    }
    return 200;
}

/* The budget that covers the pod lets one more go; true: it does, or there is none. */
static bool spend_budget(struct rig *rig, const struct rig_object *pod)
{
    struct rig_object *o;
    DL_FOREACH(rig->list, o)
    {
        const json_t *labels = json_object_get(
            json_object_get(json_object_get(o->json, "spec"), "selector"), "matchLabels");
        const char *group = json_string_value(json_object_get(labels, "sakkara.group.name"));
        if (o->kind != RIG_BUDGET || !group ||
            strcmp(group, rig_meta_text(pod->json, "labels", "sakkara.group.name")) != 0) {
            continue;
        }
        const json_t *status = json_object_get(o->json, "status");
        json_int_t allowed = json_integer_value(json_object_get(status, "disruptionsAllowed"));
        if (allowed <= 0) {
            return false;
        }
        rig_edit(rig, RIG_BUDGET, o->key, "{'status':{'disruptionsAllowed':%d}}",
                 (int)(allowed - 1));
        return true;
    }
    return true;
}

/* A deletion that is under way may only be made shorter (apiserver pkg/registry/rest, BeforeDelete). */
static void shorten(struct rig *rig, struct rig_object *o, const json_t *options)
{
    const json_t *grace = json_object_get(options, "gracePeriodSeconds");
    const skr_time end = rig->now + json_integer_value(grace) * SKR_SECOND;
    if (grace && end < o->pod->meta.deleted_at) {
        remove_pod(rig, o, end - rig->now);
    }
}

int rig_apply_eviction(struct rig *rig, struct rig_object *o, const struct rig_write *w)
{
    const json_t *options = json_object_get(w->body, "deleteOptions");
    if (rig_differs(json_object_get(o->json, "metadata"), json_object_get(options, "preconditions"),
                    "uid")) {
        return 409;
    }
    if (o->pod->meta.deleting) {
        shorten(rig, o, options);
        return 201;
    }
    if (!spend_budget(rig, o)) {
        return 429;
    }
    skr_time own = rig_grace_of(o);
    remove_pod(rig, o, own > rig->grace ? own : rig->grace);
    return 201;
}

/* Where kubelets are played: a bound pod with a deadline has no start yet. */
static bool is_to_start(const struct rig *rig, const struct rig_object *o)
{
    return rig->ends_pods && o->kind == RIG_POD && *o->pod->node_name && o->pod->deadline_s > 0 &&
           !o->pod->started && skr_pod_is_live(o->pod);
}

/* ... and it is over its deadline. */
static skr_time limit_of(const struct rig *rig, const struct rig_object *o)
{
    const bool has = rig->ends_pods && o->kind == RIG_POD && o->pod->started &&
                     o->pod->deadline_s > 0 && skr_pod_is_live(o->pod);
    const int64_t late = has ? atoi(rig_meta_text(o->json, "labels", "late")) : 0;
    return has ? o->pod->started + (o->pod->deadline_s + late) * SKR_SECOND : SKR_TIME_NEVER;
}

static void start_pod(struct rig *rig, const struct rig_object *o)
{
    char text[64];
    skr_time_write(rig->now / SKR_SECOND * SKR_SECOND, 0, text, sizeof text);
    rig_edit(rig, RIG_POD, o->key, "{'status':{'phase':'Running','startTime':'%s'}}", text);
}

/* When it goes; SKR_TIME_NEVER: it does not terminate, or only the test ends it. */
static skr_time end_of(const struct rig *rig, const struct rig_object *o)
{
    bool goes = o->kind == RIG_POD && o->pod->meta.deleting && (rig->grace > 0 || o->removed) &&
                !has_finalizers(o);
    return goes ? o->pod->meta.deleted_at : SKR_TIME_NEVER;
}

skr_time rig_next_reap(const struct rig *rig)
{
    const struct rig_object *o;
    skr_time next = SKR_TIME_NEVER;
    DL_FOREACH(rig->list, o)
    {
        skr_time end = is_to_start(rig, o) ? rig->now : end_of(rig, o), limit = limit_of(rig, o);
        end = limit < end ? limit : end;
        next = end < next ? end : next;
    }
    return next;
}

size_t rig_reap(struct rig *rig)
{
    struct rig_object *o, *tmp;
    size_t n = 0;
    DL_FOREACH_SAFE(rig->list, o, tmp)
    {
        if (is_to_start(rig, o)) {
            start_pod(rig, o);
            n++;
        } else if (end_of(rig, o) <= rig->now || limit_of(rig, o) <= rig->now) {
            SKR_AUTO_FREE char *key = skr_strdup(o->key);
            rig_delete(rig, RIG_POD, key);
            n++;
        }
    }
    return n;
}
