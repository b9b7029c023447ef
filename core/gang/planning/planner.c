/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes plans: takes the next group in the queue, sends its problem to the solver, and handles the
 * answer.
 *
 * One solve runs at a time, so two groups never plan for the same room. Changes during the solve
 * are found by checking the answer against the present ledger before it is committed. Groups that
 * are known to fit are solved on cached slots (fit_cache.h); the others on a full problem, whose
 * answer has an explanation. A solve that only updates an old reason is cancelled when a plan can
 * be made.
 */
#include "core/gang/planning/planner.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/fit_cache.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/topology.h"
#include "core/gang/changes/plan_loss.h"
#include "core/gang/group/attempt.h"
#include "core/gang/group/claims.h"
#include "core/gang/group/group_state.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/seat_holds.h"
#include "core/gang/group/solve_share.h"
#include "core/gang/group/yielding.h"
#include "core/gang/plan/plan.h"
#include "core/gang/planning/commit.h"
#include "core/gang/planning/queue.h"
#include "core/gang/planning/replacing.h"
#include "core/gang/planning/unplaced.h"
#include "core/gang/preempt/preemption.h"
#include "core/gang/preempt/sooner.h"
#include "core/gang/preempt/victim_gains.h"
#include "core/gang/preempt/victim_problem.h"
#include "core/gang/preempt/victim_search.h"
#include "core/gang/problem/device_turns.h"
#include "core/gang/problem/fit.h"
#include "core/gang/problem/paper.h"
#include "core/gang/problem/problem.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/output.h"
#include "core/gang/state/reason.h"
#include "core/gang/state/requests.h"

#include <string.h>
#include <utlist.h>

/* The solve that runs. */
struct planner {
    uint64_t solve; /* its id; 0 none */
    char *group;
    uint64_t input_epoch; /* of the group, at the start of the solve */
    uint64_t seen;        /* the stamp then */
    bool cancelled;
    bool ended;       /* by a change of its group */
    bool at_home;     /* at the places that its newcomers had; if that fails, anywhere */
    bool probed_only; /* on probed nodes only; if that fails, on all */
    bool rescue;      /* for members in Binding whose node is gone */
    bool elsewhere;   /* for a plan that waits for victims, as if it did not exist */
    bool of_slots;    /* the cache says it fits: a placement, no explanation */
    bool preempting;  /* it does not fit: a search for victims */
    bool yielding;    /* that search is for held seats and idle plans that yield */
    bool reporting;   /* it still does not fit: its reason is updated */
    char **uid;       /* the newcomers of the solve */
    size_t n_uids;
};

/* ---- starting a solve ---- */

/* Members of the plan that need another node, or may have one: all, if it waits for victims. */
static struct pod_entry **planned_members(struct skr_gang *e, struct group *g, size_t *ret_n)
{
    struct pod_entry **list = skr_alloc_array(g->n_members ? g->n_members : 1, sizeof *list);
    struct pod_entry *p;
    size_t n = 0;
    DL_FOREACH(g->members, p)
    {
        const bool waits = g->plan->preempting && !skr_pods_is_bound(p);
        if (p->plan == g->plan && (waits || skr_plan_is_stranded(e, p))) {
            list[n++] = p;
        }
    }
    *ret_n = n;
    return list;
}

static void forget_solve(struct skr_gang *e)
{
    for (size_t i = 0; i < e->planner->n_uids; i++) {
        free(e->planner->uid[i]);
    }
    free(e->planner->uid);
    free(e->planner->group);
    e->planner->uid = NULL;
    e->planner->n_uids = 0;
    e->planner->group = NULL;
    e->planner->solve = 0;
}

void skr_planner_init(struct skr_gang *e)
{
    e->planner = skr_alloc(sizeof *e->planner);
}

void skr_planner_fini(struct skr_gang *e)
{
    forget_solve(e);
    free(e->planner);
    e->planner = NULL;
}

bool skr_planner_is_busy(const struct skr_gang *e)
{
    return e->planner->solve != 0;
}

bool skr_planner_is_solving(const struct skr_gang *e, const struct group *g)
{
    return e->planner->solve && strcmp(e->planner->group, g->key) == 0;
}

