/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults of the API server while a gang goes through. Whatever happens, every pod ends bound
 * exactly once, in state Binding only (the guard of the cluster watches), and every key of the map
 * is there.
 */
#include "test/integration/scene.h"
#include "test/test.h"
#include "test/unit/web.h"

enum { MEMBERS = 4 };

#define MAP "PATCH /api/v1/namespaces/default/configmaps/gang"
#define POD "/api/v1/namespaces/default/pods/job-1"

/* ---- one fault at one write ---- */

struct target {
    const char *name, *match;
    int skip;
};

struct trouble {
    const char *name;
    enum fake_mode mode;
    int status;
};

static void play_fault(const struct target *target, const struct trouble *trouble)
{
    struct scene scene;
    print_message("%s, %s\n", target->name, trouble->name);
    scene_begin(&scene);
    scene.c->bindings_carry_labels = false;
    scene_add_gang(&scene, MEMBERS);
    scene_start_daemon(&scene);
    scene_fault(&scene, target->match, trouble->mode, trouble->status, target->skip);
    cluster_pods(scene.c, "job", MEMBERS, "gang", true);
    scene_expect_bound(&scene, MEMBERS);
    scene_end(&scene);
}

TEST(no_fault_of_a_write_loses_or_doubles_anything)
{
    static const struct target targets[] = {
        {"the plan", MAP, 0},
        {"state Binding", MAP, 1},
        {"the status at the end", MAP, 2},
        {"a nomination", "PATCH " POD "/status", 0},
        {"a gate", "PATCH " POD, 1},
        {"a Binding", "POST " POD "/binding", 0},
        {"a label", "PATCH " POD, 2},
    };
    static const struct trouble troubles[] = {
        {"500", FAKE_ANSWER, 500},
        {"429", FAKE_ANSWER, 429},
        {"409", FAKE_ANSWER, 409},
        {"reset before it arrived", FAKE_RESET, 0},
        {"closed before it arrived", FAKE_CLOSE, 0},
        {"answer lost after it was applied", FAKE_LOST, 0},
        {"half an answer, not applied", FAKE_SHORT, 200},
    };
    const size_t n_targets = sizeof targets / sizeof targets[0];
    const size_t n_troubles = sizeof troubles / sizeof troubles[0];
    for (size_t i = 0; i < n_targets * n_troubles; i += SCENE_IS_SLOW ? 3 : 1) {
        play_fault(&targets[i % n_targets], &troubles[i / n_targets]);
    }
}

/* Every write of every kind fails once in a row with the others. */
TEST(an_api_server_that_refuses_everything_for_a_while)
{
    static const int statuses[] = {500, 503, 429};
    struct scene scene;
    scene_begin(&scene);
    scene_add_gang(&scene, 8);
    scene_start_daemon(&scene);
    for (int i = 0; i < 24; i++) {
        scene_fault(&scene, i < 3 ? "/configmaps/gang" : "/pods/job-", FAKE_ANSWER, statuses[i % 3],
                    0);
    }
    cluster_pods(scene.c, "job", 8, "gang", true);
    scene_expect_bound(&scene, 8);
    scene_end(&scene);
}

TEST(retry_after_of_a_429_is_waited_for)
{
    struct scene scene;
    scene_begin(&scene);
    scene_add_gang(&scene, MEMBERS);
    scene_start_daemon(&scene);
    fake_api_expect(scene.c->api, &(struct fake_step){.match = MAP,
                                                      .status = 429,
                                                      .headers = "Retry-After: 1\r\n",
                                                      .body = "{}"});
    time_t begin = time(NULL);
    cluster_pods(scene.c, "job", MEMBERS, "gang", false);
    scene_expect_bound(&scene, MEMBERS);
    assert_true(time(NULL) - begin >= 1);
    scene_end(&scene);
}

/* ---- watches ---- */

