/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a reservation with what was told of it last, and tells it anew if they differ enough. */
#include "core/gang/time/told.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/cache/pods.h"
#include "core/gang/changes/status_map.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/refusal.h"
#include "core/gang/group/window.h"
#include "core/gang/report/status.h"
#include "core/gang/restore/restore.h"
#include "core/gang/state/booking.h"
#include "core/gang/state/map_entry.h"
#include "core/gang/state/wakes.h"
#include "core/gang/time/gather.h"
#include "core/gang/time/stored.h"

const char *skr_told_stored(const struct skr_gang *e, const struct group *g)
{
    const struct pod_entry *oldest = skr_membership_oldest(g);
    bool none;
    const char *text = skr_status_map_note(e, g, SKR_ANNOTATION_RESERVATION, &none);
    return none && oldest
               ? skr_labels_get(&oldest->pod->meta.annotations, SKR_ANNOTATION_RESERVATION)
               : text;
}

void skr_told_restore(const struct skr_gang *e, struct group *g)
{
    const char *text = skr_told_stored(e, g);
    json_auto_t *json = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const char *start = json_string_value(json_object_get(json, "start"));
    const json_t *nodes = json_object_get(json, "nodes");
    skr_time at;
    skr_status_forget_told(g);
    if (!start || skr_time_parse(start, &at, NULL) < 0) {
        return;
    }
    g->told.annotation = skr_strdup(text);
    g->told.place = nodes ? json_dumps(nodes, JSON_COMPACT) : skr_strdup("");
    g->told.start = skr_strdup(skr_restore_object_key(e, g, "plannedStart"));
    g->told.why = skr_strdup(skr_restore_object_key(e, g, "plannedWhy"));
    g->told.start_s = skr_instant_up(at);
    g->told.unread = true;
    g->told.guess = json_is_true(json_object_get(json, "guess"));
}

/* ---- what is to be told ---- */

static const char *because(const struct booking *b)
{
    return b->because ? b->because : "another pod";
}

/* One line, free of times: a changing one would wake who watches. */
static char *why(const struct group *g, const struct booking *b)
{
    struct skr_strbuf text;
    skr_strbuf_init(&text);
    skr_strbuf_addf(&text, b->guess ? "guess: %s has no limit" : "when %s must end", because(b));
    if (g->moved != SKR_MOVED_NOT) {
        skr_strbuf_addf(&text, "; moved: %s", skr_move_cause_name((enum skr_move_cause)g->moved));
    }
    return skr_strbuf_take(&text, NULL);
}

static void say_start(const struct booking *b, char text[48])
{
    skr_time_write(b->start * SKR_SECOND, 0, text, 48);
}

/* Of a reservation that an earlier process has told, and that no round has seen: the group has no turn
 * now, or nothing is reserved any more. */
static enum skr_move_cause cause_of(const struct skr_gang *e, const struct group *g)
{
    const bool off = e->settings.reservations == 0;
    const bool refused = skr_refusal_pause(e, g) > 0;
    return g->moved != SKR_MOVED_NOT ? (enum skr_move_cause)g->moved
           : off                     ? SKR_MOVED_SETTING
           : refused                 ? SKR_MOVED_VETOED
                                     : SKR_MOVED_USER;
}

/* Events; later: than what was told. */
static void report(struct skr_gang *e, struct group *g, const struct booking *b, bool later)
{
    char start[48];
    SKR_STRBUF(note);
    const char *cause = skr_move_cause_name(cause_of(e, g));
    if (!b) {
        skr_strbuf_add(&note, "no start is reserved any more");
        skr_status_event(e, g, "GroupStartMoved", cause, note.s);
        return;
    }
    say_start(b, start);
    if (b->guess) {
        skr_strbuf_addf(&note, "probably starts about %s: %s has no limit", start, because(b));
    } else {
        skr_strbuf_addf(&note, "starts by %s, when %s must end", start, because(b));
    }
    if (later) {
        skr_status_event(e, g, "GroupStartMoved", cause, note.s);
    } else if (!g->told.annotation || g->told.guess != b->guess) {
        const char *reason = b->guess ? "GroupDraining" : "GroupReserved";
        skr_status_event(e, g, reason, reason, note.s);
    }
}

