/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers requests for why a group is not placed, with solves if needed.
 *
 * Most states explain themselves at once. A group without a place needs the solver's account. It is
 * cached with the group while no fact changes. Otherwise these solves run:
 *
 * 1. A problem is built as for planning and solved with all parts of an explanation.
 * 2. If there are closed nodes that could be opened, it is solved again with these open.
 * 3. If victims are requested, a search for them runs.
 *
 * One such solve runs at a time. It is marked as an explanation, so that the shell can keep it from
 * delaying plans. Its result replaces the group's reason and message: there is one sentence, the
 * newest.
 *
 * Requests wait in a list and are answered in its order when possible. The problem of the running
 * solve stays readable until its answer was handled (core/frame/work.h).
 */
#include "core/gang/explain/explain_request.h"

#include "core/gang/cache/pods.h"
#include "core/gang/cache/topology.h"
#include "core/gang/explain/explain_preemption.h"
#include "core/gang/explain/explain_relaxations.h"
#include "core/gang/explain/explain_roles.h"
#include "core/gang/explain/ways_out.h"
#include "core/gang/explain/what_if.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/start.h"
#include "core/gang/planning/unplaced.h"
#include "core/gang/problem/problem.h"
#include "core/gang/report/sentence.h"
#include "core/gang/state/map_entry.h"
#include "core/gang/state/output.h"
#include "core/gang/state/pages.h"
#include "core/gang/state/reason.h"
#include "core/gang/state/wakes.h"

#include <string.h>
#include <utlist.h>

/* The purpose of a solve. */
enum step { STEP_ACCOUNT, STEP_OPENED, STEP_VICTIMS, STEP_WHAT_IF };

struct asker {
    uint64_t request;
    bool aside;              /* no request: the account is for the group's object */
    bool preempt;            /* include victims */
    bool standing;           /* struct skr_explain_request */
    struct what_if *what_if; /* NULL: it asks why */
    char *key;               /* namespace/name */
    uint64_t facts; /* stamp of the last SEEN_FACTS at the request: an older account is not used */
    skr_time until; /* then it is answered without an account */
    int solves;     /* started for it */
    struct asker *prev, *next;
};

struct explain_requests {
    struct asker *askers;
    size_t n;
    uint64_t solve; /* running; 0 none */
    const struct skr_solve_request *request;
    char *group;             /* its key */
    enum step step;          /* OPENED: the second solve of the account, with closed nodes open */
    struct explained *draft; /* of the first solve, while the second runs */
    struct {
        char *spared;         /* see skr_explain_preemption_search() */
        uint64_t seen, input; /* as in struct explained */
        bool enabled;
    } victims;             /* VICTIMS */
    struct asker *what_if; /* WHAT_IF: NULL: it does not wait any more */
};

/* ---- answers ---- */

int skr_explain_code(enum skr_explain_status status)
{
    static const int code[] = {200, 404, 503, 400, 429};
    _Static_assert(sizeof code / sizeof *code == SKR_EXPLAIN_STATUS_COUNT, "codes");
    return code[status];
}

static void answer(struct skr_gang *e, uint64_t request, enum skr_explain_status status,
                   struct skr_strbuf *json)
{
    skr_out_explain(e, request, status, json);
    skr_strbuf_fini(json);
}

static void refuse(struct skr_gang *e, uint64_t request, enum skr_explain_status status,
                   const char *text)
{
    struct skr_strbuf json;
    skr_strbuf_init(&json);
    skr_view_write_status(&json, skr_explain_code(status), text);
    answer(e, request, status, &json);
}

static void asker_destroy(struct skr_gang *e, struct asker *a)
{
    struct explain_requests *q = e->explain_requests;
    if (q->what_if == a) {
        q->what_if = NULL;
        skr_frame_cancel(e->frame, q->solve);
    }
    DL_DELETE(q->askers, a);
    q->n--;
    skr_what_if_destroy(a->what_if);
    free(a->key);
    free(a);
}

