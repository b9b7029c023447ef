/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions as text. Everything shown is part of the decision; nothing is computed again. */
#include "server/simulate/binding_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

enum { COLUMNS_MAX = 5, CELL_BYTES = 300 };

/* Cells of CELL_BYTES, row by row; the first row is the head. */
struct table {
    size_t n_columns, n, cap;
    char (*cell)[CELL_BYTES];
};

static char *add_cell(struct table *table)
{
    skr_grow(&table->cell, &table->cap, table->n + 1, sizeof *table->cell);
    return table->cell[table->n++];
}

static void add_text(struct table *table, const char *text)
{
    snprintf(add_cell(table), CELL_BYTES, "%s", text[0] != '\0' ? text : "<none>");
}

static void add_number(struct table *table, int64_t number)
{
    snprintf(add_cell(table), CELL_BYTES, "%lld", (long long)number);
}

static void write_table(struct table *table, bool verbose, struct skr_strbuf *out)
{
    size_t width[COLUMNS_MAX] = {0};
    size_t rows = table->n / table->n_columns;
    size_t shown = verbose || rows <= SKR_BINDING_TEXT_ROWS + 1 ? rows : SKR_BINDING_TEXT_ROWS + 1;
    for (size_t i = 0; i < shown * table->n_columns; i++) {
        size_t n = strlen(table->cell[i]);
        width[i % table->n_columns] =
            n > width[i % table->n_columns] ? n : width[i % table->n_columns];
    }
    for (size_t i = 0; i < shown * table->n_columns; i++) {
        size_t column = i % table->n_columns;
        skr_strbuf_add(out, column == 0 ? "  " : "");
        if (column + 1 == table->n_columns) {
            skr_strbuf_addf(out, "%s\n", table->cell[i]);
        } else {
            skr_strbuf_addf(out, "%-*s  ", (int)width[column], table->cell[i]);
        }
    }
    if (shown < rows) {
        skr_strbuf_addf(out, "  and %zu more\n", rows - shown);
    }
    free(table->cell);
}

static void add_head(struct table *table, const char *const *head, size_t n)
{
    table->n_columns = n;
    for (size_t i = 0; i < n; i++) {
        add_text(table, head[i]);
    }
}

/* ---- parts ---- */

static const struct skr_spread_group *group_of(const struct skr_binding_decision *decision,
                                               const struct skr_spread_level *level,
                                               int32_t candidate)
{
    (void)decision;
    for (size_t i = 0; i < level->n; i++) {
        for (size_t k = 0; k < level->group[i].n_members; k++) {
            if (level->group[i].member[k] == candidate) {
                return &level->group[i];
            }
        }
    }
    return NULL;
}

static const struct skr_assignment *target_of(const struct skr_binding_decision *decision,
                                              const char *name)
{
    for (size_t i = 0; i < decision->n_targets; i++) {
        if (strcmp(decision->target[i].name, name) == 0) {
            return &decision->target[i];
        }
    }
    return NULL;
}

static void write_clusters(const struct skr_binding_decision *decision, bool verbose,
                           struct skr_strbuf *out)
{
    static const char *const head[] = {"CLUSTER", "REPLICAS", "SCORE", "ROOM", "GROUP"};
    struct table table = {.n = 0};
    add_head(&table, head, decision->n_levels > 0 ? 5 : 4);
    for (size_t i = 0; i < decision->n_selected; i++) {
        const struct skr_candidate *candidate = &decision->candidate[decision->selected[i]];
        const struct skr_assignment *target = target_of(decision, candidate->cluster->meta.name);
        add_text(&table, candidate->cluster->meta.name);
        if (!target) {
            add_text(&table, "0,SelectedUnused");
        } else if (!target->has_replicas) {
            add_text(&table, "<none>");
        } else {
            add_number(&table, target->replicas);
        }
        add_number(&table, candidate->score);
        add_number(&table, candidate->available);
        if (decision->n_levels > 0) {
            const struct skr_spread_group *group =
                group_of(decision, &decision->level[decision->n_levels - 1], decision->selected[i]);
            add_text(&table, group ? group->path : "");
        }
    }
    write_table(&table, verbose, out);
}

