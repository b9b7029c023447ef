/* SPDX-License-Identifier: Apache-2.0 */
/* Spread constraints and decision groups of a Placement. */
#include "core/placement/policy.h"

#include <string.h>

#include "core/group/label_value.h"

enum { TOPOLOGY_KEY_MAX = 316 };

static int decode_constraint(struct skr_placement *p, const json_t *entry,
                             const struct skr_field_path *path, struct skr_error *error)
{
    struct skr_spread_constraint *c = &p->constraint[p->n_constraints];
    const char *type, *when;
    int64_t skew;
    int rc;
    if ((rc = skr_ocm_string(p->arena, entry, path, "topologyKey", &c->key, error)) < 0 ||
        (rc = skr_field_string(entry, path, "topologyKeyType", &type, error)) < 0 ||
        (rc = skr_field_string(entry, path, "whenUnsatisfiable", &when, error)) < 0 ||
        (rc = skr_ocm_int64(entry, path, "maxSkew", 1, &skew, error)) < 0) {
        return rc;
    }
    if (strlen(c->key) > TOPOLOGY_KEY_MAX ||
        !skr_qualified_name_is_valid(c->key, TOPOLOGY_KEY_MAX, TOPOLOGY_KEY_MAX)) {
        return skr_error_set(error, SKR_INVALID, "topologyKey \"%.100s\" is not a label key",
                             c->key);
    }
    c->of_claim = strcmp(type, "Claim") == 0;
    if (!c->of_claim && strcmp(type, "Label") != 0) {
        return skr_error_set(error, SKR_INVALID, "topologyKeyType is Label or Claim, not \"%.64s\"",
                             type);
    }
    if (skew < 1 || skew > INT32_MAX) {
        return skr_error_set(error, SKR_INVALID, "maxSkew is 1..%d, not %lld", INT32_MAX,
                             (long long)skew);
    }
    c->max_skew = (int32_t)skew;
    c->hard = strcmp(when, "DoNotSchedule") == 0;
    if (!c->hard && when[0] && strcmp(when, "ScheduleAnyway") != 0) {
        return skr_error_set(error, SKR_INVALID,
                             "whenUnsatisfiable is DoNotSchedule or ScheduleAnyway, not \"%.64s\"",
                             when);
    }
    p->n_constraints++;
    return 0;
}

int skr_placement_decode_spread(struct skr_placement *p, const json_t *spec,
                                struct skr_error *error)
{
    json_t *policy, *list = NULL;
    SKR_FIELD(up, NULL, "spec");
    SKR_FIELD(path, &up, "spreadPolicy");
    SKR_FIELD(all, &path, "spreadConstraints");
    int rc = skr_field_object(spec, &up, "spreadPolicy", &policy, error);
    if (rc == 0 && policy) {
        rc = skr_field_array(policy, &path, "spreadConstraints", SKR_OCM_LIST_MAX, &list, error);
    }
    if (rc == 0 && json_array_size(list) > SKR_SPREAD_LEVELS_MAX) {
        rc = skr_error_set(error, SKR_INVALID, "%zu spreadConstraints, at most %d",
                           json_array_size(list), (int)SKR_SPREAD_LEVELS_MAX);
    }
    for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
        SKR_FIELD_AT(at, &path, "spreadConstraints", i);
        json_t *entry;
        rc = skr_field_entry(list, &all, i, &entry, error);
        rc = rc < 0 ? rc : decode_constraint(p, entry, &at, error);
    }
    return rc;
}

/* ---- groups ---- */

/* ^((100|[1-9][0-9]{0,1})%|[1-9][0-9]*)$ */
static bool parse_size(struct skr_placement *p, const char *text)
{
    size_t n = strspn(text, "0123456789");
    p->group_is_percent = text[n] == '%';
    if (n == 0 || text[0] == '0' || text[n + (p->group_is_percent ? 1 : 0)] != '\0') {
        return false;
    }
    p->group_size = 0;
    for (size_t i = 0; i < n; i++) {
        p->group_size = p->group_size > (INT64_MAX - 9) / 10 ? INT64_MAX / 10
                                                             : p->group_size * 10 + text[i] - '0';
    }
    return !p->group_is_percent || p->group_size <= 100;
}

static int decode_size(struct skr_placement *p, const json_t *strategy,
                       const struct skr_field_path *path, struct skr_error *error)
{
    static const char key[] = "clustersPerDecisionGroup";
    const json_t *value = json_object_get(strategy, key);
    const char *text = json_string_value(value);
    if (!value || json_is_null(value)) {
        return 0;
    }
    if (json_is_integer(value)) { /* typed clients write 0 for an unset one */
        p->group_size = json_integer_value(value) > 0 ? json_integer_value(value) : INT64_MAX;
        return 0;
    }
    if (!text) {
        return skr_field_set_type_error(path, key, "a number or a percentage", value, error);
    }
    return parse_size(p, text)
               ? 0
               : skr_error_set(error, SKR_INVALID,
                               "%s is a number or a text of 1%%..100%% or of a number from 1 on, "
                               "not \"%.64s\"",
                               key, text);
}

int skr_placement_decode_groups(struct skr_placement *p, const json_t *spec,
                                struct skr_error *error)
{
    json_t *strategy, *groups = NULL, *list = NULL;
    void *room = NULL;
    SKR_FIELD(up, NULL, "spec");
    SKR_FIELD(middle, &up, "decisionStrategy");
    SKR_FIELD(path, &middle, "groupStrategy");
    SKR_FIELD(all, &path, "decisionGroups");
    p->group_size = INT64_MAX;
    int rc = skr_field_object(spec, &up, "decisionStrategy", &strategy, error);
    if (rc == 0 && strategy) {
        rc = skr_field_object(strategy, &middle, "groupStrategy", &groups, error);
    }
    if (rc < 0 || !groups) {
        return rc;
    }
    if ((rc = decode_size(p, groups, &path, error)) < 0 ||
        (rc = skr_ocm_list(p->arena, groups, &path, "decisionGroups", SKR_OCM_LIST_MAX,
                           sizeof *p->group, &list, &room, error)) < 0) {
        return rc;
    }
    p->group = room;
    for (size_t i = 0; i < json_array_size(list); i++) {
        SKR_FIELD_AT(at, &path, "decisionGroups", i);
        struct skr_decision_group_rule *rule = &p->group[p->n_groups++];
        json_t *entry, *selector;
        if ((rc = skr_field_entry(list, &all, i, &entry, error)) < 0 ||
            (rc = skr_ocm_string(p->arena, entry, &at, "groupName", &rule->name, error)) < 0 ||
            (rc = skr_field_object(entry, &at, "groupClusterSelector", &selector, error)) < 0 ||
            (rc = skr_cluster_selector_decode(p->arena, selector, &rule->selector, error)) < 0) {
            return rc;
        }
    }
    return 0;
}
