/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_SIZE_FIELD_H
#define SKR_CORE_GANG_REPORT_SIZE_FIELD_H
/* The field that a user edits to change the size of a group. */
#include "core/gang/state/groups.h"
#include "topology/base/strbuf.h"

/* Appends the field in the words of what defines the group: "spec.parallelism of Job train",
 * "spec.minMember of PodGroup a", "annotation sakkara.group.size"; "the size" of a group map. role: the
 * field of this role alone; NULL: of all members. O(members). */
void skr_size_field_add(const struct group *g, const char *role, struct skr_strbuf *b);

#endif
