/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_SOLVE_ROLES_H
#define SKR_SERVER_SOLVE_ROLES_H
/*
 * Roles in a solve file: `member` or `members`, what nodes say of each role, `apart`. Sizes, own
 * rules and sets are those of the group. A group without roles has one, which has no name: `member`
 * is its member, and the problem has no roles. Internal to server/solve/.
 */
#include "core/solver/roles.h"
#include "server/solve/reader.h"

/* Parts of file->roles that are filled in while nodes are read. */
struct skr_solve_roles {
    struct skr_roles roles;
    struct skr_role role[SKR_ROLES_MAX];
    struct skr_set_kind kind[SKR_SET_KINDS_MAX];
    struct skr_role_cap cap[SKR_ROLE_CAPS_MAX];
    int64_t *demand[SKR_ROLES_MAX];   /* [SKR_SOLVE_RESOURCES_MAX] */
    uint8_t *eligible[SKR_ROLES_MAX]; /* [leaf] */
    int32_t *claimed[SKR_ROLES_MAX];  /* [leaf] */
    int32_t kind_of[SKR_ROLES_MAX];   /* -1: in no sets */
    int32_t n_sets[SKR_SET_KINDS_MAX];
    int32_t *alive[SKR_SET_KINDS_MAX];    /* [unit] */
    int32_t *set_unit[SKR_SET_KINDS_MAX]; /* [set] unit of its live members, -1: it has none */
    int32_t *set_members[SKR_ROLES_MAX];  /* [set] live members of the role */
};

/* Own rules and sets of the group against the tree. */
int skr_solve_roles_begin(struct skr_solve_reader *r);
/* "member", or "members": requests of each role; adds the resources. */
int skr_solve_roles_read_members(struct skr_solve_reader *r);
/* "eligible" of a node or of the defaults: true, false or by named role. eligible[n_roles] has the
 * defaults. path[0 .. n - 1] names the node, with room for two more and the end. */
int skr_solve_roles_read_eligible(struct skr_solve_reader *r, const char **path, size_t n,
                                  const json_t *value, uint8_t *eligible);
/* "claimed" of a node: by named role a number, or for roles of sets a list of the numbers of their sets. */
int skr_solve_roles_read_claimed(struct skr_solve_reader *r, const char **path, size_t n,
                                 json_t *value, int32_t leaf);
/* "apart", and what holds for all nodes together. */
int skr_solve_roles_finish(struct skr_solve_reader *r);

#endif
