/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_PICTURE_PARTS_H
#define SKR_CORE_FRAME_PICTURE_PARTS_H
/* What picture.c (the description) and picture_text.c (its JSON) share; for these two alone. */
#include <uthash.h>

#include "core/frame/picture.h"

struct seat {
    uint32_t subject;
    int32_t pods;
    int64_t amount;
    enum skr_picture_seat kind;
};

struct place {
    enum skr_picture_state state;
    bool touched; /* in the picture's list */
    bool resized; /* allocatable differs from what was shown */
    int64_t allocatable, used, slots;
    int64_t shown_allocatable;
    uint64_t shown;    /* hash of what was shown last */
    struct seat *seat; /* by subject and kind */
    size_t n_seats, cap_seats;
};

/* Fields of a subject in the document, in this order. */
enum field {
    FIELD_NAMESPACE,
    FIELD_NAME,
    FIELD_KIND,
    FIELD_STATUS,
    FIELD_REASON,
    FIELD_SENTENCE,
    FIELD_SIZE,
    FIELD_PRESENT,
    FIELD_BOUND,
    FIELD_PRIORITY,
    FIELD_SINCE,
    FIELD_START,
    FIELD_EACH,
    FIELD_RULES,
    FIELD_DETAIL,
    FIELD_COUNT
};

struct subject {
    UT_hash_handle hh; /* by key */
    char *key;         /* kind/namespace/name */
    uint32_t number;
    bool gone, changed;
    uint32_t fields; /* bit set: those that differ from what was shown */
    uint64_t seen;   /* the round that described it */
    uint64_t mark;   /* skr_picture_mark() */
    uint64_t note;   /* skr_picture_note() */
    char *text;      /* the values of all fields as JSON, one after another; "" : no such field */
    size_t end[FIELD_COUNT];
    int32_t *at; /* places with seats; one with two kinds of seat is there twice */
    size_t n_at, cap_at;
};

struct decision {
    skr_time at;
    uint32_t subject;
    enum skr_picture_decision kind;
};

struct skr_picture {
    const char *view;
    struct skr_hash_seed seed;
    uint64_t version, round;
    skr_time now, changed_at;
    bool anew;  /* all of it is described anew */
    bool keeps; /* skr_picture_keep_others() */
    bool
        crowded; /* too many subjects are gone, or other resources: the next description starts anew */
    struct skr_tree *tree;
    int32_t level, first; /* what is drawn: the level, its first unit */
    char *resource;
    char **resources;
    size_t n_resources;
    struct place *place;
    size_t n_places;
    int32_t *touched; /* [n_places] */
    size_t n_touched;
    struct subject *by_key;
    struct subject **subject; /* by number */
    size_t n_subjects, cap_subjects, n_gone;
    uint32_t *changed; /* numbers of subjects that differ from what was shown */
    size_t n_changed, cap_changed;
    struct decision decision[SKR_PICTURE_DECISIONS_MAX]; /* a ring */
    size_t n_decisions, shown_decisions;
    void *memory;
};

/* Writes the fields; whether one differs from before. */
bool skr_picture_set_fields(struct skr_picture *p, struct subject *s,
                            const struct skr_picture_subject *subject);
/* What touched, changed and the last decisions have. */
void skr_picture_write_change(const struct skr_picture *p, struct skr_strbuf *out);

#endif
