/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a plan of an answer: see commit.h. */
#include "core/gang/planning/commit.h"

#include "core/gang/cache/booked.h"
#include "core/gang/cache/device_pools.h"
#include "core/gang/cache/device_shares.h"
#include "core/gang/cache/devices.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/group/attempt.h"
#include "core/gang/group/group_state.h"
#include "core/gang/group/known_ranks.h"
#include "core/gang/group/member_order.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/pins.h"
#include "core/gang/group/seat_holds.h"
#include "core/gang/group/seating.h"
#include "core/gang/group/uncounted.h"
#include "core/gang/plan/bind_calls.h"
#include "core/gang/plan/nomination.h"
#include "core/gang/plan/plan.h"
#include "core/gang/plan/volume_turns.h"
#include "core/gang/planning/queue.h"
#include "core/gang/planning/volume_order.h"
#include "core/gang/preempt/preemption.h"
#include "core/gang/problem/fit.h"
#include "core/gang/problem/pod_rules.h"
#include "core/gang/problem/problem_volumes.h"
#include "core/gang/report/outputs.h"
#include "core/gang/state/booking.h"
#include "core/gang/state/output.h"
#include "topology/base/strbuf.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { ORDERS_MAX = 16 }; /* of the members on a node that are tried */

/* Seats for the assignment: newcomers first, in the given order, then members that stay, then those that are gone. */
static struct skr_seat *seats_of(const struct skr_gang *e, const struct group *g,
                                 struct pod_entry *const *newcomers, size_t n, size_t *ret_n)
{
    struct skr_seat *seat = skr_alloc_array(g->n_members + g->holds.n + n + 1, sizeof *seat);
    enum skr_pod_index_key key[SKR_ROLES_MAX] = {0};
    struct pod_entry **owner = skr_alloc_array(g->n_members + n + 1, sizeof *owner);
    const bool pins = skr_pins_count(newcomers, n);
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        const struct skr_pod_shape *spec = newcomers[i]->shape->spec;
        const char *node = pins ? skr_pins_node(e, spec) : NULL;
        owner[k] = newcomers[i];
        seat[k++] = (struct skr_seat){
            .leaf = node ? skr_tree_find_leaf(e->topology.tree, node) : -1,
            .rank = -1,
            .pinned = pins && skr_pins_is_pinned(spec),
        };
    }
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        const char *node = skr_membership_claim_node(g, p, newcomers, n);
        if (!node) {
            continue;
        }
        owner[k] = p;
        seat[k++] = (struct skr_seat){.node = node,
                                      .leaf = skr_tree_find_leaf(e->topology.tree, node),
                                      .rank = p->plan ? p->place.rank : skr_pods_rank_label(p),
                                      .claimed = true};
    }
    skr_member_order_seats(owner, seat, k, key);
    *ret_n = skr_seating_add_gone(e, g, owner, k, key, e->topology.tree, seat);
    free(owner);
    return seat;
}

/* ---- own places ---- */

static void add_room(const struct skr_solve_request *request, const struct pod_entry *p,
                     int32_t leaf, int64_t *room)
{
    const size_t n = request->problem.n_resources;
    for (size_t r = 0; r < n; r++) {
        int64_t *sum = &room[(size_t)leaf * n + r];
        *sum = skr_amount_sum(*sum, skr_amounts_get(&p->shape->amounts, request->resource[r]));
    }
}

/* Room for each newcomer where its index was, and on each held seat of the role and set of newcomers without an index.
 * False: these are too few. Seats begin with the newcomers. */
static bool add_homes(const struct skr_solve_request *request, const struct skr_known_ranks *known,
                      const struct skr_seat *seat, size_t n_seats,
                      struct pod_entry *const *newcomers, size_t n, int64_t *room)
{
    size_t plain = 0, places = 0;
    for (size_t i = 0; i < n; i++) {
        const int32_t leaf = skr_known_ranks_leaf(known, &seat[i]);
        plain += seat[i].index < 0;
        if (seat[i].index >= 0 && leaf < 0) {
            return false;
        }
        if (leaf >= 0) {
            add_room(request, newcomers[i], leaf, room);
        }
    }
    for (size_t i = n; i < n_seats && plain > 0; i++) {
        size_t k = 0;
        while (k < n &&
               !(seat[k].index < 0 && seat[k].role == seat[i].role && seat[k].set == seat[i].set)) {
            k++;
        }
        if (seat[i].held && seat[i].leaf >= 0 && k < n) {
            add_room(request, newcomers[k], seat[i].leaf, room);
            places++;
        }
    }
    return places >= plain;
}

