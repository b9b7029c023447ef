/* SPDX-License-Identifier: Apache-2.0 */
/* A group of pods that do not exist yet, and whether it would be placed: see admission_trial.h. */
#include "core/gang/admission/admission_trial.h"

#include "core/gang/admission/admission_pods.h"
#include "core/gang/admission/admission_promises.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/cache/workload_owners.h"
#include "core/gang/changes/group_source.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/roles.h"
#include "core/gang/planning/unplaced.h"
#include "core/gang/problem/problem.h"
#include "core/gang/report/explain_held.h"
#include "core/gang/state/reason.h"

#include <string.h>
#include <utlist.h>

enum { STALE_MAX = 3 }; /* placements of which the room is gone when they come back */

struct admission_trial {
    const struct skr_kueue_workload *workload;
    struct skr_admission_pods pods;
    size_t part; /* the gang that is tried: of pods.n_parts */
    struct group *group;
    struct pod_entry **newcomer; /* of the running solve */
    size_t n_newcomers;
    int stale;
    bool decided;
    enum skr_admission_verdict verdict;
    struct skr_strbuf text;
};

static void decide(struct admission_trial *t, enum skr_admission_verdict verdict)
{
    t->decided = true;
    t->verdict = verdict;
}

/* ---- the group of one part ---- */

static void group_destroy(struct skr_gang *e, struct group *g)
{
    struct pod_entry *p, *next;
    if (!g) {
        return;
    }
    DL_FOREACH_SAFE(g->members, p, next)
    {
        skr_shapes_unref(e, p->shape);
        free(p);
    }
    g->source.maps = NULL;
    skr_group_source_fini(e, g);
    skr_membership_fini(g);
    free(g->key);
    free(g->namespace_);
    free(g->name);
    free(g);
}

static void add_members(struct skr_gang *e, struct group *g, const struct skr_admission_set *set)
{
    for (int32_t i = 0; i < set->count; i++) {
        struct pod_entry *p = skr_alloc(sizeof *p);
        p->uid = p->key = set->pod->meta.name;
        p->pod = set->pod;
        p->shape = skr_shapes_get(e, set->pod);
        p->group = g;
        p->ours = true;
        p->work = &pods_no_work;
        p->place.rank = -1;
        p->role_name = skr_roles_name_of(set->pod);
        p->set = p->set_said = -1;
        DL_APPEND(g->members, p);
        g->n_members++;
    }
}

/* The group that the pods will be in, or one like it; its sources are those of the real one. */
static struct group *group_of(struct skr_gang *e, const struct admission_trial *t)
{
    struct group *g = skr_alloc(sizeof *g);
    const struct skr_admission_pods *pods = &t->pods;
    g->namespace_ = skr_strdup(t->workload->meta.namespace_);
    for (size_t i = 0; i < pods->n; i++) {
        if (pods->set[i].part == t->part) {
            g->name = g->name ? g->name : skr_strdup(pods->set[i].group);
            add_members(e, g, &pods->set[i]);
        }
    }
    g->key = skr_object_key(g->namespace_, g->name);
    const struct group *real = skr_groups_find(e, g->key);
    if (real) {
        g->source.maps = real->source.maps;
        g->source.podgroup = real->source.podgroup;
    }
    skr_membership_changed(g);
    return g;
}

/* ---- without a solve ---- */

/* Its spec is in force afterwards. False: there is a verdict. */
static bool has_spec(struct skr_gang *e, struct admission_trial *t)
{
    struct group *g = t->group;
    struct skr_error error;
    if (skr_group_source_try(e, g, &error) < 0) {
        skr_strbuf_add(&t->text, error.text);
        decide(t, SKR_ADMISSION_REJECTED);
    } else if (!g->spec) {
        skr_strbuf_addf(&t->text,
                        "group %s: nothing says how many pods it has; is its group map there?",
                        g->name);
        decide(t, SKR_ADMISSION_RETRY);
    } else if (skr_group_misfit(g->spec, e->topology.tree, &t->text)) {
        decide(t, SKR_ADMISSION_RETRY);
    }
    return !t->decided;
}

