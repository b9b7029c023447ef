/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_RESIDENTS_H
#define SKR_CORE_GANG_RESIDENTS_H
/*
 * Pods that only take room: they are on a node, live, belong to no group, and nothing is decided
 * about them. Most pods of a cluster are such, so one is a key, a uid, a version, a node and what it
 * has in common with others of its template: about 110 bytes. Whatever more is to be known of a pod,
 * it gets a whole entry for (pods.h): a pod is one or the other, and pod_changes.c says which.
 * Charged to the node as the others are; the ledger answers by uid.
 */
#include "core/gang/gang.h"
#include "core/pod/pod.h"
#include "topology/base/uuid.h"

/* Equal pods of one namespace: labels, priority, shape. */
struct resident_kind;

struct resident {
    struct resident *prev, *next; /* in the order in which they came */
    struct resident_kind *kind;
    const char *node; /* from names_intern */
    uint64_t version; /* 0 unknown */
    uint64_t uid[2];  /* the UUID, or [0] the address of another text */
    uint32_t number;
    bool uid_is_text;
    char key[]; /* namespace/name */
};

/* Whether that is all that there is to know of the pod; has_group: it names one of ours. */
bool residents_take(const struct skr_pod *pod, bool has_group);
size_t residents_count(const struct skr_gang *e);
struct resident *residents_first(const struct skr_gang *e); /* NULL: none */
/* NULL: none. O(1), as the others. */
struct resident *residents_find(const struct skr_gang *e, const char *namespace_, const char *name);
bool residents_is(const struct resident *r, const char *uid);
/* The pod is one from now on, or another version of the one that it is, charged to its node. Nobody
 * else has its name. Borrows pod. */
void residents_put(struct skr_gang *e, const struct skr_pod *pod);
/* It is none any more; its charge stays. */
void residents_drop(struct skr_gang *e, struct resident *r);
/* Writes it into buffer, or returns the text that it has. */
const char *residents_uid(const struct resident *r, char buffer[SKR_UUID_TEXT]);
/* Namespace and labels; nothing else. */
const struct skr_meta *residents_meta(const struct resident *r);
const struct shape *residents_shape(const struct resident *r);
int32_t residents_priority(const struct resident *r);
void residents_fini(struct skr_gang *e); /* charges stay */

#endif