bool skr_commit_at_home(const struct skr_gang *e, const struct group *g,
                        struct pod_entry *const *newcomers, size_t n,
                        struct skr_solve_request *request)
{
    struct skr_problem *p = &request->problem;
    const size_t leaves = (size_t)p->tree->n_leaves;
    const size_t listed = p->n_resources - request->drivers.n - request->n_learned;
    int64_t *free_ = (int64_t *)(uintptr_t)p->free;
    struct skr_known_ranks known;
    size_t n_seats;
    if (g->seats.n_bound == 0 || request->pinned) {
        return false;
    }
    SKR_AUTO_FREE struct skr_seat *seat = seats_of(e, g, newcomers, n, &n_seats);
    SKR_AUTO_FREE int64_t *room = skr_alloc_array(leaves * p->n_resources + 1, sizeof *room);
    bool fits = skr_known_ranks_init(&known, request->arena, seat, n_seats) &&
                add_homes(request, &known, seat, n_seats, newcomers, n, room);
    for (size_t i = 0; i < leaves * p->n_resources && fits; i++) {
        fits = i % p->n_resources >= listed || room[i] <= free_[i];
    }
    for (size_t i = 0; i < leaves * p->n_resources && fits; i++) {
        free_[i] = i % p->n_resources < listed ? room[i] : free_[i];
    }
    return fits;
}

/* ---- seats ---- */

/* Nodes and ranks. The problem's claims for missing members of sets have no seat. */
static int deal(const struct group *g, const struct skr_solve_request *solved,
                const struct skr_solution *s, struct skr_seat *seat, size_t n_seats,
                struct skr_error *error)
{
    const struct skr_request_roles *roles = solved->roles;
    const size_t n_roles = s->roles ? roles->n : 0, leaves = (size_t)solved->tree->n_leaves;
    struct skr_role_counts counts = {.total = s->count};
    SKR_AUTO_FREE int32_t *count = skr_alloc_array(n_roles * leaves + 1, sizeof *count);
    for (size_t r = 0; r < n_roles; r++) {
        for (size_t i = 0; i < leaves; i++) {
            count[r * leaves + i] = s->roles->count[r * leaves + i] - roles->missing[r][i];
        }
        counts.of_role[roles->role[r]] = &count[r * leaves];
    }
    for (size_t k = 0; k < SKR_SET_KINDS_MAX && s->roles; k++) {
        if (s->roles->sets[k]) {
            counts.sets[roles->kind[k]] = s->roles->sets[k];
        }
    }
    return skr_seating_deal(g, solved->tree, &counts, seat, n_seats, error);
}

/* New members of a role of the problem by leaf. */
static void places_of(const struct skr_solve_request *solved, const struct skr_solution *s,
                      size_t r, int32_t *ret)
{
    for (int32_t leaf = 0; leaf < solved->tree->n_leaves; leaf++) {
        ret[leaf] = skr_solution_added(&solved->problem, s, r, leaf);
    }
}

/* Newcomers whose volumes are on some of these nodes alone, or that share devices of one. Seats begin with the
 * newcomers. */
