/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Group specs from ConfigMaps and PodGroups, comparison, and their rules resolved against a tree.
 * Labels are read by core/group/labels.c, constraints by core/group/constraints.c, key roles by
 * core/group/roles_key.c; lint is in core/group/lint.c.
 */
#include "core/group/group.h"

#include <stdio.h>
#include <string.h>

#include "core/group/label_value.h"
#include "core/group/lint.h"

static int refuse_name(const char *name, bool absent, struct skr_error *error)
{
    char quoted[SKR_QUOTE_MAX];
    skr_group_quote(name, quoted);
    if (absent) {
        return skr_error_set_key(
            error, SKR_INVALID, "name",
            "missing, and metadata.name cannot stand for it: a label value has "
            "1 to %d letters, digits, '-', '_', '.'",
            (int)SKR_LABEL_VALUE_MAX);
    }
    return skr_error_set_at(error, SKR_INVALID, &(struct skr_subject){.key = "name", .at = {1, 1}},
                            "must be usable as a label value (1 to %d letters, digits, "
                            "'-', '_', '.', a letter or digit at both ends), got \"%s\"",
                            (int)SKR_LABEL_VALUE_MAX, quoted);
}

const char *skr_group_map_name(const struct skr_labels *data, const char *map_name,
                               struct skr_error *error)
{
    const char *own = skr_labels_get(data, "name"), *name = own ? own : map_name;
    if (name[0] != '\0' && skr_label_value_is_valid(name)) {
        return name;
    }
    (void)refuse_name(name, !own, error);
    return NULL;
}

/* Keys roles and constraints have one limit. */
static int check_length(const struct skr_labels *data, const struct skr_group_spec *spec,
                        struct skr_error *error)
{
    const char *roles = skr_labels_get(data, "roles");
    const char *constraints = skr_labels_get(data, "constraints");
    const size_t n = (roles ? strlen(roles) : 0) + (constraints ? strlen(constraints) : 0);
    if (!roles || !constraints || n <= SKR_GROUP_CONSTRAINTS_MAX) {
        return 0; /* each alone is checked where it is read */
    }
    int rc = skr_error_set_key(error, SKR_LIMIT, "roles",
                               "%zu bytes together with constraints, at most %d are read", n,
                               (int)SKR_GROUP_CONSTRAINTS_MAX);
    return skr_group_defect(spec, "Limit", rc, error);
}

/* Keys size and roles. 0 in size satisfies every rule. */
static int parse_size(const struct skr_labels *data, struct skr_group_spec *spec,
                      struct skr_error *error)
{
    const char *size = skr_labels_get(data, "size");
    const char *roles = skr_labels_get(data, "roles");
    const struct skr_subject about = {.key = "size", .at = {1, 1}};
    int32_t sum = 0;
    int rc =
        size ? skr_group_size_parse((struct skr_subject){.key = "size"}, size, &spec->size, error)
             : 0;
    skr_group_defect(spec, "InvalidNumber", rc, error);
    if (skr_group_go_on(spec, rc) && roles) {
        int one = check_length(data, spec, error);
        one = one < 0 ? one : skr_group_roles_key_parse(spec, roles, error);
        rc = rc < 0 ? rc : one;
    }
    for (size_t r = 0; r < spec->n_roles; r++) {
        sum += spec->role[r].size;
    }
    if (rc == 0 && roles && size && sum != spec->size) {
        rc =
            skr_error_set_at(error, SKR_INVALID, &about,
                             "%d, but the sizes of roles add up to %d: leave size out, or write %d",
                             (int)spec->size, (int)sum, (int)sum);
        skr_group_defect(spec, "RoleSizes", rc, error);
    }
    spec->size = rc < 0 ? 0 : roles ? sum : spec->size;
    return rc;
}

const char *const skr_group_keys[] = {
    "name",      "size",         "priority", "constraints", "seat-hold", "within",  "roles",
    "run-limit", "run-estimate", "movable",  "minimum",     "step",      "replace", NULL};

