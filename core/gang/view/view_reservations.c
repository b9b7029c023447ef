/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what is reserved as a list: /v1/reservations. */
#include "core/gang/group/reservation.h"
#include "core/gang/view/view.h"

#include <string.h>

static bool is_wanted(const struct view *v, const struct reservation *r)
{
    const char *namespace_ = v->query->argument[SKR_VIEW_NAMESPACE];
    const size_t n = namespace_ ? strlen(namespace_) : 0;
    return n == 0 || (strncmp(r->owner, namespace_, n) == 0 && r->owner[n] == '/');
}

static void write_one(void *context, const struct reservation *r)
{
    struct view *v = context;
    if (!is_wanted(v, r) || skr_view_must_end(v)) {
        return;
    }
    const skr_time left = r->until > v->now ? r->until - v->now : 0;
    skr_json_open(&v->w, NULL, '{');
    skr_json_string(&v->w, "reason", skr_reservation_name(r->reason));
    skr_json_string(&v->w, r->single ? "pod" : "group", r->owner);
    if (!r->single) {
        skr_json_string(&v->w, "member", r->pod);
    }
    skr_json_string(&v->w, "node", r->node);
    skr_json_int(&v->w, "priority", r->priority);
    skr_view_time(v, "until", r->until);
    skr_json_int(&v->w, "secondsLeft", (left + SKR_SECOND - 1) / SKR_SECOND);
    skr_json_close(&v->w, '}');
}

int skr_view_reservations(struct view *v, const char *rest)
{
    if (*rest) {
        return skr_view_refuse(v, 404, "/v1/reservations has no pages below it");
    }
    skr_json_open(&v->w, NULL, '{');
    skr_view_head(v, "ReservationList");
    skr_json_open(&v->w, "items", '[');
    skr_reservations_each(v->e, write_one, v);
    skr_json_close(&v->w, ']');
    skr_json_close(&v->w, '}');
    return 200;
}
