/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile pods that are let in on the word of a limit, and users that break it: docs/time.md, "Held to its word". The limit
 * is that of a Job, which this file ends as its controller does, or the run-limit of a group.
 *
 * The law: in a siege no promise of the honest namespace moves since a pod is there beyond its word (cause Overrun). Only
 * one that a finalizer keeps may be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "test/property/engine_world_tenants.h"
#include "test/unit/engine_rig_parts.h"

#define JOB "hostile/word"
#define MAP "hostile/hw"

enum { MEMBERS_MAX = 4, WEEK_S = 7 * 24 * 3600, DAYS_20_S = 20 * 24 * 3600 };

static bool is_bound_by_it(const struct rig_object *o)
{
    return o->kind == RIG_POD && skr_labels_get(&o->pod->meta.labels, "word");
}

static void remove_pods(struct world *w)
{
    struct rig_object *o, *next;
    DL_FOREACH_SAFE(w->rig->list, o, next)
    {
        if (is_bound_by_it(o)) {
            rig_remove(w->rig, o->key);
        }
    }
}

static void edit_pods(struct world *w, const char *patch)
{
    struct rig_object *o, *next;
    DL_FOREACH_SAFE(w->rig->list, o, next)
    {
        if (is_bound_by_it(o)) {
            rig_edit(w->rig, RIG_POD, o->key, "%s", patch);
        }
    }
}

/* One of the last word terminates. */
static bool any_goes(const struct world *w)
{
    const struct rig_object *o;
    DL_FOREACH(w->rig->list, o)
    {
        if (is_bound_by_it(o) && o->pod->meta.deleting) {
            return true;
        }
    }
    return false;
}

static void make_job(struct world *w, int n, uint32_t limit_s)
{
    char text[48];
    skr_time_write(w->rig->now / SKR_SECOND * SKR_SECOND, 0, text, sizeof text);
    rig_create_json(w->rig, RIG_JOB, JOB,
                    "{'spec':{'activeDeadlineSeconds':%u,'parallelism':%d,'completions':%d},"
                    "'status':{'startTime':'%s'}}",
                    limit_s, n, n, text);
}

void words_give(struct world *w)
{
    const int n = 1 + (int)world_pick(w, MEMBERS_MAX);
    const uint32_t limit_s = 20 + world_pick(w, 100), grace_s = world_pick(w, 2) * 3;
    const bool of_job = world_pick(w, 2), gated = world_pick(w, 2);
    if (any_goes(w)) {
        return; /* the group would wait for itself, and it evicts no pod of its own */
    }
    remove_pods(w);
    if (rig_find(w->rig, RIG_JOB, JOB)) {
        rig_delete(w->rig, RIG_JOB, JOB);
    }
    if (rig_find(w->rig, RIG_MAP, MAP)) {
        rig_delete(w->rig, RIG_MAP, MAP);
    }
    rig_group(w->rig, MAP, n, (int)world_pick(w, 4), NULL);
    if (of_job) {
        make_job(w, n, limit_s);
    } else {
        rig_edit(w->rig, RIG_MAP, MAP, "{'data':{'run-limit':'%us'}}", limit_s);
    }
    const struct rig_object *job = rig_find(w->rig, RIG_JOB, JOB);
    for (int i = 0; i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, "hostile/x-%02d", w->pods++);
        rig_create_json(
            w->rig, RIG_POD, name,
            "{'metadata':{'labels':{'sakkara.group.name':'hw','word':'given'},'ownerReferences':[{"
            "'apiVersion':'batch/v1','kind':'Job','name':'word','uid':'%s','controller':true}]},"
            "'spec':{'schedulerName':'sakkara','terminationGracePeriodSeconds':%u,"
            "'schedulingGates':[%s],'containers':[{'name':'main','resources':{'requests':{'cpu':"
            "'2'}}}]},'status':{'phase':'Pending'}}",
            job ? rig_text(job->json, "metadata.uid") : "none", grace_s,
            gated ? "{'name':'sakkara.gang'}" : "");
    }
}

/* kubectl delete --grace-period */
static void delete_slowly(struct world *w)
{
    char text[48];
    struct rig_object *o, *next;
    skr_time_write(w->rig->now / SKR_SECOND * SKR_SECOND + WEEK_S * SKR_SECOND, 0, text,
                   sizeof text);
    DL_FOREACH_SAFE(w->rig->list, o, next)
    {
        if (is_bound_by_it(o) && *o->pod->node_name && !o->pod->meta.deleting) {
            o->removed = true;
            rig_edit(w->rig, RIG_POD, o->key,
                     "{'metadata':{'deletionTimestamp':'%s','deletionGracePeriodSeconds':%d}}",
                     text, WEEK_S);
        }
    }
}

void words_break(struct world *w)
{
    const bool job = rig_find(w->rig, RIG_JOB, JOB), map = rig_find(w->rig, RIG_MAP, MAP);
    switch (world_pick(w, 6)) {
    case 0:
    case 1:
        if (job) {
            rig_edit(w->rig, RIG_JOB, JOB, "{'spec':{'activeDeadlineSeconds':%d}}", DAYS_20_S);
        }
        if (map) {
            rig_edit(w->rig, RIG_MAP, MAP, "{'data':{'run-limit':'720h'}}");
        }
        break;
    case 2:
        if (job) { /* its pods stay */
            rig_delete(w->rig, RIG_JOB, JOB);
        }
        break;
    case 3:
        edit_pods(w, "{'metadata':{'ownerReferences':null}}");
        break;
    case 4:
        edit_pods(w, "{'metadata':{'annotations':{'sakkara.end':'2099-01-01T00:00:00Z'}}}");
        break;
    default:
        delete_slowly(w);
        break;
    }
}

static skr_time end_of_job(const struct world *w)
{
    const struct rig_object *job = rig_find(w->rig, RIG_JOB, JOB);
    skr_time start;
    if (!job || skr_time_parse(rig_text(job->json, "status.startTime"), &start, NULL) != 0) {
        return SKR_TIME_NEVER;
    }
    const json_t *limit =
        json_object_get(json_object_get(job->json, "spec"), "activeDeadlineSeconds");
    return start + json_integer_value(limit) * SKR_SECOND;
}

void words_run(struct world *w, skr_time duration)
{
    const skr_time until = w->rig->now + duration;
    while (end_of_job(w) <= until) {
        const skr_time end = end_of_job(w);
        world_run(w, end > w->rig->now ? end - w->rig->now : 0);
        rig_delete(w->rig, RIG_JOB, JOB);
        remove_pods(w);
    }
    world_run(w, until - w->rig->now);
}

/* ---- the law ---- */

static bool a_finalizer_keeps_one(const struct world *w)
{
    const struct rig_object *o;
    DL_FOREACH(w->rig->list, o)
    {
        if (o->kind == RIG_POD && o->pod->meta.deleting && o->pod->meta.deleted_at < w->rig->now) {
            return true;
        }
    }
    return false;
}

void words_check(struct world *w)
{
    const bool more = w->rig->promises.overruns > w->overruns;
    w->overruns = w->rig->promises.overruns;
    if (more && !a_finalizer_keeps_one(w)) {
        rig_fail(w->rig, "a promise moves since a pod broke its word");
    }
}
