/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_RESIDENTS_H
#define SKR_CORE_GANG_CACHE_RESIDENTS_H
/*
 * Pods that only take room: they are on a node, live, belong to no group, and nothing is decided
 * about them. Most pods of a cluster are such, so one is a version, its charge, what it has in common
 * with others of its template, and the end of its name: 32 bytes in a slab and 12 of an index. Its
 * uid and its node are those of its charge. Whatever more is to be known of a pod, it gets a whole
 * entry for (pods.h): a pod is one or the other, and pod_changes.c says which.
 */
#include "core/gang/state/gang.h"
#include "core/pod/pod.h"
#include "topology/base/strbuf.h"
#include "topology/base/uuid.h"

struct resident;

/* Whether that is all that there is to know of the pod; has_group: it names one of ours. */
bool skr_residents_take(const struct skr_pod *pod, bool has_group);
size_t skr_residents_count(const struct skr_gang *e);
/* That the table of them holds, without what they have in common. O(1). */
size_t skr_residents_bytes(const struct skr_gang *e);
/* Walks over all of them, in the order in which they came as long as none went: *at begins as 0; NULL
 * at the end. */
const struct resident *skr_residents_next(const struct skr_gang *e, size_t *at);
/* NULL: none. O(1), as the others. It holds until it is dropped. */
struct resident *skr_residents_find(const struct skr_gang *e, const char *namespace_,
                                    const char *name);
bool skr_residents_is(const struct skr_gang *e, const struct resident *r, const char *uid);
/* The pod is one from now on, or another version of the one that it is, charged to its node. Nobody
 * else has its name. Borrows pod. */
void skr_residents_put(struct skr_gang *e, const struct skr_pod *pod);
/* It is none any more; its charge stays. */
void skr_residents_drop(struct skr_gang *e, struct resident *r);
uint64_t skr_residents_version(const struct resident *r); /* 0 unknown */
/* Of its charge, which must be there yet: the uid, in buffer or a text that there is, and the node. */
const char *skr_residents_uid(const struct skr_gang *e, const struct resident *r,
                              char buffer[SKR_UUID_TEXT]);
const char *skr_residents_node(const struct skr_gang *e, const struct resident *r);
/* Adds its name to b. */
void skr_residents_add_name(const struct skr_gang *e, const struct resident *r,
                            struct skr_strbuf *b);
/* Namespace and labels; nothing else. */
const struct skr_meta *skr_residents_meta(const struct skr_gang *e, const struct resident *r);
const struct shape *skr_residents_shape(const struct skr_gang *e, const struct resident *r);
int32_t skr_residents_priority(const struct skr_gang *e, const struct resident *r);
void skr_residents_fini(struct skr_gang *e); /* charges stay */

#endif
