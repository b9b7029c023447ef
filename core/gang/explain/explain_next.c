/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the next commands for a group that is not placed, by reason. */
#include "core/gang/cache/devices.h"
#include "core/gang/cache/entry.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/topology.h"
#include "core/gang/cache/workload_owners.h"
#include "core/gang/explain/explain_devices.h"
#include "core/gang/report/sentence.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/map_entry.h"

#include <string.h>
#include <utlist.h>

struct next {
    struct skr_strbuf *b;
    bool first;
};

static void add_next(struct next *next, const struct skr_strbuf *command)
{
    skr_strbuf_add(next->b, next->first ? "" : ",");
    skr_strbuf_add_json(next->b, command->s);
    next->first = false;
}

/* verb NAMESPACE rest */
static void next_kubectl(struct next *next, const struct group *g, const char *verb,
                         const char *rest)
{
    SKR_STRBUF(c);
    skr_strbuf_addf(&c, "kubectl %s", verb);
    if (strcmp(g->namespace_, "default") != 0) {
        skr_strbuf_addf(&c, " -n %s", g->namespace_);
    }
    skr_strbuf_addf(&c, " %s", rest);
    add_next(next, &c);
}

static void next_members(struct next *next, const struct group *g)
{
    char label[400];
    if (strchr(g->name, '/')) { /* no label has the name of such a group */
        next_kubectl(next, g, "get pods", "-o wide");
        next_kubectl(next, g, "get events", "--field-selector type=Warning");
        return;
    }
    snprintf(label, sizeof label, "-l %s=%.253s",
             g->source.kind == SOURCE_PODGROUP ? SKR_LABEL_POD_GROUP : SKR_LABEL_GROUP, g->name);
    next_kubectl(next, g, "get pods", label);
    next_kubectl(next, g, "get events", "--field-selector type=Warning");
}

static void next_create(struct next *next, const struct group *g)
{
    char rest[700];
    snprintf(rest, sizeof rest, "%.200s --from-literal=name=%.200s --from-literal=size=%zu",
             g->name, g->name, g->seats.n_live);
    next_kubectl(next, g, "create configmap", rest);
    snprintf(rest, sizeof rest, "%.200s %s=", g->name, SKR_GROUP_LABEL);
    next_kubectl(next, g, "label configmap", rest);
}

static void next_edit(struct next *next, const struct group *g)
{
    char rest[300];
    if (g->source.kind != SOURCE_MAP || !g->source.map) {
        return;
    }
    snprintf(rest, sizeof rest, "%.253s", g->source.map->map->meta.name);
    next_kubectl(next, g, "edit configmap", rest);
}

/* What a dump needs so that devices and volumes count in it as they do here. */
static void add_counted_kinds(struct skr_strbuf *b, const struct skr_gang *e, const struct group *g)
{
    const struct pod_entry *p;
    bool volumes = false;
    if (!e->classes_forbidden && skr_devices_are_wanted(e, g)) {
        skr_strbuf_add(b, ",deviceclasses");
        skr_strbuf_add(b, e->devices.stock->slices
                              ? ",resourceslices,resourceclaims,resourceclaimtemplates"
                              : "");
    }
    DL_FOREACH(g->members, p)
    {
        for (size_t i = 0; !volumes && i < p->pod->n_claims; i++) {
            volumes = p->pod->claim[i].kind == SKR_POD_CLAIM_VOLUME;
        }
    }
    skr_strbuf_add(
        b, volumes
               ? ",pvc,pv,storageclasses,csinodes,csidrivers,csistoragecapacities,volumeattachments"
               : "");
}

/* A command that lists devices, or the permission that is missing to see their classes. */
static void next_devices(struct next *next, const struct skr_gang *e, const struct group *g)
{
    SKR_STRBUF(command);
    if (skr_devices_are_wanted(e, g)) {
        skr_strbuf_add(&command, e->classes_forbidden ? "sakkara check"
                                                      : "kubectl get deviceclasses,resourceslices");
        add_next(next, &command);
    }
}

/* The resource of the workload that has the size of the group: ",jobs". */
static void add_owner_kind(struct skr_strbuf *b, const struct group *g)
{
    const struct skr_owner *owner = skr_workload_owners_of_group(g);
    const char *kind = owner ? owner->kind : "";
    if (!*kind) {
        return;
    }
    skr_strbuf_addc(b, ',');
    for (; *kind; kind++) {
        skr_strbuf_addc(b, *kind >= 'A' && *kind <= 'Z' ? (char)(*kind - 'A' + 'a') : *kind);
    }
    skr_strbuf_addc(b, 's');
}

/* Commands that dump the cluster and try on it the size that fits, if room is missing, else the
 * first rule to change. */
