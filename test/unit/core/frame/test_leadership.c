/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several processes, one Lease, one API server in memory. Requests and answers take their time and
 * get lost, processes are paused, cut off and killed; whatever happens, no two of them lead at the
 * same moment, and somebody does again soon.
 */
#include "core/frame/leadership.h"
#include "test/test.h"

enum { PROCESSES = 3, TICK_MS = 10 };

/* A request on its way: applied at one time, answered at a later one, or never. */
struct request {
    enum skr_leadership_step step; /* REST: none */
    json_t *body;
    skr_time apply_at;  /* SKR_TIME_NEVER: lost on the way there */
    skr_time answer_at; /* the process gives up here when nothing came */
    bool lost;          /* the answer is */
    bool applied;
    enum skr_lease_outcome outcome;
    json_t *answer;
};

struct process {
    struct skr_leadership *leadership; /* NULL: dead */
    struct request request;
    skr_time paused_until;
    skr_time cut_off_until;
    char identity[32];
    char host[16];
    bool alone; /* follows one of its host that has ended */
};

struct world {
    skr_time now;
    json_t *lease;
    int64_t version;
    uint64_t random;
    skr_time latency_max; /* of each way */
    skr_time time_out;
    int names;
    struct process process[PROCESSES];
    struct request late[64]; /* given up by who sent them, but still on their way */
    skr_time led_at;         /* the last moment somebody led */
    skr_time longest_gap;
    skr_time wall_is_off;
};

static uint64_t dice(struct world *world, uint64_t bound)
{
    world->random = world->random * 6364136223846793005u + 1442695040888963407u;
    return (world->random >> 33) % bound;
}

static void process_start(struct world *world, struct process *process)
{
    struct skr_leadership_options options;
    skr_leadership_options_default(&options);
    (void)snprintf(process->identity, sizeof process->identity, "host_%d", world->names++);
    options.namespace_ = "ns";
    options.name = "sakkara";
    options.identity = process->identity;
    process->alone = false;
    process->leadership = skr_leadership_create(&options);
    skr_leadership_permit(process->leadership, true);
}

static void request_fini(struct request *request)
{
    json_decref(request->body);
    json_decref(request->answer);
    *request = (struct request){.step = SKR_LEADERSHIP_REST};
}

static void world_set_up(struct world *world)
{
    world->now = SKR_SECOND;
    world->random = 7;
    world->latency_max = 5 * SKR_MILLISECOND;
    world->time_out = 4 * SKR_SECOND;
    world->led_at = world->now;
}

static void world_tear_down(struct world *world)
{
    for (size_t i = 0; i < PROCESSES; i++) {
        skr_leadership_destroy(world->process[i].leadership);
        request_fini(&world->process[i].request);
    }
    for (size_t i = 0; i < sizeof world->late / sizeof world->late[0]; i++) {
        request_fini(&world->late[i]);
    }
    json_decref(world->lease);
}

/* ---- the server ---- */

static void store(struct world *world, const json_t *body)
{
    char version[24];
    json_t *lease = json_deep_copy(body);
    json_decref(world->lease);
    world->lease = lease;
    (void)snprintf(version, sizeof version, "%lld", (long long)++world->version);
    json_object_set_new(json_object_get(world->lease, "metadata"), "resourceVersion",
                        json_string(version));
}

static const char *version_of(const json_t *lease)
{
    return json_string_value(
        json_object_get(json_object_get(lease, "metadata"), "resourceVersion"));
}

static void apply(struct world *world, struct request *r)
{
    r->applied = true;
    r->outcome = SKR_LEASE_OK;
    if (r->step == SKR_LEADERSHIP_READ) {
        r->outcome = world->lease ? SKR_LEASE_OK : SKR_LEASE_NOT_FOUND;
    } else if (r->step == SKR_LEADERSHIP_CREATE && world->lease) {
        r->outcome = SKR_LEASE_CONFLICT;
    } else if (r->step == SKR_LEADERSHIP_UPDATE && !world->lease) {
        r->outcome = SKR_LEASE_NOT_FOUND;
    } else if (r->step == SKR_LEADERSHIP_UPDATE &&
               strcmp(version_of(r->body), version_of(world->lease)) != 0) {
        r->outcome = SKR_LEASE_CONFLICT;
    } else {
        store(world, r->body);
    }
    r->answer = r->outcome == SKR_LEASE_OK ? json_deep_copy(world->lease) : NULL;
}

