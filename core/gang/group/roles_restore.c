/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the roles of lost members back: see roles_restore.h. */
#include "core/gang/group/roles_restore.h"

#include "core/gang/cache/pods.h"
#include "core/gang/group/role_buckets.h"
#include "core/gang/group/roles.h"
#include "core/gang/state/plan_entry.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { KEYS_BYTES_MAX = 1024 * 1024 }; /* of one key that is read */

/* A role as the keys have it. */
struct known {
    const char *name; /* borrowed from the JSON */
    int32_t n;
    int64_t first_rank;
    int32_t of_members; /* role of a living member that had this one; -1: none lives */
};

struct reading {
    struct skr_gang *e;
    const struct group *g;
    json_t *rank; /* by pod */
    struct known known[SKR_ROLES_MAX];
    size_t n;
    bool too_many;
};

/* Ranks by name of the pod, from "[(pod-0,0) (pod-1,1)]". */
static json_t *ranks_of(const char *text)
{
    json_t *ranks = json_object();
    for (const char *at = text ? strchr(text, '(') : NULL; at; at = strchr(at, '(')) {
        size_t length = strcspn(++at, ",)");
        if (at[length] == ',') {
            json_object_setn_new(ranks, at, length,
                                 json_integer(strtoll(at + length + 1, NULL, 10)));
        }
    }
    return ranks;
}

static struct known *known_of(struct reading *r, const char *role)
{
    for (size_t i = 0; i < r->n; i++) {
        if (strcmp(r->known[i].name, role) == 0) {
            return &r->known[i];
        }
    }
    if (r->n == SKR_ROLES_MAX) {
        r->too_many = true;
        return NULL;
    }
    r->known[r->n] = (struct known){.name = role, .first_rank = INT64_MAX, .of_members = -1};
    return &r->known[r->n++];
}

static void note(struct reading *r, const char *pod, const char *role)
{
    struct known *k = known_of(r, role);
    const json_t *rank = json_object_get(r->rank, pod);
    const struct pod_entry *p = skr_pods_find_name(r->e, r->g->namespace_, pod);
    if (!k) {
        return;
    }
    k->n += k->n < SKR_GROUP_SIZE_MAX;
    if (json_is_integer(rank) && json_integer_value(rank) < k->first_rank) {
        k->first_rank = json_integer_value(rank);
    }
    if (p && p->group == r->g && skr_pods_has_seat(p) && p->role < r->g->roles.n) {
        k->of_members = p->role;
    }
}

/* Leaves of the placement are pods; the depth is that of the tree. */
static void read_units(struct reading *r, json_t *unit, int depth)
{
    const char *name;
    json_t *below;
    json_object_foreach(unit, name, below)
    {
        const char *role = json_string_value(json_object_get(below, "role"));
        if (role) {
            note(r, name, role);
        } else if (depth <= SKR_LEVELS_MAX) {
            read_units(r, below, depth + 1);
        }
    }
}

static int by_rank(const void *a, const void *b)
{
    const struct known *left = a, *right = b;
    if (left->first_rank != right->first_rank) {
        return left->first_rank < right->first_rank ? -1 : 1;
    }
    return skr_role_buckets_compare_names(left->name, right->name);
}

/* Gives the group the roles that were read, those that members have as they are now. */
static void keep(struct reading *r, struct group *g)
{
    struct role was[SKR_ROLES_MAX];
    if (r->n == 0 || r->too_many) {
        return;
    }
    qsort(r->known, r->n, sizeof *r->known, by_rank);
    for (size_t i = 0; i < r->n; i++) {
        const struct known *k = &r->known[i];
        was[i] = (struct role){.name = (char *)(uintptr_t)k->name, .size = k->n, .kind = -1};
        if (k->of_members >= 0) {
            const struct role *has = &g->roles.item[k->of_members];
            was[i] = *has;
            was[i].size = k->n > has->size ? k->n : has->size;
        }
    }
    skr_roles_keep(g, was, r->n);
}

void skr_roles_restore(struct skr_gang *e, struct group *g, const char *placement, const char *rank)
{
    bool read = placement && strlen(placement) <= KEYS_BYTES_MAX && !skr_roles_are_keyed(g) &&
                g->seats.n_bound > 0 && strstr(placement, "\"role\"");
    json_auto_t *units = read ? json_loads(placement, 0, NULL) : NULL;
    json_auto_t *ranks = units ? ranks_of(rank) : NULL;
    struct reading r = {.e = e, .g = g, .rank = ranks};
    read_units(&r, units, 0);
    keep(&r, g);
}

/* ---- from a plan ---- */

/* Of the role that the plan has on the member's node, if it has one only. */
static void note_member(struct reading *r, const struct skr_plan_record *plan,
                        const struct pod_entry *p)
{
    const char *role = NULL;
    size_t on_node = 0;
    for (size_t i = 0; i < plan->n_roles; i++) {
        if (strcmp(plan->role[i].node, p->place.node) == 0) {
            role = plan->role[i].role;
            on_node++;
        }
    }
    struct known *k = on_node == 1 ? known_of(r, role) : NULL;
    if (k && p->role < r->g->roles.n) {
        k->of_members = p->role;
    }
}

void skr_roles_restore_plan(struct skr_gang *e, struct group *g, const struct skr_plan_record *plan)
{
    struct reading r = {.e = e, .g = g};
    const struct pod_entry *p;
    if (skr_roles_are_keyed(g) || plan->state != SKR_PLAN_BINDING) {
        return;
    }
    for (size_t i = 0; i < plan->n_roles; i++) {
        struct known *k = known_of(&r, plan->role[i].role);
        if (k && plan->role[i].count <= SKR_GROUP_SIZE_MAX - k->n) {
            k->n += plan->role[i].count;
        }
    }
    for (size_t i = 0; i < r.n; i++) { /* a member that shows its role decides below */
        for (size_t k = 0; k < g->roles.n; k++) {
            if (strcmp(r.known[i].name, g->roles.item[k].name) == 0) {
                r.known[i].of_members = (int32_t)k;
            }
        }
    }
    DL_FOREACH(g->members, p)
    {
        if (p->plan && p->plan == g->plan) {
            note_member(&r, plan, p);
        }
    }
    keep(&r, g);
}
