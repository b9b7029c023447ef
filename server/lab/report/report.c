/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the report from the engine's groups, the store's pods and the record. */
#include "server/lab/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/state/reason.h"
#include "server/object/path.h"
#include "server/render/explain_text.h"
#include "server/render/render.h"
#include "server/render/text_table.h"
#include "topology/base/json_tree.h"

/* "12.5s": tenths of seconds, rounded down. */
static void simulate_write_time(skr_time duration, struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "%lld.%llds", (long long)(duration / SKR_SECOND),
                    (long long)(duration % SKR_SECOND / (SKR_SECOND / 10)));
}

static json_t *time_json(skr_time duration)
{
    SKR_STRBUF(text);
    simulate_write_time(duration, &text);
    json_t *json = json_string(text.s);
    return json;
}

/* The engine's groups, sorted by namespace and name. */
struct summing {
    json_t *groups;
    bool placements;
};

static void add_count(json_t *group, const json_t *members, const char *which)
{
    json_int_t n = 0;
    for (size_t i = 0; i < json_array_size(members); i++) {
        n += json_is_true(json_object_get(json_array_get(members, i), which)) ? 1 : 0;
    }
    json_object_set_new(group, which, json_integer(n));
}

/* One group at a time: the members of all groups may be many. */
static void add_group(void *context, const char *text, size_t n)
{
    const struct summing *summing = context;
    json_t *group = NULL;
    skr_bug_on(skr_json_tree_read(text, n, &group, NULL) < 0);
    const json_t *members = json_object_get(group, "members");
    add_count(group, members, "bound");
    add_count(group, members, "succeeded");
    json_object_del(group, "members");
    if (!summing->placements) {
        json_object_del(group, "placement");
    }
    json_array_append_new(summing->groups, group);
}

json_t *skr_simulate_groups(const struct skr_gang *engine, bool placements)
{
    struct summing summing = {json_array(), placements};
    skr_gang_each_json(engine, add_group, &summing);
    return summing.groups;
}

static bool is_placed(const json_t *group)
{
    const char *status = skr_path_text(group, "status");
    return (strcmp(status, "Bound") == 0 || strcmp(status, "Finished") == 0) &&
           !skr_path_text(group, "reason")[0];
}

bool skr_simulate_is_placed(const struct skr_simulate_report *report)
{
    const json_t *groups = report->groups;
    /* If no pod at all is on a node, something is wrong, even if no group reports it. */
    bool placed =
        !report->lacks_pods && (report->record->n_pods == 0 || report->record->n_placed > 0);
    for (size_t i = 0; i < json_array_size(groups); i++) {
        placed = placed && is_placed(json_array_get(groups, i));
    }
    return placed;
}

/* ---- JSON ---- */

static json_t *or_null(const char *text)
{
    return text && text[0] ? json_string(text) : json_null();
}

static json_t *rank_json(const json_t *pod)
{
    const char *text = skr_path_label(pod, SKR_LABEL_RANK);
    return text && text[0] ? json_integer(strtol(text, NULL, 10)) : json_null();
}

/* A pod that the engine does not know may have a label. */
static const char *group_of(const struct skr_gang *engine, const json_t *pod, int32_t *ret_set)
{
    const char *name = skr_gang_group_of(engine, skr_path_text(pod, "metadata.namespace"),
                                         skr_path_text(pod, "metadata.name"), ret_set);
    name = name ? name : skr_path_label(pod, SKR_LABEL_GROUP);
    return name ? name : skr_path_label(pod, SKR_LABEL_POD_GROUP);
}

/* The daemon's status of a member; for others whether they have a node, or how they ended. */
static const char *pod_status(const json_t *pod, bool is_member)
{
    const char *status = skr_path_label(pod, SKR_LABEL_STATUS);
    const char *phase = skr_path_text(pod, "status.phase");
    if (strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0) {
        return phase;
    }
    if (status && status[0] && is_member) {
        return status;
    }
    return skr_path_text(pod, "spec.nodeName")[0] ? "Bound" : "Waiting";
}

static const char *pod_reason(const json_t *pod)
{
    if (skr_path_text(pod, "spec.nodeName")[0]) {
        return skr_path_text(pod, "status.reason");
    }
    const json_t *condition =
        skr_path_find(skr_path_get(pod, "status.conditions"), "type", "PodScheduled");
    return skr_path_text(condition, "reason");
}

struct pod_rows {
    const struct skr_gang *engine;
    json_t *list;
    const char *class_label; /* NULL: none */
};

