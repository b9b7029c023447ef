/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_SIMULATE_H
#define SKR_SERVER_LAB_SIMULATE_SIMULATE_H
/*
 * `sakkara simulate`: objects from files through API server, kube-scheduler, kubelet and the
 * daemon's engine (server/lab/driver), under a virtual clock, and what became of them. Same input,
 * same bytes. It runs every verb the daemon runs: nothing is decided here.
 *
 * Without --until a run ends when nothing more can happen: no step is left, controllers and
 * kubelets are idle, and nothing has changed for longer than anything that waits.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "topology/base/strbuf.h"
#include "topology/object.h"

struct skr_simulate_options {
    const char *const *file; /* files, folders, "-" */
    size_t n_files;
    const char *const *set; /* changes to groups, see simulate_set.h */
    size_t n_sets;
    const char *config; /* configuration of the daemon, for its settings; NULL: defaults */
    skr_time until;     /* from the beginning; SKR_TIME_NEVER: until nothing more can happen */
    uint64_t seed;      /* of uids, and of the choice among equally good nodes; 0: the first */
    bool json;
    bool picture;
    bool ascii;
    bool
        last; /* the process ends after it: memory is left to the kernel, not given back one by one */
    bool timings;   /* how long it took, on messages: the one thing that differs between runs */
    int verbosity;  /* 1: what the engine decides, verbs and writes; 2: the scheduler's queue too */
    FILE *progress; /* a bar (or lines, when it is no terminal) when it takes longer than a second;
                       NULL: none */
};

/* Result to out, warnings and errors to messages. Returns the exit code: 0, SKR_EXIT_ERROR,
 * SKR_EXIT_NOT_FOUND, SKR_EXIT_NOT_PLACED. */
int skr_simulate_run(const struct skr_simulate_options *options, struct skr_strbuf *out,
                     struct skr_strbuf *messages);

#endif
