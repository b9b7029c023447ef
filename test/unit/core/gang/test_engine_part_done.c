/* SPDX-License-Identifier: Apache-2.0 */
/* Gangs of which a part has Succeeded: what is left of them is placed, whatever says their size. */
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "topology/base/json_field.h"

#include <string.h>

#define ANNOTATED "'annotations':{'sakkara.gang':'auto','sakkara.group.size':'4'}"

/* What says that the group has four members, and how a pod names it. */
static const struct way {
    const char *name;
    int kind; /* enum rig_kind of its object; -1: there is none */
    const char *object, *metadata, *spec;
} way[] = {
    {"a group map", RIG_MAP,
     "{'metadata':{'labels':{'sakkara.group':''}},'data':{'name':'g','size':'4'}}",
     "'labels':{'sakkara.group.name':'g'}", ""},
    {"a minimum", RIG_MAP,
     "{'metadata':{'labels':{'sakkara.group':''}},'data':{'name':'g','size':'6','minimum':'4'}}",
     "'labels':{'sakkara.group.name':'g'}", ""},
    {"a PodGroup of coscheduling", RIG_PODGROUP, "{'metadata':{},'spec':{'minMember':4}}",
     "'labels':{'scheduling.x-k8s.io/pod-group':'g'}", ""},
    {"a PodGroup of Kubernetes", RIG_NATIVE,
     "{'metadata':{},'spec':{'schedulingPolicy':{'gang':{'minCount':4}}}}", "'labels':{}",
     "'schedulingGroup':{'podGroupName':'g'},"},
    {"labels alone", -1, "", "'labels':{'sakkara.group.name':'g','sakkara.group.size':'4'}", ""},
    {"annotation sakkara.group.size", -1, "", ANNOTATED, ""},
};
enum { WAYS = sizeof way / sizeof way[0] };

static const char *uid_of(const struct rig *rig, const char *name)
{
    const struct rig_object *o = rig_find(rig, RIG_JOB, name);
    return o ? skr_object_text(json_object_get(o->json, "metadata"), "uid") : name;
}

/* Pods prefix-first .. of a controller: kind and apiVersion, name, uid. */
static void add(struct rig *rig, const struct way *w, const char *prefix, int first, int n,
                const char *controller, const char *name)
{
    for (int i = first; i < first + n; i++) {
        rig_create_json(
            rig, RIG_POD, test_text("%s-%d", prefix, i),
            "{'metadata':{%s,'ownerReferences':[{%s,'name':'%s','uid':'%s','controller':true}]},"
            "'spec':{'schedulerName':'sakkara',%s'schedulingGates':[{'name':'sakkara.gang'}],"
            "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
            w->metadata, controller, name, uid_of(rig, name), w->spec);
    }
}

#define OF_JOB     "'apiVersion':'batch/v1','kind':'Job'"
#define OF_PYTORCH "'apiVersion':'kubeflow.org/v1','kind':'PyTorchJob'"

static struct rig *cluster(const struct way *w)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.label_fallback = true;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 2, 2, 4);
    if (w->kind >= 0) {
        rig_create_json(rig, (enum rig_kind)w->kind, "g", "%s", w->object);
    }
    rig_sync(rig);
    return rig;
}

/* A Job "train" whose four pods run. completions NULL: as many as pods. */
static struct rig *running(const struct way *w, const char *completions)
{
    struct rig *rig = cluster(w);
    rig_create_json(rig, RIG_JOB, "train", "{'spec':{'parallelism':4%s%s}}",
                    completions ? ",'completions':" : "", completions ? completions : "");
    add(rig, w, "p", 0, 4, OF_JOB, "train");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 4);
    return rig;
}

static void end(struct rig *rig, int first, int n, const char *phase)
{
    for (int i = first; i < first + n; i++) {
        rig_phase(rig, test_text("p-%d", i), phase);
    }
    rig_run(rig, SKR_SECOND);
}

static void assert_runs(struct rig *rig, const char *pod, const struct way *w)
{
    if (!*rig_node_of(rig, pod)) {
        fail_msg("%s: %s waits", w->name, pod);
    }
}

