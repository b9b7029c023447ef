/* SPDX-License-Identifier: Apache-2.0 */
#include "test/property/engine_world_derived.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "test/property/engine_world_users.h"
#include "topology/base/json_field.h"

#define LWS "leaderworkerset.sigs.k8s.io/"

enum work_kind { WORK_JOB, WORK_JOBSET, WORK_LWS, WORK_NATIVE };

static const struct {
    const char *name;
    enum work_kind kind;
    bool annotated; /* else its pods are a gang while their namespace has the label */
} workload[WORLD_DERIVED] = {
    {"da", WORK_JOB, true},     {"db", WORK_JOB, true}, {"dc", WORK_JOBSET, true},
    {"dd", WORK_JOBSET, false}, {"de", WORK_LWS, true}, {"df", WORK_LWS, false},
    {"dg", WORK_NATIVE, true},
};

const char *derived_of(const struct rig_object *pod)
{
    for (int i = 0; pod->kind == RIG_POD && i < WORLD_DERIVED; i++) {
        if (strncmp(pod->key, "default/", 8) == 0 &&
            strncmp(pod->key + 8, workload[i].name, 2) == 0 && pod->key[10] == '-') {
            return workload[i].name;
        }
    }
    return "";
}

/* "default/da-3-0": 3. */
static int attempt_of(const struct rig_object *pod)
{
    return atoi(pod->key + 11);
}

bool derived_is_of(const struct rig_object *o, int which)
{
    return o->kind == RIG_POD && strcmp(derived_of(o), workload[which].name) == 0;
}

static enum rig_kind object_of(int which)
{
    static const enum rig_kind kind[] = {[WORK_JOB] = RIG_JOB,
                                         [WORK_JOBSET] = RIG_JOBSET,
                                         [WORK_LWS] = RIG_STATEFUL_SET,
                                         [WORK_NATIVE] = RIG_NATIVE};
    return kind[workload[which].kind];
}

/* "da-3-0"; of a StatefulSet of workers "de-3". */
static void name_of(const struct world *w, int which, int k, char name[32])
{
    const int n = snprintf(name, 32, "%s-%d", workload[which].name, w->work[which].attempt);
    if (k >= 0) {
        snprintf(name + n, (size_t)(32 - n), "-%d", k);
    }
}

static const char *uid_in(const struct world *w, enum rig_kind kind, const char *name)
{
    const struct rig_object *o = rig_find(w->rig, kind, name);
    return o ? skr_object_text(json_object_get(o->json, "metadata"), "uid") : "none";
}

/* What says the size. Of a LeaderWorkerSet the pods say it. */
static void make_object(struct world *w, int which)
{
    const char *name = workload[which].name;
    const int n = w->work[which].size;
    switch (workload[which].kind) {
    case WORK_JOB:
        rig_create_json(w->rig, RIG_JOB, name, "{'spec':{'parallelism':%d,'completions':%d}}", n,
                        n);
        break;
    case WORK_JOBSET:
        rig_create_json(w->rig, RIG_JOBSET, name,
                        "{'spec':{'replicatedJobs':[{'name':'w','replicas':%d,'template':{'spec':"
                        "{}}}]}}",
                        n);
        break;
    case WORK_NATIVE:
        rig_create_json(w->rig, RIG_NATIVE, name,
                        "{'metadata':{},'spec':{'schedulingPolicy':{'gang':{'minCount':%d}}}}", n);
        break;
    case WORK_LWS:
    default:
        break;
    }
}

/* The StatefulSet of the workers, which the leader owns. */
static void make_workers(struct world *w, int which)
{
    char leader[32], set[32];
    name_of(w, which, 0, leader);
    name_of(w, which, -1, set);
    if (!rig_find(w->rig, RIG_STATEFUL_SET, set)) {
        rig_create_json(w->rig, RIG_STATEFUL_SET, set,
                        "{'metadata':{'ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':"
                        "'%s','uid':'%s','controller':true}]},'spec':{'replicas':%d}}",
                        leader, uid_in(w, RIG_POD, leader), w->work[which].size);
    }
}

