/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options, the storing of one value, and the documentation that the table yields. */
#include "server/config/option.h"

#include <stdio.h>
#include <string.h>

#include "core/gang/cache/spare.h"
#include "core/gang/changes/namespace_limits.h"
#include "core/group/workload.h"
#include "core/time/moves.h"
#include "core/time/round.h"
#include "server/config/address.h"
#include "server/object/names.h"
#include "topology/base/decimal.h"
#include "topology/duration.h"

/* A row is its key, type, default, (words | range,) field and sentence. */
#define AT(field) ((ptrdiff_t)offsetof(struct skr_config, field))
#define PLAIN(key, type, fallback, field, text)                         \
    {                                                                   \
        key, SKR_OPTION_##type, fallback, {NULL}, 0, 0, AT(field), text \
    }
#define RANGE(key, type, fallback, min, max, field, text)                   \
    {                                                                       \
        key, SKR_OPTION_##type, fallback, {NULL}, min, max, AT(field), text \
    }
#define WORDS(key, type, first, second, field, text)                                \
    {                                                                               \
        key, SKR_OPTION_##type, first, {first, second, NULL}, 0, 0, AT(field), text \
    }
#define FIXED(key, value, text)                                              \
    {                                                                        \
        key, SKR_OPTION_FIXED, value, {NULL}, 0, 0, SKR_OPTION_NOWHERE, text \
    }
#define THREE(key, type, first, second, third, field, text)                                \
    {                                                                                      \
        key, SKR_OPTION_##type, first, {first, second, third, NULL}, 0, 0, AT(field), text \
    }
_Static_assert(sizeof(enum skr_leader_mode) == sizeof(int) &&
                   sizeof(enum skr_tie_break) == sizeof(int) &&
                   sizeof(enum skr_devices_release) == sizeof(int) &&
                   sizeof(enum skr_devices_order) == sizeof(int) &&
                   sizeof(enum skr_moves_mode) == sizeof(int) &&
                   sizeof(enum skr_spotmix_rebuild) == sizeof(int) &&
                   sizeof(enum skr_propagation_profile) == sizeof(int),
               "a choice is stored as an int");
#define DAY (24 * 3600 * SKR_SECOND)