/* Than what was told; every move that was counted is. */
static bool is_later(const struct group *g, const struct booking *b)
{
    const int64_t by = g->moved != SKR_MOVED_NOT ? SKR_MOVE_S : TOLD_MOVE_S;
    return b->start > g->told.start_s + by;
}

static void tell(struct skr_gang *e, struct group *g, const struct booking *b, char *place)
{
    char start[48];
    const bool had = g->told.annotation;
    const bool guessed = b && b->guess && g->told.guess && g->moved == SKR_MOVED_NOT;
    const bool later = b && had && !guessed && is_later(g, b);
    if (b || had) {
        report(e, g, b, later);
    }
    e->stats.moves[cause_of(e, g)] += !b && g->told.unread; /* no round has seen it */
    skr_status_forget_told(g);
    g->told.at = skr_frame_now(e->frame);
    g->told.lost = b ? NULL : skr_move_cause_name(cause_of(e, g));
    if (b) {
        SKR_STRBUF(text);
        say_start(b, start);
        skr_reservation_write(b, &text);
        g->told.annotation = skr_strdup(text.s);
        g->told.place = place;
        g->told.start = skr_strdup(start);
        g->told.why = why(g, b);
        g->told.start_s = b->start;
        g->told.guess = b->guess;
    }
    g->moved = SKR_MOVED_NOT;
}

static bool differs(const struct group *g, const struct booking *b, const char *place)
{
    if (!b || !g->told.annotation) {
        return b || g->told.annotation;
    }
    return is_later(g, b) || b->start < g->told.start_s - TOLD_MOVE_S ||
           b->guess != g->told.guess || strcmp(place, g->told.place) != 0;
}

/* Before the deadline of a Job ends a group that waits. A round may promise a start first. */
static void warn_of_deadline(struct skr_gang *e, struct group *g)
{
    const skr_time since = g->reason_since + TOLD_GONE_S * SKR_SECOND;
    SKR_STRBUF(note);
    if (g->told.late || !skr_window_say_late(e, g, skr_frame_now(e->frame), &note)) {
        return;
    }
    if (skr_frame_now(e->frame) < since) {
        skr_wakes_group(e, g, since);
        return;
    }
    g->told.late = true;
    skr_status_warning(e, g, SKR_TOKEN_DEADLINE, note.s);
}

void skr_told_settle(struct skr_gang *e, struct group *g)
{
    const struct booking *b = g->booking;
    const bool starts = b && b->start * SKR_SECOND <= skr_frame_now(e->frame);
    if (g->state == GROUP_BOUND && g->seats.n_ready == 0 && !b) {
        skr_status_forget_told(g);
        g->told.late = false;
        return;
    }
    warn_of_deadline(e, g);
    if (g->plan || starts || e->rounds.first || (!b && !g->told.annotation)) {
        return; /* as it is until the group is bound, or what it starts with fails */
    }
    if (!b && g->told.gone == 0) {
        g->told.gone = skr_frame_now(e->frame);
    }
    const bool unseen = g->told.unread && !gathering_has_turn(e, g);
    const skr_time wait = unseen ? e->settings.seat_hold : TOLD_GONE_S * SKR_SECOND;
    if (!b && skr_frame_now(e->frame) < g->told.gone + wait) {
        skr_wakes_group(e, g, g->told.gone + wait); /* another one may come */
        return;
    }
    SKR_STRBUF(nodes);
    if (b) {
        g->told.gone = 0;
        skr_reservation_write_nodes(b, &nodes);
    }
    if (!differs(g, b, nodes.s ? nodes.s : "")) {
        return;
    }
    const skr_time next = g->told.at + TOLD_PAUSE_S * SKR_SECOND;
    if (g->told.at > 0 && skr_frame_now(e->frame) < next) {
        skr_wakes_group(e, g, next);
        return;
    }
    tell(e, g, b, b ? skr_strdup(nodes.s ? nodes.s : "") : NULL);
}
