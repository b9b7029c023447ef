/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups that never become whole, by what their pods, workloads and PodGroups say, against an honest gang
 * of another namespace that needs every slot. The gang is bound within as many events as without them,
 * at most twice as many.
 */
#include "test/unit/engine_test.h"

#include <limits.h>

#define GATED    "'schedulingGates':[{'name':'sakkara.gang'}],"
#define ONE_CPU  "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]"
#define LWS      "leaderworkerset.sigs.k8s.io/"
#define FOREVER  "2147483647"
#define HOSTILES 16

enum { SLOTS = 4 };

typedef void attack(struct rig *rig);

static bool is_bound(struct rig *rig)
{
    size_t n = 0;
    for (int i = 0; i < SLOTS; i++) {
        n += *rig_node_of(rig, test_text("b/good-%d", i)) != '\0';
    }
    return n == SLOTS;
}

static void honest_comes(struct rig *rig)
{
    rig_group(rig, "b/good", SLOTS, 0, NULL);
    rig_pods(rig, "b/good", SLOTS, "good", RIG_GATED);
}

struct cost {
    size_t events;
    skr_time time;
};

/* What the honest gang takes to be bound. It comes when the attack has settled, or with it. */
static struct cost cost_of(attack *comes, attack *honest, bool with_it)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig_racks(rig, 1, 2, 2);
    rig_sync(rig);
    if (comes) {
        comes(rig);
    }
    if (!with_it) {
        rig_run(rig, 5 * SKR_SECOND);
    }
    honest(rig);
    const skr_time began = rig->now;
    const size_t before = rig->n_events;
    while (!is_bound(rig) && rig->now < began + 60 * SKR_SECOND) {
        rig_run(rig, SKR_SECOND / 10);
    }
    if (!is_bound(rig)) {
        rig_fail(rig, "the honest gang is not bound");
    }
    return (struct cost){rig->n_events - before, rig->now - began};
}

static void withstands(attack *comes, attack *honest)
{
    const struct cost quiet = cost_of(NULL, honest, false);
    const struct cost after = cost_of(comes, honest, false);
    const struct cost with = cost_of(comes, honest, true);
    assert_true(after.events <= 2 * quiet.events);
    assert_true(after.time <= 2 * quiet.time);
    assert_true(with.time <= quiet.time + SKR_SECOND);
}

/* ---- the other half does not come ---- */

static void map(struct rig *rig, const char *name, const char *roles, const char *constraints)
{
    rig_create_json(rig, RIG_MAP, name,
                    "{'metadata':{'labels':{'sakkara.group':''}},'data':{'name':'%s','roles':'%s',"
                    "'constraints':'%s'}}",
                    strchr(name, '/') + 1, roles, constraints);
}

