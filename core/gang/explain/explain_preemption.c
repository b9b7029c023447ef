/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes what preemption would do for a group without a place, or why it would do nothing.
 *
 *   {"outcome":"Evicts","text":"4 pods of 1 group would be evicted, then group g fits",
 *    "victims":[{"group":"default/c","priority":0,"pods":4,"nodes":["node-4"],"nodesInAll":1}],
 *    "placement":[{"node":"node-4","pods":4}],"placementInAll":1,
 *    "candidates":{"groups":1,"singlePods":0,"pods":4},"spared":[{"why":"Priority",...}]}
 *
 * Candidates and spared groups are counted when the problem is built, since its budget numbers are
 * valid only then. Only pods on nodes that the group may use count.
 */
#include "core/gang/explain/explain_preemption.h"

#include "core/gang/cache/ordinary.h"
#include "core/gang/cache/pod_walk.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/vain.h"
#include "core/gang/preempt/disruptions.h"
#include "core/gang/preempt/preemption.h"
#include "core/gang/preempt/victim_problem.h"
#include "core/gang/preempt/victim_search.h"
#include "core/gang/report/sentence.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/reason.h"
#include "topology/base/json_writer.h"

#include <string.h>
#include <utlist.h>

/* ---- words ---- */

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* "4 pods of 1 group", "4 pods of 1 group and 2 single pods", "2 single pods", "0 pods" */
static void say_who(int64_t groups, int64_t of_groups, int64_t single, struct skr_strbuf *b)
{
    if (groups > 0) {
        skr_strbuf_addf(b, "%lld pod%s of %lld group%s", (long long)of_groups, plural(of_groups),
                        (long long)groups, plural(groups));
    }
    if (single > 0) {
        skr_strbuf_addf(b, "%s%lld single pod%s", groups > 0 ? " and " : "", (long long)single,
                        plural(single));
    }
    if (groups == 0 && single == 0) {
        skr_strbuf_add(b, "0 pods");
    }
}

static void open_answer(struct skr_json_writer *w, const char *outcome, const char *text)
{
    skr_json_open(w, NULL, '{');
    skr_json_string(w, "outcome", outcome);
    skr_json_string(w, "text", text);
}

/* ---- spared groups ---- */

enum spared {
    SPARED_PRIORITY, /* not lower than the group's */
    SPARED_CLASS,    /* of another namespace, with pods whose priority is not lower */
    SPARED_BUDGET,   /* a PodDisruptionBudget forbids the eviction of all its members */
    SPARED_BOUND,    /* is being bound */
    SPARED_LEAVING,  /* is already a victim */
    SPARED_ORDINARY, /* pods of no group */
    SPARED_COUNT
};

static const char *const spared_name[] = {"Priority",   "PriorityClass", "Budget",
                                          "BeingBound", "Leaving",       "Ordinary"};
_Static_assert(sizeof spared_name / sizeof *spared_name == SPARED_COUNT, "names");

struct tally {
    struct {
        int64_t groups, pods;
        size_t n_named;
        const char *named[SKR_EXPLAIN_BLOCKERS_MAX];
    } row[SPARED_COUNT];
    char budget[300];             /* the first that spares a group or pod, by group */
    int64_t groups, single, pods; /* candidates */
    int32_t most;                 /* of the pods of SPARED_CLASS */
};

static bool is_eligible(const struct skr_solve_request *request, const char *node)
{
    int32_t leaf = skr_tree_find_leaf(request->tree, node);
    return leaf >= 0 && (!request->problem.eligible || request->problem.eligible[leaf]);
}

static bool is_in_the_way(const struct skr_solve_request *request, const struct pod_entry *p)
{
    return skr_victim_problem_runs(p) && is_eligible(request, p->pod->node_name);
}

/* Keeps the names that are first in byte order. */
static void name(struct tally *t, enum spared why, const char *key)
{
    size_t n = t->row[why].n_named, at = n;
    while (at > 0 && strcmp(t->row[why].named[at - 1], key) > 0) {
        at--;
    }
    if (at >= SKR_EXPLAIN_BLOCKERS_MAX) {
        return;
    }
    n = n < SKR_EXPLAIN_BLOCKERS_MAX ? n + 1 : n;
    memmove(&t->row[why].named[at + 1], &t->row[why].named[at],
            (n - at - 1) * sizeof t->row[why].named[0]);
    t->row[why].named[at] = key;
    t->row[why].n_named = n;
}

