/* SPDX-License-Identifier: Apache-2.0 */
/* The engine thread and the solver thread with the real engine and solver between them. Nothing
 * sleeps: waits are for conditions, with a deadline. */
#include <pthread.h>

#include "core/gang/scheduler.h"
#include "core/gang/state/reason.h"
#include "core/gang/state/requests.h"
#include "core/gang/state/solve_request.h"
#include "core/gang/state/types.h"
#include "server/daemon/engine_thread.h"
#include "server/daemon/worker_thread.h"
#include "test/test.h"

enum { DEADLINE_S = 60, ANSWERS_MAX = 64 };

/* What the outlets saw. */
struct rig {
    struct skr_settings settings;
    struct skr_clock clock;
    struct skr_engine_thread *engine;
    struct skr_worker *solver;
    pthread_mutex_t lock;
    pthread_cond_t change;
    size_t n_answers, n_writes, n_commits, n_released, n_solved;
    uint64_t request[ANSWERS_MAX];
    enum skr_answer_kind kind[ANSWERS_MAX];
    char text[ANSWERS_MAX][64];
};

static void note(struct rig *rig, size_t *counter)
{
    pthread_mutex_lock(&rig->lock);
    ++*counter;
    pthread_cond_broadcast(&rig->change);
    pthread_mutex_unlock(&rig->lock);
}

static bool wait_until(struct rig *rig, const size_t *counter, size_t n)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += DEADLINE_S;
    int rc = 0;
    pthread_mutex_lock(&rig->lock);
    while (*counter < n && rc == 0) {
        rc = pthread_cond_timedwait(&rig->change, &rig->lock, &deadline);
    }
    bool reached = *counter >= n;
    pthread_mutex_unlock(&rig->lock);
    return reached;
}

static void on_answer(void *context, uint64_t request, const void *body)
{
    const struct skr_answer *answer = body;
    struct rig *rig = context;
    pthread_mutex_lock(&rig->lock);
    if (rig->n_answers < ANSWERS_MAX) {
        size_t i = rig->n_answers;
        rig->request[i] = request;
        rig->kind[i] = answer->kind;
        snprintf(rig->text[i], sizeof rig->text[i], "%s", answer->text);
    }
    pthread_mutex_unlock(&rig->lock);
    note(rig, &rig->n_answers);
}

static void on_write(void *context, const struct skr_write *write)
{
    struct rig *rig = context;
    note(rig, &rig->n_writes);
    if (write->class == SKR_WRITE_CLASS_COMMIT) {
        note(rig, &rig->n_commits);
    }
}

static void on_work(void *context, struct skr_work *work)
{
    struct rig *rig = context;
    if (rig->solver) {
        skr_worker_post(rig->solver, work);
    } else {
        skr_work_destroy(work);
    }
}

static void on_cancel(void *context, uint64_t id)
{
    struct rig *rig = context;
    if (rig->solver) {
        skr_worker_cancel(rig->solver, id);
    }
}

static void on_solved(void *context, struct skr_work *work)
{
    struct rig *rig = context;
    const struct skr_event event = {.kind = SKR_EVENT_WORK_DONE, .work = work};
    note(rig, &rig->n_solved);
    skr_engine_thread_post(rig->engine, &event);
}

static void begin(struct rig *rig)
{
    memset(rig, 0, sizeof *rig);
    pthread_mutex_init(&rig->lock, NULL);
    pthread_cond_init(&rig->change, NULL);
    skr_settings_default(&rig->settings);
    rig->settings.instance = "test";
    skr_clock_init(&rig->clock);
    rig->engine = skr_engine_thread_create(
        skr_engine_create(&skr_gang_scheduler, &rig->settings, rig->settings.instance),
        &rig->clock);
}

static void start(struct rig *rig)
{
    const struct skr_engine_outlets outlets = {.actions = {.context = rig,
                                                           .answer = on_answer,
                                                           .write = on_write,
                                                           .work = on_work,
                                                           .cancel = on_cancel}};
    assert_int_equal(skr_engine_thread_start(rig->engine, &outlets, NULL), 0);
}

static void end(struct rig *rig)
{
    skr_engine_thread_stop(rig->engine);
    skr_worker_destroy(rig->solver);
    skr_engine_thread_destroy(rig->engine);
    pthread_mutex_destroy(&rig->lock);
    pthread_cond_destroy(&rig->change);
}

