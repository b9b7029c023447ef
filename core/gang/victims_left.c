/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/victims_left.h"

#include "core/gang/dirty.h"
#include "core/gang/group_table.h"
#include "core/gang/plan_home.h"
#include "core/gang/pods.h"

#include <string.h>
#include <utlist.h>

const char *victims_pod_uid(const struct plan_victim *v)
{
    const char *slash = strchr(v->text, '/');
    slash = slash ? strchr(slash + 1, '/') : NULL;
    return slash ? slash + 1 : NULL;
}

bool victims_is_there(const struct pod_entry *p)
{
    return pods_is_bound(p) && !pods_is_terminal(p->pod);
}

size_t victims_pods_there(const struct group *h)
{
    const struct pod_entry *p;
    size_t n = 0;
    DL_FOREACH(h->members, p)
    {
        n += victims_is_there(p);
    }
    return n;
}

size_t victims_left(const struct skr_gang *e, const struct plan_victim *v, bool *ret_gone)
{
    const char *uid = victims_pod_uid(v);
    const struct pod_entry *p = uid ? pods_find(e, uid) : NULL;
    const struct group *h = uid ? NULL : groups_find(e, v->text);
    if (v->gone) {
        *ret_gone = true;
        return 0;
    }
    size_t n = uid ? p && victims_is_there(p) : h ? victims_pods_there(h) : 0;
    *ret_gone = n == 0 && !(h && h->plan);
    return n;
}

bool victims_only_terminate(const struct skr_gang *e, const struct plan_victim *v)
{
    const char *uid = victims_pod_uid(v);
    const struct pod_entry *p = uid ? pods_find(e, uid) : NULL;
    const struct group *h = uid ? NULL : groups_find(e, v->text);
    if (h && h->plan) {
        return false;
    }
    if (uid) {
        return !p || !victims_is_there(p) || p->pod->meta.deleting;
    }
    for (p = h ? h->members : NULL; p; p = p->next) {
        if (victims_is_there(p) && !p->pod->meta.deleting) {
            return false;
        }
    }
    return true;
}

/* ---- groups that come again ---- */

static bool comes_again(const struct group *h)
{
    return h && h->victim.leaving && h->seats.n_newcomers > 0 && !h->plan &&
           victims_pods_there(h) == 0;
}

static const struct plan_victim *find(const struct plan *plan, const struct group *h)
{
    for (size_t i = 0; i < plan->n_victims; i++) {
        if (!plan->victim[i].gone && strcmp(plan->victim[i].text, h->key) == 0) {
            return &plan->victim[i];
        }
    }
    return NULL;
}

void victims_tell_return(struct skr_gang *e, const struct group *h)
{
    struct group *g;
    if (!comes_again(h)) {
        return;
    }
    DL_FOREACH2(e->planned, g, pnext)
    {
        if (g->plan->preempting && find(g->plan, h)) {
            dirty_group(e, g);
        }
    }
}

bool victims_note_return(const struct skr_gang *e, struct plan *plan)
{
    bool changed = false;
    for (size_t i = 0; i < plan->n_victims; i++) {
        struct plan_victim *v = &plan->victim[i];
        const struct group *h = v->gone || victims_pod_uid(v) ? NULL : groups_find(e, v->text);
        if (comes_again(h)) {
            v->gone = changed = true;
        }
    }
    return changed;
}

/* No text that an object carries names it. */
static bool is_free(const struct skr_gang *e, const struct group *h)
{
    const struct group *g;
    DL_FOREACH2(e->planned, g, pnext)
    {
        const struct plan *plan = g->plan;
        for (size_t i = 0; plan->preempting && i < plan->n_victims; i++) {
            const struct plan_victim *v = &plan->victim[i];
            if (strcmp(v->text, h->key) == 0 && !(v->gone && plan_home_is_written(e, plan))) {
                return false;
            }
        }
    }
    return true;
}

void victims_release(struct skr_gang *e, struct plan *plan)
{
    for (size_t i = 0; i < plan->n_victims; i++) {
        const struct plan_victim *v = &plan->victim[i];
        struct group *h = v->gone ? groups_find(e, v->text) : NULL;
        if (h && h->victim.leaving && is_free(e, h)) {
            h->victim.leaving = false;
            dirty_group(e, h);
            dirty_plan(e);
        }
    }
}
