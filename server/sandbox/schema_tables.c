/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of fields; what they leave open is an object or a list of anything. */
#include "server/sandbox/schema_tables.h"

#include <string.h>

#define STR(n)                     \
    {                              \
        n, SKR_SCHEMA_STRING, NULL \
    }
#define INT(n)                      \
    {                               \
        n, SKR_SCHEMA_INTEGER, NULL \
    }
#define BOOL(n)                     \
    {                               \
        n, SKR_SCHEMA_BOOLEAN, NULL \
    }
#define QTY(n)                       \
    {                                \
        n, SKR_SCHEMA_QUANTITY, NULL \
    }
#define EITHER(n)                         \
    {                                     \
        n, SKR_SCHEMA_INT_OR_STRING, NULL \
    }
#define STRS(n)                     \
    {                               \
        n, SKR_SCHEMA_STRINGS, NULL \
    }
#define MAP(n)                         \
    {                                  \
        n, SKR_SCHEMA_STRING_MAP, NULL \
    }
#define AMOUNTS(n)                       \
    {                                    \
        n, SKR_SCHEMA_QUANTITY_MAP, NULL \
    }
#define OBJ(n, f)               \
    {                           \
        n, SKR_SCHEMA_OBJECT, f \
    }
#define LIST(n, f)            \
    {                         \
        n, SKR_SCHEMA_LIST, f \
    }
#define SOME(n)                        \
    {                                  \
        n, SKR_SCHEMA_ANY_OBJECT, NULL \
    }
#define SOMES(n)                     \
    {                                \
        n, SKR_SCHEMA_ANY_LIST, NULL \
    }
#define ANY(n)                  \
    {                           \
        n, SKR_SCHEMA_ANY, NULL \
    }
#define END                        \
    {                              \
        NULL, SKR_SCHEMA_ANY, NULL \
    }

#define table const struct skr_schema_field

static table owner[] = {
    STR("apiVersion"),          STR("kind"), STR("name"), STR("uid"), BOOL("controller"),
    BOOL("blockOwnerDeletion"), END};
static table meta[] = {STR("name"),
                       STR("generateName"),
                       STR("namespace"),
                       STR("selfLink"),
                       STR("uid"),
                       STR("resourceVersion"),
                       INT("generation"),
                       STR("creationTimestamp"),
                       STR("deletionTimestamp"),
                       INT("deletionGracePeriodSeconds"),
                       MAP("labels"),
                       MAP("annotations"),
                       LIST("ownerReferences", owner),
                       STRS("finalizers"),
                       SOMES("managedFields"),
                       STR("clusterName"),
                       END};

#define OBJECT STR("apiVersion"), STR("kind"), OBJ("metadata", meta)

static table expression[] = {STR("key"), STR("operator"), STRS("values"), END};
static table selector[] = {MAP("matchLabels"), LIST("matchExpressions", expression), END};

/* ---- pods ---- */

static table claim[] = {STR("name"), STR("request"), END};
static table resources[] = {AMOUNTS("limits"), AMOUNTS("requests"), LIST("claims", claim), END};
static table port[] = {STR("name"),     INT("hostPort"), INT("containerPort"),
                       STR("protocol"), STR("hostIP"),   END};
static table env[] = {STR("name"), STR("value"), SOME("valueFrom"), END};
static table container[] = {STR("name"),
                            STR("image"),
                            STRS("command"),
                            STRS("args"),
                            STR("workingDir"),
                            LIST("ports", port),
                            SOMES("envFrom"),
                            LIST("env", env),
                            OBJ("resources", resources),
                            SOMES("resizePolicy"),
                            STR("restartPolicy"),
                            SOMES("restartPolicyRules"),
                            SOMES("volumeMounts"),
                            SOMES("volumeDevices"),
                            SOME("livenessProbe"),
                            SOME("readinessProbe"),
                            SOME("startupProbe"),
                            SOME("lifecycle"),
                            STR("terminationMessagePath"),
                            STR("terminationMessagePolicy"),
                            STR("imagePullPolicy"),
                            SOME("securityContext"),
                            BOOL("stdin"),
                            BOOL("stdinOnce"),
                            BOOL("tty"),
                            STR("targetContainerName"),
                            END};
