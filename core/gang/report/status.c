/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes what users read: status, reason, message, conditions and times of a group, and the keys
 * of its object for them. Makes Events and log records from the same sentence, only on change.
 */
#include "core/gang/report/status.h"
#include "core/gang/group/group_table.h"

#include "core/gang/cache/pods.h"
#include "core/gang/cache/workload_owners.h"
#include "core/gang/group/generation.h"
#include "core/gang/group/group_state.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/roles.h"
#include "core/gang/report/outputs.h"
#include "core/gang/report/warnings.h"
#include "core/gang/state/map_entry.h"
#include "core/gang/state/output.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/types.h"

#include <string.h>
#include <utlist.h>

/* ---- wanted keys ---- */

static void desired_keys_time(struct desired_keys *w, const struct skr_gang *e, const char *key,
                              skr_time t)
{
    char text[48];
    if (t > 0) {
        skr_time_write(t, e->settings.utc_offset_s, text, sizeof text);
    }
    skr_desired_keys_add(w, key, t > 0 ? text : NULL);
}

static void desired_keys_number(struct desired_keys *w, const char *key, int64_t v, bool present)
{
    char text[32];
    if (present) {
        snprintf(text, sizeof text, "%lld", (long long)v);
    }
    skr_desired_keys_add(w, key, present ? text : NULL);
}

static char *shortened(const char *s)
{
    char *copy = skr_strdup(s);
    size_t n = strlen(copy);
    if (n > SKR_MESSAGE_MAX) {
        n = SKR_MESSAGE_MAX;
        while (n > 0 && ((unsigned char)copy[n] & 0xc0) == 0x80) {
            n--;
        }
        copy[n] = '\0';
    }
    for (char *c = copy; *c; c++) {
        if (*c == '\n' || *c == '\r') {
            *c = ' ';
        }
    }
    return copy;
}

/* ---- Events ---- */

static void keep_event(const struct skr_gang *e, struct group *g, bool warning, const char *reason,
                       const char *note)
{
    struct reported_event *event = &g->reported.event[g->reported.n_events++ % SKR_EVENTS_KEPT];
    free(event->note);
    *event = (struct reported_event){skr_frame_now(e->frame), warning, reason, skr_strdup(note)};
}

static void event_about(struct skr_gang *e, struct group *g, bool warning, const char *reason,
                        const char *action, const char *note)
{
    keep_event(e, g, warning, reason, note);
    const struct skr_owner *owner = skr_workload_owners_of_group(g);
    const struct pod_entry *oldest;
    if (g->source.kind == SOURCE_MAP && g->source.map) {
        skr_out_event(e, "ConfigMap", &g->source.map->map->meta, warning, reason, action, note);
    } else if (g->source.kind == SOURCE_PODGROUP && g->source.podgroup) {
        const struct skr_podgroup *pg = g->source.podgroup->pg;
        skr_out_event_on(e, skr_gang_podgroup_type(pg->native)->resource, &pg->meta, warning,
                         reason, action, note);
    } else if (owner) {
        skr_out_event_on(e, skr_gang_type_of(owner->api_version, owner->kind)->resource,
                         &owner->meta, warning, reason, action, note);
    } else if ((oldest = skr_membership_oldest(g))) {
        skr_out_event(e, "Pod", &oldest->pod->meta, warning, reason, action, note);
    }
}

/* ---- conditions ---- */

static const char *const condition_name[] = {"Complete", "Placed", "Bound", "Valid", "Reserved"};
_Static_assert(sizeof condition_name / sizeof *condition_name == CONDITION_KIND_COUNT, "names");

static void set_condition(struct skr_gang *e, struct group *g, int kind, bool status,
                          const char *reason, const char *message)
{
    struct condition *c = &g->condition[kind];
    const char *word = status ? "True" : "False";
    if (!c->set || strcmp(c->status, word) != 0) {
        c->since = skr_frame_now(e->frame);
    }
    c->set = true;
    c->status = word;
    char *reason_copy = skr_strdup(reason ? reason : ""), *copy = shortened(message ? message : "");
    free(c->reason);
    free(c->message);
    c->reason = reason_copy;
    c->message = copy;
}

