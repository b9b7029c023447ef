/* SPDX-License-Identifier: Apache-2.0 */
/* A cycle as JSON. Fractions are texts in lowest terms: "250", "-200/3". */
#include "core/placement/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/decimal.h"

enum { WIDE_TEXT_MAX = 48 };

struct report {
    const struct skr_placement *placement;
    const struct skr_placement_hub *hub;
    const struct skr_placement_result *result;
    struct skr_arena *arena;
    struct skr_json_writer *w;
    size_t cells; /* of the trace */
};

static const char *candidate_name(const struct report *r, size_t i)
{
    return r->hub->cluster[r->result->candidate[i]]->meta.name;
}

/* ---- what stays ---- */

/* The index of the decision group in the object's label; 0 if the label is absent or wrong. */
static int64_t group_index(const struct skr_placement_decision *decision)
{
    const char *text = skr_labels_get(&decision->meta.labels, SKR_DECISION_GROUP_INDEX_LABEL);
    int64_t index;
    return text && skr_decimal_parse(text, strlen(text), &index) && index >= 0 ? index : 0;
}

static const char *group_name_of(const struct skr_placement_decision *decision)
{
    const char *text = skr_labels_get(&decision->meta.labels, SKR_DECISION_GROUP_NAME_LABEL);
    return text ? text : "";
}

/* Names end in numbers, so shorter names come first. */
static int by_group(const void *a, const void *b)
{
    const struct skr_placement_decision *s = *(const struct skr_placement_decision *const *)a;
    const struct skr_placement_decision *t = *(const struct skr_placement_decision *const *)b;
    const int64_t i = group_index(s), j = group_index(t);
    const size_t m = strlen(s->meta.name), n = strlen(t->meta.name);
    int order = (i > j) - (i < j);
    order = order != 0 ? order : strcmp(group_name_of(s), group_name_of(t));
    order = order != 0 ? order : (m > n) - (m < n);
    return order != 0 ? order : strcmp(s->meta.name, t->meta.name);
}

int skr_placement_keep(const struct skr_placement *placement, const struct skr_placement_hub *hub,
                       const struct skr_placement_result *result, struct skr_arena *arena,
                       struct skr_placement_kept *ret)
{
    size_t n = 0;
    *ret = (struct skr_placement_kept){.n_slices = hub->n_decisions};
    for (size_t d = 0; d < hub->n_decisions; d++) {
        n += hub->decision[d]->n;
    }
    ret->cluster = skr_arena_array(arena, n + 1, sizeof *ret->cluster);
    ret->slice = skr_arena_array(arena, hub->n_decisions + 1, sizeof *ret->slice);
    if (!ret->cluster || !ret->slice) {
        return -SKR_LIMIT;
    }
    n = 0;
    for (size_t d = 0; d < hub->n_decisions; d++) {
        ret->slice[d] = hub->decision[d];
        for (size_t i = 0; i < hub->decision[d]->n; i++) {
            ret->cluster[n++] = hub->decision[d]->cluster[i];
        }
    }
    qsort(ret->slice, ret->n_slices, sizeof *ret->slice, by_group);
    skr_names_sort(ret->cluster, n);
    for (size_t i = 0; i < n; i++) {
        if (ret->n == 0 || strcmp(ret->cluster[i], ret->cluster[ret->n - 1]) != 0) {
            ret->cluster[ret->n++] = ret->cluster[i];
        }
    }
    const struct skr_placement_condition *before = &placement->satisfied;
    if (result->failure[0]) {
        ret->reason = skr_placement_reason_name[SKR_PLACEMENT_FAILED];
        ret->message = result->failure;
    } else if (ret->n == 0) {
        ret->reason = skr_placement_reason_name[SKR_PLACEMENT_NONE_MATCHED];
        ret->message = skr_placement_reason_message[SKR_PLACEMENT_NONE_MATCHED];
    } else if (before->is_set) {
        ret->satisfied = strcmp(before->status, "True") == 0;
        ret->reason = before->reason;
        ret->message = before->message;
    } else {
        ret->satisfied = true;
        ret->reason = skr_placement_reason_name[SKR_PLACEMENT_ALL_SCHEDULED];
        ret->message = "Decisions are kept";
    }
    return 0;
}

/* ---- maps ---- */

static void write_filtered(const struct report *r)
{
    skr_json_open(r->w, "filtered", '{');
    for (size_t i = 0; i < r->result->n_filtered; i++) {
        const struct skr_placement_filtered *f = &r->result->filtered[i];
        skr_json_string(r->w, r->hub->cluster[f->cluster]->meta.name, f->why);
    }
    skr_json_close(r->w, '}');
}

