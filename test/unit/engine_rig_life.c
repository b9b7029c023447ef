/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a rig and of the daemon on it: made, listed to, restarted from the objects, destroyed.
 */
#include "test/unit/engine_rig_parts.h"
#include "test/unit/failure_log.h"
#include <stdlib.h>
#include <utlist.h>

#include "core/gang/group/group_table.h"

void rig_make_engine(struct rig *rig)
{
    rig->engine = skr_engine_create(&skr_gang_scheduler, &rig->settings, rig->settings.instance);
    rig->gang = skr_engine_self(rig->engine);
}

static void print_log(void *context)
{
    const struct rig *rig = context;
    fprintf(stderr, "the last actions of the engine:\n");
    failure_log_tail(rig->log.s);
    rig_print(rig);
}

struct rig *rig_create_with(const struct skr_settings *settings)
{
    struct rig *rig = skr_alloc(sizeof *rig);
    rig->settings = *settings;
    rig_make_engine(rig);
    rig->now = RIG_EPOCH;
    rig->timer = SKR_TIME_NEVER;
    rig->bindings_carry_labels = true;
    rig->check_every = 1;
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig->trace = getenv("SKR_RIG_TRACE");
    rig->binding_ids = json_object();
    rig->persisted = json_object();
    rig->refusals = json_object();
    rig->preempting = json_object();
    rig->chosen = json_object();
    rig->standing = json_object();
    rig->events = json_array();
    skr_strbuf_init(&rig->log);
    skr_strbuf_add(&rig->log, "");
    failure_log_add(print_log, rig);
    return rig;
}

struct rig *rig_create(void)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.explain_waiting =
        false; /* tests count solves and writes; test_engine_ways.c is about it */
    return rig_create_with(&settings);
}

void rig_drop_pending(struct rig *rig)
{
    while (rig->writes) {
        rig_write_free(rig, rig->writes);
    }
    while (rig->watches) {
        rig->disturbances += rig->watches->by_user; /* it hears of that in lists */
        rig_watch_free(rig, rig->watches);
    }
    while (rig->solves) {
        SKR_AUTO_FREE struct rig_solve *s = rig->solves;
        DL_DELETE(rig->solves, s);
        skr_solve_request_destroy(s->request);
    }
}

void rig_destroy(struct rig *rig)
{
    struct rig_object *o, *tmp;
    if (!rig) {
        return;
    }
    failure_log_drop(rig);
    rig_end_standby(rig);
    skr_engine_destroy(rig->engine);
    rig_drop_pending(rig);
    while (rig->calls) {
        rig_call_free(rig, rig->calls);
    }
    rig_faults_end(rig);
    HASH_CLEAR(hh, rig->objects);
    DL_FOREACH_SAFE(rig->list, o, tmp)
    {
        rig_object_free(o);
    }
    json_decref(rig->binding_ids);
    json_decref(rig->persisted);
    json_decref(rig->refusals);
    json_decref(rig->claims);
    rig_preemption_fini(rig);
    rig_promises_fini(rig);
    json_decref(rig->events);
    json_decref(rig->explanation);
    skr_strbuf_fini(&rig->log);
    free(rig);
}

void rig_list(struct rig *rig, enum rig_kind kind)
{
    struct rig_object *o;
    struct skr_event event;
    if (!rig->list) {
        return;
    }
    for (o = rig->reverse_lists ? rig->list->prev : rig->list; o;
         o = rig->reverse_lists ? (o == rig->list ? NULL : o->prev) : o->next) {
        if (o->kind == kind && rig_decode(rig, kind, o->json, &event)) {
            rig_hears(rig, kind, o->key, o->json);
            rig_handle(rig, &event);
        }
    }
}

void rig_sync(struct rig *rig)
{
    for (int i = 0; i < RIG_KIND_COUNT; i++) {
        const enum rig_kind kind = (enum rig_kind)((i + rig->list_rotation) % RIG_KIND_COUNT);
        if (!rig_is_unlisted(rig, rig_type(kind))) {
            rig_list(rig, kind);
        }
    }
    if (rig->forbids_classes) {
        rig_forbid_classes(rig, true);
    }
    rig->synced = true;
    rig_event(rig, SKR_EVENT_SYNCED);
    while (!rig->late_lists && rig_step_list(rig)) {
    }
}

void rig_restart(struct rig *rig)
{
    struct rig_write *w;
    DL_FOREACH(rig->is_dead && rig->die_sent ? rig->writes : NULL, w)
    {
        if (w->body && !w->held_back) {
            rig_arrive(rig, w);
        }
    }
    rig_tell(rig, "==== restart");
    skr_engine_destroy(rig->engine);
    rig_drop_pending(rig);
    rig->crashed = rig->is_dead = false;
    rig->crash_at = 0;
    rig->synced = false;
    for (int i = 0; i < RIG_HEARD_COUNT; i++) {
        json_object_clear(rig->heard[i]);
    }
    rig->timer = SKR_TIME_NEVER;
    rig_make_engine(rig);
    rig_scheduler_forget(rig, false);
    rig_sync(rig);
}

const char *rig_state(const struct rig *rig, const char *group)
{
    static const char *const name[] = {"Pending",   "Ready",   "Preempting", "Planned",
                                       "Admitting", "Holding", "Binding",    "Bound",
                                       "Backoff",   "Evicted", "Invalid"};
    _Static_assert(sizeof name / sizeof *name == GROUP_STATE_COUNT, "names");
    SKR_AUTO_FREE char *key = rig_full_key(RIG_MAP, group);
    const struct group *g = skr_groups_find(rig->gang, key);
    return g ? name[g->state] : "";
}
