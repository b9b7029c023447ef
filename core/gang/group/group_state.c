/* SPDX-License-Identifier: Apache-2.0 */
/* Sets the state of a group and its reason; no other file does. */
#include "core/gang/group/group_state.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/topology.h"

#include <string.h>

void skr_group_state_enter(struct skr_gang *e, struct group *g, enum group_state state)
{
    if (g->state == state) {
        return;
    }
    g->state = state;
    if (state == GROUP_BOUND) {
        skr_dirty_victims(e);
    }
    skr_dirty_group(e, g);
}

void skr_group_state_reason(struct group *g, enum skr_reason reason, const char *message)
{
    g->reason = reason;
    if (message && g->message && strcmp(message, g->message) == 0) {
        return;
    }
    char *copy = skr_strdup(message && *message ? message : NULL);
    free(g->message);
    g->message = copy;
}

/* The first of the warnings. */
static void say_why_empty(void *context, const char *type, const char *why)
{
    struct skr_strbuf *b = context;
    (void)type;
    if (b->len == 0) {
        skr_strbuf_addf(b, ": %s", why);
    }
}

void skr_group_state_no_tree(const struct skr_gang *e, struct group *g)
{
    char text[600];
    const struct skr_label_findings *findings = skr_topology_findings(e);
    SKR_STRBUF(why);
    if (findings) {
        skr_label_findings_each(findings, say_why_empty, &why);
    }
    snprintf(text, sizeof text, "group %s has no topology tree to be placed on%.400s", g->name,
             why.s ? why.s : "");
    skr_group_state_reason(g, SKR_REASON_TOPOLOGY_MISSING, text);
}

void skr_group_state_restore(struct group *g, enum group_state state)
{
    g->state = state;
}

/* ---- times of the generation ---- */

void skr_group_state_begin(struct skr_gang *e, struct group *g)
{
    if (!g->times.begin) {
        g->times.begin = skr_frame_now(e->frame);
    }
}

void skr_group_state_end(struct skr_gang *e, struct group *g)
{
    g->times.end = skr_frame_now(e->frame);
}

void skr_group_state_set_times(struct group *g, skr_time begin, skr_time end)
{
    g->times.begin = begin;
    g->times.end = end;
}

/* ---- the text ---- */

/* From the last reason found. A retry does not show "being planned", which would stay in the
 * condition of members that ask meanwhile. */
static const char *text_of_reason(const struct group *g)
{
    switch (g->reason) {
    case SKR_REASON_GROUP_INVALID:
    case SKR_REASON_DUPLICATE_GROUP:
    case SKR_REASON_ENTRY_CONFLICT:
    case SKR_REASON_OWNER_NOT_READABLE:
    case SKR_REASON_SIZE_UNKNOWN:
    case SKR_REASON_NO_SUCH_TOPOLOGY_KEY:
    case SKR_REASON_PODS_NOT_HOMOGENEOUS:
        return SKR_TEXT_INVALID;
    case SKR_REASON_PINNED_NODE_FULL:
    case SKR_REASON_NEVER_FITS:
    case SKR_REASON_WAITING_FOR_CAPACITY:
    case SKR_REASON_MOVED:
        return SKR_TEXT_CAPACITY;
    case SKR_REASON_WAITING_FOR_PREEMPTION:
        return SKR_TEXT_VICTIMS;
    case SKR_REASON_GROUP_NOT_FOUND:
        return SKR_TEXT_NOT_FOUND;
    case SKR_REASON_TOPOLOGY_MISSING:
    case SKR_REASON_CONSTRAINT_CONFLICT:
    case SKR_REASON_TOPOLOGY_PLACEMENT_FAILED:
    case SKR_REASON_ROLES_NOT_PLACED:
    case SKR_REASON_FILTERED_BY_OTHERS:
        return SKR_TEXT_TOPOLOGY;
    case SKR_REASON_NONE:
    case SKR_REASON_ROLE_UNKNOWN:
    case SKR_REASON_MEMBERS_MISSING:
    case SKR_REASON_CLAIM_NOT_FOUND:
    case SKR_REASON_CLAIM_IN_USE:
    case SKR_REASON_WAITING_FOR_CLAIMS:
    case SKR_REASON_EVALUATION_BUDGET:
    case SKR_REASON_PLAN_TIMEOUT:
    case SKR_REASON_BIND_FAILED:
    case SKR_REASON_COUNT:
    default:
        return g->attempt.infeasible ? SKR_TEXT_TOPOLOGY : SKR_TEXT_PLANNING;
    }
}

static const char *text_without_spec(const struct group *g)
{
    if (g->derived.lack == SKR_REASON_MEMBERS_MISSING) {
        return SKR_TEXT_MEMBERS; /* its owner may come */
    }
    bool is_there = g->source.defect || g->derived.lack != SKR_REASON_NONE;
    return is_there ? SKR_TEXT_INVALID : SKR_TEXT_NOT_FOUND;
}

const char *skr_group_state_text(const struct group *g)
{
    switch (g->state) {
    case GROUP_PENDING:
        if (!g->spec) {
            return text_without_spec(g);
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
        if (g->state == GROUP_BOUND && !g->spec) {
            return text_without_spec(g);
        }
        if (g->state == GROUP_BOUND && g->seats.n_new == 0 && !g->attempt.infeasible) {
            return SKR_TEXT_MEMBERS;
        }
        if (g->state == GROUP_BOUND && g->reason == SKR_REASON_NONE && g->attempt.infeasible) {
            return SKR_TEXT_FOLLOWER; /* no member is missing */
        }
        return text_of_reason(g);
    case GROUP_PLANNED:
    case GROUP_ADMITTING:
    case GROUP_HOLDING:
    case GROUP_BINDING:
    case GROUP_STATE_COUNT:
    default:
        return SKR_TEXT_PLANNING;
    }
}

const char *skr_group_state_defect(const struct group *g)
{
    return g->source.defect ? g->source.defect : g->source.misplaced;
}
