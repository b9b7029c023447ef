/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions as text. Everything shown is part of the decision; what would make it fit is decided in
 * binding_help.c. */
#include "server/simulate/binding_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/simulate/binding_help.h"
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

/* Groups that come before a chosen one in order and were left out. */
static void write_better(const struct skr_binding_decision *decision, struct skr_strbuf *out)
{
    for (size_t i = 0; i < decision->n_levels; i++) {
        const struct skr_spread_level *level = &decision->level[i];
        size_t last = 0;
        for (size_t k = 0; k < level->n; k++) {
            last = level->group[k].selected ? k : last;
        }
        for (size_t k = 0; k < last; k++) {
            if (!level->group[k].selected) {
                skr_strbuf_addf(out,
                                "  %s %s comes before %s, but in no combination with the groups\n"
                                "  before it there is room for %lld replicas.\n",
                                skr_spread_field_name(level->field), level->group[k].path,
                                level->group[last].path, (long long)decision->need);
                break;
            }
        }
    }
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
        skr_binding_help_write(decision, out);
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
        if (decision->code == SKR_PROPAGATION_PLACED) {
            write_better(decision, out);
        }
    }
    write_rejected(decision, verbose, out);
    for (int i = 0; i < SKR_WARNING_COUNT; i++) {
        if ((decision->warnings >> i & 1) != 0) {
            skr_strbuf_addf(out, "\nwarning: %s\n",
                            skr_propagation_warning_name((enum skr_propagation_warning)i));
        }
    }
}
