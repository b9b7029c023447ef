/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/simulated.h"

#include "server/object/path.h"
#include "test/test.h"
#include "topology/base/attr.h"
#include "topology/base/strbuf.h"

struct reports {
    const char *name, *text;
    const json_t *json, *pods, *groups, *events;
};

static void expect_text(const struct reports *r, const char *wanted)
{
    if (!strstr(r->text, wanted)) {
        fail_msg("%s: the text has no \"%s\", but the JSON does:\n%s", r->name, wanted, r->text);
    }
}

static bool is_text(const json_t *object, const char *key, const char *text)
{
    return strcmp(skr_path_text(object, key), text) == 0;
}

static bool is_member(const json_t *pod, const json_t *group)
{
    return is_text(pod, "group", skr_path_text(group, "name")) &&
           is_text(pod, "namespace", skr_path_text(group, "namespace"));
}

static bool is_placed(const json_t *group)
{
    return is_text(group, "reason", "") &&
           (is_text(group, "status", "Bound") || is_text(group, "status", "Finished"));
}

/* ---- the whole ---- */

static void check_counts(const struct reports *r)
{
    size_t i, placed = 0, on_nodes = 0;
    const json_t *row;
    char line[200];
    json_array_foreach(r->groups, i, row)
    {
        placed += is_placed(row) ? 1 : 0;
    }
    json_array_foreach(r->pods, i, row)
    {
        on_nodes += skr_path_text(row, "node")[0] ? 1 : 0;
    }
    snprintf(line, sizeof line, "after %s: %zu of %zu groups bound, %zu of %zu pods on nodes\n",
             skr_path_text(r->json, "time"), placed, json_array_size(r->groups), on_nodes,
             json_array_size(r->pods));
    expect_text(r, line);
}

/* ---- groups ---- */

static size_t n_members(const struct reports *r, const json_t *group, const char *status)
{
    size_t i, n = 0;
    const json_t *pod;
    json_array_foreach(r->pods, i, pod)
    {
        n += is_member(pod, group) && (!status || is_text(pod, "status", status)) ? 1 : 0;
    }
    return n;
}

/* "name status n/size priority reason", and why. Words are compared: tables and sentences are wrapped. */
static void check_row(const struct reports *r, const json_t *group)
{
    const char *status = skr_path_text(group, "status"), *reason = skr_path_text(group, "reason");
    const size_t size = (size_t)skr_path_int(group, "size", 0);
    const bool present = size == 0 || strcmp(status, "Waiting") == 0;
    const char *shown = strcmp(status, "Ready") == 0 ? "Unplaced" : status;
    const char *counted = strcmp(status, "Finished") == 0 ? "Succeeded" : "Bound";
    const size_t pods = n_members(r, group, present ? NULL : counted);
    char row[300], of[24] = "<unset>";
    SKR_STRBUF(words);
    for (const char *c = r->text; *c; c++) {
        if (!strchr(" \n", c[0]) || !strchr(" \n", c[1])) {
            skr_strbuf_addc(&words, *c == '\n' ? ' ' : *c);
        }
    }
    if (size > 0) {
        snprintf(of, sizeof of, "%zu", size);
    }
    snprintf(row, sizeof row, "%s %s %zu/%s %" PRId64 " %s ", skr_path_text(group, "name"), shown,
             size > 0 && pods > size ? size : pods, of, skr_path_int(group, "priority", -1),
             reason[0] ? reason : "<none>");
    if (!strstr(words.s, row)) {
        fail_msg("%s: the text has no row \"%s\":\n%s", r->name, row, r->text);
    }
    if (!strstr(words.s, skr_path_text(group, "message"))) {
        fail_msg("%s: the text does not say why:\n%s", r->name, r->text);
    }
}

/* The members below a domain of the placement. */
struct seats {
    const struct reports *r;
    const json_t *group;
    size_t members;
    bool taken[1024]; /* ranks */
};

static void check_seat(struct seats *seats, const char *node, const char *name)
{
    size_t i;
    const json_t *pod;
    json_array_foreach(seats->r->pods, i, pod)
    {
        if (is_member(pod, seats->group) && is_text(pod, "name", name)) {
            const int64_t rank = skr_path_int(pod, "rank", -1);
            assert_string_equal(skr_path_text(pod, "node"), node);
            assert_in_range(rank, 0, skr_path_int(seats->group, "size", 0) - 1);
            assert_false(seats->taken[rank]);
            seats->taken[rank] = true;
            seats->members++;
            return;
        }
    }
    fail_msg("%s: %s has a seat, but is no pod", seats->r->name, name);
}

static bool is_pod(const json_t *object)
{
    return json_object_size(object) == 0 || json_is_string(json_object_get(object, "role"));
}