static void deal_kept(struct skr_gang *e, const struct skr_solve_request *solved,
                      const struct skr_solution *s, struct pod_entry *const *newcomers, size_t n,
                      struct skr_seat *seat)
{
    if (!skr_problem_volumes_matter(e, newcomers, n) && !skr_device_shares_any(e, newcomers, n)) {
        return;
    }
    SKR_AUTO_FREE int32_t *place =
        skr_alloc_array((size_t)solved->tree->n_leaves + 1, sizeof *place);
    SKR_AUTO_FREE int32_t *leaf = skr_alloc_array(n + 1, sizeof *leaf);
    SKR_AUTO_FREE size_t *at = skr_alloc_array(n + 1, sizeof *at);
    SKR_AUTO_FREE struct pod_entry **of_role = skr_alloc_array(n + 1, sizeof *of_role);
    for (size_t r = 0; r < skr_problem_n_roles(&solved->problem); r++) {
        size_t k = 0;
        for (size_t i = 0; i < n; i++) {
            if (!seat[i].pinned && skr_request_role_of(solved, newcomers[i]->role) == (int32_t)r) {
                at[k] = i;
                of_role[k++] = newcomers[i];
            }
        }
        places_of(solved, s, r, place);
        skr_problem_volumes_deal(e, of_role, k, place, leaf);
        places_of(solved, s, r, place);
        skr_device_shares_deal(e, of_role, k, place, (size_t)solved->tree->n_leaves, leaf);
        for (size_t i = 0; i < k; i++) {
            if (leaf[i] >= 0) {
                seat[at[i]].leaf = leaf[i];
                seat[at[i]].pinned = true;
            }
        }
    }
}

/* leaf: of each newcomer; NULL: where its volumes are. */
static struct skr_seat *seats_on(struct skr_gang *e, const struct group *g,
                                 struct pod_entry *const *newcomers, size_t n,
                                 const struct skr_solve_request *solved,
                                 const struct skr_solution *s, const int32_t *leaf,
                                 struct skr_error *error)
{
    size_t n_seats;
    struct skr_seat *seat = seats_of(e, g, newcomers, n, &n_seats);
    for (size_t i = 0; i < n && leaf; i++) {
        seat[i].leaf = leaf[i];
        seat[i].pinned = true;
    }
    if (!leaf) {
        deal_kept(e, solved, s, newcomers, n, seat);
    }
    if (deal(g, solved, s, seat, n_seats, error) < 0) {
        free(seat);
        return NULL;
    }
    return seat;
}

struct skr_seat *skr_commit_seats(struct skr_gang *e, const struct group *g,
                                  struct pod_entry *const *newcomers, size_t n,
                                  const struct skr_solve_request *solved,
                                  const struct skr_solution *s, struct skr_error *error)
{
    return seats_on(e, g, newcomers, n, solved, s, NULL, error);
}

/* If a role is placed short of its size, the first in member order come; the others follow later.
 * Returns how many come. */
static size_t keep_placed(const struct skr_solve_request *solved, const struct skr_solution *s,
                          struct pod_entry **newcomers, size_t n)
{
    size_t kept = 0;
    SKR_AUTO_FREE struct pod_entry **list = skr_alloc_array(n + 1, sizeof *list);
    for (size_t r = 0; r < skr_problem_n_roles(&solved->problem); r++) {
        int32_t places = 0;
        size_t begin = kept;
        for (int32_t leaf = 0; leaf < solved->tree->n_leaves; leaf++) {
            places += skr_solution_added(&solved->problem, s, r, leaf);
        }
        for (size_t i = 0; i < n; i++) {
            if (skr_request_role_of(solved, newcomers[i]->role) == (int32_t)r) {
                list[kept++] = newcomers[i];
            }
        }
        if (kept - begin > (size_t)places && !solved->pinned) {
            skr_member_order_sort(&list[begin], kept - begin);
            kept = begin + (size_t)places;
        }
    }
    memcpy(newcomers, list, kept * sizeof *list);
    return kept;
}

static void set_turns(struct skr_gang *e, struct plan *plan, struct pod_entry *const *newcomers,
                      size_t n)
{
    SKR_AUTO_FREE const char **node = skr_alloc_array(n + 1, sizeof *node);
    SKR_AUTO_FREE int32_t *turn = skr_alloc_array(n + 1, sizeof *turn);
    for (size_t i = 0; i < n; i++) {
        node[i] = newcomers[i]->place.node;
    }
    skr_pod_rules_turns(e, newcomers, n, node, turn);
    skr_device_shares_turns(e, newcomers, n, turn);
    skr_volume_turns_add(e, newcomers, n, turn);
    skr_uncounted_begin(e, plan, newcomers, n, turn);
    for (size_t i = 0; i < n; i++) {
        skr_plan_set_turn(newcomers[i], turn[i]);
    }
}

