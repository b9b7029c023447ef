/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_CEL_ROWS_H
#define SKR_TEST_UNIT_CEL_ROWS_H
/* Expressions of CEL and what they give, as texts. The roots are x, an object, and n, which is 7. */
#include <stdint.h>

#include "topology/base/strbuf.h"

struct row {
    const char *title, *expected; /* the title is the expression */
};

/* The result as text: "true", "error 1:3: WHY", "refused 1:3: WHY". */
void cel_evaluate(const char *text, uint64_t cost_max, struct skr_strbuf *out);
/* Fails the test if the result is another one. */
void cel_expect(const struct row *row);

#endif