static table node_term[] = {LIST("matchExpressions", expression), LIST("matchFields", expression),
                            END};
static table node_terms[] = {LIST("nodeSelectorTerms", node_term), END};
static table preferred_node[] = {INT("weight"), OBJ("preference", node_term), END};
static table node_affinity[] = {
    OBJ("requiredDuringSchedulingIgnoredDuringExecution", node_terms),
    LIST("preferredDuringSchedulingIgnoredDuringExecution", preferred_node), END};
static table pod_term[] = {OBJ("labelSelector", selector),
                           STRS("namespaces"),
                           STR("topologyKey"),
                           OBJ("namespaceSelector", selector),
                           STRS("matchLabelKeys"),
                           STRS("mismatchLabelKeys"),
                           END};
static table preferred_pod[] = {INT("weight"), OBJ("podAffinityTerm", pod_term), END};
static table pod_affinity[] = {
    LIST("requiredDuringSchedulingIgnoredDuringExecution", pod_term),
    LIST("preferredDuringSchedulingIgnoredDuringExecution", preferred_pod), END};
static table affinity[] = {OBJ("nodeAffinity", node_affinity), OBJ("podAffinity", pod_affinity),
                           OBJ("podAntiAffinity", pod_affinity), END};
static table toleration[] = {STR("key"),    STR("operator"),          STR("value"),
                             STR("effect"), INT("tolerationSeconds"), END};
static table spread[] = {INT("maxSkew"),
                         STR("topologyKey"),
                         STR("whenUnsatisfiable"),
                         OBJ("labelSelector", selector),
                         INT("minDomains"),
                         STR("nodeAffinityPolicy"),
                         STR("nodeTaintsPolicy"),
                         STRS("matchLabelKeys"),
                         END};
static table gate[] = {STR("name"), END};
static table pod_spec[] = {SOMES("volumes"),
                           LIST("initContainers", container),
                           LIST("containers", container),
                           LIST("ephemeralContainers", container),
                           STR("restartPolicy"),
                           INT("terminationGracePeriodSeconds"),
                           INT("activeDeadlineSeconds"),
                           STR("dnsPolicy"),
                           MAP("nodeSelector"),
                           STR("serviceAccountName"),
                           STR("serviceAccount"),
                           BOOL("automountServiceAccountToken"),
                           STR("nodeName"),
                           BOOL("hostNetwork"),
                           BOOL("hostPID"),
                           BOOL("hostIPC"),
                           BOOL("hostUsers"),
                           BOOL("shareProcessNamespace"),
                           SOME("securityContext"),
                           SOMES("imagePullSecrets"),
                           STR("hostname"),
                           STR("hostnameOverride"),
                           STR("subdomain"),
                           OBJ("affinity", affinity),
                           STR("schedulerName"),
                           LIST("tolerations", toleration),
                           SOMES("hostAliases"),
                           STR("priorityClassName"),
                           INT("priority"),
                           SOME("dnsConfig"),
                           SOMES("readinessGates"),
                           STR("runtimeClassName"),
                           BOOL("enableServiceLinks"),
                           STR("preemptionPolicy"),
                           AMOUNTS("overhead"),
                           LIST("topologySpreadConstraints", spread),
                           BOOL("setHostnameAsFQDN"),
                           SOME("os"),
                           LIST("schedulingGates", gate),
                           SOMES("resourceClaims"),
                           OBJ("resources", resources),
                           SOME("schedulingGroup"),
                           SOME("workloadRef"),
                           END};
static table condition[] = {STR("type"),
                            STR("status"),
                            STR("reason"),
                            STR("message"),
                            STR("lastProbeTime"),
                            STR("lastTransitionTime"),
                            STR("lastHeartbeatTime"),
                            STR("lastUpdateTime"),
                            INT("observedGeneration"),
                            END};
