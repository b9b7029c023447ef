/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_SETTINGS_H
#define SKR_CORE_SPOTMIX_SETTINGS_H
/*
 * Settings of the spot mix (docs/reference.md), the two classes of nodes, and the keys that are
 * written on workloads and pods. Borrowed strings outlive the mix.
 *
 * A class is one requirement on one node label. It is written into the node affinity of pods, and
 * it gives the class of a node. The presets are the labels that clouds give their nodes.
 */
#include "topology/base/error.h"
#include "topology/base/hash.h"
#include "topology/object.h"

#define SKR_SPOTMIX_KEY_PREFIX "cloudpilot.ai/webhook-scheduler"
#define SKR_SPOTMIX_COST_KEY   "controller.kubernetes.io/pod-deletion-cost"

enum skr_spotmix_class {
    SKR_SPOTMIX_NO_CLASS = -1,
    SKR_SPOTMIX_ON_DEMAND,
    SKR_SPOTMIX_SPOT,
    SKR_SPOTMIX_CLASS_COUNT
};

enum {
    SKR_SPOTMIX_VALUES_MAX = 8,         /* of a class */
    SKR_SPOTMIX_EXCLUDED_MAX = 64,      /* namespaces */
    SKR_SPOTMIX_KEY_MAX = 253 + 1 + 64, /* bytes of a label key with its NUL */
};

/* What happens to running pods of the wrong class after the maximum has changed. */
enum skr_spotmix_rebuild {
    SKR_SPOTMIX_REBUILD_EVICT,
    SKR_SPOTMIX_REBUILD_NONE,
    SKR_SPOTMIX_REBUILD_ROLLOUT, /* the workload's controller replaces all its pods */
    SKR_SPOTMIX_REBUILD_COUNT
};

/* An expression of a nodeSelectorTerm on the class key. */
struct skr_spotmix_expression {
    const char *op; /* In, NotIn, Exists, DoesNotExist */
    size_t n;
    const char *value[SKR_SPOTMIX_VALUES_MAX];
};

struct skr_spotmix_settings {
    struct skr_hash_seed hash_seed; /* of names that users choose */
    const char *key_prefix; /* of the labels: PREFIX, PREFIX-max-on-demand-count, PREFIX-class... */
    const char *node_key;   /* the node label that gives the class */
    struct skr_spotmix_expression expression[SKR_SPOTMIX_CLASS_COUNT];
    bool tolerate_spot; /* spot pods tolerate NODE_KEY=SPOT_VALUE:NoSchedule */
    skr_time reservation_ttl;
    size_t n_excluded;
    const char *excluded[SKR_SPOTMIX_EXCLUDED_MAX]; /* namespaces whose pods are not changed */
    const char *own_namespace;                      /* the same; "": unknown */
    enum skr_spotmix_rebuild rebuild;
    bool rollout_cost;
};

/* Preset "default", 30 s, kube-system and kube-node-lease, evict, costs of rollouts on. */
void skr_spotmix_settings_default(struct skr_spotmix_settings *settings);
/* Node key, expressions and toleration of a preset. false: no such preset; settings are
 * unchanged. */
bool skr_spotmix_settings_preset(struct skr_spotmix_settings *settings, const char *name);

extern const char *const skr_spotmix_class_name[]; /* "on-demand", "spot" */
/* SKR_SPOTMIX_NO_CLASS for any other text and for NULL. */
enum skr_spotmix_class skr_spotmix_class_parse(const char *text);
/* The deletion cost of its pods: "100", "1". */
extern const char *const skr_spotmix_class_cost[];
extern const char *const skr_spotmix_rebuild_name[];

/* The labels and annotations, spelled out. */
struct skr_spotmix_keys {
    char on[SKR_SPOTMIX_KEY_MAX];     /* workload: "true" switches it on */
    char max[SKR_SPOTMIX_KEY_MAX];    /* workload: how many pods are on-demand */
    char class_[SKR_SPOTMIX_KEY_MAX]; /* pod, label */
    char index[SKR_SPOTMIX_KEY_MAX];  /* pod, label */
    char token[SKR_SPOTMIX_KEY_MAX];  /* pod, annotation */
    char rolled[SKR_SPOTMIX_KEY_MAX]; /* template, annotation: the maximum it was rolled out for */
};
/* Errors: SKR_INVALID, a prefix that is too long for a label key. */
int skr_spotmix_keys_init(struct skr_spotmix_keys *keys, const char *prefix,
                          struct skr_error *error);

#endif
