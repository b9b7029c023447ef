/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_BINDING_TEXT_H
#define SKR_SERVER_LAB_SIMULATE_BINDING_TEXT_H
/*
 * A decision about a binding for users: its placement or why there is none, the groups with score
 * and room, each rejected cluster with its filters, and ways out. At most 80 columns if the names
 * permit.
 */
#include "core/propagation/decision.h"
#include "topology/base/strbuf.h"

enum { SKR_BINDING_TEXT_ROWS = 12 }; /* of each table; others are counted. verbose: all */

void skr_binding_text_write(const struct skr_binding_decision *decision, bool verbose,
                            struct skr_strbuf *out);
#endif