const char *skr_status_condition_name(int kind)
{
    return condition_name[kind];
}

void skr_status_condition_add(const struct condition *c, const char *type, struct skr_strbuf *b)
{
    char when[48];
    skr_time_write(c->since - c->since % SKR_SECOND, 0, when, sizeof when);
    skr_strbuf_addf(b, "{\"type\":\"%s\",\"status\":\"%s\",\"reason\":", type, c->status);
    skr_strbuf_add_json(b, c->reason);
    skr_strbuf_add(b, ",\"message\":");
    skr_strbuf_add_json(b, c->message);
    skr_strbuf_addf(b, ",\"lastTransitionTime\":\"%s\"}", when);
}

static char *conditions_text(const struct group *g)
{
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    skr_strbuf_addc(&b, '[');
    for (int i = 0; i < CONDITION_KIND_COUNT; i++) {
        if (g->condition[i].set) {
            skr_strbuf_add(&b, b.len > 1 ? "," : "");
            skr_status_condition_add(&g->condition[i], condition_name[i], &b);
        }
    }
    skr_strbuf_addc(&b, ']');
    return skr_strbuf_take(&b, NULL);
}

/* Reported once: the condition stores what was reported, also across restarts. */
static void report_warnings(struct skr_gang *e, struct group *g, const char *text)
{
    const struct condition *was = &g->condition[CONDITION_VALID];
    bool known = was->set && was->message && strncmp(was->message, text, strlen(text)) == 0;
    if (text[0] && !known) {
        event_about(e, g, true, "GroupWarning", "GroupWarning", text);
    }
}

/* Levels are compared with the tree after all members are there. Before, the topology map may not
 * exist yet, and warnings about the derived tree would soon be wrong. */
static bool levels_count(const struct group *g)
{
    return g->seats.n_bound + g->seats.n_new + skr_membership_done(g) >=
           (size_t)skr_membership_size(g);
}

static void update_validity(struct skr_gang *e, struct group *g)
{
    const bool levels = levels_count(g);
    const char *defect = skr_group_state_defect(g);
    if (defect) {
        set_condition(e, g, CONDITION_VALID, false, "GroupInvalid", defect);
        return;
    }
    SKR_STRBUF(b);
    const struct warnings rules = {.lint = true, .levels = levels},
                          all = {.lint = true, .levels = levels, .difference = true};
    const char *reason = skr_warnings_join(e, g, rules, &b);
    SKR_AUTO_FREE char *text = shortened(b.s ? b.s : "");
    report_warnings(e, g, text);
    skr_strbuf_reset(&b);
    reason = skr_warnings_join(e, g, all, &b);
    set_condition(e, g, CONDITION_VALID, true, reason ? reason : "Accepted", b.s ? b.s : "");
}

/* Of groups that have, or had, a reservation; it goes when they are bound. */
static void update_reserved(struct skr_gang *e, struct group *g)
{
    const char *kind = g->told.guess ? "Draining" : "Promised";
    if (g->told.annotation || g->told.lost) {
        set_condition(e, g, CONDITION_RESERVED, g->told.annotation,
                      g->told.annotation ? kind : g->told.lost, g->told.why);
    } else if (g->condition[CONDITION_RESERVED].set) {
        free(g->condition[CONDITION_RESERVED].reason);
        free(g->condition[CONDITION_RESERVED].message);
        g->condition[CONDITION_RESERVED] = (struct condition){0};
    }
}

