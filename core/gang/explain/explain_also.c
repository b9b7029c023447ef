/* SPDX-License-Identifier: Apache-2.0 */
/* Writes further findings about a group: warnings, and what is wrong although it is bound. */
#include "core/gang/bind/gate_release.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/explain/explain_devices.h"
#include "core/gang/explain/explain_strangers.h"
#include "core/gang/group/device_holds.h"
#include "core/gang/group/group_state.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/reservation.h"
#include "core/gang/group/roles.h"
#include "core/gang/group/seat_holds.h"
#include "core/gang/group/window.h"
#include "core/gang/report/sentence.h"
#include "core/gang/report/warnings.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/map_entry.h"
#include "core/gang/state/reason.h"
#include "topology/topology_map.h"

#include <string.h>
#include <utlist.h>

struct also {
    struct skr_strbuf *b;
    const struct explain_standing *standing;
    const char *reason; /* not repeated */
    bool first;
};

static void add_also(struct also *also, const char *token, const char *class, const char *text)
{
    if (strcmp(token, also->reason) == 0) {
        return;
    }
    skr_strbuf_addf(also->b,
                    "%s{\"reason\":\"%s\",\"class\":\"%s\",\"message\":", also->first ? "" : ",",
                    token, class);
    skr_strbuf_add_json(also->b, text);
    skr_strbuf_addc(also->b, '}');
    also->first = false;
}

static void add_reason(struct also *also, enum skr_reason reason, const char *text)
{
    add_also(also, skr_reason_name(reason), skr_reason_class(reason), text);
}

static int by_string(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct names {
    const char **item;
    size_t n, cap;
};

static void names_add(struct names *names, const char *name)
{
    skr_grow(&names->item, &names->cap, names->n + 1, sizeof *names->item);
    names->item[names->n++] = name;
}

/* "%zu WHAT: a, b, ..."; frees the list. */
static void say_names(struct names *names, const char *what, struct skr_strbuf *b)
{
    qsort(names->item, names->n, sizeof *names->item, by_string);
    skr_strbuf_addf(b, "%zu %s: ", names->n, what);
    for (size_t i = 0; i < names->n && i < SKR_EXPLAIN_NODES_MAX; i++) {
        skr_strbuf_addf(b, "%s%s", i ? ", " : "", names->item[i]);
    }
    skr_strbuf_add(b, names->n > SKR_EXPLAIN_NODES_MAX ? ", ..." : "");
    free(names->item);
}

/* Nodes outside the tree. */
static void also_outside(const struct skr_gang *e, struct also *also)
{
    struct names names = {0};
    struct skr_strbuf text;
    const struct node_entry *n;
    for (size_t at = 0; (n = skr_nodes_next(e, &at));) {
        if (skr_topology_is_outside(e, n)) {
            names_add(&names, n->name);
        }
    }
    if (names.n == 0) {
        return;
    }
    bool one = names.n == 1;
    skr_strbuf_init(&text);
    say_names(&names, one ? "Ready node is not in the tree" : "Ready nodes are not in the tree",
              &text);
    add_also(also, SKR_TOKEN_NODES_NOT_IN_TREE, "config", text.s);
    skr_strbuf_fini(&text);
}

/* Whether some waiting member may go to the node. */
static bool is_open(const struct group *g, const struct node_entry *n)
{
    const struct pod_entry *p;
    const struct shape *seen = NULL;
    DL_FOREACH(g->members, p)
    {
        if (!p->seated || skr_pods_is_bound(p) || p->shape == seen) {
            continue;
        }
        seen = p->shape;
        if (skr_pod_shape_check_node(seen->spec, n->node) == SKR_ELIGIBLE) {
            return true;
        }
    }
    return false;
}

/* Nodes outside a tree of labels, for a group without room that could use them: by the level that
 * they lack. */
static void also_unlabelled(const struct skr_gang *e, const struct group *g, struct also *also)
{
    const struct skr_label_findings *f = skr_topology_findings(e);
    const char *class = skr_reason_class(g->reason), *first[SKR_LABEL_LEVELS_MAX] = {NULL};
    size_t count[SKR_LABEL_LEVELS_MAX] = {0};
    const struct node_entry *n;
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(SIZE_MAX, 0);
    skr_bug_on(!arena);
    if (also->standing->placed ||
        (strcmp(class, "capacity") != 0 && strcmp(class, "topology") != 0)) {
        return;
    }
    for (size_t at = 0; (n = skr_nodes_next(e, &at));) {
        const bool outside = skr_topology_is_outside(e, n) && is_open(g, n);
        const int32_t l =
            outside ? skr_label_findings_level(f, skr_topology_labels(e, n->node, arena)) : -1;
        if (l >= 0) {
            first[l] = count[l]++ == 0 || strcmp(n->name, first[l]) < 0 ? n->name : first[l];
        }
    }
    for (size_t l = 0; l < f->levels.n; l++) {
        if (first[l]) {
            SKR_STRBUF(text);
            skr_label_level_say_missing(&f->levels.level[l], count[l], first[l], &text);
            add_also(also, SKR_TOPOLOGY_LABEL_MISSING, "config", text.s);
        }
    }
}

static void also_duplicates(const struct group *g, struct also *also)
{
    struct names names = {0};
    struct skr_strbuf text;
    const struct map_entry *m;
    DL_FOREACH2(g->source.maps, m, gnext)
    {
        if (m != g->source.map) {
            names_add(&names, m->map->meta.name);
        }
    }
    if (!g->source.map || names.n == 0) {
        free(names.item);
        return;
    }
    bool one = names.n == 1;
    skr_strbuf_init(&text);
    say_names(&names, one ? "younger ConfigMap names it too" : "younger ConfigMaps name it too",
              &text);
    add_reason(also, SKR_REASON_DUPLICATE_GROUP, text.s);
    skr_strbuf_fini(&text);
}

static void also_refused(const struct group *g, struct also *also)
{
    struct names names = {0};
    struct skr_strbuf text;
    const struct pod_entry *p;
    const struct shape *seen = NULL;
    DL_FOREACH(g->members, p)
    {
        if (p->shape == seen || skr_pods_is_bound(p) || !p->seated) {
            continue;
        }
        seen = p->shape;
        const struct veto_set *set = skr_vetoes_find(g, p->shape);
        for (const struct veto *v = set ? set->item : NULL; v; v = v->hh.next) {
            if (v->most == 0) {
                names_add(&names, v->node);
            }
        }
    }
    if (names.n == 0) {
        return;
    }
    bool one = names.n == 1;
    skr_strbuf_init(&text);
    say_names(&names,
              one ? "node was refused by kube-scheduler" : "nodes were refused by kube-scheduler",
              &text);
    add_reason(also, SKR_REASON_FILTERED_BY_OTHERS, text.s);
    skr_strbuf_fini(&text);
}

/* Of its first pods that kube-scheduler refused beside others. */
static void also_accepted(const struct skr_gang *e, const struct group *g, struct also *also)
{
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        SKR_STRBUF(text);
        skr_strbuf_add(&text, "kube-scheduler accepts at most so many of its pods: ");
        if (p->seated && !skr_pods_is_bound(p) && skr_vetoes_say_accepted(e, g, p->shape, &text)) {
            add_reason(also, SKR_REASON_FILTERED_BY_OTHERS, text.s);
            return;
        }
    }
}

