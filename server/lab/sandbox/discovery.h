/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_DISCOVERY_H
#define SKR_SERVER_LAB_SANDBOX_DISCOVERY_H
/*
 * Discovery documents of the API server: /version, /api, /apis and below, and /openapi/v3 as far as
 * kubectl needs it to leave the validation of fields to the server. Derived from the table of
 * resources. Pure.
 */
#include <jansson.h>

/* The document at the path as a new reference; NULL: none. */
json_t *skr_discovery_get(const char *path);

#endif
