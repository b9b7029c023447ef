/* SPDX-License-Identifier: Apache-2.0 */
/* Answers what if a group were different: see what_if.h. */
#include "core/gang/explain/what_if.h"

#include "core/gang/cache/pods.h"
#include "core/gang/cache/topology.h"
#include "core/gang/changes/derived.h"
#include "core/gang/changes/group_source.h"
#include "core/gang/changes/kueue_rules.h"
#include "core/gang/explain/explain_preemption.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/roles.h"
#include "core/gang/planning/unplaced.h"
#include "core/gang/preempt/victim_problem.h"
#include "core/gang/preempt/victim_search.h"
#include "core/gang/problem/problem.h"
#include "core/gang/report/explain_held.h"
#include "core/gang/state/map_entry.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/reason.h"
#include "core/group/change.h"
#include "topology/base/json_writer.h"
#include "topology/base/suggest.h"

#include <string.h>

enum stage { STAGE_SOLVE, STAGE_VICTIMS, STAGE_END };

struct what_if {
    struct skr_label change[SKR_WHAT_IF_CHANGES_MAX]; /* copies */
    size_t n_changes;
    struct node_names without; /* copies */
    enum stage stage;
    uint64_t input; /* of the group, when the running solve was built */
    size_t limit;   /* members of an open group that are tried; 0: all */
    enum skr_explain_status status;
    bool placed;
    struct skr_strbuf sentence; /* or why it is refused */
    struct skr_strbuf units, evicts;
};

/* ---- life ---- */

struct what_if *skr_what_if_create(const struct skr_what_if *asked)
{
    struct what_if *w = skr_alloc(sizeof *w);
    skr_bug_on(asked->n_changes > SKR_WHAT_IF_CHANGES_MAX ||
               asked->n_without > SKR_WHAT_IF_WITHOUT_MAX);
    for (; w->n_changes < asked->n_changes; w->n_changes++) {
        w->change[w->n_changes] = (struct skr_label){skr_strdup(asked->change[w->n_changes].key),
                                                     skr_strdup(asked->change[w->n_changes].value)};
    }
    w->without.name = skr_alloc_array(asked->n_without + 1, sizeof *w->without.name);
    for (; w->without.n < asked->n_without; w->without.n++) {
        w->without.name[w->without.n] = skr_strdup(asked->without[w->without.n]);
    }
    skr_names_sort(w->without.name, w->without.n);
    skr_strbuf_init(&w->sentence);
    skr_strbuf_init(&w->units);
    skr_strbuf_init(&w->evicts);
    return w;
}

void skr_what_if_destroy(struct what_if *w)
{
    if (!w) {
        return;
    }
    for (size_t i = 0; i < w->n_changes; i++) {
        free((char *)(uintptr_t)w->change[i].key);
        free((char *)(uintptr_t)w->change[i].value);
    }
    for (size_t i = 0; i < w->without.n; i++) {
        free((char *)(uintptr_t)w->without.name[i]);
    }
    free(w->without.name);
    skr_strbuf_fini(&w->sentence);
    skr_strbuf_fini(&w->units);
    skr_strbuf_fini(&w->evicts);
    free(w);
}

/* ---- the changed group ---- */

static void add_text(json_t *data, const char *key, const char *value)
{
    if (value) {
        json_object_set_new(data, key, json_string(value));
    }
}

/* What defines the group, as the keys of a map. NULL: its labels do, which are not changed here. */
static json_t *data_of(const struct skr_gang *e, struct group *g)
{
    const struct pod_entry *oldest = skr_membership_oldest(g);
    const struct skr_podgroup *pg =
        g->source.kind == SOURCE_PODGROUP && g->source.podgroup ? g->source.podgroup->pg : NULL;
    json_t *data = json_object();
    char text[32];
    if (g->source.kind == SOURCE_MAP && g->source.map) {
        const struct skr_labels *keys = &g->source.map->map->data;
        for (size_t i = 0; i < keys->n; i++) {
            add_text(data, keys->item[i].key, keys->item[i].value);
        }
        return data;
    }
    if (!pg && (!oldest || !skr_derived_is(g))) {
        json_decref(data);
        return NULL;
    }
    const struct skr_labels *notes = pg ? &pg->meta.annotations : &oldest->pod->meta.annotations;
    struct skr_group_asked asked = skr_group_asked_of(notes);
    struct skr_kueue_rules kueue;
    if (skr_kueue_rules_read(e, g, &kueue) && !pg) {
        asked = kueue.asked;
    }
    add_text(data, "within",
             asked.within || !pg ? asked.within : skr_derived_native_level(e, NULL, pg));
    add_text(data, "constraints", asked.constraints);
    skr_kueue_rules_fini(&kueue);
    snprintf(text, sizeof text, "%d", (int)g->spec->size);
    add_text(data, "size", text);
    snprintf(text, sizeof text, "%d", (int)g->spec->priority);
    add_text(data, "priority", text);
    return data;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct skr_label *)a)->key, ((const struct skr_label *)b)->key);
}

