/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_CLUSTER_RIG_H
#define SKR_TEST_UNIT_CLUSTER_RIG_H
/* The controllers and the kubelets on a virtual clock, with a scheduler that binds every pod at once: to the
 * node that a daemon pod names, else to node n1, which is there. */
#include "server/lab/cluster/cluster.h"
#include "test/unit/sandbox_rig.h"
#include "topology/base/arena.h"

#define APPS   "/apis/apps/v1/namespaces/default"
#define SECOND SKR_SECOND

/* Parts of bodies: a Job's template; selector and template of a set. */
#define TEMPLATE(annotations)                                                  \
    "'template':{'metadata':{'labels':{'app':'x'},'annotations':{" annotations \
    "}},'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'x'}]}}"
#define SERVICE                                                                            \
    "'selector':{'matchLabels':{'app':'x'}},'template':{'metadata':{'labels':{'app':'x'}}" \
    "," RIG_POD "}"

struct cluster_rig {
    struct skr_cluster *cluster;
    struct skr_store *store; /* of the cluster */
    skr_time now;            /* RIG_NOW at first */
    uint64_t seen;           /* revision up to which pods were bound */
    bool binding;            /* true at first */
};

/* ordinal_names: of struct skr_cluster_options. */
struct cluster_rig *cluster_rig_create(bool ordinal_names);
void cluster_rig_destroy(struct cluster_rig *rig);
/* Lets everything happen that is due within the duration. */
void cluster_rig_run(struct cluster_rig *rig, skr_time duration);
/* "NAME:PHASE NAME:PHASE" of the pods in default; PHASE- when one is being deleted. Borrowed until the
 * next call. */
const char *cluster_rig_pods(const struct cluster_rig *rig);

#endif