static table pod_status[] = {STR("phase"),
                             INT("observedGeneration"),
                             LIST("conditions", condition),
                             STR("message"),
                             STR("reason"),
                             STR("nominatedNodeName"),
                             STR("hostIP"),
                             SOMES("hostIPs"),
                             STR("podIP"),
                             SOMES("podIPs"),
                             STR("startTime"),
                             SOMES("containerStatuses"),
                             SOMES("initContainerStatuses"),
                             SOMES("ephemeralContainerStatuses"),
                             STR("qosClass"),
                             STR("resize"),
                             SOMES("resourceClaimStatuses"),
                             SOME("extendedResourceClaimStatus"),
                             AMOUNTS("allocatedResources"),
                             OBJ("resources", resources),
                             END};
static table pod[] = {OBJECT, OBJ("spec", pod_spec), OBJ("status", pod_status), END};
static table template[] = {OBJ("metadata", meta), OBJ("spec", pod_spec), END};

/* ---- nodes, maps, namespaces ---- */

static table taint[] = {STR("key"), STR("value"), STR("effect"), STR("timeAdded"), END};
static table node_spec[] = {
    STR("podCIDR"),        STRS("podCIDRs"),     STR("providerID"), BOOL("unschedulable"),
    LIST("taints", taint), SOME("configSource"), STR("externalID"), END};
static table node_status[] = {AMOUNTS("capacity"),
                              AMOUNTS("allocatable"),
                              STR("phase"),
                              LIST("conditions", condition),
                              SOMES("addresses"),
                              SOME("daemonEndpoints"),
                              SOME("nodeInfo"),
                              SOMES("images"),
                              STRS("volumesInUse"),
                              SOMES("volumesAttached"),
                              SOME("config"),
                              SOMES("runtimeHandlers"),
                              SOME("features"),
                              STRS("declaredFeatures"),
                              END};
static table node[] = {OBJECT, OBJ("spec", node_spec), OBJ("status", node_status), END};
static table configmap[] = {OBJECT, MAP("data"), MAP("binaryData"), BOOL("immutable"), END};
static table secret[] = {OBJECT,      MAP("data"),       MAP("stringData"),
                         STR("type"), BOOL("immutable"), END};
static table namespace_spec[] = {STRS("finalizers"), END};
static table namespace_[] = {OBJECT, OBJ("spec", namespace_spec), SOME("status"), END};
static table account[] = {OBJECT, SOMES("secrets"), SOMES("imagePullSecrets"),
                          BOOL("automountServiceAccountToken"), END};
static table plain[] = {OBJECT, SOME("spec"), SOME("status"), END};

/* ---- workloads ---- */

static table replicas_status[] = {INT("replicas"),
                                  INT("readyReplicas"),
                                  INT("availableReplicas"),
                                  INT("fullyLabeledReplicas"),
                                  INT("updatedReplicas"),
                                  INT("unavailableReplicas"),
                                  INT("currentReplicas"),
                                  INT("terminatingReplicas"),
                                  INT("observedGeneration"),
                                  INT("collisionCount"),
                                  STR("currentRevision"),
                                  STR("updateRevision"),
                                  LIST("conditions", condition),
                                  END};
static table replica_set_spec[] = {INT("replicas"), INT("minReadySeconds"),
                                   OBJ("selector", selector), OBJ("template", template), END};
static table replica_set[] = {OBJECT, OBJ("spec", replica_set_spec), OBJ("status", replicas_status),
                              END};
static table rolling[] = {EITHER("maxUnavailable"), EITHER("maxSurge"), INT("partition"), END};
static table strategy[] = {STR("type"), OBJ("rollingUpdate", rolling), END};
static table deployment_spec[] = {INT("replicas"),
                                  OBJ("selector", selector),
                                  OBJ("template", template),
                                  OBJ("strategy", strategy),
                                  INT("minReadySeconds"),
                                  INT("revisionHistoryLimit"),
                                  BOOL("paused"),
                                  INT("progressDeadlineSeconds"),
                                  END};
static table deployment[] = {OBJECT, OBJ("spec", deployment_spec), OBJ("status", replicas_status),
                             END};
