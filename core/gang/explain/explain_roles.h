/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_EXPLAIN_EXPLAIN_ROLES_H
#define SKR_CORE_GANG_EXPLAIN_EXPLAIN_ROLES_H
/*
 * The account of a group whose problem has roles: what each role needs, what there is of it, and
 * changes that name roles or sets. a->roles is set. Written as by explain_account.c and
 * explain_relaxations.c (report/sentence.h).
 */
#include "core/gang/report/sentence.h"

/* Fills a->claims, which the other functions read. O(roles * leaves). */
void skr_explain_roles_count_claims(struct account *a);
/* The role of the group that is role r of the problem. */
const struct role *skr_explain_role_at(const struct account *a, size_t r);
/* What all newcomers need of resource r together. */
int64_t skr_explain_roles_wanted(const struct account *a, size_t r);
/* Newcomers of one role of the problem (of equal members 0) that fit on the leaf beside nothing else, at
 * most as many as there are. */
int32_t skr_explain_role_fit(const struct account *a, size_t role, int32_t leaf);
/* ,"roles":[{"name":"leader","slots":1,"held":0,"each":{...}},...] */
void skr_explain_roles_need(const struct account *a, struct skr_strbuf *b);
/* ,"roles":[{"name":"worker","largest":7}],"sets":[3]: with all others complete */
void skr_explain_roles_have(const struct account *a, struct skr_strbuf *b);
/* ,"roles":[{"name":"worker","fits":7,"needs":8}] of a unit: the i-th bottleneck; i < 0: no level
 * decides, and each role is counted as if it were alone. */
void skr_explain_roles_unit(const struct account *a, int32_t unit, int i, struct skr_strbuf *b);
/* explain_role_ways.c: smaller roles, or fewer sets, as objects. *ret_set: the first of them; NULL: none, or the group
 * has no key roles. */
void skr_explain_roles_sizes(const struct account *a, struct skr_strbuf *b, char **ret_set);

#endif
