/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_SIMULATE_H
#define SKR_SERVER_LAB_SIMULATE_SIMULATE_H
/*
 * `sakkara simulate`: runs objects from files through API server, kube-scheduler, kubelet and the
 * daemon's engine (server/lab/driver), under a virtual clock, and reports the result. Same input,
 * same bytes. All decisions are the engine's.
 *
 * Without --until a run ends when nothing can change any more: no step is left, controllers and
 * kubelets are idle, and nothing has changed for longer than any wait.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "topology/base/strbuf.h"
#include "topology/object.h"

struct skr_simulate_options {
    const char *const *file; /* files, folders, "-" */
    size_t n_files;
    const char *const *set; /* changes to groups, see set.h */
    size_t n_sets;
    const char *config; /* configuration of the daemon, for its settings; NULL: defaults */
    skr_time until;     /* since the beginning; SKR_TIME_NEVER: until nothing can change any more */
    uint64_t seed;      /* for uids, and for the choice among equal nodes; 0: the first */
    bool json;
    bool picture;
    bool html; /* out gets the page of the end (server/ui/page.h), messages the text */
    bool ascii;
    bool last;      /* the process ends after it: memory is not freed one by one */
    bool timings;   /* write the run time to messages: the only part that differs between runs */
    int verbosity;  /* 1: decisions of the engine, verbs and writes; 2: the scheduler's queue too */
    FILE *progress; /* a bar (or lines, if it is no terminal) after the first second; NULL: none */
};

/* Result to out, warnings and errors to messages. Returns the exit code: 0, SKR_EXIT_ERROR,
 * SKR_EXIT_NOT_FOUND, SKR_EXIT_NOT_PLACED. */
int skr_simulate_run(const struct skr_simulate_options *options, struct skr_strbuf *out,
                     struct skr_strbuf *messages);

#endif
