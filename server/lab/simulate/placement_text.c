/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a cycle for users: the selected clusters and why, and why the others were not selected (a
 * filter, a hard level with its numbers, or the score). placement_help.c finds ways out.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/placement/report.h"
#include "server/lab/simulate/placement.h"
#include "server/lab/simulate/placement_help.h"
#include "server/render/page.h"

enum { ROWS = 12 }; /* of each list; others are counted. verbose: all */

struct text {
    const struct skr_placement *placement;
    const struct skr_placement_hub *hub;
    const struct skr_placement_result *result;
    struct skr_strbuf *out;
    bool verbose;
    size_t *step;   /* [candidate] step of its selection, from 1; 0: not selected */
    bool *excluded; /* [candidate] by a hard level, when the selection ended */
    bool cut_short; /* hard levels ended the selection */
};

static const char *name_of(const struct text *t, size_t candidate)
{
    return t->hub->cluster[t->result->candidate[candidate]]->meta.name;
}

static bool see_end(void *context, const struct skr_spread_step *step)
{
    struct text *t = context;
    t->cut_short = step->selected < 0;
    for (size_t i = 0; i < t->result->problem.n; i++) {
        t->excluded[i] = step->excluded[i];
    }
    return true;
}

/* ---- selected ---- */

static void write_level_values(const struct text *t, size_t candidate)
{
    const struct skr_spread_problem *p = &t->result->problem;
    for (size_t l = 0; l < p->n_levels; l++) {
        const char *value = p->value[candidate * p->n_levels + l];
        skr_strbuf_add(t->out, l == 0 ? "" : "/");
        skr_page_add_clean(t->out, !value ? "<none>" : value[0] ? value : "\"\"", false);
    }
    if (p->n_levels == 0) {
        skr_strbuf_addc(t->out, '-');
    }
}

static void write_scores(const struct text *t, size_t candidate)
{
    skr_strbuf_addf(t->out, "score %" PRId64, t->result->total[candidate]);
    if (t->hub->cluster[t->result->candidate[candidate]]->has_total) {
        skr_strbuf_add(t->out, " (given)");
        return;
    }
    for (size_t s = 0; s < t->result->n_scores; s++) {
        const struct skr_placement_scores *scores = &t->result->scores[s];
        skr_strbuf_addf(t->out, "%s%s ", s == 0 ? " = " : ", ", scores->prioritizer->name);
        if (scores->has[candidate]) {
            skr_strbuf_addf(t->out, "%" PRId32, scores->value[candidate]);
        } else {
            skr_strbuf_add(t->out, "no data");
        }
        if (scores->prioritizer->weight != 1) {
            skr_strbuf_addf(t->out, "*%" PRId32, scores->prioritizer->weight);
        }
    }
}

static void write_selected(const struct text *t)
{
    const struct skr_spread_result *spread = &t->result->spread;
    skr_strbuf_addf(t->out, "\n  Selected:%s\n", spread->n == 0 ? " none" : "");
    for (size_t i = 0; i < spread->n && (t->verbose || i < ROWS); i++) {
        skr_strbuf_addf(t->out, "    %zu. ", i + 1);
        skr_page_add_clean(t->out, name_of(t, spread->order[i]), false);
        skr_strbuf_add(t->out, "  ");
        write_level_values(t, spread->order[i]);
        skr_strbuf_add(t->out, "  ");
        write_scores(t, spread->order[i]);
        skr_strbuf_addc(t->out, '\n');
    }
    if (!t->verbose && spread->n > ROWS) {
        skr_strbuf_addf(t->out, "    ... and %zu more\n", spread->n - ROWS);
    }
}

/* ---- not selected ---- */

static const struct skr_spread_tuple *tuple_at(const struct text *t, size_t candidate, size_t level)
{
    const struct skr_spread_problem *p = &t->result->problem;
    const struct skr_spread_tuple *found = NULL;
    SKR_STRBUF(path);
    for (size_t l = 0; l <= level; l++) {
        skr_strbuf_addf(&path, "%s%s", l == 0 ? "" : "/", p->value[candidate * p->n_levels + l]);
    }
    for (size_t i = 0; !found && i < t->result->spread.n_tuples; i++) {
        const struct skr_spread_tuple *tuple = &t->result->spread.tuple[i];
        found = tuple->level == (int32_t)level && strcmp(tuple->path, path.s) == 0 ? tuple : NULL;
    }
    return found;
}

/* Whether the tuples are siblings: the same path up to the last value. */
static bool are_siblings(const struct skr_spread_tuple *a, const struct skr_spread_tuple *b)
{
    const char *s = strrchr(a->path, '/'), *u = strrchr(b->path, '/');
    size_t m = s ? (size_t)(s - a->path) : 0, n = u ? (size_t)(u - b->path) : 0;
    return a->level == b->level && (a->level == 0 || (m == n && strncmp(a->path, b->path, m) == 0));
}

/* The first hard level that excludes it. */
static void write_exclusion(const struct text *t, size_t candidate)
{
    const struct skr_spread_problem *p = &t->result->problem;
    for (size_t l = 0; l < p->n_levels; l++) {
        const struct skr_spread_constraint *c = &p->constraint[l];
        if (!p->value[candidate * p->n_levels + l]) {
            skr_strbuf_addf(t->out, "it has no %s %s", c->of_claim ? "claim" : "label", c->key);
            return;
        }
        const struct skr_spread_tuple *own = tuple_at(t, candidate, l), *least = own;
        for (size_t i = 0; own && i < t->result->spread.n_tuples; i++) {
            const struct skr_spread_tuple *other = &t->result->spread.tuple[i];
            least = are_siblings(own, other) && other->count < least->count ? other : least;
        }
        if (own && c->hard && own->count + 1 - least->count > c->max_skew) {
            skr_strbuf_addf(t->out, "%s ", c->key);
            skr_page_add_clean(t->out, own->path, false);
            skr_strbuf_addf(t->out, " would have %d, ", own->count + 1);
            skr_page_add_clean(t->out, least->path, false);
            skr_strbuf_addf(t->out, " has %d: more than maxSkew %d apart", least->count,
                            c->max_skew);
            return;
        }
    }
}

