/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the start costs on a large cluster: an API server on 127.0.0.1 that answers at once, with
 * nodes and pods that run already, and the program beside it until /readyz says yes. Once without
 * pods and once with them; the difference is what a pod costs.
 *
 *   bench_start [NODES [PODS [TEMPLATES]]]        10000 100000 500
 *
 * Pods look as the API server of 1.36 shows those of Deployments: managed fields, conditions,
 * statuses of containers, a volume of the account. CPU and memory are those of the program alone,
 * from /proc.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

enum { REQUEST_MAX = 65536, READY_SECONDS = 600, MILLISECOND = 1000000 };

struct world {
    size_t n_nodes, n_pods, n_templates;
    pid_t pid;                 /* of the program; 0 before it runs */
    atomic_ullong bytes;       /* of lists of pods and nodes */
    _Atomic double cpu_at_end; /* CPU seconds of the program when the last page of pods was sent */
};

struct connection {
    struct world *world;
    int fd;
};

/* ---- /proc ---- */

/* CPU seconds of the program; 0 when it is gone. */
static double cpu_seconds(pid_t pid)
{
    char path[64], text[1024];
    unsigned long long user = 0, kernel = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = pid ? fopen(path, "re") : NULL;
    if (!f) {
        return 0;
    }
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    (void)fclose(f);
    const char *after = strrchr(text, ')');
    if (!after || sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user,
                         &kernel) != 2) {
        return 0;
    }
    return (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
}

/* A line of /proc/PID/status in bytes. */
static double status_bytes(pid_t pid, const char *key)
{
    char path[64], line[256];
    double kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, key, strlen(key)) == 0) {
            kib = strtod(line + strlen(key), NULL);
        }
    }
    if (f) {
        (void)fclose(f);
    }
    return kib * 1024;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- objects ---- */

static void add_node(struct skr_strbuf *b, const struct world *w, size_t i)
{
    (void)w;
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

static void add_spec(struct skr_strbuf *b, const struct world *w, size_t i, size_t t)
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
        "\"schedulerName\":\"default-scheduler\",\"tolerations\":[{\"key\":"
        "\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\",\"effect\":\"NoExecute\","
        "\"tolerationSeconds\":300},{\"key\":\"node.kubernetes.io/unreachable\",\"operator\":"
        "\"Exists\",\"effect\":\"NoExecute\",\"tolerationSeconds\":300}],\"priority\":0,"
        "\"enableServiceLinks\":true,\"preemptionPolicy\":\"PreemptLowerPriority\"}",
        i % 100000, 100 + t % 10 * 50, i % 100000, i % w->n_nodes);
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

static void add_pod(struct skr_strbuf *b, const struct world *w, size_t i)
{
    size_t t = i % w->n_templates;
    add_metadata(b, i, t);
    add_spec(b, w, i, t);
    add_status(b, i, t);
}

/* ---- the server ---- */

/* The number behind "key=" of the target; else none. */
static size_t parameter(const char *target, const char *key, size_t none)
{
    const char *found = strstr(target, key);
    return found ? strtoull(found + strlen(key), NULL, 10) : none;
}

static bool send_all(int fd, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        text += sent;
        n -= (size_t)sent;
    }
    return true;
}

static bool answer(int fd, int code, const char *text, size_t n)
{
    char head[160];
    int h = snprintf(
        head, sizeof head,
        "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", code, n);
    return send_all(fd, head, (size_t)h) && send_all(fd, text, n);
}

/* One page of nodes or pods. */
static bool answer_list(const struct connection *c, const char *target, const char *kind, size_t n,
                        void (*add)(struct skr_strbuf *, const struct world *, size_t))
{
    struct world *w = c->world;
    SKR_STRBUF(b);
    size_t from = parameter(target, "continue=", 0);
    size_t end = from + parameter(target, "limit=", n ? n : 1);
    end = end < n ? end : n;
    skr_strbuf_addf(&b,
                    "{\"kind\":\"%s\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":"
                    "\"9000000\"",
                    kind);
    if (end < n) {
        skr_strbuf_addf(&b, ",\"continue\":\"%zu\",\"remainingItemCount\":%zu", end, n - end);
    }
    skr_strbuf_add(&b, "},\"items\":[");
    for (size_t i = from; i < end; i++) {
        skr_strbuf_add(&b, i > from ? "," : "");
        add(&b, w, i);
    }
    skr_strbuf_add(&b, "]}\n");
    bool ok = answer(c->fd, 200, b.s, b.len);
    atomic_fetch_add(&w->bytes, b.len);
    if (end == n && add == add_pod) {
        atomic_store(&w->cpu_at_end, cpu_seconds(w->pid));
    }
    return ok;
}

