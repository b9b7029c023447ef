/* SPDX-License-Identifier: Apache-2.0 */
/* Writes decisions as text. All facts are from the decision; binding_help.c finds ways out. */
#include "server/lab/simulate/binding_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/lab/simulate/binding_help.h"
#include "server/render/explain_text.h"
#include "server/render/page.h"
#include "server/render/text_table.h"

/* Rows of a table: indented, and only the first ones unless verbose. */
struct table {
    struct skr_text_table text;
    size_t n_rows, most;
};

static void begin_table(struct table *table, const char *const *head, size_t n, bool verbose)
{
    *table = (struct table){.most = verbose ? SIZE_MAX : SKR_BINDING_TEXT_ROWS};
    skr_text_table_init(&table->text, n, false);
    for (size_t i = 0; i < n; i++) {
        struct skr_strbuf b;
        skr_strbuf_init(&b);
        skr_strbuf_addf(&b, "%s%s", i == 0 ? "  " : "", head[i]);
        skr_text_table_add_drawn(&table->text, b.s, SKR_HUE_NONE);
        skr_strbuf_fini(&b);
    }
}

/* Begins a row with text. Returns whether the row is shown: else its other cells are not needed. */
static bool add_row(struct table *table, const char *text)
{
    if (table->n_rows++ >= table->most) {
        return false;
    }
    char *word = skr_page_word(text);
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    skr_strbuf_addf(&b, "  %s", word);
    skr_text_table_add_drawn(&table->text, b.s, SKR_HUE_NONE);
    skr_strbuf_fini(&b);
    free(word);
    return true;
}

static void add_text(struct table *table, const char *text)
{
    skr_text_table_add(&table->text, text, SKR_HUE_NONE);
}

static void add_number(struct table *table, int64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)number);
    add_text(table, text);
}

/* After an empty line; nothing if the table has no rows. */
static void write_table(struct table *table, struct skr_strbuf *out)
{
    if (table->n_rows > 0) {
        skr_strbuf_addc(out, '\n');
        skr_text_table_write(&table->text, out);
    }
    if (table->n_rows > table->most) {
        skr_strbuf_addf(out, "  and %zu more\n", table->n_rows - table->most);
    }
    skr_text_table_fini(&table->text);
}

/* ---- parts ---- */

static const struct skr_spread_group *group_of(const struct skr_spread_level *level,
                                               int32_t candidate)
{
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
    struct table table;
    begin_table(&table, head, decision->n_levels > 0 ? 5 : 4, verbose);
    for (size_t i = 0; i < decision->n_selected; i++) {
        const struct skr_candidate *candidate = &decision->candidate[decision->selected[i]];
        const struct skr_assignment *target = target_of(decision, candidate->cluster->meta.name);
        if (!add_row(&table, candidate->cluster->meta.name)) {
            continue;
        }
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
                group_of(&decision->level[decision->n_levels - 1], decision->selected[i]);
            add_text(&table, group ? group->path : "");
        }
    }
    write_table(&table, out);
}

/* How many replicas of each component one node has room for, grade by grade. */
static void add_models_of_sets(struct table *table, const struct skr_binding_decision *decision,
                               const struct skr_member_cluster *cluster)
{
    const struct skr_binding *binding = decision->binding;
    for (size_t i = 0; i < cluster->models.n; i++) {
        for (size_t k = 0; k < binding->n_components; k++) {
            const struct skr_component *component = &binding->component[k];
            if (add_row(table, cluster->meta.name)) {
                add_number(table, cluster->models.model[i].grade);
                add_number(table, cluster->models.model[i].nodes);
                add_number(table,
                           skr_node_model_fits(&cluster->models.model[i], &component->request));
                add_text(table, component->name);
            }
        }
    }
}

