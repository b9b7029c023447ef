/* SPDX-License-Identifier: Apache-2.0 */
/* Computes status keys of ConfigMaps that define no group, and of topology maps. */
#include "core/gang/report/map_status.h"

#include <string.h>

#include "core/gang/cache/topology.h"
#include "core/gang/group/group_table.h"
#include "core/gang/state/group_keys.h"
#include "core/gang/state/output.h"

enum skr_reason skr_map_status_loser(const struct skr_gang *e, const struct map_entry *m,
                                     char *text, size_t size)
{
    struct skr_error error = {0};
    struct skr_group_spec *spec = NULL;
    if (m->group_key) {
        const struct group *g = skr_groups_find(e, m->group_key);
        snprintf(text, size, "group %s is defined by ConfigMap %.250s, which is older",
                 m->group_key, g && g->source.map ? g->source.map->map->meta.name : "?");
        return SKR_REASON_DUPLICATE_GROUP;
    }
    if (skr_group_map_name(&m->map->data, m->map->meta.name, &error)) {
        skr_group_spec_parse(&m->map->data, &spec, &error);
        skr_group_spec_destroy(spec);
    }
    snprintf(text, size, "%s", error.text);
    return SKR_REASON_GROUP_INVALID;
}

void skr_map_status_desired_loser(struct skr_gang *e, struct map_entry *m, struct desired_keys *w)
{
    char text[400];
    const char *reason = skr_reason_name(skr_map_status_loser(e, m, text, sizeof text));
    const struct group_keys keys = skr_group_keys_of_map(m->map);
    const char *had = skr_group_keys_get(&keys, "reason");
    const char *reported = m->reported.loser ? m->reported.loser : had;
    if (!reported || strcmp(reported, reason) != 0) {
        skr_out_event(e, "ConfigMap", &m->map->meta, true, "GroupUnplaced", reason, text);
        skr_out_decision(e, m->key, "", "Group map not used", reason, text, false);
    }
    m->reported.loser = reason;
    skr_desired_keys_add(w, "status", skr_group_status_name(SKR_STATUS_FAILED));
    skr_desired_keys_add(w, "reason", reason);
    skr_desired_keys_add(w, "message", text);
    static const char *const gone[] = {
        "placement",           "rank",      "schedBeginTime",       "schedEndTime", "conditions",
        "schedTotalTimeMilli", "preemptor", "schedSolverTimeMilli", "sets"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        skr_desired_keys_add(w, gone[i], NULL);
    }
}

static void add_condition(void *context, const char *type, const char *text)
{
    struct skr_strbuf *b = context;
    skr_strbuf_addf(b, "%s{\"type\":\"%s\",\"status\":\"True\",\"reason\":\"%s\",\"message\":",
                    b->len > 1 ? "," : "", type, type);
    skr_strbuf_add_json(b, text);
    skr_strbuf_addc(b, '}');
}

static void add_warning(struct skr_strbuf *b, const char *type, size_t n, const char *what,
                        const char *first)
{
    if (n == 0) {
        return;
    }
    char text[600];
    snprintf(text, sizeof text, "%zu %s, first: %s", n, what, first);
    add_condition(b, type, text);
}

/* How many levels can have no rules; *ret_first: the name of the first one. */
static size_t reserved_levels(const struct skr_tree *tree, const char **ret_first)
{
    size_t n = 0;
    for (int32_t l = 1; tree && l <= tree->n_levels; l++) {
        if (skr_tree_level_is_reserved(tree->level_name[l])) {
            *ret_first = n++ == 0 ? tree->level_name[l] : *ret_first;
        }
    }
    return n;
}

void skr_map_status_desired_topology(struct skr_gang *e, const struct map_entry *m,
                                     struct desired_keys *w)
{
    const char *reason = skr_topology_map_reason(e, m);
    if (!m->is_topology || strcmp(m->map->meta.namespace_, e->settings.topology_namespace) != 0) {
        return;
    }
    SKR_STRBUF(b);
    skr_strbuf_addc(&b, '[');
    if (m == e->topology.active && !m->problem) {
        add_warning(&b, "UnevenDepth", m->warnings.n_uneven,
                    "leaves above the deepest level are left out", m->warnings.first_uneven);
        add_warning(&b, "UnknownNode", e->topology.n_unknown, "leaves name no existing node",
                    e->topology.first_unknown);
        const char *reserved = NULL;
        const size_t n_reserved = reserved_levels(e->topology.tree, &reserved);
        add_warning(&b, "LevelNameReserved", n_reserved,
                    "levels can have no rules, constraints reads their names otherwise", reserved);
        const struct skr_label_findings *findings = skr_topology_findings(e);
        if (findings) {
            skr_label_findings_each(findings, add_condition, &b);
        } else {
            add_warning(&b, "NodesNotInTree", e->topology.n_outside,
                        "Ready nodes are not in the tree", e->topology.first_outside);
        }
    }
    skr_strbuf_addc(&b, ']');
    skr_desired_keys_add(w, "reason", *reason ? reason : NULL);
    skr_desired_keys_add(w, "message",
                         m->problem ? m->problem
                         : *reason  ? "another topology map is in force"
                                    : NULL);
    skr_desired_keys_add(w, "conditions", b.len > 2 ? b.s : NULL);
}

void skr_map_status_forget(struct map_entry *m)
{
    m->reported.loser = NULL;
}
