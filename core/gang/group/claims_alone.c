/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/group/claims_alone.h"

#include "core/gang/cache/pods.h"
#include "core/gang/cache/volume_uses.h"
#include "core/gang/cache/volumes.h"
#include "core/gang/group/group_state.h"
#include "topology/device_claims.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* A claim that one pod alone may use, or a ResourceClaim of users, of a member. */
struct use {
    uint64_t claim;
    const struct pod_entry *pod;
    const char *name;
    bool devices;
};

struct uses {
    struct use *item;
    size_t n, cap;
};

static int by_claim(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    return x->claim != y->claim ? (x->claim > y->claim) - (x->claim < y->claim)
                                : strcmp(x->pod->pod->meta.name, y->pod->pod->meta.name);
}

static void add_use(struct uses *uses, struct use use)
{
    skr_grow(&uses->item, &uses->cap, uses->n + 1, sizeof *uses->item);
    uses->item[uses->n++] = use;
}

static void add_member(const struct skr_gang *e, const struct pod_entry *p, struct uses *uses)
{
    const char *namespace_ = p->pod->meta.namespace_;
    for (size_t i = 0; i < p->pod->n_claims; i++) {
        const struct skr_pod_claim *claim = &p->pod->claim[i];
        const uint64_t id = skr_volumes_id(e, namespace_, claim->name);
        if (claim->kind == SKR_POD_CLAIM_DEVICES && !claim->made) {
            add_use(uses, (struct use){~id, p, claim->name, true});
        } else if (claim->kind == SKR_POD_CLAIM_VOLUME && skr_volumes_facts(e, id).one_pod) {
            add_use(uses, (struct use){id, p, claim->name, false});
        }
    }
}

/* The first ResourceClaim of more members than it may have consumers. Other pods end some time. */
static bool find_crowd(const struct uses *uses, struct skr_claim_conflict *ret)
{
    for (size_t i = 0, first = 0; i < uses->n; i++) {
        const struct use *use = &uses->item[i];
        first = uses->item[first].claim == use->claim ? first : i;
        if (use->devices && i + 1 - first > SKR_CLAIM_CONSUMERS_MAX) {
            while (i + 1 < uses->n && uses->item[i + 1].claim == use->claim) {
                i++;
            }
            *ret = (struct skr_claim_conflict){
                .pod = uses->item[first].pod, .claim = use->name, .consumers = i + 1 - first};
            return true;
        }
    }
    return false;
}

/* The first pod by name that names a ResourceClaim in two entries. */
static bool find_twice(const struct uses *uses, struct skr_claim_conflict *ret)
{
    for (size_t i = 1; i < uses->n; i++) {
        const struct use *use = &uses->item[i];
        if (use->devices && use->claim == use[-1].claim && use->pod == use[-1].pod &&
            (!ret->pod || strcmp(use->pod->pod->meta.name, ret->pod->pod->meta.name) < 0)) {
            *ret = (struct skr_claim_conflict){.pod = use->pod, .claim = use->name, .twice = true};
        }
    }
    return ret->pod;
}

bool skr_claims_alone_find(const struct skr_gang *e, const struct group *g,
                           struct skr_claim_conflict *ret)
{
    struct uses uses = {0};
    const struct pod_entry *p;
    *ret = (struct skr_claim_conflict){0};
    DL_FOREACH(g->seats.n_claimers > 0 ? g->members : NULL, p)
    {
        if (p->seated && !p->pod->foreign_gate && skr_pod_is_live(p->pod) &&
            !skr_pods_is_bound(p)) {
            add_member(e, p, &uses);
        }
    }
    if (uses.n > 1) {
        qsort(uses.item, uses.n, sizeof *uses.item, by_claim);
    }
    const bool found = find_twice(&uses, ret) || find_crowd(&uses, ret);
    for (size_t i = 0; i < uses.n && !found; i++) {
        const struct use *use = &uses.item[i];
        if (use->devices) {
            continue;
        }
        const bool shared = i + 1 < uses.n && uses.item[i + 1].claim == use->claim &&
                            uses.item[i + 1].pod != use->pod;
        const char *node = skr_volume_uses_find(e, use->claim, use->pod->uid);
        const bool first =
            !ret->pod || strcmp(use->pod->pod->meta.name, ret->pod->pod->meta.name) < 0;
        if ((shared && (!ret->other || first)) || (node && !shared && !ret->other && first)) {
            *ret = (struct skr_claim_conflict){.pod = use->pod,
                                               .other = shared ? uses.item[i + 1].pod : NULL,
                                               .claim = use->name,
                                               .node = node};
        }
    }
    free(uses.item);
    return ret->pod;
}

void skr_claims_alone_say(struct group *g, const struct skr_claim_conflict *conflict)
{
    SKR_STRBUF(b);
    const char *pod = conflict->pod->pod->meta.name;
    if (conflict->twice) {
        skr_strbuf_addf(&b,
                        "group %s is not planned: pod %s names ResourceClaim %s in two entries of "
                        "spec.resourceClaims, and kube-scheduler cannot reserve it twice; use one "
                        "entry for all containers",
                        g->name, pod, conflict->claim);
        skr_group_state_reason(g, SKR_REASON_CONSTRAINT_CONFLICT, b.s);
        return;
    }
    if (conflict->consumers > 0) {
        skr_strbuf_addf(&b,
                        "group %s is not planned: ResourceClaim %s, which pod %s names, would have "
                        "%zu consumers, Kubernetes permits %d; use several claims, or a "
                        "ResourceClaimTemplate",
                        g->name, conflict->claim, pod, conflict->consumers,
                        (int)SKR_CLAIM_CONSUMERS_MAX);
        skr_group_state_reason(g, SKR_REASON_CONSTRAINT_CONFLICT, b.s);
        return;
    }
    if (conflict->other) {
        skr_strbuf_addf(&b,
                        "group %s is not planned: pods %s and %s name PersistentVolumeClaim %s, "
                        "which one pod alone may use (ReadWriteOncePod); give each pod a claim of "
                        "its own, or change the access mode",
                        g->name, pod, conflict->other->pod->meta.name, conflict->claim);
        skr_group_state_reason(g, SKR_REASON_CONSTRAINT_CONFLICT, b.s);
        return;
    }
    skr_strbuf_addf(&b,
                    "group %s waits for PersistentVolumeClaim %s of pod %s: a pod on node %s uses "
                    "it, and one pod alone may (ReadWriteOncePod); the group is planned when that "
                    "pod is gone",
                    g->name, conflict->claim, pod, conflict->node);
    skr_group_state_reason(g, SKR_REASON_CLAIM_IN_USE, b.s);
}
