/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one group for users: its definition, its progress, and its members. */
#include "core/gang/cache/entry.h"
#include "core/gang/cache/pods.h"
#include "core/gang/changes/status_map.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/roles.h"
#include "core/gang/group/set_units.h"
#include "core/gang/group/start.h"
#include "core/gang/group/window.h"
#include "core/gang/preempt/preemption.h"
#include "core/gang/report/outputs.h"
#include "core/gang/report/status.h"
#include "core/gang/report/warnings.h"
#include "core/gang/restore/restore.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/map_entry.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/reason.h"
#include "core/gang/view/view.h"

#include <string.h>
#include <utlist.h>

/* ---- both depths ---- */

static const struct skr_meta *meta_of(const struct group *g)
{
    if (g->source.kind == SOURCE_MAP && g->source.map) {
        return &g->source.map->map->meta;
    }
    return g->source.kind == SOURCE_PODGROUP && g->source.podgroup ? &g->source.podgroup->pg->meta
                                                                   : NULL;
}

/* The workload of a derived group. */
static void write_owner(struct view *v, const struct group *g, const struct pod_entry *oldest)
{
    SKR_STRBUF(text);
    struct skr_workload w;
    const char *unknown;
    if (oldest && skr_entry_is_derived(g->name)) {
        skr_workload_of(oldest->pod, &w);
        skr_workload_source_add(oldest->pod, &w, skr_entry_scope(v->e, oldest->pod, &w, &unknown),
                                &text);
        skr_json_string(&v->w, "owner", text.s);
    }
}

static void write_identity(struct view *v, const struct group *g)
{
    static const char *const source[] = {"None", "ConfigMap", "PodGroup", "Labels"};
    _Static_assert(sizeof source / sizeof *source == SOURCE_COUNT, "names");
    const struct skr_meta *meta = meta_of(g);
    const struct pod_entry *oldest = meta ? NULL : skr_membership_oldest(g);
    skr_json_string(&v->w, "namespace", g->namespace_);
    skr_json_string(&v->w, "name", g->name);
    skr_json_string(&v->w, "source",
                    skr_entry_is_derived(g->name) ? "Workload" : source[g->source.kind]);
    write_owner(v, g, oldest);
    const struct map_entry *shown = skr_status_map_of(v->e, g);
    skr_json_string(&v->w, "object", meta ? meta->name : shown ? shown->map->meta.name : NULL);
    skr_view_time(v, "created", meta ? meta->created : oldest ? oldest->pod->meta.created : 0);
    skr_json_open(&v->w, "labels", '{');
    for (size_t i = 0; meta && i < meta->labels.n; i++) {
        skr_json_string(&v->w, meta->labels.item[i].key, meta->labels.item[i].value);
    }
    skr_json_close(&v->w, '}');
}

/* Attempts of this process or, from the label of the first member, of earlier ones: it has the
 * highest number. */
static int32_t tries_of(const struct group *g)
{
    const char *text =
        g->members ? skr_labels_get(&g->members->pod->meta.labels, SKR_LABEL_RETRIES) : NULL;
    const int64_t before = text ? strtoll(text, NULL, 10) : 0;
    int64_t most = g->attempt.n > INT32_MAX ? INT32_MAX : (int64_t)g->attempt.n;
    most = before > most && before <= INT32_MAX ? before : most;
    most = g->members && g->members->place.retries > most ? g->members->place.retries : most;
    return (int32_t)most;
}

/* A group that is due but was not yet tried by this process still has the reason recorded
 * before. */
static bool reason_is_recorded(const struct skr_gang *e, const struct group *g)
{
    const char *status = skr_restore_object_key(e, g, "status");
    return g->status == SKR_STATUS_READY && g->reason == SKR_REASON_NONE && g->attempt.n == 0 &&
           status && strcmp(status, skr_group_status_name(SKR_STATUS_READY)) == 0;
}

const char *skr_view_reason(const struct skr_gang *e, const struct group *g,
                            const char **ret_sentence)
{
    if (reason_is_recorded(e, g)) {
        *ret_sentence = skr_restore_object_key(e, g, "message");
        return skr_restore_object_key(e, g, "reason");
    }
    *ret_sentence = g->reason != SKR_REASON_NONE ? g->message : NULL;
    return skr_reason_name(g->reason);
}

