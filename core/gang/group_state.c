/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a group, and why it is in it: the only place that sets either. */
#include "core/gang/state.h"

#include <string.h>

void lifecycle_enter(struct skr_engine *e, struct group *g, enum group_state state)
{
    if (g->state == state) {
        return;
    }
    g->state = state;
    engine_touch_group(e, g);
}

void lifecycle_reason(struct group *g, enum skr_reason reason, const char *message)
{
    g->reason = reason;
    if (message && g->message && strcmp(message, g->message) == 0) {
        return;
    }
    char *copy = skr_strdup(message && *message ? message : NULL);
    free(g->message);
    g->message = copy;
}

void lifecycle_no_tree(struct group *g)
{
    char text[400];
    snprintf(text, sizeof text, "group %s has no topology tree to be placed on", g->name);
    lifecycle_reason(g, SKR_REASON_TOPOLOGY_MISSING, text);
}

/* 1 s doubling to 60 s, times 0.75 .. 1.25 by a hash of the group and the attempt. */
static skr_time backoff_of(const struct group *g)
{
    uint32_t shift = g->attempts > 6 ? 6 : g->attempts;
    skr_time base = SKR_SECOND << shift;
    if (base > SKR_BACKOFF_MAX_S * SKR_SECOND) {
        base = SKR_BACKOFF_MAX_S * SKR_SECOND;
    }
    uint64_t hash = 14695981039346656037u ^ g->attempts;
    for (const char *s = g->key; *s; s++) {
        hash = (hash ^ (unsigned char)*s) * 1099511628211u;
    }
    return base / 4 * 3 + (skr_time)(hash % (uint64_t)(base / 2 + 1));
}

void lifecycle_backoff(struct skr_engine *e, struct group *g)
{
    uint64_t freed = skr_ledger_freed_epoch(e->ledger);
    if (freed != e->ledger_epoch_seen) { /* our own release helps others, not us */
        e->ledger_epoch_seen = freed;
        engine_changed(e);
    }
    g->backoff_until = e->now + backoff_of(g);
    g->attempts++;
    g->failed_epoch = e->epoch;
    g->failed_input = g->input_epoch;
    engine_wake_group(e, g, g->backoff_until);
    lifecycle_enter(e, g, GROUP_BACKOFF);
}

const char *lifecycle_text(const struct group *g)
{
    switch (g->state) {
    case GROUP_PENDING:
        if (!g->spec) {
            return g->defect ? SKR_TEXT_INVALID : SKR_TEXT_NOT_FOUND;
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
        if (!g->infeasible) {
            return g->state == GROUP_BOUND && g->n_seated_new == 0 ? SKR_TEXT_MEMBERS
                                                                   : SKR_TEXT_PLANNING;
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
