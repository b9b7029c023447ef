/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Size and rules of derived groups. Annotation sakkara.group.size wins over the object of the
 * workload. An owner that is gone leaves the last size in force, as long as members live. An owner
 * that was never seen is reported OWNER_GRACE_S after the oldest live member.
 */
#include "core/gang/changes/derived.h"

#include "core/gang/cache/entry.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/topology.h"
#include "core/gang/cache/workload_owners.h"
#include "core/gang/changes/kueue_rules.h"
#include "core/gang/group/generation.h"
#include "core/gang/group/membership.h"
#include "core/gang/state/group_keys.h"
#include "core/gang/state/types.h"
#include "core/gang/state/wakes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <utlist.h>

enum {
    TEXT_MAX = 1024,   /* bytes of a message */
    OWNER_GRACE_S = 30 /* how long members wait silently for the object of their workload */
};

bool skr_derived_is(const struct group *g)
{
    return skr_entry_is_derived(g->name);
}

int32_t skr_derived_priority(const struct group *g)
{
    const struct pod_entry *p, *model = skr_membership_model(g);
    int32_t lowest = model ? model->pod->priority : 0;
    DL_FOREACH(g->members, p)
    {
        if (skr_pod_is_live(p->pod) && p->pod->priority < lowest) {
            lowest = p->pod->priority;
        }
    }
    return lowest;
}

static void lack(struct group *g, enum skr_reason reason, const char *format, ...) SKR_PRINTF(3, 4);
static void lack(struct group *g, enum skr_reason reason, const char *format, ...)
{
    char text[TEXT_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    free(g->derived.lack_text);
    g->derived.lack_text = skr_strdup(text);
    g->derived.lack = reason;
}

/* Watches of pods and of workloads are not in order: members are often seen before their owner. */
static bool owner_may_come(struct skr_gang *e, struct group *g, const struct pod_entry *oldest)
{
    const skr_time at = oldest->seen_at + OWNER_GRACE_S * SKR_SECOND;
    if (skr_frame_now(e->frame) >= at) {
        return false;
    }
    skr_wakes_group(e, g, at);
    return true;
}

/* Whether the group waits for the first list of a kind that it reads. */
static bool lacks_list(const struct skr_gang *e, struct group *g, const struct skr_workload *w)
{
    const char *const kind[] = {w->owner_kind, skr_workload_kind_between(w->kind)};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        if (skr_workload_owners_are_coming(e, kind[i])) {
            const struct skr_resource *r = skr_gang_type_of(NULL, kind[i])->resource;
            lack(g, SKR_REASON_MEMBERS_MISSING, "group %s waits for the first list of %s.%s",
                 g->name, r->plural, r->group);
            return true;
        }
    }
    return false;
}

/* A pod without a controller: its fellows are groups of their own. */
static bool is_single(const struct group *g, const struct skr_pod *pod)
{
    SKR_STRBUF(name);
    skr_strbuf_addf(&name, "pod/%s", pod->meta.name);
    return !*pod->controller && strcmp(name.s, g->name) == 0;
}

/* Nothing but the pods could say the size. */
static void lack_count(struct group *g, const struct skr_pod *pod, const struct skr_workload *w)
{
    const char *total = skr_labels_get(&pod->meta.annotations, SKR_KUEUE_TOTAL);
    if (w->kind == SKR_WORKLOAD_KUEUE && total) {
        lack(g, SKR_REASON_SIZE_UNKNOWN,
             "group %s: annotation " SKR_KUEUE_TOTAL
             " of its pods must be an integer from 1 to %d, got \"%.60s\"",
             g->name, SKR_GROUP_SIZE_MAX, total);
    } else if (w->kind == SKR_WORKLOAD_KUEUE) {
        lack(g, SKR_REASON_SIZE_UNKNOWN,
             "group %s: nothing says how many pods it has; add annotation " SKR_KUEUE_TOTAL
             " to its pods",
             g->name);
    } else if (is_single(g, pod)) {
        lack(g, SKR_REASON_SIZE_UNKNOWN,
             "group %s: a pod without a controller is a group of its own; give the pods of one "
             "group the same label " SKR_LABEL_GROUP
             " and a group map, or label " SKR_LABEL_KUEUE_GROUP " and annotation " SKR_KUEUE_TOTAL,
             g->name);
    } else {
        lack(g, SKR_REASON_SIZE_UNKNOWN,
             "group %s: nothing says how many pods it has; add annotation " SKR_LABEL_GROUP_SIZE
             " to the pod%s",
             g->name, *pod->controller ? " template" : "");
    }
}