/* What the pod's metadata says beside its annotations. */
static void says(struct world *w, int which, int k, char text[500])
{
    const char *name = workload[which].name;
    char set[32];
    name_of(w, which, -1, set);
    text[0] = '\0';
    switch (workload[which].kind) {
    case WORK_JOB:
        snprintf(text, 500,
                 ",'ownerReferences':[{'apiVersion':'batch/v1','kind':'Job','name':'%s','uid':'%s',"
                 "'controller':true}]",
                 name, uid_in(w, RIG_JOB, name));
        break;
    case WORK_JOBSET:
        snprintf(text, 500,
                 ",'labels':{'jobset.sigs.k8s.io/jobset-name':'%s','jobset.sigs.k8s.io/jobset-uid':"
                 "'%s','jobset.sigs.k8s.io/replicatedjob-name':'w','jobset.sigs.k8s.io/job-index':"
                 "'%d','jobset.sigs.k8s.io/restart-attempt':'%d'}",
                 name, uid_in(w, RIG_JOBSET, name), k, w->work[which].attempt);
        break;
    case WORK_LWS:
        snprintf(text, 500,
                 ",'labels':{'" LWS "name':'%s','" LWS "group-index':'0','" LWS "worker-index':'%d'"
                 "},'ownerReferences':[{'apiVersion':'apps/v1','kind':'StatefulSet','name':'%s',"
                 "'uid':'%s','controller':true}]",
                 name, k, k == 0 ? name : set, uid_in(w, RIG_STATEFUL_SET, k == 0 ? name : set));
        break;
    case WORK_NATIVE:
    default:
        break;
    }
}

static void annotations(const struct world *w, int which, char text[200])
{
    const bool lws = workload[which].kind == WORK_LWS;
    int n = snprintf(text, 200, "'note':'%d'", which);
    if (workload[which].annotated && workload[which].kind != WORK_NATIVE) {
        n += snprintf(text + n, (size_t)(200 - n), ",'sakkara.gang':'auto'");
    }
    if (lws) {
        snprintf(text + n, (size_t)(200 - n), ",'" LWS "size':'%d'", w->work[which].size);
    }
}

static void make_pod(struct world *w, int which, int k, bool gated)
{
    char name[32], more[500], notes[200], group[80] = "";
    name_of(w, which, k, name);
    if (workload[which].kind == WORK_LWS && k > 0) {
        make_workers(w, which);
    }
    if (workload[which].kind == WORK_NATIVE) {
        snprintf(group, sizeof group, "'schedulingGroup':{'podGroupName':'%s'},",
                 workload[which].name);
    }
    says(w, which, k, more);
    annotations(w, which, notes);
    rig_create_json(w->rig, RIG_POD, name,
                    "{'metadata':{'annotations':{%s}%s},'spec':{"
                    "'schedulerName':'sakkara',%s%s'containers':[{'name':'main','resources':{"
                    "'requests':{'cpu':'1'}}}]}}",
                    notes, more, group,
                    gated ? "'schedulingGates':[{'name':'sakkara.gang'}]," : "");
}

static void restart(struct world *w, int which, bool again);

/* A LeaderWorkerSet whose leader is lost begins anew. */
static bool lost_its_leader(const struct world *w, int which)
{
    char leader[32], set[32];
    name_of(w, which, 0, leader);
    name_of(w, which, -1, set);
    return workload[which].kind == WORK_LWS && !rig_find(w->rig, RIG_POD, leader) &&
           rig_find(w->rig, RIG_STATEFUL_SET, set);
}

/* The pods that its attempt lacks: one, or all. */
static void make_pods(struct world *w, int which, bool all)
{
    const bool gated = world_pick(w, 2);
    if (lost_its_leader(w, which)) {
        restart(w, which, false);
    }
    for (int k = 0; k < w->work[which].size; k++) {
        char name[32];
        name_of(w, which, k, name);
        if (!rig_find(w->rig, RIG_POD, name)) {
            make_pod(w, which, k, gated);
            if (!all) {
                return;
            }
        }
    }
}

/* One pod of an attempt before, else any of its pods. */
static void delete_one(struct world *w, int which, bool any)
{
    struct rig_object *o;
    DL_FOREACH(w->rig->list, o)
    {
        if (derived_is_of(o, which) && (any || attempt_of(o) < w->work[which].attempt)) {
            rig_delete(w->rig, RIG_POD, o->key);
            return;
        }
    }
}