const struct skr_option skr_options[] = {
    FIXED("apiVersion", "sakkara/v1", "format of the file; required"),
    FIXED("kind", "SakkaraConfiguration", "kind of the file; required"),
    PLAIN("kubeconfig", STRING, "", kubeconfig,
          "kubeconfig file of the API server; empty: the account of the pod; `--kubeconfig` wins"),
    PLAIN("schedulerNames", NAMES, "sakkara sakkara-scheduler", settings.scheduler_name,
          "values of `spec.schedulerName` that this daemon serves, at most 16"),
    PLAIN("topologyConfigMapNameSpace", NAME, "default", settings.topology_namespace,
          "namespace of the topology ConfigMap; one that only administrators may write"),
    PLAIN("topology.preset", STRING, "", topology.preset,
          "levels of the tree by labels of the nodes, for a cluster without a topology map; see "
          "`sakkara tree --preset NAME --file DUMP`; empty: none"),
    PLAIN("topology.levels", LEVELS, "", topology.levels,
          "a list of levels: `name`, `label`, `labels` or `attribute`, `until`"),
    PLAIN("topology.missing", STRING, "", topology.missing,
          "a node without the label of a level: `exclude` leaves it out, `pad` takes the level "
          "above; empty: the preset's, otherwise `exclude`"),
    PLAIN("groupsInSystemNamespaces", BOOL, "false", system_groups,
          "count group maps and PodGroups in `kube-system`, `kube-public` and "
          "`kube-node-lease`; false: ignore them"),
    RANGE("groups.maxPriority", NAMESPACE_LIMITS, SKR_PRIORITY_MAX_DEFAULT, INT32_MIN, INT32_MAX,
          settings.priority_max,
          "bound of the key `priority` of group maps by namespace, `team-a=100, *=0`; a higher one "
          "counts as the bound, with a warning"),
    PLAIN("priority.trustedNamespaces", NAMESPACES, "", settings.priority_trusted,
          "their group maps may evict groups of other namespaces by key `priority`; elsewhere the "
          "PriorityClass of pods decides"),
    RANGE("groups.maxPerNamespace", NAMESPACE_LIMITS, SKR_GROUPS_MAX_DEFAULT, 0, INT32_MAX,
          settings.groups_max,
          "groups of a namespace that count, `team-a=50, *=1000`; others are Failed until "
          "there is room"),
    PLAIN("labelFallback", BOOL, "false", settings.label_fallback,
          "pods of a group without ConfigMap and PodGroup are grouped by their labels alone"),
    PLAIN("derive.kinds", KINDS,
          "LeaderWorkerSet JobSet TrainJob MPIJob RayCluster KubeflowJob KueuePodGroup",
          settings.derive_kinds,
          "by namespace label `sakkara.gang=auto`; also `Job`, `StatefulSet`, `Spark`"),
    WORDS("derive.statusObject", WORD, "configmap", "none", settings.derive_no_maps,
          "what shows a group without an object: a map, or nothing"),
    WORDS("heterogeneous", WORD, "max", "refuse", settings.heterogeneous_refuse,
          "members with different requests: each is placed with its own, in a role that rules or "
          "sets name the maximum counts for all; or the group is refused"),
    WORDS("nonGroupVictims", WORD, "off", "labelled", settings.victims_labelled,
          "whether ordinary pods labelled `sakkara.preemptible=true` may be evicted for a group"),
    PLAIN("preemption", BOOL, "true", settings.preemption,
          "a group that does not fit may evict groups of lower priority"),
    PLAIN("explainWaiting", BOOL, "true", settings.explain_waiting,
          "key `ways` of a waiting group's object: what would make it fit"),
    RANGE("preemptForceAfter", DURATION_OR_OFF, "off", SKR_SECOND, DAY,
          settings.preempt_force_after,
          "delete victims that a PodDisruptionBudget has kept from being evicted for this long"),
    RANGE("planTimeout", DURATION, "5m", SKR_SECOND, DAY, settings.plan_timeout,
          "a plan that is not binding after this long is given up and made again"),
    RANGE("planDelay", DURATION, "50ms", 0, 60 * SKR_SECOND, settings.plan_delay,
          "wait before a complete group is planned, so that a burst is ordered by priority"),
    RANGE("seatHold", DURATION, "60s", 0, DAY, settings.seat_hold,
          "room of a lost member is kept this long for a replacement while others run, or its "
          "workload makes pods; 0: not at all; key `seat-hold` of a group's map goes first"),
    RANGE("seatHoldMax", DURATION, "10m", 0, DAY, settings.seat_hold_max,
          "longest time that room is kept so, whatever `seatHold` and `seat-hold` say"),
    WORDS("onPartialBind", WORD, "replace", "rollback", settings.rollback_partial,
          "a Binding that fails for good: keep the seat for a replacement, or delete the bound "
          "members"),
    WORDS("tieBreak", CHOICE, "tree", "tight", settings.tie_break,
          "between placements of equal quality: first in tree order, or tightest units first"),
    RANGE("releaseGateAfter", DURATION_OR_OFF, "60s", SKR_SECOND, DAY, settings.release_gate_after,
          "remove the gates of groups that have waited this long for capacity, so that cluster "
          "autoscalers see their pods"),
    PLAIN("provisioningClass", STRING, "", settings.provisioning_class,
          "class of the ProvisioningRequest made in place of this; empty: off"),
    THREE("devices.release", CHOICE, "all", "fabric", "none", settings.devices_release,
          "devices to free if a member holds them after its plan"),
    WORDS("devices.mode", WORD, "auto", "off", settings.devices_off,
          "read device classes, slices and claims if they are served, or never"),
    THREE("devices.schedulerVersion", CHOICE, "auto", "1.36", "1.37", settings.devices_order,
          "version of kube-scheduler; `auto`: the API server's"),
    RANGE("devices.steps", INTEGER, "100000", 1000, 100000000, settings.devices_steps,
          "steps to find a pod's devices on a node; beyond: not counted"),
    PLAIN("kueue.admissionCheck", BOOL, "false", settings.admission_check,
          "answer AdmissionChecks of Kueue with controllerName `sakkara/placement`"),
    RANGE("time.reservations", INTEGER, "1", 0, SKR_RESERVATIONS_MAX, settings.reservations,
          "groups of a pool that hold a reservation; 0: off"),
    RANGE("time.forecasts", INTEGER, "64", 0, SKR_FORECASTS_MAX, settings.forecasts,
          "groups without a reservation that get a forecast; 0: none"),
    RANGE("time.patience", DURATION_OR_OFF, "off", SKR_SECOND, 30 * DAY, settings.patience,
          "no start is known for this long: a drain"),
    RANGE("time.horizon", DURATION, "4h", SKR_SECOND, 30 * DAY, settings.horizon,
          "a reservation begins within this time; a later start is a forecast"),
    PLAIN("time.evictOverrun", BOOL, "true", settings.evict_overrun,
          "a pod that breaks the limit by which it was let in is evicted where room is reserved"),
    RANGE("time.failAfter", DURATION, "30s", SKR_SECOND, DAY, settings.fail_after,
          "a node that is not Ready for this long is lost"),
    THREE("time.moves", CHOICE, "show", "off", "auto", settings.moves_mode,
          "groups that could move for one that waits: named, or moved"),
    RANGE("time.moveAfter", DURATION, "10m", SKR_SECOND, 30 * DAY, settings.move_after,
          "a group that has not waited this long, or is promised within it, moves none"),
    RANGE("time.movesMost", INTEGER, "2", 1, SKR_MOVES_MOST, settings.moves_most,
          "groups that move together for one that waits"),
    PLAIN("time.spare", SPARE, "", settings.spare,
          "nodes of each unit of a level, `rack=1`, for replacements alone; empty: none"),
    PLAIN("extender.listen", LISTEN, "127.0.0.1:9660", extender_listen,
          "address of filter, prioritize and preempt, under `/v1`"),
    PLAIN("extender.bindListen", LISTEN, "127.0.0.1:9661", bind_listen,
          "address of bind, under `/v1`; its connections are held"),
    RANGE("extender.bindTimeout", DURATION, "330s", 20 * SKR_SECOND, DAY, settings.bind_timeout,
          "`httpTimeout` of the bind entry in KubeSchedulerConfiguration; held calls are answered "
          "10 s earlier"),
    PLAIN("extender.tls.certFile", STRING, "", tls.cert_file,
          "certificate chain (PEM) of both extender listeners; empty: plain HTTP"),
    PLAIN("extender.tls.keyFile", STRING, "", tls.key_file,
          "private key (PEM) of that certificate"),
    PLAIN("extender.tls.clientCAFile", STRING, "", tls.client_ca_file,
          "callers need a certificate signed by one of these authorities (PEM)"),
    PLAIN("admin.listen", LISTEN, "127.0.0.1:9662", admin_listen,
          "address of `/v1`, `/metrics`, `/livez` and `/readyz`; one beyond the loopback needs "
          "`admin.tls` with a `clientCAFile`"),
    PLAIN("admin.tls.certFile", STRING, "", admin_tls.cert_file,
          "certificate chain (PEM) of the admin listener; empty: plain HTTP"),
    PLAIN("admin.tls.keyFile", STRING, "", admin_tls.key_file, "its private key (PEM)"),
    PLAIN("admin.tls.clientCAFile", STRING, "", admin_tls.client_ca_file,
          "callers need a certificate signed by one of these authorities (PEM)"),
    PLAIN("admin.probes", LISTEN_OR_EMPTY, "", probes_listen,
          "address of `/livez` and `/readyz` alone, for kubelet: `0.0.0.0:9663` in a pod; empty: "
          "off, they are on `admin.listen` in any case"),
    RANGE("ui.streams", INTEGER, "100", 1, 1000, ui_streams,
          "pages `/ui` that may follow the picture at once; more get 503"),
    PLAIN("metrics.listen", LISTEN_OR_EMPTY, "", metrics_listen,
          "address of `/metrics` alone, for Prometheus: `0.0.0.0:9665` in a pod; empty: off, they "
          "are on `admin.listen` in any case"),
    PLAIN("gate.listen", LISTEN_OR_EMPTY, "", gate_listen,
          "address of the webhook that adds the gate, under `/v1/gate`; empty: off"),
    PLAIN("gate.certFile", STRING, "", gate_tls.cert_file,
          "certificate chain (PEM) of the webhook; API servers call nothing without TLS"),
    PLAIN("gate.keyFile", STRING, "", gate_tls.key_file, "private key (PEM) of that certificate"),
    PLAIN("spotmix.enabled", BOOL, "false", spotmix.enabled,
          "the webhook and reconciler that split replicas over on-demand and spot nodes"),
    PLAIN("spotmix.listen", LISTEN, "127.0.0.1:9664", spotmix.listen,
          "address of that webhook, under `/spotmix/mutate/TOKEN`"),
    PLAIN("spotmix.name", NAME, "sakkara-spotmix", spotmix.name,
          "name of its Service, Secret and MutatingWebhookConfiguration"),
    WORDS("spotmix.certificates", WORD, "own", "files", spotmix.files,
          "`own`: made, renewed and published by the daemon, in the Secret; `files`: certFile "
          "and keyFile"),
    RANGE("spotmix.certificateLifetime", DURATION, "2160h", 30 * SKR_SECOND, 3650 * DAY,
          spotmix.certificate_lifetime,
          "of own certificates and of the token of reviews, which are renewed at two thirds of it"),
    RANGE("spotmix.authorityLifetime", DURATION, "8760h", 90 * SKR_SECOND, 36500 * DAY,
          spotmix.authority_lifetime,
          "of the own authority, which is replaced at two thirds of it; three times "
          "certificateLifetime or more"),
    PLAIN("spotmix.certFile", STRING, "", spotmix.tls.cert_file,
          "certificate chain (PEM) of the webhook, read again when it changes"),
    PLAIN("spotmix.keyFile", STRING, "", spotmix.tls.key_file,
          "private key (PEM) of that certificate; a file that all users can read is refused"),
    PLAIN("spotmix.keyPrefix", STRING, "cloudpilot.ai/webhook-scheduler", spotmix.key_prefix,
          "label of workloads that switches the mix on; the other keys begin with it"),
    PLAIN("spotmix.preset", STRING, "default", spotmix.preset,
          "how nodes are labelled: `default`, `karpenter`, `eks`, `gke` or `aks`"),
    PLAIN("spotmix.nodeKey", STRING, "", spotmix.node_key,
          "label of nodes with their class; empty: the preset's"),
    PLAIN("spotmix.onDemandValue", STRING, "", spotmix.on_demand_value,
          "its value on on-demand nodes; empty: the preset's"),
    PLAIN("spotmix.spotValue", STRING, "", spotmix.spot_value,
          "its value on spot nodes; empty: the preset's"),
    PLAIN(
        "spotmix.excludedNamespaces", STRING, "kube-system,kube-node-lease", spotmix.excluded,
        "namespaces whose pods are left alone, separated by commas; the daemon's own is one, too"),
    RANGE("spotmix.reservationTTLSeconds", INTEGER, "30", 1, 3600, spotmix.ttl_s,
          "how long an index is kept for a pod that was reviewed and has not been seen"),
    THREE("spotmix.rebuild", CHOICE, "evict", "none", "rollout", spotmix.rebuild,
          "running pods of the wrong class: evict them one by one, report them, or stamp the "
          "template"),
    PLAIN("spotmix.rolloutCost", BOOL, "true", spotmix.rollout_cost,
          "on-demand pods of a ReplicaSet that is being replaced go before its spot pods"),
    THREE("leaderElection.mode", CHOICE, "none", "scheduler", "lease", leader_mode,
          "`none`: one process, others wait; `scheduler`: a sidecar that follows its scheduler; "
          "`lease`: replicas of the daemon alone"),
    PLAIN("leaderElection.namespace", NAME_OR_EMPTY, "", leader_namespace,
          "namespace of the Lease and of the scheduler's; empty: that of the pod, outside of pods "
          "that of `topologyConfigMapNameSpace`"),
    PLAIN("leaderElection.name", NAME, "sakkara", leader_name, "name of the Lease"),
    PLAIN("leaderElection.trustedNamespaces", NAMESPACES, "", leader_trusted,
          "namespaces whose Leases of that name count; elsewhere the account `sakkara` of the "
          "namespace has to be able to bind pods"),
    PLAIN("leaderElection.schedulerLease", NAME, "sakkara-scheduler", scheduler_lease,
          "mode `scheduler`: `leaderElection.resourceName` of the scheduler's configuration"),
    PLAIN("karmada.enabled", BOOL, "false", karmada_enabled,
          "schedule ResourceBindings and ClusterResourceBindings of Karmada"),
    PLAIN("karmada.schedulerName", NAME, "sakkara", karmada_scheduler_name,
          "value of `spec.schedulerName` of bindings to schedule"),
    THREE("karmada.profile", CHOICE, "default", "upstream", "design", karmada_profile,
          "what decisions do where karmada-scheduler and the design of 2022 differ"),
    RANGE("karmada.workers", INTEGER, "8", 1, 256, karmada_workers,
          "bindings that are decided at a time, until the decision is written; status patches "
          "follow beside the next ones"),
    RANGE("karmada.qps", INTEGER, "200", 1, 100000, karmada_qps,
          "writes about bindings a second, Events among them, within `client.qps`"),
    RANGE("karmada.burst", INTEGER, "400", 1, 100000, karmada_burst,
          "writes about bindings that may be sent at once after a pause"),
    PLAIN("karmada.options", PROPAGATION, "", karmada_options,
          "options that differ from the profile: `ranges=strict, groupScore=highest`"),
    PLAIN("karmada.estimators.enabled", BOOL, "false", estimators.enabled,
          "ask the estimators of clusters for their room"),
    RANGE("karmada.estimators.timeout", DURATION, "3s", 100 * SKR_MILLISECOND, 60 * SKR_SECOND,
          estimators.timeout, "longest wait of a decision for answers"),
    PLAIN("karmada.estimators.servicePrefix", NAME, "karmada-scheduler-estimator",
          estimators.prefix, "services: this, `-`, cluster"),
    PLAIN("karmada.estimators.serviceNamespace", NAME, "karmada-system", estimators.namespace_,
          "namespace of these services"),
    PLAIN("karmada.estimators.serviceDomain", NAME, "svc", estimators.domain,
          "end of their host names: SERVICE.NAMESPACE.DOMAIN"),
    RANGE("karmada.estimators.port", INTEGER, "10352", 1, 65535, estimators.port,
          "port of these services"),
    PLAIN("karmada.estimators.caFile", STRING, "", estimators.ca_file,
          "authority of their certificates; empty: no TLS"),
    PLAIN("karmada.estimators.certFile", STRING, "", estimators.cert_file,
          "certificate that the daemon shows to estimators; empty: none"),
    PLAIN("karmada.estimators.keyFile", STRING, "", estimators.key_file, "its key"),
    PLAIN("karmada.estimators.insecureSkipVerify", BOOL, "false", estimators.insecure,
          "TLS without a check"),
    PLAIN("karmada.estimators.disableInPullMode", BOOL, "false", estimators.push_only,
          "do not ask those of clusters in pull mode"),
    PLAIN("ocm.enabled", BOOL, "false", ocm_enabled,
          "schedule Placements of Open Cluster Management"),
    PLAIN("ocm.schedulerName", NAME, "sakkara", ocm_scheduler_name,
          "value of the annotation `sakkara.placement.scheduler` of Placements to schedule"),
    WORDS("ocm.spreadMode", WORD, "weighted", "lexicographic", ocm_lexicographic,
          "whether spread and scores are one sum, or spread goes first; the annotation "
          "`sakkara.placement.spread-mode` of a Placement wins"),
    RANGE("ocm.qps", INTEGER, "50", 1, 100000, ocm_qps,
          "writes about Placements a second, Events among them, within `client.qps`"),
    RANGE("ocm.burst", INTEGER, "100", 1, 100000, ocm_burst,
          "writes about Placements that may be sent at once after a pause"),
    RANGE("client.qps", INTEGER, "1000", 1, 100000, client_qps,
          "writes a second to the API server, all kinds together"),
    RANGE("client.burst", INTEGER, "2000", 1, 100000, client_burst,
          "writes that may be sent at once after a pause"),
};
static const struct {
    const char *key, *text;
} removed_options[] = {
    {"extender.filterHold", "leave it out: filter calls are answered at once"},
};