size_t skr_view_present(const struct group *g)
{
    return g->spec ? g->seats.n_bound + g->seats.n_new : g->seats.n_live;
}

static void roles_letters(const struct group *g, char *ret)
{
    for (size_t r = 0; r < g->roles.n; r++) {
        const struct role *role = &g->roles.item[r];
        ret[r] = skr_role_letter(role->name, role->size == 1, ret, r);
    }
}

void skr_view_role_counts(struct view *v, const struct group *g, const int32_t *count)
{
    char letter[SKR_ROLES_MAX];
    roles_letters(g, letter);
    skr_json_open(&v->w, "roles", '[');
    for (size_t r = 0; r < g->roles.n; r++) {
        if (count[r] > 0) {
            const char text[] = {letter[r], '\0'};
            skr_json_open(&v->w, NULL, '{');
            skr_json_string(&v->w, "letter", text);
            skr_json_int(&v->w, "pods", count[r]);
            skr_json_close(&v->w, '}');
        }
    }
    skr_json_close(&v->w, ']');
}

/* The roles of a group that has several. */
static void write_roles(struct view *v, const struct group *g)
{
    if (!skr_roles_are_several(g)) {
        return;
    }
    skr_json_open(&v->w, "roles", '[');
    for (size_t r = 0; r < g->roles.n; r++) {
        const struct role *role = &g->roles.item[r];
        skr_json_open(&v->w, NULL, '{');
        skr_json_string(&v->w, "name", role->name);
        skr_json_int(&v->w, "size", role->size);
        skr_json_int(&v->w, "minimum", role->minimum);
        skr_json_int(&v->w, "present", role->n_present);
        skr_json_int(&v->w, "bound", role->n_bound);
        skr_json_close(&v->w, '}');
    }
    skr_json_close(&v->w, ']');
}

/* By kind: the unit of each set, with bound and planned members; null: none. */
static void write_sets(struct view *v, const struct group *g)
{
    const struct skr_tree *t = v->e->topology.tree;
    const size_t kinds = g->spec && t && skr_roles_are_several(g) ? g->spec->n_sets : 0;
    if (kinds == 0) {
        return;
    }
    skr_json_open(&v->w, "sets", '[');
    for (size_t k = 0; k < kinds; k++) {
        size_t n;
        SKR_AUTO_FREE int32_t *unit = skr_set_units(t, g, k, true, &n);
        skr_json_open(&v->w, NULL, '{');
        skr_json_string(&v->w, "level", g->spec->set[k].level);
        skr_json_bool(&v->w, "exclusive", g->spec->set[k].exclusive);
        skr_json_open(&v->w, "each", '{');
        for (size_t i = 0; i < g->spec->set[k].n_parts; i++) {
            skr_json_int(&v->w, g->spec->set[k].part[i].role, g->spec->set[k].part[i].each);
        }
        skr_json_close(&v->w, '}');
        skr_json_open(&v->w, "units", '[');
        for (size_t s = 0; s < n; s++) {
            skr_json_string(&v->w, NULL, unit[s] < 0 ? NULL : t->unit_name[unit[s]]);
        }
        skr_json_close(&v->w, ']');
        skr_json_close(&v->w, '}');
    }
    skr_json_close(&v->w, ']');
}

static void write_progress(struct view *v, const struct group *g)
{
    const char *message;
    const char *reason = skr_view_reason(v->e, g, &message);
    skr_json_int(&v->w, "size", (int64_t)skr_membership_seats(g));
    if (g->spec && g->spec->open) {
        skr_json_int(&v->w, "minimum", skr_membership_size(g));
    }
    write_roles(v, g);
    skr_json_int(&v->w, "priority", g->spec ? g->spec->priority : 0);
    skr_json_string(&v->w, "status", skr_group_status_name(g->status));
    skr_view_moment(v, "since", g->status_since);
    skr_json_string(&v->w, "reason", reason ? reason : "");
    skr_json_string(&v->w, "message", message ? message : "");
    skr_json_open(&v->w, "pods", '{');
    skr_json_int(&v->w, "present", (int64_t)skr_view_present(g));
    skr_json_int(&v->w, "bound", (int64_t)g->seats.n_bound);
    skr_json_int(&v->w, "succeeded", (int64_t)g->generation.n_succeeded);
    skr_json_close(&v->w, '}');
    SKR_STRBUF(start);
    if (skr_start_write(g, v->now, &start)) {
        skr_json_raw(&v->w, "start", start.s);
    }
    skr_json_int(&v->w, "tries", tries_of(g));
    skr_json_int(&v->w, "solveMicroseconds",
                 g->attempt.solver_ns > 0 ? g->attempt.solver_ns / 1000
                                          : g->attempt.solver_ms * 1000);
    if (g->times.begin > 0 && g->times.end > 0) {
        skr_json_int(&v->w, "totalMilliseconds", (g->times.end - g->times.begin) / SKR_MILLISECOND);
    } else {
        skr_json_raw(&v->w, "totalMilliseconds", NULL);
    }
}

