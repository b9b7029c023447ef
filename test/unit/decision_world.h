/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_DECISION_WORLD_H
#define SKR_TEST_UNIT_DECISION_WORLD_H
/*
 * Clusters, bindings and options of decisions, from short texts. Clusters are written "name
 * provider/region/zone score/room", parts of a place may be missing ("-": none); a third number of
 * the last word is what runs there.
 */
#include <stddef.h>

#include "core/propagation/decision.h"
#include "topology/base/strbuf.h"

enum { CLUSTERS_MAX = 700 };

#define DYNAMIC                                                                           \
    "'replicaScheduling':{'replicaSchedulingType':'Divided','replicaDivisionPreference':" \
    "'Weighted','weightPreference':{'dynamicWeight':'AvailableReplicas'}}"
#define AGGREGATED                                                                        \
    "'replicaScheduling':{'replicaSchedulingType':'Divided','replicaDivisionPreference':" \
    "'Aggregated'}"
#define WEIGHTED "'replicaScheduling':{'replicaSchedulingType':'Divided'}"
#define EMPTY_WEIGHTS                                                                     \
    "'replicaScheduling':{'replicaSchedulingType':'Divided','replicaDivisionPreference':" \
    "'Weighted','weightPreference':{}}"
#define SPREAD(list) "'spreadConstraints':[" list "]"
#define BY(field, min, max) \
    "{'spreadByField':'" field "','minGroups':" #min ",'maxGroups':" #max "}"

#define FIVE "a p1/r1/z1 100/3 b p1/r1/z1 0/5 c p1/r2/z2 100/2 d p1/r2/z2 0/4 e p2/r3/z3 0/9"

struct decision_world {
    size_t n;
    struct skr_member_cluster *cluster[CLUSTERS_MAX];
    struct skr_strbuf targets; /* of spec.clusters */
};

/* One cluster, from its three words. */
void decision_read_cluster(struct decision_world *world, const char *word[3]);
void decision_read_clusters(struct decision_world *world, const char *text);
/* placement: members of spec.placement; more: members of spec besides, or NULL. */
struct skr_binding *decision_read_binding(struct decision_world *world, int replicas,
                                          const char *placement, const char *more);
/* "upstream", "design", "name=value ..."; NULL: default. */
void decision_set_options(const char *text, struct skr_propagation_options *options);
/* Of the world's clusters; to be destroyed. The binding outlives it. */
struct skr_binding_decision *decision_decide(const struct decision_world *world,
                                             const struct skr_binding *binding,
                                             const struct skr_propagation_options *options);
void decision_world_fini(struct decision_world *world);

#endif
