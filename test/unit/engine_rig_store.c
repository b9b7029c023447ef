/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The API server of the rig: objects as JSON with resource versions and UIDs, merge patches with
 * preconditions, Bindings, and a queue of watch events. Cost of a lookup is one hash. A version is never changed: the
 * next one shares with it what stays.
 */
#include "test/unit/engine_rig_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "test/unit/json_text.h"

static const char *const kind_name[] = {"Node",
                                        "Pod",
                                        "ConfigMap",
                                        "PodGroup",
                                        "PodDisruptionBudget",
                                        "DeviceClass",
                                        "ResourceSlice",
                                        "Job",
                                        "JobSet",
                                        "StatefulSet",
                                        "PodGroup",
                                        "Namespace",
                                        "PersistentVolumeClaim",
                                        "ResourceClaim",
                                        "ResourceClaimTemplate",
                                        "LeaderWorkerSet",
                                        "RayCluster",
                                        "PyTorchJob",
                                        "MPIJob",
                                        "Deployment"};
_Static_assert(sizeof kind_name / sizeof *kind_name == RIG_KIND_COUNT, "names");

static bool is_plain(enum rig_kind kind, const char *key)
{
    return kind == RIG_NODE || kind == RIG_CLASS || kind == RIG_SLICE || kind == RIG_NAMESPACE ||
           strchr(key, '/');
}

char *rig_full_key(enum rig_kind kind, const char *key)
{
    char full[600];
    bool plain = is_plain(kind, key);
    snprintf(full, sizeof full, "%s%s", plain ? "" : "default/", key);
    return skr_strdup(full);
}

enum { ID_MAX = 640 };

/* "k:namespace/name"; its length. */
static size_t write_id(enum rig_kind kind, const char *key, char *ret)
{
    static const char space[] = "default/";
    bool plain = is_plain(kind, key);
    size_t n = strlen(key), at = 2;
    ret[0] = (char)('0' + (int)kind);
    ret[1] = ':';
    if (!plain) {
        memcpy(ret + at, space, sizeof space - 1);
        at += sizeof space - 1;
    }
    if (n >= ID_MAX - at) {
        abort();
    }
    memcpy(ret + at, key, n + 1);
    return at + n;
}

struct rig_object *rig_find(const struct rig *rig, enum rig_kind kind, const char *key)
{
    struct rig_object *o;
    char id[ID_MAX];
    size_t n = write_id(kind, key, id);
    HASH_FIND(hh, rig->objects, id, n, o);
    return o;
}

/* "a.b" below object; "" when absent. */
const char *rig_text(const json_t *object, const char *path)
{
    while (*path) {
        const char *dot = strchr(path, '.');
        size_t n = dot ? (size_t)(dot - path) : strlen(path);
        object = json_object_getn(object, path, n);
        path += n + (dot ? 1 : 0);
    }
    return json_is_string(object) ? json_string_value(object) : "";
}

const char *rig_meta_text(const json_t *object, const char *field, const char *name)
{
    const json_t *list = json_object_get(json_object_get(object, "metadata"), field);
    const char *text = json_string_value(json_object_get(list, name));
    return text ? text : "";
}

json_t *rig_json(const char *format, va_list args)
{
    char text[32 * 1024];
    int n = vsnprintf(text, sizeof text, format, args);
    if (n < 0 || (size_t)n >= sizeof text) {
        abort();
    }
    return json_text_load(text);
}

/* ---- changes ---- */

const struct skr_object_type *rig_type(enum rig_kind kind)
{
    static const struct skr_object_type *const type[] = {&skr_gang_node,
                                                         &skr_gang_pod,
                                                         &skr_gang_configmap,
                                                         &skr_gang_podgroup,
                                                         &skr_gang_budget,
                                                         &skr_gang_class,
                                                         &skr_gang_slice,
                                                         &skr_gang_owner_job,
                                                         &skr_gang_owner_jobset,
                                                         &skr_gang_owner_statefulset,
                                                         &skr_gang_native_v1beta1,
                                                         &skr_gang_namespace,
                                                         &skr_gang_volume_claim,
                                                         &skr_gang_device_claim,
                                                         &skr_gang_claim_template,
                                                         &skr_gang_owner_lws,
                                                         &skr_gang_owner_raycluster,
                                                         &skr_gang_owner_pytorchjob,
                                                         &skr_gang_owner_mpijob,
                                                         &skr_gang_owner_deployment};
    _Static_assert(sizeof type / sizeof *type == RIG_KIND_COUNT, "types");
    return type[kind];
}

