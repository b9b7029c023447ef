/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every round gets a timeline of its own, from what runs. Instants of rounds begin at EPOCH, because
 * a time of 0 is none.
 */
#include "server/lab/replay/replay.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

enum {
    EPOCH = 1000000,
    CACHE_BYTES = 64 * 1024 * 1024, /* of the solver's sets */
    ROUNDS_MAX = 8,                 /* at one instant, while promises move earlier */
};

const struct skr_replay_policy skr_replay_policy[] = {
    {.name = "sakkara", .reservations = -1, .keeps = true},
    {.name = "fifo", .alone = true},
    {.name = "besteffort"},
    {.name = "easy", .reservations = 1},
    {.name = "conservative", .reservations = SKR_RESERVATIONS_MAX},
    {.name = NULL},
};

static const int64_t clock_end = 6000000000; /* 190 years: times in nanoseconds have room */
static const uint16_t resource = 0;

struct waiter {
    size_t job;
    bool holds;  /* stored, and at */
    int64_t far; /* its start comes within the horizon then; SKR_INSTANT_NEVER: unset */
    struct skr_stored_reservation stored;
    struct skr_place_leaf *at;
};
struct runner {
    size_t job;
    struct skr_place place;
};

struct replay {
    const struct skr_replay_jobs *jobs;
    const struct skr_replay_cluster *cluster;
    const struct skr_replay_options *options;
    struct skr_replay_outcome *ret;
    struct skr_solver_cache *cache;
    int64_t now, last; /* last: arrival */
    size_t next;       /* the job that arrives next */
    int64_t *free;     /* [leaf] */
    int64_t used;
    struct waiter *waiter; /* in order */
    size_t n_waiters, cap_waiters;
    struct runner *runner;
    size_t n_runners, cap_runners;
    /* Of a round. */
    struct skr_problem *problem;
    struct skr_round_group *group;
    size_t cap_problems, cap_groups;
};

static bool keeps_drains(const struct replay *r)
{
    return r->options->policy->reservations < 0 && r->options->patience != SKR_INSTANT_NEVER;
}

/* ---- the cluster ---- */

static void count_room(struct replay *r, const struct runner *runner, int64_t sign)
{
    const struct skr_replay_job *job = &r->jobs->job[runner->job];
    for (size_t i = 0; i < runner->place.n; i++) {
        const struct skr_place_leaf *at = &runner->place.at[i];
        r->free[at->leaf] -= sign * at->count * job->demand;
        r->used += sign * at->count * job->demand;
    }
}

static int64_t free_racks(const struct replay *r)
{
    const struct skr_tree *tree = r->cluster->tree;
    const int32_t level = skr_replay_rack_level(tree);
    int32_t used = -1;
    int64_t racks = tree->level_first[level + 1] - tree->level_first[level];
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        const bool busy = r->free[leaf] < r->cluster->slots[leaf];
        const int32_t rack = busy ? skr_tree_unit_at(tree, leaf, level) : used;
        racks -= rack != used;
        used = rack;
    }
    return racks;
}

/* Time passes until t; what was used is summed up to the last arrival. */
static void pass_time(struct replay *r, int64_t t)
{
    const int64_t end = t < r->last ? t : r->last;
    if (end > r->now) {
        r->ret->slot_seconds += r->used * (end - r->now);
        r->ret->free_rack_seconds += free_racks(r) * (end - r->now);
    }
    r->now = t;
}

/* ---- events ---- */

/* SKR_INSTANT_NEVER: nothing is to come. */
static int64_t next_instant(const struct replay *r)
{
    int64_t next = r->next < r->jobs->n ? EPOCH + r->jobs->job[r->next].arrival : SKR_INSTANT_NEVER;
    for (size_t i = 0; i < r->n_runners; i++) {
        const int64_t end = EPOCH + r->ret->fate[r->runner[i].job].end;
        next = end < next ? end : next;
    }
    for (size_t i = 0; i < r->n_waiters; i++) {
        const struct waiter *w = &r->waiter[i];
        const int64_t begin = EPOCH + r->jobs->job[w->job].arrival;
        const int64_t wake = w->holds          ? w->stored.start
                             : keeps_drains(r) ? skr_instant_plus(begin, r->options->patience)
                                               : SKR_INSTANT_NEVER;
        next = wake > r->now && wake < next ? wake : next;
        next = w->far > r->now && w->far < next ? w->far : next;
    }
    return next;
}

