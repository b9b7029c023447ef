/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML to JSON, then a walk over the JSON that compares keys with tables and looks up the position
 * of what it complains about. Rules: kubernetes pkg/scheduler/apis/config (types, validation) of
 * 1.36.
 */
#include "server/manifest/scheduler_config.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/manifest/yaml.h"
#include "topology/base/suggest.h"
#include "topology/duration.h"

enum {
    PATH_MAX_BYTES = 256,
    ARENA_BYTES = 8 * SKR_SCHEDULER_CONFIG_BYTES_MAX,
    BACKOFF_MAX_S = 86400,
};

struct walk {
    const char *text;
    size_t n;
    struct skr_scheduler_config *config;
    struct skr_findings *findings;
};

/* path "": the document. */
static void tell(const struct walk *w, bool is_error, const char *code, const char *path,
                 const char *format, ...) SKR_PRINTF(5, 6);

static void tell(const struct walk *w, bool is_error, const char *code, const char *path,
                 const char *format, ...)
{
    char text[SKR_FINDING_TEXT_MAX];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const struct skr_yaml_mark at = skr_yaml_find(w->text, w->n, 0, path, NULL);
    skr_findings_add(w->findings, is_error, code, at.line, at.column, "%s%s%s", path,
                     *path ? ": " : "", text);
}

/* ---- keys ---- */

static const char *const top_keys[] = {"apiVersion",
                                       "kind",
                                       "profiles",
                                       "extenders",
                                       "percentageOfNodesToScore",
                                       "podInitialBackoffSeconds",
                                       "podMaxBackoffSeconds",
                                       "parallelism",
                                       "leaderElection",
                                       "clientConnection",
                                       "enableProfiling",
                                       "enableContentionProfiling",
                                       "delayCacheUntilActive"};
static const char *const profile_keys[] = {"schedulerName", "percentageOfNodesToScore", "plugins",
                                           "pluginConfig"};
static const char *const extender_keys[] = {"urlPrefix",        "filterVerb",       "preemptVerb",
                                            "prioritizeVerb",   "weight",           "bindVerb",
                                            "enableHTTPS",      "tlsConfig",        "httpTimeout",
                                            "nodeCacheCapable", "managedResources", "ignorable"};
static const char *const managed_keys[] = {"name", "ignoredByScheduler"};
#define COUNT(array) (sizeof array / sizeof *(array))

static void join(char path[PATH_MAX_BYTES], const char *base, const char *key)
{
    (void)snprintf(path, PATH_MAX_BYTES, "%.120s%s%.120s", base, *base ? "." : "", key);
}

/* Whether value is an object with no other keys. */
static bool check_keys(const struct walk *w, json_t *value, const char *path,
                       const char *const *known, size_t n)
{
    const char *key;
    json_t *member;
    char at[PATH_MAX_BYTES];
    if (!json_is_object(value)) {
        tell(w, true, "WrongType", path, "must be a mapping");
        return false;
    }
    json_object_foreach(value, key, member)
    {
        size_t i = 0;
        while (i < n && strcmp(key, known[i]) != 0) {
            i++;
        }
        if (i < n) {
            continue;
        }
        const char *near = skr_suggest(key, known, n);
        join(at, path, key);
        tell(w, true, "UnknownKey", at, "unknown field%s%s%s", near ? ", did you mean " : "",
             near ? near : "", near ? "?" : "");
    }
    return true;
}

/* ---- values; absent and null leave the fallback ---- */

static const char *get_text(const struct walk *w, const json_t *object, const char *base,
                            const char *key)
{
    char path[PATH_MAX_BYTES];
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value)) {
        return "";
    }
    if (!json_is_string(value)) {
        join(path, base, key);
        tell(w, true, "WrongType", path, "must be a string");
        return "";
    }
    const char *copy = skr_arena_strdup(w->config->arena, json_string_value(value));
    return copy ? copy : "";
}