TEST(the_last_member_is_retried_after_the_others_have_succeeded)
{
    for (size_t i = 0; i < WAYS; i++) {
        for (int restart = 0; restart < 3; restart++) {
            SKR_AUTO(rig_destroy) struct rig *rig = running(&way[i], "4");
            end(rig, 0, 3, "Succeeded");
            end(rig, 3, 1, "Failed");
            if (restart == 1) {
                rig_restart(rig);
            }
            add(rig, &way[i], "p", 4, 1, OF_JOB, "train");
            if (restart == 2) {
                rig_restart(rig);
            }
            rig_run(rig, 5 * SKR_SECOND);
            assert_runs(rig, "p-4", &way[i]);
        }
    }
}

/* The two that are left start together: with room for one none does. */
TEST(what_is_left_of_the_completions_starts_together)
{
    for (size_t i = 0; i < WAYS; i++) {
        for (int gone = 0; gone < 2; gone++) {
            SKR_AUTO(rig_destroy) struct rig *rig = running(&way[i], "6");
            end(rig, 0, 4, "Succeeded");
            for (int n = 0; gone && n < 4; n++) { /* cleared away: the Job has counted them */
                rig_delete(rig, RIG_POD, test_text("p-%d", n));
            }
            add(rig, &way[i], "p", 4, 1, OF_JOB, "train");
            rig_run(rig, 5 * SKR_SECOND);
            assert_true(rig_is_gated(rig, "p-4"));
            add(rig, &way[i], "p", 5, 1, OF_JOB, "train");
            rig_run(rig, 5 * SKR_SECOND);
            rig_edit(rig, RIG_JOB, "train", "{'status':{'succeeded':4}}"); /* later than the pods */
            rig_run(rig, 5 * SKR_SECOND);
            assert_runs(rig, "p-4", &way[i]);
            assert_runs(rig, "p-5", &way[i]);
        }
    }
}

TEST(the_next_wave_of_a_job_is_as_large_as_the_first)
{
    for (size_t i = 0; i < WAYS; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = running(&way[i], "12");
        end(rig, 0, 4, "Succeeded");
        add(rig, &way[i], "p", 4, 3, OF_JOB, "train");
        rig_run(rig, 5 * SKR_SECOND);
        assert_true(rig_is_gated(rig, "p-4"));
        add(rig, &way[i], "p", 7, 1, OF_JOB, "train");
        rig_run(rig, 5 * SKR_SECOND);
        assert_runs(rig, "p-4", &way[i]);
        assert_runs(rig, "p-7", &way[i]);
    }
}

/* Two of four are deleted when the Job is scaled down. Its next pods are two, and start together. */
TEST(a_job_that_was_scaled_down_goes_on_with_as_many_as_it_makes)
{
    for (size_t i = 0; i < WAYS; i++) {
        for (int gone = 0; gone < 2; gone++) {
            SKR_AUTO(rig_destroy) struct rig *rig = running(&way[i], gone ? "8" : "4");
            rig->users_meddle = true;
            rig_edit(rig, RIG_JOB, "train", "{'spec':{'parallelism':2}}");
            rig_delete(rig, RIG_POD, "p-2");
            rig_delete(rig, RIG_POD, "p-3");
            end(rig, 0, 2, "Succeeded");
            rig_edit(rig, RIG_JOB, "train", "{'status':{'succeeded':2}}");
            if (gone) {
                rig_delete(rig, RIG_POD, "p-0");
                rig_delete(rig, RIG_POD, "p-1");
                rig_restart(rig);
            }
            add(rig, &way[i], "p", 4, 1, OF_JOB, "train");
            rig_run(rig, 5 * SKR_SECOND);
            assert_true(rig_is_gated(rig, "p-4"));
            add(rig, &way[i], "p", 5, 1, OF_JOB, "train");
            rig_run(rig, 5 * SKR_SECOND);
            assert_runs(rig, "p-4", &way[i]);
            assert_runs(rig, "p-5", &way[i]);
        }
    }
}

/* Of a gang of two Jobs, what one of them makes is not the whole rest. */
/* It is not known how many pods the Job still makes. */
TEST(a_job_that_cannot_be_read_is_not_taken_for_one_that_was_scaled_down)
{
    SKR_AUTO(rig_destroy) struct rig *rig = cluster(&way[0]);
    add(rig, &way[0], "p", 0, 4, OF_JOB, "train");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 4);
    end(rig, 0, 1, "Succeeded");
    end(rig, 1, 3, "Failed");
    add(rig, &way[0], "p", 4, 2, OF_JOB, "train");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "p-4"), "");
    add(rig, &way[0], "p", 6, 1, OF_JOB, "train");
    rig_run(rig, 5 * SKR_SECOND);
    assert_runs(rig, "p-6", &way[0]);
}

