/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/preempt/victims_allowed.h"

#include "core/gang/cache/pods.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/membership.h"
#include "core/gang/preempt/disruptions.h"
#include "core/gang/preempt/outranks.h"
#include "core/gang/preempt/surplus.h"
#include "core/gang/preempt/victims_left.h"
#include "core/gang/state/plan_entry.h"

#include <string.h>
#include <utlist.h>

/* Whether an earlier process had begun with a group: part of it is missing or leaving. A group may
 * have more pods than its size, so the number that ran when it was chosen counts. */
bool skr_victims_was_begun(const struct skr_gang *e, const char *text, int32_t pods)
{
    const struct group *h = skr_groups_find(e, text);
    const struct pod_entry *p;
    size_t stay = 0;
    if (!h) {
        return true;
    }
    DL_FOREACH(h->members, p)
    {
        stay += skr_victims_is_there(p) && !p->pod->meta.deleting;
    }
    return stay < skr_membership_needs(h) || stay < (size_t)pods;
}

/* Whether the record is trusted about this victim: an account that may write records may not evict
 * any pod it likes. */
bool skr_victims_may_be(const struct skr_gang *e, const struct group *g,
                        const struct plan_victim *v, const struct group *h)
{
    const struct pod_entry *p =
        skr_victims_pod_uid(v) ? skr_pods_find(e, skr_victims_pod_uid(v)) : NULL;
    const struct group *of = p ? p->group : h;
    if (v->moved) {
        const struct skr_outranks o = skr_outranks_of(e, g);
        return e->settings.moves_mode == SKR_MOVES_MODE_AUTO && h && h != g && h->spec && g->spec &&
               h->spec->movable && skr_outranks_or_equals(&o, h);
    }
    if (of) {
        const struct skr_outranks o = skr_outranks_of(e, g);
        return of != g && of->spec && g->spec && skr_outranks(&o, of);
    }
    const struct pod_entry *oldest = skr_membership_oldest(g);
    return p && oldest && e->settings.victims_labelled &&
           p->pod->priority < oldest->pod->priority &&
           strcmp(skr_pods_label(p, SKR_LABEL_PREEMPTIBLE), "true") == 0;
}

/* ---- budgets ---- */

/* Charges the budget of one more victim pod; false: the budget has no room left. */
static bool charge(const struct skr_gang *e, const struct pod_entry *p)
{
    size_t n;
    struct disruption_budget *b = skr_disruptions_of(e, &p->pod->meta, &n);
    return n == 0 || (n == 1 && ++b->number <= b->budget->allowed);
}

bool skr_victims_budget_allows(const struct skr_gang *e, const struct plan_victim *v)
{
    const struct pod_entry *p =
        skr_victims_pod_uid(v) ? skr_pods_find(e, skr_victims_pod_uid(v)) : NULL;
    const struct group *h = skr_victims_pod_uid(v) ? NULL : skr_groups_find(e, v->text);
    bool allowed = !p || p->pod->meta.deleting || charge(e, p);
    for (p = h ? h->members : NULL; p && allowed; p = p->next) {
        allowed = !skr_pods_is_bound(p) || !skr_pod_is_live(p->pod) || charge(e, p);
    }
    return allowed;
}

void skr_victims_reset_budgets(struct skr_gang *e)
{
    struct disruption_budget *b, *tmp;
    HASH_ITER(hh, e->disruptions, b, tmp)
    {
        b->number = 0;
    }
}

/* ---- victims of a plan ---- */

bool skr_victims_has(const struct plan *plan, const char *text)
{
    for (size_t i = 0; i < plan->n_victims; i++) {
        if (!plan->victim[i].gone && strcmp(plan->victim[i].text, text) == 0) {
            return true;
        }
    }
    return false;
}

bool skr_victims_may_take(const struct skr_gang *e, const struct group *g,
                          const struct plan_victim *v, bool *ret_begun)
{
    const bool single = skr_victims_pod_uid(v);
    *ret_begun = v->begun && (single || skr_victims_was_begun(e, v->text, v->pods));
    return skr_victims_may_be(e, g, v, single ? NULL : skr_groups_find(e, v->text)) &&
           (*ret_begun || skr_victims_budget_allows(e, v));
}

bool skr_victims_any_begun(const struct plan *plan)
{
    for (size_t i = 0; i < plan->n_victims; i++) {
        if (plan->victim[i].begun) {
            return true;
        }
    }
    return false;
}

static bool would_stay(const struct pod_entry *p)
{
    return skr_victims_is_there(p) && !p->pod->meta.deleting;
}

/* If single pods of a group are victims, whether enough members of their scope stay. */
static bool stays_whole(const struct skr_gang *e, const struct plan *plan, const struct group *h)
{
    int32_t stay[SKR_ROLES_MAX] = {0};
    bool less[SKR_ROLES_MAX] = {false}, whole = true;
    const struct pod_entry *p;
    DL_FOREACH(h->members, p)
    {
        stay[skr_surplus_scope(h, p)] += would_stay(p);
    }
    for (size_t i = 0; i < plan->n_victims; i++) {
        const char *uid = skr_victims_pod_uid(&plan->victim[i]);
        p = uid ? skr_pods_find(e, uid) : NULL;
        if (p && p->group == h && would_stay(p)) {
            stay[skr_surplus_scope(h, p)]--;
            less[skr_surplus_scope(h, p)] = true;
            whole = whole && skr_surplus_may_go(h, p);
        }
    }
    for (size_t s = 0; s < SKR_ROLES_MAX; s++) {
        whole = whole && (!less[s] || stay[s] >= skr_surplus_needed(h, s));
    }
    return whole || skr_victims_has(plan, h->key);
}

/* An untouched victim that may not be evicted any more: priorities, budgets and sizes may have
 * changed since the victims were chosen. Then none is evicted. NULL permits every eviction. */
const struct plan_victim *skr_victims_find_exempt(struct skr_gang *e, const struct group *g)
{
    const bool begun = skr_victims_any_begun(g->plan);
    const struct group *whole = NULL; /* victims of one group are mostly adjacent */
    skr_victims_reset_budgets(e);
    for (size_t i = 0; i < g->plan->n_victims; i++) {
        const struct plan_victim *v = &g->plan->victim[i];
        const struct pod_entry *p =
            skr_victims_pod_uid(v) ? skr_pods_find(e, skr_victims_pod_uid(v)) : NULL;
        bool gone;
        skr_victims_left(e, v, &gone);
        if (v->begun || gone) {
            continue;
        }
        skr_time next = SKR_TIME_NEVER;
        const struct pod_entry *stays = skr_victims_staying(e, v, &next);
        if (stays && !stays->pod->meta.deleting) {
            return v;
        }
        if (p && p->group && p->group != whole) {
            if (!stays_whole(e, g->plan, p->group)) {
                return v;
            }
            whole = p->group;
        }
        if (!skr_victims_may_be(e, g, v,
                                skr_victims_pod_uid(v) ? NULL : skr_groups_find(e, v->text)) ||
            (!begun && !skr_victims_budget_allows(e, v))) {
            return v;
        }
    }
    return NULL;
}