static void end_runners(struct replay *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->n_runners; i++) {
        struct runner *runner = &r->runner[i];
        if (EPOCH + r->ret->fate[runner->job].end > r->now) {
            r->runner[kept++] = *runner;
        } else {
            count_room(r, runner, -1);
            skr_place_fini(&runner->place);
        }
    }
    r->n_runners = kept;
}

static struct skr_problem problem_of(const struct replay *r, const struct skr_replay_job *job)
{
    return (struct skr_problem){.tree = r->cluster->tree,
                                .n = job->size,
                                .rule = job->rule,
                                .n_resources = 1,
                                .demand = &job->demand,
                                .free = r->free,
                                .capacity = r->cluster->slots,
                                .step_budget = -1};
}

/* Jobs of this instant wait; those that never fit do not. */
static int arrive(struct replay *r, struct skr_error *error)
{
    int rc = 0;
    for (; r->next < r->jobs->n && rc == 0; r->next++) {
        const struct skr_replay_job *job = &r->jobs->job[r->next];
        struct skr_problem empty = problem_of(r, job);
        enum skr_solve_status status;
        size_t at = r->n_waiters;
        if (EPOCH + job->arrival > r->now) {
            break;
        }
        empty.free = r->cluster->slots;
        rc = skr_solver_cache_feasible(r->cache, &empty, NULL, 0, &status, error);
        if (rc < 0 || status != SKR_SOLVE_PLACED) {
            continue;
        }
        skr_grow(&r->waiter, &r->cap_waiters, r->n_waiters + 1, sizeof *r->waiter);
        while (at > 0 && r->jobs->job[r->waiter[at - 1].job].priority < job->priority) {
            at--;
        }
        memmove(&r->waiter[at + 1], &r->waiter[at], (r->n_waiters - at) * sizeof *r->waiter);
        r->waiter[at] = (struct waiter){.job = r->next, .far = SKR_INSTANT_NEVER};
        r->n_waiters++;
    }
    return rc;
}

/* ---- a round ---- */

static struct skr_timeline *make_timeline(const struct replay *r)
{
    struct skr_timeline *t = skr_timeline_create(r->cluster->tree->n_leaves, r->now);
    bool room = true;
    for (size_t i = 0; i < r->n_runners; i++) {
        const struct runner *runner = &r->runner[i];
        const struct skr_replay_job *job = &r->jobs->job[runner->job];
        const struct skr_pod_times times = {
            .deadline_s = job->limit == SKR_INSTANT_NEVER ? 0 : job->limit,
            .started = (EPOCH + r->ret->fate[runner->job].start) * SKR_SECOND};
        const struct skr_pod_end end = skr_end_of(&times, SKR_INSTANT_NEVER, r->now);
        const bool known = end.kind == SKR_END_LIMIT;
        const int64_t at = known ? end.at : skr_end_guess(&times, SKR_INSTANT_NEVER, r->now);
        for (size_t k = 0; k < runner->place.n && room; k++) {
            const struct skr_place_leaf *leaf = &runner->place.at[k];
            struct skr_amount item = {.resource = resource, .amount = leaf->count * job->demand};
            room = skr_timeline_add_end(t, leaf->leaf, at, &(struct skr_amounts){1, &item},
                                        (uint32_t)runner->job, !known);
        }
    }
    if (!room) {
        skr_timeline_destroy(t);
        t = NULL;
    }
    return t;
}

static void make_group(struct replay *r, size_t i)
{
    struct waiter *w = &r->waiter[i];
    const struct skr_replay_job *job = &r->jobs->job[w->job];
    r->problem[i] = problem_of(r, job);
    w->stored.at = w->at;
    r->group[i] = (struct skr_round_group){
        .owner = (uint32_t)w->job,
        .question = {.problem = &r->problem[i],
                     .resource = &resource,
                     .holds = job->limit > SKR_END_BEYOND_S ? SKR_INSTANT_NEVER : job->limit,
                     .cut = SKR_INSTANT_NEVER,
                     .choose = r->options->place->choose},
        .all_n = job->size,
        .step = 1,
        .begin = EPOCH + job->arrival,
        .priority = job->priority,
        .stored = w->holds && r->options->policy->keeps ? &w->stored : NULL};
}

