/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sizes of workloads from their objects. Sums are saturated at INT32_MAX, which is beyond the size
 * of any group, so a group of such an owner is refused with its number.
 */
#include "core/group/owner.h"

#include <stdlib.h>
#include <string.h>

#include "core/pod/rules.h"
#include "topology/fields.h"

#define JOBSET_EXCLUSIVE "alpha.jobset.sigs.k8s.io/exclusive-topology"
#define JOBSET_SELECTOR  "alpha.jobset.sigs.k8s.io/node-selector"
#define LWS_EXCLUSIVE    "leaderworkerset.sigs.k8s.io/exclusive-topology"

static int32_t at_least(int32_t value, int32_t least)
{
    return value < least ? least : value;
}

static void add_part(struct skr_owner *owner, const char *name, int32_t jobs, int32_t pods)
{
    owner->part[owner->n_parts++] = (struct skr_owner_part){.name = name,
                                                            .jobs = at_least(jobs, 0),
                                                            .pods = at_least(pods, 0),
                                                            .completions = INT32_MAX};
}

/* Room for n parts; false behind an error. */
static bool make_room(struct skr_owner *owner, const struct skr_fields *json, size_t n)
{
    owner->part = skr_fields_room(json, n, sizeof *owner->part);
    return owner->part;
}

/* The value of an annotation is its user's text, not ours: its presence alone counts. */
static bool has_annotation(const struct skr_fields *object, const char *key)
{
    const struct skr_fields metadata = skr_fields_object(object, "metadata");
    const struct skr_fields annotations = skr_fields_object(&metadata, "annotations");
    return skr_fields_has(&annotations, key);
}

enum { CONDITIONS_MAX = 256 /* of all writers */ };

/* Whether its controller has written that it is over, well or not. */
static bool is_over(const struct skr_fields *object)
{
    static const char *const types[] = {"Complete", "Completed", "Failed", "Succeeded"};
    const struct skr_fields status = skr_fields_object(object, "status");
    const struct skr_fields list = skr_fields_list(&status, "conditions", CONDITIONS_MAX);
    bool over = false;
    for (size_t i = 0; !over && skr_fields_more(&list, i); i++) {
        const struct skr_fields one = skr_fields_entry(&list, i);
        const char *type = skr_fields_word(&one, "type");
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            over = over || strcmp(type, types[k]) == 0;
        }
        over = over && strcmp(skr_fields_word(&one, "status"), "True") == 0;
    }
    return over;
}

/* ---- Job, Deployment, StatefulSet ---- */

enum { REFERENCES_MAX = 64 };

static const char *controller_of(const struct skr_fields *object)
{
    const struct skr_fields metadata = skr_fields_object(object, "metadata");
    const struct skr_fields owners = skr_fields_list(&metadata, "ownerReferences", REFERENCES_MAX);
    for (size_t i = 0; skr_fields_more(&owners, i); i++) {
        const struct skr_fields one = skr_fields_entry(&owners, i);
        if (skr_fields_bool(&one, "controller")) {
            return skr_fields_text(&one, "uid");
        }
    }
    return "";
}

/* The number of indexes in "1,3-5"; what follows a part of another form is not counted. */
static int64_t indexes_in(const char *text)
{
    int64_t n = 0;
    for (char *end; *text >= '0' && *text <= '9'; text = *end == ',' ? end + 1 : "") {
        const long long first = strtoll(text, &end, 10);
        const long long last = *end == '-' ? strtoll(end + 1, &end, 10) : first;
        if (first > INT32_MAX || last > INT32_MAX || last < first) {
            break;
        }
        n += last - first + 1;
    }
    return n;
}

/* Completions that are still possible: a Job with backoffLimitPerIndex makes no pod more for an index
 * that has failed for good. -1: any number. */
static int64_t job_possible(const struct skr_fields *spec, const struct skr_fields *status)
{
    const bool one = !skr_fields_has(spec, "parallelism"); /* without both it is a Job of one pod */
    const int32_t completions = skr_fields_int32(spec, "completions", one ? 1 : -1);
    const int64_t failed = indexes_in(skr_fields_text(status, "failedIndexes"));
    return completions < 0 ? -1 : completions > failed ? completions - failed : 0;
}

