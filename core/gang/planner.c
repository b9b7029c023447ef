/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the next group in the queue to its plan: a problem goes out, and what becomes of the answer.
 *
 * One solve runs at a time, so two groups never plan for the same room; what changed meanwhile is
 * found by checking the answer against the ledger of now before it is committed. Groups that are
 * known to fit are solved on the slots that are kept (kept.c); the others on a problem in full,
 * whose answer explains itself. A solve that only tells an old reason anew gives way to a plan.
 */
#include "core/gang/state.h"

#include <string.h>
#include <utlist.h>

/* ---- starting a solve ---- */

static struct pod_entry **rescue_members(struct skr_engine *e, struct group *g, size_t *ret_n)
{
    struct pod_entry **list = skr_alloc_array(g->n_members ? g->n_members : 1, sizeof *list);
    struct pod_entry *p;
    size_t n = 0;
    DL_FOREACH(g->members, p)
    {
        if (p->plan == g->plan && plan_is_stranded(e, p)) {
            list[n++] = p;
        }
    }
    *ret_n = n;
    return list;
}

static void forget_solve(struct skr_engine *e)
{
    for (size_t i = 0; i < e->n_solve_uids; i++) {
        free(e->solve_uid[i]);
    }
    free(e->solve_uid);
    free(e->solve_group);
    e->solve_uid = NULL;
    e->n_solve_uids = 0;
    e->solve_group = NULL;
    e->solve = 0;
}

void planner_fini(struct skr_engine *e)
{
    forget_solve(e);
}

static void no_placement(struct skr_engine *e, struct group *g, enum skr_reason reason,
                         const char *message, uint64_t epoch, uint64_t input)
{
    g->infeasible = true;
    g->failed_epoch = epoch;
    g->failed_input = input;
    lifecycle_reason(g, reason, message);
    if (g->state == GROUP_READY) {
        lifecycle_enter(e, g, GROUP_BACKOFF);
    }
    engine_touch_group(e, g);
}

/* The group fits on the slots, and nothing makes the problem in full a stricter one. */
static bool slots_suffice(const struct skr_engine *e, const struct group *g,
                          struct pod_entry *const *newcomers, size_t n, enum outlook_answer outlook)
{
    return outlook == OUTLOOK_FITS && !g->plan && !problem_has_probes(newcomers, n) &&
           !problem_has_paper(e, newcomers, n);
}

static void start(struct skr_engine *e, struct group *g, bool probed_only,
                  enum outlook_answer outlook)
{
    struct skr_error error = {SKR_OK, "out of memory"};
    if (!topology_is_usable(e)) {
        no_placement(e, g, SKR_REASON_TOPOLOGY_MISSING, NULL, e->epoch, g->input_epoch);
        lifecycle_no_tree(g);
        e->plan_wanted = true;
        return;
    }
    size_t n;
    bool rescue = g->plan;
    struct pod_entry **newcomers =
        rescue ? rescue_members(e, g, &n) : membership_plannable(e, g, &n);
    bool restrict_ = probed_only && problem_has_probes(newcomers, n);
    bool simple = slots_suffice(e, g, newcomers, n, outlook);
    struct skr_solve_request *request =
        simple ? problem_of_slots(e, g) : problem_build(e, g, newcomers, n, restrict_, &error);
    if (!request) {
        free(newcomers);
        e->n_attempts[SKR_ATTEMPT_ERROR]++;
        no_placement(e, g, SKR_REASON_NEVER_FITS, error.text, e->epoch, g->input_epoch);
        e->plan_wanted = true;
        return;
    }
    e->solve = out_solve(e, request);
    e->solve_group = skr_strdup(g->key);
    e->solve_input_epoch = g->input_epoch;
    e->solve_epoch = e->epoch;
    e->solve_cancelled = false;
    e->solve_probed_only = restrict_;
    e->solve_rescue = rescue;
    e->solve_of_slots = simple;
    e->solve_telling = false;
    if (!simple) {
        outlook_told(e, g);
    }
    e->solve_uid = skr_alloc_array(n + 1, sizeof *e->solve_uid);
    e->n_solve_uids = n;
    for (size_t i = 0; i < n; i++) {
        e->solve_uid[i] = skr_strdup(newcomers[i]->uid);
    }
    free(newcomers);
}

static void cancel_solve(struct skr_engine *e)
{
    struct skr_actions *out = e->out;
    e->solve_cancelled = true;
    skr_grow(&out->item, &out->cap, out->n + 1, sizeof *out->item);
    out->item[out->n++] =
        (struct skr_action){.kind = SKR_ACTION_CANCEL_SOLVE, .cancel_solve = e->solve};
}