static int parse_keys(const struct skr_labels *data, struct skr_group_spec *spec,
                      struct skr_error *error)
{
    const char *priority = skr_labels_get(data, "priority");
    const char *constraints = skr_labels_get(data, "constraints");
    const char *hold = skr_labels_get(data, "seat-hold");
    const char *within = skr_labels_get(data, "within");
    int rc = parse_size(data, spec, error);
    if (skr_group_go_on(spec, rc) && priority) {
        int one = skr_group_integer_parse((struct skr_subject){.key = "priority"}, priority,
                                          INT32_MIN, INT32_MAX, &spec->priority, error);
        skr_group_defect(spec, "InvalidNumber", one, error);
        rc = rc < 0 ? rc : one;
    }
    if (skr_group_go_on(spec, rc) && hold) {
        int one = skr_group_duration_parse("seat-hold", hold, &spec->seat_hold, error);
        skr_group_defect(spec, "InvalidNumber", one, error);
        rc = rc < 0 ? rc : one;
    }
    if (skr_group_go_on(spec, rc)) {
        int one = skr_group_run_parse(spec, NULL, data, error);
        rc = rc < 0 ? rc : one;
    }
    if (skr_group_go_on(spec, rc)) {
        int one = skr_group_elastic_parse(spec, NULL, data, false, error);
        rc = rc < 0 ? rc : one;
    }
    if (skr_group_go_on(spec, rc) && constraints) {
        int one = skr_group_constraints_parse(spec, constraints, error);
        rc = rc < 0 ? rc : one;
    }
    if (skr_group_go_on(spec, rc) && within) {
        int one =
            skr_group_spec_set_within(spec, (struct skr_subject){.key = "within"}, within, error);
        rc = rc < 0 ? rc : one;
    }
    return rc;
}

int skr_group_spec_check(const struct skr_labels *data, const struct skr_defects *defects,
                         struct skr_group_spec **ret, struct skr_error *error)
{
    const char *given = skr_labels_get(data, "name");
    const char *name = given ? skr_group_map_name(data, "", error) : "";
    if (!name && !defects) {
        return -SKR_INVALID;
    }
    struct skr_group_spec *spec = skr_group_spec_create(name ? name : "", error);
    if (!spec) {
        return -SKR_NO_MEMORY;
    }
    spec->defects = defects;
    int rc = !name ? refuse_name(given, false, error) : 0;
    skr_group_defect(spec, "InvalidName", rc, error);
    int keys = parse_keys(data, spec, error);
    spec->defects = NULL;
    rc = rc < 0 ? rc : keys;
    if (rc < 0) {
        skr_group_spec_destroy(spec);
        return rc;
    }
    *ret = spec;
    return 0;
}

int skr_group_spec_parse(const struct skr_labels *data, struct skr_group_spec **ret,
                         struct skr_error *error)
{
    return skr_group_spec_check(data, NULL, ret, error);
}

/* A PodGroup has a field for it. */
static int refuse_minimum(const struct skr_podgroup *pg, const char *field, struct skr_error *error)
{
    return skr_labels_get(&pg->meta.annotations, SKR_GROUP_MINIMUM)
               ? skr_error_set_at(error, SKR_INVALID,
                                  &(struct skr_subject){.key = SKR_GROUP_MINIMUM, .at = {1, 1}},
                                  "%s of the PodGroup is its minimum: leave the annotation out",
                                  field)
               : 0;
}

