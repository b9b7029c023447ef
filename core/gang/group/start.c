/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/group/start.h"

#include <stdlib.h>

#include "core/gang/state/booking.h"
#include "topology/base/json_writer.h"

void skr_forecast_set(struct group *g, struct forecast *forecast)
{
    struct forecast *old = g->forecast;
    g->forecast = forecast;
    if (old) {
        free(old->because);
        free(old->unlimited);
        free(old->kept_by);
        free(old);
    }
}

bool skr_start_is_open(const struct group *g)
{
    const bool waits = g->state == GROUP_READY || g->state == GROUP_BACKOFF;
    return waits && g->spec && !g->plan && !g->booking;
}

bool skr_start_is_fresh(struct skr_gang *e, skr_time now)
{
    const skr_time next = e->forecasts.made + SKR_FORECASTS_PAUSE_S * SKR_SECOND;
    const bool off = e->settings.forecasts == 0 || e->settings.on_paper;
    if (off || (e->forecasts.made > 0 && now < next)) {
        return true;
    }
    if (!e->forecasts.wanted) {
        e->forecasts.wanted = true;
        e->forecasts.until = now + SKR_FORECASTS_PATIENCE_S * SKR_SECOND;
    }
    return now >= e->forecasts.until;
}

static void write_time(struct skr_json_writer *w, const char *key, int64_t at)
{
    char text[48];
    skr_time_write(at == SKR_INSTANT_NEVER ? 0 : at * SKR_SECOND, 0, text, sizeof text);
    skr_json_string(w, key, at == SKR_INSTANT_NEVER ? NULL : text);
}

bool skr_start_write(const struct group *g, skr_time now, struct skr_strbuf *out)
{
    struct skr_json_writer w = {.out = out};
    const struct booking *b = g->booking;
    const struct forecast *f = skr_start_is_open(g) ? g->forecast : NULL;
    const char *because = b ? b->because : f ? f->because : NULL;
    const int64_t start = b ? b->start : f ? f->start : 0;
    char day[48];
    if (!b && !f) {
        return false;
    }
    skr_json_open(&w, NULL, '{');
    write_time(&w, "time", start);
    skr_json_bool(&w, "promised", b && !b->guess);
    skr_json_bool(&w, "guess", b && b->guess);
    skr_json_string(&w, "because", because ? because : "");
    if (f && f->unlimited) {
        skr_json_string(&w, "unlimited", f->unlimited);
    }
    if (f && f->kept_by) {
        skr_json_open(&w, "kept", '{');
        skr_json_string(&w, "by", f->kept_by);
        write_time(&w, "starts", f->kept_start);
        write_time(&w, "ends", f->ends);
        skr_json_close(&w, '}');
    }
    skr_time_write(now, 0, day, sizeof day);
    day[sizeof "2026-01-01" - 1] = '\0';
    skr_json_string(&w, "day", day);
    skr_json_close(&w, '}');
    return true;
}