TEST(a_job_that_was_scaled_down_waits_for_the_other_one_of_its_gang)
{
    SKR_AUTO(rig_destroy) struct rig *rig = cluster(&way[0]);
    rig_create_json(rig, RIG_JOB, "train", "{'spec':{'parallelism':3,'completions':3}}");
    rig_create_json(rig, RIG_JOB, "other", "{'spec':{'parallelism':1,'completions':1}}");
    add(rig, &way[0], "p", 0, 3, OF_JOB, "train");
    add(rig, &way[0], "o", 0, 1, OF_JOB, "other");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
    rig_edit(rig, RIG_JOB, "train", "{'spec':{'parallelism':2}}");
    rig_delete(rig, RIG_POD, "p-2");
    end(rig, 0, 1, "Succeeded");
    end(rig, 1, 1, "Failed");
    rig_phase(rig, "o-0", "Failed");
    add(rig, &way[0], "p", 3, 2, OF_JOB, "train");
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "p-3"));
}

/* A Job without completions makes no pod more after the first success. */
TEST(the_last_worker_of_a_queue_is_placed)
{
    for (size_t i = 0; i < WAYS; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = running(&way[i], NULL);
        rig->hold_scheduler = true;
        end(rig, 3, 1, "Failed");
        add(rig, &way[i], "p", 4, 1, OF_JOB, "train");
        end(rig, 0, 3, "Succeeded");
        rig->hold_scheduler = false;
        rig_restart(rig);
        rig_run(rig, 5 * SKR_SECOND);
        assert_runs(rig, "p-4", &way[i]);
    }
}

/* A Job of 1.37 has a PodGroup of its parallelism, also when it completes less. */
TEST(an_index_that_has_failed_for_good_is_not_waited_for)
{
    for (size_t i = 0; i < WAYS; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = running(&way[i], "4");
        end(rig, 0, 2, "Succeeded");
        end(rig, 2, 2, "Failed");
        rig_edit(rig, RIG_JOB, "train", "{'status':{'succeeded':2,'failedIndexes':'3'}}");
        add(rig, &way[i], "p", 4, 1, OF_JOB, "train");
        rig_run(rig, 5 * SKR_SECOND);
        assert_runs(rig, "p-4", &way[i]);
    }
}

/* Its operator makes no pod again that has Succeeded. */
TEST(the_last_replica_of_an_operator_is_retried)
{
    for (size_t i = 0; i + 1 < WAYS; i++) {
        for (int restart = 0; restart < 2; restart++) {
            SKR_AUTO(rig_destroy) struct rig *rig = cluster(&way[i]);
            add(rig, &way[i], "p", 0, 4, OF_PYTORCH, "pt");
            rig_run(rig, 5 * SKR_SECOND);
            rig_assert_bound(rig, "p", 4);
            end(rig, 0, 3, "Succeeded");
            rig_delete(rig, RIG_POD, "p-3");
            rig_run(rig, SKR_SECOND);
            add(rig, &way[i], "p", 3, 1, OF_PYTORCH, "pt");
            if (restart) {
                rig->hold_scheduler = true;
                rig_run(rig, SKR_SECOND);
                rig_restart(rig);
                rig->hold_scheduler = false;
            }
            rig_run(rig, 5 * SKR_SECOND);
            assert_runs(rig, "p-3", &way[i]);
        }
    }
}

TEST(a_group_from_labels_begins_anew_with_its_size_after_a_restart)
{
    const struct way *labels = &way[WAYS - 2];
    SKR_AUTO(rig_destroy) struct rig *rig = cluster(labels);
    add(rig, labels, "p", 0, 4, OF_PYTORCH, "pt");
    rig_run(rig, 5 * SKR_SECOND);
    end(rig, 0, 4, "Succeeded");
    rig_restart(rig);
    add(rig, labels, "q", 0, 3, OF_PYTORCH, "next");
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "q-0"));
    rig_restart(rig);
    add(rig, labels, "q", 3, 1, OF_PYTORCH, "next");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "q", 4);
}