static void no_placement(struct skr_gang *e, struct group *g, enum skr_reason reason,
                         const char *message, uint64_t seen, uint64_t input)
{
    skr_attempt_failed(g, seen, input);
    skr_group_state_reason(g, reason, message);
    if (g->state == GROUP_READY) {
        skr_group_state_enter(e, g, GROUP_BACKOFF);
    }
    skr_seen_note(&e->seen, SEEN_WAITING);
    skr_dirty_group(e, g);
}

/* Whether the group fits on the slots and the full problem is not stricter. */
static bool slots_suffice(struct skr_gang *e, const struct group *g,
                          struct pod_entry *const *newcomers, size_t n, enum fit_answer fit)
{
    return fit == FIT_YES && !g->plan && !skr_problem_has_probes(e, g, newcomers, n) &&
           !skr_paper_charges(e, g) && skr_problem_is_of_room(e, newcomers, n);
}

/* Sends a request for these newcomers. */
static void begin(struct skr_gang *e, struct group *g, struct skr_solve_request *request,
                  struct pod_entry *const *newcomers, size_t n)
{
    e->planner->solve = skr_out_solve(e, request);
    e->planner->group = skr_strdup(g->key);
    e->planner->input_epoch = g->input_epoch;
    e->planner->seen = e->seen.now;
    e->planner->cancelled = false;
    e->planner->ended = false;
    e->planner->at_home = false;
    e->planner->probed_only = false;
    e->planner->rescue = false;
    e->planner->elsewhere = false;
    e->planner->of_slots = false;
    e->planner->preempting = false;
    e->planner->yielding = false;
    e->planner->reporting = false;
    e->planner->uid = skr_alloc_array(n + 1, sizeof *e->planner->uid);
    e->planner->n_uids = n;
    for (size_t i = 0; i < n; i++) {
        e->planner->uid[i] = skr_strdup(newcomers[i]->uid);
    }
}

/* Starts a search for what may make room for it. */
static void start_preemption(struct skr_gang *e, struct group *g, bool yielding)
{
    struct skr_error error = {.text = "out of memory"};
    size_t n;
    SKR_AUTO_FREE struct pod_entry **newcomers = skr_membership_plannable(e, g, &n);
    struct skr_solve_request *request =
        skr_topology_is_usable(e) && n > 0
            ? skr_victim_problem_build(e, g, newcomers, n, yielding, &error)
            : NULL;
    if (request) {
        begin(e, g, request, newcomers, n);
        e->planner->preempting = true;
        e->planner->yielding = yielding;
    } else {
        skr_victim_search_failed(e, g, e->seen.now, g->input_epoch, 0);
        skr_dirty_plan(e);
    }
}

/* For a plan that waits for victims, as if it did not exist. Held seats that yield to the group count
 * as free: once the plan has ended, the search for what yields finds them. */
static struct skr_solve_request *build_elsewhere(struct skr_gang *e, struct group *g,
                                                 struct pod_entry *const *newcomers, size_t n,
                                                 struct skr_error *error)
{
    struct skr_solve_request *request = skr_problem_build(e, g, newcomers, n, false, error);
    if (request && e->holders.list) {
        const struct skr_claimant c = skr_claimant_of(g);
        struct victim_gains gains;
        skr_victim_gains_init(&gains, e, g, newcomers, n, request);
        skr_victim_gains_add_seats(&gains, &c);
        skr_victim_gains_fini(&gains);
    }
    return request;
}

static bool elsewhere_still_valid(struct skr_gang *e, struct group *g,
                                  struct pod_entry *const *newcomers, const struct skr_solution *s)
{
    struct skr_error error;
    struct skr_solve_request *now = build_elsewhere(e, g, newcomers, e->planner->n_uids, &error);
    bool valid = now && skr_problem_accepts(&now->problem, s);
    skr_solve_request_destroy(now);
    return valid;
}

/* Why there is no problem for its members. */
static enum skr_reason reason_of_error(const struct skr_error *error)
{
    return error->code == SKR_GONE       ? SKR_REASON_PINNED_NODE_FULL
           : error->code == SKR_CONFLICT ? SKR_REASON_CONSTRAINT_CONFLICT
                                         : SKR_REASON_NEVER_FITS;
}

