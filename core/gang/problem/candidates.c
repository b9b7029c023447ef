/* SPDX-License-Identifier: Apache-2.0 */
/* Three lists of groups, and the stamp of the last examination. */
#include "core/gang/problem/candidates.h"

#include "core/gang/group/claims.h"
#include "core/gang/problem/fit.h"

#include <utlist.h>

enum { MAKES_DUE = SEEN_CAPACITY | SEEN_VICTIMS | SEEN_NODES | SEEN_LIFTED };

static void leave(struct skr_gang *e, struct group *g)
{
    if (g->candidate == CANDIDATE_AWAKE) {
        DL_DELETE2(e->candidates.awake, g, cprev, cnext);
    } else if (g->candidate == CANDIDATE_ASLEEP) {
        DL_DELETE2(e->candidates.asleep, g, cprev, cnext);
        e->candidates.n_asleep--;
    } else if (g->candidate == CANDIDATE_REPORT) {
        DL_DELETE2(e->candidates.reports, g, cprev, cnext);
        e->candidates.n_asleep--;
    }
    g->candidate = CANDIDATE_NOT;
}

static bool may_be_due(const struct skr_gang *e, const struct group *g)
{
    if (skr_claims_keep_from_planning(e, g)) {
        return false;
    }
    return g->plan || g->attempt.infeasible || g->state == GROUP_READY ||
           g->state == GROUP_BACKOFF || (g->state == GROUP_BOUND && g->seats.n_ready > 0);
}

void skr_candidates_note(struct skr_gang *e, struct group *g)
{
    leave(e, g);
    if (may_be_due(e, g)) {
        g->candidate = CANDIDATE_AWAKE;
        DL_APPEND2(e->candidates.awake, g, cprev, cnext);
    } else if (g->fit.input != g->input_epoch) {
        skr_fit_leave(e, g); /* its fit was for another input */
    }
}

void skr_candidates_sleep(struct skr_gang *e, struct group *g, bool report)
{
    struct group **list = report ? &e->candidates.reports : &e->candidates.asleep;
    leave(e, g);
    g->candidate = report ? CANDIDATE_REPORT : CANDIDATE_ASLEEP;
    DL_APPEND2(*list, g, cprev, cnext);
    e->candidates.n_asleep++;
}

void skr_candidates_get_up(struct skr_gang *e, struct group *g)
{
    leave(e, g);
    g->candidate = CANDIDATE_AWAKE;
    DL_APPEND2(e->candidates.awake, g, cprev, cnext);
}

void skr_candidates_wake(struct skr_gang *e)
{
    e->candidates.stale = true;
}

bool skr_candidates_are_stale(const struct skr_gang *e)
{
    return e->candidates.stale || skr_seen_changed(&e->seen, MAKES_DUE, e->candidates.seen);
}

static void wake_list(struct skr_gang *e, struct group **list)
{
    struct group *g;
    DL_FOREACH2(*list, g, cnext)
    {
        g->candidate = CANDIDATE_AWAKE;
    }
    DL_CONCAT2(e->candidates.awake, *list, cprev, cnext);
    *list = NULL;
}

struct group *skr_candidates_awake(struct skr_gang *e)
{
    if (skr_candidates_are_stale(e)) {
        wake_list(e, &e->candidates.reports);
        wake_list(e, &e->candidates.asleep);
        e->candidates.n_asleep = 0;
        e->candidates.stale = false;
        e->candidates.seen = e->seen.now;
    }
    return e->candidates.awake;
}

void skr_candidates_forget(struct skr_gang *e, struct group *g)
{
    leave(e, g);
}