int skr_group_spec_from_podgroup(const struct skr_podgroup *pg, int32_t priority, const char *level,
                                 struct skr_group_spec **ret, struct skr_error *error)
{
    const char *minimum = pg->native ? "spec.schedulingPolicy.gang.minCount" : "spec.minMember";
    if (pg->min_member < 1) {
        return skr_error_set_key(error, SKR_INVALID, minimum, "must be at least 1, got %d",
                                 (int)pg->min_member);
    }
    if (pg->min_member > SKR_GROUP_SIZE_MAX) {
        return skr_error_set_key(error, SKR_LIMIT, minimum, "%d members, a group has at most %d",
                                 (int)pg->min_member, (int)SKR_GROUP_SIZE_MAX);
    }
    struct skr_group_spec *spec = skr_group_spec_create(pg->meta.name, error);
    if (!spec) {
        return -SKR_NO_MEMORY;
    }
    spec->size = pg->min_member;
    spec->open = true;
    spec->priority = priority;
    const char *key = level ? "spec.schedulingConstraints" : SKR_GROUP_WITHIN;
    const char *rules = skr_labels_get(&pg->meta.annotations, SKR_GROUP_CONSTRAINTS);
    level = level ? level : skr_labels_get(&pg->meta.annotations, SKR_GROUP_WITHIN);
    int rc = refuse_minimum(pg, minimum, error);
    rc = rc < 0 ? rc : skr_group_run_parse(spec, SKR_GROUP_PREFIX, &pg->meta.annotations, error);
    rc = rc < 0
             ? rc
             : skr_group_elastic_parse(spec, SKR_GROUP_PREFIX, &pg->meta.annotations, false, error);
    if (rc == 0 && rules) {
        rc = skr_group_spec_add_constraints(spec, SKR_GROUP_CONSTRAINTS, rules, error);
    }
    if (rc == 0 && level) {
        rc = skr_group_spec_set_within(spec, (struct skr_subject){.key = key}, level, error);
    }
    if (rc < 0) {
        skr_group_spec_destroy(spec);
        return rc;
    }
    *ret = spec;
    return 0;
}

void skr_group_spec_destroy(struct skr_group_spec *spec)
{
    if (spec) {
        skr_arena_destroy(spec->arena);
    }
}

static bool within_equal(const struct skr_group_spec *a, const struct skr_group_spec *b)
{
    return !a->within || !b->within ? a->within == b->within : strcmp(a->within, b->within) == 0;
}

bool skr_group_spec_equal(const struct skr_group_spec *a, const struct skr_group_spec *b)
{
    return strcmp(a->name, b->name) == 0 && a->size == b->size && a->open == b->open &&
           a->most == b->most && a->step == b->step && a->priority == b->priority &&
           a->seat_hold == b->seat_hold && a->run_limit == b->run_limit &&
           a->run_estimate == b->run_estimate && a->movable == b->movable &&
           a->replace == b->replace && within_equal(a, b) &&
           skr_level_rules_equal(a->rule, a->n_rules, b->rule, b->n_rules) &&
           skr_group_roles_equal(a, b);
}

size_t skr_group_rules(const struct skr_group_spec *spec, const char *role,
                       const struct skr_tree *tree, struct skr_rule *rules, uint8_t *has_rule,
                       struct skr_strbuf *unknown)
{
    const struct skr_role_rules all = {.n_rules = spec->n_rules, .rule = spec->rule};
    const struct skr_role_rules *own = role ? skr_group_role_rules(spec, role) : &all;
    const int32_t within = !role && spec->within ? skr_tree_find_level(tree, spec->within) : 0;
    size_t n_unknown = 0;
    for (int32_t level = 0; level < tree->n_levels; level++) {
        rules[level] = (struct skr_rule){.type = SKR_RULE_PACK, .hard = level < within};
        if (has_rule) {
            has_rule[level] = 0;
        }
    }
    for (size_t i = 0; own && i < own->n_rules; i++) {
        int32_t level = skr_tree_find_level(tree, own->rule[i].level);
        if (level > within) {
            rules[level - 1] = own->rule[i].rule;
        }
        if (level > 0 && has_rule) {
            has_rule[level - 1] = 1;
        }
        if (level <= 0 && unknown) {
            char quoted[SKR_QUOTE_MAX];
            skr_group_quote(own->rule[i].level, quoted);
            skr_strbuf_add(unknown, n_unknown > 0 ? ", " : "");
            skr_strbuf_add(unknown, quoted);
        }
        n_unknown += level <= 0;
    }
    return n_unknown;
}
