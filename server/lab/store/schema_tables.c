/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of fields; a field without a table is an object or list of anything. */
#include "server/lab/store/schema_tables.h"

#include <string.h>

#define FIELD(n, t, o, w) \
    {                     \
        n, t, o, w        \
    }
#define STR(n, w)     FIELD(n, SKR_SCHEMA_STRING, NULL, w)
#define TIME(n, w)    FIELD(n, SKR_SCHEMA_TIME, NULL, w)
#define INT(n, w)     FIELD(n, SKR_SCHEMA_INTEGER, NULL, w)
#define LONG(n, w)    FIELD(n, SKR_SCHEMA_LONG, NULL, w)
#define BOOL(n, w)    FIELD(n, SKR_SCHEMA_BOOLEAN, NULL, w)
#define EITHER(n, w)  FIELD(n, SKR_SCHEMA_INT_OR_STRING, NULL, w)
#define STRS(n, w)    FIELD(n, SKR_SCHEMA_STRINGS, NULL, w)
#define MAP(n, w)     FIELD(n, SKR_SCHEMA_STRING_MAP, NULL, w)
#define BYTES(n, w)   FIELD(n, SKR_SCHEMA_BYTES_MAP, NULL, w)
#define AMOUNTS(n, w) FIELD(n, SKR_SCHEMA_QUANTITY_MAP, NULL, w)
#define OBJ(n, f, w)  FIELD(n, SKR_SCHEMA_OBJECT, f, w)
#define LIST(n, f, w) FIELD(n, SKR_SCHEMA_LIST, f, w)
#define SOME(n, w)    FIELD(n, SKR_SCHEMA_ANY_OBJECT, NULL, w)
#define SOMES(n, w)   FIELD(n, SKR_SCHEMA_ANY_LIST, NULL, w)
#define END           FIELD(NULL, SKR_SCHEMA_ANY, NULL, 0)

#define table const struct skr_schema_field

static table owner[] = {STR("apiVersion", 5),
                        STR("kind", 1),
                        STR("name", 3),
                        STR("uid", 4),
                        BOOL("controller", 6),
                        BOOL("blockOwnerDeletion", 7),
                        END};
static table meta[] = {STR("name", 1),
                       STR("generateName", 2),
                       STR("namespace", 3),
                       STR("selfLink", 4),
                       STR("uid", 5),
                       STR("resourceVersion", 6),
                       LONG("generation", 7),
                       TIME("creationTimestamp", 8),
                       TIME("deletionTimestamp", 9),
                       LONG("deletionGracePeriodSeconds", 10),
                       MAP("labels", 11),
                       MAP("annotations", 12),
                       LIST("ownerReferences", owner, 13),
                       STRS("finalizers", 14),
                       SOMES("managedFields", 17),

                       END};

#define OBJECT STR("apiVersion", 0), STR("kind", 0), OBJ("metadata", meta, 1)

static table expression[] = {STR("key", 1), STR("operator", 2), STRS("values", 3), END};
static table selector[] = {MAP("matchLabels", 1), LIST("matchExpressions", expression, 2), END};

/* ---- pods ---- */

static table claim[] = {STR("name", 1), STR("request", 2), END};
static table resources[] = {AMOUNTS("limits", 1), AMOUNTS("requests", 2), LIST("claims", claim, 3),
                            END};
static table port[] = {STR("name", 1),     INT("hostPort", 2), INT("containerPort", 3),
                       STR("protocol", 4), STR("hostIP", 5),   END};
