/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_BINDING_HELP_H
#define SKR_SERVER_LAB_SIMULATE_BINDING_HELP_H
#include "core/propagation/decision.h"
#include "topology/base/strbuf.h"

/* With which single changes a binding would be placed that is not, each of them tried
 * (core/propagation/ways.h), or that none of those was found. Nothing where there is nothing to
 * change: it is placed, or its placement is missing or was not read. */
void skr_binding_help_write(const struct skr_binding_decision *decision, struct skr_strbuf *out);

#endif
