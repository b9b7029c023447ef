/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_STORE_PATCH_H
#define SKR_SERVER_LAB_STORE_PATCH_H
/* Patches as the API server applies them. Each returns a new object and borrows its arguments. */
#include <jansson.h>

#include "topology/base/error.h"

/* RFC 6902. NULL: SKR_INVALID, SKR_LIMIT or SKR_CONFLICT (an operation does not apply). */
json_t *skr_patch_json(const json_t *target, const json_t *patch, struct skr_error *error);
/* RFC 7386. */
json_t *skr_patch_merge(const json_t *target, const json_t *patch);
/* Lists of built-in kinds are merged by their key. NULL: SKR_INVALID. */
json_t *skr_patch_strategic(const json_t *target, const json_t *patch, const char *kind,
                            struct skr_error *error);

#endif
