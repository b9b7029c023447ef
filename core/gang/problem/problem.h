/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_PROBLEM_H
#define SKR_CORE_GANG_PROBLEM_PROBLEM_H
/* The solver's input, and whether its answer can still be committed. */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"

/* NULL with error: SKR_LIMIT; SKR_GONE: a member must run on a node that cannot take it;
 * SKR_CONFLICT: a set runs in two units. Requires a usable tree. */
/* probed_only: on probed nodes, and with first guesses (vetoes.h). */
struct skr_solve_request *skr_problem_build(struct skr_gang *e, struct group *g,
                                            struct pod_entry *const *newcomers, size_t n,
                                            bool probed_only, struct skr_error *error);
/* Adds request->anew to a problem of skr_problem_build() for the same newcomers: the whole group,
 * as if its bound members were not bound. Adds nothing if no member is bound, a member is missing
 * or has ended, or the answer would not be valid for all: different pods, pods with rules about
 * other pods, members outside the tree, ordinary pods that go first. O(members + leaves). */
void skr_problem_add_anew(struct skr_gang *e, const struct group *g,
                          struct pod_entry *const *newcomers, size_t n,
                          struct skr_solve_request *request);
/* The problem of skr_problem_build() for all running members becomes that of the group as if none of
 * them ran: the room that they take on open nodes is free. False: groups of several roles and pinned
 * members have no such problem. */
bool skr_problem_make_whole(const struct skr_gang *e, const struct group *g,
                            struct pod_entry *const *members, size_t n,
                            struct skr_solve_request *request);
/* Whether room of nodes decides alone: the newcomers have no rules about pods, volumes, shared
 * claims, or devices of all nodes. */
bool skr_problem_is_of_room(const struct skr_gang *e, struct pod_entry *const *newcomers, size_t n);
/* Whether the group has vetoes for one of these shapes, and probes have listed nodes since, or the vetoes
 * are a first guess for other nodes: probed_only is another problem. */
bool skr_problem_has_probes(struct skr_gang *e, const struct group *g,
                            struct pod_entry *const *newcomers, size_t n);
/* Whether the placement (leaves of the tree in force) can still be committed for these newcomers. */
bool skr_problem_still_valid(struct skr_gang *e, struct group *g,
                             struct pod_entry *const *newcomers, size_t n,
                             const struct skr_solution *solution);
/* Whether the placement is valid for the problem, by roles if it has any. */
bool skr_problem_accepts(const struct skr_problem *problem, const struct skr_solution *solution);

#endif