/* The solver can be asked about its pods. False: there is a verdict. */
static bool can_be_tried(struct skr_gang *e, struct admission_trial *t)
{
    struct group *g = t->group;
    skr_membership_update(e, g);
    const size_t least = skr_membership_least(g);
    g->attempt.limit = g->spec->open && least < g->n_members ? least : 0;
    if (g->spec->n_sets > 0) {
        skr_strbuf_addf(&t->text, "group %s has sets, which are not known before its pods exist",
                        g->name);
        decide(t, SKR_ADMISSION_READY);
    } else if (g->roles.defect) {
        skr_strbuf_add(&t->text, g->roles.defect);
        decide(t, SKR_ADMISSION_RETRY);
    } else if (!skr_membership_may_be_planned(g)) {
        skr_strbuf_addf(&t->text, "the workload has %zu of %d pods of group %s, which is not tried",
                        g->seats.n_ready, (int)skr_membership_size(g), g->name);
        decide(t, SKR_ADMISSION_READY);
    }
    return !t->decided;
}

static struct skr_solve_request *build(struct skr_gang *e, struct admission_trial *t)
{
    struct skr_error error = {.text = "out of memory"};
    free(t->newcomer);
    t->newcomer = skr_membership_plannable(e, t->group, &t->n_newcomers);
    struct skr_solve_request *request =
        skr_problem_build(e, t->group, t->newcomer, t->n_newcomers, false, &error);
    if (!request) {
        skr_strbuf_add(&t->text, error.text);
        decide(t, SKR_ADMISSION_RETRY);
        return NULL;
    }
    skr_admission_promises_charge(e, request);
    request->work.aside = true;
    return request;
}

struct skr_solve_request *skr_admission_trial_next(struct skr_gang *e, struct admission_trial *t)
{
    if (t->decided) {
        return NULL;
    }
    if (!skr_topology_is_usable(e)) {
        skr_strbuf_add(&t->text, "the topology is not usable");
        decide(t, SKR_ADMISSION_AGAIN);
        return NULL;
    }
    group_destroy(e, t->group);
    t->group = group_of(e, t);
    return has_spec(e, t) && can_be_tried(e, t) ? build(e, t) : NULL;
}

/* ---- answers of the solver ---- */

static int32_t on_leaf(const struct skr_solve_request *request, int32_t leaf)
{
    const struct skr_solution *s = request->solution;
    const size_t leaves = (size_t)request->tree->n_leaves;
    if (!s->roles) {
        return s->count[leaf];
    }
    int32_t sum = 0;
    for (size_t r = 0; r < request->problem.roles->n_roles; r++) {
        sum += s->roles->count[r * leaves + (size_t)leaf];
    }
    return sum;
}

static void say_placed(struct admission_trial *t, const struct skr_solve_request *request)
{
    const struct skr_tree *tree = request->tree;
    int32_t *count = skr_alloc_array((size_t)tree->n_leaves + 1, sizeof *count), sum = 0;
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        count[leaf] = on_leaf(request, leaf);
        sum += count[leaf];
    }
    skr_strbuf_addf(&t->text, "%sgroup %s fits now: %d pod%s in ", t->text.len > 0 ? "; " : "",
                    t->group->name, (int)sum, sum == 1 ? "" : "s");
    skr_held_say_units(tree, count, tree->n_levels > 1 ? tree->n_levels - 1 : 1, &t->text);
    free(count);
}

static void placed(struct skr_gang *e, struct admission_trial *t,
                   const struct skr_solve_request *request)
{
    say_placed(t, request);
    skr_admission_promises_add(e, t->workload, t->group->key, request);
    if (++t->part == t->pods.n_parts) {
        skr_strbuf_add(&t->text, "; nothing is reserved before its pods exist");
        decide(t, SKR_ADMISSION_READY);
    }
}

