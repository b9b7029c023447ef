/* SPDX-License-Identifier: Apache-2.0 */
/* Compares annotations of members: see uniform.h. */
#include "core/gang/group/uniform.h"

#include "core/gang/cache/entry.h"
#include "core/gang/cache/pods.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/roles.h"

#include <string.h>
#include <utlist.h>

static bool concerns(const char *key)
{
    static const char *const own[] = {SKR_ANNOTATION_GANG_PLAN, SKR_ANNOTATION_ROLE,
                                      SKR_ANNOTATION_SET, SKR_ANNOTATION_INDEX};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (strcmp(key, own[i]) == 0) {
            return false;
        }
    }
    return strcmp(key, SKR_ANNOTATION_GANG) == 0 || strncmp(key, "sakkara.group.", 14) == 0;
}

/* Kueue's may differ between the pod sets of a group. */
static bool is_read(const char *key)
{
    return concerns(key) || strncmp(key, "kueue.x-k8s.io/", 15) == 0;
}

/* The first key of a that counts, and b has not, or has with another value; NULL: none. */
static const char *lacks(const struct skr_labels *a, const struct skr_labels *b,
                         bool (*counts)(const char *key))
{
    for (size_t i = 0; a->item != b->item && i < a->n; i++) {
        const char *key = a->item[i].key;
        if (!counts(key)) { /* values of others may be long, as those of plans */
            continue;
        }
        const char *other = skr_labels_get(b, key);
        if (!other || strcmp(other, a->item[i].value) != 0) {
            return key;
        }
    }
    return NULL;
}

bool skr_uniform_same(const struct skr_labels *a, const struct skr_labels *b)
{
    return !lacks(a, b, is_read) && !lacks(b, a, is_read);
}

void skr_uniform_check(struct group *g)
{
    const struct pod_entry *oldest = skr_membership_oldest(g), *p;
    free(g->seats.uneven);
    g->seats.uneven = NULL;
    if (!oldest || !skr_entry_is_derived(g->name)) {
        return;
    }
    const struct skr_labels *first = &oldest->pod->meta.annotations;
    DL_FOREACH(g->members, p)
    {
        const struct skr_labels *own = &p->pod->meta.annotations;
        const char *key = lacks(own, first, concerns);
        key = key ? key : lacks(first, own, concerns);
        if (key && skr_pod_is_live(p->pod)) {
            SKR_STRBUF(b);
            const char *says = skr_labels_get(own, key), *counts = skr_labels_get(first, key);
            skr_strbuf_addf(&b,
                            "pod %s has annotation %.100s: %.60s, pod %s has %.60s, which counts",
                            p->pod->meta.name, key, says ? says : "none", oldest->pod->meta.name,
                            counts ? counts : "none");
            g->seats.uneven = skr_strbuf_take(&b, NULL);
            return;
        }
    }
}
