/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_ROLES_INSTANCE_H
#define SKR_TEST_PROPERTY_ROLES_INSTANCE_H
/*
 * Random problems whose members are not equal, each made from (seed, kind, index) alone: tree, room
 * and rules of the group as in instance.h, beside roles, sets and caps.
 */
#include "core/solver/roles.h"
#include "test/property/instance.h"

struct roles_instance {
    struct instance in;
    struct skr_roles roles;
    struct skr_role role[SKR_ROLES_MAX];
    int64_t demand[SKR_ROLES_MAX][INSTANCE_RESOURCES];
    uint8_t eligible[SKR_ROLES_MAX][INSTANCE_LEAVES_MAX];
    int32_t claimed[SKR_ROLES_MAX][INSTANCE_LEAVES_MAX];
    struct skr_rule own[SKR_ROLES_MAX][INSTANCE_LEVELS_MAX];
    uint8_t has_rule[SKR_ROLES_MAX][INSTANCE_LEVELS_MAX];
    struct skr_set_kind kind[SKR_SET_KINDS_MAX];
    int32_t alive[SKR_SET_KINDS_MAX][INSTANCE_UNITS_MAX];
    struct skr_role_cap cap[SKR_ROLE_CAPS_MAX];
};

enum roles_kind {
    ROLES_SMALL,   /* all rules, for the enumerator */
    ROLES_SOFT,    /* types of levels alone */
    ROLES_LARGER,  /* beyond the enumerator */
    ROLES_WIDE,    /* one big role over 8 to 16 leaves of few kinds, pools */
    ROLES_MANY,    /* 4 or 5 roles */
    ROLES_SETS,    /* of several levels, exclusive ones, roles in none */
    ROLES_CAPS,    /* bounds of sums of roles */
    ROLES_CLAIMS,  /* members that are there, of sets, too */
    ROLES_MINIMUM, /* some roles need not be complete */
    ROLES_OWN,     /* three roles, each with a rule of its own at another level */
    ROLES_BOUND,   /* sets, caps and claims at once */
    ROLES_PRESENT, /* some roles need not be complete, and some members are there already */
    ROLES_TWINS,   /* neighbours in role order with the same demand and leaves */
    ROLES_KIND_COUNT
};

void roles_instance_make(struct roles_instance *ret, uint64_t seed, enum roles_kind kind,
                         uint64_t index);
/* All pointers into the instance itself, after it was copied or filled in. The sum of the roles is
 * the problem's n. */
void roles_instance_link(struct roles_instance *ri);
void roles_instance_copy(struct roles_instance *ret, const struct roles_instance *from);
/* All that there is, in a few lines. */
void roles_instance_print(const struct roles_instance *ri, FILE *to);
/* Members of a role below the unit that are there already. */
int32_t roles_instance_claims(const struct roles_instance *ri, int32_t role, int32_t unit);

#endif