/* A newcomer and its planned node. */
struct placed {
    size_t at;
    const char *node;
};

/* The first one in this order that its node does not serve; n: there is none. apart: they may be on several nodes. */
static size_t first_unserved(struct skr_gang *e, struct pod_entry *const *newcomers,
                             const struct placed *placed, size_t n, bool apart)
{
    SKR_AUTO_FREE struct pod_entry **pod = skr_alloc_array(n + 1, sizeof *pod);
    SKR_AUTO_FREE const char **node = skr_alloc_array(n + 1, sizeof *node);
    for (size_t i = 0; i < n; i++) {
        pod[i] = newcomers[placed[i].at];
        node[i] = placed[i].node;
    }
    const size_t ret =
        apart ? skr_device_pools_serve(e, pod, node, n) : skr_devices_serve(e, pod, n, node[0]);
    return ret;
}

static int by_node(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    const int c = strcmp(x->node, y->node);
    return c != 0 ? c : (x->at > y->at) - (x->at < y->at);
}

/* Looks for an order in which all are served: one that is not comes first. If there is none, one that some order does
 * not serve and its like are one fewer on its node from now on, preferably one without a limit elsewhere. */
static bool put_in_order(struct skr_gang *e, struct group *g, struct pod_entry *const *newcomers,
                         struct placed *placed, size_t n, bool apart)
{
    struct placed loser = {SIZE_MAX, NULL};
    size_t at = 0;
    for (int tries = 0; at < n && tries < ORDERS_MAX; tries++) {
        const struct placed first = placed[at];
        memmove(&placed[1], placed, at * sizeof *placed);
        placed[0] = first;
        at = first_unserved(e, newcomers, placed, n, apart);
        if (at < n && (!loser.node || (skr_vetoes_find(g, newcomers[loser.at]->shape) &&
                                       !skr_vetoes_find(g, newcomers[placed[at].at]->shape)))) {
            loser = placed[at];
        }
    }
    if (at < n && loser.node) {
        int32_t alike = -1;
        for (size_t i = 0; i < n; i++) {
            alike += newcomers[placed[i].at]->role == newcomers[loser.at]->role &&
                     strcmp(placed[i].node, loser.node) == 0;
        }
        skr_vetoes_limit(e, g, newcomers[loser.at]->shape, loser.node, alike);
    }
    return at == n;
}

/* Whether those that share devices of one node are on one. If not, one of their nodes takes one newcomer less from now
 * on; if it is the last try, the reason says so. */
static bool are_together(struct skr_gang *e, struct group *g, struct pod_entry *const *newcomers,
                         size_t n, const struct skr_seat *seat, bool last)
{
    SKR_AUTO_FREE const char **node = skr_alloc_array(n + 1, sizeof *node);
    const char *claim = NULL;
    int32_t beside = -1;
    for (size_t i = 0; i < n; i++) {
        node[i] = seat[i].node;
    }
    const size_t split = skr_device_shares_split(e, newcomers, node, n, &claim);
    for (size_t i = 0; split < n && i < n; i++) {
        beside += newcomers[i]->role == newcomers[split]->role && strcmp(node[i], node[split]) == 0;
    }
    if (split < n && last) {
        SKR_STRBUF(b);
        skr_strbuf_addf(
            &b,
            "group %s is not planned: devices of ResourceClaim %s are on one node, and no "
            "plan was found with all pods there that name it",
            g->name, claim);
        skr_group_state_reason(g, SKR_REASON_CONSTRAINT_CONFLICT, b.s);
        skr_dirty_group(e, g);
    } else if (split < n) {
        skr_vetoes_limit(e, g, newcomers[split]->shape, node[split], beside);
    }
    return split == n;
}