/* Members of a Job that can run at one time. */
static int32_t job_pods(const struct skr_fields *spec, const struct skr_fields *status)
{
    const int32_t parallelism = skr_fields_int32(spec, "parallelism", 1);
    const int64_t possible = job_possible(spec, status);
    return possible >= 0 && possible < parallelism ? (int32_t)possible : parallelism;
}

#define JOB_CONTROLLER "kubernetes.io/job-controller"

/* The Job controller leaves Jobs of another manager alone, and pods that the selector does not take in
 * (Kubernetes pkg/controller/job, managedByExternalController and ClaimPods). */
static void read_control(struct skr_owner *owner, const struct skr_fields *json,
                         const struct skr_fields *spec)
{
    const char *manager = skr_fields_text(spec, "managedBy");
    const struct skr_fields selector = skr_fields_object(spec, "selector");
    owner->foreign = *manager && strcmp(manager, JOB_CONTROLLER) != 0;
    owner->has_selector = skr_fields_has(spec, "selector");
    if (owner->has_selector && json->decoding->rc == 0) {
        skr_fields_note(json,
                        skr_pod_selector_decode(owner->arena, selector.json, owner->meta.namespace_,
                                                &owner->selector, json->decoding->error));
    }
}

bool skr_owner_manages(const struct skr_owner *job, const char *controller_uid,
                       const struct skr_meta *pod)
{
    return !job->foreign && strcmp(job->meta.uid, controller_uid) == 0 &&
           (!job->has_selector || skr_pod_rule_selects(&job->selector, pod));
}

bool skr_owner_has_deadline(const struct skr_owner *job)
{
    return job->deadline_s > 0 && !job->stopped && !job->over;
}

static void fill_job(void *object, const struct skr_fields *json)
{
    struct skr_owner *owner = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields status = skr_fields_object(json, "status");
    bool is_set;
    owner->succeeded = at_least(skr_fields_int32(&status, "succeeded", 0), 0);
    owner->deadline_s = skr_fields_int64(&spec, "activeDeadlineSeconds", 0);
    owner->started = skr_fields_time(&status, "startTime", &is_set);
    if (owner->deadline_s > 0) {
        read_control(owner, json, &spec);
    }
    owner->above = controller_of(json);
    owner->over = is_over(json);
    owner->parts = skr_fields_int32(&spec, "completions", INT32_MAX) <
                           skr_fields_int32(&spec, "parallelism", 1)
                       ? "completions"
                       : "parallelism";
    if (make_room(owner, json, 1)) {
        const int64_t possible = job_possible(&spec, &status);
        add_part(owner, "", 1, job_pods(&spec, &status));
        owner->part->completions = possible < 0 ? INT32_MAX : (int32_t)possible;
        owner->part->never =
            at_least(skr_fields_int32(&spec, "parallelism", 1), 0) - owner->part->pods;
    }
}

static void fill_deployment(void *object, const struct skr_fields *json)
{
    struct skr_owner *owner = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    owner->parts = "replicas";
    if (make_room(owner, json, 1)) {
        add_part(owner, "", 1, skr_fields_int32(&spec, "replicas", 1));
    }
}

static void fill_statefulset(void *object, const struct skr_fields *json)
{
    struct skr_owner *owner = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    fill_deployment(object, json);
    owner->above = controller_of(json);
    if (strcmp(skr_fields_word(&spec, "podManagementPolicy"), "Parallel") != 0) {
        owner->conflict = "its pods are created one after the other: set spec.podManagementPolicy "
                          "to Parallel";
    }
}

/* ---- JobSet, LeaderWorkerSet ---- */

#define EXCLUSIVE_CONFLICT                                                                       \
    "annotation " JOBSET_EXCLUSIVE " lets workers exist only after their leader is bound: take " \
    "it away, or add " JOBSET_SELECTOR

static bool is_exclusive(const struct skr_fields *object)
{
    return has_annotation(object, JOBSET_EXCLUSIVE) && !has_annotation(object, JOBSET_SELECTOR);
}

