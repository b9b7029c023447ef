/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_START_H
#define SKR_CORE_GANG_GROUP_START_H
/*
 * The start of a waiting group as pages and explanations show it: its reservation, or else its
 * forecast. Forecasts are made on demand (core/gang/time/forecasts.h), at most once in
 * SKR_FORECASTS_PAUSE_S, and are not written to objects.
 */
#include "core/gang/state/groups.h"
#include "core/time/end.h"

enum {
    SKR_FORECASTS_PAUSE_S = 10,
    SKR_FORECASTS_PATIENCE_S = 3, /* how long a page waits for them */
};

struct forecast {
    int64_t start;   /* SKR_INSTANT_NEVER: not known */
    char *because;   /* as in struct booking */
    char *unlimited; /* not known: namespace/name of what has no limit; NULL: none */
    char *kept_by;   /* the group whose reservation keeps it from starting now; NULL: none */
    int64_t kept_start, ends; /* the start of that one; when this one would end; or NEVER */
};
void skr_forecast_set(struct group *g, struct forecast *forecast); /* taken over; NULL: none */

/* Whether the group may have a forecast: it waits, and has no reservation. */
bool skr_start_is_open(const struct group *g);
/* Whether forecasts are new enough. If not, new ones are asked for; then true when they take too long.
 * now: the clock. O(1). */
bool skr_start_is_fresh(struct skr_gang *e, skr_time now);
/* As JSON (docs/reference.md); false: nothing is known, and nothing was written. now: of the answer. */
bool skr_start_write(const struct group *g, skr_time now, struct skr_strbuf *out);

#endif
