/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_PICTURE_H
#define SKR_CORE_FRAME_PICTURE_H
/*
 * The picture of a scheduler: what the page /ui draws, as one JSON document and as changes of it.
 *
 *   places    the leaves of a tree: nodes or clusters, each with an amount of one resource
 *   subjects  what sits on places: groups, Placements, bindings, workloads
 *   seats     a subject's pods (clusters: replicas) on a place, with the amount that they take
 *   decisions the last of them, with time and kind
 *
 * A scheduler describes its state between skr_picture_begin() and skr_picture_end(). It may
 * describe all of it, or only the places and subjects that may have changed. The picture compares
 * the description with the last one, so the cost of a change is that of what differs. Numbers of
 * places follow tree order. The number of a subject stays the same until the picture starts anew.
 *
 * One thread at a time. It holds no pointer into a scheduler but a reference to the tree.
 */
#include "topology/base/hash.h"
#include "topology/base/strbuf.h"
#include "topology/object.h"
#include "topology/tree.h"

enum {
    /* Places of a picture. If the tree has more leaves, its deepest level with at most as many
     * units is drawn. */
    SKR_PICTURE_PLACES_MAX = 100000,
    SKR_PICTURE_DECISIONS_MAX = 1000, /* the last ones are kept */
    SKR_PICTURE_GONE_MAX = 4096,      /* numbers of subjects that are gone; then it starts anew */
};

enum skr_picture_state {
    SKR_PLACE_READY,
    SKR_PLACE_NOT_READY,
    SKR_PLACE_CORDONED,
    SKR_PLACE_MISSING, /* the tree names it, and it does not exist */
    SKR_PLACE_STATE_COUNT
};

enum skr_picture_decision {
    SKR_DECISION_PLANNED,
    SKR_DECISION_BOUND,
    SKR_DECISION_PREEMPTED,
    SKR_DECISION_FAILED,
    SKR_DECISION_KIND_COUNT
};

enum skr_picture_seat {
    SKR_SEAT_FIRM,
    SKR_SEAT_PLANNED,  /* or held */
    SKR_SEAT_RESERVED, /* from a later instant on */
};

/* A subject as the page lists it. Texts may be NULL: then the document has no such field. */
struct skr_picture_subject {
    const char *namespace_, *name; /* not NULL; the namespace of a cluster-scoped object is "" */
    const char *kind;              /* "Group", "Placement", "ResourceBinding", "Deployment" */
    const char *status, *reason, *sentence;
    const char *rules;  /* "rack=pack (hard), node=spread[2,4]" */
    const char *detail; /* what a scheduler alone has: "max 3, on-demand 3/3, spot 2/2" */
    int64_t size, present, bound, priority;
    int64_t each;   /* amount of one pod; 0: unknown */
    skr_time since; /* of the status; 0: unknown */
    skr_time start; /* at the latest, of a reservation; 0: none */
    bool guess;     /* the start is guessed */
};

struct skr_picture;

/* view: literal, such as "gangs". seed: of the tables of names; copied. */
struct skr_picture *skr_picture_create(const char *view, const struct skr_hash_seed *seed);
void skr_picture_destroy(struct skr_picture *picture); /* NULL allowed */
/* Zeroed memory of the scheduler's own, freed with the picture, zeroed when it starts anew. The
 * size is the same in every call. */
void *skr_picture_memory(struct skr_picture *picture, size_t size);

/* ---- a description ---- */

/* Begins a description. A tree that is not equal to the last one, or another resource, starts the
 * picture anew; true: it did, and everything has to be described. tree: a reference is taken.
 * resource: of the amounts, such as "nvidia.com/gpu". O(1) while the tree stays. */
bool skr_picture_begin(struct skr_picture *picture, const struct skr_tree *tree,
                       const char *resource, skr_time now);
/* The resources that may be asked for instead; copied. Other ones than before start the picture anew
 * with the next description, unless this one does. */
void skr_picture_resources(struct skr_picture *picture, const char *const *name, size_t n);
/* The place of a leaf, or -1. Several leaves have one place if a higher level is drawn. */
int32_t skr_picture_place_of(const struct skr_picture *picture, int32_t leaf);
void skr_picture_place(struct skr_picture *picture, int32_t place, enum skr_picture_state state,
                       int64_t allocatable, int64_t used, int64_t slots);
/* The number of the subject, which is new if there was none of this kind, namespace and name. Its
 * seats stay. */
uint32_t skr_picture_subject(struct skr_picture *picture,
                             const struct skr_picture_subject *subject);
/* Whether the subject was described before with this mark; if so, it is kept as it is. A mark is
 * any number that changes when the subject does. *ret (NULL allowed): its number. */
bool skr_picture_keep(struct skr_picture *picture, const char *kind, const char *namespace_,
                      const char *name, uint64_t mark, uint32_t *ret);
/* Subjects that this description neither describes nor keeps stay as they are. */
void skr_picture_keep_others(struct skr_picture *picture);
void skr_picture_mark(struct skr_picture *picture, uint32_t subject, uint64_t mark);
/* A number of the scheduler's own for the subject, 0 at first. Valid until the next call. */
uint64_t *skr_picture_note(struct skr_picture *picture, uint32_t subject);
/* Takes all seats of the subject away; those that are given again afterwards do not count as
 * changes. */
void skr_picture_unseat(struct skr_picture *picture, uint32_t subject);
/* pods > 0 take that amount on the place, which is above 0 if it is reserved. Adds to earlier calls. */
void skr_picture_seat(struct skr_picture *picture, uint32_t subject, int32_t place, int32_t pods,
                      int64_t amount, enum skr_picture_seat kind);
void skr_picture_decide(struct skr_picture *picture, skr_time at, uint32_t subject,
                        enum skr_picture_decision kind);

enum skr_picture_news {
    SKR_PICTURE_SAME,
    SKR_PICTURE_CHANGED, /* the version has grown, the change was appended */
    SKR_PICTURE_ANEW,    /* the version has grown, and no change leads to it */
};
/* Ends the description: subjects that were neither described nor kept are gone, unless others are
 * kept. CHANGED appends
 *
 *   {"version", "time", "places": [[place, state, used, slots, [subject, pods, amount, ...],
 *    allocatable if it differs], ...], "subjects": [[number, {fields} or null], ...],
 *    "decisions": [[milliseconds, subject, kind], ...]}
 *
 * with the names "nodes" and "groups" for places and subjects. pods is negative for seats that are
 * not firm, and amount, too, for those that are reserved. O(what differs + subjects), without the latter if others are kept. */
enum skr_picture_news skr_picture_end(struct skr_picture *picture, struct skr_strbuf *change);

/* ---- what is drawn ---- */

uint64_t skr_picture_version(const struct skr_picture *picture); /* 0: nothing was described */
/* Appends the whole document, kind Picture. O(places + seats + subjects). */
void skr_picture_write(const struct skr_picture *picture, struct skr_strbuf *out);

#endif