static void spare(struct tally *t, enum spared why, const char *key, int64_t pods)
{
    t->row[why].groups += key ? 1 : 0;
    t->row[why].pods += pods;
    if (key) {
        name(t, why, key);
    }
}

/* Whether budgets protect the group, and why its first protected pod is. */
static bool budget_spares(const struct skr_gang *e, const struct group *h,
                          const struct skr_victims_problem *in, char *text, size_t size)
{
    const struct skr_victim *v = skr_victim_problem_find(in, h->key);
    const struct disruption_budget *b, *tmp;
    for (size_t i = 0; v && i < v->n_charges; i++) {
        if (v->charge[i].members <= in->budget[v->charge[i].budget]) {
            continue;
        }
        HASH_ITER(hh, e->disruptions, b, tmp)
        {
            if (b->number == v->charge[i].budget) {
                snprintf(text, size, "%.200s lets %d of %d go", b->key, b->budget->allowed,
                         v->charge[i].members);
            }
        }
        return true;
    }
    if (!v) {
        snprintf(text, size, "two of them cover one pod");
    }
    return !v;
}

static void count_group(const struct skr_gang *e, const struct skr_outranks *o,
                        const struct group *h, const struct skr_solve_request *request,
                        struct tally *t)
{
    const struct group *g = o->group;
    const struct pod_entry *p;
    char text[sizeof t->budget] = "";
    int64_t pods = 0;
    bool in_the_way = false;
    DL_FOREACH(h->members, p)
    {
        pods += skr_victim_problem_runs(p);
        in_the_way = in_the_way || is_in_the_way(request, p);
    }
    if (h == g || !h->spec || (h->victim.leaving ? pods == 0 : !in_the_way)) {
        return;
    }
    if (h->victim.leaving) {
        spare(t, SPARED_LEAVING, h->key, pods);
    } else if (!skr_outranks(o, h) && skr_outranks_by_class(o, h)) {
        t->most = skr_ordinary_class_of(h) > t->most ? skr_ordinary_class_of(h) : t->most;
        spare(t, SPARED_CLASS, h->key, pods);
    } else if (!skr_outranks(o, h)) {
        spare(t, SPARED_PRIORITY, h->key, pods);
    } else if (!skr_victim_problem_may_go(o, h)) {
        spare(t, SPARED_BOUND, h->key, pods);
    } else if (budget_spares(e, h, request->preemption, text, sizeof text)) {
        spare(t, SPARED_BUDGET, h->key, pods);
        if (strcmp(t->row[SPARED_BUDGET].named[0], h->key) == 0) {
            memcpy(t->budget, text, sizeof t->budget);
        }
    } else {
        t->groups++;
        t->pods += pods;
    }
}

static void count_single(const struct skr_gang *e, const struct skr_solve_request *request,
                         struct tally *t)
{
    const struct skr_victims_problem *in = request->preemption;
    struct pod_walk p = {0};
    int64_t ordinary = 0, candidates = 0;
    for (size_t i = 0; i < in->n_victims; i++) {
        t->single += in->victim[i].kind != SKR_VICTIM_GROUP;
        candidates += in->victim[i].kind == SKR_VICTIM_POD;
    }
    while (skr_pod_walk_next(e, &p)) {
        bool runs = !p.entry || (!p.entry->group && skr_victim_problem_runs(p.entry));
        ordinary += runs && is_eligible(request, p.node);
    }
    spare(t, SPARED_ORDINARY, NULL, ordinary > candidates ? ordinary - candidates : 0);
}

