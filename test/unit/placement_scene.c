/* SPDX-License-Identifier: Apache-2.0 */
/* Short lines to manifests, and through the code of the command. */
#include "test/unit/placement_scene.h"

#include "server/lab/simulate/placement.h"
#include "test/test.h"
#include "test/unit/json_text.h"

#define CL "cluster.open-cluster-management.io/"

enum { LINE_MAX = 16384 };

static char *next_word(char **rest)
{
    return strtok_r(NULL, " ", rest);
}

static char *split(char *word, char at)
{
    char *found = word ? strchr(word, at) : NULL;
    if (found) {
        *found++ = '\0';
    }
    return found;
}

static json_t *object_of(const char *version, const char *kind, const char *name,
                         const char *namespace_)
{
    json_t *meta = json_pack("{s:s}", "name", name);
    if (namespace_) {
        json_object_set_new(meta, "namespace", json_string(namespace_));
    }
    return json_pack("{s:s,s:s,s:o}", "apiVersion", version, "kind", kind, "metadata", meta);
}

static json_t *member(json_t *object, const char *key, json_t *otherwise)
{
    if (!json_object_get(object, key)) {
        json_object_set_new(object, key, otherwise);
    } else {
        json_decref(otherwise);
    }
    return json_object_get(object, key);
}

static void add_taint(json_t *cluster, char *text)
{
    char *effect = split(text, ':'), *value = split(text, '='), *time = split(effect, '@');
    json_t *taint = json_pack("{s:s,s:s}", "key", text, "effect", effect);
    if (value) {
        json_object_set_new(taint, "value", json_string(value));
    }
    if (time) {
        json_object_set_new(taint, "timeAdded", json_string(time));
    }
    json_t *spec = member(cluster, "spec", json_object());
    json_array_append_new(member(spec, "taints", json_array()), taint);
}

static json_t *read_cluster(char **rest)
{
    json_t *cluster = object_of(CL "v1", "ManagedCluster", next_word(rest), NULL);
    json_t *meta = json_object_get(cluster, "metadata");
    for (char *word; (word = next_word(rest));) {
        json_t *status = member(cluster, "status", json_object());
        if (strcmp(word, "deleting") == 0) {
            json_object_set_new(meta, "deletionTimestamp", json_string("2025-12-31T00:00:00Z"));
        } else if (strncmp(word, "taint:", 6) == 0) {
            add_taint(cluster, word + 6);
        } else if (strncmp(word, "claim:", 6) == 0) {
            char *value = split(word + 6, '=');
            json_array_append_new(member(status, "clusterClaims", json_array()),
                                  json_pack("{s:s,s:s}", "name", word + 6, "value", value));
        } else if (strncmp(word, "has:", 4) == 0) { /* has:RESOURCE=ALLOCATABLE/CAPACITY */
            char *value = strrchr(word, '='), *capacity;
            *value++ = '\0';
            capacity = split(value, '/');
            if (value[0]) {
                json_object_set_new(member(status, "allocatable", json_object()), word + 4,
                                    json_string(value));
            }
            if (capacity && capacity[0]) {
                json_object_set_new(member(status, "capacity", json_object()), word + 4,
                                    json_string(capacity));
            }
        } else {
            char *value = split(word, '=');
            const bool total = strcmp(word, "total") == 0;
            json_object_set_new(member(meta, total ? "annotations" : "labels", json_object()),
                                total ? SKR_TOTAL_SCORE_KEY : word, json_string(value));
        }
    }
    return cluster;
}

static json_t *read_set(char **rest)
{
    json_t *set = object_of(CL "v1beta2", "ManagedClusterSet", next_word(rest), NULL);
    json_t *selector = json_loads(*rest && **rest ? *rest : "{}", 0, NULL);
    assert_non_null(selector);
    json_object_set_new(set, "spec", json_pack("{s:o}", "clusterSelector", selector));
    return set;
}

static json_t *read_binding(char **rest)
{
    const char *name = next_word(rest);
    json_t *binding = object_of(CL "v1beta2", "ManagedClusterSetBinding", name, "default");
    json_object_set_new(binding, "spec", json_pack("{s:s}", "clusterSet", name));
    return binding;
}

static json_t *read_decision(char **rest)
{
    char *placement = next_word(rest), *number = next_word(rest), *group = split(number, '/');
    char *group_name = split(group, '/'), name[300];
    snprintf(name, sizeof name, "%s-decision-%s", placement, number);
    json_t *decision = object_of(CL "v1beta1", "PlacementDecision", name, "default");
    json_object_set_new(json_object_get(decision, "metadata"), "labels",
                        json_pack("{s:s,s:s,s:s}", CL "placement", placement,
                                  CL "decision-group-index", group ? group : "0",
                                  CL "decision-group-name", group_name ? group_name : ""));
    json_t *clusters = json_array();
    for (char *word; (word = next_word(rest));) {
        json_array_append_new(clusters, json_pack("{s:s,s:s}", "clusterName", word, "reason", ""));
    }
    json_object_set_new(decision, "status", json_pack("{s:o}", "decisions", clusters));
    return decision;
}