static void reorder(const struct placed *placed, size_t n, struct pod_entry **newcomers,
                    struct skr_seat *seat)
{
    SKR_AUTO_FREE struct pod_entry **pod = skr_alloc_array(n, sizeof *pod);
    SKR_AUTO_FREE struct skr_seat *of = skr_alloc_array(n, sizeof *of);
    memcpy(pod, newcomers, n * sizeof *pod);
    memcpy(of, seat, n * sizeof *of);
    for (size_t i = 0; i < n; i++) {
        newcomers[i] = pod[placed[i].at];
        seat[i] = of[placed[i].at];
    }
}

/* Slots count what the greatest of the members needs, or each role alone (roles), and those of a leaf without the
 * other leaves that reach the same devices. Newcomers, and their seats, come into an order in which devices serve
 * them. False: a node does not serve all of its members. */
static bool order_for_devices(struct skr_gang *e, struct group *g, struct pod_entry **newcomers,
                              size_t n, bool roles, struct skr_seat *seat)
{
    struct device_needs *needs = skr_devices_needs(e, newcomers, n);
    const bool apart = skr_device_pools_need_play(e, needs);
    struct device_shares shares = skr_device_shares_of(e, newcomers, n);
    const bool partial = shares.partial;
    const bool differ = (needs && (needs->n > 1 || roles || apart)) || partial;
    free(shares.item);
    skr_devices_needs_unref(e, needs);
    if (!differ || g->attempt.device_rounds >= SKR_DEVICE_ROUNDS_MAX) {
        g->attempt.device_rounds = 0;
        return !partial || are_together(e, g, newcomers, n, seat, true);
    }
    SKR_AUTO_FREE struct placed *placed = skr_alloc_array(n, sizeof *placed);
    const bool together = are_together(e, g, newcomers, n, seat, false);
    bool served = together;
    for (size_t i = 0; i < n; i++) {
        placed[i] = (struct placed){i, seat[i].node};
    }
    qsort(placed, n, sizeof *placed, by_node);
    for (size_t i = 0, end; together && i < n; i = end) {
        for (end = i + 1; end < n && (apart || strcmp(placed[end].node, placed[i].node) == 0);) {
            end++;
        }
        served = put_in_order(e, g, newcomers, &placed[i], end - i, apart) && served;
    }
    reorder(placed, n, newcomers, seat);
    g->attempt.device_rounds = served ? 0 : g->attempt.device_rounds + 1;
    return served;
}

/* Newcomers go where kube-scheduler gives each its volumes, one after the other. s is changed if that is elsewhere. */
static enum skr_commit_outcome seat_by_volumes(struct skr_gang *e, struct group *g,
                                               struct pod_entry *const *newcomers, size_t n,
                                               const struct skr_solve_request *solved,
                                               struct skr_solution *s, struct skr_seat **seat)
{
    const bool last = g->attempt.device_rounds >= SKR_DEVICE_ROUNDS_MAX;
    struct skr_error error;
    SKR_AUTO_FREE int32_t *leaf = skr_alloc_array(n + 1, sizeof *leaf);
    for (size_t i = 0; i < n; i++) {
        leaf[i] = (*seat)[i].leaf;
    }
    const enum skr_volume_order found = skr_volume_order(e, g, newcomers, n, solved, s, last, leaf);
    if (found == SKR_VOLUMES_NONE) {
        g->attempt.device_rounds = 0;
        return SKR_COMMIT_NO_VOLUMES;
    }
    if (found == SKR_VOLUMES_LIMITED) {
        g->attempt.device_rounds++;
        return SKR_COMMIT_AGAIN;
    }
    if (found == SKR_VOLUMES_DEALT) {
        free(*seat);
        *seat = seats_on(e, g, newcomers, n, solved, s, leaf, &error);
    }
    return *seat ? SKR_COMMIT_DONE : SKR_COMMIT_FAILED;
}

/* Whether a group with a reservation, which is before it in the order, waits on. */
static bool backfills(const struct skr_gang *e, const struct group *g)
{
    const struct booking *b;
    bool any = false;
    DL_FOREACH(e->bookings.list, b)
    {
        any = any || (b->group != g && b->group->spec && skr_queue_goes_before(b->group, g));
    }
    return any;
}

