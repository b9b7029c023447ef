/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the whole answer to "why is this group not placed": its state, the reason, further
 * findings, the solver's account if there is one, and commands to run next. The reason is that of
 * the group's object, the sentence its message; groups in progress have tokens of their own
 * (Assigned, Permitted).
 */
#include "core/gang/cache/pods.h"
#include "core/gang/explain/explain_preemption.h"
#include "core/gang/group/attempt.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/refusal.h"
#include "core/gang/group/start.h"
#include "core/gang/report/map_status.h"
#include "core/gang/report/sentence.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/map_entry.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/reason.h"

#include <utlist.h>

/* ---- state ---- */

static bool on_its_way(const struct group *g)
{
    return g->plan && !g->plan->aborting;
}

static bool is_placed(const struct group *g)
{
    bool all = g->seats.n_bound >= (size_t)skr_membership_size(g) &&
               (g->spec || g->seats.n_newcomers == 0);
    return on_its_way(g) || (g->state == GROUP_BOUND && (all || g->reason == SKR_REASON_NONE));
}

/* A group with all members bound is reported as bound; what is wrong with it is under "also". */
static enum skr_reason reason_of(const struct group *g)
{
    return is_placed(g) ? SKR_REASON_NONE : g->reason;
}

static const char *token_of(const struct group *g)
{
    if (on_its_way(g)) {
        return g->plan->binding ? SKR_TOKEN_PERMITTED : SKR_TOKEN_ASSIGNED;
    }
    return skr_reason_name(reason_of(g));
}

static size_t n_asked(const struct group *g)
{
    size_t n = 0;
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        n += p->plan == g->plan && (p->work->vote.request || skr_pods_is_bound(p));
    }
    return n;
}

static void write_sentence(const struct group *g, struct skr_strbuf *b)
{
    SKR_STRBUF(text);
    if (on_its_way(g) && g->plan->binding) {
        skr_strbuf_addf(&text, "group %s is being bound, %zu of %zu members are bound", g->name,
                        g->seats.n_bound, skr_membership_seats(g));
    } else if (on_its_way(g)) {
        skr_strbuf_addf(&text,
                        "group %s has a placement, %zu of %zu members have reached their bind call",
                        g->name, n_asked(g), g->plan->n_members);
    } else if (reason_of(g) != SKR_REASON_NONE && g->message) {
        skr_strbuf_add(&text, g->message);
    } else if (g->status == SKR_STATUS_FINISHED) {
        skr_strbuf_addf(&text, "group %s has finished", g->name);
        if (g->generation.n_succeeded > 0) {
            skr_strbuf_addf(&text, ", %zu members have succeeded", g->generation.n_succeeded);
        }
    } else if (g->state == GROUP_BOUND && !g->spec) {
        skr_strbuf_addf(&text, "group %s is bound, %zu members", g->name, g->seats.n_bound);
    } else if (g->state == GROUP_BOUND) {
        skr_strbuf_addf(&text, "group %s is bound, %zu of %zu members", g->name, g->seats.n_bound,
                        skr_membership_seats(g));
        if (skr_membership_done(g) > 0) {
            skr_strbuf_addf(&text, ", %zu have succeeded", skr_membership_done(g));
        }
    } else if (g->reason != SKR_REASON_NONE) {
        skr_strbuf_addf(&text, "group %s waits: %s", g->name, skr_reason_name(g->reason));
    } else {
        skr_strbuf_addf(&text, "group %s is being planned", g->name);
    }
    skr_strbuf_add(b, ",\"sentence\":");
    skr_strbuf_add_json(b, text.s);
}

static void write_time(const char *key, skr_time t, struct skr_strbuf *b)
{
    char text[48];
    skr_time_write(t - t % SKR_SECOND, 0, text, sizeof text);
    skr_strbuf_addf(b, ",\"%s\":\"%s\"", key, text);
}

static void write_times(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b)
{
    bool waits = reason_of(g) != SKR_REASON_NONE && !on_its_way(g);
    skr_time since = waits && g->reason_since > 0                    ? g->reason_since
                     : g->state != GROUP_BOUND && g->times.begin > 0 ? g->times.begin
                                                                     : g->status_since;
    if (since > 0) {
        write_time("since", since, b);
        skr_strbuf_addf(b, ",\"forSeconds\":%lld",
                        (long long)(skr_frame_now(e->frame) > since
                                        ? (skr_frame_now(e->frame) - since) / SKR_SECOND
                                        : 0));
    }
    skr_time until = 0;
    if (on_its_way(g) && !g->plan->binding_persisted) {
        until = g->plan->deadline;
    } else if (!g->plan && skr_attempt_is_paused(e, g) &&
               (g->state == GROUP_BACKOFF || (g->state == GROUP_BOUND && g->seats.n_ready > 0))) {
        until = g->attempt.backoff_until;
    }
    skr_time pause = on_its_way(g) ? 0 : skr_refusal_pause(e, g);
    until = pause > until ? pause : until;
    if (until > skr_frame_now(e->frame) && until != SKR_TIME_NEVER) {
        write_time(on_its_way(g) ? "deadline" : "retryAt", until, b);
        skr_strbuf_addf(
            b, ",\"secondsLeft\":%lld",
            (long long)((until - skr_frame_now(e->frame) + SKR_SECOND - 1) / SKR_SECOND));
    }
}

