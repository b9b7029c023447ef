/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_AMOUNT_TEXT_H
#define SKR_TOPOLOGY_AMOUNT_TEXT_H
/*
 * Amounts as people say them: "2 GPU", "1.5 CPU", "4 GiB memory", "1 pod". Amounts are those of
 * topology/resources.h: cpu in millicores, everything else in base units. What is not whole has one
 * decimal, rounded up, so that a shortage is never reported too small.
 */
#include <stdint.h>

#include "topology/base/strbuf.h"

/* "GPU" for nvidia.com/gpu, "CPU", "MEMORY", "PODS"; of other names what follows the last '/', in
 * capitals. Head of a column. */
void skr_amount_add_label(struct skr_strbuf *out, const char *resource);
/* Without the resource: "2", "1.5", "4 GiB". */
void skr_amount_add_number(struct skr_strbuf *out, const char *resource, int64_t amount);
/* With it. */
void skr_amount_add(struct skr_strbuf *out, const char *resource, int64_t amount);

#endif
