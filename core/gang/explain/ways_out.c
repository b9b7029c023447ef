/* SPDX-License-Identifier: Apache-2.0 */
/* When a waiting group is explained without a request, and what of that goes into its object. */
#include "core/gang/explain/ways_out.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/explain/explain_request.h"
#include "core/gang/explain/explain_strangers.h"
#include "core/gang/report/sentence.h"
#include "core/gang/state/wakes.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* The next free moment from at on; every call takes one. */
static skr_time take_slot(struct skr_gang *e, skr_time at)
{
    const skr_time slot = at > e->ways_slot ? at : e->ways_slot;
    e->ways_slot = slot + SKR_WAYS_PACE_MS * SKR_MILLISECOND;
    return slot;
}

static void plan_next(struct skr_gang *e, struct group *g, int64_t wait_s)
{
    g->ways.at = take_slot(e, skr_frame_now(e->frame) + wait_s * SKR_SECOND);
    skr_wakes_add(e, g->ways.at, WAKE_WAYS, g->key);
}

/* Pods that look like members are looked for. */
static bool lacks_members(const struct group *g)
{
    return (g->reason == SKR_REASON_MEMBERS_MISSING || g->reason == SKR_REASON_ROLE_UNKNOWN) &&
           g->spec && g->seats.n_live > 0;
}

static void find_strangers(struct skr_gang *e, struct group *g)
{
    SKR_STRBUF(b);
    const char *now = skr_strangers_say(e, g, &b) ? b.s : "";
    if (strcmp(now, g->ways.strangers ? g->ways.strangers : "") != 0) {
        free(g->ways.strangers);
        g->ways.strangers = *now ? skr_strdup(now) : NULL;
        skr_dirty_group(e, g);
    }
}

void skr_ways_out_watch(struct skr_gang *e, struct group *g)
{
    const bool lacks = lacks_members(g);
    if (!lacks) {
        free(g->ways.strangers);
        g->ways.strangers = NULL;
    }
    if (!lacks && !skr_explain_request_needed(e, g)) {
        g->ways.at = 0;
        if (g->plan || g->state == GROUP_BOUND) {
            free(g->ways.text);
            g->ways.text = NULL;
        }
    } else if (g->ways.at == 0 && e->settings.explain_waiting) {
        plan_next(e, g, SKR_WAYS_AFTER_S);
    }
}

void skr_ways_out_due(struct skr_gang *e, struct group *g)
{
    const bool lacks = lacks_members(g);
    if (g->ways.at == 0 || skr_frame_now(e->frame) < g->ways.at ||
        (!lacks && !skr_explain_request_needed(e, g))) {
        return; /* an earlier wake, or no more */
    }
    if (lacks) {
        find_strangers(e, g);
        plan_next(e, g, SKR_WAYS_EVERY_S);
        return;
    }
    const bool stands =
        !skr_seen_changed(&e->seen, SEEN_FACTS, g->ways.seen) && g->ways.input == g->input_epoch;
    if (!stands) {
        skr_explain_request_aside(e, g);
    }
    plan_next(e, g, SKR_WAYS_EVERY_S);
}

/* ---- the lines ---- */

static void add_lines(const char *objects, size_t *n, struct skr_strbuf *b)
{
    SKR_STRBUF(list);
    json_t *one;
    size_t i;
    skr_strbuf_addf(&list, "[%s]", objects ? objects : "");
    json_auto_t *relaxations = json_loadb(list.s, list.len, 0, NULL);
    json_array_foreach(relaxations, i, one)
    {
        const char *text = json_string_value(json_object_get(one, "text"));
        if (text && *n < SKR_WAYS_MAX && strlen(text) <= SKR_WAYS_LINE_MAX && !strchr(text, '\n')) {
            skr_strbuf_addf(b, "%s%s", (*n)++ > 0 ? "\n" : "", text);
        }
    }
}

void skr_ways_out_publish(struct skr_gang *e, struct group *g)
{
    const struct explained *x = g->explained;
    SKR_STRBUF(b);
    size_t n = 0;
    if (!x || x->input_epoch != g->input_epoch) {
        return;
    }
    add_lines(x->relaxations, &n, &b);
    add_lines(x->smaller, &n, &b);
    g->ways.seen = x->seen;
    g->ways.input = x->input_epoch;
    const char *now = b.len > 0 ? b.s : "", *was = g->ways.text ? g->ways.text : "";
    if (strcmp(now, was) != 0) {
        free(g->ways.text);
        g->ways.text = *now ? skr_strdup(now) : NULL;
        skr_wakes_group_then(e, g, skr_frame_now(e->frame)); /* requests settle after the rounds */
    }
}
