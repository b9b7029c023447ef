/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_PLACEMENT_H
#define SKR_SERVER_LAB_SIMULATE_PLACEMENT_H
/* `sakkara simulate placement` and `explain placement/NAME`: what one Placement would select, from
 * objects in files, by the code of the daemon. */
#include "core/placement/scheduler.h"
#include "server/lab/simulate/fleet_input.h"

/* What Open Cluster Management's hub holds: ManagedCluster, ManagedClusterSet,
 * ManagedClusterSetBinding, Placement, PlacementDecision, AddOnPlacementScore. Of an object that comes
 * twice the last counts, with a warning. */
extern const struct skr_fleet_rules skr_placement_rules;

/* [NS/]PLACEMENT:PATH=VALUE changes a Placement that was read, before the input is finished. PATH:
 * keys with dots, list entries as [N]; VALUE: JSON, or a text; null takes the key away. Without NS
 * the only Placement of this name, or that in "default". Errors, reported in errors: SKR_INVALID,
 * SKR_NOT_FOUND. */
int skr_placement_set(struct skr_fleet_input *input, const char *change, struct skr_strbuf *errors);
/* By namespace and name; NULL at the end. */
const struct skr_placement *skr_placement_at(const struct skr_fleet_input *input, size_t i);
/* The hub as one Placement sees it; lists are in the arena. SKR_LIMIT. */
int skr_placement_hub(const struct skr_fleet_input *input, const struct skr_placement *placement,
                      struct skr_arena *arena, struct skr_placement_hub *ret,
                      struct skr_error *error);

struct skr_simulate_placement_options {
    const char *const *file;
    size_t n_files;
    const char *const *set; /* skr_placement_set() */
    size_t n_sets;
    const char *placement;   /* "NS/NAME"; NULL: the only one that is ours */
    const char *scheduler;   /* whose Placements are ours */
    const char *spread_mode; /* "weighted", "lexicographic"; NULL: weighted */
    const char *now;         /* RFC 3339; NULL: the clock */
    bool json, verbose;
};

/* Result to out, warnings and errors to messages. Returns an exit code: 0 satisfied, 4 not, 3 no
 * such Placement, 1 broken input, or several that are ours, which are listed. */
int skr_simulate_placement_run(const struct skr_simulate_placement_options *options,
                               struct skr_strbuf *out, struct skr_strbuf *messages);
/* The same over objects that were read and finished. */
int skr_simulate_placement_show(struct skr_fleet_input *input,
                                const struct skr_simulate_placement_options *options,
                                struct skr_strbuf *out, struct skr_strbuf *messages);

/* For people (placement_text.c). */
void skr_placement_text_write(const struct skr_placement *placement,
                              const struct skr_placement_hub *hub,
                              const struct skr_placement_result *result, struct skr_arena *arena,
                              bool verbose, struct skr_strbuf *out);

#endif