/* A launcher and its workers: the complete Job counts, that of an earlier run does not. */
TEST(a_complete_job_beside_the_one_that_is_retried_counts)
{
    SKR_AUTO(rig_destroy) struct rig *rig = cluster(&way[0]);
    rig_create_json(rig, RIG_JOB, "launcher", "{'spec':{'parallelism':1,'completions':1}}");
    rig_create_json(rig, RIG_JOB, "train", "{'spec':{'parallelism':3,'completions':3}}");
    add(rig, &way[0], "l", 0, 1, OF_JOB, "launcher");
    add(rig, &way[0], "p", 0, 3, OF_JOB, "train");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
    rig_phase(rig, "l-0", "Succeeded");
    end(rig, 0, 2, "Succeeded");
    end(rig, 2, 1, "Failed");
    rig_restart(rig);
    add(rig, &way[0], "p", 3, 1, OF_JOB, "train");
    rig_run(rig, 5 * SKR_SECOND);
    assert_runs(rig, "p-3", &way[0]);
    rig_phase(rig, "p-3", "Succeeded");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Finished");
    add(rig, &way[0], "again", 0, 3, OF_JOB, "again"); /* the next run needs all four */
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "again-0"));
    assert_string_equal(rig_key(rig, "g", "message"), "group g has 3 of 4 members");
}

TEST(the_reason_counts_what_is_left)
{
    SKR_AUTO(rig_destroy) struct rig *rig = running(&way[0], "6");
    end(rig, 0, 4, "Succeeded");
    add(rig, &way[0], "p", 4, 1, OF_JOB, "train");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "message"), "group g has 1 of 2 members");
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "message"), "group g has 1 of 2 members");
}

static const struct way worker_by_hand = {
    "roles", RIG_MAP,
    "{'metadata':{'labels':{'sakkara.group':''}},'data':{'name':'g','roles':"
    "'{\\'leader\\':{\\'size\\':1},\\'worker\\':{\\'size\\':3}}'}}",
    "'labels':{'sakkara.group.name':'g'},'annotations':{'sakkara.group.role':'worker'}", ""};
static const struct way leader_by_hand = {
    "roles", RIG_MAP, "",
    "'labels':{'sakkara.group.name':'g'},'annotations':{'sakkara.group.role':'leader'}", ""};

/* Of roles by hand, each needs what is left of it. */
TEST(a_role_of_a_group_map_counts_what_has_succeeded_of_it)
{
    SKR_AUTO(rig_destroy) struct rig *rig = cluster(&worker_by_hand);
    rig_create_json(rig, RIG_JOB, "lead", "{'spec':{'parallelism':1,'completions':1}}");
    rig_create_json(rig, RIG_JOB, "train", "{'spec':{'parallelism':3,'completions':3}}");
    add(rig, &leader_by_hand, "l", 0, 1, OF_JOB, "lead");
    add(rig, &worker_by_hand, "p", 0, 3, OF_JOB, "train");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
    end(rig, 0, 2, "Succeeded");
    end(rig, 2, 1, "Failed");
    rig_phase(rig, "l-0", "Failed");
    rig_run(rig, SKR_SECOND);
    add(rig, &worker_by_hand, "p", 3, 1, OF_JOB, "train");
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "p-3")); /* its leader is missing */
    add(rig, &leader_by_hand, "l", 1, 1, OF_JOB, "lead");
    rig_run(rig, 5 * SKR_SECOND);
    assert_runs(rig, "p-3", &worker_by_hand);
    assert_runs(rig, "l-1", &worker_by_hand);
}

/* Rules that fix numbers of members count all of them, and most are no more. */
TEST(a_rule_about_numbers_does_not_bind_the_last_member)
{
    static const char *const rule[] = {"{'node':{'factor':2}}", "{'node':{'partitions':2}}",
                                       "{'rack':{'min':4}}"};
    for (size_t i = 0; i < sizeof rule / sizeof rule[0]; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
        rig_racks(rig, 2, 2, 4);
        rig_group(rig, "g", 4, 0, rule[i]);
        rig_sync(rig);
        rig_create_json(rig, RIG_JOB, "train", "{'spec':{'parallelism':4,'completions':4}}");
        add(rig, &way[0], "p", 0, 4, OF_JOB, "train");
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "p", 4);
        end(rig, 0, 3, "Succeeded");
        end(rig, 3, 1, "Failed");
        add(rig, &way[0], "p", 4, 1, OF_JOB, "train");
        rig_run(rig, 5 * SKR_SECOND);
        assert_runs(rig, "p-4", &way[0]);
    }
}

