/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/bind/claims_hold.h"

#include "core/devices/stock.h"
#include "core/gang/cache/claim_objects.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/changes/plan_loss.h"
#include "core/gang/group/refusal.h"
#include "core/gang/state/wakes.h"
#include "core/volume/objects.h"

#include <utlist.h>

/* What is wrong with the claim of a planned member; *ret_waits: a watch may be late. False: nothing. */
static bool is_wrong(struct skr_gang *e, const struct pod_entry *p,
                     const struct skr_pod_claim *claim, bool *ret_waits, struct skr_strbuf *text)
{
    const char *namespace_ = p->pod->meta.namespace_, *pod = p->pod->meta.name;
    SKR_AUTO_FREE char *key = skr_object_key(namespace_, claim->name);
    const char *elsewhere;
    *ret_waits = false;
    switch (skr_claim_objects_state(e, namespace_, claim)) {
    case SKR_CLAIM_GONE:
        skr_strbuf_addf(text, "ResourceClaim %s of pod %s does not exist any more", claim->name,
                        pod);
        return true;
    case SKR_CLAIM_FREE:
        *ret_waits = true;
        skr_strbuf_addf(text, "ResourceClaim %s of pod %s has no devices", claim->name, pod);
        return true;
    case SKR_CLAIM_ALLOCATED:
        elsewhere = skr_devices_stock_elsewhere(e->devices.stock, key, p->place.node);
        if (elsewhere) {
            skr_strbuf_addf(text,
                            "ResourceClaim %s of pod %s has devices of node %s, planned is %s",
                            claim->name, pod, elsewhere, p->place.node);
        }
        return elsewhere;
    case SKR_CLAIM_NOT_JUDGED:
    default:
        return false;
    }
}

bool skr_claims_reach(struct skr_gang *e, struct group *g)
{
    const struct pod_entry *p;
    DL_FOREACH(g->seats.n_claimers > 0 ? g->members : NULL, p)
    {
        const bool planned = p->plan == g->plan && !skr_pods_is_bound(p);
        const struct node_entry *node = planned ? skr_nodes_find(e, p->place.node) : NULL;
        for (size_t i = 0; node && node->node && i < p->pod->n_claims; i++) {
            const struct skr_pod_claim *claim = &p->pod->claim[i];
            const struct claim_facts facts =
                claim->kind == SKR_POD_CLAIM_DEVICES && !claim->made
                    ? skr_claim_objects_facts(e, p->pod->meta.namespace_, claim)
                    : (struct claim_facts){0};
            if (facts.reach && !skr_volume_reaches(facts.reach, node->node)) {
                SKR_STRBUF(text);
                skr_strbuf_addf(&text,
                                "ResourceClaim %s of pod %s has devices that node %s, which is "
                                "planned, does not reach",
                                claim->name, p->pod->meta.name, node->name);
                const bool pauses = skr_refusal_note_unpatched(e, g, p);
                skr_plan_loss_abort(e, g, SKR_REASON_FILTERED_BY_OTHERS, text.s, pauses);
                return false;
            }
        }
    }
    return true;
}

/* The plan ends, unless a watch may be late. */
static void doubt(struct skr_gang *e, struct group *g, bool waits, const char *text)
{
    const skr_time now = skr_frame_now(e->frame);
    struct plan *plan = g->plan;
    if (!plan->no_devices_since) {
        plan->no_devices_since = now;
    }
    const skr_time until = plan->no_devices_since + SKR_CLAIMS_SEEN_S * SKR_SECOND;
    if (waits && now < until) {
        skr_wakes_group(e, g, until);
    } else {
        skr_plan_loss_abort(e, g, SKR_REASON_NONE, text, waits);
    }
}

bool skr_claims_hold(struct skr_gang *e, struct group *g)
{
    const struct pod_entry *p;
    DL_FOREACH(g->seats.n_claimers > 0 ? g->members : NULL, p)
    {
        for (size_t i = 0; p->plan == g->plan && !skr_pods_is_bound(p) && i < p->pod->n_claims;
             i++) {
            SKR_STRBUF(text);
            bool waits;
            if (is_wrong(e, p, &p->pod->claim[i], &waits, &text)) {
                doubt(e, g, waits, text.s);
                return false;
            }
        }
    }
    g->plan->no_devices_since = 0;
    return true;
}
