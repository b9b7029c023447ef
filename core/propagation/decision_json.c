/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions as JSON. Cost O(clusters + groups). */
#include "core/propagation/decision_json.h"

#include <stdlib.h>
#include <string.h>

static void write_rejected(const struct skr_binding_decision *decision, struct skr_json_writer *w)
{
    skr_json_open(w, "rejected", '{');
    for (size_t i = 0; i < decision->n_clusters; i++) {
        if (decision->rejected[i] == 0) {
            continue;
        }
        skr_json_open(w, decision->cluster[i]->meta.name, '[');
        for (int filter = 0; filter < SKR_FILTER_COUNT; filter++) {
            if ((decision->rejected[i] >> filter & 1) != 0) {
                skr_json_string(w, NULL, skr_propagation_filter_name[filter]);
            }
        }
        skr_json_close(w, ']');
    }
    skr_json_close(w, '}');
}

static void write_groups(const struct skr_binding_decision *decision, struct skr_json_writer *w)
{
    skr_json_open(w, "groups", '{');
    for (size_t i = 0; i < decision->n_levels; i++) {
        const struct skr_spread_level *level = &decision->level[i];
        skr_json_open(w, skr_spread_field_name[level->field], '{');
        for (size_t k = 0; k < level->n; k++) {
            skr_json_open(w, level->group[k].path, '{');
            skr_json_int(w, "score", level->group[k].score);
            skr_json_int(w, "availableReplicas", level->group[k].room);
            skr_json_close(w, '}');
        }
        skr_json_close(w, '}');
    }
    skr_json_close(w, '}');
}

static void write_fits(const struct skr_binding *binding, const struct skr_node_model *model,
                       struct skr_json_writer *w)
{
    skr_json_open(w, "fits", '{');
    for (size_t i = 0; i < binding->n_components; i++) {
        skr_json_int(w, binding->component[i].name,
                     skr_node_model_fits(model, &binding->component[i].request));
    }
    skr_json_close(w, '}');
}

static void write_models_of(const struct skr_binding_decision *decision,
                            const struct skr_member_cluster *cluster, struct skr_json_writer *w)
{
    skr_json_open(w, cluster->meta.name, '[');
    for (size_t i = 0; i < cluster->models.n; i++) {
        const struct skr_node_model *model = &cluster->models.model[i];
        skr_json_open(w, NULL, '{');
        skr_json_int(w, "grade", model->grade);
        skr_json_int(w, "nodes", model->nodes);
        if (decision->sets) {
            write_fits(decision->binding, model, w);
        } else {
            skr_json_int(w, "fits", skr_node_model_fits(model, &decision->binding->request));
        }
        skr_json_close(w, '}');
    }
    skr_json_close(w, ']');
}

/* Of candidates whose resource models counted; nothing if there are none. */
static void write_models(const struct skr_binding_decision *decision, struct skr_json_writer *w)
{
    bool any = false;
    for (size_t i = 0; i < decision->n_clusters; i++) {
        const struct skr_member_cluster *cluster = decision->cluster[i];
        if (decision->rejected[i] == 0 && decision->n_candidates > 0 &&
            skr_binding_counts_models(decision->binding, cluster, decision->options)) {
            if (!any) {
                skr_json_open(w, "models", '{');
            }
            any = true;
            write_models_of(decision, cluster, w);
        }
    }
    if (any) {
        skr_json_close(w, '}');
    }
}

static void write_components(const struct skr_binding *binding, struct skr_json_writer *w)
{
    skr_json_open(w, "components", '[');
    for (size_t i = 0; i < binding->n_components; i++) {
        skr_json_open(w, NULL, '{');
        skr_json_string(w, "name", binding->component[i].name);
        skr_json_int(w, "replicas", binding->component[i].replicas);
        skr_json_close(w, '}');
    }
    skr_json_close(w, ']');
}

void skr_binding_decision_write_targets(const struct skr_binding_decision *decision,
                                        const char *key, struct skr_json_writer *w)
{
    skr_json_open(w, key, '[');
    for (size_t i = 0; i < decision->n_targets; i++) {
        skr_json_open(w, NULL, '{');
        skr_json_string(w, "name", decision->target[i].name);
        if (decision->target[i].has_replicas) {
            skr_json_int(w, "replicas", decision->target[i].replicas);
        }
        if (decision->target[i].has_components) {
            write_components(decision->binding, w);
        }
        skr_json_close(w, '}');
    }
    skr_json_close(w, ']');
}

static void write_error(const struct skr_binding_decision *decision, struct skr_json_writer *w)
{
    if (decision->code == SKR_PROPAGATION_PLACED) {
        skr_json_raw(w, "error", NULL);
        return;
    }
    struct skr_propagation_outcome outcome =
        skr_propagation_outcome(decision->code, decision->options->shortage_is_error);
    skr_json_open(w, "error", '{');
    skr_json_string(w, "code", outcome.code);
    skr_json_string(w, "reason", outcome.reason);
    skr_json_string(w, "specClusters", outcome.empties ? "emptied" : "kept");
    skr_json_string(w, "retry", skr_propagation_retry_name[outcome.retry]);
    skr_json_close(w, '}');
}

/* The warnings about what was ignored; nothing if there are none. */
static void write_warnings(const struct skr_binding_decision *decision, struct skr_json_writer *w)
{
    const uint32_t warnings = decision->warnings & SKR_WARNINGS_OF_OMISSIONS;
    if (warnings == 0) {
        return;
    }
    skr_json_open(w, "warnings", '[');
    for (int i = 0; i < SKR_WARNING_COUNT; i++) {
        const char *name = skr_propagation_warning_name((enum skr_propagation_warning)i);
        SKR_STRBUF(text);
        if ((warnings >> i & 1) != 0) {
            skr_propagation_warning_write((enum skr_propagation_warning)i, &text);
            skr_json_open(w, NULL, '{');
            skr_json_string(w, "name", name);
            skr_json_string(w, "message", text.s + strlen(name) + strlen(": "));
            skr_json_close(w, '}');
        }
    }
    skr_json_close(w, ']');
}

void skr_binding_decision_write(const struct skr_binding_decision *decision,
                                struct skr_json_writer *w)
{
    bool placed = decision->code == SKR_PROPAGATION_PLACED;
    write_rejected(decision, w);
    write_groups(decision, w);
    skr_json_open(w, "selected", '[');
    for (size_t i = 0; i < decision->n_selected; i++) {
        skr_json_string(w, NULL, decision->candidate[decision->selected[i]].cluster->meta.name);
    }
    skr_json_close(w, ']');
    skr_binding_decision_write_targets(decision, "clusters", w);
    skr_json_string(w, "affinity",
                    placed && decision->term >= 0
                        ? decision->binding->placement.term[decision->term].name
                        : NULL);
    write_error(decision, w);
    write_models(decision, w);
    write_warnings(decision, w);
}
