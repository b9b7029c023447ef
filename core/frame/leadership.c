/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record as it was seen last decides what comes next:
 *
 *   names us           renew every `retry`; may not lead: give back
 *   has no holder      take it
 *   names another      look every `lookup`; unchanged for its duration, or the other has ended:
 *                      take it
 *   does not exist     make it; when it named another before, as if it still did
 *
 * After a conflict or an unknown outcome it is read before anything else. A write whose outcome is
 * unknown counts once a read shows the very record it would have made.
 */
#include "core/frame/leadership.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/base/json_field.h"

enum {
    DURATION_MAX_S = 60, /* longest time of a record that is waited for */
    REFUSED_RETRIES = 5, /* `retry`s after a refusal that only an administrator ends */
    TIME_TEXT_MAX = 48,
};

struct skr_leadership {
    struct skr_leadership_options options;
    char identity[SKR_LEADERSHIP_IDENTITY_MAX];
    bool may;
    bool seen;      /* a read was answered, with or without a record */
    bool must_read; /* the record may have changed by what we sent */
    bool mine;      /* the record names us */
    bool unsure;    /* the last write may have been applied */
    bool handed_over;
    json_t *record; /* NULL: does not exist */
    char holder[SKR_LEADERSHIP_IDENTITY_MAX];
    bool ended;           /* the holder's process has ended */
    bool other_seen;      /* at observed_at the record named another */
    skr_time other_for;   /* for so long it is believed from then on */
    skr_time observed_at; /* when the record was received as it is */
    skr_time due;
    skr_time leads_until;
    enum skr_leadership_step running;
    bool giving_back;            /* what the running write does */
    skr_time sent_at;            /* the running step */
    skr_time sent_at_of_write;   /* the last write that ended */
    char renewed[TIME_TEXT_MAX]; /* renewTime of the last write */
};

void skr_leadership_options_default(struct skr_leadership_options *options)
{
    *options = (struct skr_leadership_options){
        .namespace_ = "",
        .name = "",
        .identity = "",
        .duration = 13 * SKR_SECOND,
        .renew_deadline = 10 * SKR_SECOND,
        .retry = 2 * SKR_SECOND,
        .lookup = 1 * SKR_SECOND,
    };
}

struct skr_leadership *skr_leadership_create(const struct skr_leadership_options *options)
{
    struct skr_leadership *l = skr_alloc(sizeof *l);
    skr_bug_on(options->renew_deadline >= options->duration);
    l->options = *options;
    (void)snprintf(l->identity, sizeof l->identity, "%s", options->identity);
    return l;
}

void skr_leadership_destroy(struct skr_leadership *leadership)
{
    if (leadership) {
        json_decref(leadership->record);
        free(leadership);
    }
}

/* ---- the record ---- */

static const char *version_of(const json_t *lease)
{
    return skr_object_text(json_object_get(lease, "metadata"), "resourceVersion");
}

/* How long a record is believed: as long as it says, within reason. */
static skr_time duration_of(const struct skr_leadership *l, const json_t *spec)
{
    json_int_t seconds = json_integer_value(json_object_get(spec, "leaseDurationSeconds"));
    if (seconds > DURATION_MAX_S) {
        seconds = DURATION_MAX_S;
    }
    skr_time said = (skr_time)seconds * SKR_SECOND;
    return said > l->options.duration ? said : l->options.duration;
}

static void take_record(struct skr_leadership *l, skr_time now, const json_t *lease)
{
    const json_t *spec = json_object_get(lease, "spec");
    const bool changed = !l->record || strcmp(version_of(l->record), version_of(lease)) != 0;
    json_decref(l->record);
    l->record = json_deep_copy(lease);
    const char *holder = skr_object_text(spec, "holderIdentity");
    l->ended = l->ended && strcmp(l->holder, holder) == 0;
    (void)snprintf(l->holder, sizeof l->holder, "%s", holder);
    l->mine = strcmp(l->holder, l->identity) == 0;
    l->seen = true;
    l->must_read = false;
    if (changed) {
        l->observed_at = now;
        l->other_seen = l->holder[0] != '\0' && !l->mine;
        l->other_for = duration_of(l, spec);
    }
}