static table stateful_set_spec[] = {INT("replicas"),
                                    OBJ("selector", selector),
                                    OBJ("template", template),
                                    SOMES("volumeClaimTemplates"),
                                    STR("serviceName"),
                                    STR("podManagementPolicy"),
                                    OBJ("updateStrategy", strategy),
                                    INT("revisionHistoryLimit"),
                                    INT("minReadySeconds"),
                                    SOME("persistentVolumeClaimRetentionPolicy"),
                                    SOME("ordinals"),
                                    END};
static table stateful_set[] = {OBJECT, OBJ("spec", stateful_set_spec),
                               OBJ("status", replicas_status), END};
static table job_spec[] = {INT("parallelism"),
                           INT("completions"),
                           INT("activeDeadlineSeconds"),
                           SOME("podFailurePolicy"),
                           SOME("successPolicy"),
                           INT("backoffLimit"),
                           INT("backoffLimitPerIndex"),
                           INT("maxFailedIndexes"),
                           OBJ("selector", selector),
                           BOOL("manualSelector"),
                           OBJ("template", template),
                           INT("ttlSecondsAfterFinished"),
                           STR("completionMode"),
                           BOOL("suspend"),
                           STR("podReplacementPolicy"),
                           STR("managedBy"),
                           END};
static table job_status[] = {LIST("conditions", condition),
                             STR("startTime"),
                             STR("completionTime"),
                             INT("active"),
                             INT("succeeded"),
                             INT("failed"),
                             INT("terminating"),
                             STR("completedIndexes"),
                             STR("failedIndexes"),
                             SOME("uncountedTerminatedPods"),
                             INT("ready"),
                             END};
static table job[] = {OBJECT, OBJ("spec", job_spec), OBJ("status", job_status), END};

/* ---- the rest ---- */

static table budget_spec[] = {EITHER("minAvailable"), OBJ("selector", selector),
                              EITHER("maxUnavailable"), STR("unhealthyPodEvictionPolicy"), END};
static table budget_status[] = {INT("observedGeneration"),     MAP("disruptedPods"),
                                INT("disruptionsAllowed"),     INT("currentHealthy"),
                                INT("desiredHealthy"),         INT("expectedPods"),
                                LIST("conditions", condition), END};
static table budget[] = {OBJECT, OBJ("spec", budget_spec), OBJ("status", budget_status), END};
static table priority_class[] = {
    OBJECT, INT("value"), BOOL("globalDefault"), STR("description"), STR("preemptionPolicy"), END};
static table lease_spec[] = {STR("holderIdentity"),   INT("leaseDurationSeconds"),
                             STR("acquireTime"),      STR("renewTime"),
                             INT("leaseTransitions"), STR("strategy"),
                             STR("preferredHolder"),  END};
static table lease[] = {OBJECT, OBJ("spec", lease_spec), END};
static table event_source[] = {STR("component"), STR("host"), END};
static table event[] = {OBJECT,
                        SOME("involvedObject"),
                        STR("reason"),
                        STR("message"),
                        OBJ("source", event_source),
                        STR("firstTimestamp"),
                        STR("lastTimestamp"),
                        INT("count"),
                        STR("type"),
                        STR("eventTime"),
                        SOME("series"),
                        STR("action"),
                        SOME("related"),
                        STR("reportingComponent"),
                        STR("reportingInstance"),
                        END};
static table pod_group_spec[] = {INT("minMember"), AMOUNTS("minResources"),
                                 INT("scheduleTimeoutSeconds"), END};
static table pod_group_status[] = {
    STR("phase"),     STR("occupiedBy"), INT("scheduled"),         INT("running"),
    INT("succeeded"), INT("failed"),     STR("scheduleStartTime"), END};
static table pod_group[] = {OBJECT, OBJ("spec", pod_group_spec), OBJ("status", pod_group_status),
                            END};

const struct skr_schema_field *skr_schema_of(const char *kind)
{
    static const struct {
        const char *kind;
        const struct skr_schema_field *fields;
    } kinds[] = {
        {"ConfigMap", configmap},
        {"Deployment", deployment},
        {"Event", event},
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
        {"Secret", secret},
        {"Service", plain},
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