static struct explain_requests *list_of(struct skr_gang *e)
{
    if (!e->explain_requests) {
        e->explain_requests = skr_alloc(sizeof *e->explain_requests);
    }
    return e->explain_requests;
}

/* key: taken over. */
static struct asker *add_asker(struct skr_gang *e, char *key, int patience_s)
{
    struct explain_requests *q = list_of(e);
    struct asker *a = skr_alloc(sizeof *a);
    a->facts = skr_seen_last(&e->seen, SEEN_FACTS);
    a->until = skr_frame_now(e->frame) + patience_s * SKR_SECOND;
    skr_wakes_add(e, a->until, WAKE_ASKERS, NULL);
    a->key = key;
    DL_APPEND(q->askers, a);
    q->n++;
    return a;
}

void skr_explain_request_ask(struct skr_gang *e, uint64_t request,
                             const struct skr_explain_request *asked)
{
    const struct explain_requests *q = list_of(e);
    const char *problem = skr_out_not_now(e);
    if (!problem && q->n >= SKR_EXPLAIN_ASKERS_MAX) {
        problem = "sakkara: too many explanations are asked for";
    }
    if (problem) {
        refuse(e, request, SKR_EXPLAIN_NOT_NOW, problem);
        return;
    }
    struct asker *a = add_asker(e, skr_object_key(asked->namespace_, asked->name),
                                asked->what_if ? SKR_WHAT_IF_PATIENCE_S : SKR_EXPLAIN_PATIENCE_S);
    a->what_if = asked->what_if ? skr_what_if_create(asked->what_if) : NULL;
    a->request = request;
    a->preempt = asked->preempt;
    a->standing = asked->standing;
}

void skr_explain_request_aside(struct skr_gang *e, const struct group *g)
{
    if (!skr_out_not_now(e) && list_of(e)->n < SKR_EXPLAIN_ASIDE_MAX) {
        add_asker(e, skr_strdup(g->key), SKR_EXPLAIN_PATIENCE_S)->aside = true;
    }
}

/* ---- solves ---- */

bool skr_explain_request_needed(const struct skr_gang *e, const struct group *g)
{
    return g->attempt.infeasible && !g->plan && g->spec && skr_topology_is_usable(e) &&
           g->seats.n_ready > 0 && g->reason != SKR_REASON_TOPOLOGY_MISSING;
}

static bool account_stands(const struct group *g, const struct asker *a)
{
    return g->explained && g->explained->seen >= a->facts &&
           g->explained->input_epoch == g->input_epoch;
}

static bool victims_stand(const struct group *g, const struct asker *a)
{
    return g->explained && g->explained->preemption && g->explained->preemption_seen >= a->facts &&
           g->explained->preemption_input == g->input_epoch;
}

static struct skr_solve_request *build(struct skr_gang *e, struct group *g, struct skr_error *error)
{
    size_t n;
    SKR_AUTO_FREE struct pod_entry **newcomers = skr_membership_plannable(e, g, &n);
    struct skr_solve_request *request = skr_problem_build(e, g, newcomers, n, false, error);
    if (request) {
        skr_problem_add_anew(e, g, newcomers, n, request);
        request->work.aside = true;
        request->problem.step_budget = SKR_EXPLAIN_STEPS_MAX;
    }
    return request;
}

static void start(struct skr_gang *e, const struct group *g, struct skr_solve_request *request,
                  enum step step)
{
    struct explain_requests *q = e->explain_requests;
    q->solve = skr_out_solve(e, request);
    q->request = request;
    q->step = step;
    q->group = skr_strdup(g->key);
}

/* Without a problem only the group's message can be reported. */
static void keep_nothing(struct skr_gang *e, struct group *g)
{
    skr_explained_destroy(g->explained);
    g->explained = skr_alloc(sizeof *g->explained);
    g->explained->seen = e->seen.now;
    g->explained->input_epoch = g->input_epoch;
}

