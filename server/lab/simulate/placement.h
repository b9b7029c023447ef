/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_PLACEMENT_H
#define SKR_SERVER_LAB_SIMULATE_PLACEMENT_H
/* `sakkara simulate placement` and `explain placement/NAME`: what one Placement would select, from
 * objects in files, by the code of the daemon. */
#include "server/lab/simulate/placement_world.h"

struct skr_simulate_placement_options {
    const char *const *file;
    size_t n_files;
    const char *const *set; /* placement_world.h */
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
/* The same over a world that was read and finished. */
int skr_simulate_placement_show(struct skr_placement_world *world,
                                const struct skr_simulate_placement_options *options,
                                struct skr_strbuf *out, struct skr_strbuf *messages);

/* For people (placement_text.c). */
void skr_placement_text_write(const struct skr_placement *placement,
                              const struct skr_placement_hub *hub,
                              const struct skr_placement_result *result, struct skr_arena *arena,
                              bool verbose, struct skr_strbuf *out);

#endif