static void say_spared(const struct skr_gang *e, const struct skr_outranks *o,
                       const struct tally *t, enum spared why, struct skr_strbuf *b)
{
    int64_t groups = t->row[why].groups, pods = t->row[why].pods;
    if (why == SPARED_ORDINARY) {
        skr_strbuf_addf(b, "%lld pod%s of no group%s", (long long)pods, plural(pods),
                        e->settings.victims_labelled
                            ? " without label sakkara.preemptible=true and a lower priority"
                            : "");
        return;
    }
    say_who(groups, pods, 0, b);
    switch (why) {
    case SPARED_PRIORITY:
        skr_strbuf_addf(b, " of priority %d or more", o->group->spec->priority);
        break;
    case SPARED_CLASS:
        skr_outranks_say(o, t->most, b);
        break;
    case SPARED_BUDGET:
        skr_strbuf_addf(b, " behind a PodDisruptionBudget (%s)", t->budget);
        break;
    case SPARED_BOUND:
        skr_strbuf_addf(b, " that %s being bound", groups == 1 ? "is" : "are");
        break;
    case SPARED_LEAVING:
        skr_strbuf_addf(b, " that give%s way already", groups == 1 ? "s" : "");
        break;
    case SPARED_ORDINARY:
    case SPARED_COUNT:
    default:
        break;
    }
}

static void write_spared(const struct skr_gang *e, const struct skr_outranks *o,
                         const struct tally *t, struct skr_json_writer *w)
{
    skr_json_open(w, "spared", '[');
    for (int why = 0; why < SPARED_COUNT; why++) {
        struct skr_strbuf text;
        if (t->row[why].pods == 0 && t->row[why].groups == 0) {
            continue;
        }
        skr_strbuf_init(&text);
        say_spared(e, o, t, (enum spared)why, &text);
        skr_json_open(w, NULL, '{');
        skr_json_string(w, "why", spared_name[why]);
        skr_json_int(w, "groups", t->row[why].groups);
        skr_json_int(w, "pods", t->row[why].pods);
        skr_json_open(w, "names", '[');
        for (size_t i = 0; i < t->row[why].n_named; i++) {
            skr_json_string(w, NULL, t->row[why].named[i]);
        }
        skr_json_close(w, ']');
        skr_json_string(w, "text", text.s);
        skr_json_close(w, '}');
        skr_strbuf_fini(&text);
    }
    skr_json_close(w, ']');
}

/* ---- the search ---- */

bool skr_explain_preemption_needs_search(const struct skr_gang *e, const struct group *g)
{
    return g->attempt.infeasible && !g->plan && g->spec && skr_topology_is_usable(e) &&
           g->seats.n_ready > 0 && skr_victim_search_short_of_room(g) && !g->victim.leaving &&
           g->spec->priority > 0 && !skr_outranks_refuser(g) && skr_vain_pause(e, g) == 0;
}

struct skr_solve_request *skr_explain_preemption_search(struct skr_gang *e, struct group *g,
                                                        struct skr_strbuf *spared,
                                                        struct skr_error *error)
{
    size_t n;
    struct pod_entry **newcomers = skr_membership_plannable(e, g, &n);
    struct skr_solve_request *request = skr_victim_problem_build(e, g, newcomers, n, false, error);
    struct skr_json_writer w = {.out = spared};
    struct group *h, *tmp;
    struct tally t = {.budget = "", .most = INT32_MIN};
    const struct skr_outranks o = skr_outranks_of(e, g);
    free(newcomers);
    if (!request) {
        return NULL;
    }
    request->work.aside = true;
    HASH_ITER(hh, e->groups, h, tmp)
    {
        count_group(e, &o, h, request, &t);
    }
    count_single(e, request, &t);
    skr_json_open(&w, NULL, '{');
    skr_json_open(&w, "candidates", '{');
    skr_json_int(&w, "groups", t.groups);
    skr_json_int(&w, "pods", t.pods);
    skr_json_int(&w, "singlePods", t.single);
    skr_json_close(&w, '}');
    write_spared(e, &o, &t, &w);
    skr_json_close(&w, '}');
    return request;
}

/* ---- results ---- */

/* "namespace/name" of a single pod's "namespace/name@uid". */
static char *pod_key(const char *text)
{
    char *key = skr_strdup(text), *at = strchr(key, '@');
    if (at) {
        *at = '\0';
    }
    return key;
}

