/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_PODLESS_H
#define SKR_SERVER_LAB_SIMULATE_PODLESS_H
/* Workloads of files that make no pods, as they are written: nothing would be placed, and nothing would
 * say so. */
#include <jansson.h>

#include "topology/base/strbuf.h"

/* Appends why the workload makes no pods, and what to change; false: it makes some, is no workload, or
 * comes from a cluster, whose dump has its pods. */
bool skr_simulate_is_podless(const json_t *object, struct skr_strbuf *why);

#endif