/* A solve is under way: it goes on unless nobody wants its answer, or somebody can be planned. */
static void review_solve(struct skr_engine *e)
{
    const struct group *g = groups_find(e, e->solve_group);
    if (e->solve_cancelled) {
        return;
    }
    if (!g || g->input_epoch != e->solve_input_epoch) {
        cancel_solve(e);
    } else if (e->solve_telling && queue_next(e).plan) {
        cancel_solve(e);
    }
}

void planner_run(struct skr_engine *e)
{
    if (e->solve) {
        review_solve(e);
        return;
    }
    struct choice next = queue_next(e);
    if (next.plan) {
        start(e, next.plan, true, next.outlook);
    } else if (next.tell) {
        queue_tell_begins(e, next.n_waiting);
        start(e, next.tell, false, OUTLOOK_NONE);
        e->solve_telling = e->solve != 0;
    }
}

/* ---- the answer ---- */

static enum skr_reason reason_of(enum skr_infeasible_class class)
{
    switch (class) {
    case SKR_CLASS_CONSTRAINT_CONFLICT:
        return SKR_REASON_CONSTRAINT_CONFLICT;
    case SKR_CLASS_NEVER_FITS:
        return SKR_REASON_NEVER_FITS;
    case SKR_CLASS_WAITING_FOR_CAPACITY:
        return SKR_REASON_WAITING_FOR_CAPACITY;
    case SKR_CLASS_PLACEMENT_FAILED:
    case SKR_CLASS_NONE:
    case SKR_INFEASIBLE_CLASS_COUNT:
    default:
        return SKR_REASON_TOPOLOGY_PLACEMENT_FAILED;
    }
}

void planner_explain(struct skr_engine *e, struct group *g, const struct skr_solution *s, int32_t n)
{
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    explain_sentence(e, g, &s->explanation, n, &b);
    lifecycle_reason(g, reason_of(s->explanation.class), b.s);
    engine_touch_group(e, g);
    skr_strbuf_fini(&b);
}

static void infeasible(struct skr_engine *e, struct group *g, const struct skr_solution *s,
                       int32_t n, uint64_t epoch, uint64_t input)
{
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    explain_sentence(e, g, &s->explanation, n, &b);
    enum skr_reason reason =
        e->solve_rescue ? SKR_REASON_BIND_FAILED : reason_of(s->explanation.class);
    no_placement(e, g, reason, b.s, epoch, input);
    skr_strbuf_fini(&b);
}

static int32_t rank_label(const struct pod_entry *p)
{
    const char *text = skr_labels_get(&p->pod->meta.labels, SKR_LABEL_RANK);
    char *end;
    if (!text || !*text) {
        return -1;
    }
    long v = strtol(text, &end, 10);
    return *end || v < 0 || v > SKR_GROUP_SIZE_MAX ? -1 : (int32_t)v;
}

/* Seats for the assignment: newcomers first, in the order given, then who stays. */
static struct skr_seat *seats_of(const struct skr_engine *e, const struct group *g,
                                 struct pod_entry *const *newcomers, size_t n, size_t *ret_n)
{
    struct skr_seat *seat = skr_alloc_array(g->n_members + n + 1, sizeof *seat);
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        seat[k++] = (struct skr_seat){.name = newcomers[i]->pod->meta.name, .leaf = -1, .rank = -1};
    }
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        const char *node = problem_claim_node(g, p, newcomers, n);
        if (!node) {
            continue;
        }
        seat[k++] = (struct skr_seat){.name = p->pod->meta.name,
                                      .node = node,
                                      .leaf = skr_tree_find_leaf(e->tree, node),
                                      .rank = p->plan ? p->plan_rank : rank_label(p),
                                      .claimed = true};
    }
    *ret_n = k;
    return seat;
}

