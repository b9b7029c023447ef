/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge of filter's answers about ordinary pods: "node is reserved for a group" is said of a node on
 * which a plan, a vacancy or a held seat has room, and that has too little left of something that it
 * lists, or if the pod needs devices; "room is reserved for a group" where a reservation would lack room
 * while the pod is there; "node is kept as a spare" to all pods but those of DaemonSets; never of another
 * one. No pod passes into a reservation that it does not outrank. Both are looked up before the call and
 * after it, since the engine may go on in the event that answers.
 */
#include "test/unit/engine_rig_parts.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/cache/devices.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/group/seat_holds.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/plan_entry.h"

static void mark(struct rig *rig, const char *node)
{
    struct rig_object *at = rig_find(rig, RIG_NODE, node);
    if (at) {
        at->reserved = true;
    }
}

static void mark_room_of(struct rig *rig, const struct group *g)
{
    const struct pod_entry *p;
    const char *last = ""; /* members of one node stand together */
    DL_FOREACH(g->members, p)
    {
        if (p->plan && strcmp(p->place.node, last) != 0 && !skr_pods_is_bound(p)) {
            last = p->place.node;
            mark(rig, last);
        }
    }
    for (size_t i = 0; g->plan && i < g->plan->n_vacancies; i++) {
        mark(rig, g->plan->vacancy[i].node);
    }
    for (size_t i = 0; i < g->holds.n; i++) {
        mark(rig, g->holds.item[i].node);
    }
}

/* Of all nodes, whether a group has room on them. */
static void mark_reserved(struct rig *rig)
{
    struct rig_object *o;
    DL_FOREACH(rig->list, o)
    {
        o->reserved = false;
    }
    const struct group *g, *tmp;
    HASH_ITER(hh, rig->gang->groups, g, tmp)
    {
        mark_room_of(rig, g);
    }
}

/* After mark_reserved(). One that went meanwhile may have been. */
static bool is_reserved(const struct rig *rig, const char *node)
{
    const struct rig_object *at = rig_find(rig, RIG_NODE, node);
    return !at || at->reserved;
}

/* Of something that the node lists. */
static bool lacks_room(const struct skr_gang *e, const struct skr_pod *pod, const char *node)
{
    const struct skr_quantities *want = &pod->shape->requests;
    for (size_t i = 0; i < want->n; i++) {
        int id = skr_resource_names_find(e->resources, want->item[i].name);
        if (id >= 0 && skr_ledger_allocatable(e->ledger, node, (uint16_t)id) > 0 &&
            want->item[i].amount > skr_ledger_free(e->ledger, node, (uint16_t)id)) {
            return true;
        }
    }
    return false;
}

/* A reservation would lack room while the pod is there, of something that the node lists. */
static bool is_promised(const struct rig *rig, const struct skr_pod *pod, const char *node)
{
    const struct skr_gang *e = rig->gang;
    const struct skr_quantities *want = &pod->shape->requests;
    const int64_t end =
        pod->deadline_s > 0 ? skr_instant_up(rig->now) + pod->deadline_s + pod->grace_s : INT64_MAX;
    bool is = false;
    for (size_t i = 0; i < want->n && !is; i++) {
        const int id = skr_resource_names_find(e->resources, want->item[i].name);
        const int64_t promised = rig_promised(rig, want->item[i].name, node, NULL, end);
        is = id >= 0 && promised > 0 && skr_ledger_allocatable(e->ledger, node, (uint16_t)id) > 0 &&
             want->item[i].amount + promised > skr_ledger_free(e->ledger, node, (uint16_t)id);
    }
    return is && !skr_ledger_find(e->ledger, pod->meta.uid, NULL);
}

static bool is_spare(const struct rig *rig, const struct skr_pod *pod, const char *node)
{
    const struct node_entry *n = skr_nodes_find(rig->gang, node);
    return n && n->spare && !pod->rooted;
}

static bool may_refuse(const struct rig *rig, const struct skr_pod *pod, const char *node)
{
    return is_spare(rig, pod, node) ||
           (is_reserved(rig, node) &&
            (lacks_room(rig->gang, pod, node) || skr_devices_has_claims(pod) ||
             skr_quantities_are_served(rig->gang->resources, &pod->shape->requests))) ||
           is_promised(rig, pod, node);
}

void rig_filter_begins(struct rig *rig, const struct skr_pod *pod, const char *const *names,
                       size_t n)
{
    const struct skr_pod_overlay nothing = {0};
    rig->asking_pod = skr_pod_overlay(pod, &nothing); /* it may change meanwhile */
    rig->may_refuse = skr_alloc(n + 1);
    rig->must_refuse = skr_alloc(n + 1);
    mark_reserved(rig);
    for (size_t i = 0; i < n; i++) {
        rig->must_refuse[i] =
            (pod->priority <= 0 && is_promised(rig, pod, names[i])) || is_spare(rig, pod, names[i]);
        rig->may_refuse[i] = may_refuse(rig, pod, names[i]);
    }
}

void rig_filter_refuses(struct rig *rig, size_t i)
{
    const char *node = rig->asking_names[i];
    if (rig->may_refuse[i]) {
        return;
    }
    mark_reserved(rig);
    if (!may_refuse(rig, rig->asking_pod, node)) {
        rig_fail(rig, "%s is refused on %s, which %s", rig->asking_pod->meta.name, node,
                 is_reserved(rig, node) ? "has all that it asks for, or does not list it"
                                        : "no group has room on");
    }
}

void rig_filter_passes(struct rig *rig, size_t i)
{
    const char *node = rig->asking_names[i];
    if (rig->must_refuse[i] &&
        (is_promised(rig, rig->asking_pod, node) || is_spare(rig, rig->asking_pod, node))) {
        rig_fail(rig, "%s may go to %s, where room is reserved, or which is a spare",
                 rig->asking_pod->meta.name, node);
    }
}

void rig_filter_ends(struct rig *rig)
{
    free(rig->may_refuse);
    free(rig->must_refuse);
    rig->may_refuse = rig->must_refuse = NULL;
    skr_pod_destroy(rig->asking_pod);
    rig->asking_pod = NULL;
}
