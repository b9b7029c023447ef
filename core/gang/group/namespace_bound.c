/* SPDX-License-Identifier: Apache-2.0 */
/* The bound is added up in steps, and only as far as it is needed: mostly the group itself suffices. */
#include "core/gang/group/namespace_bound.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/state/wakes.h"

#include <string.h>
#include <utlist.h>

struct sums {
    int64_t amount[SKR_RESOURCES_MAX];
};

static void add(struct sums *sums, const struct skr_amounts *a)
{
    for (size_t i = 0; i < a->n; i++) {
        int64_t *sum = &sums->amount[a->item[i].resource];
        *sum = skr_amount_sum(*sum, a->item[i].amount);
    }
}

/* leaving: also members that are being deleted. */
static void add_running(struct sums *sums, const struct group *g, bool leaving)
{
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        const bool runs = leaving ? !skr_pods_is_terminal(p->pod) : skr_pod_is_live(p->pod);
        if (runs && skr_pods_is_bound(p)) {
            add(sums, &p->shape->amounts);
        }
    }
}

static void add_groups(struct sums *sums, const struct skr_gang *e, const char *namespace_,
                       bool leaving)
{
    const struct group *h, *tmp;
    HASH_ITER(hh, e->groups, h, tmp)
    {
        if (strcmp(h->namespace_, namespace_) == 0) {
            add_running(sums, h, leaving);
        }
    }
}

/* Whether it had more of a resource. */
static bool had_more(const struct seats_ran *ran, const struct seats_ran *than)
{
    bool more = false;
    for (size_t id = 0; id < SKR_RESOURCES_MAX && !more; id++) {
        more = ran->amount[id] > than->amount[id];
    }
    return more;
}

static void forget(const struct skr_gang *e, struct group *g, bool all)
{
    struct seats_ran **at = &g->holds.ran;
    while (*at) {
        struct seats_ran *ran = *at;
        const bool counts = ran->until > skr_frame_now(e->frame) &&
                            (ran == g->holds.ran || had_more(ran, g->holds.ran));
        if (all || (!counts && ran->since == 0)) {
            *at = ran->earlier;
            free(ran);
        } else {
            at = &ran->earlier;
        }
    }
}

void skr_namespace_bound_note_first(struct skr_gang *e, struct group *g, const struct pod_entry *p)
{
    struct sums sums = {0};
    const skr_time now = skr_frame_now(e->frame);
    struct seats_ran *ran = skr_alloc(sizeof *ran);
    *ran = (struct seats_ran){
        .since = now, .until = now + e->settings.seat_hold, .earlier = g->holds.ran};
    add_groups(&sums, e, g->namespace_, true);
    add(&sums, &p->shape->amounts);
    memcpy(ran->amount, sums.amount, sizeof sums.amount);
    g->holds.ran = ran;
    forget(e, g, false);
}

/* Fewer members run in the namespace, or what it ran with counts no more: that bounds what its other groups may hold. */
void skr_namespace_bound_settle(struct skr_gang *e, struct group *g, size_t n, bool over)
{
    uint64_t counts = n;
    struct group *h;
    forget(e, g, over);
    for (const struct seats_ran *ran = g->holds.ran; ran; ran = ran->earlier) {
        if (ran->until > skr_frame_now(e->frame)) {
            skr_wakes_group(e, g, ran->until);
            counts += UINT64_C(1) << 32;
        }
    }
    const bool fewer = counts < g->holds.running;
    g->holds.running = counts;
    DL_FOREACH2(fewer ? e->holders.list : NULL, h, holds.next)
    {
        if (h != g && strcmp(h->namespace_, g->namespace_) == 0) {
            skr_dirty_group(e, h);
        }
    }
}

int64_t *skr_namespace_bound_share(const struct skr_gang *e)
{
    const struct skr_tree *t = e->topology.tree;
    int64_t *all = skr_alloc_array(SKR_RESOURCES_MAX, sizeof *all);
    for (int32_t leaf = 0; t && leaf < t->n_leaves; leaf++) {
        const struct skr_ledger_node *node =
            skr_ledger_get(e->ledger, t->unit_name[t->first_leaf + leaf]);
        for (uint16_t id = 0; node && id < SKR_RESOURCES_MAX; id++) {
            all[id] = skr_amount_sum(all[id], skr_ledger_node_allocatable(node, id));
        }
    }
    for (size_t id = 0; id < SKR_RESOURCES_MAX; id++) {
        all[id] /= SKR_NAMESPACE_SHARE;
    }
    return all;
}