static void commit(struct skr_engine *e, struct group *g, struct pod_entry *const *newcomers,
                   size_t n, const struct skr_solution *s)
{
    size_t n_seats;
    struct skr_seat *seat = seats_of(e, g, newcomers, n, &n_seats);
    struct skr_error error;
    if (skr_assign(e->tree, s->count, seat, n_seats, &error) < 0) {
        out_decision(e, g->key, "", "Assignment failed", "", error.text, true);
        free(seat);
        return;
    }
    bool rescue = g->plan;
    struct plan *plan = rescue ? g->plan : plan_create(e, g);
    for (size_t i = 0; i < n; i++) {
        int32_t rank = rescue ? newcomers[i]->plan_rank : seat[i].rank;
        uint64_t trials = g->trials - newcomers[i]->trials_base;
        if (rescue) {
            binding_answer(e, newcomers[i], SKR_ANSWER_ERROR, SKR_TEXT_BIND_FAILED);
            plan_remove_member(e, newcomers[i]);
        }
        plan_add_member(e, plan, newcomers[i], seat[i].node, rank);
        newcomers[i]->plan_retries = trials > INT32_MAX ? INT32_MAX : (int32_t)trials;
    }
    free(seat);
    outlook_leave(g);
    g->infeasible = false;
    g->optimal = s->optimal;
    if (rescue) {
        plan_text_changed(e, plan);
    } else {
        lifecycle_reason(g, SKR_REASON_NONE, NULL);
        if (g->n_bound == 0) {
            lifecycle_enter(e, g, GROUP_PLANNED);
        }
        status_outputs(e, g);
        plan_commit(e, plan);
    }
    engine_touch_group(e, g);
}

/* The pods the solve was for, if they are all still what it was for. */
static struct pod_entry **solved_members(struct skr_engine *e, const struct group *g)
{
    struct pod_entry **list = skr_alloc_array(e->n_solve_uids + 1, sizeof *list);
    for (size_t i = 0; i < e->n_solve_uids; i++) {
        struct pod_entry *p = pods_find(e, e->solve_uid[i]);
        bool good = p && p->group == g && skr_pod_is_live(p->pod) && !pods_is_bound(p) &&
                    (e->solve_rescue ? p->plan == g->plan && p->plan : !p->plan);
        if (!good) {
            free(list);
            return NULL;
        }
        list[i] = p;
    }
    return list;
}

static void use_answer(struct skr_engine *e, struct group *g, struct skr_event *ev)
{
    const struct skr_solution *s = ev->solved.solution;
    g->solver_ns = ev->solved.took_ns;
    g->solver_ms = ev->solved.took_ns / 1000000;
    if (!s) {
        e->n_attempts[SKR_ATTEMPT_ERROR]++;
        out_decision(e, g->key, "", "Solve failed", "", ev->solved.error.text, true);
        no_placement(e, g, SKR_REASON_NEVER_FITS, ev->solved.error.text, e->solve_epoch,
                     e->solve_input_epoch);
        return;
    }
    struct pod_entry **newcomers = solved_members(e, g);
    if (!newcomers) {
        return;
    }
    size_t n = e->n_solve_uids;
    if (s->status == SKR_SOLVE_PLACED) {
        if (problem_still_valid(e, g, newcomers, n, s->count)) {
            g->trials++;
            g->stale_answers = 0;
            e->n_attempts[SKR_ATTEMPT_PLANNED]++;
            commit(e, g, newcomers, n, s);
        } else {
            e->n_attempts[SKR_ATTEMPT_STALE]++;
            g->failed_epoch = UINT64_MAX; /* the room went elsewhere meanwhile: again at once */
            if (++g->stale_answers % 16 == 0) {
                lifecycle_backoff(e, g);
            }
        }
    } else if (s->status == SKR_SOLVE_INFEASIBLE && (e->solve_probed_only || e->solve_of_slots)) {
        skr_debug_check(!e->solve_of_slots);
        free(newcomers);
        forget_solve(e);
        kept_refresh(e);
        start(e, g, false, OUTLOOK_UNKNOWN);
        return;
    } else if (s->status == SKR_SOLVE_INFEASIBLE && e->solve_telling) {
        infeasible(e, g, s, (int32_t)(n + g->n_bound), g->failed_epoch, e->solve_input_epoch);
    } else if (e->solve_telling) { /* it gave way */
        g->outlook.tell_at = e->now;
    } else if (s->status == SKR_SOLVE_INFEASIBLE) {
        g->trials++;
        e->n_attempts[SKR_ATTEMPT_INFEASIBLE]++;
        infeasible(e, g, s, (int32_t)(n + g->n_bound), e->solve_epoch, e->solve_input_epoch);
    }
    free(newcomers);
}

void planner_solved(struct skr_engine *e, struct skr_event *ev)
{
    struct group *g = ev->solved.solve == e->solve ? groups_find(e, e->solve_group) : NULL;
    bool ours = ev->solved.solve == e->solve;
    if (g && g->input_epoch == e->solve_input_epoch && e->leader && !e->stopped) {
        uint64_t id = e->solve;
        use_answer(e, g, ev);
        ours = e->solve == id;
    }
    if (ours) {
        forget_solve(e);
    }
    e->plan_wanted = true;
    skr_solution_destroy(ev->solved.solution);
}
