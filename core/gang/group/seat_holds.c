/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds seats of lost members for their replacements. If a node closes, the nearest open one
 * replaces it: by distance in the tree, then tree order. A node qualifies if the running members,
 * the other held seats and one more there keep the rules of the group and those of the role. The
 * seat of a set that runs stays in the unit of the set.
 */
#include "core/gang/group/seat_holds.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/ends.h"
#include "core/gang/cache/entry.h"
#include "core/gang/cache/fit_cache.h"
#include "core/gang/cache/names.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/cache/workload_owners.h"
#include "core/gang/group/generation.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/namespace_bound.h"
#include "core/gang/group/roles.h"
#include "core/gang/group/rule_check.h"
#include "core/gang/group/run_limit.h"
#include "core/gang/group/set_units.h"
#include "core/gang/group/yielding.h"
#include "core/gang/state/output.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/wakes.h"

#include <string.h>
#include <utlist.h>

/* ---- how long, how many ---- */

/* The end of a seat that is held from then on; not later: it is not held. word: of its member, as in struct
 * seat_hold. */
static skr_time until_of(const struct skr_gang *e, const struct group *g, int64_t word,
                         skr_time from)
{
    if (!g->spec || g->source.kind == SOURCE_NONE) {
        return from;
    }
    skr_time end = skr_run_limit_end(g);
    end = word != 0 && word * SKR_SECOND < end ? word * SKR_SECOND : end;
    skr_time want =
        g->spec->seat_hold != SKR_TIME_NEVER ? g->spec->seat_hold : e->settings.seat_hold;
    want = want < e->settings.seat_hold_max ? want : e->settings.seat_hold_max;
    return end <= from ? from : end - from < want ? end : from + want;
}

static skr_time duration_of(const struct skr_gang *e, const struct group *g, int64_t word)
{
    const skr_time now = skr_frame_now(e->frame);
    return until_of(e, g, word, now) - now;
}

/* What is far away is no end. */
static int64_t word_of(const struct skr_gang *e, const struct pod_entry *p)
{
    const int64_t end = skr_ends_by_limit(e, p->pod);
    return end > skr_instant_up(skr_frame_now(e->frame)) + SKR_END_BEYOND_S ? 0 : end;
}

static bool runs(const struct pod_entry *p)
{
    return skr_pod_is_live(p->pod) && skr_pods_is_bound(p);
}

static bool is_pushed_out(const struct group *g)
{
    return g->state == GROUP_EVICTED || g->state == GROUP_PREEMPTING;
}

/* The number of seats that may be held: what the group needs without the running members. Without any, a seat is held
 * only for a group that goes on: for its next generation. */
static size_t most_of(const struct skr_gang *e, const struct group *g)
{
    const size_t needs = skr_membership_needs(g), later = skr_generation_later_size(g);
    size_t size = needs > later ? needs : later, n = 0;
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        n += runs(p) || (p->plan && !p->plan->aborting && skr_pod_is_live(p->pod));
    }
    return n >= size || is_pushed_out(g) || (n == 0 && !skr_generation_is_made_again(e, g))
               ? 0
               : size - n;
}

/* Whether what the namespace ran with was noted for seats that are held now. */
static bool holds_noted(const struct group *g)
{
    return g->holds.ran && g->holds.ran->since != 0;
}

/* Whether no member runs, and one is still on its node. The time of its seats begins when all have left,
 * at most seatHoldMax after the first. */
static bool is_leaving(const struct skr_gang *e, const struct group *g)
{
    const struct pod_entry *p;
    bool leaving = false, running = false;
    DL_FOREACH(holds_noted(g) ? g->members : NULL, p)
    {
        running = running || runs(p);
        leaving = leaving || (skr_pods_is_bound(p) && !skr_pods_is_terminal(p->pod));
    }
    return leaving && !running &&
           skr_frame_now(e->frame) < g->holds.ran->since + e->settings.seat_hold_max;
}

