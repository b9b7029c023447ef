/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about other pods from JSON, their canonical text, and what they select. */
#include "core/pod/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pod/parts.h"

struct reader {
    struct skr_arena *arena;
    const struct skr_meta *meta;
    struct skr_pod_shape *shape;
    size_t cap;
    size_t n_parts, n_affinities; /* so far: SKR_POD_RULES_PARTS_MAX, SKR_POD_AFFINITIES_MAX */
};

static struct skr_pod_rule *add(struct reader *r, enum skr_pod_rule_kind kind,
                                struct skr_error *error)
{
    struct skr_pod_shape *shape = r->shape;
    if (shape->n_rules == SKR_POD_RULES_MAX) {
        skr_error_set_key(error, SKR_LIMIT, "spec",
                          "more than %d host ports, terms and constraints about other pods",
                          (int)SKR_POD_RULES_MAX);
        return NULL;
    }
    if (shape->n_rules == r->cap) {
        size_t cap = r->cap > 0 ? 2 * r->cap : 4;
        struct skr_pod_rule *more = skr_arena_array(r->arena, cap, sizeof *more);
        if (!more) {
            skr_pod_no_room(error);
            return NULL;
        }
        if (shape->n_rules > 0) {
            memcpy(more, shape->rule, shape->n_rules * sizeof *more);
        }
        shape->rule = more;
        r->cap = cap;
    }
    struct skr_pod_rule *rule = &shape->rule[shape->n_rules++];
    *rule = (struct skr_pod_rule){.kind = kind,
                                  .topology_key = "",
                                  .by_labels = {.nothing = true},
                                  .protocol = "",
                                  .address = ""};
    return rule;
}

static int copy_text(struct reader *r, const json_t *object, const struct skr_field_path *path,
                     const char *key, const char *absent, const char **ret, struct skr_error *error)
{
    const char *text = "";
    int rc = skr_field_string(object, path, key, &text, error);
    if (rc == 0) {
        *ret = skr_arena_strdup(r->arena, text[0] != '\0' ? text : absent);
        rc = *ret ? 0 : skr_pod_no_room(error);
    }
    return rc;
}

/* ---- selectors ---- */

/* The label of every namespace that the API server writes itself: its name. */
#define NAMESPACE_NAME "kubernetes.io/metadata.name"

static int add_requirement(struct reader *r, struct skr_pod_selector *selector, const char *key,
                           enum skr_selector_operator op, const char *value,
                           struct skr_error *error)
{
    struct skr_selector_requirement *to = &selector->requirement[selector->n_requirements++];
    *to = (struct skr_selector_requirement){.key = skr_arena_strdup(r->arena, key), .op = op};
    to->n_values = 1;
    to->values = skr_arena_array(r->arena, 1, sizeof to->values[0]);
    if (!to->key || !to->values) {
        return skr_pod_no_room(error);
    }
    to->values[0] = skr_arena_strdup(r->arena, value);
    return to->values[0] ? 0 : skr_pod_no_room(error);
}

/* Keys whose value the pod itself has: equal, or different, in those that are meant. */
static int read_label_keys(struct reader *r, const json_t *list, const struct skr_field_path *path,
                           const char *key, enum skr_selector_operator op,
                           struct skr_pod_selector *ret, struct skr_error *error)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct skr_field_path here = {.up = path, .key = key, .index = i};
        const json_t *name = json_array_get(list, i);
        if (!json_is_string(name)) {
            return skr_field_set_type_error(&here, NULL, "a string", name, error);
        }
        const char *value = skr_labels_get(&r->meta->labels, json_string_value(name));
        int rc = value ? add_requirement(r, ret, json_string_value(name), op, value, error) : 0;
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

