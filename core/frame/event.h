/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_EVENT_H
#define SKR_CORE_FRAME_EVENT_H
/*
 * What can happen to an engine. Objects and work are taken over by the engine, always, also when it
 * ignores them. Everything else is borrowed for the duration of skr_engine_handle().
 */
#include "core/frame/query.h"
#include "core/frame/work.h"
#include "core/frame/write.h"

enum skr_event_kind {
    SKR_EVENT_UPSERT,
    SKR_EVENT_DELETE,
    SKR_EVENT_FORBIDDEN, /* a kind may not be read, or may be again */
    SKR_EVENT_SYNCED,    /* all first lists have been delivered, but for those on demand; before it
                            nothing is decided */
    SKR_EVENT_LISTED,    /* answers an SKR_ACTION_WATCH: all objects have been delivered, or there
                            are none, because the kind is not installed or may not be read */
    SKR_EVENT_REQUEST,   /* a caller waits for an SKR_ACTION_ANSWER, however long */
    SKR_EVENT_HANGUP, /* request.id: the caller of a request that is held is gone; 0: all callers */
    SKR_EVENT_WORK_DONE,
    SKR_EVENT_WRITE_DONE,
    SKR_EVENT_TIMER,
    SKR_EVENT_LEADER_WON, /* an engine starts as leader */
    SKR_EVENT_LEADER_LOST,
    SKR_EVENT_SHUTDOWN, /* requests that are held are answered; nothing is decided afterwards */
    SKR_EVENT_REPLIES,  /* to a query */
    SKR_EVENT_KIND_COUNT
};

struct skr_event {
    enum skr_event_kind kind;
    union {
        struct {
            const struct skr_object_type *type;
            void *object; /* taken */
        } upsert;
        struct {
            const struct skr_object_type *type;
            const char *namespace_; /* "" for cluster-scoped objects */
            const char *name;
            const char *uid; /* "" if unknown */
        } deleted;
        struct {
            const struct skr_object_type *type; /* of a watch that may be forbidden */
            bool is;                            /* false: it is listed again */
        } forbidden;
        const struct skr_object_type *listed;
        struct {
            uint64_t id;
            int verb;         /* of the scheduler */
            const void *body; /* the verb's type */
        } request;
        struct skr_work *work; /* taken */
        struct skr_replies replies;
        struct {
            uint64_t id;
            enum skr_write_outcome outcome;
            int32_t http_status;       /* 0: no answer */
            uint64_t resource_version; /* of the answer; 0 unknown */
            const char *message;       /* of the answer's Status, or of the transport; "" */
            skr_time retry_after;      /* of a 429; 0 unknown */
            const struct skr_object_type *type; /* of object: what the write asked for */
            void *object; /* of an OK answer that was wanted; taken; NULL: none, or unreadable */
        } written;
    };
};

/* The object that an event brings, now the caller's; NULL: none. */
void *skr_event_take_object(struct skr_event *event);
/* Destroys what the event would hand over and nobody took: object or work. */
void skr_event_fini(struct skr_event *event);

#endif