/* A member has left after others: their seats are held as long as its own. */
static void renew(struct skr_gang *e, struct group *g)
{
    const skr_time now = skr_frame_now(e->frame), duration = duration_of(e, g, 0);
    const skr_time last = g->holds.ran->since + e->settings.seat_hold_max;
    const skr_time until = now + duration < last ? now + duration : last;
    for (size_t i = 0; i < g->holds.n; i++) {
        struct seat_hold *hold = &g->holds.item[i];
        const skr_time end = hold->word != 0 ? hold->word * SKR_SECOND : SKR_TIME_NEVER;
        const skr_time longer = until < end ? until : end;
        hold->until = !hold->arranged && hold->until < longer ? longer : hold->until;
    }
    g->holds.ran->until = now + e->settings.seat_hold;
    if (until > now) {
        skr_wakes_group(e, g, until);
    }
}

/* ---- where ---- */

static bool is_open(const struct skr_gang *e, const struct shape *shape, const char *node)
{
    const struct node_entry *n = skr_nodes_find(e, node);
    return n && n->node && skr_pod_shape_check_node(shape->spec, n->node) == SKR_ELIGIBLE &&
           skr_tree_find_leaf(e->topology.tree, node) >= 0;
}

/* Running members and held seats. */
static void count_seats(const struct group *g, struct skr_rule_check *check)
{
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (runs(p)) {
            skr_rule_check_add(check, p->role, p->pod->node_name, 1);
        }
    }
    for (size_t i = 0; i < g->holds.n; i++) {
        if (!g->holds.item[i].early) {
            skr_rule_check_add(check, g->holds.item[i].role, g->holds.item[i].node, 1);
        }
    }
}

struct near {
    int32_t leaf, distance;
};

static int by_distance(const void *a, const void *b)
{
    const struct near *x = a, *y = b;
    if (x->distance != y->distance) {
        return x->distance < y->distance ? -1 : 1;
    }
    return x->leaf < y->leaf ? -1 : x->leaf > y->leaf;
}

static size_t near_leaves(const struct skr_gang *e, const struct shape *shape, int32_t from,
                          struct near *list)
{
    const struct skr_tree *t = e->topology.tree;
    size_t n = 0;
    for (int32_t leaf = 0; leaf < t->n_leaves; leaf++) {
        const char *node = t->unit_name[t->first_leaf + leaf];
        if (is_open(e, shape, node) && skr_ledger_fits(e->ledger, node, &shape->amounts, NULL)) {
            int32_t distance = from >= 0 && from != leaf ? skr_tree_distance(t, from, leaf) : 0;
            list[n++] = (struct near){.leaf = leaf, .distance = distance};
        }
    }
    qsort(list, n, sizeof *list, by_distance);
    return n;
}

/* The unit in which the set of the seat runs; -1: any. *ret_level: of that unit. */
static int32_t unit_of_set(const struct skr_gang *e, const struct group *g,
                           const struct seat_hold *hold, int32_t *ret_level)
{
    const struct skr_tree *t = e->topology.tree;
    const int32_t kind = hold->role < g->roles.n ? g->roles.item[hold->role].kind : -1;
    if (kind < 0 || hold->set < 0) {
        return -1;
    }
    size_t n;
    SKR_AUTO_FREE int32_t *unit = skr_set_units(t, g, (size_t)kind, true, &n);
    *ret_level = skr_tree_find_level(t, g->spec->set[kind].level);
    return (size_t)hold->set<n && * ret_level> 0 ? unit[hold->set] : -1;
}