static int parse(const json_t *data, struct skr_group_spec **ret, struct skr_error *error)
{
    struct skr_labels labels = {
        .item = skr_alloc_array(json_object_size(data) + 1, sizeof *labels.item)};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)data, key, value)
    {
        labels.item[labels.n++] = (struct skr_label){key, json_string_value(value)};
    }
    qsort(labels.item, labels.n, sizeof *labels.item, by_key);
    const int rc = skr_group_spec_parse(&labels, ret, error);
    free(labels.item);
    return rc;
}

static bool tree_has(const void *context, const char *level, struct skr_strbuf *why)
{
    const struct skr_tree *t = context;
    const char *const *names = (const char *const *)&t->level_name[1];
    if (skr_tree_find_level(t, level) > 0) {
        return true;
    }
    const char *near = skr_suggest(level, names, (size_t)t->n_levels);
    skr_strbuf_addf(why, "no level \"%.100s\"", level);
    if (near) {
        skr_strbuf_addf(why, " (did you mean \"%s\"?)", near);
    }
    for (int32_t l = 0; l < t->n_levels; l++) {
        skr_strbuf_addf(why, "%s%s", l > 0 ? ", " : "; the tree has ", names[l]);
    }
    return false;
}

/* NULL: the sentence says why not. */
static struct skr_group_spec *changed_spec(struct skr_gang *e, struct group *g, struct what_if *w)
{
    const struct skr_change_levels levels = {tree_has, e->topology.tree};
    json_auto_t *data = data_of(e, g);
    struct skr_group_spec *spec = NULL;
    struct skr_error error;
    if (!data) {
        skr_strbuf_addf(&w->sentence,
                        "group %s is defined by labels of its pods: it is changed there, and only "
                        "nodes can be left out here",
                        g->name);
        return NULL;
    }
    for (size_t i = 0; i < w->n_changes; i++) {
        const struct skr_label *c = &w->change[i];
        skr_strbuf_addf(&w->sentence, "%.200s=%.200s: ", c->key, c->value);
        if (!skr_group_change(data, c->key, c->value, &levels, &w->sentence)) {
            return NULL;
        }
        skr_strbuf_reset(&w->sentence);
    }
    if (parse(data, &spec, &error) < 0) {
        skr_strbuf_add(&w->sentence, error.text);
        return NULL;
    }
    if (g->spec->most == 0) { /* a map says it itself */
        spec->open = g->spec->open;
        spec->step = g->spec->step;
    }
    if (skr_group_misfit(spec, e->topology.tree, &w->sentence)) {
        skr_group_spec_destroy(spec);
        return NULL;
    }
    skr_group_source_bound_priority(e, g, spec);
    return spec;
}

static bool names_are_there(const struct skr_gang *e, struct what_if *w)
{
    for (size_t i = 0; i < w->without.n; i++) {
        if (skr_tree_find_leaf(e->topology.tree, w->without.name[i]) < 0) {
            skr_strbuf_addf(&w->sentence, "without=%.200s: the tree has no such node",
                            w->without.name[i]);
            return false;
        }
    }
    return true;
}

/* ---- the trial ---- */

struct trial {
    struct skr_group_spec *spec;
    size_t limit;
};

/* The group has the changed spec until trial_end(). False: it cannot; the answer says why. */
static bool trial_begin(struct skr_gang *e, struct group *g, struct what_if *w, struct trial *ret)
{
    struct skr_group_spec *spec = g->spec;
    if (!names_are_there(e, w) || (w->n_changes > 0 && !(spec = changed_spec(e, g, w)))) {
        w->status = SKR_EXPLAIN_REFUSED;
        return false;
    }
    *ret = (struct trial){.spec = g->spec, .limit = g->attempt.limit};
    g->spec = spec;
    g->without = &w->without;
    g->attempt.limit = w->limit;
    skr_membership_changed(g);
    skr_membership_update(e, g);
    return true;
}

static void trial_end(struct skr_gang *e, struct group *g, const struct trial *t)
{
    if (g->spec != t->spec) {
        skr_group_spec_destroy(g->spec);
    }
    g->spec = t->spec;
    g->without = NULL;
    g->attempt.limit = t->limit;
    skr_membership_changed(g);
    skr_membership_update(e, g);
}