static int64_t get_int(const struct walk *w, const json_t *object, const char *base,
                       const char *key, int64_t fallback, int64_t low, int64_t high)
{
    char path[PATH_MAX_BYTES];
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value)) {
        return fallback;
    }
    join(path, base, key);
    if (!json_is_integer(value)) {
        tell(w, true, "WrongType", path, "must be a whole number");
    } else if (json_integer_value(value) < low || json_integer_value(value) > high) {
        tell(w, true, "InvalidValue", path, "%lld is not between %lld and %lld",
             (long long)json_integer_value(value), (long long)low, (long long)high);
    } else {
        return json_integer_value(value);
    }
    return fallback;
}

static bool get_bool(const struct walk *w, const json_t *object, const char *base, const char *key)
{
    char path[PATH_MAX_BYTES];
    const json_t *value = json_object_get(object, key);
    if (value && !json_is_null(value) && !json_is_boolean(value)) {
        join(path, base, key);
        tell(w, true, "WrongType", path, "must be true or false");
    }
    return json_is_true(value);
}

static skr_time get_duration(const struct walk *w, const json_t *object, const char *base,
                             const char *key, skr_time fallback)
{
    char path[PATH_MAX_BYTES];
    struct skr_error error;
    skr_time duration = 0;
    const char *text = get_text(w, object, base, key);
    if (*text == '\0') {
        return fallback;
    }
    if (skr_duration_parse(text, &duration, &error) < 0) {
        join(path, base, key);
        tell(w, true, "InvalidValue", path, "%s", error.text);
    }
    return duration > 0 ? duration : fallback;
}

/* The list, or NULL; its length is in *ret_n. */
static const json_t *get_list(const struct walk *w, const json_t *object, const char *base,
                              const char *key, size_t max, size_t *ret_n)
{
    char path[PATH_MAX_BYTES];
    const json_t *list = json_object_get(object, key);
    *ret_n = 0;
    if (!list || json_is_null(list)) {
        return NULL;
    }
    join(path, base, key);
    if (!json_is_array(list)) {
        tell(w, true, "WrongType", path, "must be a list");
        return NULL;
    }
    if (json_array_size(list) > max) {
        tell(w, true, "Limit", path, "%zu entries, at most %zu are read", json_array_size(list),
             max);
        return NULL;
    }
    *ret_n = json_array_size(list);
    return list;
}

static void *take(const struct walk *w, size_t n, size_t size)
{
    void *array = skr_arena_array(w->config->arena, n + 1, size);
    skr_bug_on(!array); /* bounded by the limits above */
    return array;
}

/* ---- profiles ---- */

const char *const skr_scheduler_gang_plugin[SKR_SCHEDULER_GANG_PLUGINS] = {
    "GangScheduling", "TopologyPlacementGenerator", "PodGroupPodsCount"};

static bool is_modelled_off(const char *name)
{
    for (size_t i = 0; i < SKR_SCHEDULER_GANG_PLUGINS; i++) {
        if (strcmp(name, skr_scheduler_gang_plugin[i]) == 0) {
            return true;
        }
    }
    return strcmp(name, "DefaultPreemption") == 0;
}

/* The changes of plugins that change nothing: the model does not preempt, and knows no PodGroups. */
static bool is_as_modelled(const json_t *plugins)
{
    const json_t *point = json_object_get(plugins, "multiPoint");
    const json_t *disabled = json_object_get(point, "disabled");
    if (json_object_size(plugins) != 1 || json_object_size(point) != 1) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(disabled); i++) {
        const char *name = json_string_value(json_object_get(json_array_get(disabled, i), "name"));
        if (!name || !is_modelled_off(name)) {
            return false;
        }
    }
    return json_array_size(disabled) > 0;
}

static void read_plugins(const struct walk *w, const json_t *profile, const char *base)
{
    char path[PATH_MAX_BYTES];
    const json_t *plugins = json_object_get(profile, "plugins");
    if (json_object_size(plugins) > 0 && !is_as_modelled(plugins)) {
        join(path, base, "plugins");
        tell(w, false, "NotModelled", path,
             "not modelled: the default plugins without preemption and PodGroups");
    }
    if (json_array_size(json_object_get(profile, "pluginConfig")) > 0) {
        join(path, base, "pluginConfig");
        tell(w, false, "NotModelled", path, "not modelled: the default arguments of plugins");
    }
    if (json_is_integer(json_object_get(profile, "percentageOfNodesToScore"))) {
        join(path, base, "percentageOfNodesToScore");
        tell(w, false, "NotModelled", path,
             "not modelled: the global one counts for every profile");
    }
}