/* The nearest open node with room for the seat under the rules; NULL: none. O(leaves). */
static const char *other_node(struct skr_gang *e, const struct group *g,
                              const struct seat_hold *hold, const char *closed)
{
    const struct skr_tree *t = e->topology.tree;
    SKR_AUTO_FREE struct near *list = skr_alloc_array((size_t)t->n_leaves + 1, sizeof *list);
    struct skr_rule_check check;
    const char *found = NULL;
    int32_t level = 0;
    const int32_t unit = unit_of_set(e, g, hold, &level);
    skr_rule_check_init(&check, t, g);
    count_seats(g, &check);
    size_t n = near_leaves(e, hold->shape, skr_tree_find_leaf(t, closed), list);
    for (size_t i = 0, tried = 0; i < n && tried < SKR_SEAT_TRIES && !found; i++) {
        const char *node = t->unit_name[t->first_leaf + list[i].leaf];
        if (unit >= 0 && skr_tree_unit_at(t, list[i].leaf, level) != unit) {
            continue;
        }
        tried++;
        skr_rule_check_add(&check, hold->role, node, 1);
        found = skr_rule_check_keeps(&check, NULL) ? node : NULL;
        skr_rule_check_add(&check, hold->role, node, -1);
    }
    skr_rule_check_fini(&check);
    return found ? skr_names_intern(e, found) : NULL;
}

/* ---- the list ---- */

static void charge(struct skr_gang *e, const struct seat_hold *hold)
{
    skr_ledger_charge(e->ledger, hold->uid, hold->node, &hold->shape->amounts, SKR_CHARGE_RESERVED);
}

/* Notes the groups that hold seats, and the lowest of their priorities and classes. class: that of one
 * more seat; INT32_MIN: there is no more. */
static void note_holder(struct skr_gang *e, struct group *g, bool was, int32_t class)
{
    const bool is = g->holds.n > 0;
    const int32_t priority = g->spec ? g->spec->priority : 0;
    const struct group *h;
    class = was && g->holds.class_ > class ? g->holds.class_ : class;
    if (is == was && (!is || (g->holds.priority == priority && g->holds.class_ == class))) {
        return;
    }
    g->holds.priority = priority;
    g->holds.class_ = class;
    if (is && !was) {
        DL_APPEND2(e->holders.list, g, holds.prev, holds.next);
    } else if (!is) {
        DL_DELETE2(e->holders.list, g, holds.prev, holds.next);
    }
    e->holders.lowest = e->holders.lowest_class = INT32_MAX;
    DL_FOREACH2(e->holders.list, h, holds.next)
    {
        e->holders.lowest =
            h->holds.priority < e->holders.lowest ? h->holds.priority : e->holders.lowest;
        e->holders.lowest_class =
            h->holds.class_ < e->holders.lowest_class ? h->holds.class_ : e->holders.lowest_class;
    }
    skr_dirty_victims(e);
}

void skr_seat_holds_drop(struct skr_gang *e, struct group *g, size_t at)
{
    struct seat_hold *hold = &g->holds.item[at];
    struct pod_entry *p =
        hold->early ? skr_pods_find(e, hold->uid + sizeof SKR_SEAT_PREFIX - 1) : NULL;
    if (p && p->work->evict.by && strcmp(p->work->evict.by, g->key) == 0) {
        skr_pods_forget_eviction(e, p);
    }
    skr_ledger_release(e->ledger, hold->uid);
    skr_shapes_unref(e, hold->shape);
    free(hold->uid);
    memmove(hold, hold + 1, (g->holds.n - at - 1) * sizeof *hold);
    if (--g->holds.n == 0 && g->holds.ran) {
        g->holds.ran->since = 0;
    }
    skr_dirty_stamp(e, g);
    note_holder(e, g, true, INT32_MIN);
    skr_dirty_facts(e);
}

