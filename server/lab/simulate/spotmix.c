/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file, plays its events one by one, and writes the result for every pod. */
#include "server/lab/simulate/spotmix.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/exit_code.h"
#include "server/lab/simulate/spotmix_parts.h"
#include "server/object/path.h"
#include "topology/base/arena.h"

struct replay {
    struct skr_spotmix_world world;
    const char *name; /* of the file */
    size_t event;     /* its number, from 0 */
    json_t *evict;    /* by index of the event: aliases */
    json_t *http;     /* by index of the event: status */
    struct skr_strbuf *messages;
};

/* ---- operations ---- */

static void note_status(struct replay *replay, unsigned status)
{
    char number[24];
    snprintf(number, sizeof number, "%zu", replay->event);
    const json_int_t before = json_integer_value(json_object_get(replay->http, number));
    if ((json_int_t)status > before) { /* the worst of several */
        json_object_set_new(replay->http, number, json_integer((json_int_t)status));
    }
}

static bool is_observed(const json_t *fields)
{
    const json_t *observe = skr_path_get(fields, "observe");
    return !observe || json_is_true(observe);
}

static int check_create(const struct replay *replay, const json_t *fields, struct skr_error *error)
{
    const char *again = skr_path_text(fields, "resubmit_of");
    const int rc = skr_spotmix_check_fields(fields, error);
    if (rc != 0) {
        return rc;
    }
    if (*skr_path_text(fields, "pod") == '\0') {
        return skr_error_set_key(error, SKR_INVALID, "pod", "must be a name for the pod");
    }
    if (*again != '\0' && !skr_spotmix_world_find(&replay->world, again)) {
        return skr_error_set(error, SKR_INVALID, "resubmit_of: no pod \"%s\" so far", again);
    }
    const char *owner = skr_path_text(fields, "owner");
    if (*owner != '\0' && !skr_spotmix_world_owner(&replay->world, owner)) {
        skr_strbuf_addf(replay->messages,
                        "%s: events[%zu]: owner \"%s\" is not in config.owners: a ReplicaSet that "
                        "does not exist\n",
                        replay->name, replay->event, owner);
    }
    return 0;
}

static int create(struct replay *replay, const json_t *fields, struct skr_error *error)
{
    struct skr_spotmix_sim_pod *pod;
    int rc = check_create(replay, fields, error);
    if (rc == 0) {
        note_status(replay, skr_spotmix_world_create(&replay->world, fields, &pod));
        if (is_observed(fields)) {
            skr_spotmix_world_observe(&replay->world, pod);
        }
    }
    return rc;
}

/* All are reviewed before the first is observed. */
static int concurrent(struct replay *replay, const json_t *event, struct skr_error *error)
{
    const json_t *list = skr_path_get(event, "pods");
    if (!list) {
        return skr_error_set_key(error, SKR_INVALID, "pods", "must be an array");
    }
    const size_t n = json_array_size(list), first = replay->world.n_pods;
    struct skr_spotmix_sim_pod *pod;

    for (size_t i = 0; i < n; i++) {
        const json_t *fields = json_array_get(list, i);
        if (check_create(replay, fields, error) != 0) {
            return skr_error_prefix(error, "pods[%zu]", i);
        }
        note_status(replay, skr_spotmix_world_create(&replay->world, fields, &pod));
    }
    for (size_t i = 0; i < n; i++) {
        if (is_observed(json_array_get(list, i))) {
            skr_spotmix_world_observe(&replay->world, replay->world.pod[first + i]);
        }
    }
    return 0;
}

static int scale(struct replay *replay, const json_t *event, struct skr_error *error)
{
    const json_t *replicas = skr_path_get(event, "replicas");
    if (!json_is_integer(replicas) || json_integer_value(replicas) < 0) {
        return skr_error_set_key(error, SKR_INVALID, "replicas", "must be a number, 0 or more");
    }
    skr_spotmix_world_scale(&replay->world, (int64_t)json_integer_value(replicas));
    return 0;
}

static int relabel(struct replay *replay, const json_t *event, struct skr_error *error)
{
    const json_t *labels = skr_path_get(event, "labels");
    if (!json_is_object(labels)) {
        return skr_error_set_key(error, SKR_INVALID, "labels", "must be an object");
    }
    skr_spotmix_world_label(&replay->world, labels);
    return 0;
}

static int rollout(struct replay *replay, const json_t *event, struct skr_error *error)
{
    struct skr_spotmix_sim_owner *owner =
        skr_spotmix_world_owner(&replay->world, skr_path_text(event, "owner"));
    if (!owner) {
        return skr_error_set_key(error, SKR_INVALID, "owner", "no such owner in config.owners");
    }
    skr_spotmix_world_rollout(&replay->world, owner);
    return 0;
}