static void forget_record(struct skr_leadership *l)
{
    json_decref(l->record);
    l->record = NULL;
    l->holder[0] = '\0';
    l->mine = false;
    l->seen = true;
    l->must_read = false;
}

/* When it may be taken over from another. */
static skr_time free_at(const struct skr_leadership *l)
{
    return l->other_seen && !l->ended ? l->observed_at + l->other_for : 0;
}

static void write_micro_time(skr_time wall, char *buffer, size_t size)
{
    char seconds[TIME_TEXT_MAX];
    skr_time_write(wall - wall % SKR_SECOND, 0, seconds, sizeof seconds);
    (void)snprintf(buffer, size, "%.19s.%06dZ", seconds, (int)(wall % SKR_SECOND / 1000));
}

static void set_int(json_t *object, const char *key, int64_t value)
{
    (void)json_object_set_new(object, key, json_integer(value));
}

static void set_text(json_t *object, const char *key, const char *value)
{
    (void)json_object_set_new(object, key, json_string(value));
}

/* The record as it shall be: what others put beside our fields stays. */
static void write_record(struct skr_leadership *l, skr_time wall, struct skr_strbuf *body)
{
    json_auto_t *lease =
        l->record ? json_deep_copy(l->record)
                  : json_pack("{s:s,s:s,s:{s:s,s:s}}", "apiVersion", "coordination.k8s.io/v1",
                              "kind", "Lease", "metadata", "namespace", l->options.namespace_,
                              "name", l->options.name);
    json_t *spec = json_object_get(lease, "spec");
    if (!json_is_object(spec)) {
        spec = json_object();
        (void)json_object_set_new(lease, "spec", spec);
    }
    write_micro_time(wall, l->renewed, sizeof l->renewed);
    if (!l->mine) {
        json_int_t n = json_integer_value(json_object_get(spec, "leaseTransitions"));
        set_int(spec, "leaseTransitions", l->record ? (n < INT32_MAX ? n + 1 : 0) : 0);
        set_text(spec, "acquireTime", l->renewed);
    }
    set_text(spec, "holderIdentity", l->giving_back ? "" : l->identity);
    set_int(spec, "leaseDurationSeconds", l->giving_back ? 1 : l->options.duration / SKR_SECOND);
    set_text(spec, "renewTime", l->renewed);
    SKR_AUTO_FREE char *text = json_dumps(lease, JSON_COMPACT);
    skr_strbuf_reset(body);
    skr_strbuf_add(body, text ? text : "");
}

/* ---- what to do ---- */

void skr_leadership_permit(struct skr_leadership *leadership, bool may)
{
    if (leadership->may == may) {
        return;
    }
    leadership->may = may;
    leadership->due = 0;
    if (!may) {
        leadership->leads_until = 0;
    }
}

void skr_leadership_holder_ended(struct skr_leadership *leadership)
{
    struct skr_leadership *l = leadership;
    if (!l->ended && !l->mine && l->holder[0] != '\0') {
        l->ended = true;
        l->due = 0;
    }
}

static enum skr_leadership_step begin(struct skr_leadership *l, skr_time now,
                                      enum skr_leadership_step step)
{
    l->running = step;
    l->sent_at = now;
    return step;
}

static enum skr_leadership_step rest(struct skr_leadership *l, skr_time *ret_at)
{
    bool ends_first = l->leads_until > 0 && l->leads_until < l->due;
    *ret_at = ends_first ? l->leads_until : l->due;
    return SKR_LEADERSHIP_REST;
}

enum skr_leadership_step skr_leadership_next(struct skr_leadership *leadership, skr_time now,
                                             skr_time wall, struct skr_strbuf *body,
                                             skr_time *ret_at)
{
    struct skr_leadership *l = leadership;
    skr_bug_on(l->running != SKR_LEADERSHIP_REST);
    if (l->leads_until > 0 && now >= l->leads_until) {
        l->leads_until = 0;
        l->must_read = true;
    }
    if (now < l->due) {
        return rest(l, ret_at);
    }
    if (!l->seen || l->must_read) {
        return begin(l, now, SKR_LEADERSHIP_READ);
    }
    l->giving_back = !l->may;
    const bool wants = l->may ? l->mine || now >= free_at(l) : l->mine;
    if (!wants) {
        return begin(l, now, SKR_LEADERSHIP_READ);
    }
    write_record(l, wall, body);
    return begin(l, now, l->record ? SKR_LEADERSHIP_UPDATE : SKR_LEADERSHIP_CREATE);
}