static void next_simulate(struct next *next, const struct skr_gang *e, const struct group *g)
{
    struct skr_strbuf c;
    const bool settable = g->source.kind == SOURCE_MAP || skr_entry_is_derived(g->name);
    const struct explained *x = settable ? g->explained : NULL;
    bool of_room =
        g->reason == SKR_REASON_NEVER_FITS || g->reason == SKR_REASON_WAITING_FOR_CAPACITY;
    const char *set = x ? x->set : NULL;
    if (x && of_room && x->size) {
        set = x->size;
    }
    bool plain = strcmp(g->namespace_, "default") == 0;
    skr_strbuf_init(&c);
    skr_strbuf_add(&c, "kubectl get nodes,pods,configmaps");
    add_counted_kinds(&c, e, g);
    add_owner_kind(&c, g);
    skr_strbuf_add(&c, " -A -o json > dump.json");
    add_next(next, &c);
    skr_strbuf_reset(&c);
    skr_strbuf_add(&c, set ? "sakkara simulate -f dump.json" : "sakkara simulate -f dump.json -v");
    for (const char *s = set; s && *s;) {
        size_t n = strcspn(s, " ");
        skr_strbuf_addf(&c, " --set %s%s%s:", plain ? "" : g->namespace_, plain ? "" : "/",
                        g->name);
        skr_strbuf_addn(&c, s, n);
        s += n + (s[n] == ' ');
    }
    add_next(next, &c);
    skr_strbuf_fini(&c);
}

/* The oldest unreadable topology map, else the list of maps. */
static void next_topology(struct next *next, const struct skr_gang *e, const struct group *g)
{
    const struct map_entry *bad = skr_topology_malformed(e);
    struct skr_strbuf c;
    if (!bad) {
        next_kubectl(next, g, "get configmaps", "-A -l sakkara.topology");
        return;
    }
    skr_strbuf_init(&c);
    skr_strbuf_addf(&c, "sakkara lint cm/%s -n %s", bad->map->meta.name, bad->map->meta.namespace_);
    add_next(next, &c);
    skr_strbuf_fini(&c);
}

/* A command that shows the possible victims. */
static void next_preempt(struct next *next, const struct group *g)
{
    struct skr_strbuf c;
    bool plain = strcmp(g->namespace_, "default") == 0;
    if (!g->spec || g->spec->priority <= 0) {
        return;
    }
    skr_strbuf_init(&c);
    skr_strbuf_addf(&c, "sakkara explain %s%s%s --preempt", g->name, plain ? "" : " -n ",
                    plain ? "" : g->namespace_);
    add_next(next, &c);
    skr_strbuf_fini(&c);
}

void skr_explain_next(const struct skr_gang *e, const struct group *g, enum skr_reason reason,
                      bool preempt, struct skr_strbuf *b)
{
    struct next next = {.b = b, .first = true};
    skr_strbuf_add(b, ",\"next\":[");
    switch (reason) {
    case SKR_REASON_GROUP_NOT_FOUND:
        next_create(&next, g);
        break;
    case SKR_REASON_GROUP_INVALID:
    case SKR_REASON_DUPLICATE_GROUP:
        next_edit(&next, g);
        break;
    case SKR_REASON_TOPOLOGY_MISSING:
        next_topology(&next, e, g);
        break;
    case SKR_REASON_CONSTRAINT_CONFLICT:
    case SKR_REASON_NEVER_FITS:
    case SKR_REASON_ROLES_NOT_PLACED:
        next_simulate(&next, e, g);
        break;
    case SKR_REASON_TOPOLOGY_PLACEMENT_FAILED:
    case SKR_REASON_WAITING_FOR_CAPACITY:
        next_simulate(&next, e, g);
        if (!preempt) {
            next_preempt(&next, g);
        }
        break;
    case SKR_REASON_CLAIM_NOT_FOUND:
    case SKR_REASON_CLAIM_IN_USE:
    case SKR_REASON_EVALUATION_BUDGET:
        next_kubectl(&next, g, "get", "pvc,resourceclaims,resourceclaimtemplates,deviceclasses");
        break;
    case SKR_REASON_ROLE_UNKNOWN:
    case SKR_REASON_PINNED_NODE_FULL:
    case SKR_REASON_ENTRY_CONFLICT:
    case SKR_REASON_OWNER_NOT_READABLE:
    case SKR_REASON_SIZE_UNKNOWN:
    case SKR_REASON_NO_SUCH_TOPOLOGY_KEY:
    case SKR_REASON_PODS_NOT_HOMOGENEOUS:
    case SKR_REASON_MEMBERS_MISSING:
    case SKR_REASON_WAITING_FOR_CLAIMS:
    case SKR_REASON_WAITING_FOR_PREEMPTION:
    case SKR_REASON_MOVED:
    case SKR_REASON_FILTERED_BY_OTHERS:
    case SKR_REASON_PLAN_TIMEOUT:
    case SKR_REASON_BIND_FAILED:
        next_members(&next, g);
        break;
    case SKR_REASON_NONE:
    case SKR_REASON_COUNT:
    default:
        break;
    }
    if (reason != SKR_REASON_NONE) {
        next_devices(&next, e, g);
    }
    skr_strbuf_addc(b, ']');
}
