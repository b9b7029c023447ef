/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads with kubectl: the objects that define or show groups, the pods, the Events. A group's keys are
 * in data of its ConfigMap, or in annotations "sakkara.KEY" of a PodGroup and of an immutable map.
 */
#include "server/client/own_namespace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/changes/status_map.h"
#include "core/gang/state/pages.h"
#include "core/group/group.h"
#include "server/client/own_group.h"
#include "server/clock.h"
#include "server/kube/decode.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

enum {
    UNITS_DEPTH_MAX = 16, /* of a placement */
    EVENTS_MAX = 8,       /* the newest ones are shown */
    WAYS_MAX = 8,
};

#define EXPLAIN "/v1/explain/"
#define GROUPS  "/v1/groups"

/* ---- the question ---- */

struct question {
    bool explains;
    char namespace_[SKR_OWN_GROUP_NAME_MAX];
    char name[SKR_OWN_GROUP_NAME_MAX]; /* "": all groups */
};

static bool read_question(const struct skr_view_query *query, struct question *ret)
{
    const char *of = query->argument[SKR_VIEW_NAMESPACE], *rest = query->path;
    *ret = (struct question){.explains = strncmp(rest, EXPLAIN, sizeof EXPLAIN - 1) == 0};
    if (strcmp(rest, GROUPS) == 0) {
        (void)snprintf(ret->namespace_, sizeof ret->namespace_, "%s", of ? of : "");
        return ret->namespace_[0] != '\0';
    }
    if (!ret->explains && strncmp(rest, GROUPS "/", sizeof GROUPS) != 0) {
        return false;
    }
    rest += ret->explains ? sizeof EXPLAIN - 1 : sizeof GROUPS;
    const size_t n = strcspn(rest, "/");
    if (n == 0 || n >= sizeof ret->namespace_ || rest[n] != '/' ||
        strlen(rest + n + 1) >= sizeof ret->name) {
        return false;
    }
    memcpy(ret->namespace_, rest, n);
    (void)snprintf(ret->name, sizeof ret->name, "%s", rest + n + 1);
    return ret->name[0] != '\0';
}

bool skr_own_namespace_serves(const struct skr_view_query *query)
{
    struct question q;
    return read_question(query, &q);
}

static void set_text(json_t *to, const char *key, const char *text)
{
    json_object_set_new(to, key, json_string_nocheck(text));
}

/* ---- members and placement ---- */

static void add_member(const json_t *pod, json_t *members, json_int_t count[3])
{
    const json_t *meta = json_object_get(pod, "metadata");
    const json_t *labels = json_object_get(meta, "labels");
    const char *node = skr_object_text(json_object_get(pod, "spec"), "nodeName");
    const char *phase = skr_object_text(json_object_get(pod, "status"), "phase");
    const char *rank = skr_object_text(labels, "sakkara.member.rank");
    const bool done = strcmp(phase, "Succeeded") == 0, failed = strcmp(phase, "Failed") == 0;
    json_t *member = json_object();
    count[0] += !done && !failed;
    count[1] += !done && !failed && node[0];
    count[2] += done;
    set_text(member, "name", skr_object_text(meta, "name"));
    set_text(member, "node", node);
    if (rank[0]) {
        json_object_set_new(member, "rank", json_integer(strtoll(rank, NULL, 10)));
    }
    set_text(member, "status", skr_object_text(labels, "sakkara.member.status"));
    json_object_set_new(member, "bound", json_boolean(node[0]));
    json_array_append_new(members, member);
}

/* The number of trials of the member that has the most. */
static json_int_t tries_of(const json_t *pod)
{
    const json_t *labels = json_object_get(json_object_get(pod, "metadata"), "labels");
    return strtoll(skr_object_text(labels, "sakkara.member.retries"), NULL, 10);
}

static void set_members(const struct skr_own_group *g, json_t *page, bool list)
{
    static const char *const names[] = {"present", "bound", "succeeded"};
    json_t *members = json_array(), *pods = json_object(), *pod;
    json_int_t count[3] = {0}, tries = 0;
    size_t i;
    json_array_foreach(json_object_get(g->pods, "items"), i, pod)
    {
        if (skr_own_group_has(g, pod)) {
            add_member(pod, members, count);
            tries = tries_of(pod) > tries ? tries_of(pod) : tries;
        }
    }
    json_object_set_new(page, "tries", json_integer(tries));
    for (i = 0; i < 3; i++) {
        json_object_set_new(pods, names[i], json_integer(count[i]));
    }
    json_object_set_new(page, "pods", pods);
    if (list) {
        json_object_set(page, "members", members);
    }
    json_decref(members);
}

