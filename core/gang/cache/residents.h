/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_RESIDENTS_H
#define SKR_CORE_GANG_CACHE_RESIDENTS_H
/*
 * Pods that only take room: live pods on a node, without a group, which need no decision. Most pods
 * of a cluster are residents. One has a version, its charge, a reference to what its template's
 * pods share, and the end of its name: 32 bytes in a slab and 12 in an index. Its uid and node are
 * those of its charge. If more must be known of a pod, it gets an entry instead (pods.h);
 * pod_changes.c decides.
 */
#include "core/gang/state/gang.h"
#include "core/pod/pod.h"
#include "topology/base/strbuf.h"
#include "topology/base/uuid.h"

struct resident;

/* Whether the pod can be a resident; has_group: it names a group of ours. */
bool skr_residents_take(const struct skr_pod *pod, bool has_group);
size_t skr_residents_count(const struct skr_gang *e);
/* Size of their table, without what pods share. O(1). */
size_t skr_residents_bytes(const struct skr_gang *e);
/* Iterates over residents, in the order of arrival as long as none was removed: *at begins as 0;
 * NULL at the end. */
const struct resident *skr_residents_next(const struct skr_gang *e, size_t *at);
/* NULL: none. O(1), as the others. Valid until it is dropped. */
struct resident *skr_residents_find(const struct skr_gang *e, const char *namespace_,
                                    const char *name);
bool skr_residents_is(const struct skr_gang *e, const struct resident *r, const char *uid);
/* Makes the pod a resident, or replaces its version, charged to its node. No other pod has its
 * name. Borrows pod. */
void skr_residents_put(struct skr_gang *e, const struct skr_pod *pod);
/* Removes the resident; its charge stays. */
void skr_residents_drop(struct skr_gang *e, struct resident *r);
uint64_t skr_residents_version(const struct resident *r); /* 0 unknown */
/* From its charge, which must still exist: the uid, in buffer or borrowed, and the node. */
const char *skr_residents_uid(const struct skr_gang *e, const struct resident *r,
                              char buffer[SKR_UUID_TEXT]);
const char *skr_residents_node(const struct skr_gang *e, const struct resident *r);
/* Adds its name to b. */
void skr_residents_add_name(const struct skr_gang *e, const struct resident *r,
                            struct skr_strbuf *b);
/* Only namespace and labels are set. */
const struct skr_meta *skr_residents_meta(const struct skr_gang *e, const struct resident *r);
const struct shape *skr_residents_shape(const struct skr_gang *e, const struct resident *r);
int32_t skr_residents_priority(const struct skr_gang *e, const struct resident *r);
void skr_residents_fini(struct skr_gang *e); /* charges stay */

#endif
