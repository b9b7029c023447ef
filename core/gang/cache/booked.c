/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Free room only falls at starts of reservations, so the starts within the window are looked at, and
 * now.
 */
#include "core/gang/cache/booked.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/cache/ends.h"
#include "core/gang/cache/pods.h"
#include "topology/base/table.h"

/* ---- what counts ---- */

bool skr_booked_any(const struct skr_gang *e, const struct group *g)
{
    const bool others = e->bookings.n > (g && g->booking ? 1 : 0);
    return others && e->bookings.counting != BOOKED_NONE;
}

/* Of the members of its group. */
static void read_classes(struct booking *b)
{
    if (!b->classed || b->class_input != b->group->input_epoch) {
        const struct pod_entry *p;
        b->class_ = INT32_MIN;
        b->class_low = INT32_MAX;
        DL_FOREACH(b->group->members, p)
        {
            const int32_t class_ = p->pod->priority;
            const bool live = skr_pod_is_live(p->pod);
            b->class_ = live && class_ > b->class_ ? class_ : b->class_;
            b->class_low = live && class_ < b->class_low ? class_ : b->class_low;
        }
        b->class_input = b->group->input_epoch;
        b->classed = true;
    }
}

/* What is used goes before groups all of whose members have a lower class. */
static bool outranks(const struct window *w, struct booking *b)
{
    read_classes(b);
    return w->class_ > b->class_;
}

/* Whether the seats that are held there for who give way to the reservation: those of a group that they yield to
 * (core/gang/group/yielding.h), and what was reserved on the word of a member that left one. */
static bool takes_seats(const struct booked_for *who, struct booking *b, const char *node)
{
    const struct group *g = who->group, *other = b->group;
    read_classes(b);
    bool takes = (other->spec && other->spec->priority > g->holds.priority) ||
                 (b->class_low != INT32_MAX && b->class_low > g->holds.class_);
    for (size_t i = 0; i < g->holds.n && !takes; i++) {
        const struct seat_hold *hold = &g->holds.item[i];
        takes = hold->word != 0 && hold->word <= b->start && strcmp(hold->node, node) == 0;
    }
    return takes;
}

static bool counts(const struct skr_gang *e, const struct booked_for *who, struct booking *b,
                   const char *node)
{
    if (who->seats && !takes_seats(who, b, node)) {
        return false;
    }
    const bool below = who->group && who->group->spec && b->group->spec &&
                       b->group->spec->priority < who->group->spec->priority;
    return b->group != who->group && !(below && e->bookings.counting == BOOKED_NOT_BELOW) &&
           !outranks(&who->window, b);
}

/* ---- room over time ---- */

struct look {
    const struct skr_gang *e;
    const struct booked_for *who;
    const struct booked_node *node;
    int64_t now, end; /* of the window */
};

/* A cut that has passed ends nothing that starts now. */
static int64_t end_of_window(const struct window *w, int64_t now)
{
    const int64_t end = skr_instant_plus(now, w->holds);
    const int64_t cut = end < w->cut ? end : w->cut;
    return w->cut <= now ? SKR_INSTANT_NEVER : cut > now ? cut : now + 1;
}

/* What the pod is charged on the node; 0: it is not. */
static int64_t charged(const struct look *l, const char *uid, uint16_t resource)
{
    const char *on = "";
    const struct skr_amounts *amounts = skr_ledger_amounts(l->e->ledger, uid, &on);
    return amounts && strcmp(on, l->node->name) == 0 ? skr_amounts_get(amounts, resource) : 0;
}

/* What pods and held seats of others on the node give back until then. */
static int64_t freed_until(const struct look *l, uint16_t resource, int64_t at)
{
    const struct end_row *row = skr_ends_on(l->e, l->node->name);
    const struct group *h;
    int64_t sum = 0;
    for (; row; row = row->next) {
        const struct skr_pod_times times = skr_ends_times(l->e, row);
        const struct skr_pod_end end = skr_end_soon(&times, SKR_INSTANT_NEVER, l->now);
        if (end.at <= at) {
            sum = skr_amount_sum(sum, charged(l, row->uid, resource));
        }
    }
    DL_FOREACH2(l->e->holders.list, h, holds.next)
    {
        for (size_t i = 0; h != l->who->group && i < h->holds.n; i++) {
            const struct seat_hold *hold = &h->holds.item[i];
            if (skr_instant_up(hold->until) <= at && strcmp(hold->node, l->node->name) == 0) {
                sum = skr_amount_sum(sum, charged(l, hold->uid, resource));
            }
        }
    }
    return sum;
}