/* hold has what is not that of p; its uid is copied. */
static void add(struct skr_gang *e, struct group *g, const struct pod_entry *p,
                struct seat_hold hold)
{
    const char *uid = hold.uid;
    const size_t n = strlen(uid) + sizeof SKR_SEAT_PREFIX;
    hold.uid = skr_alloc(n);
    hold.node = skr_names_intern(e, hold.node);
    hold.shape = skr_shapes_ref(p->shape);
    hold.role_name = p->role_name ? skr_names_intern(e, p->role_name) : NULL;
    hold.role = p->role;
    hold.set = p->set;
    hold.rank = skr_pods_rank_label(p);
    memcpy(hold.index, p->pod->index, sizeof hold.index);
    snprintf(hold.uid, n, SKR_SEAT_PREFIX "%s", uid);
    skr_grow(&g->holds.item, &g->holds.cap, g->holds.n + 1, sizeof *g->holds.item);
    g->holds.item[g->holds.n++] = hold;
    skr_dirty_stamp(e, g);
    note_holder(e, g, g->holds.n > 1, p->pod->priority);
    charge(e, &hold);
    skr_out_decision(e, g->key, p->key, "Seat held", "", hold.node, false);
    skr_wakes_add(e, hold.until, WAKE_GROUP, g->key);
    skr_dirty_facts(e);
    skr_dirty_group(e, g);
}

void skr_seat_holds_arrange(struct skr_gang *e, struct group *g, const struct pod_entry *p,
                            const struct seat_hold *hold)
{
    struct seat_hold early = *hold;
    early.arranged = early.early = true;
    add(e, g, p, early);
}

const struct seat_hold *skr_seat_holds_of(const struct group *g, const char *uid)
{
    for (size_t i = 0; i < g->holds.n; i++) {
        if (strcmp(g->holds.item[i].uid + sizeof SKR_SEAT_PREFIX - 1, uid) == 0) {
            return &g->holds.item[i];
        }
    }
    return NULL;
}

void skr_seat_holds_note_left(struct skr_gang *e, struct group *g, size_t at)
{
    const skr_time held = duration_of(e, g, 0), least = SKR_VACANCY_S * SKR_SECOND;
    struct seat_hold *hold = &g->holds.item[at];
    hold->early = false;
    hold->until = skr_frame_now(e->frame) + (g->replacing.by ? SKR_MOVED_SEAT_S * SKR_SECOND
                                             : held > least  ? held
                                                             : least);
    skr_fit_cache_touch_room(e, hold->node);
    skr_wakes_add(e, hold->until, WAKE_GROUP, g->key);
}

static size_t n_plain(const struct group *g)
{
    size_t n = 0;
    for (size_t i = 0; i < g->holds.n; i++) {
        n += !g->holds.item[i].arranged;
    }
    return n;
}

void skr_seat_holds_lost(struct skr_gang *e, struct group *g, const struct pod_entry *p)
{
    const int64_t word = word_of(e, p);
    const skr_time duration = duration_of(e, g, word);
    if (!skr_frame_is_leader(e->frame)) {
        /* no holds: a follower does not see evictions and would keep room from a plan it takes
         * over */
        return;
    }
    skr_generation_read_owner(e, g, p);
    if (duration == 0 || !skr_topology_is_usable(e) || n_plain(g) >= most_of(e, g) ||
        skr_seat_holds_of(g, p->uid)) {
        return;
    }
    struct seat_hold hold = {.uid = (char *)(uintptr_t)p->uid,
                             .shape = p->shape,
                             .role = p->role,
                             .set = p->set,
                             .word = word,
                             .until = skr_frame_now(e->frame) + duration};
    const char *node = p->pod->node_name;
    if (!is_open(e, p->shape, node)) {
        node = other_node(e, g, &hold, node);
    }
    if (node && skr_ledger_fits(e->ledger, node, &p->shape->amounts, NULL)) {
        hold.node = node;
        add(e, g, p, hold);
        if (!holds_noted(g) && skr_generation_is_made_again(e, g)) {
            skr_namespace_bound_note_first(e, g, p);
        }
    }
    if (holds_noted(g) && !skr_membership_runs(g)) {
        renew(e, g);
        skr_dirty_input(g); /* what fits was found without the seat */
    }
}

