/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PLACEMENT_SLICE_PLANNER_H
#define SKR_CORE_PLACEMENT_SLICE_PLANNER_H
/*
 * What slices.c and slice_parts.c plan in: existing objects and selected clusters, in the cycle's
 * arena.
 */
#include "core/placement/slices.h"

/* An existing object. */
struct skr_old_slice {
    const struct skr_placement_decision *decision;
    uint64_t number; /* 0: a name of another form */
    const char *group_name;
    int64_t group; /* index; without the label 0 */
    size_t old_part;
};

/* Objects of one group name and index. */
struct skr_old_part {
    const char *group_name;
    int64_t group;
    size_t n_members; /* clusters that are still selected and of that group */
};

/* A selected cluster. */
struct skr_slice_member {
    const char *name;
    size_t group; /* rule; n_groups: unnamed */
    size_t old;   /* object it is in; SKR_SLICE_NONE */
    size_t part;  /* new part; SKR_SLICE_NONE */
};

#define SKR_SLICE_NONE  SIZE_MAX
#define SKR_SLICE_BOUND (SIZE_MAX - 1) /* an old part that goes on; which one is not yet said */

struct skr_slice_planner {
    const struct skr_placement *placement;
    struct skr_arena *arena;
    struct skr_error *error;
    struct skr_old_slice *old; /* by number, then name */
    size_t n_old;
    struct skr_old_part *old_part; /* by group name and index */
    size_t n_old_parts;
    size_t *fullest;  /* old parts by group name, members (most first) and index */
    size_t *n_bound;  /* [old part] of the first one of a name: how many of it go on already */
    size_t *of_part;  /* numbers of old objects that go on, by new part and in their own order */
    size_t *first_of; /* [new part] in of_part; two more at the end */
    size_t *open_at;  /* [old] where it stands among the slices of its part; SKR_SLICE_NONE */
    size_t next_used; /* [old] below it all numbers are less than next_number */
    struct skr_slice_member *member; /* by name */
    size_t n_members;
    int64_t length;      /* of a part, at most */
    size_t *part_of_old; /* [old part] new part or SKR_SLICE_NONE */
    size_t *joined;      /* [member] scratch */
    uint64_t next_number;
    struct skr_slice_plan *plan;
};

/* ---- slice_parts.c ---- */
int skr_slices_no_room(struct skr_slice_planner *p);
/* The name of a rule's group; "" for n_groups. */
const char *skr_slices_group_name(const struct skr_slice_planner *p, size_t group);
/* How many parts each group has, which old ones go on, and the part of each member. O(n log n) of
 * members and objects, and groups times objects of their name. */
int skr_slices_make_parts(struct skr_slice_planner *p);

#endif