static void write_groups(const struct skr_binding_decision *decision, bool verbose,
                         struct skr_strbuf *out)
{
    static const char *const head[] = {"LEVEL", "GROUP", "SCORE", "ROOM", "CHOSEN"};
    struct table table = {.n = 0};
    add_head(&table, head, 5);
    for (size_t i = 0; i < decision->n_levels; i++) {
        for (size_t k = 0; k < decision->level[i].n; k++) {
            const struct skr_spread_group *group = &decision->level[i].group[k];
            add_text(&table, skr_spread_field_name(decision->level[i].field));
            add_text(&table, group->path);
            add_number(&table, group->score);
            add_number(&table, group->room);
            add_text(&table, group->selected ? "yes" : "no");
        }
    }
    skr_strbuf_addc(out, '\n');
    write_table(&table, verbose, out);
}

static void write_rejected(const struct skr_binding_decision *decision, bool verbose,
                           struct skr_strbuf *out)
{
    static const char *const head[] = {"REJECTED", "BY"};
    struct table table = {.n = 0};
    add_head(&table, head, 2);
    for (size_t i = 0; i < decision->n_clusters; i++) {
        char text[CELL_BYTES];
        size_t at = 0;
        if (decision->rejected[i] == 0) {
            continue;
        }
        text[0] = '\0';
        for (int f = 0; f < SKR_FILTER_COUNT; f++) {
            if ((decision->rejected[i] >> f & 1) != 0) {
                at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", at > 0 ? "," : "",
                                       skr_propagation_filter_name((enum skr_propagation_filter)f));
            }
        }
        add_text(&table, decision->cluster[i]->meta.name);
        add_text(&table, text);
    }
    if (table.n > 2) {
        skr_strbuf_addc(out, '\n');
        write_table(&table, verbose, out);
    } else {
        free(table.cell);
    }
}

/* What would let it through, by its code. */
static void write_help(const struct skr_binding_decision *decision, struct skr_strbuf *out)
{
    static const char *const help[] = {
        [SKR_PROPAGATION_PLACED] = NULL,
        [SKR_PROPAGATION_NO_CLUSTER_FIT] = "a cluster passes every filter listed beside it below",
        [SKR_PROPAGATION_TOO_FEW_CLUSTERS] =
            "more clusters pass the filters, or minGroups is lower",
        [SKR_PROPAGATION_TOO_FEW_GROUPS] = "clusters of more groups pass, or minGroups is lower",
        [SKR_PROPAGATION_SELECT_CAPACITY] =
            "room is freed in these clusters, or maxGroups of cluster is higher",
        [SKR_PROPAGATION_NO_FEASIBLE_COMBINATION] =
            "room is freed in one of the groups, or maxGroups is higher",
        [SKR_PROPAGATION_ASSIGN_CAPACITY] = "room is freed in the selected clusters",
        [SKR_PROPAGATION_QUOTA_EXCEEDED] = "the quota of the namespace is raised",
        [SKR_PROPAGATION_UNSUPPORTED_CONSTRAINT] =
            "constraints are on provider, region, zone and cluster alone",
        [SKR_PROPAGATION_UNSUPPORTED_STRATEGY] =
            "replicas are Duplicated, or Divided by Aggregated or Weighted",
        [SKR_PROPAGATION_NO_CANDIDATES] = "maxGroups of cluster is above 0",
        [SKR_PROPAGATION_INVALID_POLICY] = "the policy is corrected",
    };
    _Static_assert(sizeof help / sizeof help[0] == SKR_PROPAGATION_CODE_COUNT, "a help per code");
    if (help[decision->code]) {
        skr_strbuf_addf(out, "\n  Would fit if: %s.\n", help[decision->code]);
    }
}

void skr_binding_text_write(const struct skr_binding_decision *decision, bool verbose,
                            struct skr_strbuf *out)
{
    const struct skr_binding *binding = decision->binding;
    const char *slash = binding->meta.namespace_[0] != '\0' ? "/" : "";
    skr_strbuf_addf(out, "binding %s%s%s", binding->meta.namespace_, slash, binding->meta.name);
    if (decision->code != SKR_PROPAGATION_PLACED) {
        struct skr_propagation_outcome outcome =
            skr_propagation_outcome(decision->code, decision->options->shortage_is_error);
        skr_strbuf_addf(out, " is not placed: %s\n\n  %s\n", outcome.reason, decision->message);
        write_help(decision, out);
    } else {
        skr_strbuf_addf(out, ": %d replicas, %zu of %zu clusters selected\n",
                        (int)binding->replicas, decision->n_selected, decision->n_clusters);
        if (decision->term >= 0) {
            skr_strbuf_addf(out, "affinity %s\n", binding->placement.term[decision->term].name);
        }
        skr_strbuf_addc(out, '\n');
        write_clusters(decision, verbose, out);
    }
    if (decision->n_levels > 0) {
        write_groups(decision, verbose, out);
    }
    write_rejected(decision, verbose, out);
    for (int i = 0; i < SKR_WARNING_COUNT; i++) {
        if ((decision->warnings >> i & 1) != 0) {
            skr_strbuf_addf(out, "\nwarning: %s\n",
                            skr_propagation_warning_name((enum skr_propagation_warning)i));
        }
    }
}

