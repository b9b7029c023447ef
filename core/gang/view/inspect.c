/* SPDX-License-Identifier: Apache-2.0 */
/* Checks invariants, and writes numbers and the state as JSON. Changes nothing. */
#include "core/gang/view/inspect.h"
#include "core/gang/cache/devices.h"
#include "core/gang/cache/pod_walk.h"
#include "core/gang/group/claims.h"
#include "core/gang/group/device_holds.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/reservation.h"
#include "core/gang/group/roles.h"
#include "core/gang/plan/bind_calls.h"
#include "core/gang/plan/member_record.h"
#include "core/gang/state/booking.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/map_entry.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/reason.h"
#include "core/gang/view/view.h"

#include <string.h>
#include <utlist.h>

/* ---- invariants ---- */

static int check_member(const struct skr_gang *e, const struct pod_entry *p,
                        struct skr_error *error)
{
    const char *on = skr_ledger_find(e->ledger, p->uid, NULL);
    const char *want = skr_pods_is_bound(p) ? p->pod->node_name : p->place.node;
    if (!on || strcmp(on, want) != 0) {
        return skr_error_set(error, SKR_BUG, "pod %s: planned on %s, charged on %s", p->key, want,
                             on ? on : "no node");
    }
    if (p->plan->group != p->group || p->plan != p->group->plan) {
        return skr_error_set(error, SKR_BUG, "pod %s: member of a plan that is not its group's",
                             p->key);
    }
    return 0;
}

static int check_group(const struct skr_gang *e, const struct group *g, struct skr_error *error)
{
    const struct pod_entry *p;
    size_t members = 0, planned = 0, seated = 0;
    DL_FOREACH(g->members, p)
    {
        members++;
        seated += p->seated && !skr_pods_is_bound(p);
        if (!p->plan) {
            continue;
        }
        planned++;
        if (check_member(e, p, error) < 0) {
            return -SKR_BUG;
        }
    }
    if (members != g->n_members) {
        return skr_error_set(error, SKR_BUG, "group %s: %zu members listed, %zu counted", g->key,
                             members, g->n_members);
    }
    if (g->plan && planned != g->plan->n_members) {
        return skr_error_set(error, SKR_BUG, "group %s: %zu planned members, %zu counted", g->key,
                             planned, g->plan->n_members);
    }
    if (!g->plan && planned > 0) {
        return skr_error_set(error, SKR_BUG, "group %s: members of a plan that is gone", g->key);
    }
    if (!g->dirty && (g->counted.status != g->status ||
                      (g->counted.reason != g->reason && g->counted.reason != SKR_REASON_COUNT))) {
        return skr_error_set(error, SKR_BUG, "group %s is not counted as it is", g->key);
    }
    size_t size = (size_t)skr_membership_most(g);
    if (!g->plan && !g->dirty && !g->seats.dirty && g->spec && seated > size) {
        return skr_error_set(error, SKR_BUG, "group %s: %zu newcomers hold seats of %zu", g->key,
                             seated, size);
    }
    return 0;
}

static int blame(const struct skr_gang *e, const struct pod_walk *p, const char *what,
                 struct skr_error *error)
{
    SKR_STRBUF(key);
    skr_pod_ref_add_key(e, skr_pod_walk_ref(p), &key);
    return skr_error_set(error, SKR_BUG, "pod %s: %s", key.s, what);
}

static int check_pod(const struct skr_gang *e, const struct pod_walk *p, struct skr_error *error)
{
    enum skr_charge_kind kind;
    char uid[SKR_UUID_TEXT];
    const char *on = skr_ledger_find(e->ledger, skr_pod_walk_uid(e, p, uid), &kind);
    const bool kept = p->entry && (p->entry->plan || skr_claims_assumed_on(p->entry));
    if (on && kind == SKR_CHARGE_RESERVED && !kept) {
        return blame(e, p, "reserved without a plan", error);
    }
    if (*p->node && !on && !(p->entry && skr_pods_is_terminal(p->entry->pod))) {
        return blame(e, p, "bound and not charged", error);
    }
    if (p->resident && (kind != SKR_CHARGE_BOUND || strcmp(on, p->node) != 0)) {
        return blame(e, p, "charged elsewhere", error);
    }
    return 0;
}