static void start_first(struct skr_gang *e, struct group *g)
{
    struct skr_error error;
    struct skr_solve_request *request = build(e, g, &error);
    if (!request) {
        keep_nothing(e, g);
        return;
    }
    request->problem.explain_parts =
        SKR_EXPLAIN_SIZES | SKR_EXPLAIN_RELAXATIONS | SKR_EXPLAIN_SLOTS;
    struct explained *draft = skr_alloc(sizeof *draft);
    draft->seen = e->seen.now;
    draft->input_epoch = g->input_epoch;
    e->explain_requests->draft = draft;
    start(e, g, request, STEP_ACCOUNT);
}

/* The leaves open to the role, and those that could be. False: there are no more. */
static bool opened(const struct account *a, const uint8_t *open, int role, const uint8_t **ret)
{
    const struct skr_tree *tree = a->request->problem.tree;
    uint8_t *eligible = skr_arena_array(a->request->arena, (size_t)tree->n_leaves + 1, 1);
    bool any = false;
    for (int32_t leaf = 0; eligible && leaf < tree->n_leaves; leaf++) {
        bool opens = open[leaf];
        if (!opens) {
            skr_account_closed(a, leaf, role, &opens);
        }
        eligible[leaf] = opens;
        any = any || (opens && !open[leaf]);
    }
    *ret = eligible ? eligible : open;
    return any;
}

/* The same for each role of the problem, which the request owns. */
static bool open_roles(const struct account *a, struct skr_solve_request *request)
{
    bool any = false;
    for (size_t r = 0; r < skr_problem_n_roles(&request->problem); r++) {
        const uint8_t **open =
            request->problem.roles
                ? &((struct skr_role *)(uintptr_t)request->problem.roles->role)[r].eligible
                : &request->problem.eligible;
        any = (*open && opened(a, *open, request->roles->role[r], open)) || any;
    }
    return any;
}

/* The same problem with closed nodes open, where possible. False: none of them has room. */
static bool start_second(struct skr_gang *e, struct group *g)
{
    struct skr_error error;
    struct skr_solve_request *request = build(e, g, &error);
    if (!request) {
        return false;
    }
    struct account a = {.e = e, .g = g, .request = request};
    if (!open_roles(&a, request)) {
        skr_solve_request_destroy(request);
        return false;
    }
    request->problem.explain = false;
    start(e, g, request, STEP_OPENED);
    return true;
}

static struct explained *kept(struct group *g)
{
    if (!g->explained) {
        g->explained = skr_alloc(sizeof *g->explained);
    }
    return g->explained;
}

static void keep_victims(struct group *g, struct skr_strbuf *b, uint64_t seen)
{
    struct explained *x = kept(g);
    free(x->preemption);
    x->preemption = skr_strbuf_take(b, NULL);
    x->preemption_seen = seen;
    x->preemption_input = g->input_epoch;
}

/* Requests for it stop waiting even if no problem could be built. */
static void start_victims(struct skr_gang *e, struct group *g, const struct asker *a)
{
    struct explain_requests *q = e->explain_requests;
    struct skr_strbuf spared;
    struct skr_error error = {.text = ""};
    skr_strbuf_init(&spared);
    struct skr_solve_request *request = skr_explain_preemption_search(e, g, &spared, &error);
    if (!request) {
        skr_explain_preemption_failed(error.text, &spared);
        keep_victims(g, &spared, e->seen.now);
        return;
    }
    q->victims.spared = skr_strbuf_take(&spared, NULL);
    q->victims.seen = e->seen.now;
    q->victims.input = g->input_epoch;
    q->victims.enabled = e->settings.preemption || a->standing;
    start(e, g, request, STEP_VICTIMS);
}

/* ---- their ends ---- */

static void keep(struct explain_requests *q, struct group *g)
{
    skr_explained_destroy(g->explained);
    g->explained = q->draft;
    q->draft = NULL;
}

