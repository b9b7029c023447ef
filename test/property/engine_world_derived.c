/* SPDX-License-Identifier: Apache-2.0 */
#include "test/property/engine_world_derived.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "test/property/engine_world_users.h"
#include "topology/base/json_field.h"

static const char *const workload[WORLD_DERIVED] = {"da", "db", "dc", "dd"};

static bool is_job(int which)
{
    return which < WORLD_DERIVED / 2;
}

const char *derived_of(const struct rig_object *pod)
{
    for (int i = 0; pod->kind == RIG_POD && i < WORLD_DERIVED; i++) {
        if (strncmp(pod->key, "default/", 8) == 0 && strncmp(pod->key + 8, workload[i], 2) == 0 &&
            pod->key[10] == '-') {
            return workload[i];
        }
    }
    return "";
}

/* "default/da-3-0": 3. */
static int attempt_of(const struct rig_object *pod)
{
    return atoi(pod->key + 11);
}

static bool is_of(const struct rig_object *o, int which)
{
    return o->kind == RIG_POD && strcmp(derived_of(o), workload[which]) == 0;
}

static void make_object(struct world *w, int which)
{
    const int n = w->work[which].size;
    if (is_job(which)) {
        rig_create_json(w->rig, RIG_JOB, workload[which],
                        "{'spec':{'parallelism':%d,'completions':%d}}", n, n);
    } else {
        rig_create_json(w->rig, RIG_JOBSET, workload[which],
                        "{'spec':{'replicatedJobs':[{'name':'w','replicas':%d,'template':{'spec':"
                        "{}}}]}}",
                        n);
    }
}

static const char *uid_of(const struct world *w, int which)
{
    const struct rig_object *o =
        rig_find(w->rig, is_job(which) ? RIG_JOB : RIG_JOBSET, workload[which]);
    return o ? skr_object_text(json_object_get(o->json, "metadata"), "uid") : "none";
}

static void make_pod(struct world *w, int which, int k, bool gated)
{
    char name[32], says[400];
    const char *uid = uid_of(w, which);
    snprintf(name, sizeof name, "%s-%d-%d", workload[which], w->work[which].attempt, k);
    if (is_job(which)) {
        snprintf(says, sizeof says,
                 "'ownerReferences':[{'apiVersion':'batch/v1','kind':'Job','name':'%s','uid':'%s',"
                 "'controller':true}]",
                 workload[which], uid);
    } else {
        snprintf(says, sizeof says,
                 "'labels':{'jobset.sigs.k8s.io/jobset-name':'%s','jobset.sigs.k8s.io/jobset-uid':"
                 "'%s','jobset.sigs.k8s.io/replicatedjob-name':'w','jobset.sigs.k8s.io/job-index':"
                 "'%d','jobset.sigs.k8s.io/restart-attempt':'%d'}",
                 workload[which], uid, k, w->work[which].attempt);
    }
    rig_create_json(w->rig, RIG_POD, name,
                    "{'metadata':{'annotations':{'sakkara.gang':'auto'},%s},'spec':{"
                    "'schedulerName':'sakkara',%s'containers':[{'name':'main','resources':{"
                    "'requests':{'cpu':'1'}}}]}}",
                    says, gated ? "'schedulingGates':[{'name':'sakkara.gang'}]," : "");
}

/* The pods that its attempt lacks: one, or all. */
static void make_pods(struct world *w, int which, bool all)
{
    const bool gated = world_pick(w, 2);
    for (int k = 0; k < w->work[which].size; k++) {
        char name[32];
        snprintf(name, sizeof name, "%s-%d-%d", workload[which], w->work[which].attempt, k);
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
        if (is_of(o, which) && (any || attempt_of(o) < w->work[which].attempt)) {
            rig_delete(w->rig, RIG_POD, o->key);
            return;
        }
    }
}

/* A JobSet may go on under its uid; a Job is made again. */
static void restart(struct world *w, int which, bool again)
{
    w->work[which].attempt++;
    if (again || is_job(which)) {
        rig_delete(w->rig, is_job(which) ? RIG_JOB : RIG_JOBSET, workload[which]);
        make_object(w, which);
    }
}

static void resize(struct world *w, int which)
{
    w->work[which].size = 1 + (int)world_pick(w, 4);
    if (is_job(which)) {
        rig_edit(w->rig, RIG_JOB, workload[which], "{'spec':{'parallelism':%d,'completions':%d}}",
                 w->work[which].size, w->work[which].size);
    } else {
        rig_edit(w->rig, RIG_JOBSET, workload[which],
                 "{'spec':{'replicatedJobs':[{'name':'w','replicas':%d,'template':{'spec':{}}}]}}",
                 w->work[which].size);
    }
}

void derived_happens(struct world *w)
{
    const int which = (int)world_pick(w, WORLD_DERIVED);
    const uint32_t x = world_pick(w, 20);
    if (HASH_COUNT(w->rig->objects) >= WORLD_PODS_MAX) {
        return;
    }
    if (w->work[which].attempt == 0) {
        w->work[which].attempt = 1;
        w->work[which].size = 1 + (int)world_pick(w, 4);
        make_object(w, which);
    } else if (x < 12) {
        make_pods(w, which, x < 6);
    } else if (x < 16) {
        delete_one(w, which, x < 13);
    } else if (x < 18) {
        restart(w, which, x < 17);
    } else {
        resize(w, which);
    }
}

void derived_check(struct world *w)
{
    const struct rig_object *o;
    int attempt[WORLD_DERIVED] = {0};
    for (int i = 0; i < WORLD_DERIVED; i++) {
        DL_FOREACH(w->rig->list, o)
        {
            if (!is_of(o, i) || !skr_pod_is_live(o->pod) || !*o->pod->node_name) {
                continue;
            }
            if (attempt[i] && attempt[i] != attempt_of(o)) {
                rig_fail(w->rig, "attempts %d and %d of %s run side by side", attempt[i],
                         attempt_of(o), workload[i]);
            }
            attempt[i] = attempt_of(o);
        }
    }
}

void derived_mend(struct world *w)
{
    struct rig_object *o, *next;
    DL_FOREACH_SAFE(w->rig->list, o, next)
    {
        for (int i = 0; i < WORLD_DERIVED; i++) {
            const bool old = is_of(o, i) && attempt_of(o) < w->work[i].attempt;
            if (old || (is_of(o, i) && (!skr_pod_is_live(o->pod) || o->pod->meta.deleting))) {
                rig_delete(w->rig, RIG_POD, o->key);
                break;
            }
        }
    }
    for (int i = 0; i < WORLD_DERIVED; i++) {
        make_pods(w, i, true);
    }
}

void derived_check_mended(struct world *w)
{
    for (int i = 0; i < WORLD_DERIVED; i++) {
        for (int k = 0; k < w->work[i].size; k++) {
            char name[32];
            snprintf(name, sizeof name, "%s-%d-%d", workload[i], w->work[i].attempt, k);
            const struct rig_object *o = rig_find(w->rig, RIG_POD, name);
            if (!o || !skr_pod_is_live(o->pod) || !*o->pod->node_name) {
                rig_fail(w->rig, "pod %s of a derived group is not bound", name);
            }
        }
    }
    derived_check(w);
}
