/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes, pods and groups as an API server shows them. */
#include "test/bench/start_objects.h"

void start_add_node(struct skr_strbuf *b, const struct start_objects *o, size_t i)
{
    (void)o;
    skr_strbuf_addf(
        b,
        "{\"metadata\":{\"name\":\"node-%zu\",\"uid\":\"00000000-0000-4000-8000-%012zx\","
        "\"resourceVersion\":\"%zu\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\",\"labels\":{"
        "\"kubernetes.io/hostname\":\"node-%zu\",\"kubernetes.io/os\":\"linux\","
        "\"kubernetes.io/arch\":\"amd64\",\"topology.kubernetes.io/zone\":\"z%zu\","
        "\"node.kubernetes.io/instance-type\":\"m5.xlarge\"}},\"spec\":{\"podCIDR\":\"10.0.0.0/"
        "24\","
        "\"providerID\":\"aws:///z/i-%zu\"},\"status\":{\"capacity\":{\"cpu\":\"96\",\"memory\":"
        "\"384Gi\",\"pods\":\"250\",\"ephemeral-storage\":\"100Gi\"},\"allocatable\":{\"cpu\":"
        "\"95\",\"memory\":\"380Gi\",\"pods\":\"250\",\"ephemeral-storage\":\"90Gi\"},"
        "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"lastHeartbeatTime\":"
        "\"2026-01-01T00:00:00Z\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\",\"reason\":"
        "\"KubeletReady\",\"message\":\"kubelet is posting ready status\"}],\"addresses\":[{"
        "\"type\":\"InternalIP\",\"address\":\"10.0.0.1\"}],\"nodeInfo\":{\"kubeletVersion\":"
        "\"v1.36.0\",\"operatingSystem\":\"linux\"}}}",
        i, i, i + 1, i, i % 4, i);
}

/* What kubelets and the API server add to every pod, and what few programs read. */
static const char managed_fields[] =
    "[{\"manager\":\"kube-controller-manager\",\"operation\":\"Update\",\"apiVersion\":\"v1\","
    "\"time\":\"2026-01-01T00:00:00Z\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:metadata\":{"
    "\"f:generateName\":{},\"f:labels\":{\".\":{},\"f:app\":{},\"f:pod-template-hash\":{}},"
    "\"f:ownerReferences\":{\".\":{},\"k:{\\\"uid\\\":\\\"x\\\"}\":{}}},\"f:spec\":{"
    "\"f:containers\":{\"k:{\\\"name\\\":\\\"main\\\"}\":{\".\":{},\"f:image\":{},"
    "\"f:imagePullPolicy\":{},\"f:name\":{},\"f:resources\":{\".\":{},\"f:requests\":{\".\":{},"
    "\"f:cpu\":{},\"f:memory\":{}}}}},\"f:dnsPolicy\":{},\"f:restartPolicy\":{}}}},{\"manager\":"
    "\"kubelet\",\"operation\":\"Update\",\"apiVersion\":\"v1\",\"time\":\"2026-01-01T00:00:00Z\","
    "\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:status\":{\"f:conditions\":{"
    "\"k:{\\\"type\\\":\\\"Ready\\\"}\":{\".\":{},\"f:status\":{},\"f:type\":{}}},"
    "\"f:containerStatuses\":{},\"f:hostIP\":{},\"f:phase\":{},\"f:podIP\":{}}},\"subresource\":"
    "\"status\"}]";

static const char condition[] =
    "{\"type\":\"%s\",\"status\":\"True\",\"observedGeneration\":1,\"lastProbeTime\":null,"
    "\"lastTransitionTime\":\"2026-01-01T00:00:05Z\"}";

static bool is_member(const struct start_objects *o, size_t i)
{
    return i < o->n_groups * o->group_size;
}