static void check_domain(struct seats *seats, const char *domain, json_t *below)
{
    const char *key;
    json_t *value;
    json_object_foreach(below, key, value)
    {
        if (is_pod(value)) {
            check_seat(seats, domain, key);
        } else {
            check_domain(seats, key, value);
        }
    }
}

/* ---- seats as text ---- */

/* "  rack-0/node-0  0:p-0 1:p-1": the ranks and names of the members on a node. */
static void write_node(const struct reports *r, const json_t *group, const char *path,
                       json_t *members, struct skr_strbuf *out)
{
    const char *name;
    json_t *none;
    skr_strbuf_addf(out, "  %s ", path);
    json_object_foreach(members, name, none)
    {
        size_t i;
        const json_t *pod;
        json_array_foreach(r->pods, i, pod)
        {
            if (is_member(pod, group) && is_text(pod, "name", name)) {
                skr_strbuf_addf(out, " %" PRId64 ":%s", skr_path_int(pod, "rank", -1), name);
            }
        }
    }
    skr_strbuf_add(out, "\n");
}

static bool is_node(json_t *domain)
{
    json_t *first = json_object_iter_value(json_object_iter(domain));
    return is_pod(first);
}

static void write_domain(const struct reports *r, const json_t *group, const char *path,
                         json_t *domain, struct skr_strbuf *out)
{
    const char *name;
    json_t *below;
    json_object_foreach(domain, name, below)
    {
        char deeper[300];
        snprintf(deeper, sizeof deeper, "%s%s%s", path, path[0] ? "/" : "", name);
        if (is_node(below)) {
            write_node(r, group, deeper, below, out);
        } else {
            write_domain(r, group, deeper, below, out);
        }
    }
}

static void write_seats(const struct reports *r, struct skr_strbuf *out)
{
    size_t i;
    const json_t *group;
    json_array_foreach(r->groups, i, group)
    {
        json_t *root = json_object_get(json_object_get(group, "placement"), "root");
        if (root) {
            skr_strbuf_addf(out, "\nseats of %s\n", skr_path_text(group, "name"));
            write_domain(r, group, "", root, out);
        }
    }
}

/* ---- events ---- */

/* The last event of this reason about the object of the group's name, NULL when there is none. */
static const char *last_event(const struct reports *r, const json_t *group, const char *reason)
{
    const char *message = NULL;
    size_t i;
    const json_t *event;
    json_array_foreach(r->events, i, event)
    {
        if (is_text(event, "reason", reason) && !is_text(event, "kind", "Pod") &&
            is_text(event, "name", skr_path_text(group, "name")) &&
            is_text(event, "namespace", skr_path_text(group, "namespace"))) {
            message = skr_path_text(event, "message");
        }
    }
    return message;
}

static void check_placement(const struct reports *r, const json_t *group)
{
    struct seats seats = {.r = r, .group = group};
    check_domain(&seats, "", json_object_get(group, "placement"));
    assert_int_equal(seats.members, is_placed(group) ? skr_path_int(group, "size", 0)
                                                     : (int64_t)n_members(r, group, "Bound"));
    /* Members may join a PodGroup after its GroupBound. */
    const char *event = last_event(r, group, "GroupBound");
    if (is_placed(group) && event) {
        assert_in_range(strtol(event, NULL, 10), 1, seats.members);
    }
}

/* ---- events ---- */

static void check_events(const struct reports *r)
{
    double before = 0;
    size_t i;
    const json_t *event;
    json_array_foreach(r->events, i, event)
    {
        const double at = strtod(skr_path_text(event, "at"), NULL);
        assert_true(at >= before);
        before = at;
        if (is_text(event, "reason", "GroupWaiting")) { /* it names the pod's group */
            const json_t *pod = skr_path_find(r->pods, "name", skr_path_text(event, "name"));
            char begin[200];
            snprintf(begin, sizeof begin, "group %s", skr_path_text(pod, "group"));
            assert_memory_equal(skr_path_text(event, "message"), begin, strlen(begin));
        }
    }
    assert_true(strtod(skr_path_text(r->json, "time"), NULL) >= before);
}

void simulated_check(const char *name, const char *text, const char *json, struct skr_strbuf *seats)
{
    json_auto_t *result = json_loads(json, 0, NULL);
    const struct reports r = {name,
                              text,
                              result,
                              json_object_get(result, "pods"),
                              json_object_get(result, "groups"),
                              json_object_get(result, "events")};
    size_t i;
    const json_t *group;
    assert_non_null(result);
    check_counts(&r);
    check_events(&r);
    json_array_foreach(r.groups, i, group)
    {
        check_row(&r, group);
        check_placement(&r, group);
    }
    write_seats(&r, seats);
}
