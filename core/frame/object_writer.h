/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_OBJECT_WRITER_H
#define SKR_CORE_FRAME_OBJECT_WRITER_H
/*
 * Brings one object of the API server from what it is to what it should be. The owner knows the
 * object as cached and what differs; the writer knows when a patch may go out and what to do with
 * its outcome:
 *
 * - one request in flight per object;
 * - a JSON merge patch (RFC 7386) of the differences alone, with uid and resourceVersion as
 *   preconditions, so a user's change is never overwritten;
 * - after a conflict or an unknown outcome the object is read before anything else is written;
 * - from the fourth conflict in a row on there is a pause before the next patch, 100 ms doubling to
 *   10 s: a user who changes the object all the time cannot make the daemon write all the time;
 * - if another client undoes what was written, again and again, the pauses grow in the same way
 *   (struct skr_undone), and the owner of the object is told once;
 * - refused and failed requests come again after a pause;
 * - changes that are not urgent are collected for a moment.
 *
 *   settle: differs? -> skr_object_writer_step() -> PATCH: build the members, _patch()
 *   written: skr_object_writer_done() -> OBJECT: take it from the event into the cache; GONE: out of
 *            the cache; then look at the object again
 *
 * Embedded in the owner's cache entry; all zero is its beginning, it owns nothing.
 */
#include "core/frame/frame.h"
#include "topology/base/json_writer.h"
#include "topology/object.h"

/* How often in a row another client has undone what was written. The row ends after a minute without.
 * All zero is its beginning. */
struct skr_undone {
    uint32_t n;
    bool told;
    skr_time at; /* the last time */
};
/* Once more. Returns until when the next write waits: from the fourth time in a row on 100 ms, doubling
 * to 10 s. */
skr_time skr_undone_note(struct skr_undone *undone, skr_time now);
/* True once a row, from the first pause of a second on: an Event is due. */
bool skr_undone_tell(struct skr_undone *undone);
bool skr_undone_lasts(const struct skr_undone *undone, skr_time now); /* the row */
/* Of that Event: its reason, and its note, with room for both. */
#define SKR_UNDONE_REASON "ObjectOverwritten"
void skr_undone_write_note(const struct skr_undone *undone, const char *what,
                           struct skr_strbuf *out);

/* The same of a cycle that writes several objects, or one in several ways. All zero is its beginning. */
struct skr_rewrites {
    uint64_t wrote; /* hash of all that the last cycle wanted that wrote */
    skr_time next;  /* the next cycle waits until then */
    struct skr_undone undone;
};
/* A cycle has written all that it wanted, of which wanted is the hash. If the one before wanted the
 * same, another client has undone it. */
void skr_rewrites_note(struct skr_rewrites *rewrites, uint64_t wanted, skr_time now);

struct skr_object_writer {
    uint64_t write;    /* patch or read-back in flight; 0 none */
    bool reading;      /* that is a read-back */
    bool blind;        /* that is a patch answered without the object */
    bool urgent;       /* changes are not collected */
    bool must_read;    /* the cached version is known to be stale: read before writing */
    bool refused;      /* the last patch was, for good, until retry_at */
    skr_time sent_at;  /* last patch */
    skr_time flush_at; /* collected changes are written then; 0: nothing to write */
    skr_time retry_at;
    uint32_t failures;
    uint32_t conflicts; /* of patches, in a row */
    skr_time patch_at;  /* no patch before, because of them, or of what was undone */
    uint64_t rested;    /* `wanted` when the object was last as it should be; 0: it changed since */
    struct skr_undone undone;
};

/* The object that is written. All borrowed. */
struct skr_object_target {
    const struct skr_object_type *type;
    const char *subresource; /* "" or "status" */
    const struct skr_meta *meta;
    int purpose; /* of its writes, and */
    const char *key;
    uint64_t
        wanted; /* hash of all that the object should be; 0: what others undo is not noticed. Where it
                        costs much: 0 unless skr_object_writer_compares() */
    bool strategic; /* a strategic merge patch: lists of built-in kinds are merged by their key */
    bool
        applies_itself; /* the owner changes its cached object by the patch it sent: the answer need
                            not carry the object, which may be large */
};

enum skr_object_step {
    SKR_OBJECT_WAIT, /* nothing now: look again at *ret_at, SKR_TIME_NEVER: when something happens */
    SKR_OBJECT_PATCH, /* the differences are to be written now: skr_object_writer_patch() */
};

/* The object differs from what it should be: what is to be done? Sends the read-back itself where
 * one is due. collect_until: a patch that is not urgent waits until then, as the first call says
 * that finds a difference; 0: this one does not wait. */
enum skr_object_step skr_object_writer_step(struct skr_object_writer *writer,
                                            struct skr_frame *frame,
                                            const struct skr_object_target *target,
                                            skr_time collect_until, skr_time *ret_at);
/* Whether the next call reads target->wanted. differs: it will be that of a step, else of a rest. */
bool skr_object_writer_compares(const struct skr_object_writer *writer, bool differs);
/* The object is as it should be. */
void skr_object_writer_rest(struct skr_object_writer *writer,
                            const struct skr_object_target *target);
/* Sends a merge patch. in_metadata, members: what differs, as members of a JSON object, without
 * the braces ("\"a\":1,\"b\":2"); "" none. Answered with the object. */
void skr_object_writer_patch(struct skr_object_writer *writer, struct skr_frame *frame,
                             const struct skr_object_target *target, enum skr_write_class class,
                             const char *in_metadata, const char *members);

enum skr_object_result {
    SKR_OBJECT_STALE,   /* not one of the writer's: only the object in the event may be of use */
    SKR_OBJECT_SET,     /* the event's object is the newest; NULL when it could not be read: then
                           the next step reads it; or when the owner applies its patch itself: that
                           is applied, at the event's resource_version */
    SKR_OBJECT_GONE,    /* it does not exist any more */
    SKR_OBJECT_RETRY,   /* look again, not before retry_at */
    SKR_OBJECT_REFUSED, /* the same, and it is worth a line in the log: message of the event */
};
enum skr_object_result skr_object_writer_done(struct skr_object_writer *writer,
                                              const struct skr_frame *frame,
                                              const struct skr_event *event);

/* Begins a patch of the object with this uid at this version; its metadata stays open. */
void skr_object_open_patch(struct skr_json_writer *w, const struct skr_meta *meta);
/* A condition whose status is True. */
struct skr_object_condition {
    const char *type, *reason, *message;
    const char *since; /* RFC 3339; NULL: no lastTransitionTime */
};
/* Ends a patch whose metadata is open: its status has this condition alone. */
void skr_object_close_patch_with(struct skr_json_writer *w,
                                 const struct skr_object_condition *condition);

#endif
