/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the roles of a group, and the role of each member: see roles.h. */
#include "core/gang/group/roles.h"

#include "core/gang/cache/pods.h"
#include "core/gang/group/role_buckets.h"
#include "core/gang/group/role_sets.h"
#include "core/gang/state/plan_entry.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/group/label_value.h"
#include "core/group/workload.h"

enum { NAMED_MAX = 3 }; /* roles of a message */

/* ---- what pods say ---- */

const char *skr_roles_name_of(const struct skr_pod *pod)
{
    const char *name = skr_labels_get(&pod->meta.annotations, SKR_ANNOTATION_ROLE);
    bool good = name && *name && skr_label_value_is_valid(name);
    return good ? name : skr_workload_role(pod);
}

int32_t skr_roles_set_of(const struct skr_pod *pod)
{
    const char *text = skr_labels_get(&pod->meta.annotations, SKR_ANNOTATION_SET);
    if (!text) {
        return skr_workload_set(pod);
    }
    bool good = *text && strlen(text) <= 9 && strspn(text, "0123456789") == strlen(text);
    return good ? (int32_t)strtol(text, NULL, 10) : -1;
}

bool skr_roles_are_keyed(const struct group *g)
{
    return g->spec && g->spec->n_roles > 0;
}

bool skr_roles_have_rules(const struct group *g)
{
    return g->spec && (g->spec->n_role_rules > 0 || g->spec->n_sets > 0);
}

bool skr_roles_are_several(const struct group *g)
{
    return g->roles.n > 1;
}

const char *skr_roles_label(const struct pod_entry *p)
{
    const struct group *g = p->group;
    if (!g || !skr_roles_are_several(g) || p->role >= g->roles.n) {
        return NULL;
    }
    return p->role_name;
}

static void free_roles(struct role *item, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(item[i].name);
    }
    free(item);
}

/* ---- the roles of the group ---- */

static void set_kind(const struct group *g, struct role *role, const char *base)
{
    role->kind = -1;
    if (g->spec) {
        role->each = skr_group_set_each(g->spec, base, &role->kind);
    }
}

/* Roles of key `roles`. */
static void take_key(struct group *g)
{
    free_roles(g->roles.item, g->roles.n);
    g->roles.n = g->spec->n_roles;
    g->roles.item = skr_alloc_array(g->roles.n, sizeof *g->roles.item);
    g->roles.n_merged = 0;
    for (size_t r = 0; r < g->roles.n; r++) {
        const struct skr_group_role *key = &g->spec->role[r];
        struct role *role = &g->roles.item[r];
        *role = (struct role){.name = skr_strdup(key->name),
                              .named = true,
                              .size = key->size,
                              .minimum = key->minimum};
        set_kind(g, role, key->name);
    }
}

/* Whether a member runs, or has a plan that can only go forward. */
static bool any_runs(const struct group *g)
{
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        const bool planned = p->plan && p->plan->binding && !p->plan->aborting;
        if (skr_pods_has_seat(p) && (skr_pods_is_bound(p) || planned)) {
            return true;
        }
    }
    return false;
}

struct old_roles {
    const struct role *item;
    size_t n;
};

/* After a restart only the name of a role without members is known. */
static bool is_same(const struct role *a, const struct role *b)
{
    bool by_name = a->identity == 0 || b->identity == 0;
    return by_name ? strcmp(a->name, b->name) == 0 : a->identity == b->identity;
}

static const struct role *old_role(const struct old_roles *old, const struct role *role)
{
    for (size_t i = 0; i < old->n; i++) {
        if (is_same(&old->item[i], role)) {
            return &old->item[i];
        }
    }
    return NULL;
}

static bool has_role(const struct group *g, const struct role *role)
{
    for (size_t r = 0; r < g->roles.n; r++) {
        if (is_same(&g->roles.item[r], role)) {
            return true;
        }
    }
    return false;
}

/* A role whose members were all lost keeps its place before the roles that came after it. */
static void keep_lost(struct group *g, const struct old_roles *old)
{
    for (size_t i = 0; i < old->n && g->roles.n < SKR_ROLES_MAX; i++) {
        if (has_role(g, &old->item[i])) {
            continue;
        }
        size_t at = 0; /* behind the last earlier role that is still there */
        for (size_t k = 0; k < i; k++) {
            for (size_t r = 0; r < g->roles.n; r++) {
                at = is_same(&g->roles.item[r], &old->item[k]) && r + 1 > at ? r + 1 : at;
            }
        }
        memmove(&g->roles.item[at + 1], &g->roles.item[at],
                (g->roles.n - at) * sizeof *g->roles.item);
        g->roles.item[at] = old->item[i];
        g->roles.item[at].name = skr_strdup(old->item[i].name);
        g->roles.item[at].size = 0;
        g->roles.n++;
        struct pod_entry *p;
        DL_FOREACH(g->members, p)
        {
            p->role = skr_pods_has_seat(p) && p->role >= at ? (uint8_t)(p->role + 1) : p->role;
        }
    }
}