static void write_warning(void *context, const char *text)
{
    skr_json_string(context, NULL, text);
}

static void write_warnings(struct view *v, const struct group *g)
{
    struct warnings w = {
        .lint = true, .levels = true, .difference = true, .add = write_warning, .context = &v->w};
    skr_json_open(&v->w, "warnings", '[');
    skr_warnings_each(v->e, g, &w);
    SKR_STRBUF(late);
    if (skr_window_say_late(v->e, g, v->now, &late)) {
        skr_json_string(&v->w, NULL, late.s);
    }
    skr_json_close(&v->w, ']');
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Whether two of the units share a name: then they are shown by path. */
static bool names_repeat(const struct skr_tree *t, const struct run *run, size_t n)
{
    SKR_AUTO_FREE const char **name = skr_alloc_array(n + 1, sizeof *name);
    bool repeat = false;
    for (size_t i = 0; i < n; i++) {
        name[i] = t->unit_name[run[i].unit];
    }
    qsort(name, n, sizeof *name, by_text);
    for (size_t i = 1; i < n; i++) {
        repeat = repeat || strcmp(name[i], name[i - 1]) == 0;
    }
    return repeat;
}

/* Units of the level above the nodes, or the nodes if that level is the root. */
static void write_domains(struct view *v, const struct seats *s)
{
    const struct skr_tree *t = v->e->topology.tree;
    skr_json_open(&v->w, "domains", '[');
    if (t && s->n_inside > 0) {
        size_t n = 0;
        SKR_AUTO_FREE struct run *run =
            skr_view_runs(t, s, t->n_levels > 1 ? t->n_levels - 1 : 1, &n);
        const bool paths = names_repeat(t, run, n);
        for (size_t i = 0; i < n; i++) {
            SKR_STRBUF(b);
            skr_view_path(t, run[i].unit, &b);
            skr_json_string(&v->w, NULL, paths ? b.s : t->unit_name[run[i].unit]);
        }
    }
    skr_json_close(&v->w, ']');
}

/* ---- the whole ---- */

/* Both directions: its preemptor, and its victims. */
static void write_preemption(struct view *v, const struct group *g)
{
    const bool out = g->victim.by && g->status == SKR_STATUS_PREEMPTED;
    skr_json_string(&v->w, "preemptor", g->victim.by);
    skr_view_moment(v, "preempted", out ? g->status_since : 0);
    skr_json_open(&v->w, "victims", '[');
    if (g->plan && g->plan->preempting && !g->plan->aborting) {
        skr_preemption_write_victims(v->e, g->plan, &v->w);
    }
    skr_json_close(&v->w, ']');
}

static void write_timing(struct view *v, const struct group *g)
{
    static const int kind[] = {CONDITION_COMPLETE, CONDITION_PLACED};
    static const char *const key[] = {"complete", "placed"};
    skr_json_open(&v->w, "timing", '{');
    skr_view_moment(v, "firstPod", g->times.begin);
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        const struct condition *c = &g->condition[kind[i]];
        skr_view_moment(v, key[i], c->set && strcmp(c->status, "True") == 0 ? c->since : 0);
    }
    skr_view_moment(v, "bound", g->times.end);
    skr_json_close(&v->w, '}');
}