skr_time skr_seat_holds_until(const struct skr_gang *e, const struct pod_entry *p, skr_time leaves)
{
    const struct group *g = p->group;
    const bool held = g && p->lost && !skr_ends_broke_word(e, p->uid) && n_plain(g) < most_of(e, g);
    return held ? until_of(e, g, word_of(e, p), leaves) : leaves;
}

/* Moves a hold whose node closed to another node, or ends it. Without a tree there is no other node. */
static bool moves(struct skr_gang *e, struct group *g, struct seat_hold *hold)
{
    const char *closed = hold->node;
    skr_ledger_release(e->ledger, hold->uid);
    hold->node = ""; /* counts on no node */
    const char *node = skr_topology_is_usable(e) ? other_node(e, g, hold, closed) : NULL;
    hold->node = node ? node : closed;
    if (node) {
        charge(e, hold);
    }
    return node;
}

/* All members of one have left, and the other one is made in its place: it has its seats from now on. */
static void pass_on(struct skr_gang *e, struct group *from, struct group *to)
{
    skr_time last = 0;
    if (from->holds.n == 0 || from->seats.n_live > 0 || to->seats.n_live == 0 || to->holds.n > 0 ||
        n_plain(from) < from->holds.n) {
        return;
    }
    free(to->holds.item);
    to->holds.item = from->holds.item;
    to->holds.n = from->holds.n;
    to->holds.cap = from->holds.cap;
    LL_CONCAT2(from->holds.ran, to->holds.ran, earlier);
    to->holds.ran = from->holds.ran;
    from->holds.item = NULL;
    from->holds.ran = NULL;
    from->holds.n = from->holds.cap = 0;
    note_holder(e, to, false, from->holds.class_);
    note_holder(e, from, true, INT32_MIN);
    for (size_t i = 0; i < to->holds.n; i++) {
        last = to->holds.item[i].until > last ? to->holds.item[i].until : last;
    }
    skr_wakes_group(e, to, last);
    skr_dirty_stamp(e, from);
    skr_dirty_stamp(e, to);
    skr_dirty_input(to); /* what fits was found without the seats */
    skr_dirty_facts(e);
    skr_dirty_group(e, from);
    skr_dirty_group(e, to);
}

/* Each ReplicaSet of a Deployment is a group of its own. */
static void pass_between_replica_sets(struct skr_gang *e, struct group *g)
{
    struct group *h = g->derived.owner ? g->derived.owner->groups : NULL;
    for (; h; h = h->derived.next) {
        if (skr_workload_owners_roll_out(g, h)) {
            pass_on(e, g, h);
            pass_on(e, h, g);
        }
    }
}

static void end_some(struct skr_gang *e, struct group *g)
{
    size_t most = duration_of(e, g, 0) > 0 && skr_topology_is_usable(e) ? most_of(e, g) : 0;
    const bool leaving = is_leaving(e, g);
    if (leaving) {
        g->holds.ran->until = skr_frame_now(e->frame) + e->settings.seat_hold;
    }
    size_t plain = n_plain(g);
    for (size_t i = g->holds.n; i-- > 0;) {
        struct seat_hold *hold = &g->holds.item[i];
        const bool kept = leaving && (hold->word == 0 || hold->until < hold->word * SKR_SECOND);
        bool over = (!hold->arranged && plain > most) ||
                    (!hold->early && !kept && hold->until <= skr_frame_now(e->frame));
        if (over || (!is_open(e, hold->shape, hold->node) && (hold->early || !moves(e, g, hold)))) {
            plain -= !hold->arranged;
            skr_seat_holds_drop(e, g, i);
        }
    }
    if (g->holds.n > 0) {
        note_holder(e, g, true, INT32_MIN);
    }
    size_t over = skr_namespace_bound_seats_over(e, g);
    for (size_t i = g->holds.n; i-- > 0 && over > 0;) {
        if (!g->holds.item[i].arranged) {
            skr_seat_holds_drop(e, g, i);
            over--;
        }
    }
}