/* How many replicas fit on the nodes of a cluster, grade by grade; in pods where that is less. */
static void add_models(struct table *table, const struct skr_binding_decision *decision,
                       const struct skr_member_cluster *cluster)
{
    const struct skr_node_models *models = &cluster->models;
    int64_t room = 0;
    if (decision->sets) {
        add_models_of_sets(table, decision, cluster);
        return;
    }
    for (size_t i = 0; i < models->n; i++) {
        const struct skr_node_model *model = &models->model[i];
        const int64_t fits = skr_node_model_fits(model, &decision->binding->request);
        room += model->nodes * fits;
        if (add_row(table, cluster->meta.name)) {
            add_number(table, model->grade);
            add_number(table, model->nodes);
            add_number(table, fits);
            add_number(table, model->nodes * fits);
        }
    }
    if ((models->n == 0 || cluster->free_pods < room) && add_row(table, cluster->meta.name)) {
        add_text(table, models->n == 0 ? "<none>" : "pods");
        add_text(table, "");
        add_text(table, "");
        add_number(table, models->n == 0 || cluster->free_pods < 0 ? 0 : cluster->free_pods);
    }
}

/* Resource models where they counted: of the selected clusters, of all candidates without any. */
static void write_models(const struct skr_binding_decision *decision, bool verbose,
                         struct skr_strbuf *out)
{
    static const char *const heads[] = {"MODELS OF", "GRADE", "NODES", "FITS", "ROOM"};
    static const char *const heads_of_sets[] = {"MODELS OF", "GRADE", "NODES", "FITS", "COMPONENT"};
    struct table table;
    begin_table(&table, decision->sets ? heads_of_sets : heads, 5, verbose);
    for (size_t i = 0; i < decision->n_candidates; i++) {
        const struct skr_candidate *candidate = &decision->candidate[i];
        if ((candidate->selected || decision->code != SKR_PROPAGATION_PLACED) &&
            skr_binding_counts_models(decision->binding, candidate->cluster, decision->options)) {
            add_models(&table, decision, candidate->cluster);
        }
    }
    write_table(&table, out);
}

static void write_groups(const struct skr_binding_decision *decision, bool verbose,
                         struct skr_strbuf *out)
{
    static const char *const head[] = {"LEVEL", "GROUP", "SCORE", "ROOM", "CHOSEN"};
    struct table table;
    begin_table(&table, head, 5, verbose);
    for (size_t i = 0; i < decision->n_levels; i++) {
        for (size_t k = 0; k < decision->level[i].n; k++) {
            const struct skr_spread_group *group = &decision->level[i].group[k];
            if (add_row(&table, skr_spread_field_name[decision->level[i].field])) {
                add_text(&table, group->path);
                add_number(&table, group->score);
                add_number(&table, group->room);
                add_text(&table, group->selected ? "yes" : "no");
            }
        }
    }
    write_table(&table, out);
}

static bool is_below_selected(const struct skr_binding_decision *decision, size_t level,
                              const struct skr_spread_group *group)
{
    const struct skr_spread_level *above = level > 0 ? &decision->level[level - 1] : NULL;
    for (size_t i = 0; above && i < above->n; i++) {
        if (above->group[i].unit == decision->tree->parent[group->unit]) {
            return above->group[i].selected;
        }
    }
    return !above;
}

static void write_better_one(const struct skr_binding_decision *decision, size_t level,
                             const struct skr_spread_group *group, size_t last, size_t n_selected,
                             struct skr_strbuf *out)
{
    const char *field = skr_spread_field_name[decision->level[level].field];
    SKR_STRBUF(text);
    skr_strbuf_addf(&text, "%s %s comes before %s, but ", field, group->path,
                    decision->level[level].group[last].path);
    if (n_selected > 1) {
        skr_strbuf_addf(&text, "no %zu %ss with it and those chosen before it satisfy", n_selected,
                        field);
    } else {
        skr_strbuf_add(&text, "alone it does not satisfy");
    }
    skr_strbuf_add(&text, " all constraints");
    if (decision->need > 0) {
        skr_strbuf_addf(&text, " with room for %lld replicas", (long long)decision->need);
    }
    skr_strbuf_addc(&text, '.');
    skr_explain_add_wrapped(out, "  ", 2, text.s);
}

/* For each level the first group before a chosen one that was left out, if that is proof: the
 * search takes a group whenever the rest can be completed. */
static void write_better(const struct skr_binding_decision *decision, struct skr_strbuf *out)
{
    for (size_t i = 0; decision->first && i < decision->n_levels; i++) {
        const struct skr_spread_level *level = &decision->level[i];
        size_t last = 0;
        size_t n = 0;
        for (size_t k = 0; k < level->n; k++) {
            last = level->group[k].selected ? k : last;
            n += level->group[k].selected ? 1 : 0;
        }
        for (size_t k = 0; k < last; k++) {
            const struct skr_spread_group *group = &level->group[k];
            if (!group->selected && is_below_selected(decision, i, group)) {
                write_better_one(decision, i, group, last, n, out);
                break;
            }
        }
    }
}