static int advance(struct replay *replay, const json_t *event, struct skr_error *error)
{
    const json_t *seconds = skr_path_get(event, "seconds");
    const double value = json_number_value(seconds);
    if (!json_is_number(seconds) || !(value >= 0 && value <= 1e9)) {
        return skr_error_set_key(error, SKR_INVALID, "seconds", "must be a number, 0 to 1e9");
    }
    replay->world.now += (skr_time)(value * 1e9 + 0.5);
    return 0;
}

/* A string is sent as is, any other value as JSON. */
static int raw(struct replay *replay, const json_t *event, struct skr_error *error)
{
    const json_t *body = json_object_get(event, "body");
    json_auto_t *response = NULL;
    (void)error;
    if (json_is_string(body) || !body) {
        note_status(replay,
                    skr_spotmix_world_post(&replay->world, body ? json_string_value(body) : "",
                                           body ? json_string_length(body) : 0, &response));
    } else {
        char *text = json_dumps(body, JSON_COMPACT | JSON_ENCODE_ANY);
        skr_bug_on(!text);
        note_status(replay, skr_spotmix_world_post(&replay->world, text, strlen(text), &response));
        free(text);
    }
    return 0;
}

static const struct operation {
    const char *name;
    /* pods that a scale-down must delete are deleted before it, since no event names them */
    bool shrinks;
    /* One of: */
    int (*run)(struct replay *, const json_t *event, struct skr_error *);
    void (*of_pod)(struct skr_spotmix_world *, struct skr_spotmix_sim_pod *);
    void (*of_world)(struct skr_spotmix_world *, const json_t *event);
} operations[] = {
    {"create", true, .run = create},
    {"concurrent", true, .run = concurrent},
    {"observe", false, .of_pod = skr_spotmix_world_observe},
    {"terminating", false, .of_pod = skr_spotmix_world_terminate},
    {"gone", false, .of_pod = skr_spotmix_world_remove},
    {"delete", false, .of_pod = skr_spotmix_world_remove},
    {"scale", true, .run = scale},
    {"config", true, .run = relabel},
    {"rollout", true, .run = rollout},
    {"nodes", false, .of_world = skr_spotmix_world_set_nodes},
    {"advance", false, .run = advance},
    {"webhook-down", false, .of_world = skr_spotmix_world_stop},
    {"webhook-restart", false, .of_world = skr_spotmix_world_start},
    {"raw", false, .run = raw},
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

/* ---- playing ---- */

/* Notes pods that the reconciler would evict now and has not named before, by index. */
static void note_evictions(struct replay *replay)
{
    struct skr_spotmix_world *world = &replay->world;
    SKR_AUTO_FREE const char **uid = skr_alloc_array(world->n_pods + 1, sizeof *uid);
    json_auto_t *list = json_array();
    char number[24];
    size_t n = 0;
    if (world->mix && world->settings.rebuild == SKR_SPOTMIX_REBUILD_EVICT) {
        n = skr_spotmix_world_wrong(world, uid, world->n_pods);
    }
    for (size_t i = 0; i < world->n_pods; i++) {
        struct skr_spotmix_sim_pod *pod = world->pod[i];
        const char *its = skr_path_text(pod->object, "metadata.uid");
        bool wrong = false;
        for (size_t k = 0; k < n && !wrong; k++) {
            wrong = pod->persisted && strcmp(uid[k], its) == 0;
        }
        pod->evict &= wrong;
    }
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < world->n_pods; i++) {
            struct skr_spotmix_sim_pod *pod = world->pod[i];
            if (pod->persisted && !pod->evict &&
                strcmp(uid[k], skr_path_text(pod->object, "metadata.uid")) == 0) {
                pod->evict = true;
                json_array_append_new(list, json_string(pod->alias));
            }
        }
    }
    if (json_array_size(list) > 0) {
        snprintf(number, sizeof number, "%zu", replay->event);
        json_object_set(replay->evict, number, list);
    }
}

static int carry_out(struct replay *replay, const struct operation *operation, const json_t *event,
                     struct skr_error *error)
{
    struct skr_spotmix_world *world = &replay->world;
    const char *alias = skr_path_text(event, "pod");
    if (operation->shrinks) {
        skr_spotmix_world_shrink(world);
        skr_spotmix_world_settle(world);
    }
    if (operation->run) {
        return operation->run(replay, event, error);
    }
    if (operation->of_world) {
        operation->of_world(world, event);
        return 0;
    }
    struct skr_spotmix_sim_pod *pod = skr_spotmix_world_find(world, alias);
    if (!pod) {
        return skr_error_set_key(error, SKR_INVALID, "pod", "no pod \"%s\" so far", alias);
    }
    operation->of_pod(world, pod);
    return 0;
}