/* ---- the tree ---- */

/* Replicas below a unit of the tree, and whether any of its clusters is selected. */
static bool sum_below(const struct skr_binding_decision *decision,
                      const struct skr_spread_group *group, int64_t *ret)
{
    bool any = false;
    *ret = 0;
    for (size_t i = 0; i < group->n_members; i++) {
        const struct skr_candidate *candidate = &decision->candidate[group->member[i]];
        const struct skr_assignment *target = target_of(decision, candidate->cluster->meta.name);
        any = any || candidate->selected;
        *ret += target && candidate->selected ? target->replicas : 0;
    }
    return any;
}

struct drawing {
    const struct skr_binding_decision *decision;
    struct skr_strbuf *out;
    bool ascii;
};

static void draw_row(const struct drawing *d, const bool *last, size_t depth, const char *name,
                     int64_t replicas)
{
    for (size_t i = 0; i + 1 < depth; i++) {
        skr_strbuf_add(d->out, last[i] ? "  " : d->ascii ? "| " : "\u2502 ");
    }
    if (depth > 0) {
        skr_strbuf_add(d->out, d->ascii          ? (last[depth - 1] ? "\\-" : "|-")
                               : last[depth - 1] ? "\u2514\u2500"
                                                 : "\u251c\u2500");
    }
    skr_strbuf_addf(d->out, "%s  %lld\n", name, (long long)replicas);
}

static const struct skr_spread_group *group_of_unit(const struct skr_binding_decision *decision,
                                                    size_t level, int32_t unit)
{
    for (size_t i = 0; i < decision->level[level].n; i++) {
        if (decision->level[level].group[i].unit == unit) {
            return &decision->level[level].group[i];
        }
    }
    return NULL;
}

static bool is_shown(const struct skr_binding_decision *decision, size_t depth, int32_t unit,
                     const char **ret_name, int64_t *ret_replicas)
{
    *ret_name = decision->tree->unit_name[unit];
    if (depth < decision->n_levels) {
        const struct skr_spread_group *group = group_of_unit(decision, depth, unit);
        return group && sum_below(decision, group, ret_replicas);
    }
    const struct skr_assignment *target = target_of(decision, *ret_name);
    *ret_replicas = target ? target->replicas : 0;
    return target;
}

/* Depth is at most three levels and the clusters. */
static void draw_children(const struct drawing *d, int32_t unit, size_t depth, bool *last)
{
    const struct skr_tree *tree = d->decision->tree;
    const char *name;
    int64_t replicas = 0;
    int32_t final = -1;
    if (depth > d->decision->n_levels) {
        return;
    }
    for (int32_t i = 0; i < tree->child_count[unit]; i++) {
        int32_t child = tree->child_first[unit] + i;
        final = is_shown(d->decision, depth, child, &name, &replicas) ? child : final;
    }
    for (int32_t i = 0; i < tree->child_count[unit]; i++) {
        int32_t child = tree->child_first[unit] + i;
        if (is_shown(d->decision, depth, child, &name, &replicas)) {
            last[depth] = child == final;
            draw_row(d, last, depth + 1, name, replicas);
            draw_children(d, child, depth + 1, last);
        }
    }
}

void skr_binding_tree_write(const struct skr_binding_decision *decision, bool ascii,
                            struct skr_strbuf *out)
{
    struct drawing d = {.decision = decision, .out = out, .ascii = ascii};
    bool last[SKR_SPREAD_FIELD_COUNT + 1] = {false};
    int64_t sum = 0;
    for (size_t i = 0; i < decision->n_targets; i++) {
        sum += decision->target[i].replicas;
    }
    draw_row(&d, last, 0, decision->binding->meta.name, sum);
    if (decision->tree) {
        draw_children(&d, 0, 0, last);
        return;
    }
    for (size_t i = 0; i < decision->n_targets; i++) {
        last[0] = i + 1 == decision->n_targets;
        draw_row(&d, last, 1, decision->target[i].name, decision->target[i].replicas);
    }
}
