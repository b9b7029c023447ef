/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rig's pending writes: what becomes of them (the fates that a test sets), how they are carried
 * out, what the engine hears of it, and how many there were.
 */
#include "test/unit/engine_rig_parts.h"
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

void rig_write_free(struct rig *rig, struct rig_write *w)
{
    DL_DELETE(rig->writes, w);
    json_decref(w->body);
    free(w->key);
    free(w);
}

enum skr_write_outcome rig_outcome_of(int status)
{
    switch (status) {
    case 200:
    case 201:
        return SKR_WRITE_OK;
    case 404:
        return SKR_WRITE_NOT_FOUND;
    case 409:
        return SKR_WRITE_CONFLICT;
    case 403:
        return SKR_WRITE_DENIED;
    case 429:
        return SKR_WRITE_BUSY;
    case 0:
        return SKR_WRITE_UNKNOWN;
    default:
        return SKR_WRITE_INVALID;
    }
}

static enum rig_kind object_kind(enum skr_write_kind kind)
{
    return kind == SKR_WRITE_CREATE_CONFIGMAP || kind == SKR_WRITE_PATCH_CONFIGMAP ||
                   kind == SKR_WRITE_GET_CONFIGMAP
               ? RIG_MAP
           : kind == SKR_WRITE_RELEASE_CLAIM ? RIG_DEVICE_CLAIM
           : kind == SKR_WRITE_PATCH_PODGROUP || kind == SKR_WRITE_GET_PODGROUP ||
                   kind == SKR_WRITE_MARK_PODGROUP
               ? RIG_PODGROUP
               : RIG_POD;
}

/* The engine hears of what users did to the object before its watch shows it. */
static void note_users(struct rig *rig, const struct rig_object *o)
{
    const struct rig_watch *news;
    DL_FOREACH(rig->watches, news)
    {
        bool same = news->kind == o->kind && strcmp(news->key, o->key) == 0;
        rig->disturbances += same && news->by_user;
    }
}

/* What the API server's answer carries. */
static void fill_answer(struct rig *rig, const struct rig_write *w, struct skr_event *event)
{
    const enum rig_kind kind = object_kind(w->kind);
    const struct rig_object *o = rig_find(rig, kind, w->key);
    struct skr_event object;
    o = !o && kind == RIG_PODGROUP ? rig_find(rig, RIG_NATIVE, w->key) : o;
    if (!o || event->written.outcome != SKR_WRITE_OK || w->kind == SKR_WRITE_CREATE_EVENT ||
        w->kind == SKR_WRITE_CREATE_CONFIGMAP) {
        return;
    }
    if (w->body && w->kind != SKR_WRITE_BINDING) { /* a Binding answers with a Status */
        event->written.resource_version = w->late ? w->late_version : rig->version;
        rig_hears_answer(rig, w, event->written.resource_version);
    }
    const bool is_wanted = !w->body || w->kind == SKR_WRITE_MARK_PODGROUP;
    if (!is_wanted || !rig_decode(rig, o->kind, o->json, &object)) {
        return;
    }
    note_users(rig, o);
    rig_hears(rig, o->kind, o->key, o->json);
    event->written.type = object.upsert.type;
    event->written.object = object.upsert.object;
}

int rig_arrive(struct rig *rig, const struct rig_write *w)
{
    int status = rig_apply(rig, w);
    if (status < 300 && w->body && w->kind != SKR_WRITE_CREATE_EVENT) {
        rig->n_applied++;
        rig_watchdog_applied(rig, w);
    }
    return status;
}

static int carry_out(struct rig *rig, const struct rig_write *w, enum rig_outcome outcome)
{
    static const int refused[] = {0, 409, 404, 422, 403, 429, 0, 0, 0};
    if (outcome != RIG_OK && outcome != RIG_LOST_APPLIED && outcome != RIG_TWICE) {
        return refused[outcome];
    }
    if (outcome == RIG_TWICE) {
        rig_arrive(rig, w);
    }
    int status = rig_arrive(rig, w);
    return outcome == RIG_LOST_APPLIED ? 0 : status;
}

void rig_answer_as(struct rig *rig, struct rig_write *w, enum skr_write_outcome outcome, int status)
{
    struct skr_event event = {.kind = SKR_EVENT_WRITE_DONE};
    event.written.id = w->id;
    event.written.outcome = outcome;
    event.written.http_status = status;
    event.written.message = status < 300 && status > 0 ? ""
                            : rig->refusal             ? rig->refusal
                                                       : "refused by the rig";
    fill_answer(rig, w, &event);
    rig_write_free(rig, w);
    rig_handle(rig, &event);
}

void rig_answer_write(struct rig *rig, struct rig_write *w, enum rig_outcome outcome)
{
    size_t before = rig->n_applied;
    int status = carry_out(rig, w, outcome);
    bool last = rig->crash_at && before != rig->n_applied && rig->n_applied >= rig->crash_at;
    rig->crashed = rig->crashed || last;
    rig->disturbances += status == 404; /* it hears of a deletion */
    rig_tell(rig, "answer %llu %d", (unsigned long long)w->id, status);
    if (last && rig->crash_before_answer) {
        rig_write_free(rig, w);
        return;
    }
    rig_answer_as(rig, w, rig_outcome_of(status), status);
}

void rig_fault_after(struct rig *rig, enum skr_write_kind kind, const char *key,
                     enum rig_outcome outcome, int skip, int times)
{
    struct rig_fault *f = skr_alloc(sizeof *f);
    *f = (struct rig_fault){.kind = kind, .outcome = outcome, .skip = skip, .times = times};
    f->key = key ? rig_full_key(RIG_POD, key) : NULL;
    DL_APPEND(rig->faults, f);
}

void rig_fault(struct rig *rig, enum skr_write_kind kind, const char *key, enum rig_outcome outcome,
               int times)
{
    rig_fault_after(rig, kind, key, outcome, 0, times);
}

void rig_faults_end(struct rig *rig)
{
    struct rig_fault *f, *tmp;
    DL_FOREACH_SAFE(rig->faults, f, tmp)
    {
        DL_DELETE(rig->faults, f);
        free(f->key);
        free(f);
    }
}

enum rig_outcome rig_fate_of(struct rig *rig, const struct rig_write *w)
{
    struct rig_fault *f;
    DL_FOREACH(rig->faults, f)
    {
        if (f->kind != w->kind || (f->key && strcmp(f->key, w->key) != 0) || f->times == 0) {
            continue;
        }
        if (f->skip-- > 0) {
            continue;
        }
        f->times--;
        return f->outcome;
    }
    return RIG_OK;
}

struct rig_write *rig_find_write(struct rig *rig, enum skr_write_kind kind, const char *key)
{
    struct rig_write *w;
    SKR_AUTO_FREE char *full = key ? rig_full_key(RIG_POD, key) : NULL;
    DL_FOREACH(rig->writes, w)
    {
        if (w->kind == kind && (!full || strcmp(full, w->key) == 0)) {
            break;
        }
    }
    return w;
}

size_t rig_count(struct rig *rig, enum skr_write_kind kind, const char *key)
{
    if (!key) {
        return rig->n_writes[kind];
    }
    const struct rig_object *o = rig_find(rig, RIG_POD, key);
    return o ? o->n_patches[kind] : 0;
}

void rig_forget_counts(struct rig *rig)
{
    struct rig_object *o;
    memset(rig->n_writes, 0, sizeof rig->n_writes);
    rig->n_filters = rig->n_solves = 0;
    DL_FOREACH(rig->list, o)
    {
        memset(o->n_patches, 0, sizeof o->n_patches);
        o->n_filters = 0;
    }
}
