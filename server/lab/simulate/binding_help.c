/* SPDX-License-Identifier: Apache-2.0 */
/* The same decision on the same clusters, with one number of the binding changed. */
#include "server/lab/simulate/binding_help.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

/* What would let it through, by its code. */
static void write_kind(const struct skr_binding_decision *decision, struct skr_strbuf *out)
{
    static const char *const help[] = {
        [SKR_PROPAGATION_PLACED] = NULL,
        [SKR_PROPAGATION_NO_CLUSTER_FIT] = "a cluster passes every filter listed beside it below",
        [SKR_PROPAGATION_TOO_FEW_CLUSTERS] =
            "more clusters pass the filters, or minGroups is lower",
        [SKR_PROPAGATION_TOO_FEW_GROUPS] = "clusters of more groups pass, or minGroups is lower",
        [SKR_PROPAGATION_SELECT_CAPACITY] =
            "room is freed in these clusters, or maxGroups of cluster is higher",
        [SKR_PROPAGATION_NO_FEASIBLE_COMBINATION] =
            "room is freed in one of the groups, or maxGroups is higher",
        [SKR_PROPAGATION_ASSIGN_CAPACITY] = "room is freed in the selected clusters",
        [SKR_PROPAGATION_QUOTA_EXCEEDED] = "the quota of the namespace is raised",
        [SKR_PROPAGATION_UNSUPPORTED_CONSTRAINT] =
            "constraints are on provider, region, zone and cluster alone",
        [SKR_PROPAGATION_UNSUPPORTED_STRATEGY] =
            "replicas are Duplicated, or Divided by Aggregated or Weighted",
        [SKR_PROPAGATION_NO_CANDIDATES] = "maxGroups of cluster is above 0",
        [SKR_PROPAGATION_INVALID_POLICY] = "the policy is corrected",
    };
    _Static_assert(sizeof help / sizeof help[0] == SKR_PROPAGATION_CODE_COUNT, "a help per code");
    const bool none = decision->code == SKR_PROPAGATION_NO_CLUSTER_FIT && decision->n_clusters == 0;
    if (help[decision->code]) {
        skr_strbuf_addf(out, "\n  Would fit if: %s.\n",
                        none ? "there are Clusters" : help[decision->code]);
    }
}

/* ---- single changes ---- */

enum { STEPS_MAX = 8, TRIES_MIN = 40, TRIES_MAX = 100, TRIED_CLUSTERS = 50000 };

/* Decisions that may still be tried: fewer where one costs more. */
struct trial {
    const struct skr_binding_decision *decision;
    size_t left;
};

static bool is_placed(struct trial *trial, const struct skr_binding *binding)
{
    const struct skr_binding_decision *decision = trial->decision;
    trial->left--;
    struct skr_binding_decision *other = NULL;
    bool placed = skr_binding_decide(binding, decision->cluster, decision->n_clusters,
                                     decision->options, NULL, &other, NULL) == 0 &&
                  other->code == SKR_PROPAGATION_PLACED;
    skr_binding_decision_destroy(other);
    return placed;
}

/* The most replicas that were found to be placed; 0: none, or their number does not matter. */
static int32_t most_replicas(struct trial *trial)
{
    struct skr_binding changed = *trial->decision->binding;
    int32_t low = 0;
    int32_t high = changed.replicas;
    while (trial->decision->need > 0 && high - low > 1 && trial->left > 0) {
        changed.replicas = low + (high - low) / 2;
        if (is_placed(trial, &changed)) {
            low = changed.replicas;
        } else {
            high = changed.replicas;
        }
    }
    return low;
}

/* The number nearest to from, in steps of by, that lets the binding through; 0: none was found. */
static int64_t try_bound(struct trial *trial, enum skr_spread_field field, bool max, int64_t from,
                         int64_t by)
{
    const struct skr_binding *binding = trial->decision->binding;
    struct skr_binding changed = *binding;
    const size_t n = changed.placement.n_constraints;
    int64_t found = 0;
    changed.placement.constraint = skr_alloc_array(n, sizeof *changed.placement.constraint);
    for (int64_t k = 1; found == 0 && k <= STEPS_MAX && from + k * by > 0 && trial->left > 0; k++) {
        for (size_t i = 0; i < n; i++) {
            struct skr_group_constraint *constraint = &changed.placement.constraint[i];
            *constraint = binding->placement.constraint[i];
            if (constraint->field == field && max) {
                constraint->max_groups = from + k * by;
            } else if (constraint->field == field) {
                constraint->min_groups = from + k * by;
            }
        }
        found = is_placed(trial, &changed) ? from + k * by : 0;
    }
    free(changed.placement.constraint);
    return found;
}

static void add_way(struct skr_strbuf *ways, const char *what, int64_t number, const char *of)
{
    if (number > 0) {
        skr_strbuf_addf(ways, "    with %s %lld%s%s\n", what, (long long)number,
                        of[0] != '\0' ? " of " : "", of);
    }
}

void skr_binding_help_write(const struct skr_binding_decision *decision, struct skr_strbuf *out)
{
    struct trial trial = {
        .decision = decision,
        .left = TRIES_MIN + TRIED_CLUSTERS / (decision->n_clusters + TRIED_CLUSTERS / TRIES_MAX)};
    struct skr_strbuf ways;
    skr_strbuf_init(&ways);
    write_kind(decision, out);
    const bool shortage =
        strcmp(skr_propagation_outcome(decision->code, false).reason, "Unschedulable") == 0;
    if (shortage) {
        add_way(&ways, "replicas", most_replicas(&trial), "");
    }
    for (int i = 0; shortage && i < SKR_SPREAD_FIELD_COUNT; i++) {
        const enum skr_spread_field field = (enum skr_spread_field)i;
        const struct skr_group_range *range = &decision->range[i];
        const char *name = skr_spread_field_name(field);
        if (range->declared && !range->unset) {
            add_way(&ways, "maxGroups", try_bound(&trial, field, true, range->max, 1), name);
        }
        if (range->declared) {
            add_way(&ways, "minGroups", try_bound(&trial, field, false, range->min, -1), name);
        }
    }
    if (ways.len > 0) {
        skr_strbuf_addf(out, "\n  It would fit\n%s", ways.s);
    }
    skr_strbuf_fini(&ways);
}