static bool add_pod(void *context, const json_t *pod)
{
    const struct pod_rows *rows = context;
    const char *node = skr_path_text(pod, "spec.nodeName");
    int32_t set;
    const char *group = group_of(rows->engine, pod, &set);
    json_t *row = json_object();
    json_object_set_new(row, "namespace", json_string(skr_path_text(pod, "metadata.namespace")));
    json_object_set_new(row, "name", json_string(skr_path_text(pod, "metadata.name")));
    json_object_set_new(row, "group", or_null(group));
    json_object_set_new(row, "node", or_null(node));
    json_object_set_new(row, "rank", node[0] ? rank_json(pod) : json_null());
    const char *role = skr_path_label(pod, SKR_LABEL_ROLE);
    if (node[0] && role && role[0]) {
        json_object_set_new(row, "role", json_string(role));
    }
    if (node[0] && set >= 0) {
        json_object_set_new(row, "set", json_integer(set));
    }
    json_object_set_new(row, "status", json_string(pod_status(pod, group)));
    json_object_set_new(row, "reason", json_string(pod_reason(pod)));
    if (rows->class_label) {
        const json_t *labels = skr_path_get(pod, "metadata.labels");
        const char *class_ = json_string_value(json_object_get(labels, rows->class_label));
        json_object_set_new(row, "class", class_ ? json_string(class_) : json_null());
    }
    json_array_append_new(rows->list, row);
    return true;
}

static json_t *preempted_json(const struct skr_simulate_report *report, const json_t *group)
{
    json_t *list = json_array();
    const struct skr_record_group *record = skr_record_find(
        report->record, skr_path_text(group, "namespace"), skr_path_text(group, "name"));
    for (size_t i = 0; record && i < record->n_preempted; i++) {
        json_array_append_new(list, json_string(record->preempted[i]));
    }
    return list;
}

static json_t *group_row(const struct skr_simulate_report *report, const json_t *group)
{
    static const char *const keys[] = {"namespace", "name",   "size",    "priority",
                                       "status",    "reason", "message", "placement"};
    json_t *row = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const json_t *value = json_object_get(group, keys[i]);
        json_object_set_new(row, keys[i], value ? json_deep_copy(value) : json_null());
    }
    json_object_set_new(row, "preempted", preempted_json(report, group));
    /* Solves have no step limit here: placements are optimal. */
    json_object_set_new(
        row, "solver",
        json_pack("{s:b}", "optimal", json_is_object(json_object_get(group, "placement"))));
    return row;
}

static json_t *event_row(const struct skr_simulate_report *report,
                         const struct skr_record_event *event)
{
    json_t *row = json_object();
    static const char *const from[] = {
        "regarding.kind", "regarding.namespace", "regarding.name", "type", "reason", "note"};
    static const char *const to[] = {"kind", "namespace", "name", "type", "reason", "message"};
    json_object_set_new(row, "at", time_json(event->at - report->start));
    for (size_t i = 0; i < sizeof to / sizeof to[0]; i++) {
        json_object_set_new(row, to[i], json_string(skr_path_text(event->event, from[i])));
    }
    return row;
}

/* "key": [ rows, one per line ] */
static void write_rows(const char *key, json_t *rows, struct skr_strbuf *out)
{
    skr_strbuf_addf(out, ",\n \"%s\": [", key);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        char *text = json_dumps(json_array_get(rows, i), 0);
        skr_bug_on(!text);
        skr_strbuf_addf(out, "%s\n  %s", i > 0 ? "," : "", text);
        free(text);
    }
    skr_strbuf_addc(out, ']');
    json_decref(rows);
}

void skr_simulate_write_json(const struct skr_simulate_report *report, struct skr_strbuf *out)
{
    json_t *pods = json_array(), *rows = json_array(), *events = json_array();
    const json_t *groups = report->groups;
    struct pod_rows all = {
        .engine = report->engine, .list = pods, .class_label = report->class_label};
    skr_store_each(report->store, "Pod", add_pod, &all);
    for (size_t i = 0; i < json_array_size(groups); i++) {
        json_array_append_new(rows, group_row(report, json_array_get(groups, i)));
    }
    for (size_t i = 0; i < report->record->n_events; i++) {
        json_array_append_new(events, event_row(report, &report->record->event[i]));
    }
    skr_strbuf_add(out, "{\"time\": \"");
    simulate_write_time(report->end - report->start, out);
    skr_strbuf_addc(out, '"');
    write_rows("pods", pods, out);
    write_rows("groups", rows, out);
    write_rows("events", events, out);
    skr_strbuf_add(out, "}\n");
}

