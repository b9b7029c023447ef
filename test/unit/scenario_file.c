/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/scenario_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "topology/base/attr.h"
#include "topology/base/strbuf.h"

struct text_file scenario_file_open(const char *path)
{
    char command[600], chunk[4096];
    SKR_STRBUF(text);
    size_t n;
    snprintf(command, sizeof command, "awk -f test/simulate/expand.awk '%s'", path);
    FILE *awk = popen(command, "re");
    while (awk && (n = fread(chunk, 1, sizeof chunk, awk)) > 0) {
        skr_strbuf_addn(&text, chunk, n);
    }
    if (!awk || pclose(awk) != 0) {
        fprintf(stderr, "%s cannot be expanded\n", path);
        abort();
    }
    return text_file_make(text.s ? text.s : "", text.len);
}
