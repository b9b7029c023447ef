/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_VICTIM_SEARCH_H
#define SKR_CORE_GANG_PREEMPT_VICTIM_SEARCH_H
/*
 * Who might give way to a group: the problem for core/solver/victims.h, and when it is worth asking.
 *
 * Candidates are groups of strictly lower priority that run or hold a plan which is not past the point
 * of no return; members beyond a group's size by themselves; with nonGroupVictims: labelled, ordinary
 * pods that agree. What exceeds a PodDisruptionBudget is none. Room of pods that go anyway counts as
 * free: those that terminate, if their deletionTimestamp, which has the grace period in it, is no further
 * than planTimeout away and not long past, and those that give way to somebody else, whose plan holds that room
 * already; but not those that would stay if that one gave way itself (skr_preemption_takes()).
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"

/* Its priority is positive, and no member has preemptionPolicy: Never. */
bool skr_victim_search_may_preempt(const struct group *g);
/* The group is known not to fit, may preempt, and something changed since nobody was found. */
bool skr_victim_search_is_due(const struct skr_gang *e, struct group *g);
/* That, whatever else keeps it from being asked now. */
bool skr_victim_search_has_news(const struct skr_gang *e, const struct group *g);
/* As skr_problem_build(), with request->preemption. seats_only: the candidates are the held seats that
 * yield to g, by the uid of their charge. Otherwise the room of all of them is free. */
struct skr_solve_request *skr_victim_search_build(struct skr_gang *e, struct group *g,
                                                  struct pod_entry *const *newcomers, size_t n,
                                                  bool seats_only, struct skr_error *error);
/* Whether held seats may help the group: the search begins with them, and may have victims after that. */
bool skr_victim_search_has_seats(const struct skr_gang *e, const struct group *g);
bool skr_victim_search_may_evict(const struct skr_gang *e, const struct group *g);
/* Whether h may give way to g: strictly lower priority, not past the point of no return, not giving way already. */
bool skr_victim_search_may_go(const struct group *g, const struct group *h);
/* A pod on a node that is neither done nor on its way out by an eviction. */
bool skr_victim_search_runs(const struct pod_entry *p);
/* A member that keeps its group from preemption by preemptionPolicy: Never; NULL: none does. */
const struct pod_entry *skr_victim_search_refuser(const struct group *g);
/* The candidate of this name; NULL: it is none. */
const struct skr_victim *skr_victim_search_find(const struct skr_victims_problem *in,
                                                const char *name);
/* Whether these victims, or the seats alone, would still make room for these counts, and still may be chosen. */
bool skr_victim_search_still_valid(struct skr_gang *e, struct group *g,
                                   struct pod_entry *const *newcomers, size_t n, bool seats_only,
                                   const struct skr_solve_request *solved);
/* Nobody was found, as things were at these epochs. took: how long the search ran; the next one waits for longer after
 * a long one. */
void skr_victim_search_failed(struct skr_gang *e, struct group *g, uint64_t epoch, uint64_t input,
                              skr_time took);
void skr_victim_search_done(struct group *g); /* the next one comes at once when it is due */

#endif
