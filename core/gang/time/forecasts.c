/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/time/forecasts.h"

#include <stdlib.h>

#include "core/gang/cache/topology.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/start.h"
#include "core/gang/state/output.h"
#include "core/gang/state/wakes.h"
#include "core/gang/time/away.h"

static void forget_all(struct skr_gang *e)
{
    struct group *g, *tmp;
    HASH_ITER(hh, e->groups, g, tmp)
    {
        skr_forecast_set(g, NULL);
    }
}

/* Those that groups have now are of this moment. */
static void made(struct skr_gang *e)
{
    e->forecasts.wanted = false;
    e->forecasts.made = skr_frame_now(e->frame);
}

/* Returns the id of the work; 0: there is nothing to forecast. */
static uint64_t send(struct skr_gang *e, struct group *paper)
{
    struct skr_error error;
    struct away *a = skr_away_create(e, skr_round_forecast);
    a->in.forecasts = (size_t)e->settings.forecasts;
    a->in.paper = paper;
    const int rc = gathering_run(&a->in, &error);
    if (rc < 0) {
        skr_out_decision(e, "", "", "Forecasts failed", "", error.text, true);
    }
    if (rc < 0 || a->in.n_complete == 0) {
        skr_away_destroy(a);
        return 0;
    }
    a->round.forecasts = (int32_t)a->in.n_complete;
    return skr_away_send(e, a, true);
}

static bool begin(struct skr_gang *e)
{
    e->forecasts.work = send(e, NULL);
    if (e->forecasts.work == 0) {
        forget_all(e);
        made(e);
        return true;
    }
    skr_wakes_add(e, e->forecasts.until, WAKE_ASKERS, NULL);
    return false;
}

bool skr_forecasts_review(struct skr_gang *e)
{
    if (!e->forecasts.wanted || e->forecasts.work != 0 || !skr_frame_is_deciding(e->frame)) {
        return false;
    }
    if (!skr_topology_is_usable(e)) {
        made(e);
        return true;
    }
    return !e->rounds.first && begin(e);
}

static char *label(const struct gathering *in, uint32_t owner)
{
    return owner == UINT32_MAX ? NULL : skr_strdup(in->label[owner]);
}

static void apply(struct skr_gang *e, const struct gathering *in, size_t i)
{
    const struct skr_round_group *answer = &in->group[i];
    struct group *g = skr_groups_find(e, in->waiting[i].key);
    const bool fits_now = answer->start <= in->now; /* it waits for something else than room */
    if (!g || g->input_epoch != in->waiting[i].input || !answer->question.problem || fits_now) {
        return;
    }
    struct forecast *f = skr_alloc(sizeof *f);
    f->start = answer->start;
    f->because = label(in, answer->because);
    f->unlimited = label(in, answer->unlimited);
    f->kept_by = label(in, answer->kept_by);
    f->kept_start = answer->kept_start;
    f->ends = skr_window_end(&answer->question, in->now);
    skr_forecast_set(g, f);
}

bool skr_forecasts_done(struct skr_gang *e, const struct skr_solve_request *solved)
{
    if (e->forecasts.work == 0 || solved->work.id != e->forecasts.work) {
        return false;
    }
    const struct away *a = solved->input;
    e->forecasts.work = 0;
    forget_all(e);
    if (a->rc < 0) {
        skr_out_decision(e, "", "", "Forecasts failed", "", a->error.text, true);
    }
    for (size_t i = 0; a->rc == 0 && i < a->in.n_complete; i++) {
        apply(e, &a->in, i);
    }
    made(e);
    return true;
}

uint64_t skr_forecasts_ask_paper(struct skr_gang *e, struct group *paper)
{
    const skr_time now = skr_frame_now(e->frame);
    if (e->settings.forecasts == 0 || e->rounds.first || !skr_topology_is_usable(e) ||
        now < e->forecasts.paper_next) {
        return 0;
    }
    e->forecasts.paper_next = now + SKR_FORECASTS_PAUSE_S * SKR_SECOND;
    return send(e, paper);
}

int64_t skr_forecasts_paper(const struct skr_solve_request *solved)
{
    const struct away *a = solved->input;
    for (size_t i = 0; a->rc == 0 && i < a->in.n_complete; i++) {
        if (a->in.waiting[i].paper && a->in.group[i].start > a->in.now) {
            return a->in.group[i].start;
        }
    }
    return SKR_INSTANT_NEVER;
}

void skr_forecasts_end(struct skr_gang *e)
{
    e->forecasts.work = 0; /* its answer is void */
    e->forecasts.made = 0;
    e->forecasts.wanted = false;
    forget_all(e);
}
