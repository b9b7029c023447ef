/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_NODE_MODELS_H
#define SKR_CORE_PROPAGATION_NODE_MODELS_H
/*
 * Resource models of a member cluster of Karmada: spec.resourceModels describes grades of nodes, and
 * status.resourceSummary.allocatableModelings counts the nodes of each grade. A node has the
 * minimum of every range of its grade, and room for SKR_MODEL_PODS pods. What the ranges do not
 * name is not on the node (karmada pkg/estimator/client/general.go, buildModelNodes).
 *
 * Nodes of a grade are equal, so they are counted and never listed. They have no labels and no
 * taints: every nodeClaim matches them.
 */
#include "topology/fields.h"
#include "topology/resources.h"

enum {
    SKR_MODEL_GRADES_MAX = 256, /* grades of one cluster, in spec and in status; stock has 9 */
    SKR_MODEL_PODS = 110,       /* of a node; karmada-scheduler's number */
};
/* Nodes of one grade: more count as this, so that sums of pods stay in 64 bits. */
#define SKR_MODEL_NODES_MAX ((int64_t)1 << 40)

struct skr_node_model {
    int64_t grade;
    int64_t nodes; /* 1.. */
    struct skr_quantities has;
};

struct skr_node_models {
    bool count; /* false: the sums of the cluster are used instead */
    size_t n;   /* grades that have nodes, ascending */
    struct skr_node_model *model;
};

/* spec, summary: spec and status.resourceSummary of the Cluster. Models do not count if one of both
 * lists is empty, or a number of nodes is negative. Errors: SKR_INVALID, SKR_LIMIT. */
void skr_node_models_decode(const struct skr_fields *spec, const struct skr_fields *summary,
                            struct skr_node_models *ret);

/* Whether nodes are counted by this name: cpu, memory, ephemeral-storage, and what kubernetes
 * pkg/scheduler/util IsScalarResourceName has. "pods" and "storage" are none. */
bool skr_node_model_counts(const char *name);
/* 0 when the grade does not name it. */
int64_t skr_node_model_has(const struct skr_node_model *model, const char *name);
/* How many replicas of the request one node has room for. Names that do not count on nodes are
 * skipped. O(names of the request * names of the node). */
int64_t skr_node_model_fits(const struct skr_node_model *model,
                            const struct skr_quantities *request);
/* The same of all nodes. */
int64_t skr_node_models_room(const struct skr_node_models *models,
                             const struct skr_quantities *request);
/* Whether after may have room that before has not: more nodes of a grade, or another grade. */
bool skr_node_models_grew(const struct skr_node_models *before,
                          const struct skr_node_models *after);

#endif