/* The object of that name is there, and is of no use. */
static void lack_owner(struct group *g, const struct skr_owner *owner)
{
    const char *kind = owner->kind, *name = owner->meta.name;
    if (owner->defect) {
        lack(g, SKR_REASON_OWNER_NOT_READABLE,
             "group %s: %s %s cannot be read: %.400s; add annotation " SKR_LABEL_GROUP_SIZE
             " to the pod template",
             g->name, kind, name, owner->defect);
    } else if (owner->meta.deleting) {
        lack(g, SKR_REASON_OWNER_NOT_READABLE,
             "group %s: %s %s is being deleted, and is not the controller of pods of the group",
             g->name, kind, name);
    } else {
        lack(g, SKR_REASON_OWNER_NOT_READABLE,
             "group %s: %s %s has another uid than the controller that its pods name", g->name,
             kind, name);
    }
}

static void lack_size(struct skr_gang *e, struct group *g, const struct pod_entry *oldest,
                      const struct skr_workload *w)
{
    const struct skr_object_type *type = skr_gang_type_of(NULL, w->owner_kind);
    const int kind = type ? skr_gang_owner_number(type) : -1;
    const struct owner_entry *entry = g->derived.owner;
    if (!*w->owner_kind) {
        lack_count(g, oldest->pod, w);
    } else if (kind >= 0 && e->owners.forbidden & UINT32_C(1) << kind) {
        lack(g, SKR_REASON_OWNER_NOT_READABLE,
             "group %s: the daemon may not list and watch %s.%s, and %s %s says its size; grant "
             "that, or add annotation " SKR_LABEL_GROUP_SIZE " to the pod template",
             g->name, type->resource->plural, type->resource->group, w->owner_kind, w->owner);
    } else if (entry && entry->owner && entry->owner->defect) {
        lack_owner(g, entry->owner);
    } else if (owner_may_come(e, g, oldest)) {
        lack(g, SKR_REASON_MEMBERS_MISSING, "group %s waits for its owner %s %s", g->name,
             w->owner_kind, w->owner);
    } else if (entry && entry->owner) {
        lack_owner(g, entry->owner);
    } else if (e->owners.left_out) {
        lack(g, SKR_REASON_OWNER_NOT_READABLE,
             "group %s: %s %s does not exist, or is one of more than %d workloads, or of more than "
             "%d of a namespace; add annotation " SKR_LABEL_GROUP_SIZE " to the pod template",
             g->name, w->owner_kind, w->owner, SKR_OWNERS_MAX, SKR_OWNERS_NAMESPACE);
    } else {
        lack(g, SKR_REASON_OWNER_NOT_READABLE,
             "group %s: %s %s does not exist, or its kind is not installed; add "
             "annotation " SKR_LABEL_GROUP_SIZE " to the pod template",
             g->name, w->owner_kind, w->owner);
    }
}

/* The minimum; -1: unknown, and the group says why. */
static int64_t minimum_of(struct skr_gang *e, struct group *g, const struct pod_entry *oldest,
                          const struct skr_workload *w, enum skr_workload_scope scope)
{
    const struct skr_owner *owner = skr_workload_owners_of(e, oldest->pod, w);
    const char *conflict = owner ? skr_owner_conflict(owner, w, scope) : NULL;
    if (conflict) {
        lack(g, SKR_REASON_ENTRY_CONFLICT, "group %s: pods of %s %s cannot be a gang: %s", g->name,
             w->owner_kind, w->owner, conflict);
        return -1;
    }
    int64_t minimum = skr_owner_minimum(owner, w, scope, g->seats.n_bound > 0);
    if (minimum <= 0 && g->spec) { /* its owner is gone, or nothing is left to do */
        minimum = g->spec->size;
    }
    if (minimum == 0) {
        minimum = 1;
    }
    if (minimum < 0) {
        lack_size(e, g, oldest, w);
    }
    return minimum;
}

void skr_derived_add_annotations(const struct skr_gang *e, const struct skr_labels *annotations,
                                 struct skr_strbuf *b)
{
    for (size_t i = 0; i < annotations->n; i++) {
        if (strncmp(annotations->item[i].key, "sakkara.g", 9) == 0 &&
            strcmp(annotations->item[i].key, SKR_ANNOTATION_GANG_PLAN) != 0) {
            skr_strbuf_add_json(b, annotations->item[i].key);
            skr_group_keys_add_value(&e->settings.hash_seed, annotations->item[i].value, b);
        }
    }
}