static void start(struct skr_gang *e, struct group *g, bool at_home, bool probed_only,
                  enum fit_answer fit)
{
    struct skr_error error = {.text = "out of memory"};
    if (!skr_topology_is_usable(e)) {
        no_placement(e, g, SKR_REASON_TOPOLOGY_MISSING, NULL, e->seen.now, g->input_epoch);
        skr_group_state_no_tree(e, g);
        skr_dirty_plan(e);
        return;
    }
    size_t n;
    const bool planned = g->plan, elsewhere = planned && g->plan->preempting;
    struct pod_entry **newcomers =
        planned ? planned_members(e, g, &n) : skr_membership_plannable(e, g, &n);
    bool restrict_ = probed_only && !elsewhere && skr_problem_has_probes(e, g, newcomers, n);
    bool simple = slots_suffice(e, g, newcomers, n, fit);
    struct skr_solve_request *request =
        simple      ? skr_fit_problem(e, g)
        : elsewhere ? build_elsewhere(e, g, newcomers, n, &error)
                    : skr_problem_build(e, g, newcomers, n, restrict_, &error);
    if (!request && elsewhere) {
        free(newcomers);
        skr_preemption_stays(e, g, e->seen.now, 0);
        return;
    }
    if (!request) {
        free(newcomers);
        e->stats.attempts[SKR_ATTEMPT_ERROR]++;
        no_placement(e, g, reason_of_error(&error), error.text, e->seen.now, g->input_epoch);
        skr_fit_reported(e, g);
        skr_dirty_plan(e);
        return;
    }
    at_home = at_home && !simple && !planned && skr_commit_at_home(e, g, newcomers, n, request);
    if (!simple && !planned && !at_home) {
        skr_problem_add_anew(e, g, newcomers, n, request);
    }
    begin(e, g, request, newcomers, n);
    e->planner->at_home = at_home;
    e->planner->probed_only = restrict_;
    e->planner->rescue = planned && !elsewhere;
    e->planner->elsewhere = elsewhere;
    e->planner->of_slots = simple;
    if (!simple && !elsewhere) {
        skr_fit_reported(e, g);
    }
    free(newcomers);
}

/* Whether the solve is for a plan of a namespace that has used the solver for long. */
static bool may_give_way(const struct skr_gang *e, const struct group *g)
{
    return !e->planner->rescue && !e->planner->preempting && skr_solve_share_stands_back(e, g);
}

static bool is_awaited(struct skr_gang *e)
{
    struct choice next = skr_queue_next(e);
    return (next.plan && !skr_solve_share_stands_back(e, next.plan)) ||
           (next.preempt && !skr_solve_share_stands_back(e, next.preempt));
}

static void cancel_solve(struct skr_gang *e)
{
    e->planner->cancelled = true;
    skr_frame_cancel(e->frame, e->planner->solve);
}

/* Cancels the running solve if no group needs its answer, or another can be planned. */
static void review_solve(struct skr_gang *e)
{
    const struct group *g = skr_groups_find(e, e->planner->group);
    if (e->planner->cancelled) {
        return;
    }
    if (!g || g->input_epoch != e->planner->input_epoch) {
        cancel_solve(e);
        e->planner->ended = true;
    } else if ((e->planner->reporting && skr_queue_next(e).plan) ||
               (may_give_way(e, g) && is_awaited(e))) {
        cancel_solve(e);
    }
}

void skr_planner_run(struct skr_gang *e)
{
    if (e->planner->solve) {
        review_solve(e);
        return;
    }
    if (e->rounds.work != 0 || (e->rounds.first && skr_topology_is_usable(e)) ||
        skr_replacing_begin(e)) {
        return; /* what it reserves is not known yet; its end marks dirty.plan */
    }
    struct choice next = skr_queue_next(e);
    if (next.plan && next.plan->attempt.limit_failed && skr_attempt_lift(next.plan)) {
        skr_dirty_plan(e); /* there is news: plans of all groups come first */
    } else if (next.preempt) {
        const uint64_t began = skr_device_turns_lift(e);
        start_preemption(e, next.preempt, skr_victim_search_has_yielding(e, next.preempt));
        skr_device_turns_charge(e, next.preempt, began);
    } else if (next.plan && !next.round) {
        const uint64_t began = skr_device_turns_lift(e);
        start(e, next.plan, true, true, next.fit);
        skr_device_turns_charge(e, next.plan, began);
    } else if (next.report && !next.round) {
        const uint64_t began = skr_device_turns_lift(e);
        skr_queue_report_begins(e, next.n_waiting);
        start(e, next.report, false, false, FIT_NO);
        skr_device_turns_charge(e, next.report, began);
        e->planner->reporting = e->planner->solve != 0;
    }
}

