/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_SPOTMIX_H
#define SKR_SERVER_LAB_SIMULATE_SPOTMIX_H
/*
 * `sakkara simulate spotmix`: replays created, deleted, scaled, relabelled and rolled out pods from
 * a file, with the webhook going down and up, through the daemon's own reviews and repairs. The
 * same file gives the same output. Format: docs/reference.md, "Spot mix events".
 */
#include "topology/base/strbuf.h"

enum { SKR_SPOTMIX_EVENTS_MAX = 64 * 1024 * 1024 /* bytes of a file */ };

struct skr_spotmix_simulate_options {
    const char *path; /* "-": standard input */
    bool json;
};

/* Result to out; errors of or in the file to messages. Returns an exit code. */
int skr_spotmix_simulate(const struct skr_spotmix_simulate_options *options, struct skr_strbuf *out,
                         struct skr_strbuf *messages);

/* The same for a text; name: for messages. */
int skr_spotmix_simulate_text(const char *name, const char *text, size_t len, bool json,
                              struct skr_strbuf *out, struct skr_strbuf *messages);

#endif
