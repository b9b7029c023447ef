/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_STORE_JSON_PATCH_H
#define SKR_SERVER_LAB_STORE_JSON_PATCH_H
/* JSON patches (RFC 6902) as the API server applies them. */
#include <jansson.h>

#include "topology/base/error.h"

/* A new object, or NULL with SKR_INVALID, SKR_LIMIT or SKR_CONFLICT (an operation does not apply).
 * Borrows both arguments. */
json_t *skr_patch_json(const json_t *target, const json_t *patch, struct skr_error *error);

#endif