static bool lacks_members(const struct group *g)
{
    return g->spec && g->seats.n_bound + g->seats.n_ready < skr_membership_needs(g);
}

static void also_missing(const struct group *g, struct also *also)
{
    SKR_STRBUF(text);
    size_t have = g->seats.n_bound + g->seats.n_ready, size = skr_membership_needs(g);
    if (!lacks_members(g) || g->state == GROUP_BOUND || also->standing->on_its_way) {
        return;
    }
    if (g->roles.keyed) {
        skr_roles_say_missing(g, false, &text);
    } else {
        skr_strbuf_addf(&text, "%zu of %zu members are there", have, size);
    }
    add_reason(also, SKR_REASON_MEMBERS_MISSING, text.s);
}

/* Members without a seat: a group may be bound while they wait. */
static void also_without_seat(const struct group *g, struct also *also)
{
    SKR_STRBUF(text);
    size_t n = 0;
    bool of_another = false;
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        n += skr_membership_is_beyond(g, p) ? 1 : 0;
        of_another = of_another || skr_membership_is_of_another(g, p);
    }
    if (n == 0) {
        return;
    }
    if (of_another) {
        skr_membership_say_another(g, n, &text);
        add_also(also, SKR_TOKEN_OTHER_GENERATION, "progress", text.s);
        return;
    }
    skr_strbuf_addf(&text, "%zu %s beyond the size of %d: %s for a seat", n,
                    n == 1 ? "pod is" : "pods are", skr_membership_most(g),
                    n == 1 ? "it waits" : "they wait");
    add_also(also, SKR_TOKEN_BEYOND_SIZE, "config", text.s);
}

/* What is wrong with a group that is reported as bound. */
static void also_although_bound(const struct group *g, struct also *also)
{
    const char *text = g->message;
    if (also->standing->on_its_way || !also->standing->placed || g->reason == SKR_REASON_NONE) {
        return;
    }
    if (!text && g->reason == SKR_REASON_GROUP_NOT_FOUND) {
        text = "no ConfigMap or PodGroup defines it any more";
    }
    add_reason(also, g->reason, text ? text : "");
    also->reason = skr_reason_name(g->reason);
}

/* What devices leave to a group without room, and where they are not counted. */
static void also_devices(struct skr_gang *e, const struct group *g, struct also *also)
{
    SKR_STRBUF(counted);
    SKR_STRBUF(uncounted);
    if (g->state == GROUP_BOUND) {
        return;
    }
    skr_devices_say(e, g, &counted, &uncounted);
    if (counted.len > 0 && g->attempt.infeasible && !g->plan) {
        add_also(also, SKR_TOKEN_DEVICES_COUNTED, "capacity", counted.s);
    }
    if (uncounted.len > 0) {
        add_also(also, SKR_TOKEN_DEVICES, e->classes_forbidden ? "config" : "capacity",
                 uncounted.s);
    }
}

