/* SPDX-License-Identifier: Apache-2.0 */
/* Draws pictures of a simulation's groups: title, rows, result. picture.c draws the rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/group/group.h"
#include "server/lab/report/record_victims.h"
#include "server/lab/report/report.h"
#include "server/object/path.h"
#include "server/render/explain_text.h"
#include "server/render/text_table.h"

enum { DOMAINS_LISTED_MAX = 8 };

/* ---- the definition ---- */

static void write_rule(const struct skr_level_rule *rule, struct skr_strbuf *out)
{
    const struct skr_rule *r = &rule->rule;
    skr_strbuf_addf(out, ", %s", rule->level);
    if (r->hard || r->partitions <= 0) {
        skr_strbuf_addf(out, " %s", r->type == SKR_RULE_SPREAD ? "spread" : "pack");
    }
    if (r->hard) {
        skr_strbuf_add(out, " hard");
        return;
    }
    if (r->partitions > 0) {
        skr_strbuf_addf(out, " partition %d", r->partitions);
    }
    if (r->min > 0 && r->max > 0) {
        skr_strbuf_addf(out, " %d..%d", r->min, r->max);
    } else if (r->min > 0) {
        skr_strbuf_addf(out, " at least %d", r->min);
    } else if (r->max > 0) {
        skr_strbuf_addf(out, " at most %d", r->max);
    }
    if (r->factor > 1) {
        skr_strbuf_addf(out, " times %d", r->factor);
    }
}

struct finder {
    const char *namespace_, *name;
    struct skr_group_spec *spec;
};

static bool look_at_map(void *context, const json_t *object)
{
    struct finder *finder = context;
    struct skr_configmap *map;
    const char *named = skr_path_text(object, "data.name");
    bool unnamed = !skr_path_get(object, "data.name");
    if (!skr_path_label(object, SKR_GROUP_LABEL) ||
        strcmp(unnamed ? skr_path_text(object, "metadata.name") : named, finder->name) != 0 ||
        strcmp(skr_path_text(object, "metadata.namespace"), finder->namespace_) != 0 ||
        skr_configmap_decode(object, &map, NULL) < 0) {
        return true;
    }
    if (skr_group_spec_parse(&map->data, &finder->spec, NULL) < 0) {
        finder->spec = NULL;
    }
    skr_configmap_destroy(map);
    return !finder->spec;
}

/* "1 leader + 8 workers" of several roles, else "8 pods". */
static void write_members(const struct skr_record_group *record, int64_t size,
                          struct skr_strbuf *out)
{
    if (!record || record->n_roles < 2) {
        skr_strbuf_addf(out, "%lld pods", (long long)size);
        return;
    }
    for (size_t r = 0; r < record->n_roles; r++) {
        const struct skr_record_role *role = &record->role[r];
        const bool numbered = strncmp(role->name, "pod-", 4) == 0;
        skr_strbuf_addf(out, "%s%zu %s%s%s", r > 0 ? " + " : "", role->n, role->name,
                        numbered ? " pod" : "", role->n == 1 ? "" : "s");
    }
}

static void write_title(const struct skr_simulate_report *report, const json_t *group,
                        const struct skr_record_group *record, struct skr_strbuf *out)
{
    struct finder finder = {skr_path_text(group, "namespace"), skr_path_text(group, "name"), NULL};
    skr_store_each(report->store, "ConfigMap", look_at_map, &finder);
    skr_strbuf_addf(out, "group %s: ", finder.name);
    write_members(record, skr_path_int(group, "size", 0), out);
    for (size_t i = 0; finder.spec && i < finder.spec->n_rules; i++) {
        write_rule(&finder.spec->rule[i], out);
    }
    skr_group_spec_destroy(finder.spec);
}

/* ---- the result ---- */