/* selector: that of the API under key; NULL selects nothing. Leaves room for so many more. */
static int read_selector(struct reader *r, json_t *selector, const struct skr_field_path *up,
                         const char *key, size_t more, struct skr_pod_selector *ret,
                         struct skr_error *error)
{
    const struct skr_field_path here = {.up = up, .key = key, .index = SKR_FIELD_NO_INDEX};
    json_t *labels = NULL;
    json_t *expressions = NULL;
    int rc = 0;
    if (selector) {
        rc = skr_field_object(selector, &here, "matchLabels", &labels, error);
    }
    if (rc == 0 && selector) {
        rc = skr_field_array(selector, &here, "matchExpressions", SKR_POD_REQUIREMENTS_MAX,
                             &expressions, error);
    }
    if (rc < 0) {
        return rc;
    }
    size_t most = json_object_size(labels) + json_array_size(expressions) + more;
    if (most > SKR_POD_REQUIREMENTS_MAX) {
        return skr_error_set_key(error, SKR_LIMIT, "spec",
                                 "more than %d requirements in a label selector",
                                 (int)SKR_POD_REQUIREMENTS_MAX);
    }
    *ret = (struct skr_pod_selector){
        .nothing = !selector,
        .requirement = skr_arena_array(r->arena, most + 1, sizeof *ret->requirement)};
    if (!ret->requirement) {
        return skr_pod_no_room(error);
    }
    struct skr_labels wanted = {0};
    if (labels) {
        rc = skr_labels_decode(r->arena, labels, NULL, "labelSelector.matchLabels", &wanted, error);
    }
    for (size_t i = 0; i < wanted.n && rc == 0; i++) {
        rc = add_requirement(r, ret, wanted.item[i].key, SKR_SELECTOR_IN, wanted.item[i].value,
                             error);
    }
    bool parsable = true;
    if (rc == 0) {
        rc = skr_pod_requirements_decode(r->arena, expressions, &here, ret->requirement,
                                         &ret->n_requirements, &parsable, error);
    }
    ret->nothing = ret->nothing || !parsable;
    return rc;
}

/* object: the term or constraint. */
static int read_selected(struct reader *r, json_t *object, const struct skr_field_path *path,
                         struct skr_pod_rule *rule, struct skr_error *error)
{
    json_t *selector = NULL;
    json_t *same = NULL;
    json_t *other = NULL;
    int rc = skr_field_object(object, path, "labelSelector", &selector, error);
    if (rc == 0) {
        rc =
            skr_field_array(object, path, "matchLabelKeys", SKR_POD_REQUIREMENTS_MAX, &same, error);
    }
    if (rc == 0) {
        rc = skr_field_array(object, path, "mismatchLabelKeys", SKR_POD_REQUIREMENTS_MAX, &other,
                             error);
    }
    if (rc == 0) {
        rc = read_selector(r, selector, path, "labelSelector",
                           json_array_size(same) + json_array_size(other), &rule->pods, error);
    }
    if (rc == 0) {
        rc = read_label_keys(r, same, path, "matchLabelKeys", SKR_SELECTOR_IN, &rule->pods, error);
    }
    if (rc == 0) {
        rc = read_label_keys(r, other, path, "mismatchLabelKeys", SKR_SELECTOR_NOT_IN, &rule->pods,
                             error);
    }
    return rc;
}

static int compare_strings(const void *a, const void *b)
{
    const char *const *left = a;
    const char *const *right = b;
    return strcmp(*left, *right);
}

