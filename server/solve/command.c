/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file, runs the solver, writes the whole answer as JSON in a fixed order. */
#include "server/solve/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/clock.h"
#include "server/exit_code.h"
#include "server/file.h"
#include "server/solve/file.h"
#include "server/solve/roles_answer.h"
#include "server/solve/writer.h"

static const char *const class_name[] = {"", "ConstraintConflict", "NeverFits",
                                         "WaitingForCapacity", "TopologyPlacementFailed"};
_Static_assert(sizeof class_name / sizeof class_name[0] == SKR_INFEASIBLE_CLASS_COUNT,
               "a name per class");
static const char *const status_name[] = {"placed", "infeasible", "timeout"};
_Static_assert(sizeof status_name / sizeof status_name[0] == SKR_SOLVE_STATUS_COUNT,
               "a name per status");
static const char *const relaxation_name[] = {"hard", "max", "min", "factor", "partitions"};
_Static_assert(sizeof relaxation_name / sizeof relaxation_name[0] == SKR_RELAXATION_KIND_COUNT,
               "a name per kind");

/* ---- reading ---- */

static int read_text(const char *path, char **ret, struct skr_error *error)
{
    size_t n = 0;
    const int rc = strcmp(path, "-") == 0
                       ? skr_file_read_open(STDIN_FILENO, SKR_SOLVE_TEXT_MAX, ret, &n, error)
                       : skr_file_read(path, SKR_SOLVE_TEXT_MAX, ret, &n, error);
    return rc == 0 && memchr(*ret, '\0', n)
               ? skr_error_set(error, SKR_INVALID, "has a NUL byte, is no text")
               : rc;
}

/* ---- writing ---- */

void skr_solve_write_runs(const struct skr_solve_writer *w, const char *name,
                          const struct skr_level_key *key)
{
    skr_strbuf_addf(w->out, ", \"%s\": [", name);
    for (size_t r = 0; r < key->n_runs; r++) {
        skr_strbuf_addf(w->out, "%s[%" PRId32 ",%" PRId32 "]", r == 0 ? "" : ",", key->run[r].count,
                        key->run[r].mult);
    }
    skr_strbuf_add(w->out, "]");
}

static void write_key(const struct skr_solve_writer *w, const struct skr_solution *s)
{
    skr_strbuf_add(w->out, ",\n  \"key\": [");
    bool first = true;
    for (int32_t level = 0; level < w->tree->n_levels; level++) {
        skr_solve_write_own_keys(w, s, level, &first);
        skr_strbuf_add(w->out, first ? "\n    {\"level\": " : ",\n    {\"level\": ");
        first = false;
        skr_strbuf_add_json(w->out, w->tree->level_name[level + 1]);
        skr_strbuf_addf(w->out, ", \"type\": \"%s\", \"used\": %" PRId32,
                        w->problem->rule[level].type == SKR_RULE_PACK ? "pack" : "spread",
                        s->key[level].used);
        skr_solve_write_runs(w, "counts", &s->key[level]);
        if (s->best_alone && s->best_alone[level].used > 0) {
            skr_solve_write_runs(w, "bestAlone", &s->best_alone[level]);
        }
        if (s->best_empty && s->best_empty[level].used > 0) {
            skr_solve_write_runs(w, "bestEmpty", &s->best_empty[level]);
        }
        skr_strbuf_add(w->out, "}");
    }
    skr_strbuf_add(w->out, "\n  ]");
}

void skr_solve_write_unit(const struct skr_solve_writer *w, int32_t unit)
{
    int32_t path[SKR_LEVELS_MAX];
    int32_t n = 0;
    SKR_STRBUF(text);
    for (; unit > 0; unit = w->tree->parent[unit]) {
        path[n++] = unit;
    }
    while (n > 0) {
        skr_strbuf_addf(&text, "%s%s", text.len > 0 ? "/" : "", w->tree->unit_name[path[--n]]);
    }
    skr_strbuf_add_json(w->out, text.s);
}

static void write_bottleneck(const struct skr_solve_writer *w, const struct skr_explanation *x)
{
    skr_strbuf_add(w->out, ",\n    \"bottleneck\": {\"level\": ");
    skr_strbuf_add_json(w->out, w->tree->level_name[x->level]);
    skr_strbuf_add(w->out, ", \"units\": [");
    for (size_t i = 0; i < x->n_bottlenecks; i++) {
        const struct skr_bottleneck *b = &x->bottleneck[i];
        skr_strbuf_add(w->out, i == 0 ? "\n      {\"unit\": " : ",\n      {\"unit\": ");
        skr_solve_write_unit(w, b->unit);
        skr_solve_write_short(w, b);
        skr_strbuf_addf(w->out, ", \"short\": %" PRId32 "}", b->needs - b->fits);
    }
    skr_strbuf_add(w->out, "]}");
}