static int by_leaf(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void write_victim(const struct skr_solve_request *request, const struct skr_victim *v,
                         struct skr_json_writer *w)
{
    const struct skr_tree *tree = request->tree;
    SKR_AUTO_FREE int32_t *leaf = skr_alloc_array(v->n_shares + 1, sizeof *leaf);
    SKR_AUTO_FREE char *key = v->kind == SKR_VICTIM_GROUP ? skr_strdup(v->name) : pod_key(v->name);
    skr_json_open(w, NULL, '{');
    skr_json_string(w, v->kind == SKR_VICTIM_GROUP ? "group" : "pod", key);
    if (v->kind == SKR_VICTIM_SURPLUS) {
        skr_json_bool(w, "surplus", true);
    }
    skr_json_int(w, "priority", v->shown);
    skr_json_int(w, "pods", v->members);
    skr_json_open(w, "nodes", '[');
    for (size_t i = 0; i < v->n_shares; i++) {
        leaf[i] = v->share[i].leaf;
    }
    qsort(leaf, v->n_shares, sizeof *leaf, by_leaf);
    for (size_t i = 0; i < v->n_shares && i < SKR_EXPLAIN_BLOCKERS_MAX; i++) {
        skr_json_string(w, NULL, tree->unit_name[tree->first_leaf + leaf[i]]);
    }
    skr_json_close(w, ']');
    skr_json_int(w, "nodesInAll", (int64_t)v->n_shares);
    skr_json_close(w, '}');
}

static void write_placement(const struct skr_solve_request *request, const struct skr_solution *s,
                            struct skr_json_writer *w)
{
    const struct skr_tree *tree = request->tree;
    int64_t nodes = 0;
    skr_json_open(w, "placement", '[');
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        if (s->count[leaf] <= 0 || ++nodes > SKR_EXPLAIN_BLOCKERS_MAX) {
            continue;
        }
        skr_json_open(w, NULL, '{');
        skr_json_string(w, "node", tree->unit_name[tree->first_leaf + leaf]);
        skr_json_int(w, "pods", s->count[leaf]);
        skr_json_close(w, '}');
    }
    skr_json_close(w, ']');
    skr_json_int(w, "placementInAll", nodes);
}

static void write_evicts(const struct group *g, const struct skr_solve_request *request,
                         bool enabled, struct skr_json_writer *w)
{
    const struct skr_victims *found = request->victims;
    const struct skr_victims_problem *in = request->preemption;
    int64_t groups = 0, of_groups = 0, single = 0;
    struct skr_strbuf text;
    for (size_t i = 0; i < found->n; i++) {
        const struct skr_victim *v = &in->victim[found->victim[i]];
        bool whole = v->kind == SKR_VICTIM_GROUP;
        groups += whole;
        of_groups += whole ? v->members : 0;
        single += !whole;
    }
    skr_strbuf_init(&text);
    say_who(groups, of_groups, single, &text);
    skr_strbuf_addf(&text, " would be evicted, then group %s fits%s%s", g->name,
                    found->cheapest ? ""
                                    : "; the search ended before it proved that fewer do not do",
                    enabled ? "" : "; option preemption is false, so none is");
    open_answer(w, "Evicts", text.s);
    skr_json_int(w, "groups", groups);
    skr_json_int(w, "pods", found->members);
    skr_json_bool(w, "cheapest", found->cheapest);
    skr_json_bool(w, "enabled", enabled);
    skr_json_open(w, "victims", '[');
    for (size_t i = 0; i < found->n; i++) {
        write_victim(request, &in->victim[found->victim[i]], w);
    }
    skr_json_close(w, ']');
    write_placement(request, found->solution, w);
    skr_strbuf_fini(&text);
}

static void write_insufficient(const struct group *g, const struct skr_solve_request *request,
                               struct skr_json_writer *w)
{
    const struct skr_victims_problem *in = request->preemption;
    int64_t groups = 0, of_groups = 0, single = 0;
    struct skr_strbuf text;
    for (size_t i = 0; i < in->n_victims; i++) {
        const struct skr_victim *v = &in->victim[i];
        bool whole = v->kind == SKR_VICTIM_GROUP;
        groups += whole;
        of_groups += whole ? v->members : 0;
        single += !whole;
    }
    skr_strbuf_init(&text);
    if (in->n_victims == 0) {
        skr_strbuf_addf(&text, "no group or pod of lower priority than %d may be evicted",
                        g->spec->priority);
    } else {
        skr_strbuf_addf(&text, "group %s does not fit even without all that might give way, ",
                        g->name);
        say_who(groups, of_groups, single, &text);
    }
    open_answer(w, "Insufficient", text.s);
    skr_strbuf_fini(&text);
}

