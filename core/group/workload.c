/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the kinds. Sources of the labels: LeaderWorkerSet api/leaderworkerset/v1, JobSet
 * api/jobset/v1alpha2, mpi-operator pkg/apis/kubeflow/v2beta1, training-operator
 * pkg/apis/kubeflow.org/v1, KubeRay controllers/ray/utils/constant.go, Spark's
 * spark-app-selector, k8s.io/api/batch/v1 and apps/v1.
 */
#include "core/group/workload.h"

#include <string.h>

#include "topology/base/decimal.h"
#include "topology/base/suggest.h"

#define BATCH  "batch.kubernetes.io/"
#define JOBSET "jobset.sigs.k8s.io/"
#define LWS    "leaderworkerset.sigs.k8s.io/"
#define KF     "training.kubeflow.org/"
#define RAY    "ray.io/"

static const char *label(const struct skr_pod *pod, const char *key)
{
    const char *value = skr_labels_get(&pod->meta.labels, key);
    return value ? value : "";
}

static int32_t number(const char *text)
{
    int64_t value;
    return skr_decimal_parse(text, strlen(text), &value) && value >= 0 && value <= INT32_MAX
               ? (int32_t)value
               : -1;
}

/* The controller's name if it is of this "Kind.group"; NULL else. */
static const char *controlled_by(const struct skr_pod *pod, const char *kind)
{
    const size_t n = strlen(kind);
    return strncmp(pod->controller, kind, n) == 0 && pod->controller[n] == '/'
               ? pod->controller + n + 1
               : NULL;
}

/* ---- rows: whether the pod is of the kind, and what it says ---- */

typedef bool read_row(const struct skr_pod *pod, struct skr_workload *ret);

static bool read_lws(const struct skr_pod *pod, struct skr_workload *ret)
{
    ret->owner = label(pod, LWS "name");
    if (!*ret->owner) {
        return false;
    }
    const char *size = skr_labels_get(&pod->meta.annotations, LWS "size");
    ret->number = number(label(pod, LWS "group-index"));
    ret->size = size ? number(size) : -1;
    return ret->number >= 0 && number(label(pod, LWS "worker-index")) >= 0;
}

static bool read_jobset(const struct skr_pod *pod, struct skr_workload *ret)
{
    ret->owner = label(pod, JOBSET "jobset-name");
    if (!*ret->owner) {
        return false;
    }
    const char *step = label(pod, "trainer.kubeflow.org/trainjob-ancestor-step");
    ret->owner_uid = label(pod, JOBSET "jobset-uid");
    ret->part = label(pod, JOBSET "replicatedjob-name");
    ret->number = number(label(pod, JOBSET "job-index"));
    ret->alone = strcmp(step, "dataset-initializer") == 0 || strcmp(step, "model-initializer") == 0;
    return *ret->part && ret->number >= 0;
}

static bool read_mpijob(const struct skr_pod *pod, struct skr_workload *ret)
{
    ret->owner = label(pod, KF "job-name");
    return *ret->owner && strcmp(label(pod, KF "operator-name"), "mpi-operator") == 0 &&
           *label(pod, KF "job-role");
}

/* The kind is the owner's: operators of several releases name themselves in several ways. */
static bool read_kubeflow(const struct skr_pod *pod, struct skr_workload *ret)
{
    static const char *const kind[] = {"PyTorchJob", "TFJob",  "XGBoostJob",
                                       "PaddleJob",  "JAXJob", "MPIJob"};
    char full[64];
    ret->owner = label(pod, KF "job-name");
    ret->owner_uid = pod->controller_uid;
    for (size_t i = 0; i < sizeof kind / sizeof kind[0] && *ret->owner; i++) {
        snprintf(full, sizeof full, "%s.kubeflow.org", kind[i]);
        const char *name = controlled_by(pod, full);
        if (name && strcmp(name, ret->owner) == 0) {
            ret->owner_kind = kind[i];
            return *label(pod, KF "replica-type") != '\0';
        }
    }
    return false;
}

static bool read_raycluster(const struct skr_pod *pod, struct skr_workload *ret)
{
    const char *type = label(pod, RAY "node-type");
    ret->owner = label(pod, RAY "cluster");
    ret->owner_uid = pod->controller_uid;
    ret->beside = (strcmp(type, "head") != 0 && strcmp(type, "worker") != 0) || /* redis-cleanup */
                  (*pod->controller && !controlled_by(pod, "RayCluster.ray.io"));
    return *ret->owner && *type;
}

