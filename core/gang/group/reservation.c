/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/group/reservation.h"

#include "core/gang/cache/ordinary.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/group/seat_holds.h"
#include "core/gang/state/plan_entry.h"
#include "topology/duration.h"

#include <string.h>
#include <utlist.h>

static const char *const name[] = {"plan", "victims", "binding", "vacancy",
                                   "seat", "first",   "claims",  "call"};
_Static_assert(sizeof name / sizeof *name == SKR_RESERVED_COUNT, "a name per reason");

const char *skr_reservation_name(enum skr_reservation_reason reason)
{
    return name[reason];
}

/* ---- each ---- */

struct visitor {
    const struct skr_gang *e;
    void (*visit)(void *context, const struct reservation *r);
    void *context;
};

static int32_t priority_of(const struct group *g)
{
    return g->spec ? g->spec->priority : 0;
}

static void visit_plan(const struct visitor *v, const struct group *g)
{
    const struct plan *plan = g->plan;
    struct reservation r = {.reason = plan->preempting ? SKR_RESERVED_VICTIMS
                                      : plan->binding  ? SKR_RESERVED_BINDING
                                                       : SKR_RESERVED_PLAN,
                            .owner = g->key,
                            .until = plan->deadline,
                            .priority = priority_of(g)};
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (p->plan == plan && !skr_pods_is_bound(p)) {
            r.pod = p->pod->meta.name;
            r.node = p->place.node;
            r.amounts = &p->shape->amounts;
            v->visit(v->context, &r);
        }
    }
    r.reason = SKR_RESERVED_VACANCY;
    r.pod = "";
    for (size_t i = 0; i < plan->n_vacancies; i++) {
        r.node = plan->vacancy[i].node;
        r.until = plan->vacancy[i].until;
        r.amounts = &plan->vacancy[i].shape->amounts;
        v->visit(v->context, &r);
    }
}

static void visit_seats(const struct visitor *v, const struct group *g)
{
    for (size_t i = 0; i < g->holds.n; i++) {
        const struct seat_hold *hold = &g->holds.item[i];
        v->visit(v->context, &(struct reservation){.reason = SKR_RESERVED_SEAT,
                                                   .owner = g->key,
                                                   .pod = "",
                                                   .node = hold->node,
                                                   .amounts = &hold->shape->amounts,
                                                   .until = hold->until,
                                                   .priority = g->holds.priority});
    }
}

static void visit_single(const struct visitor *v, const struct pod_entry *p)
{
    enum skr_charge_kind kind;
    const char *charged = skr_ledger_find(v->e->ledger, p->uid, &kind);
    const char *late = skr_ordinary_late_node(v->e, p);
    struct reservation r = {.single = true,
                            .owner = p->key,
                            .pod = p->pod->meta.name,
                            .amounts = &p->shape->amounts,
                            .priority = p->pod->priority};
    if (charged && kind == SKR_CHARGE_BINDING) {
        r.reason = SKR_RESERVED_CALL;
        r.node = charged;
        r.until = p->work->vote.until;
    } else if (late) {
        r.reason = SKR_RESERVED_CLAIMS;
        r.node = late;
        r.until = skr_ordinary_late_until(v->e, p);
    } else if (p->work->single.first && skr_ordinary_first_until(v->e, p) > 0) {
        r.reason = SKR_RESERVED_FIRST;
        r.node = ""; /* each problem finds it a node of its own */
        r.until = skr_ordinary_first_until(v->e, p);
    } else {
        return;
    }
    v->visit(v->context, &r);
}

/* A member whose plan is over. */
static void visit_assumed(const struct visitor *v, const struct pod_entry *p)
{
    if (!p->plan && skr_ledger_find(v->e->ledger, p->uid, NULL)) {
        v->visit(v->context, &(struct reservation){.reason = SKR_RESERVED_CLAIMS,
                                                   .single = !p->group,
                                                   .owner = p->group ? p->group->key : p->key,
                                                   .pod = p->pod->meta.name,
                                                   .node = p->work->assumed.node,
                                                   .amounts = &p->shape->amounts,
                                                   .until = p->work->assumed.until,
                                                   .priority = p->group ? priority_of(p->group)
                                                                        : p->pod->priority});
    }
}