static void update_conditions(struct skr_gang *e, struct group *g)
{
    size_t size = (size_t)skr_membership_size(g), done = skr_membership_done(g);
    size_t have = g->seats.n_bound + g->seats.n_new + done;
    char text[200];
    bool enough = have >= size || skr_roles_have_minimum(g, SKR_ROLE_PRESENT);
    bool complete = g->spec && enough && g->seats.n_foreign_gate == 0;
    snprintf(text, sizeof text, "%zu of %zu members", have, skr_membership_seats(g));
    const struct condition *was = &g->condition[CONDITION_COMPLETE];
    bool ended = g->state == GROUP_BOUND && skr_generation_is_finished(g);
    /* one that ran as a whole to its end keeps that, also without pods */
    if (!ended || !was->set || strcmp(was->status, "True") != 0) {
        set_condition(e, g, CONDITION_COMPLETE, complete,
                      complete ? "MembersPresent" : "MembersMissing", text);
    }
    bool placed = (g->plan && !g->plan->aborting) || g->state == GROUP_BOUND;
    if (placed && g->outputs.too_large) {
        set_condition(e, g, CONDITION_PLACED, true, "OutputTooLarge",
                      "placement and rank do not fit into the map; pods carry their ranks");
    } else {
        set_condition(e, g, CONDITION_PLACED, placed,
                      placed ? "PlacementFound" : skr_reason_name(g->reason),
                      placed ? "" : g->message);
    }
    bool bound = g->state == GROUP_BOUND && (ended || g->seats.n_bound + done >= size);
    set_condition(e, g, CONDITION_BOUND, bound, bound ? "MembersBound" : "MembersNotBound", "");
    update_validity(e, g);
    update_reserved(e, g);
}

/* ---- status ---- */

static enum skr_group_status status_of(const struct group *g)
{
    if (g->plan && g->plan->replacement) {
        return SKR_STATUS_BOUND;
    }
    switch (g->state) {
    case GROUP_READY:
        return SKR_STATUS_READY;
    case GROUP_PREEMPTING:
        return SKR_STATUS_PREEMPTING;
    case GROUP_PLANNED:
    case GROUP_ADMITTING:
    case GROUP_HOLDING:
        return SKR_STATUS_ASSIGNED;
    case GROUP_BINDING:
        return SKR_STATUS_PERMITTED;
    case GROUP_BOUND:
        return skr_generation_is_finished(g) ? SKR_STATUS_FINISHED : SKR_STATUS_BOUND;
    case GROUP_BACKOFF:
        return skr_membership_may_be_planned(g) ? SKR_STATUS_READY : SKR_STATUS_WAITING;
    case GROUP_EVICTED:
        return SKR_STATUS_PREEMPTED;
    case GROUP_INVALID:
        return SKR_STATUS_FAILED;
    case GROUP_PENDING:
    case GROUP_STATE_COUNT:
    default:
        return SKR_STATUS_WAITING;
    }
}

static bool needs_a_human(enum skr_reason reason)
{
    return reason <= SKR_REASON_TOPOLOGY_MISSING || reason == SKR_REASON_CLAIM_NOT_FOUND ||
           reason == SKR_REASON_CONSTRAINT_CONFLICT || reason == SKR_REASON_NEVER_FITS ||
           reason == SKR_REASON_BIND_FAILED;
}

