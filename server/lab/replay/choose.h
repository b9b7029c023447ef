/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_REPLAY_CHOOSE_H
#define SKR_SERVER_LAB_REPLAY_CHOOSE_H
/*
 * Other ways than the solver's to place a group that fits, for comparisons. They know hard packs of
 * the upper levels, above levels without a rule; a group with any other rule gets the solver's
 * placement.
 *
 *   bestfit    as Kueue's BestFit: the fullest child that holds the rest, as long as there is none
 *              the emptiest one
 *   leastfree  as Kueue's LeastFreeCapacity: children from the fullest to the emptiest
 *   spread     as kube-scheduler's LeastAllocated: member by member to the node with the most room
 */
#include "core/solver/problem.h"

struct skr_replay_place {
    const char *name;
    /* For struct skr_start_question; NULL: the solver's. */
    void (*choose)(const struct skr_problem *problem, int32_t *count);
};
extern const struct skr_replay_place skr_replay_place[]; /* exact first; name NULL at the end */

#endif
