/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/group/yielding.h"

#include <string.h>
#include <utlist.h>

#include "core/gang/group/membership.h"

struct skr_claimant skr_claimant_of(const struct group *g)
{
    return (struct skr_claimant){.group = g, .class_ = skr_membership_lowest_class(g)};
}

static bool is_above(const struct skr_claimant *c, int32_t priority, int32_t class)
{
    return priority < c->group->spec->priority || class < c->class_;
}

bool skr_yielding_seats(const struct group *h, const struct skr_claimant *c)
{
    return h != c->group && !h->replacing.by && is_above(c, h->holds.priority, h->holds.class_);
}

bool skr_yielding_plan(const struct plan *plan, const struct skr_claimant *c)
{
    const struct group *h = plan->group;
    if (!plan->idle || plan->binding || plan->aborting || plan->preempting || !h->spec ||
        strcmp(h->namespace_, c->group->namespace_) == 0) {
        return false;
    }
    return h->spec->priority == c->group->spec->priority ||
           is_above(c, h->spec->priority, plan->class_);
}

bool skr_yielding_any(const struct skr_gang *e, const struct group *g)
{
    const struct plan *plan;
    if (!e->holders.list && !e->idle_plans) {
        return false;
    }
    const struct skr_claimant c = skr_claimant_of(g);
    if (e->holders.list && is_above(&c, e->holders.lowest, e->holders.lowest_class)) {
        return true;
    }
    DL_FOREACH2(e->idle_plans, plan, inext)
    {
        if (skr_yielding_plan(plan, &c)) {
            return true;
        }
    }
    return false;
}