/* What others have reserved then. */
static int64_t reserved_at(const struct look *l, const char *resource, int64_t at)
{
    int64_t sum = 0;
    for (size_t i = 0; i < l->node->n; i++) {
        const struct booked_use *use = &l->node->use[i];
        struct booking *b = use->booking;
        if (b->start <= at && at < b->until && strcmp(use->resource, resource) == 0 &&
            counts(l->e, l->who, b, l->node->name)) {
            sum = skr_amount_sum(sum, use->amount);
        }
    }
    return sum;
}

/* The resource's name, if the node lists it; else NULL. What a node does not list, it has no room of
 * that a reservation could take: kube-scheduler serves it from devices, or refuses the node. */
static const char *listed(const struct look *l, uint16_t resource)
{
    const bool lists = l->node && skr_ledger_allocatable(l->e->ledger, l->node->name, resource) > 0;
    return lists ? skr_resource_names_get(l->e->resources, resource) : NULL;
}

/* At most 0: the least change of room in the window. */
static int64_t least_of(const struct look *l, uint16_t resource)
{
    const char *name = listed(l, resource);
    int64_t least = 0;
    for (size_t i = 0; name && i < l->node->n; i++) {
        const struct booked_use *use = &l->node->use[i];
        const int64_t start = use->booking->start > l->now ? use->booking->start : l->now;
        if (start >= l->end || strcmp(use->resource, name) != 0) {
            continue;
        }
        const int64_t reserved = reserved_at(l, name, start);
        const int64_t change =
            reserved > 0 ? skr_amount_sum(freed_until(l, resource, start), -reserved) : 0;
        least = change < least ? change : least;
    }
    return least;
}

static struct look look_at(const struct skr_gang *e, const struct booked_for *who,
                           const struct booked_node *node)
{
    const int64_t now = skr_instant_up(skr_frame_now(e->frame));
    return (struct look){
        .e = e, .who = who, .node = node, .now = now, .end = end_of_window(&who->window, now)};
}

const struct booked_node *skr_booked_find(const struct skr_gang *e, const char *node)
{
    struct booked_node *found = NULL;
    const uint32_t bit = skr_booked_bit(node);
    if (!(e->bookings.seen[bit / 64] >> bit % 64 & 1)) {
        return NULL;
    }
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->bookings.nodes, node, found);
    return found;
}

static bool holds_seat(const struct group *g, const char *node)
{
    bool holds = false;
    for (size_t i = 0; g && i < g->holds.n && !holds; i++) {
        holds = strcmp(g->holds.item[i].node, node) == 0;
    }
    return holds;
}

void skr_booked_take_off(const struct skr_gang *e, const struct booked_for *who, const char *node,
                         const uint16_t *resource, size_t n, int64_t *room)
{
    if (!skr_booked_any(e, who->group)) {
        return;
    }
    const struct look l = look_at(e, who, skr_booked_find(e, node));
    const bool seated = l.node && holds_seat(who->group, node);
    struct booked_for seats = *who;
    seats.seats = true;
    for (size_t i = 0; l.node && i < n; i++) {
        const int64_t was = room[i];
        room[i] = skr_room_plus(was, least_of(&l, resource[i]));
        if (seated && room[i] < 0) {
            const struct look beside = look_at(e, &seats, l.node);
            const int64_t left = skr_room_plus(was, least_of(&beside, resource[i]));
            room[i] = left > 0 ? 0 : left;
        }
    }
}