static const char *const streams[] = {"/pods?watch", "/nodes?watch", "sakkara.group",
                                      "sakkara.topology", "/podgroups?watch"};

static void park_three(struct scene *scene)
{
    scene_begin(scene);
    scene_add_gang(scene, MEMBERS);
    scene_start_daemon(scene);
    scheduler_hold(scene->s, "job-3");
    cluster_pods(scene->c, "job", MEMBERS, "gang", true);
    daemon_wait_metric(scene->d, "sakkara_parked_binds 3");
}

TEST(a_watch_that_is_cut_within_a_line_is_taken_up_again)
{
    struct scene scene;
    park_three(&scene);
    cluster_lock(scene.c);
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        /* One that the daemon left when it began to lead may be open yet. */
        assert_true(fake_api_break(scene.c->api, streams[i],
                                   "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"na",
                                   i % 2 ? FAKE_CLOSE : FAKE_RESET) >= 1);
    }
    cluster_unlock(scene.c);
    scheduler_hold(scene.s, NULL);
    scene_expect_bound(&scene, MEMBERS);
    scene_end(&scene);
}

TEST(a_version_that_is_gone_leads_to_a_new_list)
{
    struct scene scene;
    park_three(&scene);
    cluster_lock(scene.c);
    /* Something newer than what the watches have seen, so that their version is too old. */
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        (void)fake_api_break(scene.c->api, streams[i], NULL, FAKE_CLOSE);
    }
    json_t *patch = json_pack("{s:{s:{s:s}}}", "metadata", "labels", "touched", "1");
    cluster_patch_locked(scene.c, "Node", "", "node-5", patch);
    cluster_patch_locked(scene.c, "Pod", "default", "job-3", patch);
    json_decref(patch);
    cluster_compact_locked(scene.c);
    cluster_unlock(scene.c);
    scheduler_hold(scene.s, NULL);
    scene_expect_bound(&scene, MEMBERS);
    fake_api_wait_count(scene.c->api, "/pods?limit", 2);
    fake_api_wait_count(scene.c->api, "/nodes?limit", 2);
    scene_end(&scene);
}

TEST(garbage_on_a_watch_is_survived)
{
    struct scene scene;
    park_three(&scene);
    fake_api_send(scene.c->api, "/pods?watch", "\x01\x02{}[]\n");
    scheduler_hold(scene.s, NULL);
    scene_expect_bound(&scene, MEMBERS);
    scene_end(&scene);
}

/* Ends the n streams that match, and those that the daemon left before; their next ones stay without a byte until they are released. */
static void silence(struct scene *scene, const char *match, size_t n)
{
    const struct fake_step hang = {.match = match, .mode = FAKE_HANG, .status = 500, .body = "{}"};
    size_t had = fake_api_count(scene->c->api, match);
    for (size_t i = 0; i < n; i++) {
        fake_api_expect(scene->c->api, &hang);
    }
    cluster_lock(scene->c);
    assert_true(fake_api_break(scene->c->api, match, NULL, FAKE_CLOSE) >= n);
    cluster_unlock(scene->c);
    fake_api_wait_count(scene->c->api, match, had + n);
}

/* No watch tells what became of a write: it is read back, and every bind call is answered. */
TEST(lost_answers_are_read_back_while_the_watches_are_silent)
{
    static const struct {
        const char *silent;
        size_t streams;
        const char *lost;    /* its first request is applied without an answer; NULL: none */
        const char *refused; /* answered 409 */
        bool edited;         /* the map by a user: the next patch of ours is a conflict */
    } row[] = {
        {"/pods?watch", 1, "POST " POD "/binding", NULL, false},
        {"/pods?watch", 1, NULL, "POST " POD "/binding", false},
        {"/configmaps?watch", 2, MAP, NULL, false},
        {"/configmaps?watch", 2, NULL, NULL, true},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct scene scene;
        park_three(&scene);
        silence(&scene, row[i].silent, row[i].streams);
        if (row[i].lost) {
            scene_fault(&scene, row[i].lost, FAKE_LOST, 0, 0);
        }
        if (row[i].refused) {
            scene_fault(&scene, row[i].refused, FAKE_ANSWER, 409, 0);
        }
        if (row[i].edited) {
            cluster_patch(scene.c, "ConfigMap", "gang",
                          "{'metadata':{'annotations':{'note':'of a user'}}}");
        }
        scheduler_hold(scene.s, NULL);
        cluster_wait_bound(scene.c, "job", MEMBERS);
        scheduler_wait_idle(scene.s);
        assert_int_equal(scheduler_counts(scene.s).bound, MEMBERS);
        fake_api_release(scene.c->api, "watch=true");
        scene_expect_bound(&scene, MEMBERS);
        scene_end(&scene);
    }
}

