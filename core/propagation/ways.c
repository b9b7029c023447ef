/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A way is a change as data. helps() makes the change and decides; a way is returned only if that
 * decision is placed. The other functions choose which ways to try: numbers by bisection or in
 * steps from their present value, clusters from the roomiest, or by name.
 */
#include "core/propagation/ways.h"

#include <stdlib.h>
#include <string.h>

#include "core/propagation/spread_table.h"
#include "topology/base/arena.h"

enum {
    STEPS_MAX = 8,        /* of minGroups and maxGroups */
    CLUSTERS_MAX = 8,     /* that are tried, for room and for filters */
    CLUSTER_WAYS_MAX = 3, /* rejected clusters that are returned */
    WORK_MAX = 8,         /* times SKR_SPREAD_WORK_MAX */
    HALF_FROM = 50000,    /* clusters: half of the tries */
};

/* No cluster has such a place. */
static const char place_of_its_own[] = "\001";

struct search {
    const struct skr_binding_decision *decision;
    size_t left; /* decisions that may still be tried */
    uint64_t work;
    size_t n;
    struct skr_binding_way *way;
    /* What is changed for one try. */
    struct skr_binding binding;
    struct skr_group_constraint constraint[SKR_BINDING_PLACEMENT_CONSTRAINTS_MAX];
    const char **evicting;                  /* [n_evicting] */
    const struct skr_member_cluster **list; /* [n_clusters] */
    struct skr_member_cluster cluster;      /* in the place of one of them */
    struct skr_served_kind kind;            /* that it serves */
    const char *zone[1];
};

/* ---- changes ---- */

static void change_constraints(struct search *search, const struct skr_binding_way *way)
{
    const struct skr_binding_placement *has = &search->decision->binding->placement;
    struct skr_binding_placement *placement = &search->binding.placement;
    placement->constraint = search->constraint;
    placement->n_constraints = 0;
    for (size_t i = 0; i < has->n_constraints && way->kind != SKR_WAY_CONSTRAINTS; i++) {
        if (way->kind == SKR_WAY_CONSTRAINT && i == way->index) {
            continue;
        }
        struct skr_group_constraint *to = &search->constraint[placement->n_constraints++];
        *to = has->constraint[i];
        if (way->kind == SKR_WAY_MAX_GROUPS && to->field == way->field) {
            to->max_groups = way->number;
        } else if (way->kind == SKR_WAY_MIN_GROUPS && to->field == way->field) {
            to->min_groups = way->number;
        }
    }
}

static struct skr_member_cluster *change_cluster(struct search *search, size_t index)
{
    search->cluster = *search->decision->cluster[index];
    search->list[index] = &search->cluster;
    return &search->cluster;
}

static void end_eviction(struct search *search, const char *cluster)
{
    const struct skr_binding *has = search->decision->binding;
    struct skr_binding *binding = &search->binding;
    binding->evicting = search->evicting;
    binding->n_evicting = 0;
    for (size_t i = 0; i < has->n_evicting; i++) {
        if (strcmp(has->evicting[i], cluster) != 0) {
            search->evicting[binding->n_evicting++] = has->evicting[i];
        }
    }
}

static void settle(struct search *search, struct skr_member_cluster *cluster)
{
    const struct skr_binding_placement *placement = &search->binding.placement;
    for (int i = 0; i < SKR_SPREAD_LEVELS; i++) {
        const enum skr_spread_field field = (enum skr_spread_field)i;
        if (!skr_binding_lacks_place(placement, cluster, field)) {
            continue;
        }
        if (field == SKR_SPREAD_PROVIDER) {
            cluster->provider = place_of_its_own;
        } else if (field == SKR_SPREAD_REGION) {
            cluster->region = place_of_its_own;
        } else {
            search->zone[0] = place_of_its_own;
            cluster->zone = search->zone;
            cluster->n_zones = 1;
        }
    }
}

static void pass_filters(struct search *search, const struct skr_binding_way *way)
{
    const struct skr_object_reference *resource = &search->binding.resource;
    struct skr_member_cluster *cluster = change_cluster(search, way->index);
    if (way->filters >> SKR_FILTER_API_ENABLEMENT & 1) {
        search->kind = (struct skr_served_kind){.group_version = resource->api_version,
                                                .kind = resource->kind};
        cluster->kind = &search->kind;
        cluster->n_kinds = 1;
    }
    if (way->filters >> SKR_FILTER_TAINT_TOLERATION & 1) {
        cluster->n_taints = 0;
    }
    if (way->filters >> SKR_FILTER_CLUSTER_EVICTION & 1) {
        end_eviction(search, cluster->meta.name);
    }
    if (way->filters >> SKR_FILTER_SPREAD_CONSTRAINT & 1) {
        settle(search, cluster);
    }
    if (way->filters >> SKR_FILTER_CLUSTER_RESOURCE & 1) {
        cluster->has_room = true;
        cluster->room = search->binding.replicas;
    }
}