static void add_share(struct sums *sums, const int64_t *share)
{
    for (size_t id = 0; id < SKR_RESOURCES_MAX; id++) {
        sums->amount[id] = skr_amount_sum(sums->amount[id], share[id]);
    }
}

/* Seats of g that do not fit below the bound, beside those that other groups of the namespace hold. */
static size_t excess(const struct skr_gang *e, const struct group *g, const struct sums *bound)
{
    struct sums held = {0};
    const struct group *h;
    DL_FOREACH2(e->holders.list, h, holds.next)
    {
        for (size_t i = 0; h != g && strcmp(h->namespace_, g->namespace_) == 0 && i < h->holds.n;
             i++) {
            add(&held, &h->holds.item[i].shape->amounts);
        }
    }
    for (size_t i = 0; i < g->holds.n; i++) {
        const struct skr_amounts *a = &g->holds.item[i].shape->amounts;
        add(&held, a);
        for (size_t r = 0; r < a->n; r++) {
            if (held.amount[a->item[r].resource] > bound->amount[a->item[r].resource]) {
                return g->holds.n - i;
            }
        }
    }
    return 0;
}

/* What the namespace ran with counts where that is more. */
static void raise_to_ran(struct sums *bound, const struct skr_gang *e, const char *namespace_)
{
    const struct group *h, *tmp;
    HASH_ITER(hh, e->groups, h, tmp)
    {
        const struct seats_ran *ran =
            h->holds.ran && strcmp(h->namespace_, namespace_) == 0 ? h->holds.ran : NULL;
        for (; ran; ran = ran->earlier) {
            const bool counts = ran->until > skr_frame_now(e->frame);
            for (size_t id = 0; counts && id < SKR_RESOURCES_MAX; id++) {
                bound->amount[id] =
                    bound->amount[id] < ran->amount[id] ? ran->amount[id] : bound->amount[id];
            }
        }
    }
}

static void add_whole_bound(struct sums *bound, const struct skr_gang *e, const char *namespace_)
{
    SKR_AUTO_FREE int64_t *share = skr_namespace_bound_share(e);
    add_groups(bound, e, namespace_, false);
    raise_to_ran(bound, e, namespace_);
    add_share(bound, share);
}

size_t skr_namespace_bound_seats_over(const struct skr_gang *e, const struct group *g)
{
    struct sums bound = {0};
    add_running(&bound, g, false);
    if (g->holds.n == 0 || excess(e, g, &bound) == 0) {
        return 0;
    }
    bound = (struct sums){0};
    add_whole_bound(&bound, e, g->namespace_);
    return excess(e, g, &bound);
}

/* ---- plans ---- */

static void add_planned(struct sums *sums, const struct group *g)
{
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (p->plan == g->plan && !skr_pods_is_bound(p)) {
            add(sums, &p->shape->amounts);
        }
    }
}

/* By planned members and held seats. */
static void add_reserved(struct sums *sums, const struct skr_gang *e, const char *namespace_)
{
    const struct group *h;
    DL_FOREACH2(e->planned, h, pnext)
    {
        if (strcmp(h->namespace_, namespace_) == 0) {
            add_planned(sums, h);
        }
    }
    DL_FOREACH2(e->holders.list, h, holds.next)
    {
        for (size_t i = 0; strcmp(h->namespace_, namespace_) == 0 && i < h->holds.n; i++) {
            add(sums, &h->holds.item[i].shape->amounts);
        }
    }
}

void skr_namespace_bound_left(const struct skr_gang *e, const char *namespace_,
                              const int64_t *share, int64_t *ret)
{
    struct sums reserved = {0}, bound = {0};
    add_groups(&bound, e, namespace_, false);
    add_share(&bound, share);
    add_reserved(&reserved, e, namespace_);
    for (size_t id = 0; id < SKR_RESOURCES_MAX; id++) {
        const bool some = bound.amount[id] > reserved.amount[id];
        ret[id] = some ? bound.amount[id] - reserved.amount[id] : 0;
    }
}

bool skr_namespace_bound_is_beyond(const struct skr_gang *e, const char *namespace_)
{
    struct sums reserved = {0}, bound = {0};
    add_reserved(&reserved, e, namespace_);
    add_whole_bound(&bound, e, namespace_);
    for (size_t id = 0; id < SKR_RESOURCES_MAX; id++) {
        if (reserved.amount[id] > bound.amount[id]) {
            return true;
        }
    }
    return false;
}