/* Seats of members that were lost stay with their roles, as far as the group has room for them. */
static void keep_sizes(struct group *g, const struct old_roles *old)
{
    int32_t total = 0, before = 0, size = g->spec ? g->spec->size : 0;
    for (size_t r = 0; r < g->roles.n; r++) {
        total += g->roles.item[r].size;
    }
    for (size_t i = 0; i < old->n; i++) {
        before += old->item[i].size;
    }
    int32_t spare = (before > size ? before : size) - total;
    for (size_t r = 0; r < g->roles.n && spare > 0; r++) {
        struct role *role = &g->roles.item[r];
        const struct role *was = old_role(old, role);
        int32_t more = was ? was->size - role->size : 0;
        more = more < spare ? more : spare;
        role->size += more > 0 ? more : 0;
        spare -= more > 0 ? more : 0;
    }
}

static void drop_empty(struct group *g)
{
    size_t kept = 0;
    uint8_t number[SKR_ROLES_MAX] = {0};
    for (size_t r = 0; r < g->roles.n; r++) {
        number[r] = (uint8_t)kept;
        if (g->roles.item[r].size > 0) {
            g->roles.item[kept++] = g->roles.item[r];
        } else {
            free(g->roles.item[r].name);
        }
    }
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        p->role = skr_pods_has_seat(p) ? number[p->role] : p->role;
    }
    g->roles.n = kept;
}

/* In role order; sizes and minima are final afterwards. */
static void keep_old(struct group *g, const struct old_roles *old)
{
    keep_lost(g, old);
    keep_sizes(g, old);
    drop_empty(g);
    for (size_t r = 0; r < g->roles.n; r++) {
        g->roles.item[r].minimum = g->roles.item[r].size;
    }
}

/* Roles of the members. */
static void take_members(const struct skr_gang *e, struct group *g)
{
    SKR_AUTO_FREE struct role_buckets *all = skr_alloc(sizeof *all);
    struct role *before = g->roles.item;
    size_t n_before = g->roles.n;
    struct old_roles old = {before, any_runs(g) && !g->roles.keyed ? n_before : 0};
    struct pod_entry *p;
    g->roles.n = skr_role_buckets_fill(e, g, all);
    g->roles.item = skr_alloc_array(SKR_ROLES_MAX, sizeof *g->roles.item);
    for (size_t i = 0; i < all->n; i++) {
        const struct role_bucket *b = &all->item[i];
        if (b->merged) {
            continue;
        }
        struct role *role = &g->roles.item[b->role];
        *role = (struct role){.name = skr_role_buckets_name(all, i),
                              .named = *b->base != '\0',
                              .identity = skr_role_buckets_identity(b),
                              .size = b->n};
        set_kind(g, role, b->base);
    }
    DL_FOREACH(g->members, p)
    {
        p->role = skr_pods_has_seat(p) && all->n > 1 ? skr_role_buckets_of(e, g, all, p)->role : 0;
    }
    keep_old(g, &old);
    free_roles(before, n_before);
}

/* ---- */

/* Whether the constraints fit roles that the members made. */
static void check_constraints(struct group *g)
{
    struct skr_group_role role[SKR_ROLES_MAX];
    struct skr_error error = {.text = ""};
    free(g->roles.defect);
    g->roles.defect = NULL;
    if (g->roles.keyed || !skr_roles_have_rules(g) || g->roles.n == 0) {
        return;
    }
    for (size_t r = 0; r < g->roles.n; r++) {
        const struct role *have = &g->roles.item[r];
        role[r] = (struct skr_group_role){have->name, have->size, have->minimum};
    }
    if (skr_group_roles_check(g->spec, role, g->roles.n, &error) < 0) {
        g->roles.defect = skr_strdup(error.text);
    }
}

void skr_roles_update(const struct skr_gang *e, struct group *g)
{
    bool keyed = skr_roles_are_keyed(g);
    if (keyed) {
        take_key(g);
    } else {
        take_members(e, g);
    }
    g->roles.keyed = keyed;
    check_constraints(g);
    skr_role_sets_update(g);
}

void skr_roles_keep(struct group *g, const struct role *was, size_t n)
{
    struct old_roles old = {was, n};
    keep_old(g, &old);
    for (size_t r = 0; r < g->roles.n; r++) {
        set_kind(g, &g->roles.item[r], g->roles.item[r].name);
    }
    check_constraints(g);
    skr_role_sets_update(g);
    skr_roles_count(g);
}

void skr_roles_count(struct group *g)
{
    const struct pod_entry *p;
    for (size_t r = 0; r < g->roles.n; r++) {
        struct role *role = &g->roles.item[r];
        role->n_present = role->n_ready = role->n_bound = role->n_open = 0;
    }
    DL_FOREACH(g->members, p)
    {
        if (!skr_pods_has_seat(p) || p->role >= g->roles.n) {
            continue;
        }
        struct role *role = &g->roles.item[p->role];
        role->n_present++;
        role->n_bound += skr_pods_is_bound(p);
        const bool open = !skr_pods_is_bound(p) && !p->pod->foreign_gate;
        role->n_open += open;
        role->n_ready += open && !p->waits_for_set;
    }
}