static table env[] = {STR("name", 1), STR("value", 2), SOME("valueFrom", 3), END};
static table container[] = {STR("name", 1),
                            STR("image", 2),
                            STRS("command", 3),
                            STRS("args", 4),
                            STR("workingDir", 5),
                            LIST("ports", port, 6),
                            SOMES("envFrom", 19),
                            LIST("env", env, 7),
                            OBJ("resources", resources, 8),
                            SOMES("resizePolicy", 23),
                            STR("restartPolicy", 24),
                            SOMES("restartPolicyRules", 25),
                            SOMES("volumeMounts", 9),
                            SOMES("volumeDevices", 21),
                            SOME("livenessProbe", 10),
                            SOME("readinessProbe", 11),
                            SOME("startupProbe", 22),
                            SOME("lifecycle", 12),
                            STR("terminationMessagePath", 13),
                            STR("terminationMessagePolicy", 20),
                            STR("imagePullPolicy", 14),
                            SOME("securityContext", 15),
                            BOOL("stdin", 16),
                            BOOL("stdinOnce", 17),
                            BOOL("tty", 18),

                            END};
static table node_term[] = {LIST("matchExpressions", expression, 1),
                            LIST("matchFields", expression, 2), END};
static table node_terms[] = {LIST("nodeSelectorTerms", node_term, 1), END};
static table preferred_node[] = {INT("weight", 1), OBJ("preference", node_term, 2), END};
static table node_affinity[] = {
    OBJ("requiredDuringSchedulingIgnoredDuringExecution", node_terms, 1),
    LIST("preferredDuringSchedulingIgnoredDuringExecution", preferred_node, 2), END};
static table pod_term[] = {OBJ("labelSelector", selector, 1),
                           STRS("namespaces", 2),
                           STR("topologyKey", 3),
                           OBJ("namespaceSelector", selector, 4),
                           STRS("matchLabelKeys", 5),
                           STRS("mismatchLabelKeys", 6),
                           END};
static table preferred_pod[] = {INT("weight", 1), OBJ("podAffinityTerm", pod_term, 2), END};
static table pod_affinity[] = {
    LIST("requiredDuringSchedulingIgnoredDuringExecution", pod_term, 1),
    LIST("preferredDuringSchedulingIgnoredDuringExecution", preferred_pod, 2), END};
static table affinity[] = {OBJ("nodeAffinity", node_affinity, 1),
                           OBJ("podAffinity", pod_affinity, 2),
                           OBJ("podAntiAffinity", pod_affinity, 3), END};
static table toleration[] = {STR("key", 1),    STR("operator", 2),           STR("value", 3),
                             STR("effect", 4), LONG("tolerationSeconds", 5), END};
static table spread[] = {INT("maxSkew", 1),
                         STR("topologyKey", 2),
                         STR("whenUnsatisfiable", 3),
                         OBJ("labelSelector", selector, 4),
                         INT("minDomains", 5),
                         STR("nodeAffinityPolicy", 6),
                         STR("nodeTaintsPolicy", 7),
                         STRS("matchLabelKeys", 8),
                         END};
static table gate[] = {STR("name", 1), END};
static table pod_spec[] = {SOMES("volumes", 1),
                           LIST("initContainers", container, 20),
                           LIST("containers", container, 2),
                           LIST("ephemeralContainers", container, 34),
                           STR("restartPolicy", 3),
                           LONG("terminationGracePeriodSeconds", 4),
                           LONG("activeDeadlineSeconds", 5),
                           STR("dnsPolicy", 6),
                           MAP("nodeSelector", 7),
                           STR("serviceAccountName", 8),
                           STR("serviceAccount", 9),
                           BOOL("automountServiceAccountToken", 21),
                           STR("nodeName", 10),
                           BOOL("hostNetwork", 11),
                           BOOL("hostPID", 12),
                           BOOL("hostIPC", 13),
                           BOOL("hostUsers", 37),
                           BOOL("shareProcessNamespace", 27),
                           SOME("securityContext", 14),
                           SOMES("imagePullSecrets", 15),
                           STR("hostname", 16),
                           STR("hostnameOverride", 41),
                           STR("subdomain", 17),
                           OBJ("affinity", affinity, 18),
                           STR("schedulerName", 19),
                           LIST("tolerations", toleration, 22),
                           SOMES("hostAliases", 23),
                           STR("priorityClassName", 24),
                           INT("priority", 25),
                           SOME("dnsConfig", 26),
                           SOMES("readinessGates", 28),
                           STR("runtimeClassName", 29),
                           BOOL("enableServiceLinks", 30),
                           STR("preemptionPolicy", 31),
                           AMOUNTS("overhead", 32),
                           LIST("topologySpreadConstraints", spread, 33),
                           BOOL("setHostnameAsFQDN", 35),
                           SOME("os", 36),
                           LIST("schedulingGates", gate, 38),
                           SOMES("resourceClaims", 39),
                           OBJ("resources", resources, 40),
                           SOME("schedulingGroup", 43),
                           SOME("workloadRef", 0),
                           END};