/* "rack 4+4": members of each used unit of a level. */
static void write_level(const struct skr_record_group *group, int32_t level, struct skr_strbuf *out)
{
    const struct skr_tree *t = group->tree;
    int32_t first = t->level_first[level], n = t->level_first[level + 1] - first, used = 0;
    SKR_AUTO_FREE int32_t *count = skr_alloc_array((size_t)n + 1, sizeof *count);
    for (int32_t i = 0; i < t->n_leaves; i++) {
        int32_t unit = t->first_leaf + i;
        for (int32_t l = t->n_levels; l > level; l--) {
            unit = t->parent[unit];
        }
        used += group->leaf[i].placed > 0 && count[unit - first] == 0 ? 1 : 0;
        count[unit - first] += group->leaf[i].placed;
    }
    skr_strbuf_addf(out, ", %s ", t->level_name[level]);
    int32_t shown = 0;
    for (int32_t u = 0; u < n && used <= DOMAINS_LISTED_MAX; u++) {
        if (count[u] > 0) {
            skr_strbuf_addf(out, "%s%d", shown++ > 0 ? "+" : "", count[u]);
        }
    }
    if (used > DOMAINS_LISTED_MAX) {
        skr_strbuf_addf(out, "%d used", used);
    }
}

static void write_result(const struct skr_record_group *group, const json_t *row,
                         struct skr_strbuf *out)
{
    int32_t placed = 0, nodes = 0;
    for (int32_t i = 0; i < group->tree->n_leaves; i++) {
        placed += group->leaf[i].placed;
        nodes += group->leaf[i].placed > 0 ? 1 : 0;
    }
    skr_strbuf_addf(out, "result: placed %d/%lld", placed, (long long)skr_path_int(row, "size", 0));
    for (int32_t level = 1; placed > 0 && level < group->tree->n_levels; level++) {
        write_level(group, level, out);
    }
    skr_strbuf_addf(out, ", %d node%s, evicts %zu\n", nodes, nodes == 1 ? "" : "s",
                    group->n_preempted);
    const char *message = skr_path_text(row, "message");
    if (message[0]) {
        SKR_STRBUF(text);
        skr_strbuf_addf(&text, "%s: %s", skr_path_text(row, "reason"), message);
        skr_explain_add_wrapped(out, "", 2, text.s);
    }
}

/* From the list of all groups; 0 if it is absent. */
static int64_t priority_of(const json_t *groups, const char *key)
{
    const json_t *row;
    size_t i;
    json_array_foreach(groups, i, row)
    {
        char *has = skr_object_key(skr_path_text(row, "namespace"), skr_path_text(row, "name"));
        bool is = strcmp(has, key) == 0;
        free(has);
        if (is) {
            return skr_path_int(row, "priority", 0);
        }
    }
    return 0;
}

static void add_number(struct skr_text_table *table, int64_t n)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)n);
    skr_text_table_add(table, text, SKR_HUE_NONE);
}

static void write_victims(const struct skr_record_group *group, const json_t *row,
                          const json_t *groups, struct skr_strbuf *out)
{
    static const char *const heads[] = {"VICTIM", "PRIORITY", "PODS", "NODES", "RESTARTS-AS"};
    const char *namespace_ = skr_path_text(row, "namespace");
    struct skr_text_table table;
    if (group->n_victims == 0) {
        return;
    }
    skr_text_table_init(&table, sizeof heads / sizeof *heads, false);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        skr_text_table_add(&table, heads[i], SKR_HUE_NONE);
    }
    for (size_t i = 0; i < group->n_victims; i++) {
        const struct skr_record_victim *v = &group->victim[i];
        size_t n = strlen(namespace_);
        bool here = strncmp(v->name, namespace_, n) == 0 && v->name[n] == '/';
        struct skr_strbuf name;
        skr_strbuf_init(&name);
        skr_strbuf_addf(&name, "%s%s", v->is_pod ? "pod/" : "", v->name + (here ? n + 1 : 0));
        if (v->is_pod) { /* without its uid */
            name.s[strcspn(name.s, "@")] = '\0';
        }
        skr_text_table_add(&table, name.s, SKR_HUE_NONE);
        if (v->is_pod) {
            skr_text_table_add(&table, "-", SKR_HUE_NONE);
        } else {
            add_number(&table, priority_of(groups, v->name));
        }
        add_number(&table, (int64_t)v->pods);
        add_number(&table, (int64_t)v->nodes);
        skr_text_table_add(&table, v->owner ? v->owner : "", SKR_HUE_NONE);
        skr_strbuf_fini(&name);
    }
    skr_strbuf_addc(out, '\n');
    skr_text_table_write(&table, out);
    skr_text_table_fini(&table);
}

/* ---- roles ---- */

