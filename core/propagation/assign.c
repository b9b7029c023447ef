/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assigns replicas to the selected clusters by the strategy of the placement, tier by tier if the
 * active affinity term overflows (karmada pkg/scheduler/core/common.go). An object that is no
 * workload, or has several components, goes to every selected cluster without a number.
 */
#include <stdlib.h>
#include <string.h>

#include "core/propagation/steps.h"
#include "core/propagation/strategy.h"

struct assignment {
    struct skr_binding_decision *decision;
    const struct skr_strategy *strategy;
    int64_t *given; /* [selected] */
};

static bool overflows(const struct skr_binding_decision *decision)
{
    return decision->term >= 0 && decision->binding->placement.term[decision->term].n_overflow > 0;
}

static const struct skr_candidate *selected(const struct skr_binding_decision *decision, size_t i)
{
    return &decision->candidate[decision->selected[i]];
}

/* Runs the strategy for the selected clusters of a tier (-1: all). */
static bool assign_tier(struct assignment *a, int32_t tier, int64_t replicas)
{
    struct skr_binding_decision *decision = a->decision;
    struct skr_assign_call call = {.decision = decision, .replicas = replicas};
    size_t *index = skr_alloc_array(decision->n_selected, sizeof *index);
    call.item = skr_alloc_array(decision->n_selected, sizeof *call.item);
    for (size_t i = 0; i < decision->n_selected; i++) {
        if (tier < 0 || selected(decision, i)->tier == tier) {
            index[call.n] = i;
            call.item[call.n++].candidate = selected(decision, i);
        }
    }
    enum skr_propagation_code code = a->strategy->assign(&call);
    for (size_t i = 0; i < call.n; i++) {
        a->given[index[i]] = call.item[i].given;
    }
    free(index);
    free(call.item);
    return code == SKR_PROPAGATION_PLACED ||
           skr_binding_decision_fail(decision, code, "%s", call.message);
}

static bool assign_tiers(struct assignment *a)
{
    struct skr_binding_decision *decision = a->decision;
    int64_t left = decision->binding->replicas;
    int32_t last = 0;
    for (size_t i = 0; i < decision->n_selected; i++) {
        last = selected(decision, i)->tier > last ? selected(decision, i)->tier : last;
    }
    for (int32_t tier = 0; tier <= last && (left > 0 || tier == 0); tier++) {
        int64_t room = 0;
        size_t n = 0;
        for (size_t i = 0; i < decision->n_selected; i++) {
            if (selected(decision, i)->tier == tier) {
                room += selected(decision, i)->available;
                n++;
            }
        }
        int64_t share = room < left ? room : left;
        if (n > 0 && !assign_tier(a, tier, share)) {
            return false;
        }
        left -= n > 0 ? share : 0;
    }
    if (left > 0) {
        return skr_binding_decision_fail(
            decision, SKR_PROPAGATION_ASSIGN_CAPACITY, "%d replicas need room, best %lld",
            (int)decision->binding->replicas, (long long)(decision->binding->replicas - left));
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    const struct skr_assignment *x = a;
    const struct skr_assignment *y = b;
    return strcmp(x->name, y->name);
}

/* given NULL: clusters without numbers. */
static void make_targets(struct skr_binding_decision *decision, const int64_t *given)
{
    decision->target =
        skr_binding_decision_array(decision, decision->n_selected, sizeof *decision->target);
    for (size_t i = 0; i < decision->n_selected; i++) {
        int64_t replicas = given ? given[i] : 0;
        if (given && replicas == 0) {
            if (decision->binding->replicas > 0) {
                decision->warnings |= UINT32_C(1) << SKR_WARNING_SELECTED_UNUSED;
            }
            if (!decision->options->empty_workloads) {
                continue;
            }
        }
        decision->target[decision->n_targets++] = (struct skr_assignment){
            .name = selected(decision, i)->cluster->meta.name,
            .replicas = replicas,
            .has_replicas = given,
            .has_components = decision->sets && decision->binding->n_components > 1};
    }
    if (decision->n_targets > 1) {
        qsort(decision->target, decision->n_targets, sizeof *decision->target, by_name);
    }
}

bool skr_binding_assign_replicas(struct skr_binding_decision *decision)
{
    const struct skr_binding *binding = decision->binding;
    struct skr_strategies strategies = {.n = 0};
    struct assignment a = {.decision = decision};
    if (decision->n_selected == 0) {
        return skr_binding_decision_fail(decision, SKR_PROPAGATION_NO_CANDIDATES,
                                         "no cluster is selected");
    }
    if (!skr_binding_assigns_replicas(binding)) {
        make_targets(decision, NULL);
        return true;
    }
    skr_strategies_register_built_in(&strategies);
    a.strategy = skr_strategies_get(&strategies, binding->placement.kind);
    if (!a.strategy) {
        return skr_binding_decision_fail(decision, SKR_PROPAGATION_UNSUPPORTED_STRATEGY,
                                         "replicaScheduling %.80s", binding->placement.strategy);
    }
    a.given = skr_binding_decision_array(decision, decision->n_selected, sizeof *a.given);
    if (!(overflows(decision) ? assign_tiers(&a) : assign_tier(&a, -1, binding->replicas))) {
        return false;
    }
    make_targets(decision, a.given);
    return true;
}
