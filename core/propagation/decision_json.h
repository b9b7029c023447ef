/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_DECISION_JSON_H
#define SKR_CORE_PROPAGATION_DECISION_JSON_H
/* A decision as JSON, for explain and simulate. */
#include "core/propagation/decision.h"
#include "topology/base/json_writer.h"

/* The members rejected{cluster: [filters]}, groups{level: {path: {score, availableReplicas}}},
 * selected, clusters, affinity, error{code, reason, specClusters, retry}; where resource models
 * counted, models{cluster: [{grade, nodes, fits}]} (fits by component for sets); where something is
 * ignored, warnings. Lists from tables are sorted, selected is in the order of picking. affinity
 * and error are null where there is none. Opens and closes no object. */
void skr_binding_decision_write(const struct skr_binding_decision *decision,
                                struct skr_json_writer *w);
/* [{"name": "a", "replicas": 3}]; with components where these are assigned. */
void skr_binding_decision_write_targets(const struct skr_binding_decision *decision,
                                        const char *key, struct skr_json_writer *w);

#endif