static table condition[] = {STR("type", 0),
                            STR("status", 0),
                            STR("reason", 0),
                            STR("message", 0),
                            TIME("lastProbeTime", 0),
                            TIME("lastTransitionTime", 0),
                            TIME("lastHeartbeatTime", 0),
                            TIME("lastUpdateTime", 0),
                            LONG("observedGeneration", 0),
                            END};
static table pod_status[] = {STR("phase", 0),
                             LONG("observedGeneration", 0),
                             LIST("conditions", condition, 0),
                             STR("message", 0),
                             STR("reason", 0),
                             STR("nominatedNodeName", 0),
                             STR("hostIP", 0),
                             SOMES("hostIPs", 0),
                             STR("podIP", 0),
                             SOMES("podIPs", 0),
                             TIME("startTime", 0),
                             SOMES("containerStatuses", 0),
                             SOMES("initContainerStatuses", 0),
                             SOMES("ephemeralContainerStatuses", 0),
                             STR("qosClass", 0),
                             STR("resize", 0),
                             SOMES("resourceClaimStatuses", 0),
                             SOME("extendedResourceClaimStatus", 0),
                             AMOUNTS("allocatedResources", 0),
                             OBJ("resources", resources, 0),
                             END};
static table pod[] = {OBJECT, OBJ("spec", pod_spec, 2), OBJ("status", pod_status, 3), END};
static table template[] = {OBJ("metadata", meta, 1), OBJ("spec", pod_spec, 2), END};

/* ---- nodes, maps, namespaces ---- */

static table taint[] = {STR("key", 1), STR("value", 2), STR("effect", 3), TIME("timeAdded", 4),
                        END};
static table node_spec[] = {STR("podCIDR", 1),        STRS("podCIDRs", 7),
                            STR("providerID", 3),     BOOL("unschedulable", 4),
                            LIST("taints", taint, 5), SOME("configSource", 6),
                            STR("externalID", 2),     END};
static table node_status[] = {AMOUNTS("capacity", 0),
                              AMOUNTS("allocatable", 0),
                              STR("phase", 0),
                              LIST("conditions", condition, 0),
                              SOMES("addresses", 0),
                              SOME("daemonEndpoints", 0),
                              SOME("nodeInfo", 0),
                              SOMES("images", 0),
                              STRS("volumesInUse", 0),
                              SOMES("volumesAttached", 0),
                              SOME("config", 0),
                              SOMES("runtimeHandlers", 0),
                              SOME("features", 0),
                              STRS("declaredFeatures", 0),
                              END};
static table node[] = {OBJECT, OBJ("spec", node_spec, 2), OBJ("status", node_status, 3), END};
static table configmap[] = {OBJECT, MAP("data", 2), BYTES("binaryData", 3), BOOL("immutable", 4),
                            END};
static table secret[] = {OBJECT,         BYTES("data", 2),     MAP("stringData", 4),
                         STR("type", 3), BOOL("immutable", 5), END};
static table namespace_spec[] = {STRS("finalizers", 1), END};
static table namespace_[] = {OBJECT, OBJ("spec", namespace_spec, 2), SOME("status", 3), END};
static table account[] = {OBJECT, SOMES("secrets", 2), SOMES("imagePullSecrets", 3),
                          BOOL("automountServiceAccountToken", 4), END};
static table service_port[] = {STR("name", 1),
                               STR("protocol", 2),
                               INT("port", 3),
                               EITHER("targetPort", 4),
                               INT("nodePort", 5),
                               STR("appProtocol", 6),
                               END};