static void add_replicated_job(struct skr_owner *owner, const struct skr_fields *job)
{
    const struct skr_fields template = skr_fields_object(job, "template");
    const struct skr_fields spec = skr_fields_object(&template, "spec");
    const struct skr_fields none = skr_fields_object(&template, "status");
    const struct skr_fields depends = skr_fields_list(job, "dependsOn", SKR_OWNER_PARTS_MAX);
    owner->in_order = owner->in_order || depends.n > 0;
    add_part(owner, skr_fields_text(job, "name"), skr_fields_int32(job, "replicas", 1),
             job_pods(&spec, &none));
    const int64_t possible = job_possible(&spec, &none);
    owner->part[owner->n_parts - 1].completions = possible < 0 ? INT32_MAX : (int32_t)possible;
    owner->part[owner->n_parts - 1].exclusive = is_exclusive(&template);
}

static void fill_jobset(void *object, const struct skr_fields *json)
{
    struct skr_owner *owner = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields startup = skr_fields_object(&spec, "startupPolicy");
    const struct skr_fields jobs = skr_fields_list(&spec, "replicatedJobs", SKR_OWNER_PARTS_MAX);
    owner->parts = "replicatedJobs";
    owner->over = is_over(json);
    owner->in_order = strcmp(skr_fields_word(&startup, "startupPolicyOrder"), "InOrder") == 0;
    owner->conflict = is_exclusive(json) ? EXCLUSIVE_CONFLICT : NULL;
    if (!make_room(owner, json, jobs.n)) {
        return;
    }
    for (size_t i = 0; skr_fields_more(&jobs, i); i++) {
        const struct skr_fields job = skr_fields_entry(&jobs, i);
        add_replicated_job(owner, &job);
    }
}

static void fill_lws(void *object, const struct skr_fields *json)
{
    struct skr_owner *owner = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields template = skr_fields_object(&spec, "leaderWorkerTemplate");
    owner->parts = "leaderWorkerTemplate.size";
    owner->leader_first = strcmp(skr_fields_word(&spec, "startupPolicy"), "LeaderReady") == 0;
    if (has_annotation(json, LWS_EXCLUSIVE)) {
        owner->conflict = "annotation " LWS_EXCLUSIVE " lets workers exist only after their leader "
                          "is bound: take it away";
    }
    if (make_room(owner, json, 1)) {
        add_part(owner, "", skr_fields_int32(&spec, "replicas", 1),
                 skr_fields_int32(&template, "size", 1));
    }
}

/* ---- replicas by type: Kubeflow and MPI ---- */

static int32_t min_available(const struct skr_fields *spec)
{
    const struct skr_fields run = skr_fields_object(spec, "runPolicy");
    const struct skr_fields policy = skr_fields_object(&run, "schedulingPolicy");
    return skr_fields_int32(&policy, "minAvailable", 0);
}

static void add_replica_specs(struct skr_owner *owner, const struct skr_fields *specs)
{
    const char *type;
    json_t *value;
    json_object_foreach(specs->json, type, value)
    {
        if (owner->n_parts == SKR_OWNER_PARTS_MAX) {
            skr_fields_fail(specs, NULL, SKR_LIMIT, "more than %d types of replicas",
                            (int)SKR_OWNER_PARTS_MAX);
            return;
        }
        const struct skr_fields one = skr_fields_object(specs, type);
        add_part(owner, skr_fields_copy(specs, type), 1, skr_fields_int32(&one, "replicas", 1));
    }
}

static void fill_replicas(void *object, const struct skr_fields *json, const char *key)
{
    struct skr_owner *owner = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields specs = skr_fields_object(&spec, key);
    owner->minimum = min_available(&spec);
    owner->over = is_over(json);
    owner->parts = owner->minimum > 0 ? "runPolicy.schedulingPolicy.minAvailable" : key;
    if (make_room(owner, json, SKR_OWNER_PARTS_MAX)) {
        add_replica_specs(owner, &specs);
    }
}

/* If the launcher waits for running workers, it cannot be there before they are bound. */
static void fill_mpijob(void *object, const struct skr_fields *json)
{
    struct skr_owner *owner = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const char *policy = skr_fields_word(&spec, "launcherCreationPolicy");
    const bool late = strcmp(policy, "WaitForWorkersReady") == 0;
    fill_replicas(object, json, "mpiReplicaSpecs");
    for (size_t i = 0; late && i < owner->n_parts; i++) {
        if (strcmp(owner->part[i].name, "Launcher") == 0) {
            owner->part[i].pods = 0;
        }
    }
}

