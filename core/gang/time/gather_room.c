/* SPDX-License-Identifier: Apache-2.0 */
/* Room over time: ends of pods, seats that lapse, and reservations that stand as they are. */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/cache/ends.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/group/reservation.h"
#include "core/gang/group/seat_holds.h"
#include "core/gang/state/booking.h"
#include "core/gang/time/gather.h"

/* The end that the group of a running member claims. */
static int64_t estimate_of(const struct group *g)
{
    const bool claims =
        g && g->spec && g->spec->run_estimate != SKR_TIME_NEVER && g->times.end != 0;
    return claims ? skr_instant_up(g->times.end) + skr_instant_up(g->spec->run_estimate)
                  : SKR_INSTANT_NEVER;
}

/* ---- running pods ---- */

struct runner {
    char *label;
    int32_t leaf;
    struct skr_pod_end end;
    int64_t guess;
    const struct skr_amounts *amounts;
};
struct runners {
    struct gathering *in;
    struct runner *item;
    size_t n, cap;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A pod that takes room: bound, or planned. */
static void add_runner(struct runners *all, const struct end_row *row)
{
    struct gathering *in = all->in;
    const struct pod_entry *entry = skr_pods_find(in->e, row->uid);
    const struct group *g = entry ? entry->group : NULL;
    const char *node = "";
    const struct skr_amounts *amounts = skr_ledger_amounts(in->e->ledger, row->uid, &node);
    const int32_t leaf = amounts ? skr_tree_find_leaf(in->e->topology.tree, node) : -1;
    if (leaf < 0 || strcmp(node, row->on->name) != 0) {
        return;
    }
    const struct skr_pod_times times = skr_ends_times(in->e, row);
    const int64_t estimate = estimate_of(g);
    struct runner r = {.label = gathering_add_label(in, g ? g->key : row->key),
                       .leaf = leaf,
                       .end = in->live ? skr_end_soon(&times, estimate, in->now)
                                       : skr_end_of(&times, estimate, in->now),
                       .guess = in->e->settings.ends_of_all
                                    ? skr_end_guess(&times, estimate, in->now)
                                    : SKR_INSTANT_NEVER,
                       .amounts = amounts};
    if (in->live && entry && times.deleted != 0 && r.end.kind == SKR_END_LIMIT) {
        r.end.at = skr_instant_up(skr_seat_holds_until(in->e, entry, r.end.at * SKR_SECOND));
    }
    /* What it is late by until then is no move. */
    in->overrun[leaf] |= times.raised || (r.end.kind == SKR_END_LIMIT &&
                                          skr_end_soon(&times, estimate, in->now + 1).overrun);
    skr_grow(&all->item, &all->cap, all->n + 1, sizeof *all->item);
    all->item[all->n++] = r;
}

/* Members without a limit: what groups wait for whose start is not known. */
static void add_unlimited(struct runners *all, const struct group *g)
{
    struct gathering *in = all->in;
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        const char *node = "";
        const struct skr_amounts *amounts = skr_ledger_amounts(in->e->ledger, p->uid, &node);
        const int32_t leaf = amounts ? skr_tree_find_leaf(in->e->topology.tree, node) : -1;
        if (leaf < 0 || skr_ends_find(in->e, p->uid)) {
            continue;
        }
        const struct skr_pod_times times = skr_ends_times_of(in->e, p->pod);
        skr_grow(&all->item, &all->cap, all->n + 1, sizeof *all->item);
        all->item[all->n++] =
            (struct runner){.label = gathering_add_label(in, g->key),
                            .leaf = leaf,
                            .end = {.kind = SKR_END_UNKNOWN, .at = SKR_INSTANT_NEVER},
                            .guess = skr_end_guess(&times, estimate_of(g), in->now),
                            .amounts = amounts};
    }
}

/* Room of lost members is held until its deadline. */
static void add_seat(void *context, const struct reservation *r)
{
    struct runners *all = context;
    struct gathering *in = all->in;
    const int32_t leaf = skr_tree_find_leaf(in->e->topology.tree, r->node);
    if (r->reason != SKR_RESERVED_SEAT || leaf < 0) {
        return;
    }
    const int64_t until = skr_instant_up(r->until);
    skr_grow(&all->item, &all->cap, all->n + 1, sizeof *all->item);
    all->item[all->n++] =
        (struct runner){.label = gathering_add_label(in, r->owner),
                        .leaf = leaf,
                        .end = {.kind = SKR_END_LIMIT, .at = until > in->now ? until : in->now + 1},
                        .guess = SKR_INSTANT_NEVER,
                        .amounts = r->amounts};
}

static struct runners find_runners(struct gathering *in)
{
    struct runners all = {.in = in};
    const struct end_row *row, *tmp;
    const struct group *g, *tmp2;
    const struct booking *b;
    const struct pod_entry *single;
    HASH_ITER(hh, in->e->ends, row, tmp)
    {
        add_runner(&all, row);
    }
    skr_reservations_each(in->e, add_seat, &all);
    HASH_ITER(hh, in->e->groups, g, tmp2)
    {
        if (!in->live && g->spec && g->spec->replace != SKR_REPLACE_NOT) {
            gathering_add_label(in, g->key);
        }
        if (in->forecasts > 0) {
            add_unlimited(&all, g);
        }
    }
    DL_FOREACH(in->e->bookings.list, b)
    {
        gathering_add_label(in, b->group->key);
    }
    DL_FOREACH(in->e->ordinary, single)
    {
        gathering_add_label(in, single->key);
    }
    return all;
}

static bool is_gathered(const struct gathering *in, const struct group *g)
{
    bool is = false;
    for (size_t i = 0; i < in->n_complete && !is; i++) {
        is = in->waiting[i].group == g;
    }
    return is;
}

/* Reservations of groups that have no turn now stand as they are. */
static bool put_absent(struct gathering *in)
{
    const struct booking *b;
    bool room = true;
    DL_FOREACH(in->e->bookings.list, b)
    {
        if (!in->live || is_gathered(in, b->group)) {
            continue;
        }
        for (size_t i = 0; i < b->n_uses && room; i++) {
            const struct booking_use *use = &b->use[i];
            const int id = skr_resource_names_find(in->e->resources, b->resource[use->resource]);
            const int32_t leaf = skr_tree_find_leaf(in->e->topology.tree, b->node[use->node].name);
            room = id < 0 || leaf < 0 ||
                   skr_timeline_hold(in->timeline, leaf, b->start > in->now ? b->start : in->now,
                                     b->until, (uint16_t)id, use->amount,
                                     gathering_number(in, b->group->key));
        }
    }
    return room;
}

/* The labels are sorted. Frees the list. */
static int put_runners(struct gathering *in, struct runners *all, struct skr_error *error)
{
    bool room = put_absent(in);
    for (size_t i = 0; i < all->n && room; i++) {
        const struct runner *r = &all->item[i];
        const bool known = r->end.kind == SKR_END_LIMIT;
        room = skr_timeline_add_end(in->timeline, r->leaf, known ? r->end.at : r->guess, r->amounts,
                                    gathering_number(in, r->label), !known);
    }
    free(all->item);
    return room ? 0
                : skr_error_set(error, SKR_LIMIT, "the timeline has more than %d changes of room",
                                SKR_ENDS_MAX);
}

int gathering_put_room(struct gathering *in, struct skr_error *error)
{
    struct runners all = find_runners(in);
    if (in->n_labels > 0) {
        qsort(in->label, in->n_labels, sizeof *in->label, by_text);
    }
    return put_runners(in, &all, error);
}
