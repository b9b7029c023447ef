/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/preempt/sooner.h"

#include <string.h>

#include "core/gang/cache/pods.h"
#include "core/gang/group/group_table.h"
#include "core/gang/preempt/victim_problem.h"
#include "core/gang/state/booking.h"

skr_time skr_sooner_until(const struct group *g)
{
    const skr_time since =
        g->times.complete > g->attempt.plan_at ? g->times.complete : g->attempt.plan_at;
    return since + SKR_SOONER_S * SKR_SECOND;
}

bool skr_sooner_is_open(const struct skr_gang *e, const struct group *g)
{
    const bool any_end = e->n_limits > 0 || e->owners.n_deadlines > 0;
    const bool rounds = e->settings.reservations > 0 && !e->settings.on_paper && any_end;
    return rounds && g->attempt.infeasible && !g->booking && g->rounded != g->input_epoch &&
           skr_frame_now(e->frame) < skr_sooner_until(g);
}

static int32_t longer(int32_t grace, const struct pod_entry *p)
{
    return p && skr_victim_problem_runs(p) && p->pod->grace_s > grace ? p->pod->grace_s : grace;
}

int32_t skr_sooner_grace(const struct skr_gang *e, const struct skr_victim *victim)
{
    SKR_STRBUF(key);
    SKR_STRBUF(space);
    const struct pod_entry *p;
    int32_t grace = 0;
    skr_strbuf_addn(&key, victim->name, strcspn(victim->name, "@"));
    if (victim->kind == SKR_VICTIM_GROUP) {
        const struct group *g = skr_groups_find(e, key.s);
        for (p = g ? g->members : NULL; p; p = p->next) {
            grace = longer(grace, p);
        }
        return grace;
    }
    const size_t n = strcspn(key.s, "/");
    skr_strbuf_addn(&space, key.s, n);
    p = skr_pods_find_name(e, space.s, key.s[n] ? key.s + n + 1 : "");
    return p ? longer(0, p) : SKR_POD_GRACE_S;
}

bool skr_sooner_than(const struct skr_gang *e, const struct group *g,
                     const struct skr_solve_request *found)
{
    const struct skr_victims *victims = found->victims;
    int32_t grace = 0;
    if (!g->booking || g->booking->guess) {
        return false;
    }
    for (size_t i = 0; i < victims->n; i++) {
        const int32_t own = skr_sooner_grace(e, &found->preemption->victim[victims->victim[i]]);
        grace = own > grace ? own : grace;
    }
    return g->booking->start <= skr_instant_up(skr_frame_now(e->frame)) + grace;
}