/* Devices that a member holds after its plan has ended, and the daemon may not free. */
static void also_devices_kept(const struct skr_gang *e, const struct group *g, struct also *also)
{
    SKR_STRBUF(text);
    const char *claim;
    const struct pod_entry *p =
        g->state != GROUP_BOUND ? skr_device_holds_kept(e, g, &claim) : NULL;
    if (p) {
        skr_strbuf_addf(&text,
                        "ResourceClaim %s of pod %s keeps its devices, and the daemon may not free "
                        "them: it needs patch on resourceclaims.resource.k8s.io/status and "
                        "resourceclaims.resource.k8s.io/binding",
                        claim, p->pod->meta.name);
        add_also(also, SKR_TOKEN_DEVICES_KEPT, "config", text.s);
    }
}

/* Kueue puts the label on the pods of a workload that it has admitted. Its option waitForPodsReady is
 * not visible here. */
static void also_kueue(const struct group *g, struct also *also)
{
    const struct pod_entry *p;
    if (g->plan || g->state == GROUP_BOUND) {
        return;
    }
    DL_FOREACH(g->members, p)
    {
        if (skr_labels_get(&p->pod->meta.labels, "kueue.x-k8s.io/podset")) {
            add_also(also, SKR_TOKEN_KUEUE, "progress",
                     "Kueue has admitted the workload; if its option waitForPodsReady is on, it "
                     "evicts the pods when the timeout ends");
            return;
        }
    }
}

struct warned {
    struct warnings w;
    struct also *also;
};

static void also_warning(void *context, const char *text)
{
    const struct warned *warned = context;
    add_also(warned->also, warned->w.token, "config", text);
}

static void also_warnings(const struct skr_gang *e, const struct group *g, struct also *also)
{
    struct warned warned = {.w = {.levels = true, .add = also_warning}, .also = also};
    warned.w.context = &warned;
    skr_warnings_each(e, g, &warned.w);
}

void skr_explain_also(struct skr_gang *e, const struct group *g,
                      const struct explain_standing *standing, struct skr_strbuf *b)
{
    struct also also = {.b = b, .standing = standing, .reason = standing->token, .first = true};
    SKR_STRBUF(text);
    skr_strbuf_add(b, ",\"also\":[");
    also_although_bound(g, &also);
    also_without_seat(g, &also);
    if (skr_group_state_defect(g)) {
        add_reason(&also, SKR_REASON_GROUP_INVALID, skr_group_state_defect(g));
    }
    also_duplicates(g, &also);
    if (g->seats.difference) {
        add_reason(&also, SKR_REASON_PODS_NOT_HOMOGENEOUS, g->seats.difference);
    }
    also_warnings(e, g, &also);
    if (skr_warnings_join(e, g, (struct warnings){.lint = true}, &text)) {
        add_also(&also, SKR_TOKEN_LINT_WARNINGS, "config", text.s);
    }
    skr_strbuf_reset(&text);
    if (skr_window_say_late(e, g, skr_frame_now(e->frame), &text)) {
        add_also(&also, SKR_TOKEN_DEADLINE, "config", text.s);
    }
    skr_strbuf_reset(&text);
    if (skr_seat_holds_say(e, g, &text)) {
        add_also(&also, SKR_TOKEN_SEAT_HELD, "progress", text.s);
    }
    skr_strbuf_reset(&text);
    if (skr_gate_release_say(e, g, &text)) {
        add_also(&also, SKR_TOKEN_AUTOSCALERS, "progress", text.s);
    }
    skr_strbuf_reset(&text);
    also_kueue(g, &also);
    if (g->attempt.infeasible && !g->plan && skr_reservations_say(e, g, &text)) {
        add_also(&also, SKR_TOKEN_RESERVED, "capacity", text.s);
    }
    if (g->moving.text && g->attempt.infeasible && !g->plan) {
        add_also(&also, SKR_TOKEN_MOVES, "capacity", g->moving.text);
    }
    if (!skr_topology_is_usable(e)) {
        add_reason(&also, SKR_REASON_TOPOLOGY_MISSING, "no usable topology tree");
    }
    if (skr_topology_findings(e)) {
        also_unlabelled(e, g, &also);
    } else {
        also_outside(e, &also);
    }
    also_missing(g, &also);
    skr_strbuf_reset(&text);
    if (lacks_members(g) && skr_strangers_say(e, g, &text)) {
        add_also(&also, SKR_TOKEN_SCHEDULER_NAME, "config", text.s);
    }
    also_refused(g, &also);
    also_accepted(e, g, &also);
    also_devices(e, g, &also);
    also_devices_kept(e, g, &also);
    skr_strbuf_addc(b, ']');
}