static table service_spec[] = {LIST("ports", service_port, 1),
                               MAP("selector", 2),
                               STR("clusterIP", 3),
                               STRS("clusterIPs", 18),
                               STR("type", 4),
                               STRS("externalIPs", 5),
                               STR("sessionAffinity", 7),
                               STR("loadBalancerIP", 8),
                               STRS("loadBalancerSourceRanges", 9),
                               STR("externalName", 10),
                               STR("externalTrafficPolicy", 11),
                               INT("healthCheckNodePort", 12),
                               BOOL("publishNotReadyAddresses", 13),
                               SOME("sessionAffinityConfig", 14),
                               STR("ipFamilyPolicy", 17),
                               STRS("ipFamilies", 19),
                               BOOL("allocateLoadBalancerNodePorts", 20),
                               STR("loadBalancerClass", 21),
                               STR("internalTrafficPolicy", 22),
                               STR("trafficDistribution", 23),
                               END};
static table service[] = {OBJECT, OBJ("spec", service_spec, 2), SOME("status", 3), END};
static table plain[] = {OBJECT, SOME("spec", 0), SOME("status", 0), END};

/* ---- workloads ---- */

static table replicas_status[] = {INT("replicas", 0),
                                  INT("readyReplicas", 0),
                                  INT("availableReplicas", 0),
                                  INT("fullyLabeledReplicas", 0),
                                  INT("updatedReplicas", 0),
                                  INT("unavailableReplicas", 0),
                                  INT("currentReplicas", 0),
                                  INT("terminatingReplicas", 0),
                                  LONG("observedGeneration", 0),
                                  INT("collisionCount", 0),
                                  STR("currentRevision", 0),
                                  STR("updateRevision", 0),
                                  LIST("conditions", condition, 0),
                                  END};
static table replica_set_spec[] = {INT("replicas", 1), INT("minReadySeconds", 4),
                                   OBJ("selector", selector, 2), OBJ("template", template, 3), END};
static table replica_set[] = {OBJECT, OBJ("spec", replica_set_spec, 2),
                              OBJ("status", replicas_status, 3), END};
static table rolling[] = {EITHER("maxUnavailable", 1), EITHER("maxSurge", 2), END};
static table strategy[] = {STR("type", 1), OBJ("rollingUpdate", rolling, 2), END};
static table deployment_spec[] = {INT("replicas", 1),
                                  OBJ("selector", selector, 2),
                                  OBJ("template", template, 3),
                                  OBJ("strategy", strategy, 4),
                                  INT("minReadySeconds", 5),
                                  INT("revisionHistoryLimit", 6),
                                  BOOL("paused", 7),
                                  INT("progressDeadlineSeconds", 9),
                                  END};
static table deployment[] = {OBJECT, OBJ("spec", deployment_spec, 2),
                             OBJ("status", replicas_status, 3), END};
static table stateful_rolling[] = {INT("partition", 1), EITHER("maxUnavailable", 2), END};
static table stateful_strategy[] = {STR("type", 1), OBJ("rollingUpdate", stateful_rolling, 2), END};
static table stateful_set_spec[] = {INT("replicas", 1),
                                    OBJ("selector", selector, 2),
                                    OBJ("template", template, 3),
                                    SOMES("volumeClaimTemplates", 4),
                                    STR("serviceName", 5),
                                    STR("podManagementPolicy", 6),
                                    OBJ("updateStrategy", stateful_strategy, 7),
                                    INT("revisionHistoryLimit", 8),
                                    INT("minReadySeconds", 9),
                                    SOME("persistentVolumeClaimRetentionPolicy", 10),
                                    SOME("ordinals", 11),
                                    END};
static table stateful_set[] = {OBJECT, OBJ("spec", stateful_set_spec, 2),
                               OBJ("status", replicas_status, 3), END};