/* Those that wait for a PodGroup would be of the next one, too. */
static void delete_unbound(struct world *w, int which)
{
    struct rig_object *o, *next;
    DL_FOREACH_SAFE(w->rig->list, o, next)
    {
        if (derived_is_of(o, which) && !*o->pod->node_name) {
            rig_delete(w->rig, RIG_POD, o->key);
        }
    }
}

/* A JobSet may go on under its uid; a Job and a PodGroup are made again, and so is the StatefulSet of a
 * leader. */
static void restart(struct world *w, int which, bool again)
{
    char set[32];
    name_of(w, which, -1, set);
    if (workload[which].kind == WORK_NATIVE) {
        delete_unbound(w, which);
        rig_delete(w->rig, RIG_NATIVE, workload[which].name);
        rig_advance(w->rig, w->rig->now + SKR_SECOND); /* times of objects have seconds */
    } else if (workload[which].kind == WORK_LWS && !rig_find(w->rig, RIG_STATEFUL_SET, set)) {
        return; /* no worker has come */
    } else if (workload[which].kind == WORK_LWS) {
        char leader[32];
        name_of(w, which, 0, leader);
        if (rig_find(w->rig, RIG_POD, leader)) {
            rig_delete(w->rig, RIG_POD, leader);
        }
        rig_delete(w->rig, RIG_STATEFUL_SET, set);
        rig_advance(w->rig, w->rig->now + SKR_SECOND);
    } else if (again || workload[which].kind == WORK_JOB) {
        rig_delete(w->rig, object_of(which), workload[which].name);
    }
    w->work[which].attempt++;
    if (!rig_find(w->rig, object_of(which), workload[which].name)) {
        make_object(w, which);
    }
}

static void resize(struct world *w, int which)
{
    const char *name = workload[which].name;
    const int n = 1 + (int)world_pick(w, 4);
    switch (workload[which].kind) {
    case WORK_JOB:
        rig_edit(w->rig, RIG_JOB, name, "{'spec':{'parallelism':%d,'completions':%d}}", n, n);
        break;
    case WORK_JOBSET:
        rig_edit(w->rig, RIG_JOBSET, name,
                 "{'spec':{'replicatedJobs':[{'name':'w','replicas':%d,'template':{'spec':{}}}]}}",
                 n);
        break;
    case WORK_LWS:    /* its pods say it, and are made again */
    case WORK_NATIVE: /* it is immutable */
    default:
        return;
    }
    w->work[which].size = n;
}

/* A user edits the annotations of a pod, which may run. */
static void edit(struct world *w, int which)
{
    static const char *const text[] = {"'sakkara.gang':'off'",
                                       "'sakkara.gang':null",
                                       "'sakkara.gang':'auto'",
                                       "'sakkara.gang':'rack'",
                                       "'sakkara.group.size':'2'",
                                       "'sakkara.group.size':'x'",
                                       "'sakkara.group.size':null",
                                       "'sakkara.group.within':'rack'",
                                       "'sakkara.group.within':null",
                                       "'sakkara.group.constraints':'{'",
                                       "'sakkara.group.constraints':null"};
    const uint32_t x = world_pick(w, sizeof text / sizeof *text);
    struct rig_object *o, *chosen = NULL;
    uint32_t n = 0;
    DL_FOREACH(w->rig->list, o)
    {
        if (derived_is_of(o, which) && world_pick(w, ++n) == 0) {
            chosen = o;
        }
    }
    if (chosen) {
        w->work[which].mixed = w->work[which].mixed || x < 4;
        rig_edit(w->rig, RIG_POD, chosen->key, "{'metadata':{'annotations':{%s}}}", text[x]);
    }
}

/* The namespace gets the label that enters workloads without an annotation, or loses it. */
static void change_namespace(struct world *w)
{
    if (rig_find(w->rig, RIG_NAMESPACE, "default")) {
        rig_delete(w->rig, RIG_NAMESPACE, "default");
    } else {
        rig_create_json(w->rig, RIG_NAMESPACE, "default",
                        "{'metadata':{'labels':{'sakkara.gang':'auto'}}}");
    }
    for (int i = 0; i < WORLD_DERIVED; i++) {
        w->work[i].mixed = w->work[i].mixed || !workload[i].annotated;
    }
}

