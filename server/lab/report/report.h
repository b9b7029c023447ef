/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_REPORT_REPORT_H
#define SKR_SERVER_LAB_REPORT_REPORT_H
/*
 * The result of a simulation, as JSON for scripts and as a table for users, with pictures. All is
 * sorted; the same state gives the same bytes.
 */
#include "core/gang/scheduler.h"
#include "server/lab/driver/lab.h"
#include "server/lab/report/record.h"

struct skr_simulate_report {
    struct skr_record *record;
    struct skr_store *store;
    const struct skr_gang *engine;
    struct skr_lab *lab;     /* for what would help groups that are not placed */
    const json_t *groups;    /* skr_simulate_groups() */
    skr_time start;          /* of the clock */
    skr_time end;            /* printed as the time */
    const char *class_label; /* the label of a pod's class; NULL: none */
    bool ascii;
    bool lacks_pods; /* a workload of the input has pods that were never made */
};

/* Groups as skr_gang_write_json() writes them, with the numbers "bound" and "succeeded" in place of
 * "members", and "placement" only if requested. json_decref() it. */
json_t *skr_simulate_groups(const struct skr_gang *engine, bool placements);

/* Requires groups with placements. */
void skr_simulate_write_json(const struct skr_simulate_report *report, struct skr_strbuf *out);
/* One row per group; for each that is not placed a sentence, and what would help; totals. */
void skr_simulate_write_text(const struct skr_simulate_report *report, struct skr_strbuf *out);
/* Every group before and after. */
void skr_simulate_write_pictures(const struct skr_simulate_report *report, struct skr_strbuf *out);
/* Whether every seat of every group is bound, no workload lacks its pods, and, if there are pods,
 * one of them is on a node. */
bool skr_simulate_is_placed(const struct skr_simulate_report *report);

#endif
