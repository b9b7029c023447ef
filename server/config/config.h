/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CONFIG_CONFIG_H
#define SKR_SERVER_CONFIG_CONFIG_H
/*
 * The daemon's configuration file (configs/sakkara.yaml). One table row per option holds its key,
 * type, default, range and sentence; the parser, `sakkara help config`, docs/reference.md (by a
 * test) and the defaults all come from it. Unknown keys, wrong types and bad values are refused
 * with line and column, all of them at once. A configuration is immutable; its strings live as long
 * as it does.
 */
#include <stdbool.h>
#include <stddef.h>

#include "core/gang/state/settings.h"
#include "core/propagation/options.h"
#include "core/spotmix/settings.h"
#include "server/findings.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

enum {
    SKR_CONFIG_BYTES_MAX = 1024 * 1024, /* of the file */
};

struct skr_config_tls {
    const char *cert_file; /* "" : no TLS */
    const char *key_file;
    const char *client_ca_file; /* "" : client certificates are not asked for */
};

struct skr_config_spotmix {
    bool enabled;
    const char *listen;
    const char *name; /* of Service, Secret and webhook configuration */
    bool files;       /* certificates are files, else our own */
    struct skr_config_tls tls;
    skr_time certificate_lifetime, authority_lifetime; /* of our own */
    const char *key_prefix;
    const char *preset;
    const char *node_key, *on_demand_value, *spot_value; /* "": the preset's */
    const char *excluded;                                /* names, separated by commas */
    int64_t ttl_s;
    enum skr_spotmix_rebuild rebuild;
    bool rollout_cost;
};

struct skr_config_topology {
    const char *preset, *missing;   /* "": none */
    struct skr_label_levels levels; /* n 0: none; with the preset's at the end */
};

enum skr_leader_mode {
    SKR_LEADER_NONE,      /* this process is the only one */
    SKR_LEADER_SCHEDULER, /* beside each scheduler: leads where the scheduler does */
    SKR_LEADER_LEASE,     /* replicas by themselves */
};

/* karmada-scheduler-estimator of each cluster: PREFIX-CLUSTER.NAMESPACE.DOMAIN:PORT. With an
 * authority, or if none is checked, over TLS. */
struct skr_config_estimators {
    bool enabled;
    skr_time timeout;
    const char *prefix, *namespace_, *domain;
    int64_t port;
    const char *ca_file;              /* "": none */
    const char *cert_file, *key_file; /* of the client; "": none */
    bool insecure;
    bool push_only; /* clusters in pull mode have none */
};

struct skr_config {
    struct skr_arena *arena;
    const char *kubeconfig; /* "" : the in-cluster account */
    struct skr_settings settings;
    struct skr_config_topology topology; /* settings.label_levels points into it */
    bool system_groups;                  /* groups in the namespaces of the system count */
    const char *extender_listen;
    const char *bind_listen;
    struct skr_config_tls tls; /* of both extender listeners */
    int64_t ui_streams;
    const char *admin_listen;
    struct skr_config_tls admin_tls;
    const char *probes_listen;  /* "": off */
    const char *metrics_listen; /* "": off */
    const char *gate_listen;    /* "" : off */
    struct skr_config_tls gate_tls;
    struct skr_config_spotmix spotmix;
    enum skr_leader_mode leader_mode;
    const char *leader_namespace; /* "": that of the pod */
    const char *leader_name;      /* of the Lease */
    const char *leader_trusted;   /* namespaces of other installations */
    const char *scheduler_lease;  /* name of the scheduler's, in the same namespace */
    bool karmada_enabled;
    const char *karmada_scheduler_name;
    enum skr_propagation_profile karmada_profile;
    int64_t karmada_workers;
    int64_t karmada_qps, karmada_burst;
    const char *karmada_options; /* beside the profile */
    struct skr_config_estimators estimators;
    bool ocm_enabled;
    const char *ocm_scheduler_name;
    bool ocm_lexicographic;
    int64_t ocm_qps, ocm_burst; /* of its writes alone, as karmada's */
    int64_t client_qps;
    int64_t client_burst;
};

/* Every option at its default. NULL without memory. */
struct skr_config *skr_config_default(void);
/* text: n bytes of YAML (JSON is YAML). Findings are added, warnings also on success. Errors:
 * SKR_INVALID (see findings), SKR_LIMIT, SKR_NO_MEMORY; *ret is written only on success. */
int skr_config_parse(const char *text, size_t n, struct skr_config **ret,
                     struct skr_findings *findings);
/* The same from a file; a file that cannot be read is a finding without position. */
int skr_config_load(const char *path, struct skr_config **ret, struct skr_findings *findings);
/* The same, with the options of a command line over those of the file, in their order: n_set texts
 * "KEY=VALUE", a dot in KEY for a nested key. What is wrong with one is a finding without position.
 * path: NULL for the defaults. */
int skr_config_load_set(const char *path, const char *const *set, size_t n_set,
                        struct skr_config **ret, struct skr_findings *findings);
void skr_config_destroy(struct skr_config *config); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_config, skr_config_destroy)

/* All options for `sakkara help config`. */
void skr_config_write_help(struct skr_strbuf *out);

#endif