static void write_conditions(struct view *v, const struct group *g)
{
    skr_json_open(&v->w, "conditions", '[');
    for (int i = 0; i < CONDITION_KIND_COUNT; i++) {
        const struct condition *c = &g->condition[i];
        if (!c->set) {
            continue;
        }
        skr_json_open(&v->w, NULL, '{');
        skr_json_string(&v->w, "type", skr_status_condition_name(i));
        skr_json_string(&v->w, "status", c->status);
        skr_json_string(&v->w, "reason", c->reason);
        skr_json_string(&v->w, "message", c->message);
        skr_view_moment(v, "since", c->since);
        skr_json_close(&v->w, '}');
    }
    skr_json_close(&v->w, ']');
}

static void write_ranks(struct view *v, const struct seats *s, size_t first, size_t end)
{
    skr_json_open(&v->w, "ranks", '[');
    for (size_t i = first; i < end; i++) {
        if (s->item[i].rank >= 0) {
            skr_json_int(&v->w, NULL, s->item[i].rank);
        }
    }
    skr_json_close(&v->w, ']');
}

/* Of the members at seats first .. end - 1, if the group has several roles. */
static void write_seat_roles(struct view *v, const struct group *g, const struct seats *s,
                             size_t first, size_t end)
{
    int32_t count[SKR_ROLES_MAX] = {0};
    if (!skr_roles_are_several(g)) {
        return;
    }
    for (size_t i = first; i < end; i++) {
        if (s->item[i].pod->role < g->roles.n) {
            count[s->item[i].pod->role]++;
        }
    }
    skr_view_role_counts(v, g, count);
}

static void open_used(struct view *v, const char *name, const char *level, int32_t depth,
                      size_t pods)
{
    skr_json_open(&v->w, NULL, '{');
    skr_json_string(&v->w, "name", name);
    skr_json_string(&v->w, "level", level);
    skr_json_int(&v->w, "depth", depth);
    skr_json_int(&v->w, "pods", (int64_t)pods);
}

/* The end of the run of members below the same unit of a level, from this seat on. */
static size_t end_of_unit(const struct skr_tree *t, const struct seats *s, size_t from,
                          int32_t level)
{
    const int32_t unit = skr_tree_unit_at(t, s->item[from].leaf, level);
    size_t end = from + 1;
    while (end < s->n_inside && skr_tree_unit_at(t, s->item[end].leaf, level) == unit) {
        end++;
    }
    return end;
}

/* Every used unit, depth first: a unit begins at its first seat. */
static void write_units(struct view *v, const struct group *g, const struct seats *s)
{
    const struct skr_tree *t = v->e->topology.tree;
    skr_json_open(&v->w, "units", '[');
    for (size_t i = 0; i < s->n_inside; i++) {
        for (int32_t l = 1; l <= t->n_levels; l++) {
            const int32_t unit = skr_tree_unit_at(t, s->item[i].leaf, l);
            if (i > 0 && skr_tree_unit_at(t, s->item[i - 1].leaf, l) == unit) {
                continue;
            }
            const size_t end = end_of_unit(t, s, i, l);
            open_used(v, t->unit_name[unit], t->level_name[l], l, end - i);
            if (l == t->n_levels) {
                write_seat_roles(v, g, s, i, end);
                write_ranks(v, s, i, end);
            }
            skr_json_close(&v->w, '}');
        }
    }
    for (size_t i = s->n_inside, end; i < s->n; i = end) { /* nodes outside the tree */
        for (end = i + 1; end < s->n && strcmp(s->item[end].node, s->item[i].node) == 0;) {
            end++;
        }
        open_used(v, s->item[i].node, NULL, 1, end - i);
        write_ranks(v, s, i, end);
        skr_json_close(&v->w, '}');
    }
    skr_json_close(&v->w, ']');
}