static int read_namespaces(struct reader *r, json_t *object, const struct skr_field_path *path,
                           struct skr_pod_rule *rule, struct skr_error *error)
{
    json_t *list = NULL;
    json_t *selector = NULL;
    int rc = skr_field_array(object, path, "namespaces", SKR_POD_VALUES_MAX, &list, error);
    if (rc == 0) {
        rc = skr_field_object(object, path, "namespaceSelector", &selector, error);
    }
    if (rc == 0) {
        rc = read_selector(r, selector, path, "namespaceSelector", 0, &rule->by_labels, error);
    }
    if (rc < 0) {
        return rc;
    }
    for (size_t i = 0; i < rule->by_labels.n_requirements; i++) {
        rule->unknown_namespaces = rule->unknown_namespaces ||
                                   strcmp(rule->by_labels.requirement[i].key, NAMESPACE_NAME) != 0;
    }
    bool own = json_array_size(list) == 0 && !selector;
    rule->namespaces =
        skr_arena_array(r->arena, json_array_size(list) + 1, sizeof rule->namespaces[0]);
    if (!rule->namespaces) {
        return skr_pod_no_room(error);
    }
    for (size_t i = 0; i < json_array_size(list) + (own ? 1 : 0); i++) {
        struct skr_field_path here = {.up = path, .key = "namespaces", .index = i};
        const json_t *name = json_array_get(list, i);
        if (!own && !json_is_string(name)) {
            return skr_field_set_type_error(&here, NULL, "a string", name, error);
        }
        const char *text = own ? r->meta->namespace_ : json_string_value(name);
        rule->namespaces[i] = skr_arena_strdup(r->arena, text);
        if (!rule->namespaces[i]) {
            return skr_pod_no_room(error);
        }
        rule->n_namespaces++;
    }
    qsort(rule->namespaces, rule->n_namespaces, sizeof rule->namespaces[0], compare_strings);
    return 0;
}

/* ---- the rules ---- */

/* The rule is read. Beyond the limits it is as one whose namespaces are not known. */
static void count_parts(struct reader *r, struct skr_pod_rule *rule)
{
    r->n_parts += 1 + rule->pods.n_requirements + rule->by_labels.n_requirements;
    r->n_affinities += rule->kind == SKR_POD_RULE_AFFINITY;
    if (r->n_parts > SKR_POD_RULES_PARTS_MAX || r->n_affinities > SKR_POD_AFFINITIES_MAX) {
        rule->unknown_namespaces = true;
        rule->pods = (struct skr_pod_selector){0};
        rule->by_labels = (struct skr_pod_selector){.nothing = true};
        rule->n_namespaces = 0;
    }
}

static int read_terms(struct reader *r, json_t *affinity, const char *key,
                      enum skr_pod_rule_kind kind, struct skr_error *error)
{
    static const char required[] = "requiredDuringSchedulingIgnoredDuringExecution";
    const struct skr_field_path spec = {.key = "spec", .index = SKR_FIELD_NO_INDEX};
    const struct skr_field_path up = {.up = &spec, .key = "affinity", .index = SKR_FIELD_NO_INDEX};
    const struct skr_field_path path = {.up = &up, .key = key, .index = SKR_FIELD_NO_INDEX};
    const struct skr_field_path array = {.up = &path, .key = required, .index = SKR_FIELD_NO_INDEX};
    json_t *part = NULL;
    json_t *list = NULL;
    int rc = skr_field_object(affinity, &up, key, &part, error);
    if (rc == 0 && part) {
        rc = skr_field_array(part, &path, required, SKR_POD_RULES_MAX, &list, error);
    }
    for (size_t i = 0; i < json_array_size(list) && rc == 0; i++) {
        const struct skr_field_path here = {.up = &path, .key = required, .index = i};
        json_t *term;
        rc = skr_field_entry(list, &array, i, &term, error);
        struct skr_pod_rule *rule = rc == 0 ? add(r, kind, error) : NULL;
        if (!rule) {
            return rc < 0 ? rc : -SKR_LIMIT;
        }
        rc = copy_text(r, term, &here, "topologyKey", "", &rule->topology_key, error);
        if (rc == 0) {
            rc = read_selected(r, term, &here, rule, error);
        }
        if (rc == 0) {
            rc = read_namespaces(r, term, &here, rule, error);
        }
        if (rc == 0) {
            count_parts(r, rule);
        }
    }
    return rc;
}

