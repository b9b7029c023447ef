/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_VOLUME_MASKS_H
#define SKR_CORE_VOLUME_MASKS_H
/*
 * Members whose volumes are reachable from some leaves alone. A mask is the set of leaves of such members.
 *
 * The solver places equal members: it decides how many go to each leaf. The members can then be dealt to
 * these places if and only if every union of masks has at least as many places as it has members whose
 * masks lie in it (Hall's theorem). Masks that are disjoint need no union of their own. So the rules are:
 * one for each mask, and one for each union of masks that overlap without one containing the other.
 * Masks that are units of a level are domains of one rule.
 *
 * Pure.
 */
#include "core/solver/problem.h"
#include "topology/base/arena.h"

enum {
    SKR_VOLUME_SETS_MAX = 64, /* masks and unions that are no units, in one problem */
};

struct skr_volume_mask {
    const int32_t *leaf; /* [n] ascending; leaves that are closed to the members are left out */
    int32_t n;
    int32_t members;
};

/* Appends rules LEAST to rule[*n_rules], at most SKR_DOMAIN_RULES_MAX in all. The masks are distinct and not
 * empty. open: [leaf] that the members may use. roles: as in struct skr_domain_rule. *ret_exact: no rule is
 * missing. False without memory in the arena. O(leaves * levels + size of masks * SKR_VOLUME_SETS_MAX). */
bool skr_volume_masks_rules(const struct skr_tree *tree, const struct skr_volume_mask *mask,
                            size_t n, const uint8_t *open, uint32_t roles, struct skr_arena *arena,
                            struct skr_domain_rule *rule, size_t *n_rules, bool *ret_exact);

/* Deals members with masks to places: of[n] is the mask of each member, an index; ret[n] its leaf, -1: there
 * is none. place[leaf]: places, from which those that are dealt are taken. As many members as possible get
 * one; the smallest masks come first. O(n * size of masks) at worst. */
void skr_volume_masks_deal(const struct skr_volume_mask *mask, const int32_t *of, size_t n,
                           int32_t n_leaves, int32_t *place, int32_t *ret);

#endif
