/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Group specs from the labels of a pod. Levels have no order there: rules come in byte order of
 * their level names. Limit: SKR_GROUP_RULES_MAX levels.
 */
#include <stdio.h>
#include <string.h>

#include "core/group/lint.h"
#include "core/pod/pod.h"

enum { MEMBER_NAME_MAX = 16 }; /* bytes, NUL included; the longest is "partitions" */

/* The rule of a level, made when new, in byte order of names. NULL: too many, or no memory. */
static struct skr_level_rule *rule_at(struct skr_group_spec *spec, const char *level)
{
    size_t at = 0;
    while (at < spec->n_rules && strcmp(spec->rule[at].level, level) < 0) {
        at++;
    }
    if (at < spec->n_rules && strcmp(spec->rule[at].level, level) == 0) {
        return &spec->rule[at];
    }
    const char *name =
        spec->n_rules < SKR_GROUP_RULES_MAX ? skr_arena_strdup(spec->arena, level) : NULL;
    if (!name) {
        return NULL;
    }
    memmove(&spec->rule[at + 1], &spec->rule[at], (spec->n_rules - at) * sizeof spec->rule[0]);
    spec->rule[at] = (struct skr_level_rule){.level = name};
    spec->n_rules++;
    return &spec->rule[at];
}

/* The number of the rule that a member names; NULL for other members. */
static int32_t *number_of(struct skr_rule *rule, const char *member)
{
    if (strcmp(member, "partitions") == 0) {
        return &rule->partitions;
    }
    if (strcmp(member, "min") == 0) {
        return &rule->min;
    }
    if (strcmp(member, "max") == 0) {
        return &rule->max;
    }
    return strcmp(member, "factor") == 0 ? &rule->factor : NULL;
}

/* Splits "sakkara.group.constraint.MEMBER.LEVEL"; false when it is none of ours. */
static bool split_key(const char *key, char member[MEMBER_NAME_MAX], const char **ret_level)
{
    struct skr_rule any;
    const char *rest = key + strlen(SKR_LABEL_CONSTRAINT);
    const char *dot = strchr(rest, '.');
    if (!dot || dot[1] == '\0' || (size_t)(dot - rest) >= MEMBER_NAME_MAX) {
        return false;
    }
    memcpy(member, rest, (size_t)(dot - rest));
    member[dot - rest] = '\0';
    *ret_level = dot + 1;
    return strcmp(member, "type") == 0 || number_of(&any, member);
}

static int read_label(struct skr_group_spec *spec, const struct skr_label *label,
                      struct skr_error *error)
{
    char member[MEMBER_NAME_MAX];
    const char *level;
    int32_t number;
    const struct skr_subject about = {.key = label->key};
    if (!split_key(label->key, member, &level)) {
        skr_group_warn(spec, "UnknownLabel",
                       (struct skr_subject){.key = label->key, .is_label = true},
                       "unknown, ignored");
        return 0;
    }
    struct skr_level_rule *rule = rule_at(spec, level);
    if (!rule) {
        return skr_group_defect(spec, "Limit",
                                skr_error_set(error, SKR_LIMIT, "labels %s*: more than %d levels",
                                              SKR_LABEL_CONSTRAINT, (int)SKR_GROUP_RULES_MAX),
                                error);
    }
    int32_t *target = number_of(&rule->rule, member);
    if (!target) {
        rule->rule.type = skr_group_type_parse(spec, about, level, label->value);
        return 0;
    }
    int rc = skr_group_integer_parse(about, label->value, INT32_MIN, INT32_MAX, &number, error);
    if (rc == 0) {
        *target = skr_group_number(spec, about, level, member, number);
    }
    return skr_group_defect(spec, "InvalidNumber", rc, error);
}

static int read_labels(struct skr_group_spec *spec, const struct skr_labels *labels,
                       struct skr_error *error)
{
    const char *size = skr_labels_get(labels, SKR_LABEL_GROUP_SIZE);
    const struct skr_subject about = {.key = SKR_LABEL_GROUP_SIZE, .is_label = true};
    int rc = !size ? skr_error_set_at(error, SKR_INVALID, &about, "missing")
                   : skr_group_size_parse(about, size, &spec->size, error);
    skr_group_defect(spec, !size ? "MissingSize" : "InvalidNumber", rc, error);
    spec->size = rc < 0 ? 0 : spec->size; /* satisfies every rule */
    for (size_t i = 0; skr_group_go_on(spec, rc) && i < labels->n; i++) {
        if (strncmp(labels->item[i].key, SKR_LABEL_CONSTRAINT, strlen(SKR_LABEL_CONSTRAINT)) == 0) {
            int one = read_label(spec, &labels->item[i], error);
            rc = rc < 0 ? rc : one;
        }
    }
    for (size_t i = 0; rc == 0 && i < spec->n_rules; i++) {
        skr_group_lint_rule(spec, (struct skr_subject){.key = "labels"}, NULL, spec->size,
                            &spec->rule[i]);
    }
    return rc;
}

int skr_group_labels_check(const char *name, const struct skr_labels *labels,
                           const struct skr_defects *defects, struct skr_group_spec **ret,
                           struct skr_error *error)
{
    struct skr_group_spec *spec = skr_group_spec_create(name, error);
    if (!spec) {
        return -SKR_NO_MEMORY;
    }
    spec->defects = defects;
    int rc = skr_group_rules_room(spec, labels->n, error);
    rc = rc < 0 ? rc : read_labels(spec, labels, error);
    spec->defects = NULL;
    if (rc < 0) {
        skr_group_spec_destroy(spec);
        return rc;
    }
    *ret = spec;
    return 0;
}

int skr_group_spec_from_labels(const char *name, const struct skr_labels *labels, int32_t priority,
                               struct skr_group_spec **ret, struct skr_error *error)
{
    int rc = skr_group_labels_check(name, labels, NULL, ret, error);
    if (rc == 0) {
        (*ret)->priority = priority;
    }
    return rc;
}