int64_t skr_booked_slack(const struct skr_gang *e, const struct booked_for *who, const char *node,
                         uint16_t resource, int64_t end)
{
    const struct look l = look_at(e, who, skr_booked_find(e, node));
    const char *name = listed(&l, resource);
    int64_t most = INT64_MAX;
    for (size_t i = 0; name && i < l.node->n; i++) {
        const struct booked_use *use = &l.node->use[i];
        const int64_t start = use->booking->start > l.now ? use->booking->start : l.now;
        if (start < end || start >= l.end || strcmp(use->resource, name) != 0) {
            continue;
        }
        const int64_t reserved = reserved_at(&l, name, start);
        const int64_t room = skr_amount_sum(freed_until(&l, resource, start), -reserved);
        most = reserved > 0 && room < most ? room : most;
    }
    return most == INT64_MAX ? most : skr_amount_sum(most, -least_of(&l, resource));
}

bool skr_booked_needs(const struct skr_gang *e, const struct booked_node *node,
                      const struct end_row *row, int64_t *spared, const struct booking **ret)
{
    const struct booked_for all = {.window = {SKR_INSTANT_NEVER, SKR_INSTANT_NEVER, INT32_MIN}};
    const struct look l = look_at(e, &all, node);
    const struct skr_pod_times times = skr_ends_times(e, row);
    const int64_t soon = skr_end_soon(&times, SKR_INSTANT_NEVER, l.now).at;
    const int64_t end = times.word > l.now ? soon : l.now + 1; /* it is late: it may leave now */
    for (size_t i = 0; i < node->n; i++) {
        const struct booked_use *use = &node->use[i];
        const int64_t start = use->booking->start > l.now ? use->booking->start : l.now + 1;
        const int id = skr_resource_names_find(e->resources, use->resource);
        const int64_t own = id < 0 ? 0 : charged(&l, row->uid, (uint16_t)id);
        if (own == 0 || end > start) {
            continue;
        }
        const int64_t room = skr_amount_sum(skr_ledger_free(e->ledger, node->name, (uint16_t)id),
                                            freed_until(&l, (uint16_t)id, start));
        const int64_t stays = skr_amount_sum(spared[id], soon > start ? 0 : own);
        if (room < skr_amount_sum(reserved_at(&l, use->resource, start), stays)) {
            *ret = use->booking;
            return true;
        }
    }
    const char *on = "";
    const struct skr_amounts *amounts = soon > node->first && soon > l.now + 1
                                            ? NULL
                                            : skr_ledger_amounts(e->ledger, row->uid, &on);
    for (size_t i = 0; amounts && strcmp(on, node->name) == 0 && i < amounts->n; i++) {
        int64_t *at = &spared[amounts->item[i].resource];
        *at = skr_amount_sum(*at, amounts->item[i].amount);
    }
    return false;
}

/* ---- single pods ---- */

static struct window window_of(const struct skr_gang *e, const struct skr_pod *pod)
{
    const struct skr_pod_times times = skr_ends_times_of(e, pod);
    const int64_t own = times.deadline_s > 0 ? times.deadline_s : SKR_INSTANT_NEVER;
    return (struct window){.holds = skr_instant_plus(own, times.grace_s),
                           .cut = skr_job_end(&times, skr_instant_up(skr_frame_now(e->frame))),
                           .class_ = pod->priority};
}

/* Whether the pod finds too little room, because of what is booked. */
static bool lacks_room(const struct skr_gang *e, const struct booked_for *who,
                       const struct skr_pod *pod, const struct skr_amounts *amounts,
                       const struct booked_node *node)
{
    const struct look l = look_at(e, who, node);
    bool lacks = false;
    for (size_t i = 0; i < amounts->n && !lacks; i++) {
        const struct skr_amount *want = &amounts->item[i];
        const int64_t change = least_of(&l, want->resource);
        if (change == 0) {
            continue;
        }
        const char *on = skr_ledger_find(e->ledger, pod->meta.uid, NULL);
        const bool counted = on && strcmp(on, node->name) == 0;
        const int64_t free_now = skr_ledger_free(e->ledger, node->name, want->resource);
        const int64_t room = skr_amount_sum(free_now, counted ? want->amount : 0);
        lacks = want->amount > skr_room_plus(room, change);
    }
    return lacks;
}