/* ---- the answer ---- */

static void infeasible(struct skr_gang *e, struct group *g, const struct skr_solution *s,
                       const struct skr_solve_request *request, uint64_t seen, uint64_t input)
{
    SKR_STRBUF(b);
    enum skr_reason reason = skr_unplaced_say(e, g, s, request, &b);
    reason = e->planner->rescue ? SKR_REASON_BIND_FAILED : reason;
    no_placement(e, g, reason, b.s, seen, input);
}

/* Not all newcomers of an open group fit: limits the next solve to the number that fits if it is
 * enough, else to the least, whose lack is then explained. False: these were the least already. */
static bool try_fewer(struct skr_gang *e, struct group *g, const struct skr_solve_request *solved,
                      size_t n)
{
    const int32_t held = solved->problem.n - (int32_t)n; /* without members outside the tree */
    const int32_t largest = solved->solution->explanation.largest - held;
    const size_t known = g->attempt.limit == 0 && largest > 0 ? (size_t)largest : 0;
    const size_t fewer = e->planner->rescue ? 0 : skr_membership_fewer(g, n, known);
    if (fewer > 0) {
        skr_attempt_limit(g, fewer);
    }
    return fewer > 0;
}

/* Whether the answer still is for it: a stranded member whose call has come, or whose Binding is on
 * its way, stays on its node. */
static bool is_solved_for(struct skr_gang *e, const struct group *g, struct pod_entry *p)
{
    if (e->planner->rescue) {
        return p->plan == g->plan && skr_plan_is_stranded(e, p);
    }
    return p->plan == (e->planner->elsewhere ? g->plan : NULL);
}

/* The pods of the solve, if none has changed in what matters to it. */
static struct pod_entry **solved_members(struct skr_gang *e, const struct group *g)
{
    struct pod_entry **list = skr_alloc_array(e->planner->n_uids + 1, sizeof *list);
    for (size_t i = 0; i < e->planner->n_uids; i++) {
        struct pod_entry *p = skr_pods_find(e, e->planner->uid[i]);
        bool good = p && p->group == g && skr_pod_is_live(p->pod) && !skr_pods_is_bound(p) &&
                    is_solved_for(e, g, p);
        if (!good) {
            free(list);
            return NULL;
        }
        list[i] = p;
    }
    return list;
}

/* A search without a result. If it was for what yields, one for victims follows. */
static void no_victims(struct skr_gang *e, struct group *g, const struct skr_solve_request *solved)
{
    const bool ended = solved->victims && solved->victims->status == SKR_VICTIMS_INSUFFICIENT;
    if (ended && e->planner->yielding && skr_victim_search_may_evict(e, g)) {
        forget_solve(e);
        start_preemption(e, g, false);
        return;
    }
    /* It fits with what yields, which has changed since the search for that: this is no result. */
    const bool fits = solved->victims && solved->victims->status == SKR_VICTIMS_NOT_NEEDED;
    skr_victim_search_failed(e, g, fits ? 0 : e->planner->seen, e->planner->input_epoch,
                             solved->work.took_ns);
}

/* Idle plans among what yields end. The group is planned when they have, as room becomes free. false:
 * there are none. */
static bool end_idle_plans(struct skr_gang *e, struct group *g, const struct skr_solve_request *s)
{
    bool any = false;
    for (size_t i = 0; i < s->victims->n; i++) {
        struct group *h = skr_groups_find(e, s->preemption->victim[s->victims->victim[i]].name);
        if (h && h->plan) {
            char text[700];
            snprintf(text, sizeof text,
                     "group %.250s gives way to group %.300s: kube-scheduler does not come to its "
                     "members",
                     h->name, g->key);
            skr_plan_loss_abort(e, h, SKR_REASON_FILTERED_BY_OTHERS, text, true);
            any = true;
        }
    }
    if (any) {
        skr_victim_search_failed(e, g, e->seen.now, g->input_epoch, 0);
    }
    return any;
}