/* ---- processes ---- */

static bool leads(const struct world *world, const struct process *process)
{
    return process->leadership && world->now >= process->paused_until &&
           world->now < skr_leadership_leads_until(process->leadership);
}

static void send_request(struct world *world, struct process *p, enum skr_leadership_step step,
                         const struct skr_strbuf *body)
{
    struct request *r = &p->request;
    skr_time there = (skr_time)dice(world, (uint64_t)world->latency_max + 1);
    skr_time back = (skr_time)dice(world, (uint64_t)world->latency_max + 1);
    *r = (struct request){.step = step,
                          .body = body->len > 0 ? json_loads(body->s, 0, NULL) : NULL,
                          .apply_at = world->now + there,
                          .answer_at = world->now + there + back};
    if (world->now < p->cut_off_until) {
        r->lost = true;
        if (dice(world, 2) == 0) {
            r->apply_at = SKR_TIME_NEVER;
        }
    }
    if (r->lost || r->answer_at - world->now > world->time_out) {
        r->lost = true;
        r->answer_at = world->now + world->time_out;
    }
}

static void give_up(struct world *world, const struct request *r)
{
    for (size_t i = 0; i < sizeof world->late / sizeof world->late[0]; i++) {
        struct request *late = &world->late[i];
        if (late->step == SKR_LEADERSHIP_REST) {
            *late = *r;
            json_incref(late->body);
            json_incref(late->answer);
            return;
        }
    }
    fail_msg("too many requests are late");
}

static void report(struct world *world, struct process *p)
{
    struct request *r = &p->request;
    enum skr_lease_outcome outcome = r->lost ? SKR_LEASE_UNKNOWN : r->outcome;
    if (r->lost && !r->applied && r->apply_at != SKR_TIME_NEVER) {
        give_up(world, r);
    }
    if (r->step == SKR_LEADERSHIP_READ) {
        skr_leadership_was_read(p->leadership, world->now, outcome, r->lost ? NULL : r->answer);
    } else {
        skr_leadership_was_written(p->leadership, world->now, outcome, r->lost ? NULL : r->answer);
    }
    request_fini(r);
}

/* What server/daemon/life_sign.h finds out on a machine. */
static bool has_ended(const struct world *world, const char *identity)
{
    for (size_t i = 0; i < PROCESSES; i++) {
        const struct process *p = &world->process[i];
        if (p->leadership && strcmp(p->identity, identity) == 0) {
            return false;
        }
    }
    return true;
}

static void process_run(struct world *world, struct process *p)
{
    SKR_STRBUF(body);
    skr_time at = 0;
    if (!p->leadership || world->now < p->paused_until) {
        return;
    }
    if (p->request.step != SKR_LEADERSHIP_REST) {
        if (world->now >= p->request.answer_at) {
            report(world, p);
        }
        return;
    }
    const char *holder = skr_leadership_holder(p->leadership);
    if (p->alone && skr_leadership_is_host(holder, p->host) && has_ended(world, holder)) {
        skr_leadership_holder_ended(p->leadership);
    }
    enum skr_leadership_step step =
        skr_leadership_next(p->leadership, world->now, world->now + world->wall_is_off, &body, &at);
    if (step != SKR_LEADERSHIP_REST) {
        send_request(world, p, step, &body);
    } else {
        assert_true(at > world->now);
    }
}

static void tick(struct world *world)
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof world->late / sizeof world->late[0]; i++) {
        struct request *r = &world->late[i];
        if (r->step != SKR_LEADERSHIP_REST && world->now >= r->apply_at) {
            apply(world, r);
            request_fini(r);
        }
    }
    for (size_t i = 0; i < PROCESSES; i++) {
        struct request *r = &world->process[i].request;
        if (r->step != SKR_LEADERSHIP_REST && !r->applied && world->now >= r->apply_at) {
            apply(world, r);
        }
    }
    for (size_t i = 0; i < PROCESSES; i++) {
        process_run(world, &world->process[i]);
        n += leads(world, &world->process[i]);
    }
    assert_true(n <= 1);
    if (n >= 1) {
        skr_time gap = world->now - world->led_at;
        world->longest_gap = gap > world->longest_gap ? gap : world->longest_gap;
        world->led_at = world->now;
    }
    world->now += TICK_MS * SKR_MILLISECOND;
}