bool rig_decode(struct rig *rig, enum rig_kind kind, const json_t *json, struct skr_event *ret)
{
    struct skr_error error;
    *ret = (struct skr_event){.kind = SKR_EVENT_UPSERT, .upsert = {.type = rig_type(kind)}};
    int rc = ret->upsert.type->decode(json, &ret->upsert.object, &error);
    if (rc < 0) {
        rig_fail(rig, "object does not decode: %s", error.text);
    }
    return rc == 0;
}

static void announce(struct rig *rig, const struct rig_object *o, bool deleted)
{
    struct rig_watch *w = skr_alloc(sizeof *w);
    w->kind = o->kind;
    w->key = skr_strdup(o->key);
    w->uid = skr_strdup(rig_text(o->json, "metadata.uid"));
    w->json = deleted ? NULL : json_incref(o->json);
    w->by_user = rig->users_act;
    rig_announce_to_standby(rig, w);
    if (rig->synced) {
        DL_APPEND(rig->watches, w);
    } else {
        rig_watch_free(NULL, w);
    }
}

void rig_watch_free(struct rig *rig, struct rig_watch *w)
{
    if (rig) {
        DL_DELETE(rig->watches, w);
    }
    json_decref(w->json);
    free(w->key);
    free(w->uid);
    free(w);
}

void rig_made_so(struct rig *rig, const char *pod)
{
    const struct rig_object *o = rig_find(rig, RIG_POD, pod);
    struct rig_watch *w, *next, *last = NULL;
    DL_FOREACH_SAFE(rig->watches, w, next)
    {
        if (!w->list && w->kind == RIG_POD && strcmp(w->key, o->key) == 0) {
            if (last) {
                rig_watch_free(rig, last);
            }
            last = w;
        }
    }
}

static int64_t cpu_of(const struct skr_pod *pod)
{
    for (size_t i = 0; i < pod->shape->requests.n; i++) {
        if (strcmp(pod->shape->requests.item[i].name, "cpu") == 0) {
            return pod->shape->requests.item[i].amount;
        }
    }
    return 0;
}

/* The node's sum of what bound pods use. */
static void account(struct rig *rig, struct rig_object *o)
{
    if (o->accounted[0]) {
        struct rig_object *node = rig_find(rig, RIG_NODE, o->accounted);
        if (node) {
            node->cpu_used -= o->accounted_cpu;
        }
        o->accounted[0] = '\0';
    }
    bool counts = o->pod && *o->pod->node_name && o->pod->phase != SKR_POD_SUCCEEDED &&
                  o->pod->phase != SKR_POD_FAILED;
    struct rig_object *node = counts ? rig_find(rig, RIG_NODE, o->pod->node_name) : NULL;
    if (node) {
        snprintf(o->accounted, sizeof o->accounted, "%s", o->pod->node_name);
        o->accounted_cpu = cpu_of(o->pod);
        node->cpu_used += o->accounted_cpu;
    }
}

/* Pods that were bound to one of its name are on it. */
static void account_node(struct rig *rig, const struct rig_object *node)
{
    struct rig_object *o;
    DL_FOREACH(rig->list, o)
    {
        if (o->pod && strcmp(o->pod->node_name, node->key) == 0) {
            o->accounted[0] = '\0';
            account(rig, o);
        }
    }
}

/* The version before stays as it is: watches and judges hold it. */
static void set_version(struct rig_object *o, uint64_t version)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)version);
    json_t *now = json_copy(o->json), *meta = json_copy(json_object_get(now, "metadata"));
    json_object_set_new(meta, "resourceVersion", json_string(text));
    json_object_set_new(now, "metadata", meta);
    json_decref(o->json);
    o->json = now;
}

void rig_changed(struct rig *rig, struct rig_object *o)
{
    struct skr_event event;
    set_version(o, ++rig->version);
    if (o->kind == RIG_NODE && rig_decode(rig, o->kind, o->json, &event)) {
        skr_node_destroy(o->node);
        o->node = event.upsert.object;
    } else if (o->kind == RIG_POD && rig_decode(rig, o->kind, o->json, &event)) {
        skr_pod_destroy(o->pod);
        o->pod = event.upsert.object;
        account(rig, o);
    }
    announce(rig, o, false);
    if (o->kind == RIG_NODE) {
        rig_scheduler_wake(rig, true);
    }
}

