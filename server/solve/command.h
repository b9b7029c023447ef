/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_SOLVE_COMMAND_H
#define SKR_SERVER_SOLVE_COMMAND_H
/*
 * `sakkara solve FILE`: one placement problem through the solver, without a daemon. For users'
 * reports and questions of "what if", and the harness of the tests. Formats: docs/reference.md,
 * "Solve files".
 */
#include "topology/base/strbuf.h"

/* path: "-" is standard input. Placement, key, explanation and statistics as JSON into out; or the
 * refusal, "FILE:LINE:COLUMN: ...", into errors, where warnings go too. Returns an exit code. */
int skr_solve_command(const char *path, struct skr_strbuf *out, struct skr_strbuf *errors);

#endif
