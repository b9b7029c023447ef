/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_JSON_H
#define SKR_CORE_SPOTMIX_JSON_H
/* Members of objects that came from outside, where anything may stand anywhere: what is not of the
 * wanted type counts as absent. Borrowed; object NULL allowed. */
#include <jansson.h>
#include <stdbool.h>

#include "topology/base/json_field.h"

/* "" when absent or no string. */
static inline const char *skr_spotmix_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* NULL when absent or no string. */
static inline const char *skr_spotmix_text_or_null(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

#endif