static void note_passed(struct booking *b, const char *uid)
{
    for (size_t i = 0; i < BOOKING_PASSED; i++) {
        if (b->passed[i] && strcmp(b->passed[i], uid) == 0) {
            return;
        }
    }
    char **at = &b->passed[b->n_passed++ % BOOKING_PASSED];
    free(*at);
    *at = skr_strdup(uid);
}

void skr_booked_note_passed(struct skr_gang *e, const struct window *window, const char *uid,
                            const char *node)
{
    const struct booked_node *booked = e->bookings.n > 0 ? skr_booked_find(e, node) : NULL;
    for (size_t i = 0; booked && i < booked->n; i++) {
        if (outranks(window, booked->use[i].booking)) {
            note_passed(booked->use[i].booking, uid);
        }
    }
}

bool skr_booked_outranked(const struct skr_gang *e, const struct booking *b)
{
    bool is = false;
    for (size_t i = 0; i < BOOKING_PASSED && !is; i++) {
        const char *on = b->passed[i] ? skr_ledger_find(e->ledger, b->passed[i], NULL) : NULL;
        for (size_t k = 0; on && k < b->n && !is; k++) {
            is = strcmp(b->node[k].name, on) == 0;
        }
    }
    return is;
}

/* ---- for pods that stay ---- */

/* Until when the end of a pod stays what it is at now. */
static int64_t end_stays(const struct skr_pod_times *t, int64_t now)
{
    const struct skr_pod_end end = skr_end_soon(t, SKR_INSTANT_NEVER, now);
    const bool moves = t->deleted == 0 && ((t->deadline_s > 0 && t->started == 0) ||
                                           (t->job_deadline_s > 0 && t->job_started == 0));
    const bool beyond =
        end.kind != SKR_END_LIMIT && (t->deadline_s > 0 || t->job_deadline_s > 0 || t->deleted > 0);
    return moves || beyond ? now : end.kind == SKR_END_LIMIT ? end.at : SKR_INSTANT_NEVER;
}

static void count_left(const struct skr_gang *e, struct booked_left *left,
                       const struct booked_node *node, int64_t now)
{
    const struct booked_for who = {.window = {SKR_INSTANT_NEVER, SKR_INSTANT_NEVER, INT32_MIN}};
    const struct look l = look_at(e, &who, node);
    const struct end_row *row = node ? skr_ends_on(e, node->name) : NULL;
    *left = (struct booked_left){.node = node, .until = SKR_INSTANT_NEVER};
    for (size_t i = 0; node && i < node->n && left->n <= BOOKED_ROOMS; i++) {
        const int64_t start = node->use[i].booking->start;
        const int id = skr_resource_names_find(e->resources, node->use[i].resource);
        const int64_t least = id < 0 ? 0 : least_of(&l, (uint16_t)id);
        left->until = start > now && start < left->until ? start : left->until;
        if (least < 0 && left->n++ < BOOKED_ROOMS) {
            left->resource[left->n - 1] = (uint16_t)id;
            left->left[left->n - 1] =
                skr_room_plus(skr_ledger_free(e->ledger, node->name, (uint16_t)id), least);
        }
    }
    for (; row; row = row->next) {
        const struct skr_pod_times times = skr_ends_times(e, row);
        const int64_t stays = end_stays(&times, now);
        left->until = stays < left->until ? stays : left->until;
    }
    left->until = left->until > now ? left->until : now + 1;
}

/* Whether a pod that stays for ever, and goes before no group, finds too little room. */
static bool lacks_for_ever(const struct booked_left *left, const struct skr_amounts *amounts)
{
    for (size_t i = 0; i < left->n; i++) {
        for (size_t k = 0; k < amounts->n; k++) {
            const struct skr_amount *want = &amounts->item[k];
            if (want->resource == left->resource[i] && want->amount > 0 &&
                want->amount > left->left[i]) {
                return true;
            }
        }
    }
    return false;
}

void skr_booked_stale(struct skr_gang *e, const char *node)
{
    const struct skr_ledger_node *at =
        e->bookings.n_left > 0 ? skr_ledger_get(e->ledger, node) : NULL;
    if (at && skr_ledger_node_number(at) < e->bookings.n_left) {
        e->bookings.left[skr_ledger_node_number(at)].until = 0;
    }
}

