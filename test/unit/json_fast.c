/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/json_fast.h"

#include "topology/base/json_tree.h"

json_t *json_fast_read(const char *text, size_t n, json_error_t *ret_error)
{
    json_t *value = NULL;
    (void)skr_json_tree_read(text, n, &value, NULL);
    if (value && !json_is_object(value) && !json_is_array(value)) {
        json_decref(value);
        value = NULL;
    }
    return value ? value : json_loadb(text, n, 0, ret_error);
}