static int by_string(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t nodes_used(const struct group *g)
{
    SKR_AUTO_FREE const char **node = skr_alloc_array(g->n_members + 1, sizeof *node);
    const struct pod_entry *p;
    size_t n = 0, distinct = 0;
    DL_FOREACH(g->members, p)
    {
        if (skr_pod_is_live(p->pod) && skr_outputs_node_of(p)) {
            node[n++] = skr_outputs_node_of(p);
        }
    }
    qsort(node, n, sizeof *node, by_string);
    for (size_t i = 0; i < n; i++) {
        distinct += i == 0 || strcmp(node[i], node[i - 1]) != 0;
    }
    return distinct;
}

static void forget_attempts(struct group *g)
{
    g->reported.placed = false;
    g->reported.unplaced = 0;
}

static void say_bound(const struct group *g, char *note, size_t size)
{
    size_t nodes = nodes_used(g);
    snprintf(note, size, "%zu member%s bound to %zu node%s", g->seats.n_bound,
             g->seats.n_bound == 1 ? " is" : "s are", nodes, nodes == 1 ? "" : "s");
}

/* Users who look at pods of a placed group would not see that rules of it were ignored. */
static void warn_first_member(struct skr_gang *e, const struct group *g)
{
    SKR_STRBUF(b);
    const struct pod_entry *oldest = skr_membership_oldest(g);
    skr_strbuf_addf(&b, "group %s: ", g->name);
    if (oldest && skr_warnings_join(e, g, (struct warnings){.lint = true, .levels = true}, &b)) {
        SKR_AUTO_FREE char *note = shortened(b.s);
        skr_out_event(e, "Pod", &oldest->pod->meta, true, "GroupWarning", "GroupWarning", note);
    }
}

static void report_preempted(struct skr_gang *e, struct group *g)
{
    SKR_STRBUF(b);
    size_t bare = 0;
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        bare += skr_pods_is_bound(p) && !*p->pod->controller_uid;
    }
    skr_strbuf_addf(&b, "%s", g->message ? g->message : "");
    if (bare > 0) {
        skr_strbuf_addf(&b, "; %zu pod%s without a controller %s not recreated", bare,
                        bare == 1 ? "" : "s", bare == 1 ? "is" : "are");
    }
    event_about(e, g, false, "GroupPreempted", "GroupPreempted", b.s);
}

static void report_status(struct skr_gang *e, struct group *g)
{
    char note[300];
    size_t placed;
    switch (g->status) {
    case SKR_STATUS_READY:
        if (g->reported.status != SKR_STATUS_WAITING && g->reported.status != SKR_STATUS_COUNT) {
            break;
        }
        snprintf(note, sizeof note, "all %zu members are there", skr_membership_seats(g));
        event_about(e, g, false, "GroupComplete", "GroupComplete", note);
        break;
    case SKR_STATUS_ASSIGNED:
        placed = g->plan ? g->plan->n_members : (size_t)skr_membership_seats(g);
        snprintf(note, sizeof note, "a placement of %zu member%s was found", placed,
                 placed == 1 ? "" : "s");
        if (!g->reported.placed) {
            event_about(e, g, false, "GroupPlaced", "GroupPlaced", note);
            warn_first_member(e, g);
        }
        g->reported.placed = true;
        break;
    case SKR_STATUS_BOUND:
        say_bound(g, note, sizeof note);
        event_about(e, g, false, "GroupBound", "GroupBound", note);
        forget_attempts(g);
        break;
    case SKR_STATUS_FINISHED:
        snprintf(note, sizeof note, "%zu member%s succeeded", g->generation.n_succeeded,
                 g->generation.n_succeeded == 1 ? " has" : "s have");
        event_about(e, g, false, "GroupFinished", "GroupFinished", note);
        break;
    case SKR_STATUS_WAITING:
        forget_attempts(g);
        break;
    case SKR_STATUS_PREEMPTING:
        if (g->message) { /* not of a restored plan that cannot be kept */
            event_about(e, g, false, "GroupPreempting", "GroupPreempting", g->message);
        }
        break;
    case SKR_STATUS_PREEMPTED:
        report_preempted(e, g);
        break;
    case SKR_STATUS_PERMITTED:
    case SKR_STATUS_FAILED:
    case SKR_STATUS_COUNT:
    default:
        break;
    }
    const struct skr_decision decision = {.kind = "group",
                                          .key = g->key,
                                          .pod = "",
                                          .what = "Group status changed",
                                          .status = skr_group_status_name(g->status),
                                          .reason = skr_reason_name(g->reason),
                                          .message = g->message ? g->message : ""};
    skr_frame_decision(e->frame, &decision);
}