/* ---- tables ---- */

static void add_row(struct skr_text_table *table, const char *const *text)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        skr_text_table_add_drawn(table, text[i], SKR_HUE_NONE);
    }
}

static bool spans_namespaces(const json_t *groups)
{
    for (size_t i = 1; i < json_array_size(groups); i++) {
        if (strcmp(skr_path_text(json_array_get(groups, 0), "namespace"),
                   skr_path_text(json_array_get(groups, i), "namespace")) != 0) {
            return true;
        }
    }
    return false;
}

static void write_groups(const json_t *groups, struct skr_strbuf *out)
{
    static const char *const head[] = {"NAMESPACE", "NAME", "STATUS", "PODS", "PRIORITY", "REASON"};
    bool all = spans_namespaces(groups);
    struct skr_text_table table;
    skr_text_table_init(&table, all ? 6 : 5, false);
    add_row(&table, all ? head : head + 1);
    for (size_t i = 0; i < json_array_size(groups); i++) {
        const json_t *group = json_array_get(groups, i);
        char pods[48], priority[24];
        const char *reason = skr_path_text(group, "reason");
        const char *its = skr_path_text(group, "status");
        size_t size = (size_t)skr_path_int(group, "size", 0);
        size_t present = (size_t)skr_path_int(group, "present", 0);
        size_t shown = (size_t)skr_path_int(group, skr_render_pods_counted(its), 0);
        const char *status = skr_render_status(its, skr_path_int(group, "bound", 0) > 0);
        if (size > 0) {
            snprintf(pods, sizeof pods, "%zu/%zu", shown < size ? shown : size, size);
        } else {
            snprintf(pods, sizeof pods, "%zu/<unset>", present);
        }
        snprintf(priority, sizeof priority, "%lld", (long long)skr_path_int(group, "priority", 0));
        const char *row[] = {
            skr_path_text(group, "namespace"), skr_path_text(group, "name"), status, pods, priority,
            reason[0] ? reason : "<none>"};
        add_row(&table, all ? row : row + 1);
    }
    skr_text_table_write(&table, out);
    skr_text_table_fini(&table);
}

/* Pods that look like members and are none. */
static void write_strangers(const json_t *explanation, struct skr_strbuf *out)
{
    const json_t *also;
    size_t i;
    json_array_foreach(json_object_get(explanation, "also"), i, also)
    {
        if (strcmp(skr_path_text(also, "reason"), SKR_TOKEN_SCHEDULER_NAME) == 0) {
            skr_explain_add_wrapped(out, "  ", 2, skr_path_text(also, "message"));
        }
    }
}

/* Why a group is not placed, and what would help. */
static void write_unplaced(const struct skr_simulate_report *report, const json_t *group,
                           struct skr_strbuf *out)
{
    const char *name = skr_path_text(group, "name"), *message = skr_path_text(group, "message");
    const bool names_it = strncmp(message, "group ", 6) == 0;
    struct skr_strbuf text;
    if (!message[0]) {
        return;
    }
    skr_strbuf_init(&text);
    skr_strbuf_addf(&text, "%s%s%s", names_it ? "" : name, names_it ? "" : ": ", message);
    skr_strbuf_addc(out, '\n');
    skr_explain_add_wrapped(out, "", 2, text.s);
    skr_strbuf_reset(&text);
    if (skr_lab_explain(report->lab, skr_path_text(group, "namespace"), name, &text) ==
        SKR_EXPLAIN_FOUND) {
        json_t *explanation = NULL;
        (void)skr_json_tree_read(text.s, text.len, &explanation, NULL);
        write_strangers(explanation, out);
        skr_explain_write_relaxations(explanation, 2, 3, out);
        json_decref(explanation);
    }
    skr_strbuf_fini(&text);
}

/* ---- pods beside groups that are placed, and those of other schedulers ---- */

struct stragglers {
    const struct skr_gang *engine;
    const struct skr_lab *lab;
    json_t *notes;   /* "NAMESPACE/POD": the note of its latest Event */
    json_t *groups;  /* "NAMESPACE/GROUP", placed: {"pods", "note" of the first that has one} */
    json_t *foreign; /* schedulerName: number of pods */
};

static void add_foreign(const struct stragglers *s, const json_t *pod)
{
    const char *scheduler = skr_path_text(pod, "spec.schedulerName");
    const json_int_t n = json_integer_value(json_object_get(s->foreign, scheduler));
    json_object_set_new(s->foreign, scheduler, json_integer(n + 1));
}

