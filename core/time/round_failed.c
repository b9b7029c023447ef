/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups that cannot start at an instant prove the same for others: the same demand, rules and room, at least
 * as long, and the same size, or a larger one if the rules allow every smaller size too.
 */
#include "core/time/round_parts.h"

#include <string.h>

static bool same_bytes(const void *a, const void *b, size_t n)
{
    return a == b || (a && b && memcmp(a, b, n) == 0);
}

bool skr_round_is_closed_downward(const struct skr_problem *p)
{
    bool closed = true;
    for (int32_t i = 0; i < p->tree->n_levels; i++) {
        const struct skr_rule *rule = &p->rule[i];
        closed = closed &&
                 (rule->hard || (rule->partitions <= 0 && rule->min <= 0 && rule->factor <= 1));
    }
    return closed;
}

/* Whether the search is about nothing but demand, rules, eligibility and free room. */
static bool is_plain(const struct skr_round_group *g)
{
    const struct skr_problem *p = skr_round_problem(g);
    return !p->roles && !p->bounds && p->n_domain_rules == 0 && g->first.n_uses == 0 &&
           g->seats.n_uses == 0 && g->question.cut == SKR_INSTANT_NEVER &&
           (g->all_n <= p->n || skr_round_is_closed_downward(p));
}

static bool proves(const struct skr_round_group *failed, const struct skr_round_group *g)
{
    const struct skr_problem *a = skr_round_problem(failed), *b = skr_round_problem(g);
    const size_t leaves = (size_t)a->tree->n_leaves, n = a->n_resources;
    return a->tree == b->tree && n == b->n_resources &&
           failed->question.holds <= g->question.holds &&
           (a->n == b->n || (a->n < b->n && skr_round_is_closed_downward(b))) &&
           memcmp(a->demand, b->demand, n * sizeof *a->demand) == 0 &&
           memcmp(failed->question.resource, g->question.resource,
                  n * sizeof *g->question.resource) == 0 &&
           skr_rules_equal(a->rule, b->rule, a->tree->n_levels) &&
           same_bytes(a->eligible, b->eligible, leaves) &&
           same_bytes(a->claimed, b->claimed, leaves * sizeof *a->claimed) &&
           same_bytes(a->free, b->free, leaves * n * sizeof *a->free);
}

bool skr_round_is_proven(const struct skr_round *r, const struct skr_round_group *g)
{
    bool proven = false;
    for (size_t i = 0; i < r->n_failed && is_plain(g) && !proven; i++) {
        proven = proves(r->failed[i], g);
    }
    return proven;
}

int64_t skr_round_known_from(const struct skr_round *r, const struct skr_round_group *g)
{
    int64_t from = 0;
    for (size_t i = 0; i < r->n_failed && is_plain(g); i++) {
        const struct skr_round_group *before = r->failed[i];
        from = before->start > from && proves(before, g) ? before->start : from;
    }
    return from;
}

void skr_round_note_failed(struct skr_round *r, const struct skr_round_group *g)
{
    if (r->n_failed < SKR_ROUND_FAILED_MAX && is_plain(g)) {
        r->failed[r->n_failed++] = g;
    }
}
