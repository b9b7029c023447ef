/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_JSON_TEXT_H
#define SKR_TOPOLOGY_BASE_JSON_TEXT_H
/* A JSON tree as text that free() frees: libjansson's own comes from whatever gives libjansson its
 * memory. */
#include <jansson.h>
#include <stddef.h>

/* flags: libjansson's, JSON_COMPACT for one. NULL when libjansson cannot write it, as json_dumps().
 * The caller's, to free(). */
char *skr_json_text(const json_t *value, size_t flags);

#endif