/* Ranks by name of the pod. */
static json_t *ranks_of(const json_t *members)
{
    json_t *ranks = json_object(), *member;
    size_t i;
    json_array_foreach(members, i, member)
    {
        json_t *rank = json_object_get(member, "rank");
        if (rank) {
            json_object_set(ranks, skr_object_text(member, "name"), rank);
        }
    }
    return ranks;
}

static void add_rank(json_t *unit, json_t *rank)
{
    json_t *list = json_object_get(unit, "ranks");
    if (rank && unit) {
        if (!list) {
            list = json_array();
            json_object_set_new(unit, "ranks", list);
        }
        json_array_append(list, rank);
    }
}

static bool is_pod(const json_t *object)
{
    return json_object_size(object) == 0 || json_is_string(json_object_get(object, "role"));
}

/* {"rack-0":{"node-0":{"a-0":{}}}}: pods are the objects without a member, or with role. above: the unit that below
 * is of; NULL at the root. */
static json_int_t add_units(json_t *below, json_t *above, const json_t *ranks, json_int_t depth,
                            json_t *units)
{
    const char *name;
    json_t *inner;
    json_int_t sum = 0;
    json_object_foreach(below, name, inner)
    {
        if (is_pod(inner) || depth >= UNITS_DEPTH_MAX) {
            add_rank(above, json_object_get(ranks, name));
            sum++;
            continue;
        }
        json_t *unit = json_object();
        set_text(unit, "name", name);
        json_object_set_new(unit, "depth", json_integer(depth));
        json_array_append_new(units, unit);
        const json_int_t pods = add_units(inner, unit, ranks, depth + 1, units);
        json_object_set_new(unit, "pods", json_integer(pods));
        sum += pods;
    }
    return sum;
}

static void set_placement(const struct skr_own_group *g, json_t *page)
{
    const char *text = skr_own_group_value(g, "placement");
    json_auto_t *placement = json_loads(text[0] ? text : "{}", 0, NULL);
    json_t *units = json_array(), *root = json_object_get(placement, "root");
    json_auto_t *ranks = ranks_of(json_object_get(page, "members"));
    add_units(root ? root : placement, NULL, ranks, 1, units);
    json_object_set_new(page, "units", units);
}

/* ---- Events ---- */

static bool is_about(const struct skr_own_group *g, const json_t *event)
{
    const json_t *about = json_object_get(event, "regarding");
    about = about ? about : json_object_get(event, "involvedObject");
    if (g->is_derived) {
        SKR_STRBUF(object);
        skr_strbuf_addf(&object, "%s/%s", skr_object_text(about, "kind"),
                        skr_object_text(about, "name"));
        return strcmp(object.s, skr_own_group_value(g, "owner")) == 0;
    }
    return strcmp(skr_object_text(about, "name"), skr_object_text(g->meta, "name")) == 0 &&
           strcmp(skr_object_text(about, "kind"), skr_object_text(g->object, "kind")) == 0;
}

/* events.k8s.io writes eventTime; "note" there is "message" in the core group, which kubectl reads. */
static const char *time_of(const json_t *event)
{
    static const char *const keys[] = {"eventTime", "lastTimestamp", "firstTimestamp"};
    for (size_t i = 0; i < 3; i++) {
        const char *text = skr_object_text(event, keys[i]);
        if (text[0]) {
            return text;
        }
    }
    return skr_object_text(json_object_get(event, "metadata"), "creationTimestamp");
}

static void set_events(const struct skr_own_group *g, json_t *page)
{
    json_t *events = json_array(), *event;
    size_t i;
    json_array_foreach(json_object_get(g->events, "items"), i, event)
    {
        if (!is_about(g, event)) {
            continue;
        }
        const char *message = skr_object_text(event, "message");
        json_t *one = json_object();
        set_text(one, "time", time_of(event));
        set_text(one, "type", skr_object_text(event, "type"));
        set_text(one, "reason", skr_object_text(event, "reason"));
        set_text(one, "message", message[0] ? message : skr_object_text(event, "note"));
        json_array_append_new(events, one);
    }
    while (json_array_size(events) > EVENTS_MAX) {
        json_array_remove(events, 0);
    }
    json_object_set_new(page, "events", events);
}

/* ---- pages ---- */

/* The rules as the user wrote them; whether they are met is the daemon's to say. */
static void set_constraints(const struct skr_own_group *g, json_t *page)
{
    static const char *const numbers[] = {"partitions", "min", "max", "factor"};
    json_auto_t *given = json_loads(skr_own_group_value(g, "constraints"), 0, NULL);
    json_t *list = json_array(), *rule;
    const char *level;
    json_object_foreach(given, level, rule)
    {
        const char *type = skr_object_text(rule, "type");
        json_t *one = json_object();
        set_text(one, "level", level);
        set_text(one, "type", type[0] ? type : "pack");
        json_object_set_new(one, "hard", json_boolean(json_is_true(json_object_get(rule, "hard"))));
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            const json_t *number = json_object_get(rule, numbers[i]);
            json_object_set_new(one, numbers[i], json_integer(json_integer_value(number)));
        }
        json_object_set_new(one, "known", json_true());
        json_array_append_new(list, one);
    }
    json_object_set_new(page, "constraints", list);
}

