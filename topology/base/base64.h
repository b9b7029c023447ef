/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_BASE64_H
#define SKR_TOPOLOGY_BASE_BASE64_H
/* Bytes as base64 (RFC 4648, with padding), as JSON carries them. */
#include "topology/base/strbuf.h"

/* Appends n bytes. O(n). */
void skr_strbuf_add_base64(struct skr_strbuf *out, const void *bytes, size_t n);

#endif