static void run_for(struct world *world, skr_time duration)
{
    for (skr_time end = world->now + duration; world->now < end;) {
        tick(world);
    }
}

static struct process *leader_of(struct world *world)
{
    for (size_t i = 0; i < PROCESSES; i++) {
        if (leads(world, &world->process[i])) {
            return &world->process[i];
        }
    }
    return NULL;
}

static void start_all(struct world *world)
{
    for (size_t i = 0; i < PROCESSES; i++) {
        process_start(world, &world->process[i]);
    }
    run_for(world, 5 * SKR_SECOND);
    assert_non_null(leader_of(world));
    world->longest_gap = 0;
}

static void process_kill(struct process *p)
{
    skr_leadership_destroy(p->leadership);
    p->leadership = NULL;
    request_fini(&p->request);
}

/* ---- tests ---- */

TEST_WITH(world, the_first_to_come_leads_at_once_and_goes_on)
{
    process_start(world, &world->process[0]);
    run_for(world, SKR_SECOND);
    assert_true(leads(world, &world->process[0]));
    world->longest_gap = 0;
    run_for(world, 120 * SKR_SECOND);
    assert_true(leads(world, &world->process[0]));
    assert_true(world->longest_gap <= TICK_MS * SKR_MILLISECOND);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(world->lease, "spec"),
                                                        "leaseTransitions")),
                     0);
}

TEST_WITH(world, a_leader_that_is_killed_is_followed_within_fifteen_seconds)
{
    for (int round = 0; round < 50; round++) {
        start_all(world);
        run_for(world, (skr_time)dice(world, 5000) * SKR_MILLISECOND);
        process_kill(leader_of(world));
        skr_time killed = world->now;
        while (!leader_of(world)) {
            tick(world);
        }
        assert_true(world->now - killed <= 15 * SKR_SECOND);
        for (size_t i = 0; i < PROCESSES; i++) {
            process_kill(&world->process[i]);
        }
        json_decref(world->lease);
        world->lease = NULL;
    }
}

TEST_WITH(world, a_leader_that_ends_in_order_is_followed_within_two_seconds)
{
    start_all(world);
    struct process *old = leader_of(world);
    skr_time told = world->now;
    skr_leadership_permit(old->leadership, false);
    assert_false(leads(world, old));
    while (!leader_of(world)) {
        tick(world);
    }
    assert_true(world->now - told <= 2 * SKR_SECOND);
    assert_true(skr_leadership_is_out(old->leadership));
    assert_true(skr_leadership_was_handed_over(leader_of(world)->leadership));
}

TEST_WITH(world, a_leader_paused_beyond_its_lease_does_not_lead_when_it_wakes)
{
    start_all(world);
    struct process *old = leader_of(world);
    old->paused_until = world->now + 30 * SKR_SECOND;
    run_for(world, 30 * SKR_SECOND);
    struct process *next = leader_of(world);
    assert_non_null(next);
    assert_ptr_not_equal(next, old);
    assert_true(world->longest_gap <= 15 * SKR_SECOND);
    run_for(world, 30 * SKR_SECOND);
    assert_ptr_equal(leader_of(world), next);
}

TEST_WITH(world, a_leader_cut_off_from_the_server_stops_before_another_starts)
{
    start_all(world);
    struct process *old = leader_of(world);
    old->cut_off_until = world->now + 60 * SKR_SECOND;
    run_for(world, 10 * SKR_SECOND + SKR_SECOND);
    assert_false(leads(world, old));
    run_for(world, 6 * SKR_SECOND);
    assert_non_null(leader_of(world));
    assert_true(world->longest_gap <= 15 * SKR_SECOND);
}

TEST_WITH(world, a_lease_that_is_deleted_is_made_again_by_who_leads)
{
    start_all(world);
    struct process *old = leader_of(world);
    json_decref(world->lease);
    world->lease = NULL;
    run_for(world, 30 * SKR_SECOND);
    assert_ptr_equal(leader_of(world), old);
    assert_non_null(world->lease);
}