static void post(struct rig *rig, enum skr_event_kind kind)
{
    struct skr_event event = {.kind = kind};
    skr_engine_thread_post(rig->engine, &event);
}

static void post_bind(struct rig *rig, uint64_t request)
{
    static const struct skr_bind_request bind = {"ns", "pod", "uid", "node"};
    const struct skr_event event = {
        .kind = SKR_EVENT_REQUEST,
        .request = {.id = request, .verb = SKR_GANG_BIND, .body = &bind}};
    skr_engine_thread_post_kept(rig->engine, &event, NULL, NULL);
}

TEST(posts_before_the_start_are_handled_in_order)
{
    struct rig rig;
    begin(&rig);
    for (uint64_t i = 1; i <= 20; i++) {
        post_bind(&rig, i);
    }
    start(&rig);
    assert_true(wait_until(&rig, &rig.n_answers, 20));
    for (uint64_t i = 0; i < 20; i++) {
        assert_int_equal(rig.request[i], i + 1);
        assert_int_equal(rig.kind[i], SKR_ANSWER_ERROR);
        assert_string_equal(rig.text[i], SKR_TEXT_NOT_READY);
    }
    end(&rig);
}

static void count_release(void *keep)
{
    struct rig *rig = keep;
    note(rig, &rig->n_released);
}

TEST(what_an_event_borrows_is_released_once_handled_or_not)
{
    struct rig rig;
    begin(&rig);
    const struct skr_bind_request bind = {"ns", "pod", "uid", "n"};
    struct skr_event event = {.kind = SKR_EVENT_REQUEST,
                              .request = {.id = 1, .verb = SKR_GANG_BIND, .body = &bind}};
    start(&rig);
    skr_engine_thread_post_kept(rig.engine, &event, count_release, &rig);
    assert_true(wait_until(&rig, &rig.n_released, 1));
    skr_engine_thread_stop(rig.engine);
    skr_engine_thread_post_kept(rig.engine, &event, count_release, &rig);
    assert_int_equal(rig.n_released, 2);
    assert_int_equal(rig.n_answers, 1);
    end(&rig);
    assert_int_equal(rig.n_released, 2);
}

TEST(a_queue_that_never_ran_is_emptied)
{
    struct rig rig;
    begin(&rig);
    struct skr_event event = {.kind = SKR_EVENT_HANGUP};
    skr_engine_thread_post_kept(rig.engine, &event, count_release, &rig);
    end(&rig);
    assert_int_equal(rig.n_released, 1);
}

TEST(an_engine_leads_when_it_has_heard_of_it)
{
    struct rig rig;
    begin(&rig);
    post(&rig, SKR_EVENT_LEADER_LOST);
    start(&rig);
    assert_true(skr_engine_thread_wait(rig.engine, DEADLINE_S * SKR_SECOND));
    assert_false(skr_engine_thread_is_leader(rig.engine));
    post(&rig, SKR_EVENT_LEADER_WON);
    assert_true(skr_engine_thread_wait(rig.engine, DEADLINE_S * SKR_SECOND));
    assert_true(skr_engine_thread_is_leader(rig.engine));
    end(&rig);
}

TEST(waiting_means_everything_before_was_handled)
{
    struct rig rig;
    begin(&rig);
    post(&rig, SKR_EVENT_SYNCED);
    assert_false(skr_engine_thread_wait(rig.engine, SKR_MILLISECOND));
    start(&rig);
    assert_true(skr_engine_thread_wait(rig.engine, DEADLINE_S * SKR_SECOND));
    assert_true(skr_engine_thread_is_synced(rig.engine));
    end(&rig);
}

static void post_object(struct rig *rig, const struct skr_object_type *type, const char *text)
{
    json_t *json = json_loads(text, 0, NULL);
    struct skr_event event = {.kind = SKR_EVENT_UPSERT, .upsert = {.type = type}};
    assert_non_null(json);
    assert_int_equal(type->decode(json, &event.upsert.object, NULL), 0);
    json_decref(json);
    skr_engine_thread_post(rig->engine, &event);
}

