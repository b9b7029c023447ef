/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/time/would_evict.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/cache/pods.h"
#include "core/gang/group/membership.h"
#include "core/gang/preempt/sooner.h"
#include "core/gang/preempt/victim_problem.h"
#include "core/gang/preempt/victim_search.h"
#include "core/gang/time/place_names.h"
#include "topology/ledger.h"

/* ---- room ---- */

/* Bits of owners: possible victims, whose ends make no room beside their eviction; groups behind. */
static uint64_t *find_ignored(const struct gathering *in, size_t i,
                              const struct skr_victims_problem *problem)
{
    uint64_t *ignored = skr_alloc_array(in->n_labels / 64 + 1, sizeof *ignored);
    for (size_t k = 0; k < problem->n_victims; k++) {
        const struct skr_victim *v = &problem->victim[k];
        const char *name = v->kind == SKR_VICTIM_SURPLUS && v->surplus_of >= 0
                               ? problem->victim[v->surplus_of].name
                               : v->name;
        SKR_STRBUF(label);
        skr_strbuf_addn(&label, name, strcspn(name, "@"));
        const uint32_t number = gathering_number(in, label.s);
        if (number < in->n_labels && strcmp(in->label[number], label.s) == 0) {
            ignored[number / 64] |= (uint64_t)1 << number % 64;
        }
    }
    for (size_t k = i; k < in->n_complete; k++) {
        const uint32_t number = in->group[k].owner;
        ignored[number / 64] |= (uint64_t)1 << number % 64;
    }
    return ignored;
}

/* The least change of a resource on the leaf over the window from now on, at most 0. */
static int64_t least_change(const struct gathering *in, int32_t leaf, uint16_t resource,
                            int64_t end, const uint64_t *ignored)
{
    size_t n;
    const struct skr_room_change *change = skr_timeline_of(in->timeline, leaf, &n);
    int64_t sum = 0, least = 0;
    for (size_t k = 0; k < n && change[k].at < end;) {
        const int64_t at = change[k].at;
        for (; k < n && change[k].at == at; k++) {
            const struct skr_room_change *c = &change[k];
            const bool counts = c->kind & SKR_CHANGES_KNOWN && c->resource == resource &&
                                !(ignored[c->owner / 64] >> c->owner % 64 & 1);
            sum = counts ? skr_amount_sum(sum, c->amount) : sum;
        }
        least = sum < least ? sum : least;
    }
    return least;
}

/* Takes what the groups before it hold from the room of the search. */
static void take_held(const struct gathering *in, size_t i, struct skr_solve_request *request)
{
    const struct skr_problem *p = &request->problem;
    int64_t *room = (int64_t *)(uintptr_t)p->free;
    const int64_t end = skr_window_end(&in->group[i].question, in->now);
    SKR_AUTO_FREE uint64_t *ignored = find_ignored(in, i, request->preemption);
    for (size_t k = 0; k < (size_t)p->tree->n_leaves * p->n_resources; k++) {
        room[k] = skr_room_plus(room[k],
                                least_change(in, (int32_t)(k / p->n_resources),
                                             request->resource[k % p->n_resources], end, ignored));
    }
}

/* ---- victims ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const struct skr_timeline_victims *name_victims(const struct gathering *in,
                                                       const struct group *g,
                                                       const struct skr_solve_request *request)
{
    const struct skr_victims *found = request->victims;
    struct skr_timeline_victims *v = skr_arena_alloc(in->arena, sizeof *v);
    const char **group = skr_arena_array(in->arena, found->n + 1, sizeof *group);
    const char **pod = skr_arena_array(in->arena, found->n + 1, sizeof *pod);
    if (!v || !group || !pod) {
        return NULL;
    }
    for (size_t i = 0; i < found->n; i++) {
        const struct skr_victim *one = &request->preemption->victim[found->victim[i]];
        const char *name = gathering_short_name(in, g, one->name);
        if (!name) {
            return NULL;
        }
        if (one->kind == SKR_VICTIM_GROUP) {
            group[v->n_groups++] = name;
        } else {
            pod[v->n_followers++] = name;
        }
    }
    qsort(group, v->n_groups, sizeof *group, by_name);
    qsort(pod, v->n_followers, sizeof *pod, by_name);
    v->group = group;
    v->follower = pod;
    return v;
}

/* Whether they can be gone before the start. */
static bool is_faster(const struct gathering *in, size_t i, const struct skr_solve_request *request)
{
    const struct skr_victims *found = request->victims;
    int32_t grace = 0;
    for (size_t k = 0; k < found->n; k++) {
        const int32_t own = skr_sooner_grace(in->e, &request->preemption->victim[found->victim[k]]);
        grace = own > grace ? own : grace;
    }
    return in->group[i].start > in->now + grace;
}

static int search(struct gathering *in, size_t i, struct skr_solve_request *request,
                  const struct skr_timeline_victims **ret, struct skr_error *error)
{
    take_held(in, i, request);
    const int rc = skr_victims_find(request->preemption, &request->victims, error);
    if (rc < 0) {
        return rc;
    }
    if (request->victims->status == SKR_VICTIMS_FOUND && is_faster(in, i, request)) {
        *ret = name_victims(in, in->waiting[i].group, request);
        return *ret ? 0 : skr_error_set(error, SKR_LIMIT, "the answer is too large");
    }
    return 0;
}

int skr_would_evict(struct gathering *in, size_t i, const struct skr_timeline_victims **ret,
                    struct skr_error *error)
{
    struct group *g = in->waiting[i].group;
    size_t n;
    *ret = NULL;
    if (in->group[i].state == SKR_ROUND_STARTS || !in->waiting[i].request ||
        !in->e->settings.preemption || !skr_victim_search_may_preempt(g)) {
        return 0;
    }
    SKR_AUTO_FREE struct pod_entry **newcomers = skr_membership_plannable(in->e, g, &n);
    struct skr_solve_request *request =
        skr_victim_problem_build(in->e, g, newcomers, n, false, error);
    if (!request) {
        return -SKR_LIMIT;
    }
    request->problem.n = in->group[i].question.problem->n; /* the minimum of an open group */
    const int rc = search(in, i, request, ret, error);
    skr_solve_request_destroy(request);
    return rc;
}
