/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_PLACEMENT_H
#define SKR_SERVER_LAB_SIMULATE_PLACEMENT_H
/* `sakkara simulate placement` and `explain placement/NAME`: what one Placement would select, from
 * objects in files, with the daemon's code. */
#include "core/placement/scheduler.h"
#include "server/lab/simulate/fleet_input.h"

/* The objects of Open Cluster Management's hub: ManagedCluster, ManagedClusterSet,
 * ManagedClusterSetBinding, Placement, PlacementDecision, AddOnPlacementScore. Of duplicates the
 * last counts, with a warning. */
extern const struct skr_fleet_rules skr_placement_rules;

/* [NS/]PLACEMENT:PATH=VALUE changes a Placement that was read; call before the input is finished.
 * PATH: keys with dots, list entries as [N]; VALUE: JSON, or a text; null removes the key. Without
 * NS: the only Placement of this name, or the one in "default". Errors, reported in errors:
 * SKR_INVALID, SKR_NOT_FOUND. */
int skr_placement_set(struct skr_fleet_input *input, const char *change, struct skr_strbuf *errors);
/* By namespace and name; NULL at the end. */
const struct skr_placement *skr_placement_at(const struct skr_fleet_input *input, size_t i);
/* The hub for one Placement; lists are in the arena. SKR_LIMIT. */
int skr_placement_hub(const struct skr_fleet_input *input, const struct skr_placement *placement,
                      struct skr_arena *arena, struct skr_placement_hub *ret,
                      struct skr_error *error);

struct skr_simulate_placement_options {
    const char *const *file;
    size_t n_files;
    const char *const *set; /* skr_placement_set() */
    size_t n_sets;
    const char *placement;   /* "NS/NAME"; NULL: the only one of this scheduler */
    const char *scheduler;   /* the scheduler whose Placements are read */
    const char *spread_mode; /* "weighted", "lexicographic"; NULL: weighted */
    const char *now;         /* RFC 3339; NULL: the clock */
    bool json, verbose;
};

/* Result to out, warnings and errors to messages. Returns an exit code: 0 satisfied, 4 not, 3 no
 * such Placement, 1 malformed input, or several candidates, which are listed. */
int skr_simulate_placement_run(const struct skr_simulate_placement_options *options,
                               struct skr_strbuf *out, struct skr_strbuf *messages);
/* The same over an input that is finished. */
int skr_simulate_placement_show(struct skr_fleet_input *input,
                                const struct skr_simulate_placement_options *options,
                                struct skr_strbuf *out, struct skr_strbuf *messages);

/* Writes the decision for users (placement_text.c). */
void skr_placement_text_write(const struct skr_placement *placement,
                              const struct skr_placement_hub *hub,
                              const struct skr_placement_result *result, struct skr_arena *arena,
                              bool verbose, struct skr_strbuf *out);

#endif
