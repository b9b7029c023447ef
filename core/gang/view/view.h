/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_VIEW_VIEW_H
#define SKR_CORE_GANG_VIEW_VIEW_H
/* Shared by the files behind core/gang/state/pages.h: one run of skr_gang_view(), which writes a
 * page. Private to core/gang/view. */
#include "core/gang/state/gang.h"
#include "core/gang/state/pages.h"
#include "topology/base/json_writer.h"

struct view {
    struct skr_gang *e;
    const struct skr_view_query *query;
    skr_time now;
    struct skr_json_writer w;
    size_t begin; /* length of the output before the answer */
    bool interrupted;
};

/* Replaces the output by a Status; returns code. */
int skr_view_refuse(struct view *v, int code, const char *format, ...) SKR_PRINTF(3, 4);
/* "apiVersion", "kind", "time". */
void skr_view_head(struct view *v, const char *kind);
void skr_view_time(struct view *v, const char *key, skr_time t); /* null when not positive */
/* A time set by the engine: null also if it is in the future, since then it was made while reading
 * a dump. */
void skr_view_moment(struct view *v, const char *key, skr_time t);
bool skr_view_is_too_large(const struct view *v);
enum { LOOK_EVERY = 256 }; /* nodes or groups between two looks for requests that wait */
/* Whether the page is too large or interrupted and must end. */
bool skr_view_must_end(struct view *v);

/* rest: the path after the row's. Each returns the HTTP status. */
int skr_view_tree(struct view *v, const char *rest);
int skr_view_groups(struct view *v, const char *rest);
int skr_view_reservations(struct view *v, const char *rest);
int skr_view_timeline(struct view *v, const char *rest);

/* view_group.c: "roles":[{"letter":"L","pods":1}], count by role of the group, without zeros. */
void skr_view_role_counts(struct view *v, const struct group *g, const int32_t *count);

/* view_seats.c: the members of a group along their leaves. Leaf order is tree order, so the members
 * below one unit are adjacent on every level. */
struct seat {
    const struct pod_entry *pod;
    const char *node;
    int32_t leaf; /* -1: outside the tree */
    int32_t rank; /* -1: none */
};
struct seats {
    struct seat *item; /* sorted by leaf, rank, name; those outside the tree last; free() */
    size_t n;
    size_t n_inside;
};
/* Members below one unit of a level. */
struct run {
    int32_t unit;
    int32_t count;
};
/* The node of the member, actual or planned; NULL: none yet. */
const char *skr_view_node_of(const struct pod_entry *p);
/* ranks: include them, one look-up each. */
struct seats skr_view_seats(const struct skr_gang *e, const struct group *g, bool ranks);
/* Path below the root: "zone-0/rack-1". */
void skr_view_path(const struct skr_tree *t, int32_t unit, struct skr_strbuf *b);
/* Array to free(); in tree order. */
struct run *skr_view_runs(const struct skr_tree *t, const struct seats *s, int32_t level,
                          size_t *ret_n);

/* view_rules.c: "constraints"; whole: including how they are met. */
void skr_view_constraints(struct view *v, const struct group *g, const struct seats *s, bool whole);
/* "roleConstraints": rules of roles, each with its "role"; nothing without any. */
void skr_view_role_constraints(struct view *v, const struct group *g, const struct seats *s,
                               bool whole);

/* view_group.c */
enum view_depth { VIEW_SUMMARY, VIEW_WHOLE };
void skr_view_group(struct view *v, const struct group *g, enum view_depth depth);
/* The reason and its sentence as they are shown, NULL: none; *ret_sentence too. For a group that
 * this process has not tried yet, those recorded before. */
const char *skr_view_reason(const struct skr_gang *e, const struct group *g,
                            const char **ret_sentence);
size_t skr_view_present(const struct group *g);

/* view_slots.c: how many more pods of a size fit. */
struct slot_size {
    size_t n;
    struct {
        uint16_t resource;
        bool unknown; /* no node has it: no pod fits */
        int64_t amount;
    } item[SKR_RESOURCES_MAX];
};
/* For the node alone; 0 if it does not exist, is not Ready or is cordoned. */
int64_t skr_slots_of_node(const struct skr_gang *e, const struct node_entry *n,
                          const struct slot_size *size);

#endif
