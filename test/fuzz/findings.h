/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_FUZZ_FINDINGS_H
#define SKR_TEST_FUZZ_FINDINGS_H
#include "server/findings.h"

/* Findings about a file of size bytes: within their limits, in the file, each with a text. */
void fuzz_check_findings(struct skr_findings *findings, size_t size);

#endif