static table daemon_rolling[] = {EITHER("maxUnavailable", 1), EITHER("maxSurge", 2), END};
static table daemon_strategy[] = {STR("type", 1), OBJ("rollingUpdate", daemon_rolling, 2), END};
static table daemon_set_spec[] = {OBJ("selector", selector, 1),
                                  OBJ("template", template, 2),
                                  OBJ("updateStrategy", daemon_strategy, 3),
                                  INT("minReadySeconds", 4),
                                  INT("revisionHistoryLimit", 6),
                                  END};
static table daemon_set_status[] = {INT("currentNumberScheduled", 0),
                                    INT("numberMisscheduled", 0),
                                    INT("desiredNumberScheduled", 0),
                                    INT("numberReady", 0),
                                    LONG("observedGeneration", 0),
                                    INT("updatedNumberScheduled", 0),
                                    INT("numberAvailable", 0),
                                    INT("numberUnavailable", 0),
                                    INT("collisionCount", 0),
                                    LIST("conditions", condition, 0),
                                    END};
static table daemon_set[] = {OBJECT, OBJ("spec", daemon_set_spec, 2),
                             OBJ("status", daemon_set_status, 3), END};
static table job_spec[] = {INT("parallelism", 1),
                           INT("completions", 2),
                           LONG("activeDeadlineSeconds", 3),
                           SOME("podFailurePolicy", 11),
                           SOME("successPolicy", 16),
                           INT("backoffLimit", 7),
                           INT("backoffLimitPerIndex", 12),
                           INT("maxFailedIndexes", 13),
                           OBJ("selector", selector, 4),
                           BOOL("manualSelector", 5),
                           OBJ("template", template, 6),
                           INT("ttlSecondsAfterFinished", 8),
                           STR("completionMode", 9),
                           BOOL("suspend", 10),
                           STR("podReplacementPolicy", 14),
                           STR("managedBy", 15),
                           END};
static table job_status[] = {LIST("conditions", condition, 0),
                             TIME("startTime", 0),
                             TIME("completionTime", 0),
                             INT("active", 0),
                             INT("succeeded", 0),
                             INT("failed", 0),
                             INT("terminating", 0),
                             STR("completedIndexes", 0),
                             STR("failedIndexes", 0),
                             SOME("uncountedTerminatedPods", 0),
                             INT("ready", 0),
                             END};
static table job[] = {OBJECT, OBJ("spec", job_spec, 2), OBJ("status", job_status, 3), END};
static table job_template[] = {OBJ("metadata", meta, 1), OBJ("spec", job_spec, 2), END};
static table cron_job_spec[] = {STR("schedule", 1),
                                LONG("startingDeadlineSeconds", 2),
                                STR("concurrencyPolicy", 3),
                                BOOL("suspend", 4),
                                OBJ("jobTemplate", job_template, 5),
                                INT("successfulJobsHistoryLimit", 6),
                                INT("failedJobsHistoryLimit", 7),
                                STR("timeZone", 8),
                                END};
static table cron_job_status[] = {SOMES("active", 1), TIME("lastScheduleTime", 4),
                                  TIME("lastSuccessfulTime", 5), END};
static table cron_job[] = {OBJECT, OBJ("spec", cron_job_spec, 2), OBJ("status", cron_job_status, 3),
                           END};

/* ---- bodies of verbs ---- */

static table preconditions[] = {STR("uid", 1), STR("resourceVersion", 2), END};
static table delete_options[] = {STR("apiVersion", 0),
                                 STR("kind", 0),
                                 LONG("gracePeriodSeconds", 1),
                                 OBJ("preconditions", preconditions, 2),
                                 BOOL("orphanDependents", 3),
                                 STR("propagationPolicy", 4),
                                 STRS("dryRun", 5),
                                 END};
static table eviction[] = {OBJECT, OBJ("deleteOptions", delete_options, 2), END};
static table reference[] = {
    STR("kind", 1),       STR("namespace", 2),       STR("name", 3),      STR("uid", 4),
    STR("apiVersion", 5), STR("resourceVersion", 6), STR("fieldPath", 7), END};