/* Also where the Job itself says the size. */
TEST(a_rule_about_numbers_does_not_bind_what_is_left_of_a_derived_group)
{
    static const struct way derived = {
        "the Job", -1, "",
        "'annotations':{'sakkara.gang':'auto','sakkara.group.constraints':"
        "'{\\'node\\':{\\'factor\\':2}}'}",
        ""};
    SKR_AUTO(rig_destroy) struct rig *rig = running(&derived, "4");
    end(rig, 0, 3, "Succeeded");
    end(rig, 3, 1, "Failed");
    rig_edit(rig, RIG_JOB, "train", "{'status':{'succeeded':3}}");
    add(rig, &derived, "p", 4, 1, OF_JOB, "train");
    rig_run(rig, 5 * SKR_SECOND);
    assert_runs(rig, "p-4", &derived);
}

/* What has Succeeded of four bare pods: all exist; two are deleted; all are; or the fourth has Succeeded, too. */
TEST(a_bare_pod_that_is_made_again_goes_on_while_one_that_has_succeeded_exists)
{
    enum { ALL, TWO_GONE, ALL_GONE, COMPLETE, CASES };
    for (int i = 0; i < 3 * CASES; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
        const int what = i % CASES, restart = i / CASES;
        rig_racks(rig, 2, 2, 4);
        rig_gang(rig, "g", 4, "p", 4, RIG_GATED | RIG_BARE);
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "p", 4);
        end(rig, 0, what == COMPLETE ? 4 : 3, "Succeeded");
        rig_delete(rig, RIG_POD, "p-3");
        rig_run(rig, SKR_SECOND);
        for (int n = what == ALL_GONE ? 0 : 1; n < 3 && what != ALL && what != COMPLETE; n++) {
            char pod[32];
            snprintf(pod, sizeof pod, "p-%d", n);
            rig_delete(rig, RIG_POD, pod);
        }
        rig_run(rig, 5 * SKR_SECOND);
        if (restart == 1) {
            rig_restart(rig);
        }
        rig_pod(rig, "p-3", "g", RIG_GATED | RIG_BARE);
        if (restart == 2) {
            rig_restart(rig);
        }
        rig_run(rig, 5 * SKR_SECOND);
        const bool runs = *rig_node_of(rig, "p-3"), goes_on = what == ALL || what == TWO_GONE;
        if (runs != goes_on) {
            fail_msg("case %d, restart %d: p-3 %s", what, restart, runs ? "runs" : "waits");
        }
        if (what == ALL) {
            assert_string_equal(rig_label(rig, "p-3", "sakkara.member.rank"), "3");
        }
    }
}

/* A complete launcher is cleared away with its pod, as by ttlSecondsAfterFinished; then all workers fail. The daemon
 * starts anew before that, before the next ones, or before the last of these. */
static void retry_workers_without_launcher(const struct way *launcher, const struct way *worker,
                                           int restart)
{
    SKR_AUTO(rig_destroy) struct rig *rig = cluster(worker);
    rig_create_json(rig, RIG_JOB, "launcher", "{'spec':{'parallelism':1,'completions':1}}");
    rig_create_json(rig, RIG_JOB, "train", "{'spec':{'parallelism':3,'completions':3}}");
    add(rig, launcher, "l", 0, 1, OF_JOB, "launcher");
    add(rig, worker, "p", 0, 3, OF_JOB, "train");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 3);
    rig_phase(rig, "l-0", "Succeeded");
    rig_run(rig, SKR_SECOND);
    rig_delete(rig, RIG_JOB, "launcher");
    rig_delete(rig, RIG_POD, "l-0");
    rig_run(rig, 5 * SKR_SECOND);
    if (restart == 1) {
        rig_restart(rig);
    }
    end(rig, 0, 3, "Failed");
    rig_run(rig, 5 * SKR_SECOND);
    if (restart == 2) {
        rig_restart(rig);
    }
    add(rig, worker, "p", 3, 2, OF_JOB, "train");
    rig_run(rig, 5 * SKR_SECOND);
    if (restart == 3) {
        rig_restart(rig);
    }
    assert_true(rig_is_gated(rig, "p-3")); /* one more is made */
    add(rig, worker, "p", 5, 1, OF_JOB, "train");
    rig_run(rig, 5 * SKR_SECOND);
    assert_runs(rig, "p-3", worker);
    assert_runs(rig, "p-5", worker);
}

