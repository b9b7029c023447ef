/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ROLE_RANKS_H
#define SKR_CORE_GANG_GROUP_ROLE_RANKS_H
/* Gives ranks to seats of several roles, as assign_roles.h says. */
#include "core/gang/group/role_deal.h"

/* Lays out the positions. false: out of memory, as below. */
bool skr_role_ranks_begin(struct deal *d);
/* Newcomers and claimed members are split: gives ranks to those without one. Newcomers are in the
 * order of their ranks afterwards. */
bool skr_role_ranks_give(struct deal *d);

#endif