static table binding[] = {OBJECT, OBJ("target", reference, 2), END};

/* ---- the rest ---- */

static table budget_spec[] = {EITHER("minAvailable", 1), OBJ("selector", selector, 2),
                              EITHER("maxUnavailable", 3), STR("unhealthyPodEvictionPolicy", 4),
                              END};
static table budget_status[] = {LONG("observedGeneration", 0),    MAP("disruptedPods", 0),
                                INT("disruptionsAllowed", 0),     INT("currentHealthy", 0),
                                INT("desiredHealthy", 0),         INT("expectedPods", 0),
                                LIST("conditions", condition, 0), END};
static table budget[] = {OBJECT, OBJ("spec", budget_spec, 2), OBJ("status", budget_status, 3), END};
static table priority_class[] = {OBJECT,
                                 INT("value", 2),
                                 BOOL("globalDefault", 3),
                                 STR("description", 4),
                                 STR("preemptionPolicy", 5),
                                 END};
static table device_class_spec[] = {SOMES("selectors", 1), SOMES("config", 2),
                                    STR("extendedResourceName", 4), END};
static table device_class[] = {OBJECT, OBJ("spec", device_class_spec, 2), END};
static table lease_spec[] = {STR("holderIdentity", 1),   INT("leaseDurationSeconds", 2),
                             TIME("acquireTime", 3),     TIME("renewTime", 4),
                             INT("leaseTransitions", 5), STR("strategy", 6),
                             STR("preferredHolder", 7),  END};
static table lease[] = {OBJECT, OBJ("spec", lease_spec, 2), END};
static table event_source[] = {STR("component", 1), STR("host", 2), END};
static table event[] = {OBJECT,
                        SOME("involvedObject", 2),
                        STR("reason", 3),
                        STR("message", 4),
                        OBJ("source", event_source, 5),
                        TIME("firstTimestamp", 6),
                        TIME("lastTimestamp", 7),
                        INT("count", 8),
                        STR("type", 9),
                        TIME("eventTime", 10),
                        SOME("series", 11),
                        STR("action", 12),
                        SOME("related", 13),
                        STR("reportingComponent", 14),
                        STR("reportingInstance", 15),
                        END};
static table pod_group_spec[] = {INT("minMember", 0), AMOUNTS("minResources", 0),
                                 INT("scheduleTimeoutSeconds", 0), END};
static table pod_group_status[] = {
    STR("phase", 0),     STR("occupiedBy", 0), INT("scheduled", 0),          INT("running", 0),
    INT("succeeded", 0), INT("failed", 0),     TIME("scheduleStartTime", 0), END};
static table pod_group[] = {OBJECT, OBJ("spec", pod_group_spec, 0),
                            OBJ("status", pod_group_status, 0), END};

const struct skr_schema_field *skr_schema_of(const char *kind)
{
    static const struct {
        const char *kind;
        const struct skr_schema_field *fields;
    } kinds[] = {
        {"Binding", binding},
        {"ConfigMap", configmap},
        {"CronJob", cron_job},
        {"DaemonSet", daemon_set},
        {"DeleteOptions", delete_options},
        {"Deployment", deployment},
        {"DeviceClass", device_class},
        {"Event", event},
        {"Eviction", eviction},
        {"Job", job},
        {"Lease", lease},
        {"Namespace", namespace_},
        {"Node", node},
        {"PersistentVolume", plain},
        {"PersistentVolumeClaim", plain},
        {"Pod", pod},
        {"PodDisruptionBudget", budget},
        {"PodGroup", pod_group},
        {"PriorityClass", priority_class},
        {"ReplicaSet", replica_set},
        {"ResourceClaim", plain},
        {"ResourceClaimTemplate", plain},
        {"ResourceSlice", plain},
        {"Secret", secret},
        {"Service", service},
        {"ServiceAccount", account},
        {"StatefulSet", stateful_set},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].kind, kind) == 0) {
            return kinds[i].fields;
        }
    }
    return NULL;
}