/* Edges between nodes, from the member of rank 0 to every other member; in tenths, rounded. */
static void write_distance(struct view *v, const struct seats *s)
{
    const struct seat *master = NULL;
    int64_t sum = 0, others = 0, most = 0;
    for (size_t i = 0; i < s->n_inside && !master; i++) {
        master = s->item[i].rank == 0 ? &s->item[i] : NULL;
    }
    for (size_t i = 0; master && i < s->n_inside; i++) {
        if (&s->item[i] == master) {
            continue;
        }
        const int64_t d = skr_tree_distance(v->e->topology.tree, master->leaf, s->item[i].leaf) -
                          2; /* the tree's distance is between pods: two more */
        sum += d;
        others++;
        most = d > most ? d : most;
    }
    if (!master) {
        skr_json_raw(&v->w, "distance", NULL);
        return;
    }
    const int64_t tenths = others ? (sum * 20 / others + 1) / 2 : 0;
    char mean[48];
    snprintf(mean, sizeof mean, "%lld.%lld", (long long)(tenths / 10), (long long)(tenths % 10));
    skr_json_open(&v->w, "distance", '{');
    skr_json_raw(&v->w, "mean", mean);
    skr_json_int(&v->w, "max", most);
    skr_json_close(&v->w, '}');
}

static int by_name(const void *a, const void *b)
{
    const struct pod_entry *p = *(struct pod_entry *const *)a, *q = *(struct pod_entry *const *)b;
    return strcmp(p->pod->meta.name, q->pod->meta.name);
}

static void write_members(struct view *v, const struct group *g)
{
    struct pod_entry **list = skr_alloc_array(g->n_members + 1, sizeof *list), *p;
    const bool roles = skr_roles_are_several(g);
    size_t n = 0;
    DL_FOREACH(g->members, p)
    {
        list[n++] = p;
    }
    qsort(list, n, sizeof *list, by_name);
    skr_json_open(&v->w, "members", '[');
    for (size_t i = 0; i < n; i++) {
        p = list[i];
        skr_json_open(&v->w, NULL, '{');
        skr_json_string(&v->w, "name", p->pod->meta.name);
        skr_json_string(&v->w, "node", skr_view_node_of(p));
        if (skr_outputs_rank_of(p) >= 0) {
            skr_json_int(&v->w, "rank", skr_outputs_rank_of(p));
        } else {
            skr_json_raw(&v->w, "rank", NULL);
        }
        skr_json_string(&v->w, "status", skr_labels_get(&p->pod->meta.labels, SKR_LABEL_STATUS));
        skr_json_bool(&v->w, "bound", skr_pods_is_bound(p));
        skr_json_bool(&v->w, "seated", p->seated);
        if (roles && p->seated && p->role < g->roles.n) {
            skr_json_string(&v->w, "role", g->roles.item[p->role].name);
        }
        if (roles && p->set >= 0) {
            skr_json_int(&v->w, "set", p->set);
        }
        skr_json_close(&v->w, '}');
    }
    skr_json_close(&v->w, ']');
    free(list);
}

static void write_events(struct view *v, const struct group *g)
{
    const size_t n =
        g->reported.n_events < SKR_EVENTS_KEPT ? g->reported.n_events : SKR_EVENTS_KEPT;
    skr_json_open(&v->w, "events", '[');
    for (size_t i = g->reported.n_events - n; i < g->reported.n_events; i++) {
        const struct reported_event *event = &g->reported.event[i % SKR_EVENTS_KEPT];
        if (event->at > v->now) {
            continue;
        }
        skr_json_open(&v->w, NULL, '{');
        skr_view_time(v, "time", event->at);
        skr_json_string(&v->w, "type", event->warning ? "Warning" : "Normal");
        skr_json_string(&v->w, "reason", event->reason);
        skr_json_string(&v->w, "message", event->note);
        skr_json_close(&v->w, '}');
    }
    skr_json_close(&v->w, ']');
}

void skr_view_group(struct view *v, const struct group *g, enum view_depth depth)
{
    struct seats s = skr_view_seats(v->e, g, depth == VIEW_WHOLE);
    write_identity(v, g);
    write_progress(v, g);
    write_warnings(v, g);
    skr_view_constraints(v, g, &s, depth == VIEW_WHOLE);
    skr_view_role_constraints(v, g, &s, depth == VIEW_WHOLE);
    write_domains(v, &s);
    if (depth == VIEW_WHOLE) {
        write_sets(v, g);
        write_preemption(v, g);
        write_timing(v, g);
        write_conditions(v, g);
        skr_json_raw(&v->w, "placement", g->outputs.placement);
        write_units(v, g, &s);
        write_distance(v, &s);
        write_members(v, g);
        write_events(v, g);
    }
    free(s.item);
}
