/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting is an insertion sort, which no finding passes the one of another file in: there are at
 * most SKR_FINDINGS_MAX. */
#include "server/findings.h"

#include <stdarg.h>
#include <stdio.h>

#include "server/file.h"

void skr_findings_init(struct skr_findings *findings)
{
    findings->n = 0;
    findings->n_errors = 0;
    findings->n_left_out = 0;
    findings->file = NULL;
}

void skr_findings_add(struct skr_findings *findings, bool is_error, const char *code, size_t line,
                      size_t column, const char *format, ...)
{
    if (is_error) {
        findings->n_errors++;
    }
    if (findings->n == SKR_FINDINGS_MAX) {
        findings->n_left_out++;
        return;
    }
    struct skr_finding *finding = &findings->item[findings->n++];
    finding->line = line;
    finding->column = column;
    finding->is_error = is_error;
    finding->code = code;
    finding->file = findings->file;
    va_list args;
    va_start(args, format);
    vsnprintf(finding->text, sizeof finding->text, format, args);
    va_end(args);
}

int skr_findings_read(struct skr_findings *findings, const char *path, size_t max, char **ret,
                      size_t *ret_n)
{
    struct skr_error error;
    const int rc = skr_file_read(path, max, ret, ret_n, &error);
    if (rc < 0) {
        skr_findings_add(findings, true, rc == -SKR_LIMIT ? "Limit" : "Syntax", 0, 0,
                         "cannot be read: %s", error.text);
    }
    return rc;
}

static bool stands_before(const struct skr_finding *a, const struct skr_finding *b)
{
    if (a->file != b->file) {
        return false;
    }
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

static void sort(struct skr_findings *findings)
{
    for (size_t i = 1; i < findings->n; i++) {
        struct skr_finding moved = findings->item[i];
        size_t at = i;
        for (; at > 0 && stands_before(&moved, &findings->item[at - 1]); at--) {
            findings->item[at] = findings->item[at - 1];
        }
        findings->item[at] = moved;
    }
}

void skr_findings_write(struct skr_findings *findings, const char *file, struct skr_strbuf *out)
{
    sort(findings);
    for (size_t i = 0; i < findings->n; i++) {
        const struct skr_finding *finding = &findings->item[i];
        skr_strbuf_add(out, finding->file ? finding->file : file);
        if (finding->line > 0) {
            skr_strbuf_addf(out, ":%zu:%zu", finding->line, finding->column);
        }
        skr_strbuf_addf(out, ": %s: %s\n", finding->is_error ? "error" : "warning", finding->text);
    }
    if (findings->n_left_out > 0) {
        skr_strbuf_addf(out, "%s: %zu more findings left out\n", file, findings->n_left_out);
    }
}
