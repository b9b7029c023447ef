/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_ENGINE_H
#define SKR_CORE_ENGINE_H
/*
 * The one owner of all scheduling state. Events in, actions out; no clock, no I/O, no threads, no
 * logging, no randomness (back-off jitter comes from a hash of the group's name and attempt).
 * Replaying the same events gives the same actions, byte for byte.
 */
#include "core/action.h"
#include "core/event.h"
#include "core/settings.h"
#include "topology/strbuf.h"

struct skr_engine;

/* settings is copied; its strings are borrowed. */
struct skr_engine *skr_engine_create(const struct skr_settings *settings);
void skr_engine_destroy(struct skr_engine *engine); /* NULL allowed */

/* Handles one event at time now (ns, never going back). Appends to out, which the caller resets
 * before or after. Takes over what event.h says. Returns 0; errors are answers and statuses, never
 * return codes. Filter: O(names); object events: O(log) plus the work they make due; decisions run
 * at the end of the call. */
int skr_engine_handle(struct skr_engine *engine, struct skr_event *event, skr_time now,
                      struct skr_actions *out);

/* All invariants (ledger, seats, plans). SKR_BUG and the first that is broken. Debug builds run it
 * after every event. */
int skr_engine_check(const struct skr_engine *engine, struct skr_error *error);

/* Numbers for metrics and /readyz; cheap. */
struct skr_engine_stats {
    size_t nodes, pods, groups, configmaps, parked, writes_in_flight;
    size_t groups_by_status[8];    /* order of enum skr_group_status */
    size_t unplaced_by_reason[16]; /* order of enum skr_reason */
    uint64_t plans, aborts, solves, bindings, binding_errors, attempts;
    bool synced, leader;
};
void skr_engine_get_stats(const struct skr_engine *engine, struct skr_engine_stats *ret);

/* State as JSON for people and tests:
 * {"groups":[{"namespace","name","size","priority","status","reason","message","placement",
 * "members":[{"name","node","rank","status"}]}]}; sorted. */
void skr_engine_write_json(const struct skr_engine *engine, struct skr_strbuf *out);

#endif