static bool read_spark(const struct skr_pod *pod, struct skr_workload *ret)
{
    const char *role = label(pod, "spark-role");
    ret->owner = label(pod, "sparkoperator.k8s.io/app-name");
    ret->owner_kind = *ret->owner ? "SparkApplication" : "";
    ret->alone = strcmp(role, "executor") != 0; /* a driver, or the server of Spark Connect */
    return *role && *label(pod, "spark-app-selector");
}

static bool read_job(const struct skr_pod *pod, struct skr_workload *ret)
{
    ret->owner = controlled_by(pod, "Job.batch");
    ret->owner_uid = pod->controller_uid;
    return ret->owner;
}

static bool read_statefulset(const struct skr_pod *pod, struct skr_workload *ret)
{
    ret->owner = controlled_by(pod, "StatefulSet.apps");
    ret->owner_uid = pod->controller_uid;
    return ret->owner;
}

static bool read_kueue(const struct skr_pod *pod, struct skr_workload *ret)
{
    const char *total = skr_labels_get(&pod->meta.annotations, SKR_KUEUE_TOTAL);
    ret->owner = label(pod, SKR_LABEL_KUEUE_GROUP);
    ret->size = total ? number(total) : -1;
    return *ret->owner;
}

static bool read_other(const struct skr_pod *pod, struct skr_workload *ret)
{
    (void)pod;
    ret->owner = "";
    return true;
}

/* ---- rows: the role of a pod; NULL: it has none, or is of another kind ---- */

typedef const char *role_row(const struct skr_pod *pod);

static const char *label_or_null(const struct skr_pod *pod, const char *key)
{
    const char *value = label(pod, key);
    return *value ? value : NULL;
}

static const char *role_lws(const struct skr_pod *pod)
{
    const char *worker = label_or_null(pod, LWS "worker-index");
    return !worker ? NULL : strcmp(worker, "0") == 0 ? "leader" : "worker";
}

static const char *role_jobset(const struct skr_pod *pod)
{
    return label_or_null(pod, JOBSET "replicatedjob-name");
}

/* Masters of Kubeflow jobs have both labels. */
static const char *role_mpijob(const struct skr_pod *pod)
{
    return *label(pod, KF "replica-type") ? NULL : label_or_null(pod, KF "job-role");
}

static const char *role_kubeflow(const struct skr_pod *pod)
{
    return label_or_null(pod, KF "replica-type");
}

static const char *role_raycluster(const struct skr_pod *pod)
{
    const char *type = label(pod, RAY "node-type");
    return strcmp(type, "head") == 0 ? type : label_or_null(pod, RAY "group");
}

static const struct row {
    const char *name;       /* of derive.kinds */
    const char *owner_kind; /* of the object with the size; "": the row sets it */
    const char *prefix;     /* of the group's name */
    read_row *read;
    role_row *role;      /* NULL: its pods are all alike */
    const char *set;     /* the label that numbers sets of roles; NULL: there are none */
    const char *between; /* skr_workload_kind_between() */
} rows[] = {
    [SKR_WORKLOAD_LWS] = {"LeaderWorkerSet", "LeaderWorkerSet", "lws", read_lws, role_lws,
                          LWS "group-index", "StatefulSet"},
    [SKR_WORKLOAD_JOBSET] = {"JobSet", "JobSet", "jobset", read_jobset, role_jobset,
                             JOBSET "job-index", ""},
    [SKR_WORKLOAD_MPIJOB] = {"MPIJob", "MPIJob", "mpijob", read_mpijob, role_mpijob, NULL, "Job"},
    [SKR_WORKLOAD_KUBEFLOW] = {"KubeflowJob", "", "", read_kubeflow, role_kubeflow, NULL, ""},
    [SKR_WORKLOAD_RAYCLUSTER] = {"RayCluster", "RayCluster", "raycluster", read_raycluster,
                                 role_raycluster, NULL, ""},
    [SKR_WORKLOAD_SPARK] = {"Spark", "", "spark", read_spark, NULL, NULL, ""},
    [SKR_WORKLOAD_JOB] = {"Job", "Job", "job", read_job, NULL, NULL, ""},
    [SKR_WORKLOAD_STATEFULSET] = {"StatefulSet", "StatefulSet", "statefulset", read_statefulset,
                                  NULL, NULL, ""},
    [SKR_WORKLOAD_KUEUE] = {"KueuePodGroup", "", "kueue", read_kueue, NULL, NULL, ""},
    [SKR_WORKLOAD_OTHER] = {"other", "", "", read_other, NULL, NULL, ""},
};
_Static_assert(sizeof rows / sizeof rows[0] == SKR_WORKLOAD_COUNT, "a row per kind");

