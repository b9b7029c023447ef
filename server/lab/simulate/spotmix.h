/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_SPOTMIX_H
#define SKR_SERVER_LAB_SIMULATE_SPOTMIX_H
/*
 * `sakkara simulate spotmix`: pods created, deleted, scaled, relabelled, rolled out, with the
 * webhook coming and going, replayed from a file through the daemon's own reviews and repairs. The
 * same file gives the same output. Format: docs/reference.md, "Spot mix events".
 */
#include "topology/base/strbuf.h"

enum { SKR_SPOTMIX_EVENTS_MAX = 64 * 1024 * 1024 /* bytes of a file */ };

struct skr_spotmix_simulate_options {
    const char *path; /* "-": standard input */
    bool json;
};

/* The result to out; what is wrong with the file, or in it, to messages. Returns an exit code. */
int skr_spotmix_simulate(const struct skr_spotmix_simulate_options *options, struct skr_strbuf *out,
                         struct skr_strbuf *messages);

/* The same for a text that is there; name: of messages. */
int skr_spotmix_simulate_text(const char *name, const char *text, size_t len, bool json,
                              struct skr_strbuf *out, struct skr_strbuf *messages);

#endif
