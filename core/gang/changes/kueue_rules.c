/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that Kueue's annotations ask for, as the texts of our own annotations: see kueue_rules.h. */
#include "core/gang/changes/kueue_rules.h"

#include "core/gang/cache/pods.h"
#include "core/gang/cache/topology.h"
#include "core/gang/group/pins.h"
#include "core/gang/group/roles.h"
#include "core/group/constraints.h"
#include "topology/base/json_writer.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define PODSET     "kueue.x-k8s.io/podset-"
#define REQUIRED   PODSET "required-topology"
#define PREFERRED  PODSET "preferred-topology"
#define SLICE      PODSET "slice-required-topology"
#define SLICE_SIZE PODSET "slice-size"
#define GROUP_NAME PODSET "group-name"
#define WORKLOAD \
    "kueue.x-k8s.io/workload"          /* on the pods of a Workload in a flavor with a Topology */
#define GATE "kueue.x-k8s.io/topology" /* Kueue is about to choose the node */

enum { SIZE_DIGITS = 6 }; /* of a slice: a group has at most 100,000 members */

/* What one pod set asks for. Borrowed from a member. */
struct podset {
    const char *role;                                        /* NULL: its pods have none */
    const char *required, *preferred, *slice, *size, *group; /* NULL: not set */
};

static struct podset podset_of(const struct skr_pod *pod)
{
    const struct skr_labels *notes = &pod->meta.annotations;
    return (struct podset){skr_roles_name_of(pod),
                           skr_labels_get(notes, REQUIRED),
                           skr_labels_get(notes, PREFERRED),
                           skr_labels_get(notes, SLICE),
                           skr_labels_get(notes, SLICE_SIZE),
                           skr_labels_get(notes, GROUP_NAME)};
}

static bool same(const char *a, const char *b)
{
    return !a || !b ? a == b : strcmp(a, b) == 0;
}

static bool ask_the_same(const struct podset *a, const struct podset *b)
{
    return same(a->required, b->required) && same(a->slice, b->slice) && same(a->size, b->size) &&
           same(a->group, b->group);
}

static bool kueue_chooses(const struct skr_pod *pod)
{
    return skr_labels_get(&pod->meta.annotations, WORKLOAD) &&
           (strcmp(pod->foreign_gate_name, GATE) == 0 || skr_pins_is_pinned(pod->shape));
}

static bool is_ours_to_place(const struct skr_pod *pod)
{
    const struct skr_labels *notes = &pod->meta.annotations;
    return !skr_labels_get(notes, SKR_GROUP_CONSTRAINTS) &&
           !skr_labels_get(notes, SKR_GROUP_WITHIN) && !kueue_chooses(pod);
}

/* Finds a member of each pod set, once per change of members. */
static void find_podsets(struct group *g)
{
    const struct pod_entry *p;
    g->podsets.read = true;
    g->podsets.ignored = false;
    g->podsets.n = 0;
    DL_FOREACH(g->members, p)
    {
        const char *role = skr_roles_name_of(p->pod);
        size_t at = 0;
        if (!skr_pod_is_live(p->pod)) {
            continue;
        }
        g->podsets.ignored = g->podsets.ignored || !is_ours_to_place(p->pod);
        while (at < g->podsets.n && !same(skr_roles_name_of(g->podsets.item[at]->pod), role)) {
            at++;
        }
        if (at == g->podsets.n && at < SKR_ROLES_MAX) {
            g->podsets.item[g->podsets.n++] = p;
        }
    }
}

/* The pod sets of the group, one a role. Returns how many; 0: Kueue's annotations do not count. */
static size_t read_podsets(struct group *g, struct podset set[SKR_ROLES_MAX])
{
    if (!g->podsets.read) {
        find_podsets(g);
    }
    for (size_t i = 0; i < g->podsets.n; i++) {
        set[i] = podset_of(g->podsets.item[i]->pod);
    }
    return g->podsets.ignored ? 0 : g->podsets.n;
}

/* The level that is made of the label. NULL: none, or no label; an unknown label is noted. */
static const char *level_of(const struct skr_gang *e, const char *key, const char *label,
                            struct skr_kueue_rules *ret)
{
    const char *level = label ? skr_topology_level_of(e, label) : NULL;
    if (label && !level && e->topology.tree && ret->unknown.len == 0) {
        SKR_STRBUF(labels);
        skr_topology_add_labels(e, &labels);
        skr_strbuf_addf(&ret->unknown,
                        "no level of the topology is made of label %.200s; there are %.400s: the "
                        "rule is ignored",
                        label, labels.s);
        ret->asked.unknown_key = key;
    }
    return level;
}