static bool add_straggler(void *context, const json_t *pod)
{
    const struct stragglers *s = context;
    int32_t set;
    const char *phase = skr_path_text(pod, "status.phase"), *group = group_of(s->engine, pod, &set);
    const char *namespace_ = skr_path_text(pod, "metadata.namespace");
    if (skr_path_text(pod, "spec.nodeName")[0] || strcmp(phase, "Succeeded") == 0 ||
        strcmp(phase, "Failed") == 0) {
        return true;
    }
    SKR_AUTO_FREE char *pod_key = skr_object_key(namespace_, skr_path_text(pod, "metadata.name"));
    SKR_AUTO_FREE char *key = group ? skr_object_key(namespace_, group) : NULL;
    json_t *note = json_object_get(s->notes, pod_key);
    json_t *row = key ? json_object_get(s->groups, key) : NULL;
    if (!skr_lab_schedules(s->lab, skr_path_text(pod, "spec.schedulerName"))) {
        add_foreign(s, pod);
    } else if (json_is_object(row)) {
        json_object_set_new(row, "pods", json_integer(skr_path_int(row, "pods", 0) + 1));
        if (note && !json_object_get(row, "note")) {
            json_object_set(row, "note", note);
        }
    }
    return true;
}

static void write_waiting(int64_t pods, struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "\n%lld pod%s", (long long)pods, pods == 1 ? " waits" : "s wait");
}

/* The line of their group says nothing about them, since the group has no problem: they may exceed
 * its size. Nor is it about pods that no scheduler of the simulation takes. */
static void write_stragglers(const struct skr_simulate_report *report, struct skr_strbuf *out)
{
    struct stragglers s = {report->engine, report->lab, json_object(), json_object(),
                           json_object()};
    size_t i;
    const char *scheduler;
    const json_t *group, *row;
    json_array_foreach(report->groups, i, group)
    {
        char *key = skr_object_key(skr_path_text(group, "namespace"), skr_path_text(group, "name"));
        json_object_set_new(s.groups, key, is_placed(group) ? json_object() : json_null());
        free(key);
    }
    for (i = 0; i < report->record->n_events; i++) {
        const json_t *event = report->record->event[i].event;
        if (strcmp(skr_path_text(event, "regarding.kind"), "Pod") == 0) {
            char *key = skr_object_key(skr_path_text(event, "regarding.namespace"),
                                       skr_path_text(event, "regarding.name"));
            json_object_set(s.notes, key, json_object_get(event, "note"));
            free(key);
        }
    }
    skr_store_each(report->store, "Pod", add_straggler, &s);
    json_array_foreach(report->groups, i, group)
    {
        char *key = skr_object_key(skr_path_text(group, "namespace"), skr_path_text(group, "name"));
        row = json_object_get(s.groups, key);
        free(key);
        const int64_t pods = skr_path_int(row, "pods", 0);
        const char *note = skr_path_text(row, "note"), *command = strstr(note, "; kubectl");
        if (pods > 0) {
            write_waiting(pods, out);
            if (note[0]) { /* it names the group */
                skr_strbuf_addf(out, ": %.*s\n",
                                (int)(command ? (size_t)(command - note) : strlen(note)), note);
            } else {
                skr_strbuf_addf(out, " beside group %s\n", skr_path_text(group, "name"));
            }
        }
    }
    json_object_foreach(s.foreign, scheduler, row)
    {
        write_waiting(json_integer_value(row), out);
        skr_strbuf_addf(out,
                        ": schedulerName %s is not simulated; set a name of schedulerNames, such "
                        "as sakkara\n",
                        scheduler);
    }
    json_decref(s.notes);
    json_decref(s.groups);
    json_decref(s.foreign);
}

void skr_simulate_write_text(const struct skr_simulate_report *report, struct skr_strbuf *out)
{
    const json_t *groups = report->groups;
    size_t n = json_array_size(groups), placed = 0;
    if (n > 0) {
        write_groups(groups, out);
    }
    for (size_t i = 0; i < n; i++) {
        const json_t *group = json_array_get(groups, i);
        if (is_placed(group)) {
            placed++;
        } else {
            write_unplaced(report, group, out);
        }
    }
    if (report->record->n_placed < report->record->n_pods) {
        write_stragglers(report, out);
    }
    skr_strbuf_add(out, n > 0 ? "\nafter " : "after ");
    simulate_write_time(report->end - report->start, out);
    skr_strbuf_addf(out, ": %zu of %zu groups bound, %zu of %zu pods on nodes\n", placed, n,
                    report->record->n_placed, report->record->n_pods);
}