void rig_add(struct rig *rig, enum rig_kind kind, const char *key, json_t *object)
{
    char id[ID_MAX], text[64];
    write_id(kind, key, id);
    if (rig_find(rig, kind, key)) {
        rig_fail(rig, "%s exists", id);
    }
    struct rig_object *o = skr_alloc(sizeof *o);
    o->id = skr_strdup(id);
    o->kind = kind;
    o->key = o->id + 2;
    o->json = object;
    const char *slash = strchr(o->key, '/');
    json_t *meta = json_object_get(object, "metadata");
    if (!meta) {
        meta = json_object();
        json_object_set_new(object, "metadata", meta);
    }
    json_object_set_new(object, "kind", json_string(kind_name[kind]));
    json_object_set_new(meta, "name", json_string(slash ? slash + 1 : o->key));
    if (slash) {
        json_object_set_new(meta, "namespace", json_stringn(o->key, (size_t)(slash - o->key)));
    }
    char uid[300];
    snprintf(uid, sizeof uid, "uid-%05llu%s", (unsigned long long)++rig->uid,
             rig->uid_padding ? rig->uid_padding : "");
    json_object_set_new(meta, "uid", json_string(uid));
    if (!json_object_get(meta, "creationTimestamp")) {
        skr_time_write(rig->now / SKR_SECOND * SKR_SECOND, 0, text, sizeof text);
        json_object_set_new(meta, "creationTimestamp", json_string(text));
    }
    HASH_ADD_KEYPTR(hh, rig->objects, o->id, strlen(o->id), o);
    DL_APPEND(rig->list, o);
    rig_changed(rig, o);
    if (kind == RIG_NODE) {
        account_node(rig, o);
    }
    if (kind == RIG_POD) {
        rig_scheduler_sees(rig, o, false);
    }
}

void rig_create_json(struct rig *rig, enum rig_kind kind, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    rig_add(rig, kind, key, rig_json(format, args));
    va_end(args);
}

void rig_object_free(struct rig_object *o)
{
    json_decref(o->json);
    skr_node_destroy(o->node);
    skr_pod_destroy(o->pod);
    free(o->id);
    free(o);
}

void rig_delete(struct rig *rig, enum rig_kind kind, const char *key)
{
    struct rig_object *o = rig_find(rig, kind, key);
    if (!o) {
        rig_fail(rig, "%s is not there to be deleted", key);
        return;
    }
    announce(rig, o, true);
    HASH_DEL(rig->objects, o);
    DL_DELETE(rig->list, o);
    if (kind == RIG_POD) {
        json_t *none = o->json;
        skr_pod_destroy(o->pod);
        o->pod = NULL;
        account(rig, o);
        o->json = none;
    }
    rig_object_free(o);
    rig_scheduler_wake(rig, true);
}

/* RFC 7396; what the patch leaves alone is shared with the target, which stays as it is. */
static json_t *merged(json_t *target, json_t *patch)
{
    const char *key;
    json_t *value, *into = json_is_object(target) ? json_copy(target) : json_object();
    json_object_foreach(patch, key, value)
    {
        if (json_is_null(value)) {
            json_object_del(into, key);
        } else if (json_is_object(value)) {
            json_object_set_new(into, key, merged(json_object_get(into, key), value));
        } else {
            json_object_set(into, key, value);
        }
    }
    return into;
}

void rig_merge(struct rig_object *o, json_t *patch)
{
    json_t *now = merged(o->json, patch);
    json_decref(o->json);
    o->json = now;
}

void rig_edit(struct rig *rig, enum rig_kind kind, const char *key, const char *format, ...)
{
    struct rig_object *o = rig_find(rig, kind, key);
    va_list args;
    va_start(args, format);
    json_auto_t *patch = rig_json(format, args);
    va_end(args);
    if (o) {
        rig_merge(o, patch);
        rig_changed(rig, o);
        if (kind == RIG_POD) {
            o->tried_at = rig->now; /* in kube-scheduler's name, perhaps */
            rig_scheduler_sees(rig, o, false);
        }
    } else {
        rig_fail(rig, "%s is not there to be edited", key);
    }
}

void rig_terminate(struct rig *rig, const char *pod)
{
    rig_edit(rig, RIG_POD, pod, "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:00Z'}}");
}

void rig_phase(struct rig *rig, const char *pod, const char *phase)
{
    rig_edit(rig, RIG_POD, pod, "{'status':{'phase':'%s'}}", phase);
}

/* ---- requests ---- */

bool rig_differs(const json_t *object, const json_t *patch, const char *path)
{
    const char *want = rig_text(patch, path);
    return *want && strcmp(want, rig_text(object, path)) != 0;
}

static bool names_gate(const json_t *list, const json_t *gate)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (strcmp(rig_text(json_array_get(list, i), "name"), rig_text(gate, "name")) == 0) {
            return true;
        }
    }
    return false;
}