static int play(struct replay *replay, const json_t *event, struct skr_error *error)
{
    const char *name = skr_path_text(event, "op");
    const int flaw = skr_spotmix_check_fields(event, error);
    if (flaw != 0) {
        return flaw;
    }
    for (size_t i = 0; i < OPERATIONS; i++) {
        if (strcmp(operations[i].name, name) == 0) {
            const int rc = carry_out(replay, &operations[i], event, error);
            skr_spotmix_world_settle(&replay->world);
            note_evictions(replay);
            return rc;
        }
    }
    return skr_error_set_key(error, SKR_INVALID, "op", "\"%s\" is none", name);
}

/* ---- writing ---- */

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *report_pod(const struct skr_spotmix_world *world,
                          const struct skr_spotmix_sim_pod *pod)
{
    struct skr_spotmix_keys keys;
    const json_t *terms = skr_spotmix_terms_of(json_object_get(pod->object, "spec"));
    json_t *report = json_object();
    skr_bug_on(skr_spotmix_keys_init(&keys, world->settings.key_prefix, NULL) != 0);
    const int32_t index = skr_spotmix_index_parse(skr_path_label(pod->object, keys.index));
    json_object_set_new(report, "allowed", json_true());
    json_object_set_new(report, "patched", json_boolean(pod->patched));
    json_object_set_new(report, "class", text_or_null(skr_path_label(pod->object, keys.class_)));
    json_object_set_new(report, "index", index >= 0 ? json_integer(index) : json_null());
    json_object_set_new(report, "deletion_cost",
                        text_or_null(skr_path_annotation(pod->object, SKR_SPOTMIX_COST_KEY)));
    json_object_set_new(report, "terms", terms ? json_deep_copy(terms) : json_array());
    json_object_set(report, "warnings", pod->warnings);
    json_object_set_new(report, "patch", pod->patch ? json_incref(pod->patch) : json_null());
    return report;
}

static json_t *report_counts(const struct skr_spotmix_world *world)
{
    struct skr_spotmix_keys keys;
    json_int_t n[SKR_SPOTMIX_CLASS_COUNT] = {0};
    json_t *counts = json_object();
    skr_bug_on(skr_spotmix_keys_init(&keys, world->settings.key_prefix, NULL) != 0);
    for (size_t i = 0; i < world->n_pods; i++) {
        const enum skr_spotmix_class class_ =
            skr_spotmix_class_parse(skr_path_label(world->pod[i]->object, keys.class_));
        if (skr_spotmix_sim_pod_is_live(world->pod[i]) && class_ != SKR_SPOTMIX_NO_CLASS) {
            n[class_]++;
        }
    }
    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        json_object_set_new(counts, skr_spotmix_class_name[i], json_integer(n[i]));
    }
    return counts;
}

static json_t *report(const struct replay *replay)
{
    const struct skr_spotmix_world *world = &replay->world;
    json_t *pods = json_object();
    for (size_t i = 0; i < world->n_pods; i++) {
        json_object_set_new(pods, world->pod[i]->alias, report_pod(world, world->pod[i]));
    }
    return json_pack("{s:o, s:o, s:O, s:O}", "pods", pods, "counts", report_counts(world), "evict",
                     replay->evict, "http", replay->http);
}

static void write_list(const json_t *list, const char *field, struct skr_strbuf *out)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        skr_strbuf_addf(out, "%s%s", i > 0 ? field : "", text ? text : "");
    }
}

static void write_text(json_t *result, struct skr_strbuf *out)
{
    const json_t *counts = json_object_get(result, "counts");
    const char *key;
    json_t *value;
    int width = 3;
    char number[24];
    json_object_foreach(json_object_get(result, "pods"), key, value)
    {
        width = strlen(key) > (size_t)width ? (int)strlen(key) : width;
    }
    skr_strbuf_addf(out, "%-*s  INDEX   CLASS      COST    PATCHED  WARNINGS\n", width, "POD");
    json_object_foreach(json_object_get(result, "pods"), key, value)
    {
        const char *class_ = skr_path_text(value, "class");
        const char *cost = skr_path_text(value, "deletion_cost");
        const char *index = skr_path_scalar(value, "index", number);
        skr_strbuf_addf(out, "%-*s  %-6s  %-9s  %-6s  %-7s  ", width, key,
                        *index != '\0' ? index : "<none>", *class_ != '\0' ? class_ : "<none>",
                        *cost != '\0' ? cost : "<none>",
                        skr_path_true(value, "patched") ? "yes" : "no");
        const json_t *warnings = json_object_get(value, "warnings");
        if (json_array_size(warnings) == 0) {
            skr_strbuf_add(out, "<none>");
        }
        write_list(warnings, "; ", out);
        skr_strbuf_addc(out, '\n');
    }
    skr_strbuf_addf(out, "\nlive: %d on-demand, %d spot\n",
                    (int)skr_path_int(counts, "on-demand", 0),
                    (int)skr_path_int(counts, "spot", 0));
    json_object_foreach(json_object_get(result, "evict"), key, value)
    {
        skr_strbuf_addf(out, "evict at event %s: ", key);
        write_list(value, ", ", out);
        skr_strbuf_addc(out, '\n');
    }
    json_object_foreach(json_object_get(result, "http"), key, value)
    {
        if (json_integer_value(value) != 200) {
            skr_strbuf_addf(out, "status at event %s: %d\n", key, (int)json_integer_value(value));
        }
    }
}