static void write_factor(struct skr_json_writer *json, const char *size)
{
    const size_t n = size ? strlen(size) : 0;
    if (n > 0 && n <= SIZE_DIGITS && strspn(size, "0123456789") == n) {
        skr_json_int(json, "factor", strtol(size, NULL, 10));
    } else {
        skr_json_string(json, "factor", size ? size : ""); /* refused, with the name of the key */
    }
}

static void write_group(const struct skr_gang *e, const struct podset *set,
                        struct skr_json_writer *json, struct skr_kueue_rules *ret)
{
    const char *slice = level_of(e, SLICE, set->slice, ret);
    ret->asked.within = level_of(e, REQUIRED, set->required, ret);
    ret->asked.within_key = REQUIRED;
    if (slice) {
        skr_json_open(json, slice, '{');
        write_factor(json, set->size);
        skr_json_close(json, '}');
    }
}

/* Own rules of the role: a hard pack down to the required level. */
static void write_role(const struct skr_gang *e, const struct podset *set,
                       struct skr_json_writer *json, struct skr_kueue_rules *ret)
{
    const struct skr_tree *tree = e->topology.tree;
    const char *slice = level_of(e, SLICE, set->slice, ret);
    const char *required = level_of(e, REQUIRED, set->required, ret);
    const int32_t down_to = required ? skr_tree_find_level(tree, required) : 0;
    const int32_t sliced = slice ? skr_tree_find_level(tree, slice) : 0;
    if (!set->role || (down_to <= 0 && sliced <= 0)) {
        return;
    }
    skr_json_open(json, set->role, '{');
    for (int32_t level = 1; level <= tree->n_levels; level++) {
        if (level > down_to && level != sliced) {
            continue;
        }
        skr_json_open(json, tree->level_name[level], '{');
        if (level <= down_to) {
            skr_json_string(json, "type", "pack");
            skr_json_bool(json, "hard", true);
        }
        if (level == sliced) {
            write_factor(json, set->size);
        }
        skr_json_close(json, '}');
    }
    skr_json_close(json, '}');
}

static bool is_one_rule(const struct podset *set, size_t n)
{
    bool one = n == 1 || set[0].group; /* else each role has a rule of its own */
    for (size_t i = 1; one && i < n; i++) {
        one = ask_the_same(&set[i], &set[0]);
    }
    return one;
}

bool skr_kueue_rules_read(const struct skr_gang *e, struct group *g, struct skr_kueue_rules *ret)
{
    struct podset set[SKR_ROLES_MAX];
    const size_t n = read_podsets(g, set);
    *ret = (struct skr_kueue_rules){.asked.constraints_key = SLICE_SIZE};
    skr_strbuf_init(&ret->constraints);
    skr_strbuf_init(&ret->unknown);
    if (n == 0) {
        return false;
    }
    struct skr_json_writer json = {.out = &ret->constraints};
    skr_json_open(&json, NULL, '{');
    if (is_one_rule(set, n)) {
        write_group(e, &set[0], &json, ret);
    } else {
        skr_json_open(&json, SKR_GROUP_ROLES, '{');
        for (size_t i = 0; i < n; i++) {
            write_role(e, &set[i], &json, ret);
        }
        skr_json_close(&json, '}');
    }
    skr_json_close(&json, '}');
    for (size_t i = 0; i < n; i++) {
        (void)level_of(e, PREFERRED, set[i].preferred, ret);
    }
    const bool rules =
        strchr(ret->constraints.s, '"') && strcmp(ret->constraints.s, "{\"roles\":{}}") != 0;
    ret->asked.constraints = rules ? ret->constraints.s : NULL;
    ret->asked.unknown = ret->unknown.len > 0 ? ret->unknown.s : NULL;
    return rules || ret->asked.within || ret->asked.unknown;
}

void skr_kueue_rules_fini(struct skr_kueue_rules *rules)
{
    skr_strbuf_fini(&rules->constraints);
    skr_strbuf_fini(&rules->unknown);
}
