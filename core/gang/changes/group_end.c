/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a group that nothing names any more: every file frees what it has of it. */
#include "core/gang/changes/group_end.h"

#include "core/gang/cache/bookings.h"
#include "core/gang/cache/claim_objects.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/changes/budget.h"
#include "core/gang/changes/group_source.h"
#include "core/gang/changes/provisioning.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/refusal.h"
#include "core/gang/group/seat_holds.h"
#include "core/gang/group/start.h"
#include "core/gang/group/vain.h"
#include "core/gang/plan/plan.h"
#include "core/gang/problem/candidates.h"
#include "core/gang/problem/device_turns.h"
#include "core/gang/problem/fit.h"
#include "core/gang/report/measure.h"
#include "core/gang/report/outputs.h"
#include "core/gang/report/sentence.h"
#include "core/gang/report/status.h"

static void group_destroy(struct skr_gang *e, struct group *g)
{
    skr_measure_group_gone(e, g);
    if (g->plan) {
        skr_plan_destroy(e, g->plan);
    }
    skr_booked_set(e, g, NULL);
    skr_forecast_set(g, NULL);
    skr_seat_holds_end(e, g); /* reads the spec */
    skr_provisioning_forget(e, g);
    skr_dirty_forget_group(e, g);
    skr_candidates_forget(e, g);
    skr_device_turns_forget(e, g);
    skr_groups_uncount(e, g);
    skr_fit_leave(e, g);
    HASH_DEL(e->groups, g);
    skr_budget_release(e, g);
    skr_group_source_fini(e, g);
    skr_membership_fini(g);
    skr_status_fini(g);
    skr_outputs_forget(g);
    skr_refusal_fini(g);
    skr_vain_forget(g);
    skr_vetoes_fini(e, g);
    skr_claim_objects_await(e, g, NULL);
    skr_explained_destroy(g->explained);
    free(g->moving.text);
    free(g->pauses);
    free(g->announced.first);
    free(g->announced.last);
    free(g->message);
    free(g->victim.by);
    free(g->key);
    free(g->namespace_);
    free(g->name);
    free(g);
}

void skr_group_end_if_empty(struct skr_gang *e, struct group *g)
{
    if (!g->members && !g->source.maps && !g->source.podgroup && !g->plan && g->holds.n == 0) {
        skr_provisioning_end(e, g);
        group_destroy(e, g);
    }
}

void skr_group_end_all(struct skr_gang *e)
{
    struct group *g, *tmp;
    HASH_ITER(hh, e->groups, g, tmp)
    {
        group_destroy(e, g);
    }
}