static void write_rejected(const struct skr_binding_decision *decision, bool verbose,
                           struct skr_strbuf *out)
{
    static const char *const head[] = {"REJECTED", "BY"};
    struct table table;
    begin_table(&table, head, 2, verbose);
    for (size_t i = 0; i < decision->n_clusters; i++) {
        if (decision->rejected[i] == 0 || !add_row(&table, decision->cluster[i]->meta.name)) {
            continue;
        }
        struct skr_strbuf b;
        skr_strbuf_init(&b);
        for (int f = 0; f < SKR_FILTER_COUNT; f++) {
            if ((decision->rejected[i] >> f & 1) != 0) {
                skr_strbuf_addf(&b, "%s%s", b.len > 0 ? "," : "", skr_propagation_filter_name[f]);
            }
        }
        add_text(&table, b.s);
        skr_strbuf_fini(&b);
    }
    write_table(&table, out);
}

static void write_warnings(const struct skr_binding_decision *decision, struct skr_strbuf *out)
{
    for (int i = 0; i < SKR_WARNING_COUNT; i++) {
        SKR_STRBUF(text);
        if ((decision->warnings >> i & 1) != 0) {
            skr_propagation_warning_write((enum skr_propagation_warning)i, &text);
            skr_strbuf_addc(out, '\n');
            skr_explain_add_wrapped(out, "warning: ", 2, text.s);
        }
    }
    const char *silent = strstr(decision->binding->condition_message, SKR_ESTIMATORS_SILENT);
    if (silent) {
        skr_strbuf_addc(out, '\n');
        skr_explain_add_wrapped(out, "warning of the daemon: ", 2, silent);
    }
}

/* What is placed. */
static void write_size(const struct skr_binding_decision *decision, struct skr_strbuf *out)
{
    const struct skr_binding *binding = decision->binding;
    if (binding->n_components > 0 && !skr_binding_assigns_replicas(binding)) {
        skr_strbuf_addf(out, ": %zu components", binding->n_components);
        skr_strbuf_add(out, decision->sets ? " (room in sets)" : "");
    } else {
        skr_strbuf_addf(out, ": %d replicas", (int)binding->replicas);
    }
}

void skr_binding_text_write(const struct skr_binding_decision *decision, bool verbose,
                            struct skr_strbuf *out)
{
    const struct skr_binding *binding = decision->binding;
    const char *slash = binding->meta.namespace_[0] != '\0' ? "/" : "";
    skr_strbuf_add(out, "binding ");
    skr_page_add_clean(out, binding->meta.namespace_, false);
    skr_strbuf_add(out, slash);
    skr_page_add_clean(out, binding->meta.name, false);
    if (decision->code != SKR_PROPAGATION_PLACED) {
        struct skr_propagation_outcome outcome =
            skr_propagation_outcome(decision->code, decision->options->shortage_is_error);
        skr_strbuf_addf(out, " is not placed: %s\n\n  ", outcome.reason);
        skr_page_add_words(out, 2, 2, decision->message);
        skr_strbuf_addc(out, '\n');
        skr_binding_help_write(decision, out);
    } else {
        write_size(decision, out);
        skr_strbuf_addf(out, ", %zu of %zu clusters selected\n", decision->n_selected,
                        decision->n_clusters);
        if (decision->term >= 0) {
            skr_strbuf_add(out, "affinity ");
            skr_page_add_clean(out, binding->placement.term[decision->term].name, false);
            skr_strbuf_addc(out, '\n');
        }
        write_clusters(decision, verbose, out);
    }
    write_models(decision, verbose, out);
    if (decision->n_levels > 0) {
        write_groups(decision, verbose, out);
        if (decision->code == SKR_PROPAGATION_PLACED) {
            write_better(decision, out);
        }
    }
    write_rejected(decision, verbose, out);
    write_warnings(decision, out);
    if (verbose && skr_binding_asks_estimators(binding, decision->options)) {
        skr_strbuf_addc(out, '\n');
        skr_explain_add_wrapped(out, "note: ", 2,
                                "Room is that of Cluster objects: estimators of clusters are not "
                                "asked here.");
    }
}