static void write_sizes(const struct skr_solve_writer *w, const struct skr_explanation *x)
{
    skr_strbuf_addf(
        w->out, ",\n    \"sizes\": {\"from\": %" PRId32 ", \"to\": %" PRId32 ", \"feasible\": [",
        x->sizes_first, x->sizes_last);
    for (size_t i = 0; i < x->n_sizes; i++) {
        skr_strbuf_addf(w->out, "%s[%" PRId32 ",%" PRId32 "]", i == 0 ? "" : ",", x->size[i].first,
                        x->size[i].last);
    }
    skr_strbuf_add(w->out, "]}");
}

static void write_atom(const struct skr_solve_writer *w, const struct skr_relaxation_atom *atom)
{
    if (atom->what != SKR_ATOM_RULE) {
        skr_strbuf_addf(w->out, "{\"%s\": %" PRId32 "}",
                        atom->what == SKR_ATOM_SETS ? "sets" : "exclusive", atom->set_kind);
        return;
    }
    skr_strbuf_add(w->out, "{");
    if (atom->role >= 0) {
        skr_strbuf_add(w->out, "\"role\": ");
        skr_strbuf_add_json(w->out, w->problem->roles->role[atom->role].name);
        skr_strbuf_add(w->out, ", ");
    }
    skr_strbuf_add(w->out, "\"level\": ");
    skr_strbuf_add_json(w->out, w->tree->level_name[atom->level]);
    skr_strbuf_addf(w->out, ", \"rule\": \"%s\"", relaxation_name[atom->kind]);
    if (atom->value > 0) {
        skr_strbuf_addf(w->out, ", \"value\": %" PRId32, atom->value);
    }
    skr_strbuf_add(w->out, "}");
}

static void write_relaxations(const struct skr_solve_writer *w, const struct skr_explanation *x)
{
    skr_strbuf_add(w->out, ",\n    \"relaxations\": [");
    for (size_t i = 0; i < x->n_relaxations; i++) {
        const struct skr_relaxation *relaxation = &x->relaxation[i];
        skr_strbuf_add(w->out, i == 0 ? "\n      [" : ",\n      [");
        for (size_t a = 0; a < relaxation->n_atoms; a++) {
            skr_strbuf_add(w->out, a == 0 ? "" : ", ");
            write_atom(w, &relaxation->atom[a]);
        }
        skr_strbuf_add(w->out, "]");
    }
    skr_strbuf_add(w->out, "]");
}

static void write_slots(const struct skr_solve_writer *w, const struct skr_explanation *x)
{
    skr_strbuf_addf(w->out, ",\n    \"slots\": {\"missing\": %" PRId32 ", \"nodes\": {", x->slots);
    for (size_t i = 0; i < x->n_slot_leaves && i < SKR_MISSING_SLOTS_MAX; i++) {
        skr_strbuf_add(w->out, i == 0 ? "" : ", ");
        skr_strbuf_add_json(w->out, w->tree->unit_name[w->tree->first_leaf + x->slot[i].leaf]);
        skr_strbuf_addf(w->out, ": %" PRId32, x->slot[i].slots);
    }
    skr_strbuf_add(w->out, "}}");
}

static void write_incomplete(const struct skr_solve_writer *w, uint32_t left_out)
{
    static const char *const name[] = {"sizes", "relaxations", "slots", "keys"};
    if (left_out == 0) {
        return;
    }
    skr_strbuf_add(w->out, ",\n    \"incomplete\": [");
    bool first = true;
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        if ((left_out >> i & 1) != 0) {
            skr_strbuf_addf(w->out, "%s\"%s\"", first ? "" : ", ", name[i]);
            first = false;
        }
    }
    skr_strbuf_add(w->out, "]");
}

static void write_explanation(const struct skr_solve_writer *w, const struct skr_solution *s)
{
    const struct skr_explanation *x = &s->explanation;
    const struct skr_roles_explanation *roles = w->problem->roles ? &s->roles->explanation : NULL;
    const bool placed = s->status == SKR_SOLVE_PLACED;
    const uint32_t asked =
        w->problem->explain_parts & (roles    ? (uint32_t)SKR_EXPLAIN_RELAXATIONS
                                     : placed ? SKR_EXPLAIN_SIZES | SKR_EXPLAIN_KEYS
                                              : ~(uint32_t)SKR_EXPLAIN_KEYS);
    skr_strbuf_add(w->out, ",\n  \"explanation\": {");
    if (!placed) {
        skr_strbuf_addf(w->out, "\n    \"class\": \"%s\"", class_name[x->class]);
    }
    if (roles) {
        skr_solve_write_shortages(w, roles);
    } else {
        skr_strbuf_addf(w->out, "%s\n    \"largest\": %" PRId32 ",\n    \"sumOfFits\": %" PRId64,
                        placed ? "" : ",", x->largest, x->sum_fits);
    }
    if (x->level > 0) {
        write_bottleneck(w, x);
    }
    if ((asked & SKR_EXPLAIN_SIZES) != 0 && x->sizes_last > 0) {
        write_sizes(w, x);
    }
    if ((asked & SKR_EXPLAIN_RELAXATIONS) != 0) {
        write_relaxations(w, x);
    }
    if ((asked & x->parts & SKR_EXPLAIN_SLOTS) != 0) {
        write_slots(w, x);
    }
    write_incomplete(w, asked & ~x->parts);
    skr_strbuf_add(w->out, "\n  }");
}