const size_t skr_option_count = sizeof skr_options / sizeof skr_options[0];

ptrdiff_t skr_option_find(const char *key)
{
    for (size_t i = 0; i < skr_option_count; i++) {
        if (strcmp(skr_options[i].key, key) == 0) {
            return (ptrdiff_t)i;
        }
    }
    return -1;
}

const char *skr_option_removed(const char *key)
{
    for (size_t i = 0; i < sizeof removed_options / sizeof removed_options[0]; i++) {
        if (strcmp(removed_options[i].key, key) == 0) {
            return removed_options[i].text;
        }
    }
    return NULL;
}

static void *field_of(const struct skr_option *option, struct skr_config *config)
{
    return (char *)config + option->offset;
}

static int store_string(const struct skr_option *option, const char *text,
                        struct skr_config *config, struct skr_error *error)
{
    char *copy = skr_arena_strdup(config->arena, text);
    if (!copy) {
        return skr_error_set(error, SKR_NO_MEMORY, "no memory");
    }
    *(const char **)field_of(option, config) = copy;
    return 0;
}

static int check_name(const char *text, struct skr_error *error)
{
    if (!skr_name_dns_subdomain(text)) {
        return 0;
    }
    return skr_error_set(error, SKR_INVALID,
                         "\"%.64s\" is not a name of lower-case letters, digits, '-' and '.'",
                         text);
}

