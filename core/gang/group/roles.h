/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ROLES_H
#define SKR_CORE_GANG_GROUP_ROLES_H
/*
 * The roles of a group, and the role and set of each member.
 *
 * A member names its role with annotation sakkara.group.role; else its controller does by a label
 * (core/group/workload.h). If the group map has key `roles`, that key gives the roles and their order. A
 * member whose role is not in the key holds no seat. Without the key the roles are those of the
 * members that hold a seat:
 *
 * - members of one named role with different shapes are several roles, unless a rule or a set
 *   names the role: then the largest of their requests counts for all of them
 * - members without a name are one role for each shape
 * - pinned members (pins.h) make no role
 * - beyond SKR_ROLES_MAX roles, the smallest are merged; the group has a warning
 * - order: master, chief, leader, launcher, head, coordinator, driver; other names in byte order;
 *   then the larger request first
 *
 * The setting `heterogeneous: refuse` switches the division by shape off: a group whose members
 * differ in their requests is then refused.
 *
 * While members run, a role whose members were lost stays in the list, so that ranks keep their
 * meaning. How sets are found is in role_sets.h, how seats of key `roles` are dealt in role_seats.h.
 */
#include "core/gang/state/groups.h"
#include "core/pod/pod.h"

#define SKR_ANNOTATION_ROLE "sakkara.group.role"
#define SKR_ANNOTATION_SET  "sakkara.group.set"

enum { SKR_ROLE_UNKNOWN = UINT8_MAX }; /* pod_entry.role of a member without a role of the key */

/* What the pod says of itself; NULL and -1: nothing. Borrowed. */
const char *skr_roles_name_of(const struct skr_pod *pod);
int32_t skr_roles_set_of(const struct skr_pod *pod);

/* Whether the group has key `roles`. */
bool skr_roles_are_keyed(const struct group *g);

/* Seats have been dealt: finds roles and sets anew. O(members * roles + n log n). */
void skr_roles_update(const struct skr_gang *e, struct group *g);
/* Counts the members of each role; at every evaluation. */
void skr_roles_count(struct group *g);
void skr_roles_fini(struct group *g);
/* Adds earlier roles, was[n] in role order, to those that the present members make; the group has no
 * key `roles`. Names are copied. Identity 0: the role is found by its name. */
void skr_roles_keep(struct group *g, const struct role *was, size_t n);

/* Members of a role: all that have a seat, those of them that can be planned, those that run. */
enum skr_role_members { SKR_ROLE_PRESENT, SKR_ROLE_READY, SKR_ROLE_BOUND };
/* Whether the group has key `roles`, and every role its minimum of such members. */
bool skr_roles_have_minimum(const struct group *g, enum skr_role_members which);
/* Several roles, for outputs. */
bool skr_roles_are_several(const struct group *g);
/* Value of the label sakkara.member.role; NULL: the member has none. */
const char *skr_roles_label(const struct pod_entry *p);
/* Whether rules or sets of the group name a role, so that it must be placed by roles. */
bool skr_roles_have_rules(const struct group *g);
/* "3 of 4 leader pods, 28 of 28 worker pods", in role order; of more than three roles those that lack
 * pods. bound: of the bound pods alone, "3 of 4 leader pods bound". */
void skr_roles_say_missing(const struct group *g, bool bound, struct skr_strbuf *b);
/* "group g: 3 of 4 leader pods" of key roles, else "group g has n of OF members", of which kind, where present
 * ones have no word: "ready", "bound". */
void skr_roles_say_group(const struct group *g, size_t n, size_t of, enum skr_role_members which,
                         struct skr_strbuf *b);
/* "1 leader and 4 workers"; at most three roles by name. count: [roles.n]. */
void skr_roles_say_counts(const struct group *g, const int32_t *count, struct skr_strbuf *b);

#endif