static int read_constraint(struct reader *r, json_t *object, const struct skr_field_path *path,
                           struct skr_error *error)
{
    const char *when = "";
    const char *affinity = "";
    const char *taints = "";
    int rc = skr_field_string(object, path, "whenUnsatisfiable", &when, error);
    if (rc == 0) {
        rc = skr_field_string(object, path, "nodeAffinityPolicy", &affinity, error);
    }
    if (rc == 0) {
        rc = skr_field_string(object, path, "nodeTaintsPolicy", &taints, error);
    }
    if (rc < 0 || strcmp(when, "DoNotSchedule") != 0) {
        return rc;
    }
    struct skr_pod_rule *rule = add(r, SKR_POD_RULE_SPREAD, error);
    if (!rule) {
        return -SKR_LIMIT;
    }
    rule->ignores_affinity = strcmp(affinity, "Ignore") == 0;
    rule->honors_taints = strcmp(taints, "Honor") == 0;
    rc = skr_field_int32(object, path, "maxSkew", 1, &rule->max_skew, error);
    if (rc == 0) {
        rc = skr_field_int32(object, path, "minDomains", 0, &rule->min_domains, error);
    }
    if (rc == 0) {
        rc = copy_text(r, object, path, "topologyKey", "", &rule->topology_key, error);
    }
    if (rc == 0) {
        rc = read_selected(r, object, path, rule, error);
    }
    if (rc < 0) {
        return rc;
    }
    rule->max_skew = rule->max_skew < 1 ? 1 : rule->max_skew;
    rule->min_domains = rule->min_domains < 0 ? 0 : rule->min_domains;
    rule->namespaces = skr_arena_array(r->arena, 1, sizeof rule->namespaces[0]);
    if (!rule->namespaces) {
        return skr_pod_no_room(error);
    }
    rule->namespaces[0] = skr_arena_strdup(r->arena, r->meta->namespace_);
    rule->n_namespaces = 1;
    if (!rule->namespaces[0]) {
        return skr_pod_no_room(error);
    }
    count_parts(r, rule);
    return 0;
}

static int read_constraints(struct reader *r, json_t *spec, struct skr_error *error)
{
    const struct skr_field_path up = {.key = "spec", .index = SKR_FIELD_NO_INDEX};
    const struct skr_field_path array = {
        .up = &up, .key = "topologySpreadConstraints", .index = SKR_FIELD_NO_INDEX};
    json_t *list = NULL;
    int rc = skr_field_array(spec, &up, array.key, SKR_POD_RULES_MAX, &list, error);
    for (size_t i = 0; i < json_array_size(list) && rc == 0; i++) {
        const struct skr_field_path here = {.up = &up, .key = array.key, .index = i};
        json_t *entry;
        rc = skr_field_entry(list, &array, i, &entry, error);
        if (rc == 0) {
            rc = read_constraint(r, entry, &here, error);
        }
    }
    return rc;
}

static int read_port(struct reader *r, json_t *object, const struct skr_field_path *path,
                     struct skr_error *error)
{
    int32_t number = 0;
    int rc = skr_field_int32(object, path, "hostPort", 0, &number, error);
    if (rc < 0 || number <= 0) {
        return rc;
    }
    struct skr_pod_rule *rule = add(r, SKR_POD_RULE_HOST_PORT, error);
    if (!rule) {
        return -SKR_LIMIT;
    }
    rule->port = number;
    rc = copy_text(r, object, path, "protocol", "TCP", &rule->protocol, error);
    if (rc == 0) {
        rc = copy_text(r, object, path, "hostIP", "", &rule->address, error);
    }
    if (rc == 0 && strcmp(rule->address, "0.0.0.0") == 0) {
        rule->address = "";
    }
    return rc;
}