static bool answer_one(const struct connection *c, const char *method, const char *target)
{
    static const char empty[] =
        "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"9000000\"},"
        "\"items\":[]}";
    static const char allowed[] = "{\"status\":{\"allowed\":true}}";
    static const char stream[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                 "Transfer-Encoding: chunked\r\n\r\n";
    if (strcmp(method, "GET") != 0) {
        return answer(c->fd, 201, allowed, sizeof allowed - 1);
    }
    if (strstr(target, "watch=true")) {
        return send_all(c->fd, stream, sizeof stream - 1);
    }
    if (strncmp(target, "/api/v1/pods?", 13) == 0) {
        return answer_list(c, target, "PodList", c->world->n_pods, add_pod);
    }
    if (strncmp(target, "/api/v1/nodes?", 14) == 0) {
        return answer_list(c, target, "NodeList", c->world->n_nodes, add_node);
    }
    return answer(c->fd, 200, empty, sizeof empty - 1);
}

static void *serve(void *context)
{
    struct connection *c = context;
    SKR_AUTO_FREE char *text = skr_alloc(REQUEST_MAX + 1);
    char method[16], target[4096];
    size_t n = 0;
    bool ok = true;
    while (ok) {
        ssize_t got = recv(c->fd, text + n, REQUEST_MAX - n, 0);
        if (got <= 0) {
            break;
        }
        n += (size_t)got;
        text[n] = '\0';
        const char *end = strstr(text, "\r\n\r\n");
        const char *length = strcasestr(text, "\r\ncontent-length:");
        size_t body = length ? strtoull(length + 17, NULL, 10) : 0;
        if (!end || n < (size_t)(end + 4 - text) + body) {
            continue;
        }
        n = 0;
        ok = sscanf(text, "%15s %4095s", method, target) == 2 && answer_one(c, method, target);
    }
    (void)close(c->fd);
    free(c);
    return NULL;
}

struct listener {
    struct world *world;
    int fd;
};

static void *accept_all(void *context)
{
    const struct listener *l = context;
    for (;;) {
        int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) {
            return NULL;
        }
        struct connection *c = skr_alloc(sizeof *c);
        *c = (struct connection){.world = l->world, .fd = fd};
        pthread_t thread;
        skr_bug_on(pthread_create(&thread, NULL, serve, c) != 0);
        (void)pthread_detach(thread);
    }
}

/* A socket that listens on a port of 127.0.0.1, which is returned. */
static uint16_t listen_somewhere(int *ret)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    skr_bug_on(fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(fd, 64) != 0 ||
               getsockname(fd, (struct sockaddr *)&at, &size) != 0);
    *ret = fd;
    return ntohs(at.sin_port);
}

static bool is_ready(uint16_t port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons(port),
                             .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    static const char request[] = "GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    char text[64] = "";
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok = fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0 &&
              send_all(fd, request, sizeof request - 1) &&
              recv(fd, text, sizeof text - 1, MSG_WAITALL) > 0;
    (void)close(fd);
    return ok && strncmp(text, "HTTP/1.1 200", 12) == 0;
}

/* ---- one run ---- */

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t n = strlen(text);
    skr_bug_on(fd < 0 || write(fd, text, n) != (ssize_t)n || close(fd) != 0);
}

struct cost {
    double wall, cpu, cpu_after, resident, peak, bytes;
};