static void post_group(struct rig *rig)
{
    post_object(
        rig, &skr_gang_node,
        "{\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"1\"},\"status\":{\"allocatable\":"
        "{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"9\"}}}");
    post_object(
        rig, &skr_gang_configmap,
        "{\"metadata\":{\"name\":\"g\",\"namespace\":\"d\",\"uid\":\"m\",\"resourceVersion\":"
        "\"2\",\"labels\":{\"sakkara.group\":\"\"}},\"data\":{\"name\":\"g\",\"size\":\"1\"}}");
    post_object(
        rig, &skr_gang_pod,
        "{\"metadata\":{\"name\":\"p\",\"namespace\":\"d\",\"uid\":\"u\",\"resourceVersion\":"
        "\"3\",\"labels\":{\"sakkara.group.name\":\"g\"}},\"spec\":{\"schedulerName\":"
        "\"sakkara\",\"schedulingGates\":[{\"name\":\"sakkara.gang\"}],\"containers\":[{"
        "\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}");
}

TEST(a_group_goes_by_timer_and_solver_to_its_commit)
{
    struct rig rig;
    begin(&rig);
    rig.solver = skr_worker_create(&skr_solve_work, on_solved, &rig, NULL);
    assert_non_null(rig.solver);
    start(&rig);
    post_group(&rig);
    post(&rig, SKR_EVENT_SYNCED);
    assert_true(wait_until(&rig, &rig.n_solved, 1));
    assert_true(wait_until(&rig, &rig.n_commits, 1));
    end(&rig);
}

TEST(everything_ends_while_work_is_under_way)
{
    for (int i = 0; i < 20; i++) {
        struct rig rig;
        begin(&rig);
        rig.settings.plan_delay = 0;
        rig.solver = skr_worker_create(&skr_solve_work, on_solved, &rig, NULL);
        start(&rig);
        post_group(&rig);
        post(&rig, SKR_EVENT_SYNCED);
        post(&rig, SKR_EVENT_SHUTDOWN);
        end(&rig);
    }
}

/* ---- the solver thread alone ---- */

struct results {
    struct rig rig;
    uint64_t id[8];
    enum skr_solve_status status[8];
};

static void keep_result(void *context, struct skr_work *work)
{
    struct results *r = context;
    const struct skr_solution *solution = skr_solve_request_of(work)->solution;
    assert_true(work->took_ns >= 0);
    pthread_mutex_lock(&r->rig.lock);
    r->id[r->rig.n_solved] = work->id;
    r->status[r->rig.n_solved] = solution ? solution->status : SKR_SOLVE_STATUS_COUNT;
    pthread_mutex_unlock(&r->rig.lock);
    skr_work_destroy(work);
    note(&r->rig, &r->rig.n_solved);
}

static struct skr_tree *one_leaf(void)
{
    const char *level = "node";
    struct skr_tree *tree = NULL;
    struct skr_tree_builder *builder = skr_tree_builder_create("t");
    assert_int_equal(skr_tree_builder_add(builder, 1, "n", NULL), 0);
    assert_int_equal(skr_tree_builder_finish(builder, &level, 1, NULL, 0, &tree, NULL, NULL), 0);
    skr_tree_builder_destroy(builder);
    return tree;
}

static struct skr_work *make_request(const struct skr_tree *tree, uint64_t id)
{
    static const struct skr_rule rule = {.type = SKR_RULE_PACK};
    static const int64_t one = 1, five = 5;
    struct skr_solve_request *request = skr_solve_request_create();
    request->arena = skr_arena_create(1 << 16, 0);
    request->work.id = id;
    request->tree = skr_tree_ref(tree);
    request->problem = (struct skr_problem){.tree = tree,
                                            .n = 3,
                                            .rule = &rule,
                                            .n_resources = 1,
                                            .demand = &one,
                                            .free = &five,
                                            .step_budget = -1,
                                            .cancel = &request->work.cancel};
    return &request->work;
}

TEST(results_come_in_order)
{
    static struct results r;
    begin(&r.rig);
    struct skr_tree *tree = one_leaf();
    struct skr_worker *solver = skr_worker_create(&skr_solve_work, keep_result, &r, NULL);
    for (uint64_t i = 1; i <= 5; i++) {
        skr_worker_post(solver, make_request(tree, i));
    }
    assert_true(wait_until(&r.rig, &r.rig.n_solved, 5));
    for (uint64_t i = 0; i < 5; i++) {
        assert_int_equal(r.id[i], i + 1);
        assert_int_equal(r.status[i], SKR_SOLVE_PLACED);
    }
    skr_worker_cancel(solver, 99);
    skr_worker_destroy(solver);
    skr_tree_unref(tree);
    end(&r.rig);
}