/* Of containers that stay: init containers only where they restart (sidecars). */
static int read_ports(struct reader *r, json_t *spec, const char *key, bool sidecars,
                      struct skr_error *error)
{
    const struct skr_field_path up = {.key = "spec", .index = SKR_FIELD_NO_INDEX};
    const struct skr_field_path array = {.up = &up, .key = key, .index = SKR_FIELD_NO_INDEX};
    json_t *list = NULL;
    int rc = skr_field_array(spec, &up, key, SKR_POD_CONTAINERS_MAX, &list, error);
    for (size_t i = 0; i < json_array_size(list) && rc == 0; i++) {
        const struct skr_field_path here = {.up = &up, .key = key, .index = i};
        const struct skr_field_path ports_array = {
            .up = &here, .key = "ports", .index = SKR_FIELD_NO_INDEX};
        const char *restart = "";
        json_t *container = NULL;
        json_t *ports = NULL;
        rc = skr_field_entry(list, &array, i, &container, error);
        if (rc == 0 && sidecars) {
            rc = skr_field_string(container, &here, "restartPolicy", &restart, error);
        }
        if (rc == 0 && (!sidecars || strcmp(restart, "Always") == 0)) {
            rc = skr_field_array(container, &here, "ports", SKR_POD_LISTS_MAX, &ports, error);
        }
        for (size_t k = 0; k < json_array_size(ports) && rc == 0; k++) {
            const struct skr_field_path port_path = {.up = &here, .key = "ports", .index = k};
            json_t *port;
            rc = skr_field_entry(ports, &ports_array, k, &port, error);
            if (rc == 0) {
                rc = read_port(r, port, &port_path, error);
            }
        }
    }
    return rc;
}

int skr_pod_rules_decode(struct skr_arena *arena, json_t *spec, const struct skr_meta *meta,
                         struct skr_pod_shape *ret, struct skr_error *error)
{
    const struct skr_field_path up = {.key = "spec", .index = SKR_FIELD_NO_INDEX};
    struct reader r = {.arena = arena, .meta = meta, .shape = ret};
    json_t *affinity = NULL;
    ret->n_rules = 0;
    ret->rule = NULL;
    if (!spec) {
        return 0;
    }
    int rc = read_ports(&r, spec, "containers", false, error);
    if (rc == 0) {
        rc = read_ports(&r, spec, "initContainers", true, error);
    }
    if (rc == 0) {
        rc = skr_field_object(spec, &up, "affinity", &affinity, error);
    }
    if (rc == 0 && affinity) {
        rc = read_terms(&r, affinity, "podAntiAffinity", SKR_POD_RULE_ANTI_AFFINITY, error);
    }
    if (rc == 0 && affinity) {
        rc = read_terms(&r, affinity, "podAffinity", SKR_POD_RULE_AFFINITY, error);
    }
    return rc == 0 ? read_constraints(&r, spec, error) : rc;
}

int skr_pod_selector_decode(struct skr_arena *arena, json_t *selector, const char *namespace_,
                            struct skr_pod_rule *ret, struct skr_error *error)
{
    const struct skr_field_path up = {.key = "spec", .index = SKR_FIELD_NO_INDEX};
    struct reader r = {.arena = arena};
    *ret = (struct skr_pod_rule){
        .topology_key = "", .by_labels = {.nothing = true}, .protocol = "", .address = ""};
    ret->namespaces = skr_arena_array(arena, 1, sizeof *ret->namespaces);
    if (!ret->namespaces) {
        return skr_pod_no_room(error);
    }
    ret->namespaces[0] = namespace_;
    ret->n_namespaces = 1;
    return read_selector(&r, selector, &up, "labelSelector", 0, &ret->pods, error);
}

/* ---- text, copies ---- */

static const char *const kind_name[] = {
    [SKR_POD_RULE_HOST_PORT] = "hostPort",
    [SKR_POD_RULE_ANTI_AFFINITY] = "podAntiAffinity",
    [SKR_POD_RULE_AFFINITY] = "podAffinity",
    [SKR_POD_RULE_SPREAD] = "topologySpreadConstraints",
};
_Static_assert(sizeof kind_name / sizeof kind_name[0] == SKR_POD_RULE_KIND_COUNT,
               "a name per kind");

static void write_selector(struct skr_strbuf *b, const struct skr_pod_selector *selector)
{
    skr_strbuf_add(b, selector->nothing ? ",[0" : ",[1");
    for (size_t i = 0; i < selector->n_requirements; i++) {
        skr_strbuf_addc(b, ',');
        skr_selector_requirement_write(b, &selector->requirement[i]);
    }
    skr_strbuf_addc(b, ']');
}