static void report_reason(struct skr_gang *e, struct group *g)
{
    bool progress = g->reason == SKR_REASON_NONE || g->reason == SKR_REASON_MEMBERS_MISSING ||
                    g->reason == SKR_REASON_WAITING_FOR_CLAIMS ||
                    g->reason == SKR_REASON_GROUP_NOT_FOUND;
    _Static_assert(SKR_REASON_COUNT <= 32, "one bit a reason");
    uint32_t bit = UINT32_C(1) << g->reason;
    if (!progress && !(g->reported.unplaced & bit)) {
        g->reported.unplaced |= bit;
        event_about(e, g, needs_a_human(g->reason), "GroupUnplaced", skr_reason_name(g->reason),
                    g->message ? g->message : "");
    }
    if (g->reason == SKR_REASON_NONE && g->status == SKR_STATUS_BOUND) {
        forget_attempts(g); /* whole again */
    }
    /* a group whose last pod is gone ends with it */
    const bool ends = g->reason == SKR_REASON_GROUP_NOT_FOUND && g->seats.n_live == 0;
    if (g->reason != SKR_REASON_NONE && !ends) {
        skr_out_decision(e, g->key, "", "Group was not placed", skr_reason_name(g->reason),
                         g->message ? g->message : "", false);
    }
}

/* Now; for a reason of an earlier process, since the group is not placed, or since it waits. */
static skr_time reason_began(const struct skr_gang *e, const struct group *g)
{
    const struct condition *placed = &g->condition[CONDITION_PLACED];
    skr_time now = skr_frame_now(e->frame);
    if (g->reason_since > 0 || !(g->reported.unplaced & UINT32_C(1) << g->reason)) {
        return now;
    }
    bool known = placed->set && placed->since > 0 && strcmp(placed->status, "False") == 0;
    return known ? placed->since : g->times.begin > 0 ? g->times.begin : now;
}

void skr_status_update(struct skr_gang *e, struct group *g)
{
    enum skr_group_status was = g->status;
    g->status = status_of(g);
    if (g->status != was || g->status_since == 0) {
        g->status_since = skr_frame_now(e->frame);
    }
    if (g->reason != g->reason_seen) {
        g->reason_since = reason_began(e, g);
        g->reason_seen = g->reason;
    }
    if (g->state == GROUP_BOUND && !g->plan && g->seats.n_live > 0) {
        skr_outputs_refresh(e, g);
    }
    update_conditions(e, g);
    if (g->reported.status != g->status) {
        report_status(e, g);
        g->reported.status = g->status;
    }
    if (g->reported.reason != g->reason) {
        report_reason(e, g);
        g->reported.reason = g->reason;
    }
    skr_groups_count(e, g);
}

static bool outputs_shown(const struct group *g)
{
    const bool leaves = g->state == GROUP_EVICTED || g->state == GROUP_PREEMPTING;
    const bool goes_on =
        g->generation.n_succeeded > 0 && !leaves; /* a restart counts those named */
    bool shown = g->state == GROUP_BOUND || goes_on ||
                 (g->plan && (g->plan->binding || g->plan->replacement));
    return shown && !g->outputs.too_large;
}

