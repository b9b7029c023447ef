/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_FRAME_RIG_PARTS_H
#define SKR_TEST_UNIT_FRAME_RIG_PARTS_H
/* What the files of the rig share and tests need not see. */
#include <uthash.h>

#include "test/unit/frame_rig.h"

struct frame_object {
    UT_hash_handle hh; /* by id */
    char *id;          /* "group/plural:key" */
    const char *key;   /* within id */
    const struct skr_resource *resource;
    json_t *json;
};

/* What the engine will hear of. */
struct frame_news {
    struct frame_news *prev, *next;
    const struct skr_watch *watch; /* NULL: the outcome of a write, or work */
    json_t *json;                  /* NULL: deleted */
    char *key, *uid;
    struct skr_event event; /* without a watch */
    char *message;
};

struct frame_set_fault {
    struct frame_set_fault *prev, *next;
    enum frame_fault fault;
    size_t n;
    struct frame_rig_match match;
    enum skr_write_verb verb;
    char *key, *subresource;
};

struct frame_rig_parts {
    const struct skr_scheduler *scheduler;
    const void *settings;
    struct frame_object *objects;
    uint64_t version, uid, request;
    struct frame_news *news, *late;
    struct frame_set_fault *faults;
    size_t crash_in, crashes;
    bool must_crash;
    bool follows; /* starts without leadership */
    skr_time timer;
    size_t cap_writes, cap_decisions;
};

/* frame_rig_api.c */
/* Carries a write out and queues its outcome. */
void frame_rig_apply(struct frame_rig *rig, const struct skr_write *write);
void frame_rig_list(struct frame_rig *rig); /* news of every object */
void frame_rig_news_free(struct frame_news *news);
void frame_rig_api_fini(struct frame_rig *rig);
bool frame_rig_matches(const struct frame_rig_match *match, const struct frame_rig_write *write);
/* frame_rig.c */
/* json: an object that becomes of before by a strategic patch. */
void frame_rig_delete_gates(json_t *json, const json_t *before, const json_t *body);

#endif