static const char *status_of(const struct skr_own_group *g)
{
    const char *status = skr_own_group_value(g, "status");
    return status[0] ? status : "Waiting";
}

static void set_head(const struct skr_own_group *g, const char *namespace_, json_t *page)
{
    set_text(page, "namespace", namespace_);
    set_text(page, "name", g->name);
    set_text(page, "source", g->is_derived ? "Workload" : skr_object_text(g->object, "kind"));
    set_text(page, "object", skr_object_text(g->meta, "name"));
    if (g->is_derived) {
        set_text(page, "owner", skr_own_group_value(g, "owner"));
    }
    set_text(page, "created", skr_object_text(g->meta, "creationTimestamp"));
    json_t *labels = json_object_get(g->meta, "labels");
    json_object_set_new(page, "labels", labels ? json_incref(labels) : json_object());
    json_object_set_new(page, "size", json_integer(skr_own_group_size(g)));
    json_object_set_new(page, "priority",
                        json_integer(strtoll(skr_own_group_value(g, "priority"), NULL, 10)));
    set_text(page, "status", status_of(g));
    set_text(page, "reason", skr_own_group_value(g, "reason"));
    set_text(page, "message", skr_own_group_value(g, "message"));
}

static json_t *group_page(const struct skr_own_group *g, const char *namespace_)
{
    json_t *page = json_object(), *timing = json_object();
    set_head(g, namespace_, page);
    set_members(g, page, true);
    set_text(timing, "firstPod", skr_own_group_value(g, "schedBeginTime"));
    set_text(timing, "bound", skr_own_group_value(g, "schedEndTime"));
    json_object_set_new(page, "timing", timing);
    set_constraints(g, page);
    json_object_set_new(page, "conditions",
                        json_loads(skr_own_group_value(g, "conditions"), 0, NULL));
    set_placement(g, page);
    set_events(g, page);
    return page;
}