void skr_roles_fini(struct group *g)
{
    free_roles(g->roles.item, g->roles.n);
    free(g->roles.first_unknown);
    free(g->roles.first_foreign);
    free(g->roles.earlier);
    free(g->roles.defect);
    g->roles.item = NULL;
    g->roles.first_unknown = g->roles.first_foreign = g->roles.earlier = g->roles.defect = NULL;
    g->roles.n = 0;
}

bool skr_roles_have_minimum(const struct group *g, enum skr_role_members which)
{
    bool all = g->roles.keyed;
    for (size_t r = 0; all && r < g->roles.n; r++) {
        const struct role *role = &g->roles.item[r];
        const int32_t n[] = {role->n_present, role->n_ready, role->n_bound};
        all = n[which] + role->ended >= role->minimum;
    }
    return all;
}

/* ---- words ---- */

static void add_part(struct skr_strbuf *b, size_t *n, size_t total, const char *separator)
{
    if (*n > 0) {
        skr_strbuf_add(b, *n + 1 == total ? separator : ", ");
    }
    (*n)++;
}

/* "1 worker", "4 workers"; "4 pod-2 pods". */
static void say_members(struct skr_strbuf *b, int32_t n, const char *role)
{
    size_t length = strlen(role);
    char last = length > 0 ? role[length - 1] : '\0';
    if (last >= '0' && last <= '9') {
        skr_strbuf_addf(b, "%d %s pod%s", (int)n, role, n == 1 ? "" : "s");
    } else {
        skr_strbuf_addf(b, "%d %s%s", (int)n, role, n == 1 || last == 's' ? "" : "s");
    }
}

/* Pods that wait for their set are there, unless nothing else is missing. */
static int32_t pods_of(const struct group *g, const struct role *role, bool bound)
{
    bool lacks = false;
    for (size_t r = 0; r < g->roles.n && !lacks; r++) {
        lacks = g->roles.item[r].n_bound + g->roles.item[r].n_open < g->roles.item[r].minimum;
    }
    return role->n_bound + (bound ? 0 : lacks ? role->n_open : role->n_ready);
}

void skr_roles_say_missing(const struct group *g, bool bound, struct skr_strbuf *b)
{
    bool named[SKR_ROLES_MAX] = {false};
    size_t n = 0, total = g->roles.n > NAMED_MAX ? NAMED_MAX + 1 : g->roles.n;
    for (int lacking = 1; lacking >= 0; lacking--) { /* those that lack pods are named first */
        for (size_t r = 0; r < g->roles.n && n < NAMED_MAX; r++) {
            const struct role *role = &g->roles.item[r];
            if ((pods_of(g, role, bound) < role->minimum) == (lacking == 1)) {
                named[r] = true;
                n++;
            }
        }
    }
    n = 0;
    for (size_t r = 0; r < g->roles.n; r++) {
        const struct role *role = &g->roles.item[r];
        if (named[r]) {
            add_part(b, &n, total, ", ");
            skr_strbuf_addf(b, "%d of %d %s pods%s", (int)pods_of(g, role, bound),
                            (int)role->minimum, role->name, bound ? " bound" : "");
        }
    }
    if (g->roles.n > NAMED_MAX) {
        skr_strbuf_addf(b, " and %zu other role%s", g->roles.n - NAMED_MAX,
                        g->roles.n == NAMED_MAX + 1 ? "" : "s");
    }
}

void skr_roles_say_group(const struct group *g, size_t n, size_t of, enum skr_role_members which,
                         struct skr_strbuf *b)
{
    static const char *const word[] = {"", " ready", " bound"};
    skr_strbuf_addf(b, "group %s", g->name);
    if (g->roles.keyed) {
        skr_strbuf_add(b, ": ");
        skr_roles_say_missing(g, which == SKR_ROLE_BOUND, b);
    } else {
        skr_strbuf_addf(b, " has %zu of %zu members%s", n, of, word[which]);
    }
}

void skr_roles_say_counts(const struct group *g, const int32_t *count, struct skr_strbuf *b)
{
    size_t n = 0, used = 0;
    for (size_t r = 0; r < g->roles.n; r++) {
        used += count[r] > 0;
    }
    size_t total = used > NAMED_MAX ? NAMED_MAX + 1 : used;
    for (size_t r = 0; r < g->roles.n && n < NAMED_MAX; r++) {
        if (count[r] > 0) {
            add_part(b, &n, total, " and ");
            say_members(b, count[r], g->roles.item[r].name);
        }
    }
    if (used > NAMED_MAX) {
        skr_strbuf_addf(b, " and %zu other role%s", used - NAMED_MAX,
                        used == NAMED_MAX + 1 ? "" : "s");
    }
}