void skr_derived_text(struct skr_gang *e, struct group *g, struct skr_strbuf *b)
{
    const struct pod_entry *oldest = skr_membership_model(g);
    struct skr_workload w;
    struct skr_error error;
    const char *unknown;
    int32_t claimed = 0;
    g->derived.lack = SKR_REASON_NONE;
    if (!oldest || (g->spec && !skr_membership_oldest(g))) { /* as it was */
        skr_strbuf_add(b, g->source.text ? g->source.text : "");
        return;
    }
    const struct skr_labels *annotations = &oldest->pod->meta.annotations;
    skr_workload_of(oldest->pod, &w);
    (void)skr_workload_owners_link(e, g, oldest->pod);
    const enum skr_workload_scope scope = skr_entry_scope(e, oldest->pod, &w, &unknown);
    const int rc = skr_group_claimed_size(annotations, &claimed, &error);
    int64_t minimum = lacks_list(e, g, &w)    ? -1
                      : rc < 0 || claimed > 0 ? claimed
                                              : minimum_of(e, g, oldest, &w, scope);
    if (claimed > 1 && is_single(g, oldest->pod)) {
        lack_count(g, oldest->pod, &w);
        minimum = -1;
    }
    g->derived.minimum = minimum;
    if (minimum < 0) {
        skr_strbuf_add(b, "none");
        return;
    }
    skr_strbuf_addf(b, "workload %lld %d ", (long long)minimum, (int)skr_derived_priority(g));
    skr_derived_add_annotations(e, annotations, b);
    struct skr_kueue_rules kueue;
    if (skr_kueue_rules_read(e, g, &kueue)) {
        skr_strbuf_addf(b, "kueue %s %s %s", kueue.asked.within ? kueue.asked.within : "",
                        kueue.constraints.s, kueue.unknown.s);
    }
    skr_kueue_rules_fini(&kueue);
}

int skr_derived_spec(const struct skr_gang *e, struct group *g, struct skr_group_spec **ret,
                     struct skr_error *error)
{
    const struct pod_entry *oldest = skr_membership_model(g);
    struct skr_workload w;
    const char *unknown;
    int32_t claimed;
    *ret = NULL;
    if (!oldest || g->derived.lack != SKR_REASON_NONE) {
        return 0;
    }
    const struct skr_labels *annotations = &oldest->pod->meta.annotations;
    skr_workload_of(oldest->pod, &w);
    (void)skr_entry_scope(e, oldest->pod, &w, &unknown);
    if (unknown) {
        return skr_error_set_at(
            error, SKR_INVALID, &(struct skr_subject){.key = SKR_ANNOTATION_GANG, .at = {1, 1}},
            "must be auto, off, jobset, replicatedjob, job or lws, got \"%.60s\"", unknown);
    }
    int rc = skr_group_claimed_size(annotations, &claimed, error);
    if (rc < 0) {
        return rc;
    }
    struct skr_kueue_rules kueue;
    struct skr_group_asked asked = skr_group_asked_of(annotations);
    asked.fewer = g->seats.n_bound > 0;
    const bool kueues = skr_kueue_rules_read(e, g, &kueue);
    kueue.asked.own = asked.own;
    kueue.asked.fewer = asked.fewer;
    rc = skr_group_spec_from_workload(g->name, g->derived.minimum, skr_derived_priority(g),
                                      kueues ? &kueue.asked : &asked, ret, error);
    skr_kueue_rules_fini(&kueue);
    return rc;
}

/* One unit of the lower of two levels is in one of the higher, too. A level that the tree lacks is kept,
 * because it is a mistake to report. within: NULL allowed. */
static const char *narrower(const struct skr_gang *e, const char *level, const char *within)
{
    const struct skr_tree *tree = e->topology.tree;
    const int32_t at = within && tree ? skr_tree_find_level(tree, within) : 0;
    return within && (at < 0 || (tree && at > skr_tree_find_level(tree, level))) ? within : level;
}

const char *skr_derived_native_level(const struct skr_gang *e, struct group *g,
                                     const struct skr_podgroup *pg)
{
    const char *level = *pg->topology_key ? skr_topology_level_of(e, pg->topology_key) : NULL;
    if (g) {
        g->derived.lack = SKR_REASON_NONE;
    }
    if (g && *pg->topology_key && !level) {
        SKR_STRBUF(labels);
        skr_topology_add_labels(e, &labels);
        lack(g, SKR_REASON_NO_SUCH_TOPOLOGY_KEY,
             "group %s: no level of the topology is made of label %.200s; there are %.400s",
             g->name, pg->topology_key, labels.s);
    }
    return level ? narrower(e, level, skr_labels_get(&pg->meta.annotations, SKR_GROUP_WITHIN))
                 : NULL;
}

void skr_derived_fini(struct skr_gang *e, struct group *g)
{
    (void)skr_workload_owners_link(e, g, NULL);
    free(g->derived.lack_text);
}
