/* SPDX-License-Identifier: Apache-2.0 */
/* Writes ways out of a decision as text. */
#include "server/lab/simulate/binding_help.h"

#include "core/propagation/ways.h"
#include "server/render/page.h"

static void write_places(const struct skr_binding_decision *decision,
                         const struct skr_member_cluster *cluster, struct skr_strbuf *out)
{
    const char *between = "in a ";
    for (int i = 0; i < SKR_SPREAD_LEVELS; i++) {
        const enum skr_spread_field field = (enum skr_spread_field)i;
        if (skr_binding_lacks_place(&decision->binding->placement, cluster, field)) {
            skr_strbuf_addf(out, "%s%s", between, skr_spread_field_name[field]);
            between = " and ";
        }
    }
    skr_strbuf_add(out, " of its own");
}

/* What the cluster would need, filter by filter. */
static void write_filter(const struct skr_binding_decision *decision,
                         const struct skr_member_cluster *cluster,
                         enum skr_propagation_filter filter, struct skr_strbuf *out)
{
    const struct skr_object_reference *resource = &decision->binding->resource;
    switch (filter) {
    case SKR_FILTER_API_ENABLEMENT:
        skr_strbuf_add(out, "serving ");
        skr_page_add_clean(out, resource->api_version, false);
        skr_strbuf_addc(out, ' ');
        skr_page_add_clean(out, resource->kind, false);
        break;
    case SKR_FILTER_TAINT_TOLERATION:
        skr_strbuf_add(out, "without taints");
        break;
    case SKR_FILTER_CLUSTER_EVICTION:
        skr_strbuf_add(out, "with its eviction ended");
        break;
    case SKR_FILTER_SPREAD_CONSTRAINT:
        write_places(decision, cluster, out);
        break;
    case SKR_FILTER_CLUSTER_RESOURCE:
        skr_strbuf_add(out, "with room for all replicas");
        break;
    case SKR_FILTER_DELETING:
    case SKR_FILTER_CLUSTER_AFFINITY:
    case SKR_FILTER_COUNT:
        break;
    }
}

static void write_cluster(const struct skr_binding_decision *decision,
                          const struct skr_binding_way *way, struct skr_strbuf *out)
{
    const struct skr_member_cluster *cluster = decision->cluster[way->index];
    bool any = false;
    skr_strbuf_add(out, "with cluster ");
    skr_page_add_clean(out, cluster->meta.name, false);
    for (int i = 0; i < SKR_FILTER_COUNT; i++) {
        if ((way->filters >> i & 1) != 0) {
            skr_strbuf_add(out, any ? " and " : " ");
            write_filter(decision, cluster, (enum skr_propagation_filter)i, out);
            any = true;
        }
    }
}

static void write_constraint(const struct skr_group_constraint *constraint, struct skr_strbuf *out)
{
    skr_strbuf_add(out, "without the constraint on ");
    if (constraint->field == SKR_SPREAD_FIELD_COUNT) {
        skr_page_add_clean(out, constraint->other, false);
    } else {
        skr_strbuf_add(out, skr_spread_field_name[constraint->field]);
    }
}

static const char *division_text(enum skr_division_kind division)
{
    return division == SKR_DIVISION_DUPLICATED   ? "with replicaSchedulingType Duplicated"
           : division == SKR_DIVISION_AGGREGATED ? "with replicaDivisionPreference Aggregated"
                                                 : "with dynamicWeight AvailableReplicas";
}

static void write_room(const struct skr_binding_decision *decision,
                       const struct skr_binding_way *way, struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "with room for %lld %s in cluster ", (long long)way->number,
                    decision->sets ? "set of components" : "new replicas");
    skr_page_add_clean(out, decision->cluster[way->index]->meta.name, false);
    skr_strbuf_addf(out, " (%lld now)", (long long)decision->estimate[way->index]);
}

static void write_way(const struct skr_binding_decision *decision,
                      const struct skr_binding_way *way, struct skr_strbuf *out)
{
    switch (way->kind) {
    case SKR_WAY_REPLICAS:
        skr_strbuf_addf(out, "with replicas %lld", (long long)way->number);
        break;
    case SKR_WAY_MAX_GROUPS:
    case SKR_WAY_MIN_GROUPS:
        skr_strbuf_addf(out, "with %s %lld of %s",
                        way->kind == SKR_WAY_MAX_GROUPS ? "maxGroups" : "minGroups",
                        (long long)way->number, skr_spread_field_name[way->field]);
        break;
    case SKR_WAY_CONSTRAINT:
        write_constraint(&decision->binding->placement.constraint[way->index], out);
        break;
    case SKR_WAY_CONSTRAINTS:
        skr_strbuf_add(out, "without spreadConstraints");
        break;
    case SKR_WAY_ROOM:
        write_room(decision, way, out);
        break;
    case SKR_WAY_CLUSTER:
        write_cluster(decision, way, out);
        break;
    case SKR_WAY_AFFINITY:
        skr_strbuf_addf(out, "without %s",
                        decision->binding->placement.has_affinity ? "clusterAffinity"
                                                                  : "clusterAffinities");
        break;
    case SKR_WAY_DIVISION:
        skr_strbuf_add(out, division_text(way->division));
        break;
    case SKR_WAY_KIND_COUNT:
        break;
    }
}

void skr_binding_help_write(const struct skr_binding_decision *decision, struct skr_strbuf *out)
{
    const struct skr_binding *binding = decision->binding;
    struct skr_binding_way way[SKR_BINDING_WAYS_MAX];
    const size_t n = skr_binding_find_ways(decision, way);
    const bool tried = decision->code != SKR_PROPAGATION_PLACED && binding->has_placement &&
                       !binding->refusal && decision->n_clusters > 0;
    if (tried && n == 0) {
        skr_strbuf_add(out, "\n  No single change that was tried would place it.\n");
    }
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_add(out, i == 0 ? "\n  Would fit (each was tried):\n    " : "    ");
        write_way(decision, &way[i], out);
        skr_strbuf_addc(out, '\n');
    }
}