/* A bound member goes while nobody watches; whoever is beyond the size gets its seat. */
TEST(d29_a_missed_delete_is_noticed_by_the_next_list)
{
    struct scene scene;
    scene_begin(&scene);
    scene_add_gang(&scene, MEMBERS);
    scene_start_daemon(&scene);
    cluster_pods(scene.c, "job", MEMBERS, "gang", false);
    scene_expect_bound(&scene, MEMBERS);
    cluster_pods(scene.c, "late", 1, "gang", false);
    scheduler_wait_filters(scene.s, scheduler_counts(scene.s).filters + 1);
    cluster_lock(scene.c);
    (void)fake_api_break(scene.c->api, "/pods?watch", NULL, FAKE_CLOSE);
    cluster_delete_locked(scene.c, "Pod", "default", "job-2");
    cluster_compact_locked(scene.c);
    cluster_unlock(scene.c);
    cluster_wait_bound(scene.c, "late", 1);
    assert_int_equal(cluster_bound(scene.c, "job"), MEMBERS - 1);
    char *rank = cluster_label(scene.c, "late-0", "sakkara.member.rank");
    assert_string_equal(rank, "2");
    free(rank);
    scene_end(&scene);
}

/* ---- slowness ---- */

/* The commit of one group takes 2 s; filter and another group do not notice. */
TEST(d34_a_slow_api_server_does_not_stall_other_groups)
{
    struct scene scene;
    scene_begin(&scene);
    scene_add_gang(&scene, MEMBERS);
    cluster_group(scene.c, "fast", 4, PACK_SPREAD);
    scene_start_daemon(&scene);
    fake_api_expect(scene.c->api,
                    &(struct fake_step){.match = MAP, .mode = FAKE_PASS, .delay_ms = 2000});
    cluster_pods(scene.c, "job", MEMBERS, "gang", false);
    fake_api_wait_count(scene.c->api, MAP, 1);
    cluster_pods(scene.c, "quick", 4, "fast", false);
    cluster_wait_bound(scene.c, "quick", 4);
    assert_int_equal(cluster_writes(scene.c, SKR_WRITE_BINDING), 4);
    assert_int_equal(cluster_bound(scene.c, "job"), 0);
    assert_true(scheduler_counts(scene.s).filter_max_ns < (SCENE_IS_SLOW ? 1500 : 500) * 1000000LL);
    cluster_wait_bound(scene.c, "job", MEMBERS);
    cluster_expect_bound(scene.c, "gang", "job", MEMBERS);
    cluster_expect_bound(scene.c, "fast", "quick", 4);
    scene_end(&scene);
}

/* ---- the API server goes away ---- */

TEST(an_api_server_that_restarts_while_binds_are_parked)
{
    struct scene scene;
    park_three(&scene);
    fake_api_go_down(scene.c->api);
    scheduler_hold(scene.s, NULL);
    scheduler_wait_open_calls(scene.s, MEMBERS);
    fake_api_come_up(scene.c->api);
    scene_expect_bound(&scene, MEMBERS);
    scene_end(&scene);
}

BEFORE_ALL
{
    web_init();
}