static int store_name_of_list(const char *text, struct skr_config *config, struct skr_error *error)
{
    struct skr_settings *settings = &config->settings;
    if (check_name(text, error) < 0) {
        return -SKR_INVALID;
    }
    for (size_t i = 0; i < settings->n_scheduler_names; i++) {
        if (strcmp(settings->scheduler_name[i], text) == 0) {
            return skr_error_set(error, SKR_INVALID, "\"%.64s\" stands in the list twice", text);
        }
    }
    if (settings->n_scheduler_names == SKR_SCHEDULER_NAMES_MAX) {
        return skr_error_set(error, SKR_LIMIT, "at most %d names", SKR_SCHEDULER_NAMES_MAX);
    }
    char *copy = skr_arena_strdup(config->arena, text);
    if (!copy) {
        return skr_error_set(error, SKR_NO_MEMORY, "no memory");
    }
    settings->scheduler_name[settings->n_scheduler_names++] = copy;
    return 0;
}

static int store_duration(const struct skr_option *option, const char *text,
                          struct skr_config *config, struct skr_error *error)
{
    skr_time value = SKR_TIME_NEVER;
    bool off = option->type == SKR_OPTION_DURATION_OR_OFF && strcmp(text, "off") == 0;
    if (!off) {
        int rc = skr_duration_parse(text, &value, error);
        if (rc < 0) {
            return rc;
        }
        if (value < option->min || value > option->max) {
            char min[SKR_DURATION_TEXT_MAX], max[SKR_DURATION_TEXT_MAX];
            skr_duration_write(option->min, min, sizeof min);
            skr_duration_write(option->max, max, sizeof max);
            return skr_error_set(error, SKR_INVALID, "%.64s is outside %s .. %s%s", text, min, max,
                                 option->type == SKR_OPTION_DURATION_OR_OFF ? " (or off)" : "");
        }
    }
    *(skr_time *)field_of(option, config) = value;
    return 0;
}