/* ---- RayCluster, SparkApplication ---- */

/* The operator keeps replicas between minReplicas and maxReplicas, the latter winning
 * (GetWorkerGroupDesiredReplicas). */
static void fill_raycluster(void *object, const struct skr_fields *json)
{
    struct skr_owner *owner = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const bool scales = skr_fields_bool(&spec, "enableInTreeAutoscaling");
    const struct skr_fields groups =
        skr_fields_list(&spec, "workerGroupSpecs", SKR_OWNER_PARTS_MAX - 1);
    owner->parts = "workerGroupSpecs";
    if (!make_room(owner, json, groups.n + 1)) {
        return;
    }
    add_part(owner, "headgroup", 1, 1);
    for (size_t i = 0; skr_fields_more(&groups, i); i++) {
        const struct skr_fields g = skr_fields_entry(&groups, i);
        const int32_t least = skr_fields_int32(&g, "minReplicas", 0);
        const int32_t most = skr_fields_int32(&g, "maxReplicas", INT32_MAX);
        const int32_t asked = scales ? least : skr_fields_int32(&g, "replicas", least);
        const int32_t wanted = at_least(asked, least);
        const int32_t replicas = wanted < most ? wanted : most;
        add_part(owner, skr_fields_text(&g, "groupName"),
                 skr_fields_bool(&g, "suspend") ? 0 : replicas,
                 skr_fields_int32(&g, "numOfHosts", 1));
    }
}

static void fill_spark(void *object, const struct skr_fields *json)
{
    struct skr_owner *owner = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields executor = skr_fields_object(&spec, "executor");
    const struct skr_fields dynamic = skr_fields_object(&spec, "dynamicAllocation");
    owner->parts = "executor.instances";
    if (make_room(owner, json, 1)) {
        add_part(
            owner, "", 1,
            skr_fields_bool(&dynamic, "enabled") ? 1 : skr_fields_int32(&executor, "instances", 1));
    }
}

/* ---- all ---- */

static const json_t *below(const json_t *json, const char *key, const char *then)
{
    return json_object_get(json_object_get(json, key), then);
}

/* Kubeflow's jobs are suspended in their run policy. A SparkApplication says its end in a state, the
 * others by a condition: is_over(). */
static bool is_stopped(const json_t *json)
{
    const json_t *application = below(json, "status", "applicationState");
    const char *state = json_string_value(json_object_get(application, "state"));
    const bool ended = state && (strcmp(state, "COMPLETED") == 0 || strcmp(state, "FAILED") == 0);
    return ended || json_is_true(below(json, "spec", "suspend")) ||
           json_is_true(json_object_get(below(json, "spec", "runPolicy"), "suspend"));
}

static int decode(const json_t *json, const char *api_version, const char *kind,
                  skr_object_fill *fill, struct skr_owner **ret, struct skr_error *error)
{
    void *object = NULL;
    const int rc = skr_object_decode(json, kind, sizeof **ret, fill, &object, error);
    if (rc == 0) {
        *ret = object;
        (*ret)->kind = kind;
        (*ret)->api_version = api_version;
        (*ret)->stopped = is_stopped(json);
        (*ret)->above = (*ret)->above ? (*ret)->above : "";
    }
    return rc;
}

#define DECODER(name, fill, api_version, kind)                                \
    int skr_owner_##name##_decode(const json_t *json, struct skr_owner **ret, \
                                  struct skr_error *error)                    \
    {                                                                         \
        return decode(json, api_version, kind, fill, ret, error);             \
    }