static void write_weights(const struct report *r, bool valid)
{
    skr_json_open(r->w, "weights", '{');
    for (size_t i = 0; valid && i < r->placement->n_prioritizers; i++) {
        const struct skr_prioritizer *p = &r->placement->prioritizer[i];
        skr_json_int(r->w, p->name, p->weight);
    }
    skr_json_close(r->w, '}');
}

static void write_scores(const struct report *r)
{
    skr_json_open(r->w, "scores", '{');
    for (size_t s = 0; s < r->result->n_scores; s++) {
        const struct skr_placement_scores *scores = &r->result->scores[s];
        skr_json_open(r->w, scores->prioritizer->name, '{');
        for (size_t i = 0; i < r->result->n_candidates; i++) {
            if (scores->has[i]) {
                skr_json_int(r->w, candidate_name(r, i), scores->value[i]);
            }
        }
        skr_json_close(r->w, '}');
    }
    skr_json_close(r->w, '}');
    skr_json_open(r->w, "totals", '{');
    for (size_t i = 0; i < r->result->n_candidates; i++) {
        skr_json_int(r->w, candidate_name(r, i), r->result->total[i]);
    }
    skr_json_close(r->w, '}');
}

static void write_names(const struct report *r, const char *key, const char *const *name, size_t n)
{
    skr_json_open(r->w, key, '[');
    for (size_t i = 0; i < n; i++) {
        skr_json_string(r->w, NULL, name[i]);
    }
    skr_json_close(r->w, ']');
}

/* Values may have "/". If two tuples have the same text, the deeper one gets its level as a
 * suffix. */
static void write_counts(const struct report *r)
{
    const struct skr_spread_result *spread = &r->result->spread;
    skr_json_open(r->w, "topologyCounts", '{');
    for (size_t i = 0; i < spread->n_tuples; i++) {
        const struct skr_spread_tuple *tuple = &spread->tuple[i];
        if (i > 0 && strcmp(tuple->path, spread->tuple[i - 1].path) == 0) {
            struct skr_strbuf key;
            skr_strbuf_init(&key);
            skr_strbuf_addf(&key, "%s#%" PRId32 ".%zu", tuple->path, tuple->level + 1, i);
            skr_json_int(r->w, key.s, tuple->count);
            skr_strbuf_fini(&key);
        } else {
            skr_json_int(r->w, tuple->path, tuple->count);
        }
    }
    skr_json_close(r->w, '}');
    skr_json_open(r->w, "skew", '[');
    for (size_t i = 0; i < r->result->problem.n_levels; i++) {
        skr_json_int(r->w, NULL, spread->skew[i]);
    }
    skr_json_close(r->w, ']');
}

static void write_requeue(const struct report *r)
{
    const skr_time at = r->result->requeue_at;
    if (at == SKR_TIME_NEVER) {
        skr_json_raw(r->w, "requeueAfterSeconds", NULL);
    } else {
        skr_json_int(r->w, "requeueAfterSeconds",
                     (int64_t)(((skr_int128)at - 1 - r->hub->now + SKR_SECOND - 1) / SKR_SECOND));
    }
}

/* ---- the trace ---- */

static void write_wide(char text[WIDE_TEXT_MAX], skr_int128 value)
{
    char digits[WIDE_TEXT_MAX];
    size_t n = 0, at = 0;
    bool negative = value < 0;
    do {
        int digit = (int)(value % 10);
        digits[n++] = (char)('0' + (digit < 0 ? -digit : digit));
        value /= 10;
    } while (value != 0);
    if (negative) {
        text[at++] = '-';
    }
    while (n > 0) {
        text[at++] = digits[--n];
    }
    text[at] = '\0';
}