/* ---- how it ended ---- */

static void set_due(struct skr_leadership *l, skr_time now)
{
    l->due = now + l->options.lookup;
    if (l->may && !l->mine && free_at(l) < l->due) {
        l->due = free_at(l) > now ? free_at(l) : now;
    }
    if (l->mine) {
        l->due = now;
    }
}

static void failed(struct skr_leadership *l, skr_time now, enum skr_lease_outcome outcome)
{
    bool refused = outcome == SKR_LEASE_REFUSED;
    l->due = now + (refused ? REFUSED_RETRIES * l->options.retry : l->options.lookup);
}

void skr_leadership_was_read(struct skr_leadership *leadership, skr_time now,
                             enum skr_lease_outcome outcome, const json_t *lease)
{
    struct skr_leadership *l = leadership;
    skr_bug_on(l->running != SKR_LEADERSHIP_READ);
    l->running = SKR_LEADERSHIP_REST;
    if (outcome == SKR_LEASE_NOT_FOUND) {
        forget_record(l);
        l->unsure = false;
        set_due(l, now);
        return;
    }
    if (outcome != SKR_LEASE_OK || !json_is_object(lease)) {
        failed(l, now, outcome);
        return;
    }
    take_record(l, now, lease);
    if (!l->mine) {
        l->leads_until = 0;
    } else if (l->unsure && l->may &&
               strcmp(skr_object_text(json_object_get(lease, "spec"), "renewTime"), l->renewed) ==
                   0) {
        l->leads_until = l->sent_at_of_write + l->options.renew_deadline;
    }
    l->unsure = false;
    set_due(l, now);
}

void skr_leadership_was_written(struct skr_leadership *leadership, skr_time now,
                                enum skr_lease_outcome outcome, const json_t *lease)
{
    struct skr_leadership *l = leadership;
    skr_bug_on(l->running != SKR_LEADERSHIP_CREATE && l->running != SKR_LEADERSHIP_UPDATE);
    const bool created = l->running == SKR_LEADERSHIP_CREATE;
    l->running = SKR_LEADERSHIP_REST;
    l->sent_at_of_write = l->sent_at;
    if (outcome == SKR_LEASE_OK && json_is_object(lease)) {
        if (!l->mine) {
            l->handed_over = !created && l->holder[0] == '\0';
        }
        take_record(l, now, lease);
        if (l->mine && l->may) {
            l->leads_until = l->sent_at + l->options.renew_deadline;
            l->due = l->sent_at + l->options.retry;
        } else {
            set_due(l, now);
        }
    } else if (outcome == SKR_LEASE_NOT_FOUND && !created) {
        forget_record(l);
        l->due = now;
    } else if (outcome == SKR_LEASE_CONFLICT) {
        l->must_read = true;
        l->due = now;
    } else if (outcome == SKR_LEASE_UNKNOWN || outcome == SKR_LEASE_OK) {
        l->must_read = l->unsure = true;
        l->due = now;
    } else {
        failed(l, now, outcome);
    }
}

/* ---- looking in ---- */

skr_time skr_leadership_leads_until(const struct skr_leadership *leadership)
{
    return leadership->leads_until;
}

const char *skr_leadership_holder(const struct skr_leadership *leadership)
{
    return leadership->holder;
}

bool skr_leadership_is_out(const struct skr_leadership *leadership)
{
    return !leadership->may && !leadership->mine && !leadership->unsure;
}

bool skr_leadership_was_handed_over(const struct skr_leadership *leadership)
{
    return leadership->handed_over;
}

bool skr_leadership_is_host(const char *holder, const char *host)
{
    const size_t n = strlen(host);
    return n > 0 && strncmp(holder, host, n) == 0 && holder[n] == '_';
}