/* Takes over the value. */
static void set_below(struct rig_object *o, const char *part, const char *key, json_t *value)
{
    json_auto_t *patch = json_pack("{s:{s:o}}", part, key, value);
    rig_merge(o, patch);
}

static void drop_gates(struct rig_object *pod, const json_t *patch)
{
    const json_t *dropped = json_object_get(json_object_get(patch, "spec"), "schedulingGates");
    const json_t *gates = json_object_get(json_object_get(pod->json, "spec"), "schedulingGates");
    json_auto_t *left = json_array();
    for (size_t i = 0; i < json_array_size(gates); i++) {
        json_t *gate = json_array_get(gates, i);
        if (!names_gate(dropped, gate)) {
            json_array_append(left, gate);
        }
    }
    bool any = json_array_size(left) > 0;
    set_below(pod, "spec", "schedulingGates", any ? json_incref(left) : json_null());
}

/* Those of the patch behind the ones of other types. */
static void add_conditions(struct rig_object *pod, const json_t *patch)
{
    const json_t *have = json_object_get(json_object_get(pod->json, "status"), "conditions");
    json_t *added = json_object_get(json_object_get(patch, "status"), "conditions"), *item;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(have, i, item)
    {
        size_t k = 0;
        while (k < json_array_size(added) &&
               strcmp(rig_text(item, "type"), rig_text(json_array_get(added, k), "type")) != 0) {
            k++;
        }
        if (k == json_array_size(added)) {
            json_array_append(list, item);
        }
    }
    json_array_extend(list, added);
    set_below(pod, "status", "conditions", list);
}

void rig_drop_nomination(struct rig_object *pod)
{
    set_below(pod, "status", "nominatedNodeName", json_null());
}

void rig_set_conditions(struct rig_object *pod, json_t *list)
{
    set_below(pod, "status", "conditions", list);
}

static size_t bytes_of(const json_t *values)
{
    size_t n = 0;
    for (void *i = json_object_iter((json_t *)(uintptr_t)values); i;
         i = json_object_iter_next((json_t *)(uintptr_t)values, i)) {
        n += strlen(json_object_iter_key(i)) + json_string_length(json_object_iter_value(i));
    }
    return n;
}

/* The API server's limits of all annotations, and of all data of a ConfigMap. */
static bool is_too_large(const struct rig_object *o, json_t *patch)
{
    enum { ANNOTATIONS_MAX = 256 << 10, DATA_MAX = 1 << 20 };
    json_auto_t *now = merged(o->json, patch);
    const json_t *meta = json_object_get(now, "metadata");
    return bytes_of(json_object_get(meta, "annotations")) > ANNOTATIONS_MAX ||
           (o->kind == RIG_MAP && bytes_of(json_object_get(now, "data")) > DATA_MAX);
}

/* The field can be set and lowered. */
static bool raises_deadline(const struct rig_object *o, const json_t *patch)
{
    static const char key[] = "activeDeadlineSeconds";
    const json_t *want = json_object_get(json_object_get(patch, "spec"), key);
    const json_t *has = json_object_get(json_object_get(o->json, "spec"), key);
    return want && has && json_integer_value(want) > json_integer_value(has);
}

bool rig_patches_member(const struct rig_write *w)
{
    const json_t *status = json_object_get(w->body, "status");
    return w->kind == SKR_WRITE_PATCH_POD || w->kind == SKR_WRITE_UNGATE_POD ||
           w->kind == SKR_WRITE_PATCH_POD_STATUS ||
           (w->kind == SKR_WRITE_MARK_POD && json_object_get(status, "nominatedNodeName"));
}

static int apply_patch(struct rig *rig, struct rig_object *o, const struct rig_write *w)
{
    if (rig_differs(o->json, w->body, "metadata.uid") || is_too_large(o, w->body) ||
        raises_deadline(o, w->body)) {
        return 422;
    }
    if (rig_differs(o->json, w->body, "metadata.resourceVersion")) {
        return 409;
    }
    if (w->kind == SKR_WRITE_UNGATE_POD) {
        json_auto_t *rest = json_deep_copy(w->body);
        json_object_del(json_object_get(rest, "spec"), "schedulingGates");
        drop_gates(o, w->body);
        rig_merge(o, rest);
    } else if (w->kind == SKR_WRITE_MARK_POD || w->kind == SKR_WRITE_MARK_PODGROUP) {
        json_auto_t *rest = json_deep_copy(w->body);
        add_conditions(o, w->body);
        json_object_del(json_object_get(rest, "status"), "conditions");
        rig_merge(o, rest);
    } else {
        rig_merge(o, w->body);
    }
    rig_changed(rig, o);
    if (o->kind == RIG_POD) {
        rig_scheduler_sees(rig, o, false);
    }
    return 200;
}