static void member(struct rig *rig, const char *name, const char *group, const char *role)
{
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{'labels':{'sakkara.group.name':'%s'},'annotations':{"
                    "'sakkara.group.role':'%s'}},'spec':{'schedulerName':'sakkara'," GATED ONE_CPU
                    "}}",
                    group, role);
}

/* roles: as they are in the key; have: the role of which two pods come. */
static void half_groups(struct rig *rig, const char *roles, const char *constraints,
                        const char *have)
{
    for (int i = 0; i < HOSTILES; i++) {
        char name[32], pod[32];
        snprintf(name, sizeof name, "a/half%d", i);
        map(rig, name, roles, constraints);
        for (int k = 0; k < 2; k++) {
            snprintf(pod, sizeof pod, "a/half%d-%d", i, k);
            member(rig, pod, name + 2, have);
        }
    }
}

static void leaders_without_workers(struct rig *rig)
{
    half_groups(rig, "{\\'leader\\':{\\'size\\':2},\\'worker\\':{\\'size\\':2}}", "{}", "leader");
}

static void workers_without_leaders(struct rig *rig)
{
    half_groups(rig, "{\\'leader\\':{\\'size\\':1},\\'worker\\':{\\'size\\':2}}", "{}", "worker");
}

static void sets_without_leaders(struct rig *rig)
{
    half_groups(rig, "{\\'leader\\':{\\'size\\':2},\\'worker\\':{\\'size\\':2}}",
                "{\\'sets\\':[{\\'level\\':\\'rack\\',\\'exclusive\\':true,\\'roles\\':{"
                "\\'leader\\':1,\\'worker\\':1}}]}",
                "worker");
}

/* A minimum of 0 for the workers would let the leaders run, and 100,000 workers are awaited. */
static void roles_of_giant_size(struct rig *rig)
{
    half_groups(rig, "{\\'leader\\':{\\'size\\':2},\\'worker\\':{\\'size\\':99998}}", "{}",
                "leader");
}

TEST(a_half_of_a_group_whose_other_half_never_comes_holds_nothing)
{
    withstands(leaders_without_workers, honest_comes);
    withstands(workers_without_leaders, honest_comes);
    withstands(sets_without_leaders, honest_comes);
    withstands(roles_of_giant_size, honest_comes);
}

/* ---- sizes that never come ---- */

/* A pod of the workload with annotations; its labels and its owner are texts. */
static void workload_pod(struct rig *rig, const char *name, const char *annotations,
                         const char *labels, const char *owner)
{
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{'annotations':{'sakkara.gang':'auto'%s},'labels':{%s}%s},'spec':{"
                    "'schedulerName':'sakkara'," GATED ONE_CPU "}}",
                    annotations, labels, owner);
}

static void giant_claims(struct rig *rig)
{
    for (int i = 0; i < HOSTILES * SLOTS; i++) {
        char name[32], owner[160];
        snprintf(name, sizeof name, "a/claim%d-%d", i / SLOTS, i % SLOTS);
        snprintf(owner, sizeof owner,
                 ",'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet','name':'rs%d',"
                 "'uid':'rs%d','controller':true}]",
                 i / SLOTS, i / SLOTS);
        workload_pod(rig, name,
                     i / SLOTS % 2 ? ",'sakkara.group.size':'100000'"
                                   : ",'sakkara.group.size':'" FOREVER "'",
                     "", owner);
    }
}

static void giant_jobs(struct rig *rig)
{
    for (int i = 0; i < HOSTILES; i++) {
        char job[32], pod[32], owner[200];
        snprintf(job, sizeof job, "a/job%d", i);
        rig_create_json(rig, RIG_JOB, job, "{'spec':{'parallelism':" FOREVER "%s}}",
                        i % 2 ? ",'completions':" FOREVER : "");
        const json_t *meta = json_object_get(rig_find(rig, RIG_JOB, job)->json, "metadata");
        snprintf(owner, sizeof owner,
                 ",'ownerReferences':[{'apiVersion':'batch/v1','kind':'Job','name':'job%d','uid':"
                 "'%s','controller':true}]",
                 i, json_string_value(json_object_get(meta, "uid")));
        for (int k = 0; k < SLOTS; k++) {
            snprintf(pod, sizeof pod, "a/job%d-%d", i, k);
            workload_pod(rig, pod, "", "", owner);
        }
    }
}

/* 2^31-1 replicas of 2^31-1 pods, 64 times. */
static void giant_jobsets(struct rig *rig)
{
    SKR_STRBUF(jobs);
    for (int i = 0; i < 64; i++) {
        skr_strbuf_addf(&jobs,
                        "%s{'name':'w%d','replicas':" FOREVER ",'template':{'spec':{"
                        "'parallelism':" FOREVER ",'completions':" FOREVER "}}}",
                        i > 0 ? "," : "", i);
    }
    for (int i = 0; i < HOSTILES; i++) {
        char name[32], pod[32], labels[200];
        snprintf(name, sizeof name, "a/set%d", i);
        rig_create_json(rig, RIG_JOBSET, name, "{'spec':{'replicatedJobs':[%s]}}", jobs.s);
        snprintf(labels, sizeof labels,
                 "'jobset.sigs.k8s.io/jobset-name':'set%d','jobset.sigs.k8s.io/replicatedjob-name':"
                 "'w0','jobset.sigs.k8s.io/job-index':'" FOREVER "'",
                 i);
        for (int k = 0; k < SLOTS; k++) {
            snprintf(pod, sizeof pod, "a/set%d-%d", i, k);
            workload_pod(rig, pod, "", labels, "");
        }
    }
}

static void lws_pod(struct rig *rig, const char *name, const char *set, int worker,
                    const char *size)
{
    char annotations[200], labels[400];
    snprintf(annotations, sizeof annotations, ",'" LWS "size':'%s','" LWS "leader-name':'good-0'",
             size);
    snprintf(labels, sizeof labels,
             "'" LWS "name':'%s','" LWS "group-index':'0','" LWS "worker-index':'%d','" LWS
             "group-key':'one'",
             set, worker);
    workload_pod(rig, name, annotations, labels, "");
}

/* A leader that says how many workers follow it. */
static void giant_leaders(struct rig *rig)
{
    static const char *const size[] = {FOREVER, "100000", "99999999999999999999", "-1", "3"};
    for (int i = 0; i < HOSTILES; i++) {
        char pod[32];
        snprintf(pod, sizeof pod, "a/lws%d-0", i);
        lws_pod(rig, pod, pod + 2, 0, size[(size_t)i % (sizeof size / sizeof *size)]);
    }
}

TEST(sizes_that_never_come_hold_nothing)
{
    withstands(giant_claims, honest_comes);
    withstands(giant_jobs, honest_comes);
    withstands(giant_jobsets, honest_comes);
    withstands(giant_leaders, honest_comes);
}

/* ---- PodGroups of Kubernetes ---- */

static void native_pods(struct rig *rig, const char *prefix, int n, const char *group)
{
    for (int i = 0; i < n; i++) {
        rig_create_json(rig, RIG_POD, test_text("%s-%d", prefix, i),
                        "{'metadata':{},'spec':{'schedulerName':'sakkara','schedulingGroup':{"
                        "'podGroupName':'%s'}," GATED ONE_CPU "}}",
                        group);
    }
}

/* The first ones have pods, a quarter has a priority beyond all. */
static void giant_podgroups(struct rig *rig)
{
    for (int i = 0; i < 500; i++) {
        char name[32];
        snprintf(name, sizeof name, "a/pg%d", i);
        rig_create_json(rig, RIG_NATIVE, name,
                        "{'metadata':{},'spec':{'schedulingPolicy':{'gang':{'minCount':%d}}}}",
                        i % 2 ? INT_MAX : 100000 - i);
        if (i < HOSTILES) {
            native_pods(rig, name, SLOTS, name + 2);
        }
    }
}

/* Pods of PodGroups that do not exist: each name is another group. */
static void pods_of_no_podgroup(struct rig *rig)
{
    for (int i = 0; i < 100; i++) {
        char name[32];
        snprintf(name, sizeof name, "a/lost%d", i);
        native_pods(rig, name, 1, name + 2);
    }
}

TEST(podgroups_that_never_come_whole_hold_nothing)
{
    withstands(giant_podgroups, honest_comes);
    withstands(pods_of_no_podgroup, honest_comes);
}

/* ---- pods that say that they are of another tenant's workload ---- */

static void honest_lws_comes(struct rig *rig)
{
    for (int i = 0; i < SLOTS; i++) {
        lws_pod(rig, test_text("b/good-%d", i), "serve", i, "4");
    }
}

/* Its names, keys and indices, one pod too few, and another size. */
static void forged_workers(struct rig *rig)
{
    for (int i = 0; i < SLOTS * HOSTILES; i++) {
        lws_pod(rig, test_text("a/good-%d", i), "serve", i, "100000");
    }
}

TEST(a_pod_that_names_the_workload_of_another_namespace_is_not_of_it)
{
    withstands(forged_workers, honest_lws_comes);
}

/* ---- a claim that names its node ---- */

static bool is_at_selected(void *context, const struct skr_pod *pod, const char *node)
{
    (void)context;
    return strncmp(pod->meta.name, "late", 4) != 0 || strcmp(node, "node-2") == 0;
}

/* Annotation volume.kubernetes.io/selected-node of a claim: kube-scheduler passes that node alone, and waits
 * there for a provisioner that does not come. The daemon reads no claims: the pod holds room on that node, and
 * none elsewhere. Two such pods fit on it. */
TEST(a_claim_that_names_a_node_holds_room_on_that_node_alone_and_until_its_deadline)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig->in_tree = is_at_selected;
    rig_racks(rig, 1, 3, 2);
    rig_claim(rig, "a/never", RIG_CLAIM_LATE);
    rig_sync(rig);
    for (int i = 0; i < HOSTILES; i++) {
        char pod[32];
        snprintf(pod, sizeof pod, "a/late-%d", i);
        rig_pod(rig, pod, NULL, 0);
        rig_edit(
            rig, RIG_POD, pod,
            "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'never'}}]}}");
    }
    rig_run(rig, SKR_SECOND);
    honest_comes(rig);
    rig_run(rig, SKR_SECOND);
    assert_true(is_bound(rig));
    rig_group(rig, "b/next", 2, 0, NULL);
    rig_pods(rig, "b/next", 2, "next", RIG_GATED);
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "b/next-0"),
                        ""); /* the node is full, for kube-scheduler too */
    for (int i = 0; i < HOSTILES; i++) {
        rig_remove(rig, test_text("a/late-%d", i));
    }
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "b/next-0"), "node-2");
    assert_string_equal(rig_node_of(rig, "b/next-1"), "node-2");
}
