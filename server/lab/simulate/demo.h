/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_DEMO_H
#define SKR_SERVER_LAB_SIMULATE_DEMO_H
/*
 * `sakkara demo`: a Job of eight pods (pack into one rack, spread over its nodes) on two racks of
 * three nodes, in three situations: all free; one rack partly used; no rack with room for all. Then
 * a second gang that does not fit, and why. Each runs in the simulated cluster
 * (server/lab/driver/lab.h) and must end as expected.
 */
#include <stdbool.h>

#include "topology/base/strbuf.h"

/* Appends the whole story. verbose: also every request and write. Returns an exit code: 0, or
 * SKR_EXIT_NOT_PLACED if a situation ends differently. */
int skr_demo_play(bool ascii, bool verbose, struct skr_strbuf *out);

#endif
