/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_KNOWN_H
#define SKR_SERVER_KUBE_KNOWN_H
/*
 * The objects that one watch has shown and not deleted: namespace/name, uid, version. A list marks
 * its objects with its number. Objects that keep an older number were deleted while no watch ran.
 * There may be a million objects: each takes 48 bytes and about 12 of an index; namespaces and stems
 * of names are stored once. Kube thread only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/base/hash.h"
#include "topology/base/short_text.h"

struct skr_known;

struct skr_known_object {
    uint64_t version; /* resourceVersion of the newest seen; 0 unknown */
    uint64_t uid[2];  /* private, as the next two */
    struct skr_short_text rest;
    uint32_t stem;
    uint32_t list : 29; /* number of the list, or of the watch after it, that saw the object */
    uint32_t uid_is_text : 1; /* private */
    uint32_t delivered : 1;   /* the engine has a version of it */
    uint32_t broken : 1;      /* its newest version could not be decoded; that has been logged */
};

enum {
    SKR_KNOWN_UID_MAX = 128,       /* bytes of a uid; they are UUIDs of 36 */
    SKR_KNOWN_NAMESPACE_MAX = 253, /* bytes; API servers allow 63 */
    SKR_KNOWN_NAME_MAX = 1024,     /* bytes; API servers allow 253 */
    SKR_KNOWN_LISTS = 1 << 29,     /* numbers of lists are taken modulo this */
};

struct skr_known_names {
    char namespace_[SKR_KNOWN_NAMESPACE_MAX + 1];
    char name[SKR_KNOWN_NAME_MAX + 1];
    char uid[SKR_KNOWN_UID_MAX + 1];
};

struct skr_known *skr_known_create(const struct skr_hash_seed *hash_seed);
void skr_known_destroy(struct skr_known *known); /* NULL allowed */
size_t skr_known_count(const struct skr_known *known);

/* NULL when not known. The pointer lives until the object is removed or replaced. O(1). */
struct skr_known_object *skr_known_find(const struct skr_known *known, const char *namespace_,
                                        const char *name);
/* The object, added if it is new. If the uid differs, a blank object replaces the old one. NULL: a
 * string is longer than its limit. O(1) amortised. */
struct skr_known_object *skr_known_put(struct skr_known *known, const char *namespace_,
                                       const char *name, const char *uid);
void skr_known_remove(struct skr_known *known, struct skr_known_object *object);

void skr_known_read(const struct skr_known *known, const struct skr_known_object *object,
                    struct skr_known_names *ret);
bool skr_known_has_uid(const struct skr_known_object *object, const char *uid);

/* The objects whose list differs from the given one, sorted by namespace and name: heap array of
 * borrowed pointers, free() it; NULL when there are none. O(n). */
struct skr_known_object **skr_known_unseen(const struct skr_known *known, uint32_t list,
                                           size_t *ret_n);

#endif