TEST(a_complete_job_that_was_cleared_away_counts)
{
    for (int restart = 0; restart < 4; restart++) {
        for (size_t i = 0; i < WAYS; i++) {
            const bool forgets = way[i].kind < 0 && restart > 0; /* no object has the number */
            if (!forgets &&
                !strstr(way[i].metadata, "annotations")) { /* else each Job is a group */
                retry_workers_without_launcher(&way[i], &way[i], restart);
            }
        }
        retry_workers_without_launcher(&leader_by_hand, &worker_by_hand, restart);
    }
}

/* Its pods are there before the Job takes them over. */
TEST(a_job_that_adopts_pods_counts_for_them)
{
    SKR_AUTO(rig_destroy) struct rig *rig = cluster(&way[0]);
    rig_create_json(rig, RIG_JOB, "train", "{'spec':{'parallelism':4,'completions':4}}");
    rig_pods(rig, "p", 2, "g", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    for (int i = 0; i < 2; i++) {
        rig_edit(rig, RIG_POD, test_text("p-%d", i),
                 "{'metadata':{'ownerReferences':[{" OF_JOB
                 ",'name':'train','uid':'%s','controller':true}]}}",
                 uid_of(rig, "train"));
    }
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "MembersMissing");
    rig_edit(rig, RIG_JOB, "train", "{'status':{'succeeded':2}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
}

/* How the four pods of a Job end one after another, and what the conditions say then. */
static const struct row {
    const char *title, *phase; /* NULL: they are deleted */
    bool over;                 /* the Job has failed, too */
    const char *complete, *bound;
} ends[] = {
    {"all have failed", "Failed", false,
     "\"False\",\"reason\":\"MembersMissing\",\"message\":\"0 of 4 members\"", "\"False\""},
    {"all have failed, as their Job", "Failed", true,
     "\"False\",\"reason\":\"MembersMissing\",\"message\":\"0 of 4 members\"", "\"True\""},
    {"all are deleted", NULL, false,
     "\"False\",\"reason\":\"MembersMissing\",\"message\":\"0 of 4 members\"", "\"False\""},
    {"all have succeeded", "Succeeded", false,
     "\"True\",\"reason\":\"MembersPresent\",\"message\":\"4 of 4 members\"", "\"True\""},
};

static void assert_condition(struct rig *rig, const char *type, const char *rest)
{
    SKR_STRBUF(want);
    skr_strbuf_addf(&want, "{\"type\":\"%s\",\"status\":%s", type, rest);
    if (!strstr(rig_key(rig, "g", "conditions"), want.s)) {
        fail_msg("%s is not in %s", want.s, rig_key(rig, "g", "conditions"));
    }
}

TEST_EACH(row, ends, conditions_of_a_gang_that_has_ended_count_its_members)
{
    SKR_AUTO(rig_destroy) struct rig *rig = running(&way[0], "4");
    for (int i = 0; i < 4; i++) {
        char pod[32];
        snprintf(pod, sizeof pod, "p-%d", i);
        if (row->phase) {
            end(rig, i, 1, row->phase);
        } else {
            rig_delete(rig, RIG_POD, pod);
            rig_run(rig, SKR_SECOND);
        }
    }
    if (row->over) {
        rig_edit(rig, RIG_JOB, "train",
                 "{'status':{'conditions':[{'type':'Failed','status':'True'}]}}");
    }
    for (int gone = 0; gone < 3; gone++) { /* while there are pods, without them, after a restart */
        for (int i = 0; row->phase && gone == 1 && i < 4; i++) {
            rig_delete(rig, RIG_POD, test_text("p-%d", i));
            rig_run(rig, SKR_SECOND);
        }
        if (gone == 2) {
            rig_restart(rig);
        }
        rig_run(rig, 60 * SKR_SECOND); /* a new text of the same status is written with delay */
        assert_condition(rig, "Complete", row->complete);
        assert_condition(rig, "Bound", row->bound);
    }
}
