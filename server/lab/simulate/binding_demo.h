/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_BINDING_DEMO_H
#define SKR_SERVER_LAB_SIMULATE_BINDING_DEMO_H
/* `sakkara demo binding`: zones and providers of Karmada, in five clusters. */
#include "topology/base/strbuf.h"

#include <stdbool.h>

/* Returns an exit code. */
int skr_binding_demo_play(bool ascii, struct skr_strbuf *out);

#endif