TEST_WITH(world, a_change_of_the_lease_by_somebody_else_is_not_overwritten)
{
    start_all(world);
    struct process *old = leader_of(world);
    json_object_set_new(json_object_get(world->lease, "metadata"), "labels",
                        json_pack("{s:s}", "a", "b"));
    store(world, world->lease);
    run_for(world, 30 * SKR_SECOND);
    assert_ptr_equal(leader_of(world), old);
    assert_non_null(json_object_get(json_object_get(world->lease, "metadata"), "labels"));
}

TEST_WITH(world, who_may_not_lead_never_does_and_gives_back)
{
    process_start(world, &world->process[0]);
    skr_leadership_permit(world->process[0].leadership, false);
    run_for(world, 10 * SKR_SECOND);
    assert_null(world->lease);
    skr_leadership_permit(world->process[0].leadership, true);
    run_for(world, SKR_SECOND);
    assert_true(leads(world, &world->process[0]));
    skr_leadership_permit(world->process[0].leadership, false);
    run_for(world, 10 * SKR_SECOND);
    assert_null(leader_of(world));
    assert_string_equal(skr_leadership_holder(world->process[0].leadership), "");
}

TEST_WITH(world, records_of_nonsense_are_taken_over_in_time)
{
    static const char *const specs[] = {
        "{\"metadata\":{\"resourceVersion\":\"x\"}}",
        "{\"metadata\":{\"resourceVersion\":\"x\"},\"spec\":[1]}",
        "{\"metadata\":{\"resourceVersion\":\"x\"},\"spec\":{\"holderIdentity\":17}}",
        "{\"metadata\":{\"resourceVersion\":\"x\"},\"spec\":{\"holderIdentity\":\"other\","
        "\"leaseDurationSeconds\":1000000000000}}",
        "{\"metadata\":{\"resourceVersion\":\"x\"},\"spec\":{\"holderIdentity\":\"other\","
        "\"leaseDurationSeconds\":-5,\"leaseTransitions\":2147483647}}",
    };
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        process_start(world, &world->process[0]);
        json_decref(world->lease);
        world->lease = json_loads(specs[i], 0, NULL);
        run_for(world, 62 * SKR_SECOND);
        assert_true(leads(world, &world->process[0]));
        process_kill(&world->process[0]);
    }
}

/* One random thing that befalls somebody. */
static void befall(struct world *world)
{
    struct process *p = &world->process[dice(world, PROCESSES)];
    skr_time a_while = (skr_time)dice(world, 25000) * SKR_MILLISECOND;
    switch (dice(world, 7)) {
    case 0:
        p->paused_until = world->now + a_while;
        break;
    case 1:
        p->cut_off_until = world->now + a_while;
        break;
    case 2:
        process_kill(p);
        break;
    case 3:
        if (!p->leadership) {
            process_start(world, p);
        }
        break;
    case 4:
        if (p->leadership) {
            skr_leadership_permit(p->leadership, dice(world, 2));
        }
        break;
    case 5:
        world->latency_max = (skr_time)dice(world, 6000) * SKR_MILLISECOND;
        break;
    default:
        break;
    }
}

TEST_WITH(world, never_two_lead_whatever_happens_and_somebody_does_in_the_end)
{
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 10; i++) {
            befall(world);
            run_for(world, (skr_time)dice(world, 10000) * SKR_MILLISECOND);
        }
        world->latency_max = 5 * SKR_MILLISECOND;
        for (size_t i = 0; i < PROCESSES; i++) {
            struct process *p = &world->process[i];
            p->paused_until = p->cut_off_until = 0;
            if (!p->leadership) {
                process_start(world, p);
            }
            skr_leadership_permit(p->leadership, true);
        }
        run_for(world, 20 * SKR_SECOND);
        assert_non_null(leader_of(world));
    }
}

/* The wall clock is written for people and read by no process. */
TEST_WITH(world, a_wall_clock_that_jumps_an_hour_either_way_changes_no_leader)
{
    static const skr_time jumps[] = {3600 * SKR_SECOND, 0, -3600 * SKR_SECOND, 0};
    world->now = 2 * 3600 * SKR_SECOND;
    world->led_at = world->now;
    start_all(world);
    const struct process *leader = leader_of(world);
    for (size_t i = 0; i < sizeof jumps / sizeof jumps[0]; i++) {
        world->wall_is_off = jumps[i];
        run_for(world, 60 * SKR_SECOND);
        assert_ptr_equal(leader_of(world), leader);
    }
    assert_true(world->longest_gap <= TICK_MS * SKR_MILLISECOND);
}