TEST(requests_that_wait_are_dropped_at_the_end)
{
    for (int i = 0; i < 20; i++) {
        static struct results r;
        begin(&r.rig);
        struct skr_tree *tree = one_leaf();
        struct skr_worker *solver = skr_worker_create(&skr_solve_work, keep_result, &r, NULL);
        for (uint64_t id = 1; id <= 5; id++) {
            skr_worker_post(solver, make_request(tree, id));
            skr_worker_cancel(solver, id);
        }
        skr_worker_destroy(solver);
        skr_tree_unref(tree);
        end(&r.rig);
    }
}

/* ---- heartbeat ---- */

/* Others that wait, and when the call was answered. */
struct overtaking {
    struct rig *rig;
    size_t entered, left, n_others, others_at_answer;
};

static void hold_engine(void *context, struct skr_engine *engine, skr_time now)
{
    struct overtaking *o = context;
    (void)engine;
    (void)now;
    note(o->rig, &o->entered);
    assert_true(wait_until(o->rig, &o->left, 1));
}

static void count_other(void *context, struct skr_engine *engine, skr_time now)
{
    struct overtaking *o = context;
    (void)engine;
    (void)now;
    pthread_mutex_lock(&o->rig->lock);
    o->others_at_answer += o->rig->n_answers == 0 ? 1 : 0;
    pthread_mutex_unlock(&o->rig->lock);
    note(o->rig, &o->n_others);
}

TEST(calls_overtake_all_that_waits_and_all_that_waits_is_handled)
{
    enum { OTHERS = 20000, CALLS = 20 };
    struct rig rig;
    struct overtaking o = {.rig = &rig};
    begin(&rig);
    start(&rig);
    skr_engine_thread_look(rig.engine, hold_engine, &o);
    assert_true(wait_until(&rig, &o.entered, 1));
    for (size_t i = 0; i < OTHERS; i++) {
        skr_engine_thread_look(rig.engine, count_other, &o);
    }
    for (uint64_t i = 1; i <= CALLS; i++) {
        post_bind(&rig, i);
    }
    note(&rig, &o.left);
    assert_true(skr_engine_thread_wait(rig.engine, DEADLINE_S * SKR_SECOND));
    assert_int_equal(o.others_at_answer, 0);
    assert_int_equal(o.n_others, OTHERS);
    assert_int_equal(rig.n_answers, CALLS);
    for (uint64_t i = 0; i < CALLS; i++) {
        assert_int_equal(rig.request[i], i + 1);
    }
    end(&rig);
}

/* Posts a further call whenever one of the others is handled. */
static void call_again(void *context, struct skr_engine *engine, skr_time now)
{
    struct overtaking *o = context;
    count_other(context, engine, now);
    post_bind(o->rig, 1);
}

TEST(calls_that_never_end_leave_turns_for_the_others)
{
    enum { OTHERS = 200 };
    struct rig rig;
    struct overtaking o = {.rig = &rig};
    begin(&rig);
    for (size_t i = 0; i < OTHERS; i++) {
        skr_engine_thread_look(rig.engine, call_again, &o);
    }
    start(&rig);
    assert_true(wait_until(&rig, &o.n_others, OTHERS));
    assert_true(wait_until(&rig, &rig.n_answers, OTHERS));
    end(&rig);
}

struct block {
    struct rig *rig;
    size_t entered, left;
};

static void block_engine(void *context, struct skr_engine *engine, skr_time now)
{
    struct block *block = context;
    (void)engine;
    (void)now;
    note(block->rig, &block->entered);
    assert_true(wait_until(block->rig, &block->left, 1));
}

TEST(a_thread_that_hangs_in_one_event_is_busy_for_ever_longer)
{
    struct rig rig;
    struct block block = {.rig = &rig};
    begin(&rig);
    start(&rig);
    skr_engine_thread_look(rig.engine, block_engine, &block);
    assert_true(wait_until(&rig, &block.entered, 1));
    while (skr_engine_thread_busy(rig.engine) < 20 * SKR_MILLISECOND) {
        ;
    }
    note(&rig, &block.left);
    assert_true(skr_engine_thread_wait(rig.engine, DEADLINE_S * SKR_SECOND));
    while (skr_engine_thread_busy(rig.engine) > 0) {
        ;
    }
    end(&rig);
}
