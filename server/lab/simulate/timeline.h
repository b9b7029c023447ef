/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_TIMELINE_H
#define SKR_SERVER_LAB_SIMULATE_TIMELINE_H
/*
 * `sakkara simulate timeline`: when the waiting groups of a dump will start. The objects go to an
 * engine that plans nothing; one round runs over its caches (core/gang/time/timeline.h). Nothing is
 * played.
 */
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
    bool picture;         /* draw it, with the four below, instead of tables */
    const char *domain;   /* name or path; NULL: the root */
    const char *resource; /* NULL: that of `sakkara tree` */
    int64_t hours;
    bool ascii;
};

/* How the picture is drawn. */
struct skr_timeline_picture {
    const char *resource;
    int64_t cell_s;
    bool ascii;
};

/* Result to out, warnings and errors to messages. Returns an exit code. */
int skr_simulate_timeline_run(const struct skr_simulate_timeline_options *options,
                              struct skr_strbuf *out, struct skr_strbuf *messages);

/* The answer as JSON (docs/reference.md) and as tables, with what groups should know below. */
void skr_timeline_write_json(const struct skr_timeline_answer *answer, struct skr_strbuf *out);
void skr_timeline_write_text(const struct skr_timeline_answer *answer, struct skr_strbuf *out);
/* The picture of an answer with a chart. */
void skr_timeline_draw(const struct skr_timeline_answer *answer,
                       const struct skr_timeline_picture *how, struct skr_strbuf *out);
/* Start, name, place, end and cause of a group, as cells. */
struct skr_text_table;
void skr_timeline_add_row(struct skr_text_table *table, const struct skr_timeline_answer *answer,
                          const struct skr_timeline_group *group);

#endif