/* A cluster that is too small may grow: by an autoscaler that is asked for whole groups, and by nodes
 * that are cordoned or not ready. Kueue tries a rejected workload never again. */
static bool may_grow(const struct skr_gang *e)
{
    const struct node_entry *node;
    bool closed = false;
    for (size_t at = 0; !closed && (node = skr_nodes_next(e, &at));) {
        closed = node->node && (node->node->unschedulable || !node->node->ready);
    }
    return closed || *e->settings.provisioning_class;
}

static void unplaced(struct skr_gang *e, struct admission_trial *t,
                     const struct skr_solve_request *request)
{
    skr_strbuf_reset(&t->text);
    const enum skr_reason reason =
        skr_unplaced_say(e, t->group, request->solution, request, &t->text);
    const bool never = reason == SKR_REASON_CONSTRAINT_CONFLICT ||
                       (reason == SKR_REASON_NEVER_FITS && !may_grow(e));
    decide(t, never ? SKR_ADMISSION_REJECTED : SKR_ADMISSION_RETRY);
}

void skr_admission_trial_solved(struct skr_gang *e, struct admission_trial *t,
                                const struct skr_solve_request *request)
{
    const struct skr_solution *s = request->solution;
    if (!s || request->tree != e->topology.tree) {
        skr_strbuf_add(&t->text, s ? "the topology has changed" : request->error.text);
        decide(t, s ? SKR_ADMISSION_AGAIN : SKR_ADMISSION_RETRY);
    } else if (s->status != SKR_SOLVE_PLACED) {
        unplaced(e, t, request);
    } else if (skr_problem_still_valid(e, t->group, t->newcomer, t->n_newcomers, s)) {
        placed(e, t, request);
    } else if (++t->stale == STALE_MAX) {
        skr_strbuf_addf(&t->text, "room for group %s comes and goes", t->group->name);
        decide(t, SKR_ADMISSION_RETRY);
    }
}

/* ---- life ---- */

/* Why nothing of it is tried. */
static void say_nothing_tried(struct admission_trial *t)
{
    skr_strbuf_add(&t->text, t->pods.why);
    decide(t, SKR_ADMISSION_READY);
}

struct admission_trial *skr_admission_trial_create(struct skr_gang *e,
                                                   const struct skr_kueue_workload *workload,
                                                   skr_admission_flavor *flavor,
                                                   const void *context)
{
    struct admission_trial *t = skr_alloc(sizeof *t);
    struct skr_error error;
    t->workload = workload;
    skr_strbuf_init(&t->text);
    const int rc = skr_admission_pods_make(e, workload, flavor, context, &t->pods, &error);
    if (rc == -SKR_NOT_FOUND) {
        skr_strbuf_add(&t->text, error.text);
        decide(t, SKR_ADMISSION_AGAIN);
    } else if (rc < 0) {
        skr_strbuf_add(&t->text, error.text);
        decide(t, SKR_ADMISSION_REJECTED);
    } else if (t->pods.n_parts == 0) {
        say_nothing_tried(t);
    }
    return t;
}

void skr_admission_trial_destroy(struct skr_gang *e, struct admission_trial *t)
{
    if (t) {
        group_destroy(e, t->group);
        skr_admission_pods_fini(&t->pods);
        skr_strbuf_fini(&t->text);
        free(t->newcomer);
        free(t);
    }
}

enum skr_admission_verdict skr_admission_trial_verdict(const struct admission_trial *t,
                                                       const char **text)
{
    skr_bug_on(!t->decided);
    *text = t->text.s;
    return t->verdict;
}

void skr_admission_trial_updates(const struct admission_trial *t, struct skr_strbuf *b)
{
    skr_admission_pods_updates(&t->pods, b);
}
