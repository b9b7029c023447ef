/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_TRACE_H
#define SKR_SERVER_LAB_SIMULATE_TRACE_H
/* `sakkara simulate --trace`: jobs of a CSV file under one or several policies
 * (server/lab/replay/replay.h). */
#include <stdbool.h>
#include <stddef.h>

#include "topology/base/strbuf.h"

struct skr_simulate_trace_options {
    const char *trace;       /* CSV; "-": standard input */
    const char *cluster;     /* "racks=16,nodes=8,slots=8"; NULL: that of the files */
    const char *const *file; /* files, folders, "-" */
    size_t n_files;
    const char *policy; /* "sakkara,easy"; NULL: sakkara */
    const char *place;  /* "exact,spread"; NULL: exact */
    const char *config; /* NULL: defaults */
    bool json;
};

/* Result to out, warnings and errors to messages. Returns an exit code. Same input, same bytes. */
int skr_simulate_trace_run(const struct skr_simulate_trace_options *options, struct skr_strbuf *out,
                           struct skr_strbuf *messages);

#endif