void skr_status_desired_keys(struct skr_gang *e, const struct group *g, struct desired_keys *w)
{
    SKR_AUTO_FREE char *message = g->message ? shortened(g->message) : NULL;
    SKR_AUTO_FREE char *conditions = conditions_text(g);
    bool wrong = g->reason != SKR_REASON_NONE;
    skr_desired_keys_add(w, "status", skr_group_status_name(g->status));
    skr_desired_keys_add(w, "reason", wrong ? skr_reason_name(g->reason) : NULL);
    skr_desired_keys_add(w, "message", wrong ? message : NULL);
    skr_desired_keys_add(w, "ways", wrong ? g->ways.text : NULL);
    skr_desired_keys_add(w, "conditions", conditions);
    skr_desired_keys_add(w, "placement", outputs_shown(g) ? g->outputs.placement : NULL);
    skr_desired_keys_add(w, "rank", outputs_shown(g) ? g->outputs.rank : NULL);
    skr_desired_keys_add(w, "sets", outputs_shown(g) ? g->outputs.sets : NULL);
    desired_keys_time(w, e, "schedBeginTime", g->times.begin);
    desired_keys_time(w, e, "schedEndTime", g->times.end);
    desired_keys_number(w, "schedTotalTimeMilli", (g->times.end - g->times.begin) / SKR_MILLISECOND,
                        g->times.end > 0 && g->times.begin > 0);
    desired_keys_number(w, "schedSolverTimeMilli", g->attempt.solver_ms, g->times.end > 0);
    skr_desired_keys_add(w, "plannedStart", g->told.start);
    skr_desired_keys_add(w, "plannedWhy", g->told.why);
    skr_desired_keys_add(w, DESIRED_KEY_RESERVATION, g->told.annotation);
    skr_desired_keys_add(w, DESIRED_KEY_SEATS, g->replacing.text);
    skr_desired_keys_add(w, DESIRED_KEY_PAUSES, g->pauses);
    skr_desired_keys_add(w, "preemptor", g->victim.by);
    skr_desired_keys_add(w, "delayed-deletion", NULL);
}

/* ---- restore and end ---- */

void skr_status_event(struct skr_gang *e, struct group *g, const char *reason, const char *action,
                      const char *note)
{
    event_about(e, g, false, reason, action, note);
}

void skr_status_warning(struct skr_gang *e, struct group *g, const char *reason, const char *note)
{
    event_about(e, g, true, reason, reason, note);
}

void skr_status_forget_told(struct group *g)
{
    free(g->told.annotation);
    free(g->told.place);
    free(g->told.start);
    free(g->told.why);
    g->told.annotation = g->told.place = g->told.start = g->told.why = NULL;
    g->told.lost = NULL;
    g->told.guess = g->told.unread = false;
}

void skr_status_restore(struct group *g, const char *status, const char *reason)
{
    for (int i = 0; status && i < SKR_STATUS_COUNT; i++) {
        if (strcmp(status, skr_group_status_name((enum skr_group_status)i)) == 0) {
            g->reported.status = (enum skr_group_status)i;
        }
    }
    for (int i = 1; reason && i < SKR_REASON_COUNT; i++) {
        if (strcmp(reason, skr_reason_name((enum skr_reason)i)) == 0) {
            g->reported.reason = (enum skr_reason)i;
            g->reported.unplaced = UINT32_C(1) << i;
        }
    }
}

void skr_status_restore_condition(struct group *g, const char *type, bool status,
                                  const char *reason, const char *message, skr_time since)
{
    for (int k = 0; k < CONDITION_KIND_COUNT; k++) {
        struct condition *c = &g->condition[k];
        if (strcmp(type, condition_name[k]) != 0) {
            continue;
        }
        free(c->reason);
        free(c->message);
        *c = (struct condition){.set = true,
                                .status = status ? "True" : "False",
                                .reason = skr_strdup(reason ? reason : ""),
                                .message = skr_strdup(message ? message : ""),
                                .since = since};
    }
}

void skr_status_restore_ways(struct group *g, const char *text)
{
    free(g->ways.text);
    g->ways.text = text && *text ? skr_strdup(text) : NULL;
}

void skr_status_fini(struct group *g)
{
    for (size_t i = 0; i < SKR_EVENTS_KEPT; i++) {
        free(g->reported.event[i].note);
    }
    for (size_t i = 0; i < CONDITION_KIND_COUNT; i++) {
        free(g->condition[i].reason);
        free(g->condition[i].message);
    }
    free(g->ways.text);
    free(g->ways.strangers);
    skr_status_forget_told(g);
}
