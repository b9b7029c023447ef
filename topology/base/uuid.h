/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_UUID_H
#define SKR_TOPOLOGY_BASE_UUID_H
/* UIDs as API servers hand them out, lower-case UUIDs of 36 letters, in the 128 bits that they are. */
#include <stdbool.h>
#include <stdint.h>

enum { SKR_UUID_TEXT = 37 }; /* bytes with the NUL */

/* false for any other text; *ret is undefined then. */
bool skr_uuid_pack(const char *text, uint64_t ret[2]);
/* What was packed; returns ret. */
const char *skr_uuid_unpack(const uint64_t uuid[2], char ret[SKR_UUID_TEXT]);

#endif