void skr_reservations_each(const struct skr_gang *e,
                           void (*visit)(void *context, const struct reservation *r), void *context)
{
    const struct visitor v = {e, visit, context};
    const struct group *g;
    const struct pod_entry *p;
    DL_FOREACH2(e->planned, g, pnext)
    {
        visit_plan(&v, g);
    }
    DL_FOREACH2(e->holders.list, g, holds.next)
    {
        visit_seats(&v, g);
    }
    DL_FOREACH(e->ordinary, p)
    {
        visit_single(&v, p);
    }
    DL_FOREACH2(e->assumed, p, work->assumed.next)
    {
        visit_assumed(&v, p);
    }
}

/* ---- numbers ---- */

static void count(void *context, const struct reservation *r)
{
    ((size_t *)context)[r->reason]++;
}

void skr_reservations_count(const struct skr_gang *e, size_t *n)
{
    memset(n, 0, SKR_RESERVED_COUNT * sizeof *n);
    skr_reservations_each(e, count, n);
}

struct others {
    const struct group *group; /* but for its own */
    size_t n[SKR_RESERVED_COUNT], sum;
    skr_time until;
};

static void count_others(void *context, const struct reservation *r)
{
    struct others *o = context;
    if (strcmp(r->owner, o->group->key) != 0) {
        o->n[r->reason]++;
        o->sum++;
        o->until = r->until > o->until ? r->until : o->until;
    }
}

bool skr_reservations_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b)
{
    struct others o = {.group = g};
    char left[SKR_DURATION_TEXT_MAX];
    const skr_time now = skr_frame_now(e->frame);
    bool begun = false;
    skr_reservations_each(e, count_others, &o);
    if (o.sum == 0) {
        return false;
    }
    skr_strbuf_addf(b, "room of %zu pod%s reserved:", o.sum, o.sum == 1 ? " is" : "s is");
    for (size_t i = 0; i < SKR_RESERVED_COUNT; i++) {
        if (o.n[i] > 0) {
            skr_strbuf_addf(b, "%s %zu %s", begun ? "," : "", o.n[i], name[i]);
            begun = true;
        }
    }
    skr_duration_write_age(o.until > now ? o.until - now : 0, left);
    skr_strbuf_addf(b, ", for %s at most", left);
    return true;
}

/* ---- invariants ---- */

struct checked {
    const struct skr_gang *e;
    struct skr_error *error;
    int rc;
};

static skr_time longest_seat(const struct skr_settings *s)
{
    const skr_time moved = SKR_MOVED_SEAT_S * SKR_SECOND;
    const skr_time planned = s->plan_timeout > moved ? s->plan_timeout : moved;
    return s->seat_hold_max > planned ? s->seat_hold_max : planned;
}

static skr_time longest(const struct skr_gang *e, enum skr_reservation_reason reason)
{
    switch (reason) {
    case SKR_RESERVED_VACANCY:
        return SKR_VACANCY_S * SKR_SECOND;
    case SKR_RESERVED_SEAT:
        return longest_seat(&e->settings);
    case SKR_RESERVED_FIRST:
        return SKR_POD_FIRST_S * SKR_SECOND;
    case SKR_RESERVED_CLAIMS:
        return SKR_POD_LATE_S * SKR_SECOND;
    case SKR_RESERVED_CALL:
        return e->settings.bind_timeout;
    case SKR_RESERVED_VICTIMS:
        return skr_settings_victims_wait(&e->settings);
    case SKR_RESERVED_PLAN:
    case SKR_RESERVED_BINDING:
    case SKR_RESERVED_COUNT:
    default:
        return e->settings.plan_timeout;
    }
}

static void check(void *context, const struct reservation *r)
{
    struct checked *c = context;
    const skr_time most = skr_frame_now(c->e->frame) + longest(c->e, r->reason);
    if (c->rc == 0 && (r->until <= 0 || r->until > most)) {
        c->rc = skr_error_set(c->error, SKR_BUG, "%s holds room on \"%s\" (%s) without a deadline",
                              r->owner, r->node, name[r->reason]);
    }
}

int skr_reservations_check(const struct skr_gang *e, struct skr_error *error)
{
    struct checked c = {.e = e, .error = error};
    skr_reservations_each(e, check, &c);
    return c.rc;
}