static void change(struct search *search, const struct skr_binding_way *way)
{
    struct skr_binding_placement *placement = &search->binding.placement;
    switch (way->kind) {
    case SKR_WAY_REPLICAS:
        search->binding.replicas = (int32_t)way->number;
        break;
    case SKR_WAY_MAX_GROUPS:
    case SKR_WAY_MIN_GROUPS:
    case SKR_WAY_CONSTRAINT:
    case SKR_WAY_CONSTRAINTS:
        change_constraints(search, way);
        break;
    case SKR_WAY_ROOM:
        change_cluster(search, way->index)->has_room = true;
        search->cluster.room = way->number;
        break;
    case SKR_WAY_CLUSTER:
        pass_filters(search, way);
        break;
    case SKR_WAY_AFFINITY:
        placement->has_affinity = false;
        placement->n_terms = 0;
        break;
    case SKR_WAY_DIVISION:
        placement->kind = way->division;
        break;
    case SKR_WAY_KIND_COUNT:
        break;
    }
}

/* Whether the binding is placed with the change. */
static bool helps(struct search *search, const struct skr_binding_way *way)
{
    const struct skr_binding_decision *decision = search->decision;
    struct skr_binding_decision *other = NULL;
    if (search->left == 0 || search->work > WORK_MAX * SKR_SPREAD_WORK_MAX) {
        return false;
    }
    search->left--;
    search->binding = *decision->binding;
    memcpy(search->list, decision->cluster, decision->n_clusters * sizeof *search->list);
    change(search, way);
    const int rc = skr_binding_decide(&search->binding, search->list, decision->n_clusters, NULL,
                                      decision->options, NULL, &other, NULL);
    const bool placed = rc == 0 && other->code == SKR_PROPAGATION_PLACED;
    search->work += rc == 0 ? other->table_work : 0;
    skr_binding_decision_destroy(other);
    return placed;
}

static void keep(struct search *search, const struct skr_binding_way *way)
{
    if (search->n < SKR_BINDING_WAYS_MAX) {
        search->way[search->n++] = *way;
    }
}

static bool try(struct search *search, const struct skr_binding_way *way)
{
    const bool found = helps(search, way);
    if (found) {
        keep(search, way);
    }
    return found;
}

/* The number nearest to bad, between it and a good one, that was found to help. */
static int64_t nearest(struct search *search, struct skr_binding_way way, int64_t good, int64_t bad)
{
    while (good - bad > 1 || bad - good > 1) {
        way.number = bad + (good - bad) / 2;
        if (helps(search, &way)) {
            good = way.number;
        } else {
            bad = way.number;
        }
    }
    return good;
}

/* ---- what is tried ---- */

static void try_replicas(struct search *search)
{
    const struct skr_binding_decision *decision = search->decision;
    struct skr_binding_way way = {.kind = SKR_WAY_REPLICAS, .number = 1};
    if ((decision->need > 0 || decision->options->resource_filter) &&
        decision->binding->replicas > 1 && helps(search, &way)) {
        way.number = nearest(search, way, 1, decision->binding->replicas);
        keep(search, &way);
    }
}

static void try_bound(struct search *search, enum skr_binding_way_kind kind,
                      enum skr_spread_field field, int64_t from, int64_t by)
{
    struct skr_binding_way way = {.kind = kind, .field = field};
    for (int64_t k = 1; k <= STEPS_MAX && from + k * by > 0; k++) {
        way.number = from + k * by;
        if (try(search, &way)) {
            return;
        }
    }
}

static void try_bounds(struct search *search)
{
    const struct skr_binding_decision *decision = search->decision;
    /* Ranges can be refused for being wide. */
    const int64_t wider = decision->code == SKR_PROPAGATION_INVALID_POLICY ? -1 : 1;
    for (int i = 0; i < SKR_SPREAD_FIELD_COUNT; i++) {
        const enum skr_spread_field field = (enum skr_spread_field)i;
        const struct skr_group_range *range = &decision->range[i];
        if (range->declared && range->max != INT32_MAX) {
            try_bound(search, SKR_WAY_MAX_GROUPS, field, range->max, wider);
        }
        if (range->declared) {
            try_bound(search, SKR_WAY_MIN_GROUPS, field, range->min, -wider);
        }
    }
}

