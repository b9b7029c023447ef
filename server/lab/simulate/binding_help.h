/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_BINDING_HELP_H
#define SKR_SERVER_LAB_SIMULATE_BINDING_HELP_H
#include "core/propagation/decision.h"
#include "topology/base/strbuf.h"

/* What would make a binding fit that is not placed: in words by its code, then which single changes
 * would, each one found by deciding again: the most replicas, the nearest maxGroups and minGroups of
 * a constraint up to 8 away. Nothing for one that is placed. Up to 140 decisions, with many clusters
 * 50. */
void skr_binding_help_write(const struct skr_binding_decision *decision, struct skr_strbuf *out);

#endif