void skr_explain_preemption_found(const struct group *g, const struct skr_solve_request *request,
                                  bool enabled, const char *spared, struct skr_strbuf *b)
{
    struct skr_json_writer w = {.out = b};
    char text[400];
    switch (request->victims ? request->victims->status : SKR_VICTIMS_TIMEOUT) {
    case SKR_VICTIMS_FOUND:
        write_evicts(g, request, enabled, &w);
        break;
    case SKR_VICTIMS_NOT_NEEDED:
        snprintf(text, sizeof text, "group %.250s fits without", g->name);
        open_answer(&w, "NotNeeded", text);
        break;
    case SKR_VICTIMS_INSUFFICIENT:
        write_insufficient(g, request, &w);
        break;
    case SKR_VICTIMS_TIMEOUT:
    case SKR_VICTIMS_STATUS_COUNT:
    default:
        open_answer(&w, "Unknown", "the search for victims ended without a result");
        break;
    }
    if (spared && *spared == '{') { /* its members, merged into this object */
        skr_strbuf_addc(b, ',');
        skr_strbuf_addn(b, spared + 1, strlen(spared) - 2);
    }
    skr_json_close(&w, '}');
}

void skr_explain_preemption_failed(const char *text, struct skr_strbuf *b)
{
    struct skr_json_writer w = {.out = b};
    open_answer(&w, "Unknown", text);
    skr_json_close(&w, '}');
}

/* ---- without a search ---- */

/* A group that waits for its victims, with those that are left. */
static void write_running(const struct skr_gang *e, const struct group *g,
                          struct skr_json_writer *w)
{
    size_t pods, groups = skr_preemption_waits_for(e, g->plan, &pods);
    SKR_STRBUF(text);
    skr_strbuf_addf(&text, "group %s waits for %zu pod%s", g->name, pods, plural((int64_t)pods));
    if (groups > 0) {
        skr_strbuf_addf(&text, " of %zu group%s", groups, plural((int64_t)groups));
    }
    skr_strbuf_add(&text, " to leave");
    open_answer(w, "Running", text.s);
    skr_json_open(w, "victims", '[');
    skr_preemption_write_victims(e, g->plan, w);
    skr_json_close(w, ']');
}

void skr_explain_preemption_plain(const struct skr_gang *e, const struct group *g,
                                  struct skr_strbuf *b)
{
    struct skr_json_writer w = {.out = b};
    const struct pod_entry *refuser = skr_outranks_refuser(g);
    char text[800];
    if (g->plan && g->plan->preempting && !g->plan->aborting) {
        write_running(e, g, &w);
    } else if ((g->plan && !g->plan->aborting) ||
               (g->state == GROUP_BOUND && g->seats.n_ready == 0)) {
        snprintf(text, sizeof text, "group %.250s is placed", g->name);
        open_answer(&w, "NotNeeded", text);
    } else if (g->victim.leaving) {
        snprintf(text, sizeof text, "group %.250s gives way to group %.300s itself", g->name,
                 g->victim.by);
        open_answer(&w, "Forbidden", text);
    } else if (g->spec && g->spec->priority <= 0) {
        snprintf(text, sizeof text, "a group of priority %d evicts no pods, it must be above 0",
                 g->spec->priority);
        open_answer(&w, "Forbidden", text);
    } else if (refuser) {
        snprintf(text, sizeof text, "pod %.500s has preemptionPolicy Never", refuser->key);
        open_answer(&w, "Forbidden", text);
    } else if (skr_vain_pause(e, g) > 0) {
        SKR_STRBUF(vain);
        skr_vain_say(e, g, &vain);
        open_answer(&w, "Paused", vain.s + strlen("; "));
    } else {
        snprintf(text, sizeof text, "room is not what group %.250s lacks%s%s", g->name,
                 g->reason != SKR_REASON_NONE ? ": " : "",
                 g->reason != SKR_REASON_NONE ? skr_reason_name(g->reason) : "");
        open_answer(&w, "NoUse", text);
    }
    skr_json_close(&w, '}');
}
