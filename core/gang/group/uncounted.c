/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/group/uncounted.h"

#include "core/devices/stock.h"
#include "core/devices/stock_shares.h"
#include "core/gang/cache/claim_objects.h"
#include "core/gang/cache/device_needs.h"
#include "core/gang/cache/entry.h"
#include "core/gang/cache/pods.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

bool skr_uncounted_is(const struct skr_gang *e, const struct group *g)
{
    return g->claims.uncounted && !skr_devices_unmodelled(e);
}

/* ---- what an attempt costs ---- */

static uint64_t steps_of(struct skr_gang *e, const struct skr_pod *pod)
{
    uint64_t steps = 0;
    for (size_t i = 0; i < pod->n_claims; i++) {
        const struct skr_claim_spec *spec =
            skr_claim_objects_facts(e, pod->meta.namespace_, &pod->claim[i]).spec;
        steps += spec ? skr_devices_stock_steps(e->devices.stock, spec) : 0;
    }
    return steps;
}

void skr_uncounted_measure(struct skr_gang *e, struct group *g, struct pod_entry *const *newcomers,
                           size_t n)
{
    g->claims.steps = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t steps = steps_of(e, newcomers[i]->pod);
        g->claims.steps = steps > g->claims.steps ? steps : g->claims.steps;
    }
}

void skr_uncounted_measure_shapes(struct skr_gang *e, struct group *g,
                                  const struct device_needs *needs)
{
    g->claims.steps = needs ? 0 : g->claims.steps;
    for (size_t i = 0; needs && i < needs->n; i++) {
        uint64_t steps = 0;
        for (size_t k = 0; k < needs->shape[i].n; k++) {
            steps += skr_devices_stock_steps(e->devices.stock, needs->shape[i].spec[k]);
        }
        g->claims.steps = steps > g->claims.steps ? steps : g->claims.steps;
    }
}

bool skr_uncounted_is_beyond(const struct skr_gang *e, const struct group *g)
{
    const size_t devices = e->devices.stock->n_devices;
    return skr_uncounted_is(e, g) && devices > 0 &&
           g->claims.steps > SKR_DEVICES_ATTEMPT_STEPS / devices;
}

/* ---- pods that kube-scheduler has ---- */

/* Members without a gate and without a plan. Those whose gates are about to go count. */
static size_t waiting_of(const struct group *g)
{
    const struct pod_entry *p;
    size_t n = 0;
    DL_FOREACH(g->plan ? NULL : g->members, p)
    {
        n += !p->pod->gate && skr_pod_is_live(p->pod) && !skr_pods_is_bound(p);
    }
    const size_t soon = g->plan           ? 0
                        : g->release.open ? g->seats.n_newcomers
                        : g->claims.open  ? 1
                                          : 0;
    return n > soon ? n : soon;
}

/* Of all such groups of the namespace. Those of all namespaces are counted anew after a second. */
static size_t count_waiting(const struct skr_gang *e, const char *namespace_)
{
    struct skr_devices_stock *stock = e->devices.stock;
    const skr_time now = skr_frame_now(e->frame);
    struct skr_stock_share *share, *next_share;
    const struct group *g, *next;
    if (stock->waiting_at == 0 || now >= stock->waiting_at + SKR_SECOND) {
        stock->waiting_at = now;
        HASH_ITER(hh, stock->shares, share, next_share)
        {
            share->waiting = 0;
        }
        HASH_ITER(hh, e->groups, g, next)
        {
            if (skr_uncounted_is(e, g)) {
                skr_stock_share_get(stock, g->namespace_)->waiting += waiting_of(g);
            }
        }
    }
    return skr_stock_share_get(stock, namespace_)->waiting;
}

bool skr_uncounted_is_full(const struct skr_gang *e, const struct group *g)
{
    return skr_uncounted_is(e, g) && count_waiting(e, g->namespace_) >= SKR_UNCOUNTED_PODS_MAX &&
           waiting_of(g) == 0;
}

skr_time skr_uncounted_opens(const struct skr_gang *e, const struct group *g)
{
    const skr_time now = skr_frame_now(e->frame);
    if (!skr_uncounted_is(e, g)) {
        return now;
    }
    const struct skr_stock_share *share = skr_stock_share_get(e->devices.stock, g->namespace_);
    return skr_uncounted_is_beyond(e, g) ? SKR_TIME_NEVER
           : share->attempts > 0         ? SKR_TIME_NEVER
           : share->opens > now          ? share->opens
           : skr_uncounted_is_full(e, g) ? now + SKR_UNCOUNTED_LOOK_S * SKR_SECOND
                                         : now;
}

