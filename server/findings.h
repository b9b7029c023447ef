/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_FINDINGS_H
#define SKR_SERVER_FINDINGS_H
/*
 * What is wrong in files, all of it at once: findings with positions, written like a compiler's,
 *
 *   sakkara.yaml:7:14: error: planTimeout: "5x" is not a duration such as 50ms, 330s or 5m
 *
 * those of one file in the order of their positions. The struct is the caller's memory and owns
 * nothing.
 */
#include <stdbool.h>
#include <stddef.h>

#include "topology/base/attr.h"
#include "topology/base/strbuf.h"

enum {
    SKR_FINDINGS_MAX = 64,      /* kept; the rest is counted */
    SKR_FINDING_TEXT_MAX = 384, /* bytes of one text; longer ones are cut */
};

struct skr_finding {
    size_t line;   /* from 1; 0: about the file as a whole */
    size_t column; /* from 1, in bytes */
    bool is_error;
    const char *code; /* constant, CamelCase: what kind it is, for lint; NULL: it has none */
    const char *file; /* borrowed; NULL: the one that skr_findings_write() names */
    char text[SKR_FINDING_TEXT_MAX];
};

struct skr_findings {
    size_t n;        /* kept */
    size_t n_errors; /* all of them, kept or not */
    size_t n_left_out;
    const char *file; /* of those that are added next */
    struct skr_finding item[SKR_FINDINGS_MAX];
};

void skr_findings_init(struct skr_findings *findings);
void skr_findings_add(struct skr_findings *findings, bool is_error, const char *code, size_t line,
                      size_t column, const char *format, ...) SKR_PRINTF(6, 7);
/* The whole file, as skr_file_read(); a file that cannot be read is a finding without position. */
int skr_findings_read(struct skr_findings *findings, const char *path, size_t max, char **ret,
                      size_t *ret_n);
/* Sorts by position (stable) and appends one line each, with file in front of those without one. */
void skr_findings_write(struct skr_findings *findings, const char *file, struct skr_strbuf *out);

#endif
