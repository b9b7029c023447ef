/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_WHOLE_H
#define SKR_CORE_GANG_TIME_WHOLE_H
/* A group that runs, as a whole: what it takes, and the question where all of it fits. Private to
 * core/gang/time. */
#include "core/gang/time/gather.h"

/* What its pods take now, one entry for a leaf and resource, without those on lost nodes (NULL: none).
 * False: nothing, or a pod is outside the tree. skr_place_fini() in any case. */
bool skr_whole_place(const struct gathering *in, const struct group *g,
                     const struct node_names *lost, struct skr_place *ret);
/* The problem of all its members, none of them placed. NULL: there is none; groups of several roles have
 * none. skr_solve_request_destroy() it. */
struct skr_solve_request *skr_whole_problem(struct gathering *in, struct group *g,
                                            struct skr_start_question *q);

#endif
