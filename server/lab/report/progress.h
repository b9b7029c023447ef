/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_REPORT_PROGRESS_H
#define SKR_SERVER_LAB_REPORT_PROGRESS_H
/*
 * A progress bar on a terminal,
 *
 *   replay  [██████░░░░]  61%  12,204/20,000 pods  8.1k/s  eta 1s
 *
 * redrawn four times a second and wiped at the end; elsewhere one line per tenth. Silent during the
 * first second. Uses the real clock; what it writes is no output.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct skr_progress {
    FILE *out; /* NULL: silence */
    const char *verb;
    const char *unit;
    bool terminal, shown;
    int64_t begin_ns, drawn_ns;
    int tenth;
};

void skr_progress_begin(struct skr_progress *progress, FILE *out, const char *verb,
                        const char *unit);
void skr_progress_update(struct skr_progress *progress, size_t done, size_t all);
void skr_progress_end(struct skr_progress *progress);

/* The line without its end; buffer 160 bytes. Pure. */
void skr_progress_write(const struct skr_progress *progress, size_t done, size_t all,
                        int64_t took_ns, char *buffer, size_t size);

#endif