static bool is_split(const struct replay *r, const struct skr_replay_job *job,
                     const struct skr_place *place)
{
    const struct skr_tree *tree = r->cluster->tree;
    const int32_t level = skr_replay_rack_level(tree);
    int32_t rack = -1;
    int64_t most = 0, members = 0;
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        const int32_t here = skr_tree_unit_at(tree, leaf, level);
        members = (here == rack ? members : 0) + r->cluster->slots[leaf] / job->demand;
        most = members > most ? members : most;
        rack = here;
    }
    return most >= job->size && skr_tree_unit_at(tree, place->at[0].leaf, level) !=
                                    skr_tree_unit_at(tree, place->at[place->n - 1].leaf, level);
}

static void start(struct replay *r, const struct waiter *w, struct skr_round_group *g)
{
    const struct skr_replay_job *job = &r->jobs->job[w->job];
    struct skr_replay_fate *fate = &r->ret->fate[w->job];
    fate->start = r->now - EPOCH;
    fate->end = fate->start + (job->run < job->limit ? job->run : job->limit);
    fate->backfilled = g->backfills;
    fate->split = is_split(r, job, &g->place);
    skr_grow(&r->runner, &r->cap_runners, r->n_runners + 1, sizeof *r->runner);
    r->runner[r->n_runners] = (struct runner){.job = w->job, .place = g->place};
    g->place = (struct skr_place){0};
    count_room(r, &r->runner[r->n_runners++], 1);
}

/* What the job holds now, for the next round. */
static void hold(struct replay *r, struct waiter *w, struct skr_round_group *g)
{
    struct skr_replay_fate *fate = &r->ret->fate[w->job];
    free(w->at);
    w->at = NULL;
    w->holds = g->held;
    w->far = g->far == SKR_INSTANT_NEVER ? g->far : g->far - r->options->horizon;
    if (!g->held) {
        return;
    }
    w->stored = (struct skr_stored_reservation){.start = g->start,
                                                .promised = g->promised,
                                                .since = g->since,
                                                .guess = g->state == SKR_ROUND_DRAIN,
                                                .n = g->place.n};
    w->at = g->place.at;
    g->place.at = NULL;
    fate->drained = fate->drained || w->stored.guess;
    if (!w->stored.guess && fate->promised == SKR_INSTANT_NEVER) {
        fate->promised = g->start - EPOCH;
    }
}

/* Counts a promise that was moved later. */
static void count_move(struct replay *r, const struct waiter *w, const struct skr_round_group *g)
{
    const bool later =
        g->state != SKR_ROUND_STARTS && !(g->held && g->start <= w->stored.start + SKR_MOVE_S);
    if (w->holds && r->options->policy->keeps) {
        r->ret->moves[g->moved] += g->moved != SKR_MOVED_NOT;
    } else if (w->holds && !w->stored.guess) {
        r->ret->moves[SKR_MOVED_NOT] += later;
    }
}

/* Takes the answers for the first n. *ret_freed: a promise was moved earlier. True: some start. */
static bool take_answers(struct replay *r, size_t n, bool *ret_freed)
{
    size_t kept = 0;
    *ret_freed = false;
    for (size_t i = 0; i < r->n_waiters; i++) {
        struct waiter *w = &r->waiter[i];
        struct skr_round_group *g = &r->group[i];
        if (i < n) {
            count_move(r, w, g);
            *ret_freed = *ret_freed || (g->stored && (!g->held || g->start < w->stored.start));
        }
        if (i < n && g->state == SKR_ROUND_STARTS) {
            start(r, w, g);
            free(w->at);
            continue;
        }
        if (i < n) {
            hold(r, w, g);
        }
        r->waiter[kept++] = *w;
    }
    const bool any = kept < r->n_waiters;
    r->n_waiters = kept;
    return any;
}