/* ---- the whole ---- */

static void write_account(const struct group *g, struct skr_strbuf *b)
{
    const struct explained *x = g->attempt.infeasible && !g->plan ? g->explained : NULL;
    if (x && x->account && x->input_epoch == g->input_epoch) {
        skr_strbuf_add(b, x->account);
        const char *more = x->relaxations ? x->relaxations : "",
                   *size = x->smaller ? x->smaller : "";
        skr_strbuf_addf(b, ",\"relaxations\":[%s%s%s]", more, *more && *size ? "," : "", size);
        return;
    }
    skr_strbuf_addf(b, ",\"need\":{\"members\":%zu},\"have\":{\"members\":%zu}",
                    skr_membership_needs(g), g->seats.n_bound + g->seats.n_ready);
    skr_strbuf_add(b, ",\"domains\":[],\"relaxations\":[]");
}

static void write_head(const struct skr_gang *e, const char *namespace_, const char *name,
                       const char *status, bool placed, struct skr_strbuf *b)
{
    char time[48];
    skr_time_write(skr_frame_now(e->frame), 0, time, sizeof time);
    skr_strbuf_add(b, "{\"apiVersion\":\"sakkara/v1\",\"kind\":\"Explanation\"");
    skr_strbuf_addf(b, ",\"time\":\"%s\",\"namespace\":", time);
    skr_strbuf_add_json(b, namespace_);
    skr_strbuf_add(b, ",\"name\":");
    skr_strbuf_add_json(b, name);
    skr_strbuf_addf(b, ",\"status\":\"%s\",\"placed\":%s", status, placed ? "true" : "false");
}

static void write_preemption(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b)
{
    const struct explained *x = skr_explain_preemption_needs_search(e, g) ? g->explained : NULL;
    skr_strbuf_add(b, ",\"preemption\":");
    if (x && x->preemption && x->preemption_input == g->input_epoch) {
        skr_strbuf_add(b, x->preemption);
    } else if (skr_explain_preemption_needs_search(e, g)) {
        skr_explain_preemption_failed("the search for victims did not end in time", b);
    } else {
        skr_explain_preemption_plain(e, g, b);
    }
}

void skr_explain_answer_group(struct skr_gang *e, const struct group *g, bool preempt,
                              struct skr_strbuf *b)
{
    SKR_STRBUF(start);
    write_head(e, g->namespace_, g->name, skr_group_status_name(g->status), is_placed(g), b);
    skr_strbuf_addf(b, ",\"reason\":\"%s\",\"class\":\"%s\"", token_of(g),
                    on_its_way(g) ? "progress" : skr_reason_class(reason_of(g)));
    write_sentence(g, b);
    if (skr_start_write(g, skr_frame_now(e->frame), &start)) {
        skr_strbuf_addf(b, ",\"start\":%s", start.s);
    }
    write_times(e, g, b);
    write_account(g, b);
    if (preempt) {
        write_preemption(e, g, b);
    }
    skr_explain_also(e, g, &(struct explain_standing){token_of(g), on_its_way(g), is_placed(g)}, b);
    skr_explain_next(e, g, reason_of(g), preempt, b);
    skr_strbuf_addc(b, '}');
}

void skr_explain_answer_map(struct skr_gang *e, const struct map_entry *m, struct skr_strbuf *b)
{
    char text[400];
    enum skr_reason reason = skr_map_status_loser(e, m, text, sizeof text);
    const struct skr_meta *meta = &m->map->meta;
    write_head(e, meta->namespace_, meta->name, skr_group_status_name(SKR_STATUS_FAILED), false, b);
    skr_strbuf_addf(b, ",\"reason\":\"%s\",\"class\":\"%s\",\"sentence\":", skr_reason_name(reason),
                    skr_reason_class(reason));
    skr_strbuf_add_json(b, text);
    skr_strbuf_add(b, ",\"need\":{},\"have\":{},\"domains\":[],\"relaxations\":[],\"also\":[]");
    SKR_STRBUF(command);
    skr_strbuf_addf(&command, "kubectl edit configmap -n %s %s", meta->namespace_, meta->name);
    skr_strbuf_add(b, ",\"next\":[");
    skr_strbuf_add_json(b, command.s);
    skr_strbuf_add(b, "]}");
}
