/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_SOLVE_COMMAND_H
#define SKR_SERVER_SOLVE_COMMAND_H
/*
 * `sakkara solve FILE`: solves one placement problem without a daemon, for users' reports, "what
 * if" questions and the tests of the solver. Formats: docs/reference.md, "Solve files".
 */
#include "topology/base/strbuf.h"

/* path: "-" is standard input. Writes placement, key, explanation and statistics as JSON to out, or
 * the refusal, "FILE:LINE:COLUMN: ...", to errors. Warnings go to errors, too. Returns an exit
 * code. */
int skr_solve_command(const char *path, struct skr_strbuf *out, struct skr_strbuf *errors);

#endif