int skr_gang_check(const struct skr_gang *e, struct skr_error *error)
{
    const struct group *g, *gtmp;
    if (skr_ledger_check(e->ledger, error) < 0) {
        return -SKR_BUG;
    }
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        if (check_group(e, g, error) < 0) {
            return -SKR_BUG;
        }
    }
    if (skr_reservations_check(e, error) < 0) {
        return -SKR_BUG;
    }
    struct pod_walk p = {0};
    while (skr_pod_walk_next(e, &p)) {
        if (check_pod(e, &p, error) < 0) {
            return -SKR_BUG;
        }
    }
    return 0;
}

/* ---- numbers ---- */

void skr_gang_get_stats(const struct skr_gang *e, struct skr_gang_stats *ret)
{
    const struct booking *b;
    memset(ret, 0, sizeof *ret);
    ret->nodes = e->n_nodes;
    ret->pods = skr_pods_count(e) + skr_residents_count(e);
    ret->resident_bytes = skr_residents_bytes(e);
    ret->charge_bytes = skr_ledger_charge_bytes(e->ledger);
    ret->groups = HASH_COUNT(e->groups);
    ret->configmaps = HASH_COUNT(e->maps);
    ret->parked = skr_bind_calls_parked(e);
    ret->labels_travel =
        e->settings.server_minor >= SKR_TRACE_LABELS_FROM && !e->binding_labels_lost;
    ret->writes_in_flight = skr_frame_writes_in_flight(e->frame);
    _Static_assert(SKR_STATUS_COUNT <= 9, "room in the stats");
    memcpy(ret->groups_by_status, e->n_by_status, sizeof e->n_by_status);
    memcpy(ret->unplaced_by_reason, e->n_by_reason, sizeof e->n_by_reason);
    ret->plans = e->stats.plans;
    ret->aborts = e->stats.aborts;
    ret->solves = e->stats.solves;
    ret->looks = e->stats.looks;
    ret->bindings = e->stats.bindings;
    ret->binding_errors = e->stats.binding_errors;
    memcpy(ret->attempts, e->stats.attempts, sizeof ret->attempts);
    memcpy(ret->preemptions, e->stats.preemptions, sizeof ret->preemptions);
    memcpy(ret->group_moves, e->stats.group_moves, sizeof ret->group_moves);
    memcpy(ret->evictions, e->stats.evictions, sizeof ret->evictions);
    ret->followers_evicted = e->stats.followers_evicted;
    memcpy(ret->scheduling, e->stats.scheduling, sizeof ret->scheduling);
    ret->topology_loads = e->stats.topology_loads;
    ret->topology_refusals = e->stats.topology_refusals;
    ret->device_signatures = skr_sequence_memo_size(e->devices.memo);
    ret->leftover_claims = skr_device_holds_count(e);
    memcpy(ret->releases, e->stats.releases, sizeof ret->releases);
    memcpy(ret->device_fit, e->stats.device_fit, sizeof ret->device_fit);
    memcpy(ret->mispredictions, e->stats.mispredictions, sizeof ret->mispredictions);
    memcpy(ret->uncounted, e->n_by_uncounted, sizeof ret->uncounted);
    memcpy(ret->admissions, e->stats.admissions, sizeof ret->admissions);
    memcpy(ret->moves, e->stats.moves, sizeof ret->moves);
    memcpy(ret->promise, e->stats.promise, sizeof ret->promise);
    ret->rounds = e->stats.rounds;
    ret->backfilled = e->stats.backfilled;
    DL_FOREACH(e->bookings.list, b)
    {
        ret->promised += !b->guess;
        ret->draining += b->guess;
    }
    ret->gang_plugin = e->stats.gang_plugin;
    ret->unknown_nodes = e->topology.n_unknown;
    ret->outside_nodes = e->topology.n_outside;
    ret->refused_nodes = e->n_nodes_refused;
    ret->synced = skr_frame_is_synced(e->frame);
    ret->leader = skr_frame_is_leader(e->frame);
}

/* ---- JSON ---- */

static int by_group(const void *a, const void *b)
{
    const struct group *g = *(struct group *const *)a, *h = *(struct group *const *)b;
    int c = strcmp(g->namespace_, h->namespace_);
    return c ? c : strcmp(g->name, h->name);
}