void skr_pod_rules_write_key(struct skr_strbuf *b, const struct skr_pod_shape *shape)
{
    for (size_t i = 0; i < shape->n_rules; i++) {
        const struct skr_pod_rule *rule = &shape->rule[i];
        skr_strbuf_add(b, i == 0 ? ",\"rules\":[[" : ",[");
        skr_strbuf_addf(b, "\"%s\",%d,%d,%d,%d,%d,%d,", kind_name[rule->kind], rule->port,
                        rule->max_skew, rule->min_domains, rule->ignores_affinity,
                        rule->honors_taints, rule->unknown_namespaces);
        skr_strbuf_add_json(b, rule->topology_key);
        skr_strbuf_addc(b, ',');
        skr_strbuf_add_json(b, rule->protocol);
        skr_strbuf_addc(b, ',');
        skr_strbuf_add_json(b, rule->address);
        write_selector(b, &rule->pods);
        write_selector(b, &rule->by_labels);
        for (size_t k = 0; k < rule->n_namespaces; k++) {
            skr_strbuf_addc(b, ',');
            skr_strbuf_add_json(b, rule->namespaces[k]);
        }
        skr_strbuf_add(b, i + 1 == shape->n_rules ? "]]" : "]");
    }
}

void skr_pod_rule_name(const struct skr_pod_rule *rule, char *buffer, size_t size)
{
    if (rule->kind == SKR_POD_RULE_HOST_PORT) {
        snprintf(buffer, size, "host port %d/%s", rule->port, rule->protocol);
    } else {
        snprintf(buffer, size, "%s on %s", kind_name[rule->kind], rule->topology_key);
    }
}

/* ---- what they select ---- */

/* namespace_ NULL: by labels; else every key is the namespace's name. */
static bool matches(const struct skr_pod_selector *selector, const struct skr_labels *labels,
                    const char *namespace_)
{
    bool all = !selector->nothing;
    for (size_t i = 0; i < selector->n_requirements && all; i++) {
        const struct skr_selector_requirement *r = &selector->requirement[i];
        all =
            skr_selector_value_matches(r, namespace_ ? namespace_ : skr_labels_get(labels, r->key));
    }
    return all;
}

bool skr_pod_rule_selects(const struct skr_pod_rule *rule, const struct skr_meta *pod)
{
    static const struct skr_labels none;
    bool in = !rule->unknown_namespaces && matches(&rule->by_labels, &none, pod->namespace_);
    for (size_t i = 0; i < rule->n_namespaces && !in; i++) {
        in = strcmp(rule->namespaces[i], pod->namespace_) == 0;
    }
    return in && matches(&rule->pods, &pod->labels, NULL);
}

bool skr_pod_rule_may_select(const struct skr_pod_rule *rule, const struct skr_meta *pod)
{
    return rule->unknown_namespaces ? matches(&rule->pods, &pod->labels, NULL)
                                    : skr_pod_rule_selects(rule, pod);
}

bool skr_pod_ports_clash(const struct skr_pod_rule *a, const struct skr_pod_rule *b)
{
    return a->port == b->port && strcmp(a->protocol, b->protocol) == 0 &&
           (a->address[0] == '\0' || b->address[0] == '\0' || strcmp(a->address, b->address) == 0);
}

const struct skr_pod_rule *skr_pod_port_clash(const struct skr_pod_shape *a,
                                              const struct skr_pod_shape *b)
{
    for (size_t i = 0; i < a->n_rules; i++) {
        for (size_t k = 0; k < b->n_rules; k++) {
            if (a->rule[i].kind == SKR_POD_RULE_HOST_PORT &&
                b->rule[k].kind == SKR_POD_RULE_HOST_PORT &&
                skr_pod_ports_clash(&a->rule[i], &b->rule[k])) {
                return &a->rule[i];
            }
        }
    }
    return NULL;
}
