/* SPDX-License-Identifier: Apache-2.0 */
/* The protocol is that of optimistic concurrency in the Kubernetes API conventions: a version that
 * was read is the precondition of what is written. */
#include "core/frame/object_writer.h"

#include <inttypes.h>

enum {
    RETRY_FIRST_MS = 100,
    RETRY_SHIFT_MAX = 7,
    RETRY_LAST_S = 10,
    REFUSED_S = 30,
    CONFLICTS_AT_ONCE = 3, /* in a row: more have a pause before the next patch */
    UNDONE_AT_ONCE = 3,    /* the same */
    UNDONE_TOLD = 7,       /* its pause is a second, which is no accident */
    UNDONE_CALM_S = 60,
};

static skr_time delay_after(uint32_t failures)
{
    uint32_t shift = failures > RETRY_SHIFT_MAX ? RETRY_SHIFT_MAX : failures;
    skr_time d = RETRY_FIRST_MS * SKR_MILLISECOND << shift;
    return d > RETRY_LAST_S * SKR_SECOND ? RETRY_LAST_S * SKR_SECOND : d;
}

/* ---- what others undo ---- */

bool skr_undone_lasts(const struct skr_undone *undone, skr_time now)
{
    return undone->n > 0 && now < undone->at + UNDONE_CALM_S * SKR_SECOND;
}

skr_time skr_undone_note(struct skr_undone *undone, skr_time now)
{
    if (!skr_undone_lasts(undone, now)) {
        *undone = (struct skr_undone){.n = 0};
    }
    undone->at = now;
    undone->n += undone->n < UINT32_MAX;
    return undone->n > UNDONE_AT_ONCE ? now + delay_after(undone->n - UNDONE_AT_ONCE - 1) : now;
}

bool skr_undone_tell(struct skr_undone *undone)
{
    const bool first = undone->n >= UNDONE_TOLD && !undone->told;
    undone->told = undone->told || first;
    return first;
}

void skr_undone_write_note(const struct skr_undone *undone, const char *what,
                           struct skr_strbuf *out)
{
    skr_strbuf_addf(out,
                    "another client has changed %s %u times in a row, which sakkara writes; "
                    "sakkara writes it again after pauses of up to %d s; find that client in "
                    "metadata.managedFields",
                    what, (unsigned)undone->n, (int)RETRY_LAST_S);
}

void skr_rewrites_note(struct skr_rewrites *rewrites, uint64_t wanted, skr_time now)
{
    if (rewrites->wrote == wanted) {
        rewrites->next = skr_undone_note(&rewrites->undone, now);
    }
    rewrites->wrote = wanted;
}

/* The object was as it should be, that has not changed, and now the object differs. */
static void look_for_undone(struct skr_object_writer *w, const struct skr_object_target *t,
                            skr_time now)
{
    if (t->wanted && w->rested == t->wanted) {
        const skr_time at = skr_undone_note(&w->undone, now);
        w->patch_at = at > w->patch_at ? at : w->patch_at;
    }
    w->rested = 0;
}

/* ---- one object ---- */

static void send_read(struct skr_object_writer *w, struct skr_frame *frame,
                      const struct skr_object_target *t)
{
    const struct skr_write write = {.verb = SKR_VERB_GET,
                                    .resource = t->type->resource,
                                    .class = SKR_WRITE_CLASS_COMMIT,
                                    .namespace_ = t->meta->namespace_,
                                    .name = t->meta->name,
                                    .answer = t->type};
    w->write = skr_frame_write(frame, &write, t->purpose, t->key)->id;
    w->reading = true;
    w->blind = false;
}

enum skr_object_step skr_object_writer_step(struct skr_object_writer *w, struct skr_frame *frame,
                                            const struct skr_object_target *t,
                                            skr_time collect_until, skr_time *ret_at)
{
    skr_time now = skr_frame_now(frame);
    *ret_at = SKR_TIME_NEVER;
    look_for_undone(w, t, now);
    if (w->write) {
        return SKR_OBJECT_WAIT;
    }
    if (now < w->retry_at) {
        *ret_at = w->retry_at;
        return SKR_OBJECT_WAIT;
    }
    if (!w->urgent && collect_until) {
        w->flush_at = w->flush_at ? w->flush_at : collect_until;
        if (now < w->flush_at) {
            *ret_at = w->flush_at;
            return SKR_OBJECT_WAIT;
        }
    }
    if (w->must_read) {
        send_read(w, frame, t);
        return SKR_OBJECT_WAIT;
    }
    if (now < w->patch_at) {
        *ret_at = w->patch_at;
        return SKR_OBJECT_WAIT;
    }
    return SKR_OBJECT_PATCH;
}

bool skr_object_writer_compares(const struct skr_object_writer *w, bool differs)
{
    return differs == (w->rested != 0);
}

void skr_object_writer_rest(struct skr_object_writer *w, const struct skr_object_target *t)
{
    w->rested = w->rested ? w->rested : t->wanted;
    if (!w->write) {
        w->urgent = false;
        w->flush_at = 0;
    }
}