/* ---- without a solve ---- */

/* A state that no solve is needed for. */
static bool is_plain(struct skr_gang *e, const struct group *g, struct what_if *w)
{
    if (g->plan && !g->plan->aborting) {
        skr_strbuf_reset(&w->sentence);
        w->placed = true;
        skr_strbuf_addf(&w->sentence, "group %s is being placed; ask again when it is bound",
                        g->name);
    } else if (!g->spec || !skr_topology_is_usable(e)) {
        skr_strbuf_reset(&w->sentence);
        skr_strbuf_add(&w->sentence, g->message ? g->message : "");
        if (w->sentence.len == 0) {
            skr_strbuf_addf(&w->sentence, "group %s is not valid, or there is no tree", g->name);
        }
    } else {
        return false;
    }
    return true;
}

/* The changed group has no members that could be placed. */
static bool is_incomplete(const struct group *g, size_t n, struct what_if *w)
{
    const size_t size = (size_t)skr_membership_size(g);
    if (g->seats.n_bound > 0 && n == 0) {
        w->placed = g->seats.n_bound + skr_membership_done(g) >= size;
        skr_strbuf_addf(&w->sentence, "group %s has %zu of %zu members bound; running members stay",
                        g->name, g->seats.n_bound, size);
        return true;
    }
    if (g->seats.n_bound > 0 || skr_membership_may_be_planned(g)) {
        return false;
    }
    skr_roles_say_group(g, g->seats.n_ready, skr_membership_needs(g), SKR_ROLE_PRESENT,
                        &w->sentence);
    return true;
}

/* ---- solves ---- */

static struct skr_solve_request *build(struct skr_gang *e, struct group *g, struct what_if *w)
{
    struct skr_error error = {.text = "out of memory"};
    size_t n;
    SKR_AUTO_FREE struct pod_entry **newcomers = skr_membership_plannable(e, g, &n);
    if (w->stage == STAGE_SOLVE && is_incomplete(g, n, w)) {
        return NULL;
    }
    struct skr_solve_request *request =
        w->stage == STAGE_VICTIMS ? skr_victim_problem_build(e, g, newcomers, n, false, &error)
                                  : skr_problem_build(e, g, newcomers, n, false, &error);
    if (!request) {
        skr_strbuf_add(&w->sentence, error.text);
    }
    return request;
}

struct skr_solve_request *skr_what_if_next(struct skr_gang *e, struct group *g, struct what_if *w)
{
    struct trial trial;
    if (w->stage == STAGE_END || is_plain(e, g, w) || !trial_begin(e, g, w, &trial)) {
        return NULL;
    }
    struct skr_solve_request *request = build(e, g, w);
    trial_end(e, g, &trial);
    w->input = g->input_epoch;
    return request;
}

/* ---- their ends ---- */

/* How many more members of each role the leaf gets. */
static void write_roles(const struct group *g, const struct skr_solve_request *request,
                        const struct skr_solution *s, int32_t leaf, struct skr_json_writer *w)
{
    skr_json_open(w, "roles", '{');
    for (size_t r = 0; r < request->roles->n; r++) {
        const int32_t n = skr_solution_added(&request->problem, s, r, leaf);
        const uint8_t role = request->roles->role[r];
        if (n > 0 && role < g->roles.n) {
            skr_json_int(w, g->roles.item[role].name, n);
        }
    }
    skr_json_close(w, '}');
}

static void write_units(const struct group *g, const struct skr_solve_request *request,
                        const struct skr_solution *s, struct what_if *w)
{
    const struct skr_tree *tree = request->tree;
    struct skr_json_writer out = {.out = &w->units};
    skr_json_open(&out, NULL, '[');
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        const int32_t more = skr_solution_more(&request->problem, s, leaf);
        if (more <= 0) {
            continue;
        }
        skr_json_open(&out, NULL, '{');
        skr_json_string(&out, "node", tree->unit_name[tree->first_leaf + leaf]);
        skr_json_int(&out, "pods", more);
        if (s->roles) {
            write_roles(g, request, s, leaf, &out);
        }
        skr_json_close(&out, '}');
    }
    skr_json_close(&out, ']');
    if (w->sentence.len == 0) {
        skr_strbuf_addf(&w->sentence, "group %s fits: ", g->name);
        skr_held_say_more(request, s, &w->sentence);
    }
}

