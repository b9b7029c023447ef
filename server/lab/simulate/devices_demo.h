/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_DEVICES_DEMO_H
#define SKR_SERVER_LAB_SIMULATE_DEVICES_DEMO_H
/*
 * `sakkara demo devices`: two gangs on GPUs by Dynamic Resource Allocation. Four nodes have eight devices
 * each, and cpu for all pods. The first gang takes three nodes, the second one waits, and its explanation
 * names devices. When the first gang is over, its devices are free and the second one has room. Which pod
 * has which device is read from the ResourceClaims of the simulated cluster (server/lab/driver/lab.h).
 */
#include <stdbool.h>

#include "topology/base/strbuf.h"

/* Appends the whole story. Returns an exit code: 0, or SKR_EXIT_NOT_PLACED if it ends differently. */
int skr_devices_demo(bool ascii, struct skr_strbuf *out);

#endif