void skr_seat_holds_settle(struct skr_gang *e, struct group *g)
{
    pass_between_replica_sets(e, g);
    if (g->holds.n > 0) {
        end_some(e, g);
    }
    const bool over = g->holds.n == 0 && g->holds.ran &&
                      (is_pushed_out(g) || !skr_generation_is_made_again(e, g));
    skr_namespace_bound_settle(e, g, g->seats.n_bound, over);
}

void skr_seat_holds_watch(struct skr_gang *e, struct group *g, bool watched)
{
    if (watched && !g->replacing.listed) {
        DL_APPEND2(e->replacers, g, replacing.prev, replacing.next);
    } else if (!watched && g->replacing.listed) {
        DL_DELETE2(e->replacers, g, replacing.prev, replacing.next);
    }
    g->replacing.listed = watched;
}

void skr_seat_holds_end(struct skr_gang *e, struct group *g)
{
    skr_seat_holds_watch(e, g, false);
    free(g->replacing.text);
    free(g->replacing.by);
    g->replacing.text = g->replacing.by = NULL;
    g->replacing.n_lost = 0;
    while (g->holds.n > 0) {
        skr_seat_holds_drop(e, g, g->holds.n - 1);
    }
    skr_namespace_bound_settle(e, g, 0, true);
    free(g->holds.item);
    g->holds.item = NULL;
    g->holds.cap = 0;
}

/* ---- yielding ---- */

const struct seat_hold *skr_seat_holds_most(const struct skr_gang *e, const char *node,
                                            uint16_t resource, const struct group **ret)
{
    const struct seat_hold *largest = NULL;
    const struct group *h;
    int64_t most = 0;
    DL_FOREACH2(e->holders.list, h, holds.next)
    {
        for (size_t i = 0; i < h->holds.n; i++) {
            const struct seat_hold *seat = &h->holds.item[i];
            int64_t amount = skr_amounts_get(&seat->shape->amounts, resource);
            if (amount > most && strcmp(seat->node, node) == 0) {
                most = amount;
                largest = seat;
                *ret = h;
            }
        }
    }
    return largest;
}

static bool is_overfull(const struct skr_gang *e, const struct pod_entry *p)
{
    const struct skr_ledger_node *node = skr_ledger_get(e->ledger, p->place.node);
    for (size_t i = 0; node && i < p->shape->amounts.n; i++) {
        if (skr_ledger_node_room(node, &p->shape->amounts.item[i]) < 0) {
            return true;
        }
    }
    return false;
}

/* The seat on the node that yields first; NULL: none does. */
static struct group *first_to_yield(const struct skr_gang *e, const struct skr_claimant *c,
                                    const char *node, size_t *ret_at)
{
    struct group *h, *first = NULL;
    DL_FOREACH2(e->holders.list, h, holds.next)
    {
        const bool sooner =
            skr_yielding_seats(h, c) && (!first || h->holds.priority < first->holds.priority);
        for (size_t i = 0; sooner && i < h->holds.n; i++) {
            if (strcmp(h->holds.item[i].node, node) == 0) {
                first = h;
                *ret_at = i;
                break;
            }
        }
    }
    return first;
}

void skr_seat_holds_make_room(struct skr_gang *e, const struct group *g,
                              struct pod_entry *const *newcomer, size_t n)
{
    struct group *h = NULL;
    size_t at;
    if (!e->holders.list) {
        return;
    }
    const struct skr_claimant c = skr_claimant_of(g);
    for (size_t i = 0; e->holders.list && i < n; i++) {
        while (is_overfull(e, newcomer[i]) &&
               (h = first_to_yield(e, &c, newcomer[i]->place.node, &at))) {
            skr_out_decision(e, h->key, "", "Seat given up", "", g->key, false);
            skr_seat_holds_drop(e, h, at);
            skr_dirty_group(e, h);
        }
    }
}

