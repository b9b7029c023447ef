/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_SOLVE_WRITER_H
#define SKR_SERVER_SOLVE_WRITER_H
/* Shared by the writers of the answer's parts. Internal to server/solve/. */
#include "core/solver/solver.h"
#include "topology/base/strbuf.h"

struct skr_solve_writer {
    const struct skr_problem *problem;
    const struct skr_tree *tree;
    struct skr_strbuf *out;
};

/* The path of a unit from the top, as units of one name may be different units. */
void skr_solve_write_unit(const struct skr_solve_writer *w, int32_t unit);
/* ", "NAME": [[4,2],[1,1]]": two units hold 4, one holds 1. */
void skr_solve_write_runs(const struct skr_solve_writer *w, const char *name,
                          const struct skr_level_key *key);

#endif
