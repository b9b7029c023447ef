/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_REPLAY_REPORT_H
#define SKR_SERVER_LAB_REPLAY_REPORT_H
/* What several policies made of one trace, by size class, as tables and as JSON. */
#include "server/lab/replay/replay.h"
#include "topology/base/strbuf.h"

/* Jobs by all their slots. */
enum skr_replay_class {
    SKR_REPLAY_NODE,  /* no more than the largest node has */
    SKR_REPLAY_SMALL, /* less than half of the largest rack */
    SKR_REPLAY_LARGE, /* the rest */
    SKR_REPLAY_ALL,
    SKR_REPLAY_CLASS_COUNT
};

/* Of sorted values, by nearest rank. */
struct skr_replay_spread {
    int64_t mean, p50, p95, p99, max;
};

struct skr_replay_class_report {
    size_t n, unplaced;
    struct skr_replay_spread wait;     /* seconds */
    struct skr_replay_spread slowdown; /* hundredths of (wait + run) / max(run, 10 s), at least 1 */
};

struct skr_replay_report {
    const char *policy, *place;
    struct skr_replay_class_report class[SKR_REPLAY_CLASS_COUNT];
    int64_t utilisation; /* tenths of a percent, from the first to the last arrival */
    int64_t makespan;    /* seconds from the first arrival to the last end */
    int64_t free_racks;  /* tenths, mean until the last arrival */
    size_t split, promises, late, backfilled, drains;
    int64_t moves[SKR_MOVE_CAUSE_COUNT];
};

/* For a table of several policies. */
struct skr_replay_head {
    const char *file;
    size_t jobs;
    int32_t racks, nodes;
    int64_t slots;
    bool places; /* the rows differ by place, too */
};

void skr_replay_report_make(const struct skr_replay_jobs *jobs,
                            const struct skr_replay_cluster *cluster,
                            const struct skr_replay_options *options,
                            const struct skr_replay_outcome *outcome,
                            struct skr_replay_report *ret);
void skr_replay_report_text(const struct skr_replay_head *head,
                            const struct skr_replay_report *report, size_t n,
                            struct skr_strbuf *out);
void skr_replay_report_json(const struct skr_replay_head *head,
                            const struct skr_replay_report *report, size_t n,
                            struct skr_strbuf *out);

#endif