static int store_integer(const struct skr_option *option, const char *text,
                         struct skr_config *config, struct skr_error *error)
{
    int64_t value;
    const size_t n = strlen(text);
    if (n == 0 || strspn(text, "0123456789") != n) {
        return skr_error_set(error, SKR_INVALID, "\"%.64s\" is not a whole number", text);
    }
    if (!skr_decimal_parse(text, n, &value)) {
        return skr_error_set(error, SKR_INVALID, "%.64s is too large", text);
    }
    if (value < option->min || value > option->max) {
        return skr_error_set(error, SKR_INVALID, "%.64s is outside %lld .. %lld", text,
                             (long long)option->min, (long long)option->max);
    }
    *(int64_t *)field_of(option, config) = value;
    return 0;
}

static int find_word(const struct skr_option *option, const char *text, int *ret,
                     struct skr_error *error)
{
    SKR_STRBUF(words);
    for (int i = 0; option->word[i]; i++) {
        if (strcmp(option->word[i], text) == 0) {
            *ret = i;
            return 0;
        }
        skr_strbuf_addf(&words, "%s%s", i > 0 ? " or " : "", option->word[i]);
    }
    return skr_error_set(error, SKR_INVALID, "\"%.64s\" is not %s", text, words.s);
}

static int store_listen(const struct skr_option *option, const char *text,
                        struct skr_config *config, struct skr_error *error)
{
    struct sockaddr_storage address;
    socklen_t length;
    bool off = option->type == SKR_OPTION_LISTEN_OR_EMPTY && text[0] == '\0';
    if (!off) {
        int rc = skr_address_parse(text, &address, &length, error);
        if (rc < 0) {
            return rc;
        }
    }
    return store_string(option, text, config, error);
}