static void note_binding(const struct rig *rig, struct rig_object *o)
{
    char at[40];
    skr_time_write(rig->now / SKR_SECOND * SKR_SECOND, 0, at, sizeof at);
    json_auto_t *patch = json_pack("{s:{s:[{s:s, s:s, s:s}]}}", "status", "conditions", "type",
                                   "PodScheduled", "status", "True", "lastTransitionTime", at);
    add_conditions(o, patch);
}

static int apply_binding(struct rig *rig, struct rig_object *o, const struct rig_write *w)
{
    if (*o->pod->node_name || o->pod->gate || o->pod->foreign_gate || o->pod->meta.deleting ||
        rig_differs(o->json, w->body, "metadata.uid")) {
        return 409;
    }
    const json_t *meta = json_object_get(w->body, "metadata");
    json_t *patch = json_object(), *into = json_object(), *spec = json_object();
    json_object_set_new(patch, "metadata", into);
    json_object_set_new(patch, "spec", spec);
    json_object_set_new(spec, "nodeName", json_string(rig_text(w->body, "target.name")));
    if (rig->bindings_carry_labels && json_object_get(meta, "labels")) {
        json_object_set(into, "labels", json_object_get(meta, "labels"));
    }
    if (json_object_get(meta, "annotations")) {
        json_object_set(into, "annotations", json_object_get(meta, "annotations"));
    }
    rig_merge(o, patch);
    rig_drop_nomination(o);
    json_decref(patch);
    note_binding(rig, o);
    o->bindings++;
    rig_changed(rig, o);
    rig_scheduler_sees(rig, o, false);
    return 201;
}

static enum rig_kind kind_of(enum skr_write_kind kind)
{
    if (kind == SKR_WRITE_CREATE_CONFIGMAP || kind == SKR_WRITE_PATCH_CONFIGMAP ||
        kind == SKR_WRITE_GET_CONFIGMAP) {
        return RIG_MAP;
    }
    if (kind == SKR_WRITE_PATCH_PODGROUP || kind == SKR_WRITE_GET_PODGROUP ||
        kind == SKR_WRITE_MARK_PODGROUP) {
        return RIG_PODGROUP;
    }
    return kind == SKR_WRITE_RELEASE_CLAIM ? RIG_DEVICE_CLAIM : RIG_POD;
}

int rig_apply(struct rig *rig, const struct rig_write *w)
{
    if (w->kind == SKR_WRITE_CREATE_EVENT) {
        return 201;
    }
    struct rig_object *o = rig_find(rig, kind_of(w->kind), w->key);
    if (w->kind == SKR_WRITE_CREATE_CONFIGMAP) {
        if (o) {
            return 409;
        }
        rig_add(rig, RIG_MAP, w->key, json_deep_copy(w->body));
        return 201;
    }
    if (!o && kind_of(w->kind) == RIG_PODGROUP) {
        o = rig_find(rig, RIG_NATIVE, w->key);
    }
    if (!o) {
        return 404;
    }
    if (!w->body) {
        return 200;
    }
    if (w->kind == SKR_WRITE_BINDING) {
        return apply_binding(rig, o, w);
    }
    if (w->kind == SKR_WRITE_EVICT) {
        return rig_apply_eviction(rig, o, w);
    }
    if (w->kind == SKR_WRITE_DELETE_POD) {
        return rig_apply_delete(rig, o, w);
    }
    return apply_patch(rig, o, w);
}

/* ---- watches ---- */

void rig_deliver(struct rig *rig, struct rig_watch *w)
{
    struct skr_event event;
    if (w->list) {
        rig_deliver_list(rig, w->list);
        return;
    }
    if (rig_is_unlisted(rig, rig_type(w->kind))) {
        rig->disturbances += w->by_user;
        return;
    }
    char *space = skr_strdup(w->key), *name = strchr(space, '/');
    rig_refusals_heard(rig, w);
    rig_hears(rig, w->kind, w->key, w->json);
    rig->disturbances += w->by_user;
    if (name) {
        *name++ = '\0';
    }
    if (!w->json) {
        event = (struct skr_event){.kind = SKR_EVENT_DELETE,
                                   .deleted = {.type = rig_type(w->kind),
                                               .namespace_ = name ? space : "",
                                               .name = name ? name : space,
                                               .uid = w->uid}};
        rig_tell(rig, "watch: %s %s deleted", kind_name[w->kind], w->key);
        rig_handle(rig, &event);
    } else if (rig_decode(rig, w->kind, w->json, &event)) {
        rig_handle(rig, &event);
    }
    free(space);
}
