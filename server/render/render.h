/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_RENDER_RENDER_H
#define SKR_SERVER_RENDER_RENDER_H
/*
 * Answers as text for people. Pure: JSON in, text out; the layouts are those of docs/reference.md.
 * An answer that lacks a required field is refused.
 */
#include <jansson.h>

#include "server/render/text_table.h"
#include "topology/base/error.h"
#include "topology/base/strbuf.h"

struct skr_render {
    bool ascii, coloured, no_headers;
    int32_t utc_offset_s; /* of times of day */
};

enum {
    SKR_RENDER_GROUPS_SHOWN = 8, /* names in a cell; the rest is counted */
    SKR_RENDER_CELLS_MAX = 24,   /* of a bar of pods */
};

/* The tree as a table. notes: sentences about it, one a line. SKR_INVALID. */
int skr_render_tree(const json_t *page, const struct skr_render *how, struct skr_strbuf *out,
                    struct skr_strbuf *notes, struct skr_error *error);

/* Groups as rows of a table that the caller keeps, so that later rows can follow. */
struct skr_groups_table {
    struct skr_text_table table;
    bool wide, namespaces;
};
void skr_groups_table_init(struct skr_groups_table *groups, bool wide, bool namespaces,
                           bool coloured);
void skr_groups_table_fini(struct skr_groups_table *groups);
void skr_groups_table_add_header(struct skr_groups_table *groups);
/* now: of the answer. SKR_INVALID: an item without a name. */
int skr_groups_table_add(struct skr_groups_table *groups, const json_t *item, skr_time now,
                         struct skr_error *error);
/* What a row shows, without its age: rows that are equal need not be shown again. */
void skr_groups_table_fingerprint(const struct skr_groups_table *groups, const json_t *item,
                                  struct skr_strbuf *out);

/* One group in full. SKR_INVALID. */
int skr_render_group(const json_t *page, const struct skr_render *how, struct skr_strbuf *out,
                     struct skr_error *error);

/* The picture of the next hours (/v1/timeline). */
void skr_render_timeline(const json_t *page, bool ascii, struct skr_strbuf *out);
/* A row of a table of starts: START, GROUP, PLACE, UNTIL, BECAUSE. Times are RFC 3339 in whole seconds, "":
 * not known; mark: before the start; group and because: namespace/name. */
struct skr_start_row {
    const char *mark, *start, *group, *place, *until, *because;
    const char *now; /* what is of its day is shown without a day */
};
void skr_render_start_row(struct skr_text_table *table, const struct skr_start_row *row);
/* "14:32", "12-31T14:32" on another day, "2027-12-31T14:32" in another year, with seconds if there are any;
 * "?" for "". now: an instant, or a day. */
void skr_render_clock(const char *at, const char *now, struct skr_strbuf *out);
/* A cell: namespace/name, without the namespace that is usual. */
void skr_render_label(struct skr_text_table *table, const char *label);
void skr_render_start_header(struct skr_text_table *table);

/* Workloads of the spot mix (core/spotmix/page.h), of a namespace; NULL: of all. */
void skr_render_spotmix(const json_t *page, const char *namespace_, const struct skr_render *how,
                        struct skr_strbuf *out);
/* One with its pods, and why each has its class. */
void skr_render_spotmix_one(const json_t *page, const struct skr_render *how,
                            struct skr_strbuf *out);

enum skr_hue skr_render_status_hue(const char *status);
/* The status in words for people: "Unplaced" for Ready, "Ended" for Bound if no pod is alive any
 * more, else the status. */
const char *skr_render_status(const char *status, bool is_alive);
const char *skr_render_status_of(const json_t *item); /* of a group's page or row */
/* What defines a group: "ConfigMap/train", "Job/train", "Labels"; "" if nothing does. */
void skr_render_source(const json_t *item, struct skr_strbuf *out);
/* Of a reservation: "by 14:32 UTC, when default/b-1 must end", "about 14:32 UTC (guess: default/b-1 has no limit)".
 * Of a forecast: "probably by 15:10 UTC, not promised", "no start is known: default/b-1 has no limit; set
 * run-limit". Nothing if there is nothing to say. */
void skr_render_start(const json_t *start, struct skr_strbuf *out);
/* Why a group may not start in front of a reservation: "ends 15:20 UTC, default/a-3 starts here 14:32 UTC"; nothing
 * if that is not why it waits. */
void skr_render_kept(const json_t *start, struct skr_strbuf *out);
/* Which of a group's pods are shown beside its size: a key of "pods" in its page. */
const char *skr_render_pods_counted(const char *status);

#endif
