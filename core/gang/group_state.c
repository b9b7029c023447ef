/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a group, and why it is in it: the only place that sets either. */
#include "core/gang/group_state.h"

#include "core/gang/dirty.h"

#include <string.h>

void group_state_enter(struct skr_gang *e, struct group *g, enum group_state state)
{
    if (g->state == state) {
        return;
    }
    g->state = state;
    dirty_group(e, g);
}

void group_state_reason(struct group *g, enum skr_reason reason, const char *message)
{
    g->reason = reason;
    if (message && g->message && strcmp(message, g->message) == 0) {
        return;
    }
    char *copy = skr_strdup(message && *message ? message : NULL);
    free(g->message);
    g->message = copy;
}

void group_state_no_tree(struct group *g)
{
    char text[400];
    snprintf(text, sizeof text, "group %s has no topology tree to be placed on", g->name);
    group_state_reason(g, SKR_REASON_TOPOLOGY_MISSING, text);
}

void group_state_restore(struct group *g, enum group_state state)
{
    g->state = state;
}

/* ---- times of the generation ---- */

void group_state_begin(struct skr_gang *e, struct group *g)
{
    if (!g->times.begin) {
        g->times.begin = skr_frame_now(e->frame);
    }
}

void group_state_end(struct skr_gang *e, struct group *g)
{
    g->times.end = skr_frame_now(e->frame);
}

void group_state_set_times(struct group *g, skr_time begin, skr_time end)
{
    g->times.begin = begin;
    g->times.end = end;
}

/* ---- the text ---- */

const char *group_state_text(const struct group *g)
{
    switch (g->state) {
    case GROUP_PENDING:
        if (!g->spec) {
            return g->source.defect ? SKR_TEXT_INVALID : SKR_TEXT_NOT_FOUND;
        }
        return SKR_TEXT_MEMBERS;
    case GROUP_INVALID:
        return SKR_TEXT_INVALID;
    case GROUP_PREEMPTING:
        return SKR_TEXT_VICTIMS;
    case GROUP_EVICTED:
        return SKR_TEXT_CAPACITY;
    case GROUP_READY:
    case GROUP_BACKOFF:
    case GROUP_BOUND:
        if (!g->trial.infeasible) {
            return g->state == GROUP_BOUND && g->seats.n_new == 0 ? SKR_TEXT_MEMBERS
                                                                  : SKR_TEXT_PLANNING;
        }
        if (g->state == GROUP_BOUND && g->reason == SKR_REASON_NONE) {
            return SKR_TEXT_FOLLOWER; /* the group lacks nobody */
        }
        if (g->reason == SKR_REASON_WAITING_FOR_CAPACITY || g->reason == SKR_REASON_NEVER_FITS) {
            return SKR_TEXT_CAPACITY;
        }
        return SKR_TEXT_TOPOLOGY;
    case GROUP_PLANNED:
    case GROUP_ADMITTING:
    case GROUP_HOLDING:
    case GROUP_BINDING:
    case GROUP_STATE_COUNT:
    default:
        return SKR_TEXT_PLANNING;
    }
}