/* Forgets what is left if it is not what it would be if counted anew. */
static void see_left(struct skr_gang *e, int64_t now)
{
    const uint64_t epochs[] = {skr_ledger_numbers_epoch(e->ledger),
                               skr_seen_last(&e->seen, SEEN_JOBS),
                               skr_resource_names_version(e->resources)};
    if (now < e->bookings.left_now || memcmp(epochs, e->bookings.left_epochs, sizeof epochs) != 0) {
        memcpy(e->bookings.left_epochs, epochs, sizeof epochs);
        free(e->bookings.left);
        e->bookings.left = NULL;
        e->bookings.n_left = 0;
    }
    e->bookings.left_now = now;
}

struct booked_pod skr_booked_pod(struct skr_gang *e, const struct skr_pod *pod)
{
    struct booked_pod ret = {.pod = pod, .now = skr_instant_up(skr_frame_now(e->frame))};
    struct booking *b;
    if (e->bookings.n > 0) {
        see_left(e, ret.now);
        ret.who = (struct booked_for){.window = window_of(e, pod)};
        ret.end = end_of_window(&ret.who.window, ret.now);
        ret.on = skr_ledger_find(e->ledger, pod->meta.uid, NULL);
    }
    DL_FOREACH(e->bookings.list, b)
    {
        ret.outranks = ret.outranks || outranks(&ret.who.window, b);
    }
    return ret;
}

/* What is left on a node of the ledger. */
static const struct booked_left *left_on(struct skr_gang *e, const char *node,
                                         const struct skr_ledger_node *at, int64_t now)
{
    const size_t i = skr_ledger_node_number(at);
    if (i >= e->bookings.n_left) {
        skr_grow(&e->bookings.left, &e->bookings.n_left, i + 1, sizeof *e->bookings.left);
    }
    struct booked_left *left = &e->bookings.left[i];
    if (now >= left->until) {
        count_left(e, left, skr_booked_find(e, node), now);
    }
    skr_debug_check(left->node == skr_booked_find(e, node));
    return left;
}

/* The same of any pod. It is noted with the groups that it goes before. */
static bool keeps_exactly(struct skr_gang *e, const struct booked_pod *pod,
                          const struct skr_amounts *amounts, const struct booked_node *booked)
{
    struct booked_for who = pod->who;
    who.window.class_ = INT32_MIN;
    if (!lacks_room(e, &who, pod->pod, amounts, booked)) {
        return false;
    }
    if (lacks_room(e, &pod->who, pod->pod, amounts, booked)) {
        return true;
    }
    skr_booked_note_passed(e, &pod->who.window, pod->pod->meta.uid, booked->name);
    return false;
}

bool skr_booked_keeps(struct skr_gang *e, const struct booked_pod *pod,
                      const struct skr_amounts *amounts, const char *node,
                      const struct skr_ledger_node *at)
{
    static const struct booked_left unknown = {.n = BOOKED_ROOMS + 1};
    if (!skr_booked_any(e, NULL)) {
        return false;
    }
    const bool stays = pod->end == SKR_INSTANT_NEVER && !pod->outranks;
    const struct booked_left *left = at ? left_on(e, node, at, pod->now) : &unknown;
    const struct booked_node *booked = at ? left->node : skr_booked_find(e, node);
    if (!booked || (!stays && pod->end <= booked->first)) {
        return false;
    }
    if (left->n <= BOOKED_ROOMS && (!pod->on || strcmp(pod->on, node) != 0)) {
        const bool lacks = lacks_for_ever(left, amounts);
        if (!lacks || stays) {
            skr_debug_check(!stays || lacks == lacks_room(e, &pod->who, pod->pod, amounts, booked));
            return lacks;
        }
    }
    return keeps_exactly(e, pod, amounts, booked);
}

const struct booked_node *skr_booked_next(const struct skr_gang *e, const struct booked_node *node)
{
    return node ? node->hh.next : e->bookings.nodes;
}