enum skr_commit_outcome skr_commit_answer(struct skr_gang *e, struct group *g,
                                          struct pod_entry **newcomers, size_t n,
                                          const struct skr_solve_request *solved,
                                          struct skr_solution *s,
                                          const struct skr_solve_request *preemption)
{
    struct skr_error error;
    enum skr_commit_outcome ordered = SKR_COMMIT_DONE;
    n = keep_placed(solved, s, newcomers, n);
    struct skr_seat *seat = skr_commit_seats(e, g, newcomers, n, solved, s, &error);
    if (!seat) {
        skr_out_decision(e, g->key, "", "Assignment failed", "", error.text, true);
        return SKR_COMMIT_FAILED;
    }
    bool rescue = g->plan;
    const bool last = g->attempt.device_rounds >= SKR_DEVICE_ROUNDS_MAX;
    if (!preemption) {
        ordered = seat_by_volumes(e, g, newcomers, n, solved, s, &seat);
    }
    if (!preemption && ordered == SKR_COMMIT_DONE &&
        !order_for_devices(e, g, newcomers, n, solved->problem.roles, seat)) {
        ordered = last ? SKR_COMMIT_FAILED : SKR_COMMIT_AGAIN;
    }
    if (ordered != SKR_COMMIT_DONE) {
        free(seat);
        return ordered;
    }
    struct plan *plan = rescue ? g->plan : skr_plan_create(e, g);
    const struct window window = {.class_ = skr_membership_lowest_class(g)};
    if (!rescue) {
        skr_seat_holds_open(e, g);
    }
    for (size_t i = 0; i < n; i++) {
        int32_t rank = rescue ? newcomers[i]->place.rank : seat[i].rank;
        uint64_t attempts = g->attempt.n - newcomers[i]->attempts_base;
        bool recorded = rescue && newcomers[i]->place.recorded;
        if (rescue) {
            skr_bind_calls_answer(e, newcomers[i], SKR_ANSWER_ERROR, SKR_TEXT_BIND_FAILED);
            skr_plan_remove_member(e, newcomers[i]);
            skr_nomination_tried(newcomers[i]);
        }
        skr_plan_add_member(e, plan, newcomers[i], seat[i].node, rank);
        if (recorded) { /* with its old node: a record of its membership exists */
            skr_plan_note_recorded(newcomers[i]);
        }
        skr_booked_note_passed(e, &window, newcomers[i]->uid, seat[i].node);
        skr_plan_set_retries(newcomers[i], attempts > INT32_MAX ? INT32_MAX : (int32_t)attempts);
    }
    if (!rescue) {
        skr_seat_holds_close(e, g, newcomers, n);
        skr_seat_holds_make_room(e, g, newcomers, n);
    }
    set_turns(e, plan, newcomers, n);
    free(seat);
    skr_fit_leave(e, g);
    skr_attempt_lift(g);
    skr_attempt_placed(g, s->optimal);
    if (rescue) {
        skr_plan_text_changed(e, plan);
    } else {
        skr_group_state_reason(g, SKR_REASON_NONE, NULL);
        if (preemption) {
            skr_preemption_begin(plan, preemption->preemption, preemption->victims);
        }
        if (g->seats.n_bound == 0) {
            e->stats.backfilled += backfills(e, g);
            skr_group_state_enter(e, g, preemption ? GROUP_PREEMPTING : GROUP_PLANNED);
        }
        skr_outputs_update(e, g);
        skr_plan_commit(e, plan);
    }
    skr_dirty_group(e, g);
    return SKR_COMMIT_DONE;
}

bool skr_commit_drop_limits(struct skr_gang *e, struct group *g)
{
    const uint32_t rounds = g->attempt.device_rounds;
    if (rounds == 0 || rounds >= SKR_DEVICE_ROUNDS_MAX) {
        return false;
    }
    skr_vetoes_end_doubtful(e, g);
    g->attempt.device_rounds = SKR_DEVICE_ROUNDS_MAX;
    skr_attempt_again(g);
    return true;
}