static void read_profiles(const struct walk *w, const json_t *root)
{
    struct skr_scheduler_config *config = w->config;
    char base[PATH_MAX_BYTES], path[PATH_MAX_BYTES];
    size_t n;
    const json_t *list = get_list(w, root, "", "profiles", SKR_SCHEDULER_PROFILES_MAX, &n);
    config->name = take(w, n + 1, sizeof *config->name);
    for (size_t i = 0; i < n; i++) {
        json_t *profile = json_array_get(list, i);
        (void)snprintf(base, sizeof base, "profiles[%zu]", i);
        if (!check_keys(w, profile, base, profile_keys, COUNT(profile_keys))) {
            continue;
        }
        const char *name = get_text(w, profile, base, "schedulerName");
        join(path, base, "schedulerName");
        if (*name == '\0' && n == 1) {
            name = "default-scheduler";
        }
        if (*name == '\0') {
            tell(w, true, "MissingKey", base, "schedulerName is missing");
        } else if (skr_names_include(config->name, config->n_names, name)) {
            tell(w, true, "DuplicateName", path, "\"%s\" twice", name);
        } else {
            config->name[config->n_names++] = name;
        }
        read_plugins(w, profile, base);
    }
    if (n == 0) {
        config->name[config->n_names++] = "default-scheduler";
    }
}

/* ---- extenders ---- */

static const char *read_url(const struct walk *w, const json_t *object, const char *base)
{
    char path[PATH_MAX_BYTES];
    const char *url = get_text(w, object, base, "urlPrefix");
    join(path, base, "urlPrefix");
    if (strncmp(url, "https://", 8) == 0 || get_bool(w, object, base, "enableHTTPS") ||
        json_object_size(json_object_get(object, "tlsConfig")) > 0) {
        tell(w, true, "NotModelled", *url ? path : base,
             "TLS to an extender is not modelled: give it a plain address on loopback");
    } else if (strncmp(url, "http://", 7) != 0 || url[7] == '\0' || url[7] == '/') {
        tell(w, true, "InvalidValue", *url ? path : base,
             "urlPrefix \"%.100s\" is not of the form http://HOST:PORT/PATH", url);
    }
    size_t n = strlen(url);
    while (n > 0 && url[n - 1] == '/') {
        n--;
    }
    const char *cut = skr_arena_strndup(w->config->arena, url, n);
    return cut ? cut : "";
}

static void read_managed(const struct walk *w, const json_t *object, const char *base,
                         struct skr_scheduler_extender *ret)
{
    char path[PATH_MAX_BYTES];
    size_t n;
    const json_t *list =
        get_list(w, object, base, "managedResources", SKR_SCHEDULER_MANAGED_MAX, &n);
    ret->managed = take(w, n, sizeof *ret->managed);
    for (size_t i = 0; i < n; i++) {
        json_t *resource = json_array_get(list, i);
        (void)snprintf(path, sizeof path, "%.200s.managedResources[%zu]", base, i);
        if (!check_keys(w, resource, path, managed_keys, COUNT(managed_keys))) {
            continue;
        }
        if (get_bool(w, resource, path, "ignoredByScheduler")) {
            tell(w, true, "NotModelled", path, "ignoredByScheduler is not modelled");
        }
        const char *name = get_text(w, resource, path, "name");
        if (!strchr(name, '/')) {
            tell(w, true, "InvalidValue", path, "\"%s\" is not the name of an extended resource",
                 name);
        }
        ret->managed[ret->n_managed++] = name;
    }
}