static json_t *read_score(char **rest)
{
    const char *cluster = next_word(rest), *name = next_word(rest);
    char *item = next_word(rest), *value = split(item, '='), *until = next_word(rest);
    json_t *score = object_of(CL "v1alpha1", "AddOnPlacementScore", name, cluster);
    json_t *status = json_pack("{s:[{s:s,s:i}]}", "scores", "name", item, "value", atoi(value));
    if (until) {
        json_object_set_new(status, "validUntil", json_string(next_word(rest)));
    }
    json_object_set_new(score, "status", status);
    return score;
}

static json_t *read_placement(char **rest)
{
    json_t *p = object_of(CL "v1beta1", "Placement", next_word(rest), "default");
    json_t *annotations = json_pack("{s:s,s:s}", SKR_PLACEMENT_DISABLE_KEY, "true",
                                    SKR_PLACEMENT_SCHEDULER_KEY, "sakkara");
    json_error_t error;
    json_t *spec = json_loads(*rest, JSON_DISABLE_EOF_CHECK, &error);
    if (!spec) {
        fail_msg("%s: %s", error.text, *rest);
        return NULL;
    }
    *rest += error.position;
    for (char *word; (word = next_word(rest));) {
        char *value = split(word, '=');
        json_object_set_new(annotations, word, json_string(value));
    }
    json_object_set_new(json_object_get(p, "metadata"), "annotations", annotations);
    json_object_set_new(p, "spec", spec);
    return p;
}

static json_t *read_object(char **rest)
{
    json_t *object = json_text_load(*rest);
    *rest += strlen(*rest);
    return object;
}

static json_t *read_line(char *line)
{
    static const struct {
        const char *word;
        json_t *(*read)(char **rest);
    } readers[] = {{"cluster", read_cluster},  {"set", read_set},     {"bind", read_binding},
                   {"decided", read_decision}, {"score", read_score}, {"placement", read_placement},
                   {"object", read_object}};
    char *rest, *word = strtok_r(line, " ", &rest);
    for (size_t i = 0; word && i < sizeof readers / sizeof *readers; i++) {
        if (strcmp(word, readers[i].word) == 0) {
            return readers[i].read(&rest);
        }
    }
    fail_msg("no such line: %s", line);
    return NULL;
}

json_t *placement_scene_objects(const char *lines)
{
    json_t *items = json_array();
    SKR_AUTO_FREE char *line = malloc(LINE_MAX);
    assert_non_null(line);
    for (const char *end; (end = strchr(lines, '\n')); lines = end + 1) {
        assert_true(end - lines < LINE_MAX);
        snprintf(line, LINE_MAX, "%.*s", (int)(end - lines), lines);
        json_array_append_new(items, read_line(line));
    }
    return json_pack("{s:s,s:s,s:o}", "apiVersion", "v1", "kind", "List", "items", items);
}

json_t *placement_scene_report(const char *lines)
{
    json_auto_t *objects = placement_scene_objects(lines);
    SKR_AUTO_FREE char *text = json_dumps(objects, 0);
    const struct skr_simulate_placement_options options = {.placement = "default/p",
                                                           .scheduler = "sakkara",
                                                           .now = "2026-01-01T00:00:00Z",
                                                           .json = true};
    struct skr_fleet_input input;
    SKR_STRBUF(out);
    SKR_STRBUF(messages);
    skr_fleet_input_init(&input, &skr_placement_rules);
    if (skr_fleet_input_parse(&input, "scene", text, strlen(text), &messages) < 0 ||
        skr_fleet_input_finish(&input, &messages) < 0) {
        fail_msg("%s", messages.s);
    }
    (void)skr_simulate_placement_show(&input, &options, &out, &messages);
    json_t *report = json_loads(out.s ? out.s : "", JSON_REJECT_DUPLICATES, NULL);
    if (!report) {
        fail_msg("no report: %s%s", messages.s, out.s);
    }
    skr_fleet_input_fini(&input);
    return report;
}

char *placement_scene_ask(const char *lines, const char *path)
{
    json_auto_t *report = placement_scene_report(lines);
    const json_t *value = report;
    char copy[256], *rest = copy;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *word; value && (word = strsep(&rest, "."));) {
        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(word))
                                     : json_object_get(value, word);
    }
    return value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS) : NULL;
}

void placement_scene_expect(const char *title, const char *lines, const char *path,
                            const char *expected)
{
    SKR_AUTO_FREE char *got = placement_scene_ask(lines, path);
    if (!got || strcmp(got, expected) != 0) {
        fail_msg("%s: %s is %s, not %s", title, path, got ? got : "absent", expected);
    }
}