bool skr_uncounted_may_release(const struct skr_gang *e, const struct group *g)
{
    return !skr_uncounted_is(e, g) || (!skr_uncounted_is_beyond(e, g) &&
                                       count_waiting(e, g->namespace_) + g->seats.n_newcomers <=
                                           SKR_UNCOUNTED_PODS_MAX + waiting_of(g));
}

void skr_uncounted_opened(const struct skr_gang *e)
{
    e->devices.stock->waiting_at = 0;
}

/* ---- attempts ---- */

/* Pods of one turn become several turns, of one, one, two, four, .. pods. O(n x turns). */
static void double_up(size_t n, int32_t *ret)
{
    SKR_AUTO_FREE int32_t *was = skr_alloc_array(n + 1, sizeof *was);
    size_t all = 0;
    int32_t turn = -1;
    memcpy(was, ret, n * sizeof *was);
    for (int32_t from = 0; all < n; from++) {
        size_t room = 0;
        for (size_t i = 0; i < n; i++) {
            if (was[i] == from) {
                turn += room == 0;
                room = room > 0 ? room : all > 0 ? all : 1;
                ret[i] = turn;
                room--;
                all++;
            }
        }
    }
}

void skr_uncounted_begin(const struct skr_gang *e, struct plan *plan, struct pod_entry *const *pod,
                         size_t n, int32_t *ret)
{
    if (!skr_uncounted_is(e, plan->group)) {
        return;
    }
    if (!plan->uncounted) {
        plan->uncounted = true;
        skr_stock_share_attempt(e->devices.stock, plan->group->namespace_);
    }
    if (n > 0 && !skr_entry_is_queued_whole(e, pod[0]->pod)) {
        double_up(n, ret);
    }
}

void skr_uncounted_end(struct skr_gang *e, const struct plan *plan)
{
    const skr_time now = skr_frame_now(e->frame);
    const skr_time since = plan->freed_at > plan->created_at ? plan->freed_at : plan->created_at;
    const bool refused = plan->abort.reason == SKR_REASON_FILTERED_BY_OTHERS ||
                         plan->abort.reason == SKR_REASON_PLAN_TIMEOUT;
    const bool took = plan->binding_persisted && plan->heard_at > since;
    if (plan->uncounted) {
        skr_stock_share_attempted(e->devices.stock, plan->group->namespace_,
                                  plan->binding_persisted ? SKR_STOCK_TAKEN
                                  : refused               ? SKR_STOCK_REFUSED
                                                          : SKR_STOCK_ENDED,
                                  (took ? plan->heard_at : now) - since, now);
        e->devices.turns_at = 0;
    }
}

/* ---- words ---- */

static void say_beyond(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b)
{
    const size_t devices = e->devices.stock->n_devices;
    skr_strbuf_addf(b,
                    "group %s is not planned, and kube-scheduler is not asked: its claims are not "
                    "counted here, and ",
                    g->name);
    if (g->claims.steps < UINT64_MAX) {
        skr_strbuf_addf(b,
                        "to evaluate those of one pod may take %" PRIu64 " steps for each of %zu "
                        "devices, %d in all may be; use fewer or shorter selectors",
                        g->claims.steps, devices, SKR_DEVICES_ATTEMPT_STEPS);
    } else {
        skr_strbuf_addf(b,
                        "the search for devices of one pod takes more than %" PRIu64
                        " steps on a node; ask for fewer devices under one constraint, or have "
                        "devices.steps raised",
                        e->devices.stock->steps);
    }
    skr_strbuf_add(b, "; sakkara explain names what is not counted");
}

void skr_uncounted_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b)
{
    if (skr_uncounted_is_beyond(e, g)) {
        say_beyond(e, g, b);
        return;
    }
    skr_strbuf_addf(b,
                    "group %s is not planned yet: its claims are not counted here, kube-scheduler "
                    "alone evaluates them, and ",
                    g->name);
    if (skr_uncounted_is_full(e, g)) {
        skr_strbuf_addf(b,
                        "%zu such pods of namespace %s wait there, %d may; delete those that it "
                        "refuses",
                        count_waiting(e, g->namespace_), g->namespace_, SKR_UNCOUNTED_PODS_MAX);
    } else {
        skr_strbuf_addf(b,
                        "does so for 1 group of namespace %s at a time, with a pause of at most "
                        "%d s after each; wait",
                        g->namespace_, SKR_SHARE_PAUSE_MAX_S);
    }
    skr_strbuf_add(b, ", or use claims that are counted; sakkara explain names what is not");
}
