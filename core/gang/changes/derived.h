/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_DERIVED_H
#define SKR_CORE_GANG_CHANGES_DERIVED_H
/*
 * What defines a derived group, which has no object of its own: the object of its workload, and
 * annotations of its oldest live member. Its plan is stored as that of a group from labels.
 */
#include "core/gang/state/groups.h"

/* Whether the group is derived. Such a group exists as long as it has members. */
bool skr_derived_is(const struct group *g);
/* What its spec is made of, as one text; links the group to the object that says its size. The text
 * is empty if nothing says the size: *derived.lack and its text are set then. O(members). */
void skr_derived_text(struct skr_gang *e, struct group *g, struct skr_strbuf *b);
/* Appends our own annotations: keys and values. */
void skr_derived_add_annotations(const struct skr_gang *e, const struct skr_labels *annotations,
                                 struct skr_strbuf *b);
/* Errors: SKR_INVALID and SKR_LIMIT, the group is malformed. *ret NULL: its size is not known. */
int skr_derived_spec(const struct skr_gang *e, struct group *g, struct skr_group_spec **ret,
                     struct skr_error *error);
/* Priority of pods that are one group: the lowest of its live members. */
int32_t skr_derived_priority(const struct group *g);
/* The level that the topology key of a native PodGroup means, or that of its annotation within if that
 * is lower; NULL: the PodGroup has no key, or the
 * tree has no such level. The second case is noted in g, unless g is NULL. */
const char *skr_derived_native_level(const struct skr_gang *e, struct group *g,
                                     const struct skr_podgroup *pg);
void skr_derived_fini(struct skr_gang *e, struct group *g);

#endif
