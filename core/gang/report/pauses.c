/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/report/pauses.h"

#include "core/gang/group/generation.h"
#include "core/gang/group/vain.h"
#include "core/gang/state/wakes.h"
#include "topology/base/strbuf.h"

#include <jansson.h>
#include <stdlib.h>

static void add(struct skr_gang *e, struct group *g, const char *key, skr_time at, int64_t pause_s,
                struct skr_strbuf *b)
{
    char text[48];
    const skr_time end = at + pause_s * SKR_SECOND;
    if (at == 0 || end <= skr_frame_now(e->frame)) {
        return;
    }
    skr_time_write(at / SKR_SECOND * SKR_SECOND, 0, text, sizeof text);
    skr_strbuf_addf(b, "%s\"%s\":\"%s\"", b->len > 0 ? "," : "{", key, text);
    skr_wakes_group(e, g, end);
}

void skr_pauses_settle(struct skr_gang *e, struct group *g)
{
    SKR_STRBUF(b);
    add(e, g, "gave", g->gave_at, SKR_GROW_AFTER_S, &b);
    add(e, g, "moved", g->moving.moved_at, SKR_MOVE_AGAIN_S, &b);
    add(e, g, "vain", g->vain.at, SKR_VAIN_KEPT_S, &b);
    if (g->vain.n > 0 && b.len > 0) {
        skr_strbuf_addf(&b, ",\"times\":%u,\"why\":", g->vain.n);
        skr_strbuf_add_json(&b, g->vain.why);
    }
    if (g->times.limit > 0) {
        skr_strbuf_addf(&b, "%s\"limit\":%lld", b.len > 0 ? "," : "{",
                        (long long)(g->times.limit / SKR_SECOND));
    }
    const size_t cleared = skr_generation_cleared(g);
    if (cleared > 0) {
        skr_strbuf_addf(&b, "%s\"succeeded\":%zu", b.len > 0 ? "," : "{", cleared);
    }
    if (b.len > 0) {
        skr_strbuf_addc(&b, '}');
    }
    free(g->pauses);
    g->pauses = b.len > 0 ? skr_strbuf_take(&b, NULL) : NULL;
}

static skr_time instant_of(const struct skr_gang *e, const json_t *json, const char *key)
{
    const char *text = json_string_value(json_object_get(json, key));
    const skr_time now = skr_frame_now(e->frame);
    skr_time t;
    if (!text || skr_time_parse(text, &t, NULL) < 0) {
        return 0;
    }
    return t < now ? t : now;
}

size_t skr_pauses_restore(struct skr_gang *e, struct group *g, const char *text)
{
    json_auto_t *json = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    g->gave_at = instant_of(e, json, "gave");
    g->moving.moved_at = instant_of(e, json, "moved");
    const json_int_t times = json_integer_value(json_object_get(json, "times"));
    const char *why = json_string_value(json_object_get(json, "why"));
    skr_vain_restore(e, g, times > 0 && times < UINT16_MAX ? (uint32_t)times : 0,
                     instant_of(e, json, "vain"), why ? why : "");
    const json_int_t limit = json_integer_value(json_object_get(json, "limit"));
    g->times.limit = limit > 0 && limit <= INT32_MAX ? limit * SKR_SECOND : 0;
    const json_int_t cleared = json_integer_value(json_object_get(json, "succeeded"));
    return cleared > 0 && cleared <= INT32_MAX ? (size_t)cleared : 0;
}