/* A kind that is replicas by type, at that key. */
#define REPLICAS(name, key, kind)                                        \
    static void fill_##name(void *object, const struct skr_fields *json) \
    {                                                                    \
        fill_replicas(object, json, key);                                \
    }                                                                    \
    DECODER(name, fill_##name, "kubeflow.org/v1", kind)

DECODER(job, fill_job, "batch/v1", "Job")
DECODER(deployment, fill_deployment, "apps/v1", "Deployment")
DECODER(statefulset, fill_statefulset, "apps/v1", "StatefulSet")
DECODER(jobset, fill_jobset, "jobset.x-k8s.io/v1alpha2", "JobSet")
DECODER(lws, fill_lws, "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet")
DECODER(mpijob, fill_mpijob, "kubeflow.org/v2beta1", "MPIJob")
DECODER(mpijob_v1, fill_mpijob, "kubeflow.org/v1", "MPIJob")
REPLICAS(pytorchjob, "pytorchReplicaSpecs", "PyTorchJob")
REPLICAS(tfjob, "tfReplicaSpecs", "TFJob")
REPLICAS(xgboostjob, "xgbReplicaSpecs", "XGBoostJob")
REPLICAS(paddlejob, "paddleReplicaSpecs", "PaddleJob")
REPLICAS(jaxjob, "jaxReplicaSpecs", "JAXJob")
DECODER(raycluster, fill_raycluster, "ray.io/v1", "RayCluster")
DECODER(spark, fill_spark, "sparkoperator.k8s.io/v1beta2", "SparkApplication")

static void fill_nothing(void *object, const struct skr_fields *json)
{
    (void)object;
    (void)json;
}

int skr_owner_broken_decode(const json_t *json, const char *api_version, const char *kind,
                            struct skr_owner **ret, const struct skr_error *error)
{
    struct skr_owner *owner = NULL;
    const int rc = decode(json, api_version, kind, fill_nothing, &owner, NULL);
    const char *defect = rc == 0 ? skr_arena_strdup(owner->arena, error->text) : NULL;
    if (!defect) {
        skr_owner_destroy(owner);
        return -(int)error->code;
    }
    owner->defect = defect;
    *ret = owner;
    return 0;
}

void skr_owner_destroy(struct skr_owner *owner)
{
    skr_object_destroy(owner);
}

/* ---- sizes ---- */

static bool is_of(const struct skr_owner_part *part, const struct skr_workload *w,
                  enum skr_workload_scope scope)
{
    const bool narrow = scope == SKR_SCOPE_REPLICATEDJOB || scope == SKR_SCOPE_JOB;
    return w->kind != SKR_WORKLOAD_JOBSET || !narrow || strcmp(part->name, w->part) == 0;
}

const char *skr_owner_conflict(const struct skr_owner *owner, const struct skr_workload *w,
                               enum skr_workload_scope scope)
{
    const char *conflict = owner->conflict;
    for (size_t i = 0; i < owner->n_parts && !conflict; i++) {
        conflict = owner->part[i].exclusive && is_of(&owner->part[i], w, scope) ? EXCLUSIVE_CONFLICT
                                                                                : NULL;
    }
    return !conflict && owner->in_order && owner->n_parts > 1 && scope == SKR_SCOPE_JOBSET
               ? "its replicated jobs are created one after the other: replace jobset in "
                 "annotation " SKR_ANNOTATION_GANG " by auto"
               : conflict;
}

/* Jobs of the part, or copies of it, that are in one group. */
static int64_t copies_of(const struct skr_owner_part *part, const struct skr_workload *w,
                         enum skr_workload_scope scope)
{
    const bool one = (w->kind == SKR_WORKLOAD_JOBSET && scope == SKR_SCOPE_JOB) ||
                     (w->kind == SKR_WORKLOAD_LWS && scope != SKR_SCOPE_LWS);
    return one ? 1 : part->jobs;
}

int64_t skr_owner_total(const struct skr_owner *owner, const struct skr_workload *w,
                        enum skr_workload_scope scope)
{
    int64_t sum = 0;
    if (w->alone && w->kind == SKR_WORKLOAD_JOBSET) {
        scope = SKR_SCOPE_REPLICATEDJOB;
    }
    for (size_t i = 0; i < owner->n_parts; i++) {
        if (is_of(&owner->part[i], w, scope)) {
            sum += copies_of(&owner->part[i], w, scope) * owner->part[i].pods;
        }
        sum = sum > INT32_MAX ? INT32_MAX : sum;
    }
    return sum;
}

/* Completions of a job of the part that are to come. A Job without a number of them makes no pod more
 * after the first success. */
static int32_t left_of(const struct skr_owner *owner, const struct skr_owner_part *part,
                       int32_t succeeded, int32_t live)
{
    const int32_t all = at_least(succeeded, owner->succeeded);
    return part->completions < INT32_MAX ? at_least(part->completions - all, 0)
           : all > 0                     ? live
                                         : INT32_MAX;
}

int64_t skr_owner_minimum(const struct skr_owner *owner, const struct skr_workload *w,
                          enum skr_workload_scope scope, bool running)
{
    if (w->kind == SKR_WORKLOAD_KUEUE || (owner && owner->defect)) {
        return w->size > 0 ? w->size : -1;
    }
    if (owner && w->kind == SKR_WORKLOAD_LWS && owner->leader_first && !running) {
        return 1;
    }
    if (w->size > 0 && w->kind == SKR_WORKLOAD_LWS && scope != SKR_SCOPE_LWS) {
        return w->size;
    }
    if (!owner) {
        return -1;
    }
    const int64_t sum = skr_owner_total(owner, w, scope);
    if (owner->minimum > 0) { /* no more than there will be: a launcher may wait for its workers */
        return sum > 0 && sum < owner->minimum ? sum : owner->minimum;
    }
    return sum;
}

bool skr_owner_makes_pods(const struct skr_owner *owner, int32_t number)
{
    int64_t pods = 0;
    if (!owner || owner->meta.deleting || owner->stopped || owner->over) {
        return false;
    }
    for (size_t i = 0; i < owner->n_parts; i++) {
        pods += (int64_t)(owner->part[i].jobs > 0) * owner->part[i].pods;
    }
    return pods > 0 && number < owner->part[0].jobs;
}

static bool has_jobs(const struct skr_owner *owner)
{
    return strcmp(owner->kind, "JobSet") == 0 || strcmp(owner->kind, "Job") == 0;
}

int64_t skr_owner_done(const struct skr_owner *owner, const char *name, int32_t succeeded,
                       int32_t live)
{
    for (size_t i = 0; i < owner->n_parts && has_jobs(owner); i++) {
        const struct skr_owner_part *part = &owner->part[i];
        if (strcmp(part->name, name) == 0) {
            return at_least(part->pods - left_of(owner, part, succeeded, live), 0);
        }
    }
    return has_jobs(owner) ? 0 : succeeded;
}

/* Roles of pods are the types of replicas in lower case. */
static bool is_role(const char *part, const char *role)
{
    while (*part && (*part == *role || (*part >= 'A' && *part <= 'Z' && *part + 32 == *role))) {
        part++;
        role++;
    }
    return !*part && !*role;
}

void skr_owner_size_field_add(const struct skr_owner *owner, const char *role, struct skr_strbuf *b)
{
    const struct skr_owner_part *part = NULL;
    for (size_t i = 0; role && owner->minimum <= 0 && i < owner->n_parts; i++) {
        part = is_role(owner->part[i].name, role) ? &owner->part[i] : part;
    }
    const bool sum = !part && owner->minimum <= 0 && owner->n_parts > 0 && *owner->part[0].name;
    skr_strbuf_addf(b, "%sspec.%s%s%s of %s %s", sum ? "the sum of " : "", owner->parts,
                    part ? "." : "", part ? part->name : "", owner->kind, owner->meta.name);
}

bool skr_owner_equal(const struct skr_owner *a, const struct skr_owner *b)
{
    bool same = !a->defect && !b->defect && a->meta.deleting == b->meta.deleting &&
                a->conflict == b->conflict && a->in_order == b->in_order &&
                a->leader_first == b->leader_first && a->minimum == b->minimum &&
                a->stopped == b->stopped && a->succeeded == b->succeeded && a->over == b->over &&
                a->n_parts == b->n_parts && strcmp(a->above, b->above) == 0 &&
                strcmp(a->meta.uid, b->meta.uid) == 0;
    for (size_t i = 0; same && i < a->n_parts; i++) {
        same = strcmp(a->part[i].name, b->part[i].name) == 0 &&
               a->part[i].exclusive == b->part[i].exclusive &&
               a->part[i].completions == b->part[i].completions &&
               a->part[i].never == b->part[i].never && a->part[i].jobs == b->part[i].jobs &&
               a->part[i].pods == b->part[i].pods;
    }
    return same;
}