enum skr_workload_kind skr_workload_kind_find(const char *name)
{
    size_t i = 0;
    if (strcmp(name, "TrainJob") == 0) {
        return SKR_WORKLOAD_JOBSET;
    }
    while (i < SKR_WORKLOAD_COUNT && strcmp(rows[i].name, name) != 0) {
        i++;
    }
    return (enum skr_workload_kind)i;
}

static int add_kind(const char *name, uint32_t *ret, struct skr_error *error)
{
    const char *candidate[SKR_WORKLOAD_COUNT];
    const enum skr_workload_kind kind = skr_workload_kind_find(name);
    for (size_t i = 0; i < SKR_WORKLOAD_OTHER; i++) {
        candidate[i] = rows[i].name;
    }
    if (kind < SKR_WORKLOAD_OTHER) {
        *ret |= UINT32_C(1) << kind;
        return 0;
    }
    const char *near = skr_suggest(name, candidate, SKR_WORKLOAD_OTHER);
    return skr_error_set(error, SKR_INVALID, "\"%.64s\" is not a kind of workload%s%s%s", name,
                         near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

int skr_workload_kinds_parse(const char *text, uint32_t *ret, struct skr_error *error)
{
    uint32_t bits = 0;
    int rc = 0;
    while (rc == 0 && *(text += strspn(text, " ,"))) {
        char name[65];
        const size_t n = strcspn(text, " ,");
        snprintf(name, sizeof name, "%.*s", (int)(n < 64 ? n : 64), text);
        rc = add_kind(name, &bits, error);
        text += n;
    }
    if (rc == 0) {
        *ret = bits;
    }
    return rc;
}

bool skr_workload_scope_find(const char *name, enum skr_workload_scope *ret)
{
    static const char *const scope[] = {
        [SKR_SCOPE_AUTO] = "auto",
        [SKR_SCOPE_JOBSET] = "jobset",
        [SKR_SCOPE_REPLICATEDJOB] = "replicatedjob",
        [SKR_SCOPE_JOB] = "job",
        [SKR_SCOPE_LWS] = "lws",
    };
    _Static_assert(sizeof scope / sizeof scope[0] == SKR_SCOPE_COUNT, "a name per scope");
    for (size_t i = 0; i < SKR_SCOPE_COUNT; i++) {
        if (strcmp(name, scope[i]) == 0) {
            *ret = (enum skr_workload_scope)i;
            return true;
        }
    }
    return false;
}

void skr_workload_of(const struct skr_pod *pod, struct skr_workload *ret)
{
    for (size_t i = 0; i < SKR_WORKLOAD_COUNT; i++) {
        *ret = (struct skr_workload){.kind = (enum skr_workload_kind)i,
                                     .owner_kind = rows[i].owner_kind,
                                     .owner = "",
                                     .owner_uid = "",
                                     .part = "",
                                     .number = -1,
                                     .size = -1};
        if (rows[i].read(pod, ret)) {
            return;
        }
    }
}

void skr_workload_deployment_add(const struct skr_pod *pod, struct skr_strbuf *b)
{
    const char *set = controlled_by(pod, "ReplicaSet.apps"),
               *hash = label(pod, "pod-template-hash");
    const size_t n = set ? strlen(set) : 0, n_hash = strlen(hash) + 1;
    if (n_hash > 1 && n > n_hash && set[n - n_hash] == '-' &&
        strcmp(set + n - n_hash + 1, hash) == 0) {
        skr_strbuf_addn(b, set, n - n_hash);
    }
}

const char *skr_workload_kind_between(enum skr_workload_kind kind)
{
    return rows[kind].between;
}

bool skr_workload_makes_again(enum skr_workload_kind kind)
{
    return kind == SKR_WORKLOAD_LWS || kind == SKR_WORKLOAD_RAYCLUSTER ||
           kind == SKR_WORKLOAD_STATEFULSET;
}

bool skr_workload_has_roles(enum skr_workload_kind kind)
{
    return rows[kind].role;
}

const char *skr_workload_role(const struct skr_pod *pod)
{
    const char *role = NULL;
    for (size_t i = 0; !role && i < SKR_WORKLOAD_COUNT; i++) {
        role = rows[i].role ? rows[i].role(pod) : NULL;
    }
    return role;
}

int32_t skr_workload_set(const struct skr_pod *pod)
{
    const char *set = NULL;
    for (size_t i = 0; !set && i < SKR_WORKLOAD_COUNT; i++) {
        set = rows[i].set ? label_or_null(pod, rows[i].set) : NULL;
    }
    return set ? number(set) : -1;
}

/* ---- names ---- */

static void add_lower(struct skr_strbuf *b, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char c = text[i];
        skr_strbuf_addc(b, c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
    }
}

void skr_workload_prefix_add(const char *owner_kind, struct skr_strbuf *b)
{
    const enum skr_workload_kind kind = skr_workload_kind_find(owner_kind);
    const char *prefix = kind < SKR_WORKLOAD_OTHER ? rows[kind].prefix : "";
    if (*prefix) {
        skr_strbuf_add(b, prefix);
    } else {
        add_lower(b, owner_kind, strlen(owner_kind));
    }
}

static void add_controller(const struct skr_pod *pod, struct skr_strbuf *b)
{
    const char *slash = strchr(pod->controller, '/');
    if (!slash) {
        skr_strbuf_addf(b, "pod/%s", pod->meta.name);
        return;
    }
    add_lower(b, pod->controller, (size_t)(slash - pod->controller));
    skr_strbuf_add(b, slash);
}

static void add_jobset(const struct skr_workload *w, enum skr_workload_scope scope,
                       struct skr_strbuf *b)
{
    if (scope == SKR_SCOPE_REPLICATEDJOB || scope == SKR_SCOPE_JOB) {
        skr_strbuf_addf(b, "/%s", w->part);
    }
    if (scope == SKR_SCOPE_JOB) {
        skr_strbuf_addf(b, "/%d", (int)w->number);
    }
}

void skr_workload_name_add(const struct skr_pod *pod, const struct skr_workload *w,
                           enum skr_workload_scope scope, struct skr_strbuf *b)
{
    if (w->kind == SKR_WORKLOAD_OTHER) {
        add_controller(pod, b);
        return;
    }
    if (w->kind == SKR_WORKLOAD_SPARK) {
        skr_strbuf_addf(b, "%s/%s", rows[w->kind].prefix, label(pod, "spark-app-selector"));
        return;
    }
    skr_workload_prefix_add(*w->owner_kind ? w->owner_kind : rows[w->kind].name, b);
    skr_strbuf_addf(b, "/%s", w->owner);
    if (w->kind == SKR_WORKLOAD_JOBSET) {
        add_jobset(w, w->alone ? SKR_SCOPE_REPLICATEDJOB : scope, b);
    } else if (w->kind == SKR_WORKLOAD_LWS && scope != SKR_SCOPE_LWS) {
        skr_strbuf_addf(b, "/%d", (int)w->number);
    }
}

void skr_workload_source_add(const struct skr_pod *pod, const struct skr_workload *w,
                             enum skr_workload_scope scope, struct skr_strbuf *b)
{
    SKR_STRBUF(name);
    const bool other = w->kind == SKR_WORKLOAD_OTHER;
    if (other && *pod->controller) {
        skr_strbuf_add(b, pod->controller);
        return;
    }
    if (w->kind == SKR_WORKLOAD_SPARK &&
        *w->owner) { /* which the name of the group does not have */
        skr_strbuf_addf(b, "%s/%s", w->owner_kind, w->owner);
        return;
    }
    skr_workload_name_add(pod, w, scope, &name);
    skr_strbuf_add(b, other ? "Pod" : *w->owner_kind ? w->owner_kind : rows[w->kind].name);
    skr_strbuf_add(b, strchr(name.s, '/'));
}

/* A JobSet that is made again begins its attempts again. */
static void add_attempt(const struct skr_pod *pod, struct skr_strbuf *b)
{
    skr_strbuf_addf(b, "%s/%s", label(pod, JOBSET "jobset-uid"),
                    label(pod, JOBSET "restart-attempt"));
}

void skr_workload_generation_add(const struct skr_pod *pod, const struct skr_workload *w,
                                 const char *above, struct skr_strbuf *b)
{
    switch (w->kind) {
    case SKR_WORKLOAD_JOBSET:
        add_attempt(pod, b);
        return;
    case SKR_WORKLOAD_LWS:
        skr_strbuf_add(b, strcmp(label(pod, LWS "worker-index"), "0") == 0 ? pod->meta.uid : above);
        return;
    case SKR_WORKLOAD_MPIJOB: /* its launcher belongs to a Job of its own */
        skr_strbuf_add(b, controlled_by(pod, "MPIJob.kubeflow.org") ? pod->controller_uid : above);
        return;
    case SKR_WORKLOAD_SPARK:
    case SKR_WORKLOAD_KUEUE:
        return;
    case SKR_WORKLOAD_KUBEFLOW:
    case SKR_WORKLOAD_RAYCLUSTER:
    case SKR_WORKLOAD_JOB:
    case SKR_WORKLOAD_STATEFULSET:
    case SKR_WORKLOAD_OTHER:
    case SKR_WORKLOAD_COUNT:
    default:
        skr_strbuf_add(b, pod->controller_uid);
    }
}