void derived_begin(struct world *w, int which, int size)
{
    w->work[which].attempt++;
    w->work[which].size = size;
    make_object(w, which);
}

void derived_make_pods(struct world *w, int which)
{
    make_pods(w, which, true);
}

void derived_begin_again(struct world *w, int which)
{
    char set[32];
    name_of(w, which, -1, set);
    if (workload[which].kind == WORK_LWS && rig_find(w->rig, RIG_STATEFUL_SET, set)) {
        rig_delete(w->rig, RIG_STATEFUL_SET, set);
    }
    w->work[which].attempt++;
}

void derived_happens(struct world *w)
{
    const int which = (int)world_pick(w, WORLD_DERIVED);
    const uint32_t x = world_pick(w, 24);
    if (HASH_COUNT(w->rig->objects) >= WORLD_PODS_MAX) {
        return;
    }
    if (w->work[which].attempt == 0) {
        derived_begin(w, which, 1 + (int)world_pick(w, 4));
        w->work[which].mixed = !workload[which].annotated;
    } else if (x < 12) {
        make_pods(w, which, x < 6);
    } else if (x < 16) {
        delete_one(w, which, x < 13);
    } else if (x < 18) {
        restart(w, which, x < 17);
    } else if (x < 20) {
        resize(w, which);
    } else if (x < 23) {
        edit(w, which);
    } else {
        change_namespace(w);
    }
}

void derived_check(struct world *w)
{
    const struct rig_object *o;
    int attempt[WORLD_DERIVED] = {0};
    for (int i = 0; i < WORLD_DERIVED; i++) {
        DL_FOREACH(w->work[i].mixed ? NULL : w->rig->list, o)
        {
            if (!derived_is_of(o, i) || !skr_pod_is_live(o->pod) || !*o->pod->node_name) {
                continue;
            }
            if (attempt[i] && attempt[i] != attempt_of(o)) {
                rig_fail(w->rig, "attempts %d and %d of %s run side by side", attempt[i],
                         attempt_of(o), workload[i].name);
            }
            attempt[i] = attempt_of(o);
        }
    }
}

/* Those of attempts before, and finished ones. */
static void delete_old(struct world *w)
{
    struct rig_object *o, *next;
    DL_FOREACH_SAFE(w->rig->list, o, next)
    {
        for (int i = 0; i < WORLD_DERIVED; i++) {
            const bool old = derived_is_of(o, i) && attempt_of(o) < w->work[i].attempt;
            if (old ||
                (derived_is_of(o, i) && (!skr_pod_is_live(o->pod) || o->pod->meta.deleting))) {
                rig_delete(w->rig, RIG_POD, o->key);
                break;
            }
        }
    }
}

void derived_mend(struct world *w)
{
    struct rig_object *o;
    delete_old(w);
    for (int i = 0; i < WORLD_DERIVED; i++) {
        if (w->work[i].attempt > 0 && lost_its_leader(w, i)) {
            restart(w, i, false);
        }
    }
    delete_old(w);
    for (int i = 0; i < WORLD_DERIVED; i++) {
        if (w->work[i].attempt > 0) {
            make_pods(w, i, true);
        }
    }
    DL_FOREACH(w->rig->list, o)
    {
        for (int i = 0; i < WORLD_DERIVED; i++) {
            const bool says = workload[i].annotated && workload[i].kind != WORK_NATIVE;
            if (derived_is_of(o, i)) {
                rig_edit(w->rig, RIG_POD, o->key,
                         "{'metadata':{'annotations':{'sakkara.gang':%s,'sakkara.group.size':null,"
                         "'sakkara.group.within':null,'sakkara.group.constraints':null}}}",
                         says ? "'auto'" : "null");
            }
        }
    }
}

void derived_check_mended(struct world *w)
{
    for (int i = 0; i < WORLD_DERIVED; i++) {
        for (int k = 0; k < w->work[i].size; k++) {
            char name[32];
            name_of(w, i, k, name);
            const struct rig_object *o = rig_find(w->rig, RIG_POD, name);
            if (!o || !skr_pod_is_live(o->pod) || !*o->pod->node_name) {
                rig_fail(w->rig, "pod %s of a derived group is not bound", name);
            }
        }
    }
    derived_check(w);
}
