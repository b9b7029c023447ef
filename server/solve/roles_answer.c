/* SPDX-License-Identifier: Apache-2.0 */
#include "server/solve/roles_answer.h"

#include <inttypes.h>

static void add_name(const struct skr_solve_writer *w, const char *name, bool *first)
{
    skr_strbuf_add(w->out, *first ? "" : ", ");
    skr_strbuf_add_json(w->out, name);
    skr_strbuf_add(w->out, ": ");
    *first = false;
}

/* {"leader": 1, "worker": 3}: of each role, if it is at least least; of equal members the number alone. */
static void write_by_role(const struct skr_solve_writer *w, const int32_t *number, int32_t least)
{
    bool first = true;
    if (!w->problem->roles) {
        skr_strbuf_addf(w->out, "%" PRId32, number[0]);
        return;
    }
    skr_strbuf_add(w->out, "{");
    for (size_t r = 0; r < w->problem->roles->n_roles; r++) {
        if (number[r] >= least) {
            add_name(w, w->problem->roles->role[r].name, &first);
            skr_strbuf_addf(w->out, "%" PRId32, number[r]);
        }
    }
    skr_strbuf_add(w->out, "}");
}

static void write_placement(const struct skr_solve_writer *w, const struct skr_solution *s)
{
    bool first = true;
    skr_strbuf_add(w->out, ",\n  \"placement\": {");
    for (int32_t leaf = 0; leaf < w->tree->n_leaves; leaf++) {
        int32_t members[SKR_ROLES_MAX];
        if (s->count[leaf] == 0) {
            continue;
        }
        for (size_t r = 0; r < skr_problem_n_roles(w->problem); r++) {
            members[r] = skr_solution_of_role(s, w->tree, r)[leaf];
        }
        add_name(w, w->tree->unit_name[w->tree->first_leaf + leaf], &first);
        write_by_role(w, members, 1);
    }
    skr_strbuf_add(w->out, "}");
}

static void write_sets(const struct skr_solve_writer *w, const struct skr_solution *s)
{
    const struct skr_roles *roles = w->problem->roles;
    if (roles->n_kinds == 0) {
        return;
    }
    skr_strbuf_add(w->out, ",\n  \"sets\": [");
    for (size_t k = 0; k < roles->n_kinds; k++) {
        const int32_t level = roles->kind[k].level;
        bool first = true;
        skr_strbuf_add(w->out, k == 0 ? "{" : ", {");
        for (int32_t u = w->tree->level_first[level]; u < w->tree->level_first[level + 1]; u++) {
            if (s->roles->sets[k][u] > 0) {
                skr_strbuf_add(w->out, first ? "" : ", ");
                skr_solve_write_unit(w, u);
                skr_strbuf_addf(w->out, ": %" PRId32, s->roles->sets[k][u]);
                first = false;
            }
        }
        skr_strbuf_add(w->out, "}");
    }
    skr_strbuf_add(w->out, "]");
}

static void write_sizes(const struct skr_solve_writer *w, const struct skr_solution *s)
{
    bool complete = true;
    for (size_t r = 0; r < w->problem->roles->n_roles; r++) {
        complete = complete && s->roles->size[r] == w->problem->roles->role[r].n;
    }
    if (!complete) {
        skr_strbuf_add(w->out, ",\n  \"sizes\": ");
        write_by_role(w, s->roles->size, 0);
    }
}

static void write_bound(const struct skr_solve_writer *w, const struct skr_solution *s)
{
    bool first = true;
    if (s->optimal || !s->roles->least_used) {
        return;
    }
    skr_strbuf_add(w->out, ",\n  \"bound\": {");
    for (int32_t level = 0; level < w->tree->n_levels; level++) {
        if (s->roles->least_used[level] > 0) {
            add_name(w, w->tree->level_name[level + 1], &first);
            skr_strbuf_addf(w->out, "%" PRId32, s->roles->least_used[level]);
        }
    }
    skr_strbuf_add(w->out, "}");
}