/* One round over the first n of those that wait. */
static int play_round(struct replay *r, size_t n, bool *ret_started, bool *ret_freed,
                      struct skr_error *error)
{
    const struct skr_replay_options *o = r->options;
    const bool own = o->policy->reservations < 0;
    struct skr_timeline *timeline = make_timeline(r);
    if (!timeline) {
        return skr_error_set(error, SKR_LIMIT, "more than %d changes of room at a time",
                             SKR_ENDS_MAX);
    }
    skr_grow(&r->problem, &r->cap_problems, n, sizeof *r->problem);
    skr_grow(&r->group, &r->cap_groups, n, sizeof *r->group);
    for (size_t i = 0; i < n; i++) {
        make_group(r, i);
    }
    struct skr_round round = {.timeline = timeline,
                              .cache = r->cache,
                              .group = r->group,
                              .n = n,
                              .reservations = own ? o->reservations : o->policy->reservations,
                              .patience = own ? o->patience : SKR_INSTANT_NEVER,
                              .horizon = own ? o->horizon : 0};
    const int rc = skr_round_run(&round, error);
    if (rc == 0) {
        *ret_started = take_answers(r, n, ret_freed);
    }
    for (size_t i = 0; i < n; i++) {
        skr_round_group_fini(&r->group[i]);
    }
    skr_timeline_destroy(timeline);
    r->ret->rounds++;
    return rc;
}

static int decide(struct replay *r, struct skr_error *error)
{
    const bool alone = r->options->policy->alone;
    bool again = r->n_waiters > 0;
    int rc = 0;
    for (int i = 0; again && rc == 0 && (alone || i < ROUNDS_MAX); i++) {
        bool started = false, freed = false;
        rc = play_round(r, alone ? 1 : r->n_waiters, &started, &freed, error);
        again = (alone ? started : freed) && r->n_waiters > 0;
    }
    return rc;
}

/* ---- the whole ---- */

static void replay_init(struct replay *r)
{
    const struct skr_replay_jobs *jobs = r->jobs;
    const size_t leaves = (size_t)r->cluster->tree->n_leaves;
    *r->ret =
        (struct skr_replay_outcome){.fate = skr_alloc_array(jobs->n + 1, sizeof *r->ret->fate)};
    for (size_t i = 0; i < jobs->n; i++) {
        r->ret->fate[i] = (struct skr_replay_fate){
            .start = SKR_INSTANT_NEVER, .end = SKR_INSTANT_NEVER, .promised = SKR_INSTANT_NEVER};
    }
    r->free = skr_alloc_array(leaves + 1, sizeof *r->free);
    memcpy(r->free, r->cluster->slots, leaves * sizeof *r->free);
    r->now = EPOCH + (jobs->n > 0 ? jobs->job[0].arrival : 0);
    r->last = EPOCH + (jobs->n > 0 ? jobs->job[jobs->n - 1].arrival : 0);
}

static void replay_fini(struct replay *r)
{
    for (size_t i = 0; i < r->n_waiters; i++) {
        free(r->waiter[i].at);
    }
    for (size_t i = 0; i < r->n_runners; i++) {
        skr_place_fini(&r->runner[i].place);
    }
    free(r->waiter);
    free(r->runner);
    free(r->problem);
    free(r->group);
    free(r->free);
    skr_solver_cache_destroy(r->cache);
}

int skr_replay_run(const struct skr_replay_jobs *jobs, const struct skr_replay_cluster *cluster,
                   const struct skr_replay_options *options, struct skr_replay_outcome *ret,
                   struct skr_error *error)
{
    struct replay r = {.jobs = jobs,
                       .cluster = cluster,
                       .options = options,
                       .ret = ret,
                       .cache = skr_solver_cache_create(CACHE_BYTES)};
    int rc = r.cache ? 0 : skr_error_set(error, SKR_NO_MEMORY, "out of memory");
    int64_t next;
    replay_init(&r);
    while (rc == 0 && (next = next_instant(&r)) != SKR_INSTANT_NEVER) {
        if (next > clock_end) {
            rc = skr_error_set(error, SKR_LIMIT, "the jobs take more than %lld seconds",
                               (long long)(clock_end - EPOCH));
            break;
        }
        pass_time(&r, next);
        end_runners(&r);
        rc = arrive(&r, error);
        rc = rc < 0 ? rc : decide(&r, error);
    }
    replay_fini(&r);
    return rc;
}

void skr_replay_outcome_fini(struct skr_replay_outcome *outcome)
{
    free(outcome->fate);
    *outcome = (struct skr_replay_outcome){0};
}

int64_t skr_replay_largest(const struct skr_replay_cluster *cluster, int32_t level)
{
    const struct skr_tree *tree = cluster->tree;
    int64_t most = 0, here = 0;
    int32_t unit = -1;
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        const int32_t at = skr_tree_unit_at(tree, leaf, level);
        here = (at == unit ? here : 0) + cluster->slots[leaf];
        most = here > most ? here : most;
        unit = at;
    }
    return most;
}