static void first_solved(struct skr_gang *e, struct group *g,
                         const struct skr_solve_request *request, const struct skr_solution *s)
{
    struct explain_requests *q = e->explain_requests;
    struct account a;
    struct skr_strbuf b;
    /* a plan is about to be made, or a limit is exceeded */
    if (!s || s->status != SKR_SOLVE_INFEASIBLE) {
        keep(q, g);
        return;
    }
    skr_account_init(&a, e, g, request, s);
    skr_strbuf_init(&b);
    skr_explain_account(&a, &b);
    q->draft->account = skr_strbuf_take(&b, NULL);
    skr_explain_relaxations(&a, &b, &q->draft->set);
    skr_explain_moved(&a, &b);
    q->draft->relaxations = skr_strbuf_take(&b, NULL);
    if (a.roles) {
        skr_explain_roles_sizes(&a, &b, &q->draft->size);
    } else {
        skr_explain_size(&a, &b, &q->draft->size);
    }
    q->draft->smaller = skr_strbuf_take(&b, NULL);
    skr_unplaced_explain(e, g, s, request);
    if (skr_seen_changed(&e->seen, SEEN_FACTS, q->draft->seen) || !start_second(e, g)) {
        keep(q, g);
    }
}

static void second_solved(struct skr_gang *e, struct group *g,
                          const struct skr_solve_request *request, const struct skr_solution *s)
{
    struct explain_requests *q = e->explain_requests;
    if (s && s->status == SKR_SOLVE_PLACED) {
        struct account a = {.e = e, .g = g, .request = request};
        struct skr_strbuf b;
        skr_strbuf_init(&b);
        skr_strbuf_add(&b, q->draft->relaxations ? q->draft->relaxations : "");
        skr_explain_opened(&a, s, &b);
        free(q->draft->relaxations);
        q->draft->relaxations = skr_strbuf_take(&b, NULL);
    }
    keep(q, g);
}

static void victims_solved(struct skr_gang *e, struct group *g,
                           const struct skr_solve_request *request)
{
    const struct explain_requests *q = e->explain_requests;
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    skr_explain_preemption_found(g, request, q->victims.enabled, q->victims.spared, &b);
    keep_victims(g, &b, q->victims.seen);
}

static void what_if_solved(struct skr_gang *e, struct group *g,
                           const struct skr_solve_request *request)
{
    struct explain_requests *q = e->explain_requests;
    if (q->what_if) {
        skr_what_if_solved(e, g, q->what_if->what_if, request);
        q->what_if = NULL;
    }
}

bool skr_explain_request_solved(struct skr_gang *e, const struct skr_solve_request *solved)
{
    struct explain_requests *q = e->explain_requests;
    if (!q || q->solve == 0 || q->solve != solved->work.id) {
        return false;
    }
    struct group *g = skr_groups_find(e, q->group);
    const struct skr_solve_request *request = q->request;
    q->solve = 0;
    q->request = NULL;
    free(q->group);
    q->group = NULL;
    if (q->step == STEP_WHAT_IF) {
        what_if_solved(e, g, request);
        return true;
    }
    const uint64_t input = q->step == STEP_VICTIMS ? q->victims.input : q->draft->input_epoch;
    bool stands = g && skr_explain_request_needed(e, g) && g->input_epoch == input;
    if (stands && q->step == STEP_VICTIMS) {
        victims_solved(e, g, request);
    } else if (stands && q->step == STEP_OPENED) {
        second_solved(e, g, request, solved->solution);
    } else if (stands) {
        first_solved(e, g, request, solved->solution);
    }
    free(q->victims.spared);
    q->victims.spared = NULL;
    if (q->solve == 0) {
        skr_explained_destroy(q->draft);
        q->draft = NULL;
    }
    return true;
}

/* ---- the list ---- */

/* Whether the request can still wait for a solve; starts one if none runs. */
static bool waits_for(struct skr_gang *e, struct group *g, struct asker *a, enum step step)
{
    const struct explain_requests *q = e->explain_requests;
    if (skr_frame_now(e->frame) >= a->until) {
        return false;
    }
    if (q->solve != 0) {
        return true;
    }
    if (a->solves++ >= SKR_EXPLAIN_TRIES_MAX) {
        return false;
    }
    if (step == STEP_VICTIMS) {
        start_victims(e, g, a);
    } else {
        start_first(e, g);
    }
    return q->solve != 0;
}

