/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_UNCOUNTED_H
#define SKR_CORE_GANG_GROUP_UNCOUNTED_H
/*
 * Groups whose claims the daemon does not count, while it counts those of others. kube-scheduler alone evaluates them, one
 * pod after the other, on every node if it refuses the planned one, and all other pods wait meanwhile. So
 *
 * - such groups of a namespace are tried one after the other, with pauses (core/devices/stock_shares.h); the others wait in
 *   a turn (core/gang/problem/device_turns.h) with reason EvaluationBudget
 * - members go to kube-scheduler in turns: one, then twice as many each time that all before have been accepted. A
 *   refusal opens as many gates as there were pods that it accepted
 * - if one attempt would keep kube-scheduler busy for long, there is none: the selectors of a pod cost more than
 *   SKR_DEVICES_ATTEMPT_STEPS for all devices, or the search for one pod is longer than devices.steps on some node.
 *   The group waits in its turn until its claims or the devices are others
 * - a pod without its gate stays with kube-scheduler, refused or not. While SKR_UNCOUNTED_PODS_MAX of a namespace wait
 *   there, no group begins that has none there
 *
 * Where nothing is counted (devices.mode off, older versions, no slices), nothing of this holds.
 */
#include "core/gang/cache/devices.h"
#include "core/gang/state/plan_entry.h"

enum { SKR_UNCOUNTED_PODS_MAX = 4, SKR_UNCOUNTED_LOOK_S = 5 };

bool skr_uncounted_is(const struct skr_gang *e, const struct group *g);
/* Its members are these: what their claims cost. O(n * claims). */
void skr_uncounted_measure(struct skr_gang *e, struct group *g, struct pod_entry *const *newcomers,
                           size_t n);
/* The same by what they need; NULL: it is as it was. */
void skr_uncounted_measure_shapes(struct skr_gang *e, struct group *g,
                                  const struct device_needs *needs);
/* It is one of these groups, and one attempt would take too long. O(1). */
bool skr_uncounted_is_beyond(const struct skr_gang *e, const struct group *g);
/* When the group may be tried, as far as is known; SKR_TIME_NEVER: once another one has been, or something
 * has changed. O(groups and their members) once a second, for all namespaces together. */
skr_time skr_uncounted_opens(const struct skr_gang *e, const struct group *g);
/* It has no pod with kube-scheduler, and its namespace has as many as may be. */
bool skr_uncounted_is_full(const struct skr_gang *e, const struct group *g);
/* Its plan begins: pods of an earlier turn than others go first. Raises ret[n]. */
void skr_uncounted_begin(const struct skr_gang *e, struct plan *plan, struct pod_entry *const *pod,
                         size_t n, int32_t *ret);
void skr_uncounted_end(struct skr_gang *e, const struct plan *plan); /* the plan ends */
/* Whether the gates of all newcomers may go without a plan. */
bool skr_uncounted_may_release(const struct skr_gang *e, const struct group *g);
/* Gates of a group go without a plan. */
void skr_uncounted_opened(const struct skr_gang *e);
/* Why it waits. */
void skr_uncounted_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b);

#endif