static void patch_body(const struct skr_object_target *t, const char *in_metadata,
                       const char *members, struct skr_strbuf *b)
{
    skr_strbuf_add(b, "{\"metadata\":{\"uid\":");
    skr_strbuf_add_json(b, t->meta->uid);
    if (t->meta->resource_version) {
        skr_strbuf_addf(b, ",\"resourceVersion\":\"%llu\"",
                        (unsigned long long)t->meta->resource_version);
    }
    if (*in_metadata) {
        skr_strbuf_addc(b, ',');
        skr_strbuf_add(b, in_metadata);
    }
    skr_strbuf_addc(b, '}');
    if (*members) {
        skr_strbuf_addc(b, ',');
        skr_strbuf_add(b, members);
    }
    skr_strbuf_addc(b, '}');
}

void skr_object_writer_patch(struct skr_object_writer *w, struct skr_frame *frame,
                             const struct skr_object_target *t, enum skr_write_class class,
                             const char *in_metadata, const char *members)
{
    SKR_STRBUF(b);
    patch_body(t, in_metadata, members, &b);
    const struct skr_write write = {.verb = t->strategic ? SKR_VERB_STRATEGIC_PATCH
                                                         : SKR_VERB_MERGE_PATCH,
                                    .resource = t->type->resource,
                                    .subresource = t->subresource,
                                    .class = class,
                                    .namespace_ = t->meta->namespace_,
                                    .name = t->meta->name,
                                    .body = b.s,
                                    .body_len = b.len,
                                    .answer = t->applies_itself ? NULL : t->type};
    w->write = skr_frame_write(frame, &write, t->purpose, t->key)->id;
    w->reading = false;
    w->blind = t->applies_itself;
    w->urgent = false;
    w->flush_at = 0;
    w->sent_at = skr_frame_now(frame);
}

static skr_time retry_delay(struct skr_object_writer *w)
{
    return delay_after(w->failures++);
}

enum skr_object_result skr_object_writer_done(struct skr_object_writer *w,
                                              const struct skr_frame *frame,
                                              const struct skr_event *event)
{
    skr_time now = skr_frame_now(frame);
    if (w->write != event->written.id) {
        return SKR_OBJECT_STALE;
    }
    w->write = 0;
    enum skr_object_result result = SKR_OBJECT_RETRY;
    switch (event->written.outcome) {
    case SKR_WRITE_OK:
        w->failures = 0;
        w->conflicts = w->reading ? w->conflicts : 0;
        w->retry_at = 0;
        w->refused = false;
        w->must_read = !event->written.object && !w->blind;
        return SKR_OBJECT_SET;
    case SKR_WRITE_NOT_FOUND:
        return SKR_OBJECT_GONE;
    case SKR_WRITE_CONFLICT:
        w->must_read = true;
        if (++w->conflicts > CONFLICTS_AT_ONCE) {
            const skr_time at = now + delay_after(w->conflicts - CONFLICTS_AT_ONCE - 1);
            w->patch_at = at > w->patch_at ? at : w->patch_at;
        }
        break;
    case SKR_WRITE_BUSY:
        w->retry_at =
            now + (event->written.retry_after > 0 ? event->written.retry_after : retry_delay(w));
        break;
    case SKR_WRITE_UNKNOWN:
    case SKR_WRITE_DROPPED:
        w->must_read = true;
        w->retry_at = now + retry_delay(w);
        break;
    case SKR_WRITE_INVALID:
    case SKR_WRITE_DENIED:
    case SKR_WRITE_OUTCOME_COUNT:
    default:
        w->refused = !w->reading;
        w->must_read = w->reading; /* a refused patch was not applied */
        w->retry_at = now + REFUSED_S * SKR_SECOND;
        result = SKR_OBJECT_REFUSED;
        break;
    }
    w->urgent = true;
    return result;
}

void skr_object_open_patch(struct skr_json_writer *w, const struct skr_meta *meta)
{
    SKR_STRBUF(version);
    skr_strbuf_addf(&version, "%" PRIu64, meta->resource_version);
    skr_json_open(w, NULL, '{');
    skr_json_open(w, "metadata", '{');
    skr_json_string(w, "uid", meta->uid);
    skr_json_string(w, "resourceVersion", version.s);
}

void skr_object_close_patch_with(struct skr_json_writer *w,
                                 const struct skr_object_condition *condition)
{
    skr_json_close(w, '}');
    skr_json_open(w, "status", '{');
    skr_json_open(w, "conditions", '[');
    skr_json_open(w, NULL, '{');
    skr_json_string(w, "type", condition->type);
    skr_json_string(w, "status", "True");
    skr_json_string(w, "reason", condition->reason);
    skr_json_string(w, "message", condition->message);
    if (condition->since) {
        skr_json_string(w, "lastTransitionTime", condition->since);
    }
    skr_json_close(w, '}');
    skr_json_close(w, ']');
    skr_json_close(w, '}');
    skr_json_close(w, '}');
}