static bool waits(struct skr_gang *e, struct group *g, struct asker *a)
{
    if (skr_explain_request_needed(e, g) && !account_stands(g, a)) {
        return waits_for(e, g, a, STEP_ACCOUNT);
    }
    return a->preempt && skr_explain_preemption_needs_search(e, g) && !victims_stand(g, a) &&
           waits_for(e, g, a, STEP_VICTIMS);
}

/* Whether the answer needs a further solve, which is started if none runs. */
static bool what_if_waits(struct skr_gang *e, struct group *g, struct asker *a)
{
    struct explain_requests *q = e->explain_requests;
    if (skr_frame_now(e->frame) >= a->until) {
        skr_what_if_late(a->what_if);
        return false;
    }
    if (q->solve != 0) {
        return true;
    }
    struct skr_solve_request *request = skr_what_if_next(e, g, a->what_if);
    if (request) {
        request->work.aside = true;
        start(e, g, request, STEP_WHAT_IF);
        q->what_if = a;
    }
    return request;
}

static bool try_what_if(struct skr_gang *e, struct group *g, struct asker *a)
{
    struct skr_strbuf text;
    if (what_if_waits(e, g, a)) {
        return false;
    }
    skr_strbuf_init(&text);
    const enum skr_explain_status status = skr_what_if_write(g, a->what_if, &text);
    if (status == SKR_EXPLAIN_FOUND) {
        answer(e, a->request, status, &text);
    } else {
        refuse(e, a->request, status, text.s);
        skr_strbuf_fini(&text);
    }
    return true;
}

/* True if it was answered. */
static bool try_answer(struct skr_gang *e, struct asker *a)
{
    struct map_entry *m;
    struct group *g = skr_groups_find_named(e, a->key, &m);
    struct skr_strbuf json;
    if (a->aside && !g) {
        return true;
    }
    if (!g && !m) {
        char text[600];
        const char *pod = strchr(a->key, '/');
        if (pod && strncmp(pod, "/pod/", 5) == 0) {
            snprintf(text, sizeof text, "sakkara: no group has a pod %.253s in namespace %.*s",
                     pod + 5, (int)(pod - a->key), a->key);
        } else {
            snprintf(text, sizeof text, "sakkara: no group %.500s", a->key);
        }
        refuse(e, a->request, SKR_EXPLAIN_NOT_FOUND, text);
        return true;
    }
    if (g && a->what_if) {
        return try_what_if(e, g, a);
    }
    if (g && waits(e, g, a)) {
        return false;
    }
    if (g && !a->aside && skr_start_is_open(g) && !skr_start_is_fresh(e, skr_frame_now(e->frame))) {
        return false;
    }
    if (a->aside) {
        skr_ways_out_publish(e, g);
        return true;
    }
    skr_strbuf_init(&json);
    if (g) {
        skr_explain_answer_group(e, g, a->preempt, &json);
    } else {
        skr_explain_answer_map(e, m, &json);
    }
    answer(e, a->request, SKR_EXPLAIN_FOUND, &json);
    return true;
}

void skr_explain_request_settle(struct skr_gang *e)
{
    struct explain_requests *q = e->explain_requests;
    struct asker *a, *tmp;
    if (!q) {
        return;
    }
    const char *problem = skr_out_not_now(e);
    DL_FOREACH_SAFE(q->askers, a, tmp)
    {
        if (problem && !a->aside) {
            refuse(e, a->request, SKR_EXPLAIN_NOT_NOW, problem);
        }
        if (problem || try_answer(e, a)) {
            asker_destroy(e, a);
        }
    }
}

void skr_explain_request_fini(struct skr_gang *e)
{
    struct explain_requests *q = e->explain_requests;
    if (!q) {
        return;
    }
    while (q->askers) {
        q->what_if = NULL; /* the shell ends what runs */
        asker_destroy(e, q->askers);
    }
    free(q->group);
    free(q->victims.spared);
    skr_explained_destroy(q->draft);
    free(q);
    e->explain_requests = NULL;
}