/* What the search found, in the words of explanations. */
static void victims_solved(const struct skr_gang *e, const struct group *g,
                           const struct skr_solve_request *request, struct what_if *w)
{
    SKR_STRBUF(text);
    const struct skr_victims *v = request->victims;
    const bool fits = v && (v->status == SKR_VICTIMS_FOUND || v->status == SKR_VICTIMS_NOT_NEEDED);
    skr_explain_preemption_found(g, request, e->settings.preemption, NULL, &text);
    json_auto_t *found = json_loads(text.s, 0, NULL);
    const json_t *victims = json_object_get(found, "victims");
    char *list = victims ? json_dumps(victims, JSON_COMPACT) : NULL;
    skr_strbuf_add(&w->evicts, list ? list : "");
    free(list);
    w->placed = fits && (v->status == SKR_VICTIMS_NOT_NEEDED || e->settings.preemption);
    if (fits) {
        skr_strbuf_reset(&w->sentence);
    } else {
        skr_strbuf_add(&w->sentence, "; ");
    }
    skr_strbuf_add(&w->sentence, json_string_value(json_object_get(found, "text")));
    if (fits) {
        write_units(g, request, v->solution, w);
    }
}

/* As the planner: an open group is tried with the members that fit, at least with its minimum. */
static bool try_fewer(struct skr_gang *e, struct group *g, const struct skr_solve_request *request,
                      struct what_if *w)
{
    size_t n;
    free(skr_membership_plannable(e, g, &n));
    const int32_t held = request->problem.n - (int32_t)n;
    const int32_t largest = request->solution->explanation.largest - held;
    const size_t fits = w->limit == 0 && largest > 0 ? (size_t)largest : 0;
    const size_t fewer = skr_membership_fewer(g, n, fits);
    w->limit = fewer > 0 ? fewer : w->limit;
    return fewer > 0;
}

static void first_solved(struct skr_gang *e, struct group *g,
                         const struct skr_solve_request *request, struct what_if *w)
{
    const struct skr_solution *s = request->solution;
    if (!s) {
        skr_strbuf_add(&w->sentence, request->error.text);
    } else if (s->status == SKR_SOLVE_PLACED) {
        w->placed = true;
        write_units(g, request, s, w);
    } else if (try_fewer(e, g, request, w)) {
        w->stage = STAGE_SOLVE;
    } else {
        const enum skr_reason reason = skr_unplaced_say(e, g, s, request, &w->sentence);
        const bool room = reason == SKR_REASON_WAITING_FOR_CAPACITY ||
                          reason == SKR_REASON_TOPOLOGY_PLACEMENT_FAILED;
        w->stage = room && skr_victim_search_may_preempt(g) ? STAGE_VICTIMS : STAGE_END;
    }
}

void skr_what_if_solved(struct skr_gang *e, struct group *g, struct what_if *w,
                        const struct skr_solve_request *request)
{
    struct trial trial;
    if (!g || g->input_epoch != w->input) { /* it has changed: from the beginning */
        w->stage = STAGE_SOLVE;
        w->limit = 0;
        skr_strbuf_reset(&w->sentence);
        return;
    }
    const bool victims = w->stage == STAGE_VICTIMS;
    if (is_plain(e, g, w) || !trial_begin(e, g, w, &trial)) {
        w->stage = STAGE_END;
        return;
    }
    w->stage = STAGE_END;
    if (victims) {
        victims_solved(e, g, request, w);
    } else {
        first_solved(e, g, request, w);
    }
    trial_end(e, g, &trial);
}

/* ---- the answer ---- */

void skr_what_if_late(struct what_if *w)
{
    w->status = SKR_EXPLAIN_LATE;
    skr_strbuf_reset(&w->sentence);
    skr_strbuf_addf(&w->sentence,
                    "sakkara: no answer within %d s; ask again, or run sakkara "
                    "simulate",
                    SKR_WHAT_IF_PATIENCE_S);
}

enum skr_explain_status skr_what_if_write(const struct group *g, const struct what_if *w,
                                          struct skr_strbuf *out)
{
    struct skr_json_writer json = {.out = out};
    if (w->status != SKR_EXPLAIN_FOUND) {
        skr_strbuf_add(out, w->sentence.s);
        return w->status;
    }
    skr_json_open(&json, NULL, '{');
    skr_json_string(&json, "apiVersion", "sakkara/v1");
    skr_json_string(&json, "kind", "WhatIf");
    skr_json_string(&json, "namespace", g->namespace_);
    skr_json_string(&json, "name", g->name);
    skr_json_bool(&json, "placed", w->placed);
    skr_json_string(&json, "sentence", w->sentence.s);
    skr_json_raw(&json, "units", w->units.len > 0 ? w->units.s : "[]");
    skr_json_raw(&json, "evicts", w->evicts.len > 0 ? w->evicts.s : "[]");
    skr_json_close(&json, '}');
    return SKR_EXPLAIN_FOUND;
}