static void write_result(const struct replay *replay, bool json, struct skr_strbuf *out)
{
    json_auto_t *result = report(replay);
    skr_bug_on(!result);
    if (json) {
        char *text = json_dumps(result, JSON_INDENT(1));
        skr_bug_on(!text);
        skr_strbuf_add(out, text);
        skr_strbuf_addc(out, '\n');
        free(text);
    } else {
        write_text(result, out);
    }
}

/* ---- the file ---- */

static int run(struct replay *replay, const json_t *file, bool json, struct skr_strbuf *out,
               struct skr_error *error)
{
    const json_t *events = skr_path_get(file, "events");
    const json_t *config = skr_path_get(file, "config");
    if (!json_is_object(file) || (config && !json_is_object(config)) ||
        (events && !json_is_array(events))) {
        return skr_error_set(error, SKR_INVALID,
                             "must be an object with an object config and an array events");
    }
    int rc = skr_spotmix_world_init(&replay->world, config, replay->messages, error);
    for (size_t i = 0; rc == 0 && i < json_array_size(events); i++) {
        replay->event = i;
        rc = play(replay, json_array_get(events, i), error);
        if (rc != 0) {
            skr_error_prefix(error, "events[%zu]", i);
        }
    }
    if (rc == 0) {
        skr_spotmix_world_shrink(&replay->world);
        skr_spotmix_world_settle(&replay->world);
        write_result(replay, json, out);
    }
    return rc;
}

int skr_spotmix_simulate_text(const char *name, const char *text, size_t len, bool json,
                              struct skr_strbuf *out, struct skr_strbuf *messages)
{
    struct replay replay = {.name = name, .messages = messages};
    struct skr_error error = {0};
    json_error_t where;
    json_t *file = json_loadb(text, len, JSON_ALLOW_NUL, &where);
    if (!file) {
        skr_strbuf_addf(messages, "%s:%d:%d: invalid JSON: %s\n", name, where.line, where.column,
                        where.text);
        return SKR_EXIT_ERROR;
    }
    if (skr_path_too_deep(file)) {
        skr_strbuf_addf(messages, "%s: nested deeper than %d levels\n", name,
                        (int)SKR_PATH_DEPTH_MAX);
        json_decref(file);
        return SKR_EXIT_ERROR;
    }
    replay.evict = json_object();
    replay.http = json_object();
    const int rc = run(&replay, file, json, out, &error);
    if (rc != 0) {
        skr_strbuf_addf(messages, "%s: %s\n", name, error.text);
    }
    skr_spotmix_world_fini(&replay.world);
    json_decref(replay.evict);
    json_decref(replay.http);
    json_decref(file);
    return rc == 0 ? SKR_EXIT_OK : SKR_EXIT_ERROR;
}

int skr_spotmix_simulate(const struct skr_spotmix_simulate_options *options, struct skr_strbuf *out,
                         struct skr_strbuf *messages)
{
    const bool standard = strcmp(options->path, "-") == 0;
    FILE *file = standard ? stdin : fopen(options->path, "rb");
    struct skr_strbuf text;
    char buffer[64 * 1024];
    size_t n;
    if (!file) {
        skr_strbuf_addf(messages, "%s: %s\n", options->path, strerror(errno));
        return SKR_EXIT_ERROR;
    }
    skr_strbuf_init(&text);
    while (text.len <= SKR_SPOTMIX_EVENTS_MAX && (n = fread(buffer, 1, sizeof buffer, file)) > 0) {
        skr_strbuf_addn(&text, buffer, n);
    }
    int rc = SKR_EXIT_ERROR;
    if (ferror(file)) {
        skr_strbuf_addf(messages, "%s: %s\n", options->path, strerror(errno));
    } else if (text.len > SKR_SPOTMIX_EVENTS_MAX) {
        skr_strbuf_addf(messages, "%s: larger than %d bytes\n", options->path,
                        (int)SKR_SPOTMIX_EVENTS_MAX);
    } else {
        rc = skr_spotmix_simulate_text(standard ? "standard input" : options->path, text.s,
                                       text.len, options->json, out, messages);
    }
    skr_strbuf_fini(&text);
    if (!standard) {
        fclose(file);
    }
    return rc;
}