static int store_bool(const struct skr_option *option, const char *text, struct skr_config *config,
                      struct skr_error *error)
{
    bool value = strcmp(text, "true") == 0;
    if (!value && strcmp(text, "false") != 0) {
        return skr_error_set(error, SKR_INVALID, "\"%.64s\" is not true or false", text);
    }
    *(bool *)field_of(option, config) = value;
    return 0;
}

int skr_option_store(const struct skr_option *option, const char *text, struct skr_config *config,
                     struct skr_error *error)
{
    int word = 0;
    int rc = 0;
    size_t length;
    int32_t count;
    switch (option->type) {
    case SKR_OPTION_STRING:
        return store_string(option, text, config, error);
    case SKR_OPTION_NAMES:
        return store_name_of_list(text, config, error);
    case SKR_OPTION_NAME:
        rc = check_name(text, error);
        return rc < 0 ? rc : store_string(option, text, config, error);
    case SKR_OPTION_BOOL:
        return store_bool(option, text, config, error);
    case SKR_OPTION_DURATION:
    case SKR_OPTION_DURATION_OR_OFF:
        return store_duration(option, text, config, error);
    case SKR_OPTION_LISTEN:
    case SKR_OPTION_LISTEN_OR_EMPTY:
        return store_listen(option, text, config, error);
    case SKR_OPTION_INTEGER:
        return store_integer(option, text, config, error);
    case SKR_OPTION_WORD:
        rc = find_word(option, text, &word, error);
        if (rc == 0) {
            *(bool *)field_of(option, config) = word == 1;
        }
        return rc;
    case SKR_OPTION_CHOICE:
        rc = find_word(option, text, &word, error);
        if (rc == 0) {
            memcpy(field_of(option, config), &word, sizeof word);
        }
        return rc;
    case SKR_OPTION_FIXED:
        if (strcmp(text, option->fallback) != 0) {
            return skr_error_set(error, SKR_INVALID, "\"%.64s\" is not %s", text, option->fallback);
        }
        return 0;
    case SKR_OPTION_NAME_OR_EMPTY:
        rc = text[0] ? check_name(text, error) : 0;
        return rc < 0 ? rc : store_string(option, text, config, error);
    case SKR_OPTION_PROPAGATION:
        rc = skr_propagation_options_set(&(struct skr_propagation_options){0}, text, error);
        return rc < 0 ? rc : store_string(option, text, config, error);
    case SKR_OPTION_NAMESPACE_LIMITS:
        rc = skr_namespace_limits_check(text, option->min, option->max, error);
        return rc < 0 ? rc : store_string(option, text, config, error);
    case SKR_OPTION_LEVELS: /* config.c reads the list */
        return text[0] ? skr_error_set(error, SKR_INVALID, "a list is expected") : 0;
    case SKR_OPTION_SPARE:
        rc = skr_spare_parse(text, &length, &count, error);
        return rc < 0 ? rc : store_string(option, text, config, error);
    case SKR_OPTION_NAMESPACES:
        rc = skr_namespaces_check(text, error);
        return rc < 0 ? rc : store_string(option, text, config, error);
    case SKR_OPTION_KINDS:
        return skr_workload_kinds_parse(text, field_of(option, config), error);
    case SKR_OPTION_TYPE_COUNT:
        break;
    }
    return skr_error_set(error, SKR_BUG, "option %s has no type", option->key);
}

/* The default as YAML. */
static void write_fallback(const struct skr_option *option, struct skr_strbuf *out)
{
    if (option->type == SKR_OPTION_LEVELS ||
        (option->type == SKR_OPTION_NAMESPACES && !*option->fallback)) {
        skr_strbuf_add(out, "[]");
        return;
    }
    if (option->type == SKR_OPTION_NAMES || option->type == SKR_OPTION_KINDS) {
        skr_strbuf_addc(out, '[');
        for (const char *s = option->fallback; *s; s++) {
            skr_strbuf_add(out, *s == ' ' ? ", " : (const char[]){*s, '\0'});
        }
        skr_strbuf_addc(out, ']');
        return;
    }
    skr_strbuf_add(out, option->fallback[0] ? option->fallback : "\"\"");
}

void skr_config_write_help(struct skr_strbuf *out)
{
    for (size_t i = 0; i < skr_option_count; i++) {
        SKR_STRBUF(line);
        write_fallback(&skr_options[i], &line);
        skr_strbuf_addf(out, "  %-28s %s\n      %s\n", skr_options[i].key, line.s,
                        skr_options[i].text);
    }
}
