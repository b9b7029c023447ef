/* SPDX-License-Identifier: Apache-2.0 */
/* libjansson writes piece by piece into a string of ours. */
#include "topology/base/json_text.h"

#include "topology/base/strbuf.h"

static int add(const char *text, size_t n, void *context)
{
    skr_strbuf_addn(context, text, n);
    return 0;
}

char *skr_json_text(const json_t *value, size_t flags)
{
    struct skr_strbuf out;
    skr_strbuf_init(&out);
    if (json_dump_callback(value, add, &out, flags) != 0) {
        skr_strbuf_fini(&out);
        return NULL;
    }
    return skr_strbuf_take(&out, NULL);
}
