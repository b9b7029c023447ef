/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which Bindings carry records of a plan, and reads them back: see member_record.h. */
#include "core/gang/plan/member_record.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/plan/nomination.h"
#include "core/gang/plan/sampling.h"
#include "core/gang/state/output.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static const char *carried(const struct pod_entry *p)
{
    const char *text = skr_labels_get(&p->pod->meta.annotations, SKR_ANNOTATION_GANG_PLAN);
    return text ? text : "";
}

/* ---- members that are not patched ---- */

/* Whether Bindings may carry the plan of all members. */
static bool may_carry(const struct skr_gang *e, const struct plan *plan)
{
    return e->settings.server_minor >= SKR_TRACE_LABELS_FROM && plan->home != SOURCE_LABELS &&
           !plan->anchor && plan->text && !plan->dropped_members &&
           plan->text_len <= SKR_BINDING_PLAN_BYTES_MAX;
}

static bool may_travel(const struct skr_gang *e, const struct plan *plan)
{
    return may_carry(e, plan) && !e->binding_labels_lost;
}

/* It carries no record of ours and none is in flight: what its Binding sets stays. */
static bool is_untouched(const struct pod_entry *p)
{
    return !p->pod->gate && !p->work->patch.write && !p->work->patch.clears &&
           p->work->patch.failures == 0 && !*skr_pods_annotation(p) &&
           !*skr_pods_label(p, SKR_LABEL_RANK) && !*skr_pods_label(p, SKR_LABEL_PLAN);
}

/* kube-scheduler will try it without an activation, as far as the cache shows. */
static bool needs_no_waking(const struct skr_gang *e, const struct pod_entry *p)
{
    return skr_sampling_spares(e, p) && !p->work->activation.tried && !*p->pod->nominated_node &&
           !skr_pods_was_tried(p->pod);
}

bool skr_member_record_in_binding(const struct skr_gang *e, const struct pod_entry *p)
{
    return p->plan && may_travel(e, p->plan) && is_untouched(p) &&
           (p->work->vote.request || needs_no_waking(e, p));
}

bool skr_member_record_is_provided(const struct skr_gang *e, struct pod_entry *p)
{
    return skr_nomination_stands(p) || skr_member_record_in_binding(e, p);
}

/* ---- Bindings with the plan ---- */

static bool is_carried(const struct plan *plan)
{
    const struct pod_entry *p;
    DL_FOREACH(plan->group->members, p)
    {
        if (skr_pods_is_bound(p) && skr_pod_is_live(p->pod) &&
            strcmp(carried(p), plan->text) == 0) {
            return true;
        }
    }
    return false;
}

/* The number of carriers whose texts together are at most as large as one text of the maximum
 * size. */
static size_t copies_of(const struct skr_gang *e, const struct plan *plan)
{
    size_t n = SKR_BINDING_PLAN_BYTES_MAX / (plan->text_len + 1);
    size_t most = e->settings.copies_max > 0 ? e->settings.copies_max : SKR_BINDING_PLAN_COPIES;
    return n == 0 ? 1 : n < most ? n : most;
}

enum bind_turn skr_member_record_turn(const struct skr_gang *e, const struct plan *plan)
{
    struct pod_entry *p;
    size_t lacking = 0, under_way = 0;
    if (!may_carry(e, plan)) { /* then all members were patched */
        return BIND_TURN_POST;
    }
    DL_FOREACH(plan->group->members, p)
    {
        if (p->plan == plan && !skr_pods_is_bound(p)) {
            lacking += !skr_nomination_stands(p);
            under_way += p->work->bind.write != 0;
        }
    }
    if (lacking == 0) {
        return BIND_TURN_POST;
    }
    size_t copies = copies_of(e, plan);
    if (plan->n_members <= copies) {
        return BIND_TURN_POST_PLAN;
    }
    return is_carried(plan)     ? BIND_TURN_POST
           : under_way < copies ? BIND_TURN_POST_PLAN
                                : BIND_TURN_WAIT;
}

/* ---- the plan they carry ---- */

struct bound_records *skr_bound_records_read(const struct group *g, const char *id)
{
    struct bound_records *all = skr_alloc(sizeof *all);
    const struct pod_entry *p;
    char have[SKR_PLAN_ID_LEN + 1];
    struct skr_error error;
    DL_FOREACH(g->members, p)
    {
        if (!skr_pods_is_bound(p) || !skr_pod_is_live(p->pod) || !*carried(p) ||
            skr_member_plan_parse(skr_pods_annotation(p), have, NULL, 0, NULL) < 0 ||
            strcmp(have, id) != 0) {
            continue;
        }
        skr_grow(&all->item, &all->cap, all->n + 1, sizeof(struct skr_plan_record *));
        all->n += skr_plan_parse(carried(p), &all->item[all->n], &error) == 0;
    }
    return all;
}

void skr_bound_records_free(struct bound_records *records)
{
    if (!records) {
        return;
    }
    for (size_t i = 0; i < records->n; i++) {
        skr_plan_record_destroy(records->item[i]);
    }
    free(records->item);
    free(records);
}

static int by_uid(const void *uid, const void *member)
{
    return strcmp(uid, ((const struct skr_plan_member *)member)->uid);
}

bool skr_bound_records_name(const struct bound_records *records, const char *uid)
{
    for (size_t i = 0; i < records->n; i++) {
        const struct skr_plan_record *r = records->item[i];
        if (r->n_members > 0 && bsearch(uid, r->member, r->n_members, sizeof *r->member, by_uid)) {
            return true;
        }
    }
    return false;
}

void skr_member_record_labels_were_lost(struct skr_gang *e)
{
    const struct group *g;
    struct pod_entry *p;
    if (e->binding_labels_lost) {
        return;
    }
    e->binding_labels_lost = true;
    skr_out_decision(e, "", "", "Labels of Bindings do not reach pods", "",
                     "members are patched before they are bound", true);
    DL_FOREACH2(e->planned, g, pnext)
    {
        DL_FOREACH(g->members, p)
        {
            skr_dirty_pod(e, p);
        }
    }
}
