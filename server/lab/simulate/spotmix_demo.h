/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_SPOTMIX_DEMO_H
#define SKR_SERVER_LAB_SIMULATE_SPOTMIX_DEMO_H
/*
 * `sakkara demo spotmix`: a Deployment under four maxima, two pods lost and replaced, a scale-down
 * and back, each pod through the webhook's own review. One letter per pod, at its index.
 */
#include "topology/base/strbuf.h"

/* Returns an exit code. */
int skr_spotmix_demo(bool ascii, struct skr_strbuf *out);

#endif