static void read_extender(const struct walk *w, json_t *object, const char *base,
                          struct skr_scheduler_extender *ret)
{
    char path[PATH_MAX_BYTES];
    *ret = (struct skr_scheduler_extender){
        .url = read_url(w, object, base),
        .filter_verb = get_text(w, object, base, "filterVerb"),
        .prioritize_verb = get_text(w, object, base, "prioritizeVerb"),
        .bind_verb = get_text(w, object, base, "bindVerb"),
        .weight = (int32_t)get_int(w, object, base, "weight", 0, 0, SKR_SCHEDULER_WEIGHT_MAX),
        .timeout = get_duration(w, object, base, "httpTimeout", 5 * SKR_SECOND),
        .node_cache_capable = get_bool(w, object, base, "nodeCacheCapable"),
        .ignorable = get_bool(w, object, base, "ignorable"),
    };
    read_managed(w, object, base, ret);
    if (*ret->prioritize_verb != '\0' && ret->weight == 0) {
        join(path, base, json_object_get(object, "weight") ? "weight" : "prioritizeVerb");
        tell(w, true, "Weight", path, "a positive weight is needed beside prioritizeVerb");
    }
    if (*get_text(w, object, base, "preemptVerb") != '\0') {
        join(path, base, "preemptVerb");
        tell(w, false, "NotModelled", path, "not modelled: nothing is preempted");
    }
}

/* Ignorable ones are asked last; order is kept otherwise. */
static void sort_extenders(struct skr_scheduler_config *config)
{
    for (size_t i = 1; i < config->n_extenders; i++) {
        const struct skr_scheduler_extender moved = config->extender[i];
        size_t k = i;
        for (; k > 0 && config->extender[k - 1].ignorable && !moved.ignorable; k--) {
            config->extender[k] = config->extender[k - 1];
        }
        config->extender[k] = moved;
    }
}

static void read_extenders(const struct walk *w, const json_t *root)
{
    struct skr_scheduler_config *config = w->config;
    char base[PATH_MAX_BYTES], path[PATH_MAX_BYTES];
    size_t n, binders = 0;
    const json_t *list = get_list(w, root, "", "extenders", SKR_SCHEDULER_EXTENDERS_MAX, &n);
    config->extender = take(w, n, sizeof *config->extender);
    for (size_t i = 0; i < n; i++) {
        json_t *object = json_array_get(list, i);
        (void)snprintf(base, sizeof base, "extenders[%zu]", i);
        if (!check_keys(w, object, base, extender_keys, COUNT(extender_keys))) {
            continue;
        }
        struct skr_scheduler_extender *extender = &config->extender[config->n_extenders++];
        read_extender(w, object, base, extender);
        if (*extender->bind_verb != '\0' && ++binders > 1) {
            join(path, base, "bindVerb");
            tell(w, true, "DuplicateBind", path, "only one extender can implement bind");
        }
    }
    sort_extenders(config);
}

/* ---- the document ---- */

static void check_identity(const struct walk *w, const json_t *root)
{
    static const struct {
        const char *key, *value;
    } expected[] = {{"apiVersion", "kubescheduler.config.k8s.io/v1"},
                    {"kind", "KubeSchedulerConfiguration"}};
    for (size_t i = 0; i < COUNT(expected); i++) {
        const char *text = json_string_value(json_object_get(root, expected[i].key));
        if (!text) {
            tell(w, true, "MissingKey", "", "%s is missing, must be %s", expected[i].key,
                 expected[i].value);
        } else if (strcmp(text, expected[i].value) != 0) {
            tell(w, true, "InvalidValue", expected[i].key, "\"%.100s\", must be %s", text,
                 expected[i].value);
        }
    }
}

static void read_root(const struct walk *w, json_t *root)
{
    struct skr_scheduler_config *config = w->config;
    if (!check_keys(w, root, "", top_keys, COUNT(top_keys))) {
        return;
    }
    check_identity(w, root);
    config->percentage = (int)get_int(w, root, "", "percentageOfNodesToScore", 0, 0, 100);
    const int64_t first = get_int(w, root, "", "podInitialBackoffSeconds", 1, 1, BACKOFF_MAX_S);
    const int64_t last = get_int(w, root, "", "podMaxBackoffSeconds", 10, 1, BACKOFF_MAX_S);
    if (last < first) {
        tell(w, true, "InvalidValue", "podMaxBackoffSeconds",
             "%lld is less than podInitialBackoffSeconds, %lld", (long long)last, (long long)first);
    }
    config->initial_backoff = first * SKR_SECOND;
    config->max_backoff = last * SKR_SECOND;
    read_profiles(w, root);
    read_extenders(w, root);
}

