/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_FRAME_RIG_H
#define SKR_TEST_UNIT_FRAME_RIG_H
/*
 * An engine of any scheduler against an API server in memory, under a virtual clock: what tests of
 * protocols stand on. The server keeps objects of every resource as JSON with uid, resourceVersion
 * and generation; it answers what skr_write asks for, with the preconditions and refusals of the
 * real one, and tells the engine's watches. Faults are set before they happen; a crash kills the
 * engine between two writes and starts it anew on what the server holds.
 *
 * It does not stand on the lab's driver and store (server/lab): it kills the engine between a write
 * and its answer, loses and delays either, and what it knows of the API shares no line with the program, so
 * that a mistake of the store is not one of its judge as well.
 *
 * Of a resource, status is changed through the subresource "status" alone, and nothing else through
 * it. pods/binding sets spec.nodeName, pods/eviction deletes. Strategic patches are merge patches, but for a
 * scheduling gate that one deletes.
 */
#include <jansson.h>

#include "core/frame/engine.h"

/* What goes wrong with a write. */
enum frame_fault {
    FRAME_FAULT_BUSY,         /* 429, not applied */
    FRAME_FAULT_DENIED,       /* 403 */
    FRAME_FAULT_INVALID,      /* 422 */
    FRAME_FAULT_CONFLICT,     /* 409, not applied */
    FRAME_FAULT_LOST_REQUEST, /* unknown outcome, not applied */
    FRAME_FAULT_LOST_ANSWER,  /* unknown outcome, applied */
    FRAME_FAULT_SERVER_ERROR, /* 500, not applied */
    FRAME_FAULT_OUT_OF_ORDER, /* applied, answered after what comes later */
    FRAME_FAULT_KIND_COUNT
};

/* A write as the server saw it. */
struct frame_rig_write {
    enum skr_write_verb verb;
    const struct skr_resource *resource;
    enum skr_write_class class;
    char *subresource;
    char *key;       /* namespace/name, or the name of a cluster-scoped object */
    json_t *body;    /* NULL: none */
    int http_status; /* of the answer; 0: it got lost */
    bool applied;
};

/* One that a test waits for: all that is set must be equal. */
struct frame_rig_match {
    const enum skr_write_verb *verb;     /* NULL: any */
    const struct skr_resource *resource; /* NULL: any */
    const char *subresource;             /* NULL: any */
    const char *key;                     /* NULL: any */
};

struct frame_rig {
    struct skr_engine *engine; /* NULL: crashed, or not started */
    skr_time now;
    /* Every answer of the engine; may be NULL. body is borrowed until it returns. */
    void (*answer)(void *context, uint64_t request, const void *body);
    /* Every query; it is borrowed until this returns. NULL: the engine must not make any. */
    void (*query)(void *context, const struct skr_query *query);
    void *context;
    struct frame_rig_write *write; /* in order, events.k8s.io too */
    size_t n_writes;
    char **decision; /* "what: key: message" */
    size_t n_decisions;
    bool hold_watches;                     /* what changes is not shown until this is false again */
    const struct skr_resource *hold_watch; /* the same of one resource; NULL: none */
    struct frame_rig_parts *parts;
};

/* settings: as the scheduler's create(). Nothing runs yet. */
struct frame_rig *frame_rig_create(const struct skr_scheduler *scheduler, const void *settings);
void frame_rig_destroy(struct frame_rig *rig); /* NULL allowed */

/* ---- the cluster. key: "namespace/name", or the name of a cluster-scoped object. JSON as in
 * json_text.h, with single quotes; metadata is filled in. ---- */
void frame_rig_add(struct frame_rig *rig, const struct skr_resource *resource, const char *key,
                   const char *format, ...) SKR_PRINTF(4, 5);
/* A merge patch by a user: of the object or its status, no preconditions. */
void frame_rig_edit(struct frame_rig *rig, const struct skr_resource *resource, const char *key,
                    const char *format, ...) SKR_PRINTF(4, 5);
void frame_rig_delete(struct frame_rig *rig, const struct skr_resource *resource, const char *key);
/* Borrowed until it changes; NULL: there is none. */
const json_t *frame_rig_get(const struct frame_rig *rig, const struct skr_resource *resource,
                            const char *key);
/* Text below the object, "a.b.c"; "" when absent. */
const char *frame_rig_text(const struct frame_rig *rig, const struct skr_resource *resource,
                           const char *key, const char *path);
size_t frame_rig_count(const struct frame_rig *rig, const struct skr_resource *resource);

/* ---- the engine ---- */
/* Creates it, lists everything, reports SYNCED, then runs until all is quiet. As leader, unless
 * frame_rig_lead(rig, false) was called before. */
void frame_rig_start(struct frame_rig *rig);
/* The process dies: requests in flight are lost, and a new one starts. */
void frame_rig_restart(struct frame_rig *rig);
void frame_rig_lead(struct frame_rig *rig, bool leads);
/* Handles watch events and outcomes until there are none; timers that are due too. Fails the test
 * when that does not end. */
void frame_rig_run(struct frame_rig *rig);
/* Lets time pass, timers going off on the way. */
void frame_rig_advance(struct frame_rig *rig, skr_time duration);
/* A request; the answer comes through rig->answer. Returns its id. Does not run the rest. */
uint64_t frame_rig_request(struct frame_rig *rig, int verb, const void *body);
void frame_rig_hang_up(struct frame_rig *rig, uint64_t request);
void frame_rig_handle(struct frame_rig *rig, struct skr_event *event); /* any other event */

/* ---- faults ---- */
/* The next n writes that match go wrong. */
void frame_rig_fault(struct frame_rig *rig, enum frame_fault fault, size_t n,
                     const struct frame_rig_match *match);
/* After n more writes were applied the engine dies, before it hears of the last one; what it wanted
 * written besides is lost. It starts anew at once. Events do not count. */
void frame_rig_crash_after(struct frame_rig *rig, size_t n);
size_t frame_rig_crashes(const struct frame_rig *rig);

/* ---- judging ---- */
/* Of the writes that match, without those that failed. */
size_t frame_rig_writes(const struct frame_rig *rig, const struct frame_rig_match *match);
/* The last of them; NULL: none. */
const struct frame_rig_write *frame_rig_last(const struct frame_rig *rig,
                                             const struct frame_rig_match *match);
void frame_rig_forget_writes(struct frame_rig *rig);

#endif
