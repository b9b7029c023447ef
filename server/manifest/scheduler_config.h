/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_MANIFEST_SCHEDULER_CONFIG_H
#define SKR_SERVER_MANIFEST_SCHEDULER_CONFIG_H
/*
 * Reads the part of a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1) that the model of
 * kube-scheduler follows: schedulerNames of the profiles, percentageOfNodesToScore, both backoffs,
 * the extenders. Fields about the process (clientConnection, leaderElection, addresses) are ignored.
 * Fields that would change decisions and are not modelled give a warning; if the model would be
 * wrong without them (TLS to extenders), they are an error. Unknown keys, and values that
 * Kubernetes' validation refuses, are errors as in kube-scheduler.
 */
#include "server/findings.h"
#include "topology/base/arena.h"
#include "topology/object.h"

enum {
    SKR_SCHEDULER_CONFIG_BYTES_MAX = 1024 * 1024,
    SKR_SCHEDULER_PROFILES_MAX = 64,
    SKR_SCHEDULER_EXTENDERS_MAX = 64,
    SKR_SCHEDULER_MANAGED_MAX = 64, /* managedResources of one extender */
    SKR_SCHEDULER_WEIGHT_MAX = 100000,
};

/* The in-tree gang scheduler's plugins, off in profiles of ours and in the model. kube-scheduler
 * passes over names of plugins that it does not have (expandMultiPointPlugins and mergePluginSet
 * look at enabled ones only), so 1.30 takes the same file. */
#define SKR_SCHEDULER_GANG_PLUGINS 3
extern const char *const skr_scheduler_gang_plugin[SKR_SCHEDULER_GANG_PLUGINS];

struct skr_scheduler_extender {
    const char *url;                                       /* urlPrefix without '/' at its end */
    const char *filter_verb, *prioritize_verb, *bind_verb; /* "" none */
    int32_t weight;                                        /* 1.. when there is a prioritize_verb */
    skr_time timeout;                                      /* httpTimeout; 5 s when absent */
    bool node_cache_capable;
    bool ignorable;
    size_t n_managed; /* 0: every pod */
    const char **managed;
};

struct skr_scheduler_config {
    struct skr_arena *arena; /* of everything below */
    size_t n_names;
    const char **name;
    int percentage;                        /* 0: the default */
    skr_time initial_backoff, max_backoff; /* 1 s, 10 s when absent */
    size_t n_extenders;
    struct skr_scheduler_extender *extender; /* in the order they are asked: ignorable ones last */
};

/* text: n bytes of YAML or JSON, one document. Findings are added with positions, warnings also on
 * success. -SKR_INVALID: see findings; *ret is written only on success. O(n). */
int skr_scheduler_config_parse(const char *text, size_t n, struct skr_scheduler_config **ret,
                               struct skr_findings *findings);
/* The same from a file; one that cannot be read is a finding without position. */
int skr_scheduler_config_load(const char *path, struct skr_scheduler_config **ret,
                              struct skr_findings *findings);
/* One more at the end, without managedResources; strings are copied. Errors: SKR_LIMIT. */
int skr_scheduler_config_add(struct skr_scheduler_config *config,
                             const struct skr_scheduler_extender *extender,
                             struct skr_error *error);
void skr_scheduler_config_destroy(struct skr_scheduler_config *config); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_scheduler_config, skr_scheduler_config_destroy)

#endif