/* Checks that the victims still make room, then commits; no other pod is evicted. */
static void use_victims(struct skr_gang *e, struct group *g, const struct skr_solve_request *solved)
{
    const struct skr_victims *victims = solved->victims;
    SKR_AUTO_FREE struct pod_entry **newcomers = solved_members(e, g);
    size_t n = e->planner->n_uids;
    if (!victims) {
        skr_out_decision(e, g->key, "", "Search for victims failed", "", solved->error.text, true);
    }
    if (!newcomers) {
        return;
    }
    const bool yielding = e->planner->yielding;
    const bool found = victims && (victims->status == SKR_VICTIMS_FOUND ||
                                   (yielding && victims->status == SKR_VICTIMS_NOT_NEEDED));
    if (!found) {
        no_victims(e, g, solved);
    } else if (skr_claims_hold_back(e, g, newcomers, n, !yielding)) {
        skr_victim_search_done(g);
    } else if (!yielding && skr_sooner_than(e, g, solved)) {
        skr_victim_search_failed(e, g, e->planner->seen, e->planner->input_epoch, 0);
    } else if (skr_victim_problem_still_valid(e, g, newcomers, n, yielding, solved)) {
        if (yielding && end_idle_plans(e, g, solved)) {
            return;
        }
        skr_victim_search_done(g);
        skr_attempt_fresh(g);
        e->stats.attempts[SKR_ATTEMPT_PLANNED]++;
        if (skr_commit_answer(e, g, newcomers, n, solved, victims->solution,
                              yielding ? NULL : solved) != SKR_COMMIT_DONE) {
            skr_victim_search_failed(e, g, e->planner->seen, e->planner->input_epoch,
                                     solved->work.took_ns);
        }
    } else {
        e->stats.attempts[SKR_ATTEMPT_STALE]++;
    }
}

/* Whether the plan's members fit without the victims that are left. A cancelled solve is repeated. */
static void use_elsewhere(struct skr_gang *e, struct group *g,
                          const struct skr_solve_request *solved)
{
    const struct skr_solution *s = solved->solution;
    const bool waits = g->plan && g->plan->preempting && !g->plan->aborting;
    struct pod_entry **newcomers = waits ? solved_members(e, g) : NULL;
    if (!newcomers) {
        return;
    }
    if (s && s->status == SKR_SOLVE_PLACED && elsewhere_still_valid(e, g, newcomers, s)) {
        skr_preemption_goes_elsewhere(e, g);
    } else if (!s || s->status == SKR_SOLVE_INFEASIBLE) {
        skr_preemption_stays(e, g, e->planner->seen, solved->work.took_ns);
    }
    free(newcomers);
}

/* How many newcomers have places. Roles short of their sizes may have room for none: the group stays as it is. */
static size_t n_placed(const struct skr_solve_request *solved, const struct skr_solution *s)
{
    int64_t more = 0;
    for (int32_t i = 0; s->status == SKR_SOLVE_PLACED && i < solved->tree->n_leaves; i++) {
        more += skr_solution_more(&solved->problem, s, i);
    }
    return more > 0 ? (size_t)more : 0;
}

/* False: it was for the places that newcomers had, and they are placed anywhere instead. */
static bool commit(struct skr_gang *e, struct group *g, struct pod_entry **newcomers,
                   const struct skr_solve_request *solved, struct skr_solution *s)
{
    enum skr_attempt result = SKR_ATTEMPT_PLANNED;
    skr_attempt_count(g);
    skr_attempt_fresh(g);
    const enum skr_commit_outcome outcome =
        skr_commit_answer(e, g, newcomers, e->planner->n_uids, solved, s, NULL);
    if (outcome != SKR_COMMIT_DONE && e->planner->at_home) {
        return false;
    }
    if (outcome == SKR_COMMIT_FAILED) {
        skr_attempt_backoff(e, g);
    } else if (outcome == SKR_COMMIT_AGAIN) {
        skr_attempt_again(g);
        result = SKR_ATTEMPT_STALE;
    } else if (outcome == SKR_COMMIT_NO_VOLUMES) {
        infeasible(e, g, NULL, solved, e->planner->seen, e->planner->input_epoch);
        result = SKR_ATTEMPT_INFEASIBLE;
    }
    e->stats.attempts[result]++;
    return true;
}

/* Solves it again, anywhere. */
static void leave_home(struct skr_gang *e, struct group *g)
{
    forget_solve(e);
    start(e, g, false, true, FIT_UNKNOWN);
}

