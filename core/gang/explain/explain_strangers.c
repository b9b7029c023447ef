/* SPDX-License-Identifier: Apache-2.0 */
/* Finds pods of other schedulers that name a group: see explain_strangers.h. */
#include "core/gang/explain/explain_strangers.h"

#include "core/gang/cache/pod_walk.h"
#include "core/gang/report/sentence.h"
#include "core/gang/state/groups.h"
#include "core/pod/pod.h"

#include <string.h>

static bool names(const struct skr_meta *pod, const struct group *g)
{
    const char *name = skr_labels_get(&pod->labels, SKR_LABEL_GROUP);
    if (!name || !*name) {
        name = skr_labels_get(&pod->labels, SKR_LABEL_POD_GROUP);
    }
    return name && strcmp(name, g->name) == 0 && strcmp(pod->namespace_, g->namespace_) == 0;
}

/* Pods of our schedulers that name a group have entries and are its members. */
static bool is_stranger(const struct pod_walk *p, const struct group *g)
{
    return (!p->entry || (!p->entry->ours && skr_pod_is_live(p->entry->pod))) && names(p->meta, g);
}

bool skr_strangers_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b)
{
    struct pod_ref some[SKR_EXPLAIN_NODES_MAX];
    size_t n = 0;
    struct pod_walk p = {0};
    while (skr_pod_walk_next(e, &p)) {
        if (!is_stranger(&p, g)) {
            continue;
        }
        if (n < SKR_EXPLAIN_NODES_MAX) {
            some[n] = skr_pod_walk_ref(&p);
        }
        n++;
    }
    if (n > 0) {
        skr_strbuf_addf(b, "%zu pod%s the group, but not a scheduler of ours: ", n,
                        n == 1 ? " names" : "s name");
    }
    for (size_t i = 0; i < n && i < SKR_EXPLAIN_NODES_MAX; i++) {
        skr_strbuf_add(b, i > 0 ? ", " : "");
        skr_pod_ref_add_name(e, some[i], b);
    }
    if (n > SKR_EXPLAIN_NODES_MAX) {
        skr_strbuf_addf(b, " and %zu more", n - SKR_EXPLAIN_NODES_MAX);
    }
    return n > 0;
}
