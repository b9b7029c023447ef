/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of the text is consumed (topology/base/json_tree.h). */
#include "test/unit/json_fast.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/base/json_tree.h"

json_t *json_fast_read(const char *text, size_t n, json_error_t *ret_error)
{
    char *copy = skr_alloc(n + 1);
    struct skr_json_scan scan;
    memcpy(copy, text, n);
    skr_json_scan_init(&scan, copy, n);
    const char first = skr_json_scan_peek(&scan);
    json_t *value = first == '{' || first == '[' ? skr_json_tree_read(&scan) : NULL;
    free(copy);
    return value ? value : json_loadb(text, n, 0, ret_error);
}