static void add_metadata(struct skr_strbuf *b, size_t i, size_t t)
{
    skr_strbuf_addf(
        b,
        "{\"metadata\":{\"name\":\"web-%zu-5d8f7c9b6-x%05zu\",\"generateName\":"
        "\"web-%zu-5d8f7c9b6-\",\"namespace\":\"team-%zu\",\"uid\":"
        "\"11111111-1111-4111-8111-%012zx\",\"resourceVersion\":\"%zu\",\"generation\":1,"
        "\"creationTimestamp\":\"2026-01-01T00:00:00Z\",\"labels\":{\"app\":\"web-%zu\","
        "\"app.kubernetes.io/name\":\"web\",\"pod-template-hash\":\"5d8f7c9b6\"},\"annotations\":{"
        "\"prometheus.io/scrape\":\"true\"},\"ownerReferences\":[{\"apiVersion\":\"apps/v1\","
        "\"kind\":\"ReplicaSet\",\"name\":\"web-%zu-5d8f7c9b6\",\"uid\":"
        "\"22222222-2222-4222-8222-%012zx\",\"controller\":true,\"blockOwnerDeletion\":true}],"
        "\"managedFields\":%s}",
        t, i, t, t % 50, i, i + 100000, t, t, t, managed_fields);
}

static void add_member_metadata(struct skr_strbuf *b, const struct start_objects *o, size_t i)
{
    size_t g = i / o->group_size, rank = i % o->group_size;
    skr_strbuf_addf(
        b,
        "{\"metadata\":{\"name\":\"train-%zu-%zu-x%05zu\",\"generateName\":\"train-%zu-%zu-\","
        "\"namespace\":\"team-%zu\",\"uid\":\"11111111-1111-4111-8111-%012zx\","
        "\"resourceVersion\":\"%zu\",\"generation\":1,\"creationTimestamp\":"
        "\"2026-01-01T00:00:00Z\",\"labels\":{\"batch.kubernetes.io/controller-uid\":"
        "\"33333333-3333-4333-8333-%012zx\",\"batch.kubernetes.io/job-completion-index\":\"%zu\","
        "\"batch.kubernetes.io/job-name\":\"train-%zu\",\"sakkara.group.name\":\"train-%zu\","
        "\"sakkara.member.rank\":\"%zu\",\"sakkara.member.retries\":\"1\","
        "\"sakkara.member.status\":\"Bound\"},\"ownerReferences\":[{\"apiVersion\":\"batch/v1\","
        "\"kind\":\"Job\",\"name\":\"train-%zu\",\"uid\":\"33333333-3333-4333-8333-%012zx\","
        "\"controller\":true,\"blockOwnerDeletion\":true}],\"managedFields\":%s}",
        g, rank, i % 100000, g, rank, g % 50, i, i + 100000, g, rank, g, g, rank, g, g,
        managed_fields);
}

static void add_spec(struct skr_strbuf *b, const struct start_objects *o, size_t i, size_t t)
{
    skr_strbuf_addf(
        b,
        ",\"spec\":{\"volumes\":[{\"name\":\"kube-api-access-x%05zu\",\"projected\":{\"sources\":[{"
        "\"serviceAccountToken\":{\"expirationSeconds\":3607,\"path\":\"token\"}},{\"configMap\":{"
        "\"name\":\"kube-root-ca.crt\",\"items\":[{\"key\":\"ca.crt\",\"path\":\"ca.crt\"}]}},{"
        "\"downwardAPI\":{\"items\":[{\"path\":\"namespace\",\"fieldRef\":{\"apiVersion\":\"v1\","
        "\"fieldPath\":\"metadata.namespace\"}}]}}],\"defaultMode\":420}}],\"containers\":[{"
        "\"name\":\"main\",\"image\":\"registry.example.com/web:v1\",\"ports\":[{\"name\":\"http\","
        "\"containerPort\":8080,\"protocol\":\"TCP\"}],\"env\":[{\"name\":\"POD\",\"valueFrom\":{"
        "\"fieldRef\":{\"apiVersion\":\"v1\",\"fieldPath\":\"metadata.name\"}}}],\"resources\":{"
        "\"limits\":{\"memory\":\"256Mi\"},\"requests\":{\"cpu\":\"%zum\",\"memory\":\"256Mi\"}},"
        "\"volumeMounts\":[{\"name\":\"kube-api-access-x%05zu\",\"readOnly\":true,\"mountPath\":"
        "\"/var/run/secrets/kubernetes.io/serviceaccount\"}],\"livenessProbe\":{\"httpGet\":{"
        "\"path\":\"/live\",\"port\":\"http\",\"scheme\":\"HTTP\"},\"timeoutSeconds\":1,"
        "\"periodSeconds\":10,\"successThreshold\":1,\"failureThreshold\":3},"
        "\"terminationMessagePath\":\"/dev/termination-log\",\"terminationMessagePolicy\":\"File\","
        "\"imagePullPolicy\":\"IfNotPresent\"}],\"restartPolicy\":\"Always\","
        "\"terminationGracePeriodSeconds\":30,\"dnsPolicy\":\"ClusterFirst\","
        "\"serviceAccountName\":"
        "\"default\",\"serviceAccount\":\"default\",\"nodeName\":\"node-%zu\",\"securityContext\":{"
        "},"
        "\"schedulerName\":\"%s\",\"tolerations\":[{\"key\":"
        "\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\",\"effect\":\"NoExecute\","
        "\"tolerationSeconds\":300},{\"key\":\"node.kubernetes.io/unreachable\",\"operator\":"
        "\"Exists\",\"effect\":\"NoExecute\",\"tolerationSeconds\":300}],\"priority\":0,"
        "\"enableServiceLinks\":true,\"preemptionPolicy\":\"PreemptLowerPriority\"}",
        i % 100000, 100 + t % 10 * 50, i % 100000, i % o->n_nodes,
        is_member(o, i) ? "sakkara" : "default-scheduler");
}

