/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/group/vain.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/wakes.h"
#include "core/time/end.h"

#include <stdlib.h>
#include <string.h>

/* Nodes, pods that stay, or kube-scheduler ended the plan. */
static bool did_not_help(const struct group *g)
{
    const enum skr_reason reason = g->plan->abort.reason;
    return !g->victim.leaving &&
           (reason == SKR_REASON_WAITING_FOR_CAPACITY || reason == SKR_REASON_FILTERED_BY_OTHERS ||
            reason == SKR_REASON_PLAN_TIMEOUT);
}

/* The message of the plan's end, without what the sentence around it says. */
static char *cause_of(const struct group *g)
{
    const char *text = g->plan->abort.message ? g->plan->abort.message : "";
    SKR_STRBUF(b);
    skr_strbuf_addf(&b, "group %s is not placed: ", g->name);
    return skr_strdup(strncmp(text, b.s, b.len) == 0 ? text + b.len : text);
}

static skr_time pause_of(uint32_t n)
{
    skr_time pause = SKR_VAIN_FIRST_S;
    for (uint32_t i = 1; i < n && pause < SKR_VAIN_MAX_S; i++) {
        pause *= 2;
    }
    return (pause < SKR_VAIN_MAX_S ? pause : SKR_VAIN_MAX_S) * SKR_SECOND;
}

static void begin(struct skr_gang *e, struct group *g)
{
    g->vain.seen = e->seen.now;
    g->preempt.seen = 0; /* the end of the pause is news */
    skr_wakes_add(e, g->vain.at + SKR_VAIN_FIRST_S * SKR_SECOND, WAKE_REPORT, NULL);
    skr_wakes_add(e, g->vain.at + pause_of(g->vain.n), WAKE_REPORT, NULL);
}

void skr_vain_note(struct skr_gang *e, struct group *g)
{
    if (g->plan->evicted == 0 || !did_not_help(g)) {
        return;
    }
    const skr_time now = skr_frame_now(e->frame);
    if (g->vain.at + SKR_VAIN_KEPT_S * SKR_SECOND <= now) {
        g->vain.n = 0;
    }
    free(g->vain.why);
    g->vain.why = cause_of(g);
    g->vain.at = now;
    g->vain.n++;
    begin(e, g);
}

void skr_vain_restore(struct skr_gang *e, struct group *g, uint32_t n, skr_time at, const char *why)
{
    skr_vain_forget(g);
    if (n > 0 && at > 0) {
        g->vain.n = n;
        g->vain.at = at;
        g->vain.why = skr_strdup(why);
        begin(e, g);
    }
}

skr_time skr_vain_pause(const struct skr_gang *e, const struct group *g)
{
    const skr_time now = skr_frame_now(e->frame);
    const skr_time first = g->vain.at + SKR_VAIN_FIRST_S * SKR_SECOND;
    const skr_time end = skr_seen_changed(&e->seen, SEEN_LIFTED, g->vain.seen)
                             ? first
                             : g->vain.at + pause_of(g->vain.n);
    return g->vain.n > 0 && end > now ? end : 0;
}

void skr_vain_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b)
{
    const skr_time end = skr_vain_pause(e, g);
    char text[48];
    if (end > 0) {
        skr_time_write(skr_instant_up(end) * SKR_SECOND, 0, text, sizeof text);
        skr_strbuf_addf(b,
                        "; pods were evicted for it %u time%s in vain (%s); it evicts again from "
                        "%s on",
                        g->vain.n, g->vain.n == 1 ? "" : "s", g->vain.why, text);
    }
}

void skr_vain_forget(struct group *g)
{
    free(g->vain.why);
    g->vain.why = NULL;
    g->vain.n = 0;
    g->vain.at = 0;
}