static int by_pod(const void *a, const void *b)
{
    const struct pod_entry *p = *(struct pod_entry *const *)a, *q = *(struct pod_entry *const *)b;
    return strcmp(p->pod->meta.name, q->pod->meta.name);
}

static void add_string(struct skr_strbuf *b, const char *key, const char *value)
{
    skr_strbuf_addf(b, ",\"%s\":", key);
    if (value) {
        skr_strbuf_add_json(b, value);
    } else {
        skr_strbuf_add(b, "null");
    }
}

static void write_members(const struct group *g, struct skr_strbuf *b)
{
    struct pod_entry **list = skr_alloc_array(g->n_members + 1, sizeof *list), *p;
    size_t n = 0;
    DL_FOREACH(g->members, p)
    {
        list[n++] = p;
    }
    qsort(list, n, sizeof(struct pod_entry *), by_pod);
    skr_strbuf_add(b, ",\"members\":[");
    for (size_t i = 0; i < n; i++) {
        p = list[i];
        const char *node = skr_pods_is_bound(p) ? p->pod->node_name
                           : p->plan            ? p->place.node
                                                : NULL;
        const char *rank = skr_labels_get(&p->pod->meta.labels, SKR_LABEL_RANK);
        const char *status = skr_labels_get(&p->pod->meta.labels, SKR_LABEL_STATUS);
        skr_strbuf_addf(b, "%s{\"name\":", i ? "," : "");
        skr_strbuf_add_json(b, p->pod->meta.name);
        add_string(b, "node", node);
        add_string(b, "rank", rank);
        add_string(b, "status", status);
        skr_strbuf_addf(b, ",\"bound\":%s,\"succeeded\":%s}",
                        skr_pods_is_bound(p) && skr_pod_is_live(p->pod) ? "true" : "false",
                        p->pod->phase == SKR_POD_SUCCEEDED ? "true" : "false");
    }
    skr_strbuf_addc(b, ']');
    free(list);
}

static void write_group(const struct group *g, struct skr_strbuf *b)
{
    skr_strbuf_add(b, "{\"namespace\":");
    skr_strbuf_add_json(b, g->namespace_);
    add_string(b, "name", g->name);
    skr_strbuf_addf(b, ",\"size\":%zu,\"present\":%zu,\"priority\":%d", skr_membership_seats(g),
                    skr_view_present(g), g->spec ? g->spec->priority : 0);
    add_string(b, "status", skr_group_status_name(g->status));
    add_string(b, "reason", skr_reason_name(g->reason));
    add_string(b, "message", g->message ? g->message : "");
    skr_strbuf_addf(b, ",\"placement\":%s", g->outputs.placement ? g->outputs.placement : "null");
    write_members(g, b);
    skr_strbuf_addc(b, '}');
}

void skr_gang_each_json(const struct skr_gang *e,
                        void (*visit)(void *context, const char *text, size_t n), void *context)
{
    SKR_STRBUF(b);
    size_t n = 0;
    struct group **list = skr_alloc_array(HASH_COUNT(e->groups) + 1, sizeof *list), *g, *tmp;
    HASH_ITER(hh, e->groups, g, tmp)
    {
        list[n++] = g;
    }
    qsort(list, n, sizeof(struct group *), by_group);
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_reset(&b);
        write_group(list[i], &b);
        visit(context, b.s, b.len);
    }
    free(list);
}

static void add_group(void *context, const char *text, size_t n)
{
    struct skr_strbuf *b = context;
    if (b->s[b->len - 1] == '}') {
        skr_strbuf_addc(b, ',');
    }
    skr_strbuf_addn(b, text, n);
}

void skr_gang_write_json(const struct skr_gang *e, struct skr_strbuf *b)
{
    skr_strbuf_add(b, "{\"groups\":[");
    skr_gang_each_json(e, add_group, b);
    skr_strbuf_add(b, "]}");
}

const char *skr_gang_group_of(const struct skr_gang *e, const char *namespace_, const char *pod,
                              int32_t *ret_set)
{
    const struct pod_entry *p = skr_pods_find_name(e, namespace_, pod);
    const struct group *g = p ? p->group : NULL;
    *ret_set = g && skr_roles_are_several(g) ? p->set : -1;
    return g ? g->name : NULL;
}