static pid_t start(const char *folder, uint16_t api, uint16_t probes)
{
    const char *program = getenv("SAKKARA") ? getenv("SAKKARA") : "build/sakkara";
    char config[512], kubeconfig[512], text[1024];
    snprintf(kubeconfig, sizeof kubeconfig, "%s/kubeconfig", folder);
    snprintf(config, sizeof config, "%s/sakkara.yaml", folder);
    snprintf(text, sizeof text,
             "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
             "contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\n"
             "clusters: [{name: c, cluster: {server: \"http://127.0.0.1:%u\"}}]\n",
             (unsigned)api);
    write_file(kubeconfig, text);
    snprintf(text, sizeof text,
             "apiVersion: sakkara/v1\nkind: SakkaraConfiguration\n"
             "extender: {listen: \"127.0.0.1:0\", bindListen: \"127.0.0.1:0\"}\n"
             "admin: {listen: \"127.0.0.1:0\", probes: \"127.0.0.1:%u\"}\n",
             (unsigned)probes);
    write_file(config, text);
    pid_t pid = fork();
    skr_bug_on(pid < 0);
    if (pid == 0) {
        int log = getenv("SAKKARA_BENCH_LOG") ? STDERR_FILENO : open("/dev/null", O_WRONLY);
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)dup2(log, STDERR_FILENO);
        execl(program, program, "serve", "--config", config, "--kubeconfig", kubeconfig,
              (char *)NULL);
        _exit(127);
    }
    return pid;
}

static struct cost run(struct world *w)
{
    char folder[] = "/tmp/sakkara-bench-start-XXXXXX";
    char path[128];
    int server, taken;
    struct cost cost = {0};
    uint16_t api = listen_somewhere(&server);
    uint16_t probes = listen_somewhere(&taken);
    struct listener listener = {.world = w, .fd = server};
    pthread_t thread;
    (void)close(taken);
    skr_bug_on(!mkdtemp(folder));
    skr_bug_on(pthread_create(&thread, NULL, accept_all, &listener) != 0);
    const double began = now();
    w->pid = start(folder, api, probes);
    while (!is_ready(probes)) {
        nanosleep(&(struct timespec){.tv_nsec = 5 * MILLISECOND}, NULL);
        if (now() - began > READY_SECONDS || waitpid(w->pid, NULL, WNOHANG) != 0) {
            fprintf(stderr, "bench_start: the program did not become ready\n");
            exit(1);
        }
    }
    cost.wall = now() - began;
    cost.cpu = cpu_seconds(w->pid);
    cost.cpu_after = cost.cpu - atomic_load(&w->cpu_at_end);
    cost.resident = status_bytes(w->pid, "VmRSS:");
    cost.peak = status_bytes(w->pid, "VmHWM:");
    cost.bytes = (double)atomic_load(&w->bytes);
    (void)kill(w->pid, SIGTERM);
    (void)waitpid(w->pid, NULL, 0);
    (void)shutdown(server, SHUT_RDWR);
    (void)pthread_join(thread, NULL);
    (void)close(server);
    const char *const names[] = {"kubeconfig", "sakkara.yaml"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
    return cost;
}

int main(int argc, char **argv)
{
    size_t nodes = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000;
    size_t pods = argc > 2 ? strtoull(argv[2], NULL, 10) : 100000;
    size_t templates = argc > 3 ? strtoull(argv[3], NULL, 10) : 500;
    if (nodes == 0 || pods == 0 || templates == 0) {
        fprintf(stderr, "usage: bench_start [NODES [PODS [TEMPLATES]]]\n");
        return 2;
    }
    struct world without = {.n_nodes = nodes, .n_templates = templates};
    struct world with = {.n_nodes = nodes, .n_pods = pods, .n_templates = templates};
    double load = 0;
    (void)getloadavg(&load, 1);
    const struct cost base = run(&without);
    const struct cost cost = run(&with);
    const double n = (double)pods;
    const double bytes = cost.bytes - base.bytes;
    printf("%zu nodes alone: ready after %.2f s, %.2f s of CPU, %.0f MB resident; load %.2f\n",
           nodes, base.wall, base.cpu, base.resident / 1e6, load);
    printf("and %zu pods of %zu templates, %.0f MB of JSON: ready after %.2f s, %.2f s of CPU, "
           "%.2f s of it after the last byte\n",
           pods, templates, bytes / 1e6, cost.wall, cost.cpu, cost.cpu_after);
    printf("a pod: %.1f us of CPU (%.0f MB/s), %.0f bytes resident; peak %.0f MB\n",
           (cost.cpu - base.cpu) / n * 1e6, bytes / 1e6 / (cost.cpu - base.cpu),
           (cost.resident - base.resident) / n, cost.peak / 1e6);
    return 0;
}
