/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ROLE_PLACES_H
#define SKR_CORE_GANG_GROUP_ROLE_PLACES_H
/* Gives places to newcomers of several roles, as assign_roles.h says. */
#include "core/gang/group/role_counts.h"
#include "core/gang/group/role_deal.h"

/* Newcomers are in the order of their ranks. Errors: SKR_NO_MEMORY; SKR_BUG if counts do not match
 * the seats. */
int skr_role_places_take(struct deal *d, const struct skr_role_counts *counts,
                         struct skr_error *error);

#endif