static void write_statistics(const struct skr_solve_writer *w, const struct skr_solution *s,
                             int64_t took_us)
{
    const struct skr_solve_stats *stats = &s->stats;
    static const char *const phase[] = {"sets", "optimum", "choice", "explanation"};
    _Static_assert(sizeof phase / sizeof phase[0] == SKR_PHASE_COUNT, "a name per phase");
    skr_strbuf_addf(w->out,
                    ",\n  \"statistics\": {\"unitsVisited\": %" PRId64 ", \"merges\": %" PRId64
                    ", \"mergesOfRuns\": %" PRId64 ", \"statesKept\": %" PRId64
                    ", \"peakBytes\": %" PRId64,
                    stats->units_visited, stats->merges, stats->merges_of_runs, stats->states_kept,
                    stats->peak_bytes);
    if (s->roles) {
        skr_strbuf_addf(w->out, ", \"rows\": %" PRId64 ", \"ports\": %" PRId64, s->roles->rows,
                        s->roles->ports);
    }
    skr_strbuf_addf(w->out, ", \"microseconds\": %" PRId64 ", \"phases\": {", took_us);
    for (size_t i = 0; i < SKR_PHASE_COUNT; i++) {
        skr_strbuf_addf(w->out, "%s\"%s\": %" PRId64, i == 0 ? "" : ", ", phase[i],
                        stats->time_us[i]);
    }
    skr_strbuf_add(w->out, "}}\n}\n");
}

static void write_solution(const struct skr_solve_writer *w, const struct skr_solution *s,
                           int64_t took_us)
{
    skr_strbuf_addf(w->out, "{\n  \"result\": \"%s\",\n  \"members\": %" PRId32,
                    status_name[s->status], w->problem->n);
    if (s->status == SKR_SOLVE_PLACED) {
        skr_strbuf_addf(w->out, ",\n  \"optimal\": %s", s->optimal ? "true" : "false");
        skr_solve_write_placement(w, s);
        write_key(w, s);
    }
    if (s->status == SKR_SOLVE_TIMEOUT && s->roles) {
        skr_solve_write_left_out(w, s);
    }
    if (w->problem->explain && s->status != SKR_SOLVE_TIMEOUT &&
        (!w->problem->roles || s->status == SKR_SOLVE_INFEASIBLE)) {
        write_explanation(w, s);
    }
    write_statistics(w, s, took_us);
}

/* ---- the command ---- */

static int64_t now_us(void)
{
    return skr_clock_monotonic() / 1000;
}

static int solve(const char *name, const struct skr_solve_file *file, struct skr_strbuf *out,
                 struct skr_strbuf *errors)
{
    struct skr_solution *solution = NULL;
    struct skr_error error;
    struct skr_problem problem = file->problem;
    problem.clock_us = now_us;
    int64_t begin = now_us();
    if (skr_solve(&problem, &solution, &error) != 0) {
        skr_strbuf_addf(errors, "%s: %s\n", name, error.text);
        return SKR_EXIT_ERROR;
    }
    const struct skr_solve_writer writer = {&file->problem, file->tree, out};
    write_solution(&writer, solution, now_us() - begin);
    int code = solution->status == SKR_SOLVE_PLACED ? SKR_EXIT_OK : SKR_EXIT_NOT_PLACED;
    skr_solution_destroy(solution);
    return code;
}

int skr_solve_command(const char *path, struct skr_strbuf *out, struct skr_strbuf *errors)
{
    struct skr_error error;
    struct skr_solve_file *file = NULL;
    const char *name = strcmp(path, "-") == 0 ? "stdin" : path;
    SKR_AUTO_FREE char *text = NULL;
    if (read_text(path, &text, &error) < 0) {
        skr_strbuf_addf(errors, "%s: %s\n", name, error.text);
        return error.code == SKR_NOT_FOUND ? SKR_EXIT_NOT_FOUND : SKR_EXIT_ERROR;
    }
    int rc = skr_solve_file_parse(text, &file, &error);
    if (rc != 0) {
        skr_strbuf_addf(errors, "%s:%s\n", name, error.text);
        return SKR_EXIT_ERROR;
    }
    for (size_t i = 0; i < file->n_warnings; i++) {
        skr_strbuf_addf(errors, "%s:%s\n", name, file->warning[i] ? file->warning[i] : "");
    }
    int code = solve(name, file, out, errors);
    skr_solve_file_destroy(file);
    return code;
}
