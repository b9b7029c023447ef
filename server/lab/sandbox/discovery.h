/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_DISCOVERY_H
#define SKR_SERVER_LAB_SANDBOX_DISCOVERY_H
/*
 * What the API server says about itself: /version, /api, /apis and below, /openapi/v3 as far as
 * kubectl needs it to leave the validation of fields to the server. Written from the table of
 * resources. Pure.
 */
#include <jansson.h>

/* The document at the path as a new reference; NULL: there is none. */
json_t *skr_discovery_get(const char *path);

#endif
