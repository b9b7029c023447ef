/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_BINDING_HELP_H
#define SKR_SERVER_LAB_SIMULATE_BINDING_HELP_H
#include "core/propagation/decision.h"
#include "topology/base/strbuf.h"

/* Writes the single changes that would place an unplaced binding, each tried
 * (core/propagation/ways.h), or that none was found. Writes nothing if the binding is placed, or
 * its placement is missing or was not read. */
void skr_binding_help_write(const struct skr_binding_decision *decision, struct skr_strbuf *out);

#endif