static void try_constraints(struct search *search)
{
    const size_t n = search->decision->binding->placement.n_constraints;
    const size_t before = search->n;
    for (size_t i = 0; i < n; i++) {
        const struct skr_binding_way way = {.kind = SKR_WAY_CONSTRAINT, .index = i};
        (void)try(search, &way);
    }
    if (n > 1 && search->n == before) {
        (void)try(search, &(struct skr_binding_way){.kind = SKR_WAY_CONSTRAINTS});
    }
}

/* The roomiest candidate with less room than that, or as much and behind it in order; -1: none. */
static int64_t next_roomiest(const struct skr_binding_decision *decision, int64_t after)
{
    int64_t best = -1;
    for (size_t i = 0; i < decision->n_candidates; i++) {
        const int64_t room = decision->candidate[i].available;
        const int64_t than = after >= 0 ? decision->candidate[after].available : INT64_MAX;
        const bool behind = room < than || (room == than && (int64_t)i > after);
        if (behind && (best < 0 || room > decision->candidate[best].available)) {
            best = (int64_t)i;
        }
    }
    return best;
}

static size_t index_of(const struct skr_binding_decision *decision,
                       const struct skr_member_cluster *cluster)
{
    size_t i = 0;
    while (decision->cluster[i] != cluster) {
        i++;
    }
    return i;
}

/* In one cluster, as little as was found to do. */
static void try_room(struct search *search)
{
    const struct skr_binding_decision *decision = search->decision;
    const int64_t all = decision->need;
    int64_t at = -1;
    if (decision->need == 0) {
        return;
    }
    for (size_t k = 0; k < CLUSTERS_MAX && (at = next_roomiest(decision, at)) >= 0; k++) {
        const struct skr_candidate *candidate = &decision->candidate[at];
        struct skr_binding_way way = {
            .kind = SKR_WAY_ROOM, .index = index_of(decision, candidate->cluster), .number = all};
        if (candidate->allocatable < all && helps(search, &way)) {
            way.number = nearest(search, way, all, candidate->allocatable);
            keep(search, &way);
            return;
        }
    }
}

static void try_clusters(struct search *search)
{
    const struct skr_binding_decision *decision = search->decision;
    const uint32_t cannot = UINT32_C(1) << SKR_FILTER_DELETING | UINT32_C(1)
                                                                     << SKR_FILTER_CLUSTER_AFFINITY;
    size_t tried = 0;
    size_t found = 0;
    for (size_t i = 0; i < decision->n_clusters; i++) {
        const struct skr_binding_way way = {
            .kind = SKR_WAY_CLUSTER, .index = i, .filters = decision->rejected[i]};
        if (way.filters == 0 || (way.filters & cannot) != 0) {
            continue;
        }
        found += try(search, &way) ? 1 : 0;
        if (++tried == CLUSTERS_MAX || found == CLUSTER_WAYS_MAX) {
            return;
        }
    }
}

static void try_affinity(struct search *search)
{
    const struct skr_binding_placement *placement = &search->decision->binding->placement;
    if (placement->has_affinity || placement->n_terms > 0) {
        (void)try(search, &(struct skr_binding_way){.kind = SKR_WAY_AFFINITY});
    }
}

static void try_divisions(struct search *search)
{
    static const enum skr_division_kind kind[] = {SKR_DIVISION_DUPLICATED, SKR_DIVISION_AGGREGATED,
                                                  SKR_DIVISION_DYNAMIC};
    for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++) {
        (void)try(search, &(struct skr_binding_way){.kind = SKR_WAY_DIVISION, .division = kind[i]});
    }
}

size_t skr_binding_find_ways(const struct skr_binding_decision *decision,
                             struct skr_binding_way way[SKR_BINDING_WAYS_MAX])
{
    const struct skr_binding *binding = decision->binding;
    const size_t n = decision->n_clusters;
    if (decision->code == SKR_PROPAGATION_PLACED || binding->refusal || !binding->has_placement) {
        return 0;
    }
    SKR_AUTO_FREE struct search *search = skr_alloc(sizeof *search);
    search->decision = decision;
    search->way = way;
    search->left = SKR_BINDING_WAYS_TRIES * (size_t)HALF_FROM / (HALF_FROM + n);
    search->evicting = skr_alloc_array(binding->n_evicting + 1, sizeof *search->evicting);
    search->list = skr_alloc_array(n + 1, sizeof *search->list);
    if (decision->code == SKR_PROPAGATION_UNSUPPORTED_STRATEGY) {
        try_divisions(search);
    } else {
        try_replicas(search);
        try_bounds(search);
        try_constraints(search);
        try_room(search);
        try_clusters(search);
        try_affinity(search);
    }
    const size_t found = search->n;
    free(search->evicting);
    free(search->list);
    return found;
}