static void report_syntax(const struct walk *w, const struct skr_document_error *error)
{
    skr_findings_add(w->findings, true, "Syntax", error->at.line, error->at.column, "%s%s%s",
                     error->context ? error->context : "", error->context ? ": " : "",
                     error->problem);
}

static void read_text(const struct walk *w)
{
    const struct skr_value *value = NULL;
    struct skr_document_error error;
    json_t *root = NULL, *more = NULL;
    SKR_AUTO(skr_document_destroy) struct skr_document *yaml = skr_yaml_create(w->text, w->n);
    if (skr_yaml_next(yaml, &root, &value, &error) < 0) {
        report_syntax(w, &error);
    } else if (!root) {
        skr_findings_add(w->findings, true, "Syntax", 0, 0, "is empty");
    } else {
        read_root(w, root);
        if (skr_yaml_next(yaml, &more, &value, &error) < 0) {
            report_syntax(w, &error);
        } else if (more) {
            skr_findings_add(w->findings, true, "SecondDocument", value->at.line, value->at.column,
                             "a second document, there must be one");
        }
    }
    json_decref(root);
    json_decref(more);
}

int skr_scheduler_config_parse(const char *text, size_t n, struct skr_scheduler_config **ret,
                               struct skr_findings *findings)
{
    if (n > SKR_SCHEDULER_CONFIG_BYTES_MAX) {
        skr_findings_add(findings, true, "Limit", 0, 0, "longer than %d bytes",
                         SKR_SCHEDULER_CONFIG_BYTES_MAX);
        return -SKR_LIMIT;
    }
    struct skr_arena *arena = skr_arena_create(ARENA_BYTES, 0);
    skr_bug_on(!arena);
    struct skr_scheduler_config *config = skr_arena_alloc(arena, sizeof *config);
    skr_bug_on(!config);
    config->arena = arena;
    const struct walk w = {.text = text, .n = n, .config = config, .findings = findings};
    read_text(&w);
    if (findings->n_errors > 0) {
        skr_scheduler_config_destroy(config);
        return -SKR_INVALID;
    }
    *ret = config;
    return 0;
}

int skr_scheduler_config_load(const char *path, struct skr_scheduler_config **ret,
                              struct skr_findings *findings)
{
    SKR_AUTO_FREE char *text = NULL;
    size_t n = 0;
    const int rc = skr_findings_read(findings, path, SKR_SCHEDULER_CONFIG_BYTES_MAX, &text, &n);
    return rc < 0 ? rc : skr_scheduler_config_parse(text, n, ret, findings);
}

int skr_scheduler_config_add(struct skr_scheduler_config *config,
                             const struct skr_scheduler_extender *extender, struct skr_error *error)
{
    const size_t n = config->n_extenders;
    struct skr_scheduler_extender *all = skr_arena_array(config->arena, n + 1, sizeof *all);
    struct skr_scheduler_extender copy = *extender;
    if (!all || n == SKR_SCHEDULER_EXTENDERS_MAX) {
        return skr_error_set(error, SKR_LIMIT, "more than %d extenders",
                             SKR_SCHEDULER_EXTENDERS_MAX);
    }
    const char **const text[] = {&copy.url, &copy.filter_verb, &copy.prioritize_verb,
                                 &copy.bind_verb};
    for (size_t i = 0; i < COUNT(text); i++) {
        *text[i] = skr_arena_strdup(config->arena, *text[i]);
        skr_bug_on(!*text[i]);
    }
    copy.n_managed = 0;
    copy.managed = NULL;
    if (n > 0) {
        memcpy(all, config->extender, n * sizeof *all);
    }
    all[n] = copy;
    config->extender = all;
    config->n_extenders = n + 1;
    return 0;
}

void skr_scheduler_config_destroy(struct skr_scheduler_config *config)
{
    if (config) {
        skr_arena_destroy(config->arena);
    }
}
