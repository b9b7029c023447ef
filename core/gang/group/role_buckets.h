/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ROLE_BUCKETS_H
#define SKR_CORE_GANG_GROUP_ROLE_BUCKETS_H
/*
 * Members that hold a seat, in buckets by the name of their role and, where that is divided by
 * shape, by their shape. Sorted buckets are the roles of a group without key `roles`: roles.h says
 * which and in what order. What comes out depends on the members alone, not on their order in the
 * group.
 */
#include "core/gang/state/groups.h"

enum { SKR_ROLE_BUCKETS_MAX = 64 }; /* of one group, before merging; the last takes the rest */

struct role_bucket {
    const char *base;    /* "": its members have no name */
    struct shape *shape; /* NULL: of any shape */
    struct shape *like;  /* of one of its members */
    int32_t n;
    int32_t same_base; /* buckets with this base */
    uint8_t role;
    bool merged; /* into the role of another one */
};

struct role_buckets {
    struct role_bucket item[SKR_ROLE_BUCKETS_MAX];
    size_t n;
};

/* Fills all, which is zero, in role order. Returns the number of roles; g->roles.n_merged becomes
 * that of the roles that were merged. O(members * buckets). */
size_t skr_role_buckets_fill(const struct skr_gang *e, struct group *g, struct role_buckets *all);
/* Bucket of a member; NULL: it is pinned, and there is none of its name. */
struct role_bucket *skr_role_buckets_of(const struct skr_gang *e, const struct group *g,
                                        struct role_buckets *all, const struct pod_entry *p);
/* Name of the role of a bucket, free() it: "worker"; "worker-2" where the role is divided; "pod-1"
 * without a name. */
char *skr_role_buckets_name(const struct role_buckets *all, size_t at);
/* Role order of two names, requests aside; below 0: a first. */
int skr_role_buckets_compare_names(const char *a, const char *b);
/* The same for the same role after a change of the members. */
uint64_t skr_role_buckets_identity(const struct role_bucket *b);

#endif
