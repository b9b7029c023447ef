/* SPDX-License-Identifier: Apache-2.0 */
/* Counts groups by namespace; refused groups are in a list, longest wait first. */
#include "core/gang/changes/budget.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/changes/group_source.h"
#include "core/gang/changes/namespace_limits.h"
#include "core/gang/group/membership.h"
#include "topology/base/table.h"

#include <string.h>
#include <uthash.h>
#include <utlist.h>

struct budget {
    UT_hash_handle hh; /* by name */
    char *name;        /* of the namespace */
    size_t n;          /* counted groups */
    struct group *refused;
};

static struct budget *obtain(struct skr_gang *e, const char *name)
{
    struct budget *budget;
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->budgets, name, budget);
    if (!budget) {
        budget = skr_alloc(sizeof *budget);
        budget->name = skr_strdup(name);
        SKR_TABLE_ADD(&e->settings.hash_seed, hh, e->budgets, budget->name, strlen(budget->name),
                      budget);
    }
    return budget;
}

static void drop_if_unused(struct skr_gang *e, struct budget *budget)
{
    if (budget->n == 0 && !budget->refused) {
        HASH_DEL(e->budgets, budget);
        free(budget->name);
        free(budget);
    }
}

static void leave_list(struct budget *budget, struct group *g)
{
    if (g->budget.refused) {
        DL_DELETE2(budget->refused, g, budget.prev, budget.next);
        g->budget.refused = false;
    }
}

int skr_budget_take(struct skr_gang *e, struct group *g, struct skr_error *error)
{
    int64_t limit = 0;
    if (g->budget.counts) {
        return 0;
    }
    struct budget *budget = obtain(e, g->namespace_);
    if (skr_namespace_limit(e->settings.groups_max, g->namespace_, &limit) &&
        budget->n >= (size_t)limit && !skr_membership_runs(g)) {
        if (!g->budget.refused) {
            DL_APPEND2(budget->refused, g, budget.prev, budget.next);
            g->budget.refused = true;
        }
        return skr_error_set(
            error, SKR_LIMIT,
            "namespace %s has %lld groups already, which is what groups.maxPerNamespace "
            "allows",
            g->namespace_, (long long)limit);
    }
    leave_list(budget, g);
    g->budget.counts = true;
    budget->n++;
    return 0;
}

void skr_budget_release(struct skr_gang *e, struct group *g)
{
    if (!g->budget.counts && !g->budget.refused) {
        return;
    }
    struct budget *budget = obtain(e, g->namespace_);
    bool place = g->budget.counts;
    leave_list(budget, g);
    g->budget.counts = false;
    budget->n -= place ? 1 : 0;
    if (place && budget->refused) {
        struct group *first = budget->refused;
        leave_list(budget, first);
        skr_group_source_again(first);
        skr_dirty_group(e, first);
    }
    drop_if_unused(e, budget);
}
