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
    bool decided, no_room;
    enum skr_kueue_state verdict;
    struct skr_strbuf text;
};

static void decide(struct admission_trial *t, enum skr_kueue_state verdict, const char *text)
{
    skr_strbuf_add(&t->text, text);
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
        decide(t, SKR_KUEUE_REJECTED, error.text);
    } else if (!g->spec) {
        skr_strbuf_addf(&t->text,
                        "group %s: nothing says how many pods it has; is its group map there?",
                        g->name);
        decide(t, SKR_KUEUE_RETRY, "");
    } else if (skr_group_misfit(g->spec, e->topology.tree, &t->text)) {
        decide(t, SKR_KUEUE_RETRY, "");
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
        decide(t, SKR_KUEUE_READY, "");
    } else if (g->roles.defect) {
        decide(t, SKR_KUEUE_RETRY, g->roles.defect);
    } else if (!skr_membership_may_be_planned(g)) {
        skr_strbuf_addf(&t->text,
                        "the workload has %zu of %zu pods of group %s, which is not tried",
                        g->seats.n_ready, skr_membership_needs(g), g->name);
        decide(t, SKR_KUEUE_READY, "");
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
        decide(t, SKR_KUEUE_RETRY, error.text);
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
        decide(t, SKR_KUEUE_PENDING, "the topology is not usable");
        return NULL;
    }
    group_destroy(e, t->group);
    t->group = group_of(e, t);
    return has_spec(e, t) && can_be_tried(e, t) ? build(e, t) : NULL;
}

/* ---- answers of the solver ---- */

static void placed(struct skr_gang *e, struct admission_trial *t,
                   const struct skr_solve_request *request)
{
    skr_strbuf_addf(&t->text, "%sgroup %s fits now: ", t->text.len > 0 ? "; " : "", t->group->name);
    skr_held_say_more(request, request->solution, &t->text);
    skr_admission_promises_add(e, t->workload, t->group->key, request);
    if (++t->part == t->pods.n_parts) {
        decide(t, SKR_KUEUE_READY, "; nothing is reserved before its pods exist");
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
    t->no_room = !never;
    decide(t, never ? SKR_KUEUE_REJECTED : SKR_KUEUE_RETRY, "");
}

void skr_admission_trial_solved(struct skr_gang *e, struct admission_trial *t,
                                const struct skr_solve_request *request)
{
    const struct skr_solution *s = request->solution;
    if (!s || request->tree != e->topology.tree) {
        decide(t, s ? SKR_KUEUE_PENDING : SKR_KUEUE_RETRY,
               s ? "the topology has changed" : request->error.text);
    } else if (s->status != SKR_SOLVE_PLACED) {
        unplaced(e, t, request);
    } else if (skr_problem_still_valid(e, t->group, t->newcomer, t->n_newcomers, s)) {
        placed(e, t, request);
    } else if (++t->stale == STALE_MAX) {
        skr_strbuf_addf(&t->text, "room for group %s comes and goes", t->group->name);
        decide(t, SKR_KUEUE_RETRY, "");
    }
}

/* ---- life ---- */

struct admission_trial *skr_admission_trial_create(struct skr_gang *e,
                                                   const struct skr_kueue_workload *workload)
{
    struct admission_trial *t = skr_alloc(sizeof *t);
    struct skr_error error;
    t->workload = workload;
    skr_strbuf_init(&t->text);
    const int rc = skr_admission_pods_make(e, workload, &t->pods, &error);
    if (rc < 0) {
        decide(t, rc == -SKR_NOT_FOUND ? SKR_KUEUE_PENDING : SKR_KUEUE_REJECTED, error.text);
    } else if (t->pods.n_parts == 0) {
        decide(t, SKR_KUEUE_READY, t->pods.why);
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

enum skr_kueue_state skr_admission_trial_verdict(const struct admission_trial *t, const char **text)
{
    skr_bug_on(!t->decided);
    *text = t->text.s;
    return t->verdict;
}

struct group *skr_admission_trial_lacks_room(const struct admission_trial *t)
{
    return t->no_room ? t->group : NULL;
}

json_t *skr_admission_trial_updates(const struct admission_trial *t)
{
    return skr_admission_pods_updates(&t->pods);
}