void skr_solve_write_left_out(const struct skr_solve_writer *w, const struct skr_solution *s)
{
    bool any = false;
    for (size_t r = 0; r < w->problem->roles->n_roles; r++) {
        any = any || s->roles->left_out[r] > 0;
    }
    if (any) {
        skr_strbuf_add(w->out, ",\n  \"leftOut\": ");
        write_by_role(w, s->roles->left_out, 1);
    }
}

void skr_solve_write_placement(const struct skr_solve_writer *w, const struct skr_solution *s)
{
    write_placement(w, s);
    if (w->problem->roles) {
        write_sets(w, s);
        write_sizes(w, s);
        write_bound(w, s);
    }
}

void skr_solve_write_own_keys(const struct skr_solve_writer *w, const struct skr_solution *s,
                              int32_t level, bool *first)
{
    for (size_t r = 0; r < skr_problem_n_roles(w->problem); r++) {
        const struct skr_role role = skr_problem_role(w->problem, r);
        const struct skr_level_key *key = role.rule ? s->roles->own_key[r] : NULL;
        if (!key || !role.has_rule[level]) {
            continue;
        }
        skr_strbuf_add(w->out, *first ? "\n    {\"level\": " : ",\n    {\"level\": ");
        *first = false;
        skr_strbuf_add_json(w->out, w->tree->level_name[level + 1]);
        skr_strbuf_add(w->out, ", \"role\": ");
        skr_strbuf_add_json(w->out, role.name);
        skr_strbuf_addf(w->out, ", \"type\": \"%s\", \"used\": %" PRId32,
                        role.rule[level].type == SKR_RULE_PACK ? "pack" : "spread",
                        key[level].used);
        skr_solve_write_runs(w, "counts", &key[level]);
        skr_strbuf_add(w->out, "}");
    }
}

void skr_solve_write_short(const struct skr_solve_writer *w, const struct skr_bottleneck *unit)
{
    skr_strbuf_add(w->out, ", \"fits\": ");
    write_by_role(w, unit->fits_of, 0);
    skr_strbuf_add(w->out, ", \"needs\": ");
    write_by_role(w, unit->needs_of, 0);
}

static bool is_any(const int32_t *number, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        any = any || number[i] >= 0;
    }
    return any;
}

static void write_alone(const struct skr_solve_writer *w,
                        const struct skr_roles_explanation *explanation)
{
    bool first = true;
    if (explanation->alone == 0) {
        return;
    }
    skr_strbuf_add(w->out, ",\n    \"roleAlone\": {");
    for (size_t r = 0; r < w->problem->roles->n_roles; r++) {
        if ((explanation->alone >> r & 1) == 0) {
            continue;
        }
        add_name(w, w->problem->roles->role[r].name, &first);
        skr_strbuf_addf(w->out, "{\"nodesNow\": %" PRId32, explanation->holds_now[r]);
        if (w->problem->capacity) {
            skr_strbuf_addf(w->out, ", \"nodesEmpty\": %" PRId32, explanation->holds_empty[r]);
        }
        skr_strbuf_add(w->out, "}");
    }
    skr_strbuf_add(w->out, "}");
}

void skr_solve_write_shortages(const struct skr_solve_writer *w,
                               const struct skr_roles_explanation *explanation)
{
    const struct skr_roles *roles = w->problem->roles;
    write_alone(w, explanation);
    if (is_any(explanation->largest_of_role, roles->n_roles)) {
        skr_strbuf_add(w->out, ",\n    \"largestOfRole\": ");
        write_by_role(w, explanation->largest_of_role, 0);
    }
    if (is_any(explanation->largest_of_sets, roles->n_kinds)) {
        skr_strbuf_add(w->out, ",\n    \"largestOfSets\": [");
        for (size_t k = 0; k < roles->n_kinds; k++) {
            skr_strbuf_addf(w->out, k == 0 ? "%" PRId32 : ", %" PRId32,
                            explanation->largest_of_sets[k]);
        }
        skr_strbuf_add(w->out, "]");
    }
}
