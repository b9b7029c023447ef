/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_REPORT_REPORT_H
#define SKR_SERVER_LAB_REPORT_REPORT_H
/*
 * How a simulation ended, as JSON for scripts and as a table for people, with pictures. Everything
 * is sorted; the same state gives the same bytes.
 */
#include "core/gang/scheduler.h"
#include "server/lab/driver/lab.h"
#include "server/lab/report/record.h"

struct skr_simulate_report {
    struct skr_record *record;
    struct skr_store *store;
    const struct skr_gang *engine;
    struct skr_lab *lab;     /* says what would help groups that are not placed */
    const json_t *groups;    /* skr_simulate_groups() */
    skr_time start;          /* of the clock */
    skr_time end;            /* what is printed as time */
    const char *class_label; /* pods have a class by this label; NULL: none has */
    bool ascii;
};

/* Groups as skr_gang_write_json() has them, with the number "bound" in place of "members", and
 * "placement" only if it is asked for: what the report wants of them. json_decref() it. */
json_t *skr_simulate_groups(const struct skr_gang *engine, bool placements);

/* Wants groups with their placements. */
void skr_simulate_write_json(const struct skr_simulate_report *report, struct skr_strbuf *out);
/* A row a group; for each that is not placed a sentence, and what would help; totals. */
void skr_simulate_write_text(const struct skr_simulate_report *report, struct skr_strbuf *out);
/* Every group before and after. */
void skr_simulate_write_pictures(const struct skr_simulate_report *report, struct skr_strbuf *out);
/* Whether every seat of every group is bound. */
bool skr_simulate_is_placed(const struct skr_simulate_report *report);

#endif
