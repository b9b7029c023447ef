/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ROLE_COUNTS_H
#define SKR_CORE_GANG_GROUP_ROLE_COUNTS_H
/* How many members of each role a solution places, by leaf and unit of the tree. */
#include "core/solver/roles.h"

struct skr_role_counts {
    const int32_t *total; /* [leaf] final members of all roles, claims included */
    /* [role][leaf] the same of one role; all NULL: any split of the total is good. */
    const int32_t *of_role[SKR_ROLES_MAX];
    const int32_t *sets[SKR_SET_KINDS_MAX]; /* [unit] sets of the kind; NULL: not known */
};

#endif
