/* SPDX-License-Identifier: Apache-2.0 */
/* Names the field that says the size of a group. */
#include "core/gang/report/size_field.h"

#include "core/gang/cache/entry.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/workload_owners.h"
#include "core/gang/group/membership.h"
#include "core/gang/state/map_entry.h"

static void add_podgroup(const struct skr_podgroup *pg, struct skr_strbuf *b)
{
    skr_strbuf_addf(b, "spec.%s of PodGroup %s",
                    pg->native ? "schedulingPolicy.gang.minCount" : "minMember", pg->meta.name);
}

/* The annotation that has it on the pods of some kinds, also where no object is read. */
static const char *size_of_pods(const struct pod_entry *p)
{
    struct skr_workload w;
    skr_workload_of(p->pod, &w);
    return w.size < 0                     ? SKR_LABEL_GROUP_SIZE
           : w.kind == SKR_WORKLOAD_KUEUE ? SKR_KUEUE_TOTAL
                                          : "leaderworkerset.sigs.k8s.io/size";
}

void skr_size_field_add(const struct group *g, const char *role, struct skr_strbuf *b)
{
    const struct pod_entry *oldest = skr_membership_oldest(g);
    const struct skr_owner *owner = skr_workload_owners_of_group(g);
    if (g->source.kind == SOURCE_PODGROUP && g->source.podgroup) {
        add_podgroup(g->source.podgroup->pg, b);
    } else if (!skr_entry_is_derived(g->name)) {
        skr_strbuf_add(b, g->source.kind == SOURCE_LABELS ? "label " SKR_LABEL_GROUP_SIZE
                          : g->spec && g->spec->most > 0  ? "the minimum"
                                                          : "the size");
    } else if (oldest && skr_labels_get(&oldest->pod->meta.annotations, SKR_LABEL_GROUP_SIZE)) {
        skr_strbuf_add(b, "annotation " SKR_LABEL_GROUP_SIZE);
    } else if (owner) {
        skr_owner_size_field_add(owner, role, b);
    } else {
        skr_strbuf_addf(b, "annotation %s", oldest ? size_of_pods(oldest) : SKR_LABEL_GROUP_SIZE);
    }
}
