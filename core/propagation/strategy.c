/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry of strategies, and its strategies (karmada pkg/scheduler/core/assignment.go,
 * division_algorithm.go). Dynamic strategies keep running replicas and divide the difference.
 * Growth is divided by room for new replicas, shrinking by running replicas, a fresh distribution
 * by both.
 */
#include "core/propagation/strategy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/propagation/divide.h"
#include "core/propagation/weights.h"

int skr_strategies_register(struct skr_strategies *strategies, const struct skr_strategy *strategy,
                            struct skr_error *error)
{
    for (size_t i = 0; i < strategies->n; i++) {
        if (strcmp(strategies->row[i]->name, strategy->name) == 0 ||
            strategies->row[i]->kind == strategy->kind) {
            return skr_error_set(error, SKR_CONFLICT, "strategy %s is registered already",
                                 strategy->name);
        }
    }
    if (strategies->n == SKR_STRATEGIES_MAX) {
        return skr_error_set(error, SKR_LIMIT, "strategy %s: more than %d", strategy->name,
                             (int)SKR_STRATEGIES_MAX);
    }
    strategies->row[strategies->n++] = strategy;
    return 0;
}

const struct skr_strategy *skr_strategies_get(const struct skr_strategies *strategies,
                                              enum skr_division_kind kind)
{
    for (size_t i = 0; i < strategies->n; i++) {
        if (strategies->row[i]->kind == kind) {
            return strategies->row[i];
        }
    }
    return NULL;
}

/* ---- built in ---- */

static bool descends(const struct skr_assign_call *call)
{
    return skr_divide_descends(call->decision->binding->resource.uid);
}

static enum skr_propagation_code assign_duplicated(struct skr_assign_call *call)
{
    for (size_t i = 0; i < call->n; i++) {
        call->item[i].given = call->replicas;
    }
    return SKR_PROPAGATION_PLACED;
}

static enum skr_propagation_code assign_static(struct skr_assign_call *call)
{
    struct skr_share *share = skr_alloc_array(call->n + 1, sizeof *share);
    struct skr_weight_index index;
    bool matched = false;
    skr_weight_index_init(&index, &call->decision->binding->placement);
    for (size_t i = 0; i < call->n; i++) {
        const struct skr_member_cluster *cluster = call->item[i].candidate->cluster;
        share[i] = (struct skr_share){.name = cluster->meta.name};
        (void)skr_weight_index_find(&index, cluster, &share[i].weight);
        matched = matched || share[i].weight > 0;
    }
    skr_weight_index_fini(&index);
    for (size_t i = 0; i < call->n && !matched; i++) {
        share[i].weight = 1;
    }
    skr_divide(share, call->n, call->replicas, descends(call));
    for (size_t i = 0; i < call->n; i++) {
        call->item[i].given = share[i].given;
    }
    free(share);
    return SKR_PROPAGATION_PLACED;
}

/* One cluster's part in a dynamic division. */
struct part {
    size_t item;
    size_t position; /* where it stands among equal weights */
    bool first;      /* before those that are not, whatever the weight */
    int64_t weight;
};

static int by_weight(const void *a, const void *b)
{
    const struct part *x = a;
    const struct part *y = b;
    if (x->first != y->first) {
        return x->first ? -1 : 1;
    }
    if (x->weight != y->weight) {
        return x->weight > y->weight ? -1 : 1;
    }
    return (x->position > y->position) - (x->position < y->position);
}

/* The first parts whose weights reach want. */
static size_t cut(struct part *part, size_t n, int64_t want)
{
    int64_t sum = 0;
    if (n > 1) {
        qsort(part, n, sizeof *part, by_weight);
    }
    for (size_t i = 0; i < n; i++) {
        sum += part[i].weight;
        if (sum >= want) {
            return i + 1;
        }
    }
    return n;
}

/* Divides want among the parts and adds to what the items have been given. */
static void divide_parts(struct skr_assign_call *call, const struct part *part, size_t n,
                         int64_t want)
{
    SKR_AUTO_FREE struct skr_share *share = skr_alloc_array(n + 1, sizeof *share);
    for (size_t i = 0; i < n; i++) {
        share[i] =
            (struct skr_share){.name = call->item[part[i].item].candidate->cluster->meta.name,
                               .weight = part[i].weight};
    }
    skr_divide(share, n, want, descends(call));
    for (size_t i = 0; i < n; i++) {
        call->item[part[i].item].given += share[i].given;
    }
}

/* Where the cluster stands in spec.clusters. */
static size_t target_position(const struct skr_assign_call *call, size_t item)
{
    const struct skr_binding *binding = call->decision->binding;
    const struct skr_target *target =
        skr_binding_target(binding, call->item[item].candidate->cluster->meta.name);
    return target ? (size_t)(target - binding->target) : SIZE_MAX;
}

static enum skr_propagation_code assign_dynamic(struct skr_assign_call *call, bool aggregated)
{
    bool fresh = skr_binding_is_fresh(call->decision->binding);
    int64_t have = 0;
    int64_t sum = 0;
    for (size_t i = 0; i < call->n; i++) {
        have += call->item[i].candidate->running;
        call->item[i].given = 0;
    }
    bool shrinks = !fresh && have > call->replicas;
    bool grows = !fresh && have < call->replicas;
    int64_t want = grows ? call->replicas - have : call->replicas;
    SKR_AUTO_FREE struct part *part = skr_alloc_array(call->n + 1, sizeof *part);
    for (size_t i = 0; i < call->n; i++) {
        const struct skr_candidate *candidate = call->item[i].candidate;
        part[i] = (struct part){.item = i,
                                .position = shrinks ? target_position(call, i) : i,
                                .first = grows && candidate->running > 0,
                                .weight = shrinks ? candidate->running
                                          : fresh ? candidate->allocatable + candidate->running
                                                  : candidate->allocatable};
        sum += part[i].weight;
        call->item[i].given = fresh || shrinks ? 0 : candidate->running;
    }
    enum skr_propagation_code code = SKR_PROPAGATION_PLACED;
    if ((fresh || shrinks || grows) && sum < want) {
        code = SKR_PROPAGATION_ASSIGN_CAPACITY;
        snprintf(call->message, sizeof call->message, "%lld replicas need room, best %lld",
                 (long long)want, (long long)sum);
    } else if (fresh || shrinks || grows) {
        size_t n = aggregated ? cut(part, call->n, want) : call->n;
        divide_parts(call, part, n, want);
    }
    return code;
}

static enum skr_propagation_code assign_dynamic_weight(struct skr_assign_call *call)
{
    return assign_dynamic(call, false);
}

static enum skr_propagation_code assign_aggregated(struct skr_assign_call *call)
{
    return assign_dynamic(call, true);
}

void skr_strategies_register_built_in(struct skr_strategies *strategies)
{
    static const struct skr_strategy row[] = {
        {"Duplicated", SKR_DIVISION_DUPLICATED, assign_duplicated},
        {"StaticWeight", SKR_DIVISION_STATIC, assign_static},
        {"DynamicWeight", SKR_DIVISION_DYNAMIC, assign_dynamic_weight},
        {"Aggregated", SKR_DIVISION_AGGREGATED, assign_aggregated},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        int rc = skr_strategies_register(strategies, &row[i], NULL);
        skr_bug_on(rc != 0);
    }
}
