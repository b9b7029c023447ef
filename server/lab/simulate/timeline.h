/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_TIMELINE_H
#define SKR_SERVER_LAB_SIMULATE_TIMELINE_H
/*
 * `sakkara simulate timeline`: when the waiting groups of a dump will start. The objects go to an
 * engine that plans nothing; one round runs over its caches (core/gang/time/timeline.h). Nothing is
 * played.
 */
#include "core/gang/state/pages.h"
#include "core/gang/time/timeline.h"
#include "topology/base/strbuf.h"

struct skr_simulate_timeline_options {
    const char *const *file; /* files, folders, "-" */
    size_t n_files;
    const char *config; /* NULL: defaults */
    const char *now;    /* RFC 3339; NULL: the clock */
    bool preempt;       /* tell victims, too */
    bool moves;         /* and moves */
    bool json;
};

/* Result to out, warnings and errors to messages. Returns an exit code. */
int skr_simulate_timeline_run(const struct skr_simulate_timeline_options *options,
                              struct skr_strbuf *out, struct skr_strbuf *messages);
/* The page /v1/timeline of the dump instead; json_decref() *ret, NULL with an exit code. */
int skr_simulate_timeline_page(const struct skr_simulate_timeline_options *options,
                               const struct skr_view_query *query, json_t **ret,
                               struct skr_strbuf *messages);

/* The answer as JSON (docs/reference.md) and as tables, with what groups should know below. */
void skr_timeline_write_json(const struct skr_timeline_answer *answer, struct skr_strbuf *out);
void skr_timeline_write_text(const struct skr_timeline_answer *answer, struct skr_strbuf *out);

#endif
