/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_RULES_H
#define SKR_CORE_GANG_CACHE_RULES_H
/*
 * The rules of levels that newcomers of a group are placed by. partitions, min and factor fix numbers of
 * members. They do not hold any more for a group of which members have ended for good: its newcomers
 * alone cannot make these numbers.
 */
#include "core/gang/state/groups.h"

/* As skr_group_rules(), for a group with a spec. */
void skr_rules_of(const struct group *g, const char *role, const struct skr_tree *tree,
                  struct skr_rule *rule, uint8_t *has_rule);

#endif
