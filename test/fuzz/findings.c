/* SPDX-License-Identifier: Apache-2.0 */
#include "test/fuzz/findings.h"

#include "test/fuzz/fuzz.h"

/* libyaml counts characters, not bytes, so a column never exceeds the bytes of the file; and it
 * counts CR, NEL, LS and PS as line ends. */
static void check_position(const struct skr_finding *finding, size_t size)
{
    fuzz_check(finding->line <= size + 1 && finding->column <= size + 1);
    fuzz_check((finding->line == 0) == (finding->column == 0));
}

void fuzz_check_findings(struct skr_findings *findings, size_t size)
{
    SKR_STRBUF(out);
    size_t n_errors = 0;
    fuzz_check(findings->n <= SKR_FINDINGS_MAX);
    fuzz_check(findings->n_left_out == 0 || findings->n == SKR_FINDINGS_MAX);
    skr_findings_write(findings, "file", &out);
    for (size_t i = 0; i < findings->n; i++) {
        const struct skr_finding *f = &findings->item[i];
        check_position(f, size);
        fuzz_check(f->text[0] != '\0' && memchr(f->text, '\0', sizeof f->text));
        n_errors += f->is_error;
    }
    fuzz_check(n_errors <= findings->n_errors);
    fuzz_check(findings->n_errors <= n_errors + findings->n_left_out);
    fuzz_check((findings->n == 0) == (out.len == 0));
}