static void add_status(struct skr_strbuf *b, size_t i, size_t t)
{
    static const char *const types[] = {"PodReadyToStartContainers", "Initialized", "Ready",
                                        "ContainersReady", "PodScheduled"};
    skr_strbuf_add(b,
                   ",\"status\":{\"observedGeneration\":1,\"phase\":\"Running\",\"conditions\":[");
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        skr_strbuf_add(b, k ? "," : "");
        skr_strbuf_addf(b, condition, types[k]);
    }
    skr_strbuf_addf(
        b,
        "],\"hostIP\":\"10.0.0.1\",\"hostIPs\":[{\"ip\":\"10.0.0.1\"}],\"podIP\":\"10.1.%zu.%zu\","
        "\"podIPs\":[{\"ip\":\"10.1.%zu.%zu\"}],\"startTime\":\"2026-01-01T00:00:01Z\","
        "\"containerStatuses\":[{\"name\":\"main\",\"state\":{\"running\":{\"startedAt\":"
        "\"2026-01-01T00:00:04Z\"}},\"lastState\":{},\"ready\":true,\"restartCount\":0,\"image\":"
        "\"registry.example.com/web:v1\",\"imageID\":\"registry.example.com/web@sha256:%064zx\","
        "\"containerID\":\"containerd://%064zx\",\"started\":true,\"allocatedResources\":{\"cpu\":"
        "\"%zum\",\"memory\":\"256Mi\"},\"resources\":{\"limits\":{\"memory\":\"256Mi\"},"
        "\"requests\":{\"cpu\":\"%zum\",\"memory\":\"256Mi\"}}}],\"qosClass\":\"Burstable\"}}",
        i / 250 % 250, i % 250, i / 250 % 250, i % 250, t, i, 100 + t % 10 * 50, 100 + t % 10 * 50);
}

void start_add_pod(struct skr_strbuf *b, const struct start_objects *o, size_t i)
{
    size_t t = is_member(o, i) ? i / o->group_size % o->n_templates : i % o->n_templates;
    if (is_member(o, i)) {
        add_member_metadata(b, o, i);
    } else {
        add_metadata(b, i, t);
    }
    add_spec(b, o, i, t);
    add_status(b, i, t);
}

void start_add_group(struct skr_strbuf *b, const struct start_objects *o, size_t i)
{
    skr_strbuf_addf(
        b,
        "{\"metadata\":{\"name\":\"train-%zu\",\"namespace\":\"team-%zu\",\"uid\":"
        "\"44444444-4444-4444-8444-%012zx\",\"resourceVersion\":\"%zu\",\"creationTimestamp\":"
        "\"2026-01-01T00:00:00Z\",\"labels\":{\"sakkara.group\":\"\"}},\"data\":{\"name\":"
        "\"train-%zu\",\"size\":\"%zu\",\"priority\":\"5\",\"constraints\":"
        "\"{\\\"node\\\":{\\\"type\\\":\\\"pack\\\"}}\"}}",
        i, i % 50, i, i + 1, i, o->group_size);
}
