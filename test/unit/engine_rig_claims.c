/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PersistentVolumeClaims as kube-scheduler's plugin VolumeBinding meets them. A test states what a claim is. An object
 * stands for each claim of rig_claim() that is not missing; the engine reads those if settings.server_minor is set.
 *
 *   missing     PreFilter refuses the pod. No filter runs, and the extender is not called.
 *   elsewhere   the volume is on none of the nodes: Filter refuses all of them, and the extender is not called
 *   late        WaitForFirstConsumer: the pod is assumed on one node, nominated to it (KEP-5278, from 1.35), and waits in PreBind
 *               for at most RIG_VOLUME_WAIT. The bind call comes once the claim is bound.
 *
 * ResourceClaims that a pod names get an allocation before its bind call, without devices.
 *
 * Judge: a plan reserves nothing for a pod whose claim is missing and for which filter was never called.
 */
#include "test/unit/engine_rig_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { NOMINATES_FROM = 35 };

static enum rig_claim state_of(const struct rig *rig, const struct rig_object *pod,
                               const json_t *volume)
{
    char key[600];
    snprintf(key, sizeof key, "%s/%s", pod->pod->meta.namespace_,
             rig_text(volume, "persistentVolumeClaim.claimName"));
    return (enum rig_claim)json_integer_value(json_object_get(rig->claims, key));
}

static bool has_claim(const struct rig *rig, const struct rig_object *pod, enum rig_claim state)
{
    const json_t *volumes = json_object_get(json_object_get(pod->json, "spec"), "volumes");
    size_t n = json_object_size(rig->claims) > 0 ? json_array_size(volumes) : 0;
    for (size_t i = 0; i < n; i++) {
        if (state_of(rig, pod, json_array_get(volumes, i)) == state) {
            return true;
        }
    }
    return false;
}

const char *rig_claims_refuse(const struct rig *rig, const struct rig_object *pod)
{
    return has_claim(rig, pod, RIG_CLAIM_MISSING) ? "persistentvolumeclaim not found"
           : has_claim(rig, pod, RIG_CLAIM_ELSEWHERE)
               ? "9 node(s) had volume node affinity conflict"
               : NULL;
}

bool rig_claims_keep(struct rig *rig, struct rig_object *pod)
{
    if (!has_claim(rig, pod, RIG_CLAIM_LATE)) {
        return false;
    }
    pod->volumes_until = rig->now + RIG_VOLUME_WAIT;
    rig_tell(rig, "%s waits on %s for its volumes", pod->key, pod->assumed_node);
    if (rig->settings.server_minor >= NOMINATES_FROM &&
        strcmp(pod->pod->nominated_node, pod->assumed_node) != 0) {
        json_auto_t *patch =
            json_pack("{s:{s:s}}", "status", "nominatedNodeName", pod->assumed_node);
        rig_merge(pod, patch);
        rig_changed(rig, pod);
    }
    return true;
}

void rig_claims_allocate(struct rig *rig, const struct rig_object *pod)
{
    const json_t *claims = json_object_get(json_object_get(pod->json, "spec"), "resourceClaims");
    for (size_t i = 0; !rig->hold_devices && i < json_array_size(claims); i++) {
        char name[600];
        snprintf(name, sizeof name, "%s/%s", pod->pod->meta.namespace_,
                 rig_text(json_array_get(claims, i), "resourceClaimName"));
        const struct rig_object *claim = rig_find(rig, RIG_DEVICE_CLAIM, name);
        if (claim && !json_object_get(json_object_get(claim->json, "status"), "allocation")) {
            rig_edit(rig, RIG_DEVICE_CLAIM, name,
                     "{'status':{'allocation':{'devices':{}},'reservedFor':[{'resource':'pods',"
                     "'name':'%s','uid':'%s'}]}}",
                     pod->pod->meta.name, pod->pod->meta.uid);
        }
    }
}

static void come(struct rig *rig)
{
    struct rig_object *o;
    DL_FOREACH(rig->list, o)
    {
        if (o->kind != RIG_POD || !o->volumes_until || has_claim(rig, o, RIG_CLAIM_LATE)) {
            continue;
        }
        o->volumes_until = 0;
        if (skr_pod_is_live(o->pod)) {
            rig_call_bind(rig, o, o->assumed_node, false);
        } else {
            o->place = RIG_OUT;
        }
    }
}

void rig_claim(struct rig *rig, const char *name, enum rig_claim state)
{
    SKR_AUTO_FREE char *key = rig_full_key(RIG_POD, name);
    if (!rig->claims) {
        rig->claims = json_object();
    }
    json_object_set_new(rig->claims, key, json_integer(state));
    const bool is_there = rig_find(rig, RIG_VOLUME_CLAIM, name);
    if (state == RIG_CLAIM_MISSING && is_there) {
        rig_delete(rig, RIG_VOLUME_CLAIM, name);
    } else if (state != RIG_CLAIM_MISSING && !is_there) {
        rig_create_json(rig, RIG_VOLUME_CLAIM, name, "{'metadata':{}}");
    }
    come(rig);
    rig_scheduler_wake(rig, true);
}

skr_time rig_claims_next(const struct rig *rig)
{
    skr_time next = SKR_TIME_NEVER;
    const struct rig_object *o;
    DL_FOREACH(json_object_size(rig->claims) > 0 ? rig->list : NULL, o)
    {
        next = o->volumes_until && o->volumes_until < next ? o->volumes_until : next;
    }
    return next;
}

void rig_claims_due(struct rig *rig)
{
    struct rig_object *o;
    DL_FOREACH(json_object_size(rig->claims) > 0 ? rig->list : NULL, o)
    {
        if (!o->volumes_until || o->volumes_until > rig->now) {
            continue;
        }
        o->volumes_until = 0;
        rig_set_conditions(o, json_pack("[{s:s,s:s,s:s,s:s}]", "type", "PodScheduled", "status",
                                        "False", "reason", "SchedulerError", "message",
                                        "running PreBind plugin \"VolumeBinding\": binding "
                                        "volumes: context deadline exceeded"));
        rig_changed(rig, o);
        rig_scheduler_bind_failed(rig, o);
    }
}

void rig_claims_judge(struct rig *rig, const json_t *plan)
{
    const struct rig_object *o;
    DL_FOREACH(json_object_size(rig->claims) > 0 ? rig->list : NULL, o)
    {
        if (o->kind == RIG_POD && o->n_filters == 0 &&
            json_object_get(json_object_get(plan, "members"), o->pod->meta.uid) &&
            has_claim(rig, o, RIG_CLAIM_MISSING)) {
            rig_fail(rig, "%s is planned: its claim is missing, and filter was never called",
                     o->key);
        }
    }
}