static skr_int128 common_divisor(skr_int128 a, skr_int128 b)
{
    a = a < 0 ? -a : a;
    while (b != 0) {
        skr_int128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* below > 0 */
static void write_fraction(const struct report *r, const char *key, skr_int128 above,
                           skr_int128 below)
{
    char text[2 * WIDE_TEXT_MAX], numerator[WIDE_TEXT_MAX], denominator[WIDE_TEXT_MAX];
    const skr_int128 divisor = above == 0 ? below : common_divisor(above, below);
    write_wide(numerator, above / divisor);
    write_wide(denominator, below / divisor);
    snprintf(text, sizeof text, below == divisor ? "%s" : "%s/%s", numerator, denominator);
    skr_json_string(r->w, key, text);
}

static bool is_open(const struct skr_spread_step *step, size_t i)
{
    return !step->gone[i] && !step->excluded[i];
}

static void write_step_scores(const struct report *r, const struct skr_spread_step *step)
{
    const struct skr_spread_problem *p = &r->result->problem;
    skr_json_open(r->w, "levelScores", '{');
    for (size_t i = 0; i < p->n; i++) {
        if (is_open(step, i)) {
            skr_json_open(r->w, p->name[i], '[');
            for (size_t l = 0; l < p->n_levels; l++) {
                skr_json_int(r->w, NULL, step->score[i * p->n_levels + l]);
            }
            skr_json_close(r->w, ']');
        }
    }
    skr_json_close(r->w, '}');
    skr_json_open(r->w, "packed", '{');
    for (size_t i = 0; i < p->n; i++) {
        if (is_open(step, i)) {
            skr_json_int(r->w, p->name[i], (int64_t)step->x[i]);
        }
    }
    skr_json_close(r->w, '}');
}

/* The keys of clusters that can be selected. Excluded clusters have no place between lo and hi. */
static void write_step_keys(const struct report *r, const struct skr_spread_step *step)
{
    const struct skr_spread_problem *p = &r->result->problem;
    const skr_int128 range = (skr_int128)(step->hi - step->lo);
    skr_json_open(r->w, "normalized", '{');
    for (size_t i = 0; i < p->n; i++) {
        if (is_open(step, i)) {
            skr_int128 above = 200 * (skr_int128)(step->x[i] - step->lo) - 100 * range;
            write_fraction(r, p->name[i], range == 0 ? 0 : above, range == 0 ? 1 : range);
        }
    }
    skr_json_close(r->w, '}');
    skr_json_open(r->w, "final", '{');
    for (size_t i = 0; i < p->n; i++) {
        if (is_open(step, i)) {
            write_fraction(r, p->name[i],
                           skr_spread_key(p, step->x[i], step->lo, step->hi, p->total[i]),
                           range == 0 ? 1 : range);
        }
    }
    skr_json_close(r->w, '}');
}

static bool write_step(void *context, const struct skr_spread_step *step)
{
    struct report *r = context;
    const struct skr_spread_problem *p = &r->result->problem;
    r->cells += p->n;
    if (step->selected < 0 || r->cells > SKR_PLACEMENT_TRACE_CELLS_MAX) {
        return false;
    }
    skr_json_open(r->w, NULL, '{');
    skr_json_open(r->w, "excluded", '[');
    for (size_t i = 0; i < p->n; i++) {
        if (!step->gone[i] && step->excluded[i]) {
            skr_json_string(r->w, NULL, p->name[i]);
        }
    }
    skr_json_close(r->w, ']');
    write_step_scores(r, step);
    write_step_keys(r, step);
    skr_json_string(r->w, "selected", step->selected < 0 ? NULL : p->name[step->selected]);
    skr_json_close(r->w, '}');
    return true;
}

static int write_trace(struct report *r)
{
    const struct skr_spread_problem *p = &r->result->problem;
    uint32_t *order = skr_arena_array(r->arena, p->n + 1, sizeof *order);
    int64_t n = 0;
    if (!order) {
        return -SKR_LIMIT;
    }
    skr_json_open(r->w, "trace", '[');
    if (p->n > 0 && p->n <= SKR_PLACEMENT_TRACE_CELLS_MAX) {
        struct skr_spread_problem shown = *p;
        const size_t steps = SKR_PLACEMENT_TRACE_CELLS_MAX / p->n;
        shown.want = shown.want < steps ? shown.want : steps;
        n = skr_spread_select_slowly(&shown, r->arena, write_step, r, order);
    }
    skr_json_close(r->w, ']');
    return n < 0 ? (int)n : 0;
}

/* ---- objects ---- */

static void write_slice(const struct report *r, const char *name, int64_t group,
                        const char *group_name, const char *const *cluster, size_t n)
{
    skr_json_open(r->w, NULL, '{');
    skr_json_string(r->w, "name", name);
    skr_json_int(r->w, "decisionGroupIndex", group);
    skr_json_string(r->w, "decisionGroupName", group_name);
    write_names(r, "decisions", cluster, n);
    skr_json_close(r->w, '}');
}

static void open_group(const struct report *r, int64_t index, const char *name)
{
    skr_json_open(r->w, NULL, '{');
    skr_json_int(r->w, "decisionGroupIndex", index);
    skr_json_string(r->w, "decisionGroupName", name);
    skr_json_open(r->w, "decisions", '[');
}

static void close_group(const struct report *r, size_t n_clusters)
{
    skr_json_close(r->w, ']');
    skr_json_int(r->w, "clusterCount", (int64_t)n_clusters);
    skr_json_close(r->w, '}');
}

static void write_plan(const struct report *r)
{
    const struct skr_slice_plan *plan = &r->result->slices;
    skr_json_open(r->w, "placementDecisions", '[');
    for (size_t i = 0; i < plan->n_slices; i++) {
        const struct skr_slice *s = &plan->slice[i];
        write_slice(r, s->name, s->group, s->group_name, s->cluster, s->n);
    }
    skr_json_close(r->w, ']');
    skr_json_open(r->w, "decisionGroups", '[');
    for (size_t i = 0; i < plan->n_parts; i++) {
        const struct skr_slice_part *part = &plan->part[i];
        open_group(r, (int64_t)i, part->group_name);
        for (size_t s = part->first; s < part->first + part->n_slices; s++) {
            skr_json_string(r->w, NULL, plan->slice[s].name);
        }
        close_group(r, part->n_clusters);
    }
    skr_json_close(r->w, ']');
}

static bool same_group(const struct skr_placement_decision *a,
                       const struct skr_placement_decision *b)
{
    return group_index(a) == group_index(b) && strcmp(group_name_of(a), group_name_of(b)) == 0;
}

static void write_kept(const struct report *r, const struct skr_placement_kept *kept)
{
    skr_json_open(r->w, "placementDecisions", '[');
    for (size_t i = 0; i < kept->n_slices; i++) {
        const struct skr_placement_decision *d = kept->slice[i];
        write_slice(r, d->meta.name, group_index(d), group_name_of(d), d->cluster, d->n);
    }
    skr_json_close(r->w, ']');
    skr_json_open(r->w, "decisionGroups", '[');
    for (size_t i = 0, clusters = 0; i < kept->n_slices; i++) {
        const struct skr_placement_decision *d = kept->slice[i];
        if (i == 0 || !same_group(d, kept->slice[i - 1])) {
            open_group(r, group_index(d), group_name_of(d));
            clusters = 0;
        }
        skr_json_string(r->w, NULL, d->meta.name);
        clusters += d->n;
        if (i + 1 == kept->n_slices || !same_group(d, kept->slice[i + 1])) {
            close_group(r, clusters);
        }
    }
    skr_json_close(r->w, ']');
}

/* ---- all of it ---- */

static const char **selected_names(const struct report *r, bool sorted)
{
    const struct skr_spread_result *spread = &r->result->spread;
    const char **name = skr_arena_array(r->arena, spread->n + 1, sizeof *name);
    for (size_t i = 0; name && i < spread->n; i++) {
        name[i] = candidate_name(r, spread->order[i]);
    }
    if (name && sorted) {
        skr_names_sort(name, spread->n);
    }
    return name;
}

static int write_cycle(struct report *r, const struct skr_placement_kept *kept)
{
    const struct skr_placement_result *result = r->result;
    const char **order = selected_names(r, false), **sorted = selected_names(r, true);
    if (!order || !sorted) {
        return -SKR_LIMIT;
    }
    write_filtered(r);
    write_weights(r, !kept);
    write_scores(r);
    write_names(r, "selectionOrder", order, result->spread.n);
    write_names(r, "decisions", kept ? kept->cluster : sorted, kept ? kept->n : result->spread.n);
    skr_json_int(r->w, "unscheduled", result->unscheduled);
    skr_json_bool(r->w, "satisfied", kept ? kept->satisfied : result->satisfied);
    skr_json_string(r->w, "satisfiedReason",
                    kept ? kept->reason : skr_placement_reason_name[result->reason]);
    write_counts(r);
    write_requeue(r);
    int rc = write_trace(r);
    if (kept) {
        write_kept(r, kept);
    } else {
        write_plan(r);
    }
    return rc;
}

int skr_placement_report_write(const struct skr_placement *placement,
                               const struct skr_placement_hub *hub,
                               const struct skr_placement_result *result, struct skr_arena *arena,
                               struct skr_json_writer *w)
{
    struct report r = {placement, hub, result, arena, w, 0};
    struct skr_placement_kept kept;
    const bool keeps = result->misconfigured[0] || result->failure[0];
    if (keeps && skr_placement_keep(placement, hub, result, arena, &kept) < 0) {
        return -SKR_LIMIT;
    }
    skr_json_open(w, NULL, '{');
    skr_json_bool(w, "valid", !result->misconfigured[0]);
    skr_json_string(w, "misconfigured", result->misconfigured);
    int rc = write_cycle(&r, keeps ? &kept : NULL);
    skr_json_close(w, '}');
    return rc;
}
