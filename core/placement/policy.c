/* SPDX-License-Identifier: Apache-2.0 */
/* Spread constraints and decision groups of a Placement. */
#include "core/placement/policy.h"

#include <string.h>

#include "core/group/label_value.h"

enum { TOPOLOGY_KEY_MAX = 316 };

static void read_constraint(struct skr_spread_constraint *c, const struct skr_fields *entry)
{
    c->key = skr_fields_text(entry, "topologyKey");
    const char *type = skr_fields_word(entry, "topologyKeyType");
    const char *when = skr_fields_word(entry, "whenUnsatisfiable");
    const int64_t skew = skr_fields_int64(entry, "maxSkew", 1);
    if (strlen(c->key) > TOPOLOGY_KEY_MAX ||
        !skr_qualified_name_is_valid(c->key, TOPOLOGY_KEY_MAX, TOPOLOGY_KEY_MAX)) {
        skr_fields_refuse(entry, SKR_INVALID, "topologyKey \"%.100s\" is not a label key", c->key);
    }
    c->of_claim = strcmp(type, "Claim") == 0;
    if (!c->of_claim && strcmp(type, "Label") != 0) {
        skr_fields_refuse(entry, SKR_INVALID, "topologyKeyType is Label or Claim, not \"%.64s\"",
                          type);
    }
    if (skew < 1 || skew > INT32_MAX) {
        skr_fields_refuse(entry, SKR_INVALID, "maxSkew is 1..%d, not %lld", INT32_MAX,
                          (long long)skew);
    }
    c->max_skew = (int32_t)skew;
    c->hard = strcmp(when, "DoNotSchedule") == 0;
    if (!c->hard && when[0] && strcmp(when, "ScheduleAnyway") != 0) {
        skr_fields_refuse(entry, SKR_INVALID,
                          "whenUnsatisfiable is DoNotSchedule or ScheduleAnyway, not \"%.64s\"",
                          when);
    }
}

void skr_placement_read_spread(struct skr_placement *p, const struct skr_fields *spec)
{
    const struct skr_fields policy = skr_fields_object(spec, "spreadPolicy");
    const struct skr_fields list = skr_fields_list(&policy, "spreadConstraints", SKR_OCM_LIST_MAX);
    if (list.n > SKR_SPREAD_LEVELS_MAX) {
        skr_fields_refuse(&list, SKR_INVALID, "%zu spreadConstraints, at most %d", list.n,
                          (int)SKR_SPREAD_LEVELS_MAX);
    }
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        read_constraint(&p->constraint[p->n_constraints], &entry);
        p->n_constraints += skr_fields_more(&list, i) ? 1 : 0;
    }
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

static void read_size(struct skr_placement *p, const struct skr_fields *strategy)
{
    static const char key[] = "clustersPerDecisionGroup";
    const json_t *value = json_object_get(strategy->json, key);
    p->group_size = INT64_MAX;
    if (!skr_fields_has(strategy, key)) {
        return;
    }
    if (json_is_integer(value)) { /* typed clients write 0 for an unset one */
        p->group_size = json_integer_value(value) > 0 ? json_integer_value(value) : INT64_MAX;
    } else if (!json_is_string(value)) {
        skr_fields_fail_type(strategy, key, "a number or a percentage", value);
    } else if (!parse_size(p, json_string_value(value))) {
        skr_fields_refuse(strategy, SKR_INVALID,
                          "%s is a number or a text of 1%%..100%% or of a number from 1 on, not "
                          "\"%.64s\"",
                          key, json_string_value(value));
    }
}

void skr_placement_read_groups(struct skr_placement *p, const struct skr_fields *spec)
{
    const struct skr_fields strategy = skr_fields_object(spec, "decisionStrategy");
    const struct skr_fields groups = skr_fields_object(&strategy, "groupStrategy");
    const struct skr_fields list = skr_fields_list(&groups, "decisionGroups", SKR_OCM_LIST_MAX);
    read_size(p, &groups);
    p->group = skr_fields_room(&list, list.n, sizeof *p->group);
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        const struct skr_fields selector = skr_fields_object(&entry, "groupClusterSelector");
        struct skr_decision_group_rule *rule = &p->group[p->n_groups++];
        rule->name = skr_fields_text(&entry, "groupName");
        skr_cluster_selector_decode(&selector, &rule->selector);
    }
}