static bool is_placed(const struct skr_own_group *g)
{
    static const char *const placed[] = {"Assigned", "Permitted", "Bound", "Finished"};
    for (size_t i = 0; i < sizeof placed / sizeof *placed; i++) {
        if (strcmp(status_of(g), placed[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Since when the condition Placed is what it is. */
static void set_since(const struct skr_own_group *g, skr_time now, json_t *page)
{
    json_auto_t *conditions = json_loads(skr_own_group_value(g, "conditions"), 0, NULL);
    json_t *condition;
    size_t i;
    skr_time since;
    json_array_foreach(conditions, i, condition)
    {
        const char *at = skr_object_text(condition, "lastTransitionTime");
        if (strcmp(skr_object_text(condition, "type"), "Placed") == 0 &&
            skr_time_parse(at, &since, NULL) == 0 && since <= now) {
            set_text(page, "since", at);
            json_object_set_new(page, "forSeconds", json_integer((now - since) / SKR_SECOND));
        }
    }
}

/* A line each, as the daemon wrote them. */
static json_t *ways_of(const struct skr_own_group *g)
{
    json_t *ways = json_array();
    SKR_AUTO_FREE char *text = skr_strdup(skr_own_group_value(g, "ways"));
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line && json_array_size(ways) < WAYS_MAX;
         line = strtok_r(NULL, "\n", &save)) {
        json_array_append_new(ways, json_pack("{s:s, s:[]}", "text", line, "changes"));
    }
    return ways;
}

static json_t *explanation_page(const struct skr_own_group *g, const char *namespace_, skr_time now)
{
    json_t *page = json_object(), *have = json_object(), *need = json_object();
    SKR_STRBUF(next);
    const char *reason = skr_own_group_value(g, "reason"),
               *message = skr_own_group_value(g, "message");
    set_text(page, "namespace", namespace_);
    set_text(page, "name", g->name);
    set_text(page, "status", status_of(g));
    json_object_set_new(page, "placed", json_boolean(is_placed(g)));
    set_text(page, "reason", reason);
    skr_strbuf_addf(&next, "group %s is %s", g->name, status_of(g));
    set_text(page, "sentence", message[0] ? message : next.s);
    set_since(g, now, page);
    set_members(g, page, false);
    json_object_set_new(need, "members", json_integer(skr_own_group_size(g)));
    json_object_set(have, "members", json_object_get(json_object_get(page, "pods"), "present"));
    json_object_set_new(page, "need", need);
    json_object_set_new(page, "have", have);
    json_object_set_new(page, "domains", json_array());
    json_object_set_new(page, "relaxations", ways_of(g));
    json_object_set_new(page, "also", json_array());
    skr_strbuf_reset(&next);
    skr_strbuf_addf(&next, "sakkara group %s -n %s", g->name, namespace_);
    json_object_set_new(page, "next", json_pack("[s]", next.s));
    return page;
}

static json_t *list_page(const struct question *q, const json_t *sources, const json_t *pods)
{
    json_t *page = json_object(), *items = json_array(), *object;
    size_t i;
    json_array_foreach(json_object_get(sources, "items"), i, object)
    {
        struct skr_own_group g;
        if (skr_own_group_read(object, pods, NULL, &g)) {
            json_t *item = json_object();
            set_head(&g, q->namespace_, item);
            set_members(&g, item, false);
            json_array_append_new(items, item);
        }
    }
    json_object_set_new(page, "items", items);
    return page;
}

static void finish(json_t *page, const char *kind, skr_time now, struct skr_strbuf *out)
{
    char time[48];
    skr_time_write(now, 0, time, sizeof time);
    set_text(page, "apiVersion", "sakkara/v1");
    set_text(page, "kind", kind);
    set_text(page, "time", time);
    set_text(page, "from", "namespace");
    SKR_AUTO_FREE char *text = json_dumps(page, JSON_COMPACT | JSON_SORT_KEYS);
    skr_strbuf_add(out, text ? text : "");
    json_decref(page);
}

int skr_own_namespace_page(const struct skr_view_query *query, const json_t *sources,
                           const json_t *pods, const json_t *events, skr_time now,
                           struct skr_strbuf *out, struct skr_error *error)
{
    struct question q;
    json_t *object;
    size_t i;
    skr_bug_on(!read_question(query, &q));
    if (!q.name[0]) {
        finish(list_page(&q, sources, pods), "GroupList", now, out);
        return 0;
    }
    json_array_foreach(json_object_get(sources, "items"), i, object)
    {
        struct skr_own_group g;
        if (!skr_own_group_read(object, pods, events, &g) || !skr_own_group_is_meant(&g, q.name)) {
            continue;
        }
        finish(q.explains ? explanation_page(&g, q.namespace_, now) : group_page(&g, q.namespace_),
               q.explains ? "Explanation" : "Group", now, out);
        return 0;
    }
    return skr_error_set(error, SKR_NOT_FOUND, "no group %.100s in namespace %.63s", q.name,
                         q.namespace_);
}

/* ---- kubectl ---- */

/* label: of the objects; NULL: all. */
static int read_list(const struct skr_client_options *options, const char *namespace_,
                     const char *what, const char *label, json_t **ret, struct skr_error *error)
{
    SKR_STRBUF(text);
    const int rc = skr_source_kubectl_own(options, namespace_, what, label, &text, error);
    return rc < 0 ? rc : skr_kube_json_parse(text.s ? text.s : "", text.len, ret, error);
}

/* What shows groups besides their own maps, where the cluster has the kind and the account may read
 * it. */
static void add_others(const struct skr_client_options *options, const char *namespace_,
                       json_t *sources)
{
    static const struct {
        const char *what, *label;
    } others[] = {{"configmaps", SKR_LABEL_DERIVED},
                  {"podgroups.scheduling.x-k8s.io", NULL},
                  {"podgroups." SKR_OWN_GROUP_NATIVE, NULL}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        json_auto_t *list = NULL;
        struct skr_error ignored;
        if (read_list(options, namespace_, others[i].what, others[i].label, &list, &ignored) == 0) {
            json_array_extend(json_object_get(sources, "items"), json_object_get(list, "items"));
        }
    }
}

int skr_source_own_namespace(const struct skr_client_options *options,
                             const struct skr_view_query *query, struct skr_strbuf *out,
                             struct skr_error *error)
{
    struct question q;
    struct skr_clock clock;
    struct skr_error ignored;
    json_auto_t *sources = NULL, *pods = NULL, *events = NULL;
    skr_bug_on(!read_question(query, &q));
    skr_clock_init(&clock);
    int rc = read_list(options, q.namespace_, "configmaps", SKR_GROUP_LABEL, &sources, error);
    rc = rc < 0 ? rc : read_list(options, q.namespace_, "pods", NULL, &pods, error);
    if (rc < 0) {
        return rc;
    }
    add_others(options, q.namespace_, sources);
    if (q.name[0] && !q.explains) {
        (void)read_list(options, q.namespace_, "events", NULL, &events, &ignored);
    }
    return skr_own_namespace_page(query, sources, pods, events, skr_clock_now(&clock), out, error);
}