/* ---- one process that should be alone ---- */

static void start_alone(struct world *world, struct process *process, const char *host)
{
    struct skr_leadership_options options;
    skr_leadership_options_default(&options);
    (void)snprintf(process->host, sizeof process->host, "%s", host);
    (void)snprintf(process->identity, sizeof process->identity, "%s_%d", host, world->names++);
    options.namespace_ = "ns";
    options.name = "sakkara";
    options.identity = process->identity;
    process->leadership = skr_leadership_create(&options);
    process->alone = true;
    skr_leadership_permit(process->leadership, true);
}

TEST_WITH(world, a_process_that_should_be_alone_follows_a_dead_one_of_its_host_at_once)
{
    start_alone(world, &world->process[0], "pod-a");
    run_for(world, SKR_SECOND);
    process_kill(&world->process[0]);
    start_alone(world, &world->process[1], "pod-a");
    run_for(world, SKR_SECOND);
    assert_true(leads(world, &world->process[1]));
}

TEST_WITH(world, a_process_that_should_be_alone_waits_beside_a_live_one_of_another_host)
{
    start_alone(world, &world->process[0], "pod-a");
    run_for(world, SKR_SECOND);
    start_alone(world, &world->process[1], "laptop");
    for (int i = 0; i < 60; i++) {
        run_for(world, SKR_SECOND);
        assert_true(leads(world, &world->process[0]));
        assert_false(leads(world, &world->process[1]));
    }
    process_kill(&world->process[0]);
    run_for(world, 15 * SKR_SECOND);
    assert_true(leads(world, &world->process[1]));
}

/* Also beside replicas that elect a leader. */
TEST_WITH(world, a_process_that_should_be_alone_does_not_take_the_lease_from_an_elected_leader)
{
    start_all(world);
    struct process *leader = leader_of(world);
    process_kill(leader == &world->process[2] ? &world->process[1] : &world->process[2]);
    start_alone(world, leader == &world->process[2] ? &world->process[1] : &world->process[2],
                "laptop");
    run_for(world, 60 * SKR_SECOND);
    assert_true(leads(world, leader));
}

/* By mistake, or on a test bench. */
TEST_WITH(world, of_two_live_ones_on_one_host_the_first_one_goes_on)
{
    start_alone(world, &world->process[0], "laptop");
    run_for(world, SKR_SECOND);
    start_alone(world, &world->process[1], "laptop");
    for (int i = 0; i < 60; i++) {
        run_for(world, SKR_SECOND);
        assert_true(leads(world, &world->process[0]));
        assert_false(leads(world, &world->process[1]));
    }
    process_kill(&world->process[0]); /* and now it has ended */
    run_for(world, 2 * SKR_SECOND);
    assert_true(leads(world, &world->process[1]));
}

TEST_WITH(world, one_that_is_paused_has_not_ended)
{
    start_alone(world, &world->process[0], "pod-a");
    run_for(world, SKR_SECOND);
    world->process[0].paused_until = world->now + 8 * SKR_SECOND;
    start_alone(world, &world->process[1], "pod-a");
    run_for(world, 9 * SKR_SECOND);
    assert_true(leads(world, &world->process[0]));
    assert_false(leads(world, &world->process[1]));
}

/* The proof is of one holder. */
TEST_WITH(world, a_process_that_ended_is_no_proof_about_the_next_holder)
{
    start_alone(world, &world->process[0], "pod-a");
    run_for(world, SKR_SECOND);
    process_kill(&world->process[0]);
    start_alone(world, &world->process[1], "pod-a");
    start_alone(world, &world->process[2], "pod-a");
    run_for(world, 2 * SKR_SECOND);
    struct process *leader = leader_of(world);
    assert_non_null(leader);
    run_for(world, 60 * SKR_SECOND);
    assert_true(leads(world, leader));
}

TEST(a_holder_is_on_a_host_by_its_name_and_an_underscore)
{
    assert_true(skr_leadership_is_host("node-1_6f1e", "node-1"));
    assert_false(skr_leadership_is_host("node-11_6f1e", "node-1"));
    assert_false(skr_leadership_is_host("node-1", "node-1"));
    assert_false(skr_leadership_is_host("", "node-1"));
    assert_false(skr_leadership_is_host("_6f1e", ""));
}