static void write_rest(const struct text *t)
{
    const struct skr_placement_result *r = t->result;
    size_t n = 0;
    for (size_t i = 0; i < r->n_candidates; i++) {
        if (t->step[i] > 0 || (n++ >= ROWS && !t->verbose)) {
            continue;
        }
        skr_strbuf_add(t->out, n == 1 ? "\n  Not selected:\n    " : "    ");
        skr_page_add_clean(t->out, name_of(t, i), false);
        skr_strbuf_add(t->out, "  ");
        if (t->excluded[i]) {
            write_exclusion(t, i);
        } else {
            write_level_values(t, i);
            skr_strbuf_add(t->out, "  ");
            write_scores(t, i);
        }
        skr_strbuf_addc(t->out, '\n');
    }
    if (n > ROWS && !t->verbose) {
        skr_strbuf_addf(t->out, "    ... and %zu more\n", n - ROWS);
    }
    for (size_t i = 0; i < r->n_filtered && (t->verbose || i < ROWS); i++) {
        skr_strbuf_add(t->out, i == 0 ? "\n  Filtered:\n    " : "    ");
        skr_page_add_clean(t->out, t->hub->cluster[r->filtered[i].cluster]->meta.name, false);
        skr_strbuf_add(t->out, "  ");
        skr_page_add_clean(t->out, r->filtered[i].why, false);
        skr_strbuf_addc(t->out, '\n');
    }
    if (r->n_filtered > ROWS && !t->verbose) {
        skr_strbuf_addf(t->out, "    ... and %zu more\n", r->n_filtered - ROWS);
    }
}

static void write_headline(const struct text *t, const char *reason, size_t selected)
{
    const struct skr_meta *meta = &t->placement->meta;
    skr_strbuf_add(t->out, "Placement ");
    skr_page_add_clean(t->out, meta->name, false);
    skr_strbuf_add(t->out, " (");
    skr_page_add_clean(t->out, meta->namespace_[0] ? meta->namespace_ : "default", false);
    skr_strbuf_addf(t->out, "): %s, %zu", reason, selected);
    if (t->placement->has_number) {
        skr_strbuf_addf(t->out, " of %d", t->placement->number);
    }
    skr_strbuf_add(t->out, " clusters selected.\n");
}

static void write_kept(const struct text *t, struct skr_arena *arena)
{
    struct skr_placement_kept kept;
    if (skr_placement_keep(t->placement, t->hub, t->result, arena, &kept) < 0) {
        return;
    }
    const bool misconfigured = t->result->misconfigured[0];
    write_headline(t, misconfigured ? "Misconfigured" : kept.reason, kept.n);
    skr_strbuf_add(t->out, "\n  ");
    skr_page_add_clean(t->out, misconfigured ? t->result->misconfigured : t->result->failure,
                       false);
    skr_strbuf_add(t->out, kept.n_slices > 0 ? "\n  Decisions stay as they are.\n"
                                             : "\n  There are no decisions yet.\n");
    for (size_t i = 0; i < kept.n && (t->verbose || i < ROWS); i++) {
        skr_strbuf_add(t->out, "    ");
        skr_page_add_clean(t->out, kept.cluster[i], false);
        skr_strbuf_addc(t->out, '\n');
    }
    if (!t->verbose && kept.n > ROWS) {
        skr_strbuf_addf(t->out, "    ... and %zu more\n", kept.n - ROWS);
    }
}

void skr_placement_text_write(const struct skr_placement *placement,
                              const struct skr_placement_hub *hub,
                              const struct skr_placement_result *result, struct skr_arena *arena,
                              bool verbose, struct skr_strbuf *out)
{
    const size_t n = result->n_candidates;
    struct text t = {
        .placement = placement, .hub = hub, .result = result, .out = out, .verbose = verbose};
    if (result->misconfigured[0] || result->failure[0]) {
        write_kept(&t, arena);
        return;
    }
    uint32_t *order = skr_arena_array(arena, n + 1, sizeof *order);
    t.step = skr_arena_array(arena, n + 1, sizeof *t.step);
    t.excluded = skr_arena_array(arena, n + 1, sizeof *t.excluded);
    if (!order || !t.step || !t.excluded) {
        skr_strbuf_add(out, "too many clusters to explain\n");
        return;
    }
    for (size_t i = 0; i < result->spread.n; i++) {
        t.step[result->spread.order[i]] = i + 1;
    }
    if (result->unscheduled > 0 && n > 0 && n <= 5000) {
        (void)skr_spread_select_slowly(&result->problem, arena, see_end, &t, order);
        for (size_t i = 0; !t.cut_short && i < n; i++) {
            t.excluded[i] = false;
        }
    }
    write_headline(&t, skr_placement_reason_name[result->reason], result->spread.n);
    if (result->message[0]) {
        skr_strbuf_addf(out, "  %s\n", result->message);
    }
    write_selected(&t);
    write_rest(&t);
    skr_placement_help_write(placement, hub, result, out);
}