/* ---- planning on it ---- */

/* Whether one of these pods may have the seat: in a group with key roles, one of its role. */
static bool is_for(const struct group *g, const struct seat_hold *hold,
                   struct pod_entry *const *newcomer, size_t n)
{
    bool found = !skr_roles_are_keyed(g);
    for (size_t i = 0; i < n && !found; i++) {
        found = newcomer[i]->role == hold->role;
    }
    return found;
}

static void add_hold(const struct skr_gang *e, const struct seat_hold *hold,
                     const uint16_t *resource, size_t n, int64_t *free_)
{
    int32_t leaf = skr_tree_find_leaf(e->topology.tree, hold->node);
    for (size_t r = 0; r < n && leaf >= 0; r++) {
        int64_t *room = &free_[(size_t)leaf * n + r];
        *room = skr_room_plus(*room, skr_amounts_get(&hold->shape->amounts, resource[r]));
    }
}

void skr_seat_holds_add_room(const struct skr_gang *e, const struct group *g,
                             struct pod_entry *const *newcomer, size_t n_newcomers,
                             const uint16_t *resource, size_t n, int64_t *free_)
{
    for (size_t i = 0; i < g->holds.n; i++) {
        if (is_for(g, &g->holds.item[i], newcomer, n_newcomers)) {
            add_hold(e, &g->holds.item[i], resource, n, free_);
        }
    }
}

void skr_seat_holds_open(struct skr_gang *e, struct group *g)
{
    for (size_t i = 0; i < g->holds.n; i++) {
        skr_ledger_release(e->ledger, g->holds.item[i].uid);
    }
}

/* The hold that a newcomer used: on its node, of its role and set, as far as there is one. */
static size_t used_by(const struct group *g, const struct pod_entry *p)
{
    size_t best = 0;
    int most = -1;
    for (size_t i = 0; i < g->holds.n; i++) {
        const struct seat_hold *hold = &g->holds.item[i];
        const int equal = (hold->role == p->role ? 4 : 0) + (hold->set == p->set ? 2 : 0) +
                          (strcmp(hold->node, p->place.node) == 0);
        if (equal > most) {
            most = equal;
            best = i;
        }
    }
    return best;
}

void skr_seat_holds_close(struct skr_gang *e, struct group *g, struct pod_entry *const *newcomer,
                          size_t n)
{
    for (size_t i = 0; i < n && g->holds.n > 0; i++) {
        skr_seat_holds_drop(e, g, used_by(g, newcomer[i]));
    }
    for (size_t i = g->holds.n; i-- > 0;) {
        const struct seat_hold *hold = &g->holds.item[i];
        if (skr_ledger_fits(e->ledger, hold->node, &hold->shape->amounts, NULL)) {
            charge(e, hold);
        } else {
            skr_seat_holds_drop(e, g, i);
        }
    }
}

/* ---- words ---- */

enum { NODES_SAID = 5 };

bool skr_seat_holds_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b)
{
    skr_time until = 0;
    if (g->holds.n == 0) {
        return false;
    }
    skr_strbuf_addf(b, "%zu %s for %s: ", g->holds.n,
                    g->holds.n == 1 ? "seat is held" : "seats are held",
                    g->holds.n == 1 ? "a replacement" : "replacements");
    for (size_t i = 0; i < g->holds.n; i++) {
        until = g->holds.item[i].until > until ? g->holds.item[i].until : until;
        if (i < NODES_SAID) {
            skr_strbuf_addf(b, "%s, ", g->holds.item[i].node);
        } else if (i == NODES_SAID) {
            skr_strbuf_add(b, "..., ");
        }
    }
    skr_time left = until > skr_frame_now(e->frame) ? until - skr_frame_now(e->frame) : 0;
    skr_strbuf_addf(b, "for %llds at most", (long long)((left + SKR_SECOND - 1) / SKR_SECOND));
    return true;
}