/* Slots, of the kind of member that is drawn, that n members of a role take: rounded up. */
static int32_t slots_of_members(const struct skr_amounts *demand, const struct skr_amounts *slot,
                                int32_t n)
{
    int64_t most = n > 0 ? 1 : 0;
    for (size_t i = 0; n > 0 && i < slot->n; i++) {
        const int64_t one = skr_amounts_get(demand, slot->item[i].resource);
        const int64_t of = slot->item[i].amount;
        int64_t all;
        if (of > 0 && !__builtin_mul_overflow(one, (int64_t)n, &all)) {
            const int64_t slots = all / of + (all % of > 0 ? 1 : 0);
            most = slots > most ? slots : most;
        }
    }
    return most < INT32_MAX ? (int32_t)most : INT32_MAX;
}

static void prepare_roles(const struct skr_record_group *group, struct skr_picture_role *role,
                          struct skr_picture *picture)
{
    if (group->n_roles < 2) {
        return;
    }
    char letter[SKR_ROLES_MAX];
    for (size_t r = 0; r < group->n_roles; r++) {
        const struct skr_record_role *from = &group->role[r];
        const size_t n = (size_t)group->tree->n_leaves;
        letter[r] = skr_role_letter(from->name, from->n == 1, letter, r);
        role[r] = (struct skr_picture_role){letter[r], from->name,
                                            skr_alloc_array(n + 1, sizeof *role[r].cells)};
        for (size_t i = 0; i < n; i++) {
            /* A node that holds none of the most frequent members shows one cell a member. */
            role[r].cells[i] =
                group->leaf[i].slots == 0
                    ? from->placed[i]
                    : slots_of_members(&from->demand, &group->demand, from->placed[i]);
        }
    }
    picture->role = role;
    picture->n_roles = group->n_roles;
}

/* The role with most members, whose slots are the cells; NULL: the members are equal. */
static const char *slot_name(const struct skr_record_group *group)
{
    size_t most = 0;
    for (size_t r = 1; r < group->n_roles; r++) {
        most = group->role[r].n > group->role[most].n ? r : most;
    }
    return group->n_roles > 1 ? group->role[most].name : NULL;
}

/* group: NULL if none of its members was seen. */
static void write_picture(const struct skr_simulate_report *report, const json_t *row,
                          const struct skr_record_group *group, const json_t *groups,
                          struct skr_strbuf *out)
{
    write_title(report, row, group, out);
    if (!group || !skr_record_has_picture(group)) {
        skr_strbuf_add(out, "\nno picture: there are no pods, or no tree\n");
        return;
    }
    struct skr_picture picture = {.tree = group->tree, .leaf = group->leaf, .ascii = report->ascii};
    struct skr_picture_role roles[SKR_PICTURE_ROLES_MAX];
    prepare_roles(group, roles, &picture);
    const int32_t scale = skr_picture_scale(&picture);
    const char *name = slot_name(group);
    skr_strbuf_addf(out, "        (one cell = %d %s%sslot%s)\n\n", scale, name ? name : "",
                    name ? " " : "", scale == 1 ? "" : "s");
    skr_picture_draw(&picture, out);
    skr_strbuf_addc(out, '\n');
    skr_picture_role_legend(&picture, out);
    skr_picture_legend(report->ascii, out);
    for (size_t r = 0; r < picture.n_roles; r++) {
        free(roles[r].cells);
    }
    write_result(group, row, out);
    write_victims(group, row, groups, out);
}

void skr_simulate_write_pictures(const struct skr_simulate_report *report, struct skr_strbuf *out)
{
    SKR_STRBUF(text);
    skr_gang_write_json(report->engine, &text);
    json_auto_t *state = json_loadb(text.s, text.len, 0, NULL);
    const json_t *groups = json_object_get(state, "groups");
    skr_record_draw(report->record);
    for (size_t i = 0; i < json_array_size(groups); i++) {
        const json_t *row = json_array_get(groups, i);
        const struct skr_record_group *group = skr_record_find(
            report->record, skr_path_text(row, "namespace"), skr_path_text(row, "name"));
        if (group && group->n_found > 0 && group->n_found == group->n_bound) {
            continue; /* nothing of it was placed here */
        }
        write_picture(report, row, group, groups, out);
        skr_strbuf_addc(out, '\n');
    }
}