static void use_answer(struct skr_gang *e, struct group *g, const struct skr_solve_request *solved)
{
    struct skr_solution *s = solved->solution;
    if (e->planner->preempting) {
        use_victims(e, g, solved);
        return;
    }
    if (e->planner->elsewhere) {
        use_elsewhere(e, g, solved);
        return;
    }
    skr_attempt_took(g, solved->work.took_ns);
    if (!s) {
        e->stats.attempts[SKR_ATTEMPT_ERROR]++;
        skr_out_decision(e, g->key, "", "Solve failed", "", solved->error.text, true);
        no_placement(e, g, SKR_REASON_NEVER_FITS, solved->error.text, e->planner->seen,
                     e->planner->input_epoch);
        return;
    }
    struct pod_entry **newcomers = solved_members(e, g);
    if (!newcomers) {
        return;
    }
    size_t n = e->planner->n_uids;
    const size_t placed = n_placed(solved, s);
    const bool none = placed == 0 && s->status == SKR_SOLVE_PLACED && !solved->pinned;
    const bool undecided = s->status == SKR_SOLVE_TIMEOUT && !e->planner->cancelled;
    if (e->planner->at_home && placed < n && !e->planner->cancelled) {
        leave_home(e, g);
    } else if (s->status == SKR_SOLVE_PLACED && !none) {
        if (!e->planner->rescue && skr_claims_hold_back(e, g, newcomers, n, false)) {
            skr_attempt_fresh(g);
        } else if (skr_problem_still_valid(e, g, newcomers, n, s)) {
            if (!commit(e, g, newcomers, solved, s)) {
                leave_home(e, g);
            }
        } else {
            e->stats.attempts[SKR_ATTEMPT_STALE]++;
            if (skr_attempt_stale(g)) {
                skr_attempt_backoff(e, g);
            }
        }
    } else if (s->status == SKR_SOLVE_INFEASIBLE &&
               (e->planner->probed_only || e->planner->of_slots)) {
        skr_debug_check(!e->planner->of_slots);
        free(newcomers);
        forget_solve(e);
        skr_fit_cache_refresh(e);
        start(e, g, false, false, FIT_UNKNOWN);
        return;
    } else if (s->status == SKR_SOLVE_INFEASIBLE && skr_commit_drop_limits(e, g)) {
        e->stats.attempts[SKR_ATTEMPT_STALE]++;
    } else if ((s->status == SKR_SOLVE_INFEASIBLE || undecided || none) && e->planner->reporting) {
        infeasible(e, g, s, solved, g->attempt.failed_at, e->planner->input_epoch);
    } else if (e->planner->reporting) {
        /* the solve was cancelled, and the group may have been put to sleep since */
        skr_fit_report_at(g, skr_frame_now(e->frame));
        skr_dirty_group(e, g);
    } else if ((s->status == SKR_SOLVE_INFEASIBLE || undecided || none) &&
               !try_fewer(e, g, solved, n)) {
        skr_attempt_limit_failed(g);
        skr_attempt_count(g);
        e->stats.attempts[SKR_ATTEMPT_INFEASIBLE]++;
        infeasible(e, g, s, solved, e->planner->seen, e->planner->input_epoch);
    }
    free(newcomers);
}

/* While a plan is made, members keep records of earlier plans (members.c): mark them. */
static void dirty_unplanned(struct skr_gang *e, struct group *g)
{
    struct pod_entry *p;
    DL_FOREACH(g && !g->plan ? g->members : NULL, p)
    {
        skr_dirty_pod(e, p);
    }
}

void skr_planner_solved(struct skr_gang *e, const struct skr_solve_request *solved)
{
    struct group *g =
        solved->work.id == e->planner->solve ? skr_groups_find(e, e->planner->group) : NULL;
    bool ours = solved->work.id == e->planner->solve;
    if (ours && e->planner->cancelled == e->planner->ended) {
        skr_solve_share_took(e, e->planner->group, solved->work.took_ns, e->planner->ended);
    }
    if (g && g->input_epoch == e->planner->input_epoch && skr_frame_is_leader(e->frame) &&
        !skr_frame_is_stopped(e->frame)) {
        uint64_t id = e->planner->solve;
        use_answer(e, g, solved);
        ours = e->planner->solve == id;
    }
    if (ours) {
        forget_solve(e);
        dirty_unplanned(e, g);
    }
    skr_dirty_plan(e);
}
