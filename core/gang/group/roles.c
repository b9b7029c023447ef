/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the roles of a group, and the role and set of each member: see roles.h.
 *
 * Members are put into buckets by the name of their role and, where that is divided by shape, by
 * their shape. Sorted buckets are the roles. What comes out depends on the members alone, not on
 * their order in the group.
 */
#include "core/gang/group/roles.h"

#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/group/member_order.h"
#include "core/gang/group/pins.h"
#include "core/gang/group/role_column.h"
#include "core/gang/state/plan_entry.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/group/label_value.h"
#include "topology/base/hash.h"

enum {
    BUCKETS_MAX = 64, /* of one group, before they are merged; the last takes the rest */
    NAMED_MAX = 3,    /* roles of a message */
};

/* ---- what pods say ---- */

const char *skr_roles_name_of(const struct skr_pod *pod)
{
    const char *name = skr_labels_get(&pod->meta.annotations, SKR_ANNOTATION_ROLE);
    bool good = name && *name && skr_label_value_is_valid(name);
    return good ? name : skr_role_column_role(pod);
}

int32_t skr_roles_set_of(const struct skr_pod *pod)
{
    const char *text = skr_labels_get(&pod->meta.annotations, SKR_ANNOTATION_SET);
    if (!text) {
        return skr_role_column_set(pod);
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

/* ---- seats of a group with the key ---- */

struct skr_role_seats {
    int32_t left[SKR_ROLES_MAX];
    int32_t each[SKR_ROLES_MAX];    /* in one set; 0: the role is in none */
    int32_t *in_set[SKR_ROLES_MAX]; /* [set] free seats of the role; NULL: no sets */
    int32_t sets[SKR_ROLES_MAX];
};

static int32_t each_of(const struct skr_group_spec *spec, const char *name, int32_t *ret_kind)
{
    size_t k = skr_group_set_of(spec, name);
    *ret_kind = -1;
    for (size_t i = 0; k < spec->n_sets && i < spec->set[k].n_parts; i++) {
        if (strcmp(spec->set[k].part[i].role, name) == 0) {
            *ret_kind = (int32_t)k;
            return spec->set[k].part[i].each;
        }
    }
    return 0;
}

static uint8_t role_of_key(const struct skr_group_spec *spec, const struct pod_entry *p)
{
    size_t r = p->role_name ? skr_group_role_find(spec, p->role_name) : spec->n_roles;
    return r < spec->n_roles ? (uint8_t)r : SKR_ROLE_UNKNOWN;
}

static void note_unknown(struct group *g, const struct pod_entry *p)
{
    const char *name = p->pod->meta.name;
    g->roles.n_unknown++;
    if (!g->roles.first_unknown || strcmp(name, g->roles.first_unknown) < 0) {
        free(g->roles.first_unknown);
        g->roles.first_unknown = skr_strdup(name);
    }
}

struct skr_role_seats *skr_roles_deal(struct group *g)
{
    struct skr_role_seats *seats = skr_alloc(sizeof *seats);
    struct pod_entry *p;
    g->roles.n_unknown = 0;
    free(g->roles.first_unknown);
    g->roles.first_unknown = NULL;
    for (size_t r = 0; r < g->spec->n_roles; r++) {
        int32_t kind;
        seats->left[r] = g->spec->role[r].size;
        seats->each[r] = each_of(g->spec, g->spec->role[r].name, &kind);
        seats->sets[r] = seats->each[r] > 0 ? seats->left[r] / seats->each[r] : 0;
        seats->in_set[r] = skr_alloc_array((size_t)seats->sets[r] + 1, sizeof **seats->in_set);
        for (int32_t s = 0; s < seats->sets[r]; s++) {
            seats->in_set[r][s] = seats->each[r];
        }
    }
    DL_FOREACH(g->members, p)
    {
        if (!skr_pod_is_live(p->pod)) {
            continue;
        }
        p->role = role_of_key(g->spec, p);
        if (p->role == SKR_ROLE_UNKNOWN && p->seated) {
            p->role = 0; /* it runs: it counts, wherever */
        } else if (p->role == SKR_ROLE_UNKNOWN) {
            note_unknown(g, p);
        }
        if (p->seated) {
            skr_roles_take_seat(seats, g, p);
        }
    }
    return seats;
}

bool skr_roles_take_seat(struct skr_role_seats *seats, const struct group *g,
                         const struct pod_entry *p)
{
    int32_t set = p->set_said;
    if (p->role >= g->spec->n_roles || (seats->left[p->role] <= 0 && !p->seated)) {
        return false;
    }
    if (set >= 0 && set < seats->sets[p->role]) {
        int32_t *left = &seats->in_set[p->role][set];
        if (*left <= 0 && !p->seated) {
            return false;
        }
        (*left)--;
    }
    seats->left[p->role]--;
    return true;
}

void skr_roles_deal_end(struct skr_role_seats *seats)
{
    for (size_t r = 0; seats && r < SKR_ROLES_MAX; r++) {
        free(seats->in_set[r]);
    }
    free(seats);
}

/* ---- roles of members ---- */

struct bucket {
    const char *base;    /* "": its members have no name */
    struct shape *shape; /* NULL: of any shape */
    struct shape *like;  /* of one of its members */
    int32_t n;
    int32_t same_base; /* buckets with this base */
    uint8_t role;
    bool merged; /* into the role of another one */
};

struct buckets {
    struct bucket item[BUCKETS_MAX];
    size_t n;
};

static const char *base_of(const struct pod_entry *p)
{
    return p->role_name ? p->role_name : "";
}

static struct bucket *find_bucket(struct buckets *all, const char *base, const struct shape *shape)
{
    for (size_t i = 0; i < all->n; i++) {
        if (all->item[i].shape == shape && strcmp(all->item[i].base, base) == 0) {
            return &all->item[i];
        }
    }
    return NULL;
}

/* Where a pinned member belongs: with members of its name and requests, else of its name. */
static struct bucket *bucket_of_pinned(struct buckets *all, const struct pod_entry *p)
{
    struct bucket *best = NULL;
    const char *base = base_of(p);
    for (size_t i = 0; i < all->n; i++) {
        struct bucket *b = &all->item[i];
        if (strcmp(b->base, base) != 0) {
            continue;
        }
        if (!best || (b->shape &&
                      skr_quantities_equal(&b->shape->spec->requests, &p->shape->spec->requests))) {
            best = b;
        }
    }
    return best;
}

static struct bucket *add_bucket(struct buckets *all, const char *base, struct shape *shape,
                                 struct shape *like)
{
    if (all->n == BUCKETS_MAX) {
        return &all->item[BUCKETS_MAX - 1];
    }
    all->item[all->n] = (struct bucket){.base = base, .shape = shape, .like = like};
    return &all->item[all->n++];
}

static bool is_divided(const struct skr_gang *e, const struct group *g, const char *base)
{
    return !e->settings.heterogeneous_refuse && !(g->spec && skr_group_names_role(g->spec, base));
}

static bool counts(const struct pod_entry *p)
{
    return p->seated && skr_pod_is_live(p->pod);
}

/* Bucket of a member; NULL: it is pinned, and there is none of its name. */
static struct bucket *bucket_of(const struct skr_gang *e, const struct group *g,
                                struct buckets *all, const struct pod_entry *p)
{
    const char *base = base_of(p);
    struct shape *shape = is_divided(e, g, base) ? p->shape : NULL;
    struct bucket *b = find_bucket(all, base, shape);
    if (!b && shape && skr_pins_is_pinned(shape->spec)) {
        b = bucket_of_pinned(all, p);
    } else if (!b && all->n == BUCKETS_MAX) {
        b = &all->item[BUCKETS_MAX - 1];
    }
    return b;
}

/* All members are alike: one bucket. */
static bool fill_one_bucket(const struct skr_gang *e, const struct group *g, struct buckets *all)
{
    const struct pod_entry *p, *first = NULL;
    int32_t n = 0;
    DL_FOREACH(g->members, p)
    {
        if (!counts(p)) {
            continue;
        }
        first = first ? first : p;
        if (p->shape != first->shape || strcmp(base_of(p), base_of(first)) != 0) {
            return false;
        }
        n++;
    }
    if (first) {
        const char *base = base_of(first);
        struct bucket *b =
            add_bucket(all, base, is_divided(e, g, base) ? first->shape : NULL, first->shape);
        b->n = n;
        b->same_base = 1;
    }
    return true;
}

static void fill_buckets(const struct skr_gang *e, const struct group *g, struct buckets *all)
{
    const struct pod_entry *p;
    if (fill_one_bucket(e, g, all)) {
        return;
    }
    DL_FOREACH(g->members, p)
    {
        const char *base = counts(p) ? base_of(p) : NULL;
        bool divided = base && is_divided(e, g, base);
        struct shape *shape = divided ? p->shape : NULL;
        if (base && !(divided && skr_pins_is_pinned(p->shape->spec)) &&
            !find_bucket(all, base, shape)) {
            add_bucket(all, base, shape, p->shape);
        }
    }
    DL_FOREACH(g->members, p) /* pinned members of names that have no others */
    {
        if (counts(p) && !bucket_of(e, g, all, p)) {
            add_bucket(all, base_of(p), NULL, p->shape);
        }
    }
    DL_FOREACH(g->members, p)
    {
        if (counts(p)) {
            bucket_of(e, g, all, p)->n++;
        }
    }
    for (size_t i = 0; i < all->n; i++) {
        for (size_t k = 0; k < all->n; k++) {
            all->item[i].same_base += strcmp(all->item[i].base, all->item[k].base) == 0;
        }
    }
}

/* ---- role order ---- */

static size_t place_of_name(const char *name)
{
    static const char *const first[] = {"master", "chief",       "leader", "launcher",
                                        "head",   "coordinator", "driver", NULL};
    size_t i = 0;
    while (first[i] && strcmp(first[i], name) != 0) {
        i++;
    }
    return i;
}

/* The larger request first: the first resource in byte order whose amounts differ decides. */
static int compare_requests(const struct skr_quantities *a, const struct skr_quantities *b)
{
    size_t i = 0, k = 0;
    while (i < a->n || k < b->n) {
        int c = i == a->n ? 1 : k == b->n ? -1 : strcmp(a->item[i].name, b->item[k].name);
        int64_t left = c <= 0 ? a->item[i].amount : 0, right = c >= 0 ? b->item[k].amount : 0;
        if (left != right) {
            return left > right ? -1 : 1;
        }
        i += c <= 0;
        k += c >= 0;
    }
    return 0;
}

static int by_role(const void *a, const void *b)
{
    const struct bucket *left = a, *right = b;
    size_t x = place_of_name(left->base), y = place_of_name(right->base);
    int c = strcmp(left->base, right->base);
    if (x != y) {
        return x < y ? -1 : 1;
    }
    c = c != 0 ? c : compare_requests(&left->like->spec->requests, &right->like->spec->requests);
    c = c != 0 ? c : strcmp(left->like->spec->key, right->like->spec->key);
    return c != 0 ? c : (left->shape != NULL) - (right->shape != NULL);
}

/* The smallest role, the last of several; not those that rules name. */
static struct bucket *smallest(struct buckets *all, const struct group *g,
                               const struct bucket *except)
{
    struct bucket *best = NULL;
    for (size_t i = 0; i < all->n; i++) {
        struct bucket *b = &all->item[i];
        bool named = g->spec && skr_group_names_role(g->spec, b->base);
        if (b != except && !b->merged && !named && (!best || b->n <= best->n)) {
            best = b;
        }
    }
    return best;
}

/* Numbers the roles; the smallest beyond SKR_ROLES_MAX become one with the next. */
static size_t number_roles(struct buckets *all, struct group *g)
{
    size_t n = all->n;
    const struct bucket *into[BUCKETS_MAX] = {0};
    g->roles.n_merged = 0;
    while (n > SKR_ROLES_MAX) {
        struct bucket *least = smallest(all, g, NULL);
        struct bucket *next = least ? smallest(all, g, least) : NULL;
        if (!next) { /* rules name them all */
            least = &all->item[n - 1];
            next = &all->item[n - 2];
        }
        least->merged = true;
        into[least - all->item] = next;
        next->n += least->n;
        g->roles.n_merged++;
        n--;
    }
    uint8_t role = 0;
    for (size_t i = 0; i < all->n; i++) {
        all->item[i].role = all->item[i].merged ? 0 : role;
        role = (uint8_t)(role + !all->item[i].merged);
    }
    for (size_t i = 0; i < all->n; i++) {
        const struct bucket *at = &all->item[i];
        while (at->merged) {
            at = into[at - all->item];
        }
        all->item[i].role = at->role;
    }
    return n;
}

/* "worker"; "worker-2" where the role is divided; "pod-1" without a name. */
static char *name_of(const struct buckets *all, size_t at)
{
    const struct bucket *b = &all->item[at];
    char text[256];
    size_t number = 1;
    for (size_t i = 0; i < at; i++) {
        number += strcmp(all->item[i].base, b->base) == 0;
    }
    const char *base = *b->base ? b->base : "pod";
    if (b->same_base == 1) {
        return skr_strdup(base);
    }
    snprintf(text, sizeof text, "%.200s-%zu", base, number);
    return skr_strdup(text);
}

static uint64_t identity_of(const struct bucket *b)
{
    uint64_t hash = skr_hash_bytes(SKR_HASH_BEGIN, b->base, strlen(b->base) + 1);
    return b->shape ? skr_hash_bytes(hash, b->shape->spec->key, strlen(b->shape->spec->key)) : hash;
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
        role->each = each_of(g->spec, base, &role->kind);
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

static bool any_runs(const struct group *g)
{
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (counts(p) && skr_pods_is_bound(p)) {
            return true;
        }
    }
    return false;
}

struct old_roles {
    struct role *item;
    size_t n;
};

static const struct role *old_role(const struct old_roles *old, uint64_t identity)
{
    for (size_t i = 0; i < old->n; i++) {
        if (old->item[i].identity == identity) {
            return &old->item[i];
        }
    }
    return NULL;
}

static bool has_role(const struct group *g, uint64_t identity)
{
    for (size_t r = 0; r < g->roles.n; r++) {
        if (g->roles.item[r].identity == identity) {
            return true;
        }
    }
    return false;
}

/* A role whose members were all lost keeps its place before the roles that came after it. */
static void keep_lost(struct group *g, const struct old_roles *old)
{
    for (size_t i = 0; i < old->n && g->roles.n < SKR_ROLES_MAX; i++) {
        if (has_role(g, old->item[i].identity)) {
            continue;
        }
        size_t at = 0; /* behind the last earlier role that is still there */
        for (size_t k = 0; k < i; k++) {
            for (size_t r = 0; r < g->roles.n; r++) {
                at = g->roles.item[r].identity == old->item[k].identity && r + 1 > at ? r + 1 : at;
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
            p->role = counts(p) && p->role >= at ? (uint8_t)(p->role + 1) : p->role;
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
        const struct role *was = old_role(old, role->identity);
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
        p->role = counts(p) ? number[p->role] : p->role;
    }
    g->roles.n = kept;
}

/* Roles of the members. */
static void take_members(const struct skr_gang *e, struct group *g)
{
    struct buckets *all = skr_alloc(sizeof *all);
    struct old_roles old = {g->roles.item, any_runs(g) && !g->roles.keyed ? g->roles.n : 0};
    size_t n_old = g->roles.n;
    struct pod_entry *p;
    fill_buckets(e, g, all);
    if (all->n > 1) {
        qsort(all->item, all->n, sizeof *all->item, by_role);
    }
    g->roles.n = number_roles(all, g);
    g->roles.item = skr_alloc_array(SKR_ROLES_MAX, sizeof *g->roles.item);
    for (size_t i = 0; i < all->n; i++) {
        const struct bucket *b = &all->item[i];
        if (b->merged) {
            continue;
        }
        struct role *role = &g->roles.item[b->role];
        *role = (struct role){.name = name_of(all, i),
                              .named = *b->base != '\0',
                              .identity = identity_of(b),
                              .size = b->n};
        set_kind(g, role, b->base);
    }
    DL_FOREACH(g->members, p)
    {
        p->role = counts(p) && all->n > 1 ? bucket_of(e, g, all, p)->role : 0;
    }
    keep_lost(g, &old);
    keep_sizes(g, &old);
    drop_empty(g);
    for (size_t r = 0; r < g->roles.n; r++) {
        g->roles.item[r].minimum = g->roles.item[r].size;
    }
    free_roles(old.item, n_old);
    free(all);
}

/* ---- sets ---- */

static int32_t sets_of(const struct group *g, size_t kind)
{
    for (size_t r = 0; r < g->roles.n; r++) {
        const struct role *role = &g->roles.item[r];
        if (role->kind == (int32_t)kind && role->each > 0) {
            return role->size / role->each;
        }
    }
    return 0;
}

static bool is_placed(const struct pod_entry *p)
{
    return skr_pods_is_bound(p) || (p->plan && !p->plan->aborting);
}

static int32_t rank_of(const struct pod_entry *p)
{
    return p->place.rank >= 0 ? p->place.rank : skr_pods_rank_label(p);
}

/* Sets of one kind while they are filled: left[role * sets + set] free seats. */
struct filling {
    int32_t sets;
    int32_t *left;
};

static bool enter_set(struct filling *f, struct pod_entry *p, int32_t set)
{
    if (set < 0 || set >= f->sets || f->left[p->role * f->sets + set] <= 0) {
        return false;
    }
    f->left[p->role * f->sets + set]--;
    p->set = set;
    return true;
}

/* The members of roles of the kind, in member order within each role; free(). */
static struct pod_entry **members_of_kind(const struct group *g, size_t kind, size_t *ret_n)
{
    struct pod_entry **list = skr_alloc_array(g->n_members + 1, sizeof *list), *p;
    size_t n = 0;
    for (size_t r = 0; r < g->roles.n; r++) {
        size_t begin = n;
        if (g->roles.item[r].kind != (int32_t)kind) {
            continue;
        }
        DL_FOREACH(g->members, p)
        {
            if (counts(p) && p->role == r) {
                list[n++] = p;
            }
        }
        skr_member_order_sort(&list[begin], n - begin);
    }
    *ret_n = n;
    return list;
}

static void fill_sets(const struct group *g, size_t kind, const uint8_t *role_at,
                      const int32_t *set_at, size_t n_positions)
{
    struct filling f = {.sets = sets_of(g, kind)};
    size_t n;
    struct pod_entry **list = members_of_kind(g, kind, &n);
    f.left = skr_alloc_array(g->roles.n * (size_t)f.sets + 1, sizeof *f.left);
    for (size_t r = 0; r < g->roles.n; r++) {
        for (int32_t s = 0; s < f.sets; s++) {
            f.left[(int32_t)r * f.sets + s] = g->roles.item[r].each;
        }
    }
    for (size_t i = 0; i < n; i++) {
        enter_set(&f, list[i], list[i]->set_said);
    }
    for (size_t i = 0; i < n; i++) {
        int32_t rank = list[i]->set < 0 && is_placed(list[i]) ? rank_of(list[i]) : -1;
        if (rank >= 0 && (size_t)rank < n_positions && role_at[rank] == list[i]->role) {
            enter_set(&f, list[i], set_at[rank]);
        }
    }
    int32_t from[SKR_ROLES_MAX] = {0};
    for (size_t i = 0; i < n; i++) {
        int32_t *s = &from[list[i]->role];
        while (list[i]->set < 0 && *s < f.sets && !enter_set(&f, list[i], *s)) {
            (*s)++;
        }
    }
    /* A set that none of its members runs is planned whole. */
    bool *runs = skr_alloc_array((size_t)f.sets + 1, sizeof *runs);
    bool *lacks = skr_alloc_array((size_t)f.sets + 1, sizeof *lacks);
    for (size_t i = 0; i < n; i++) {
        int32_t s = list[i]->set;
        if (s >= 0) {
            runs[s] = runs[s] || is_placed(list[i]);
            lacks[s] = lacks[s] || (!is_placed(list[i]) && list[i]->pod->foreign_gate);
        }
    }
    for (size_t r = 0; r < g->roles.n; r++) {
        for (int32_t s = 0; s < f.sets && g->roles.item[r].kind == (int32_t)kind; s++) {
            lacks[s] = lacks[s] || f.left[(int32_t)r * f.sets + s] > 0;
        }
    }
    for (size_t i = 0; i < n; i++) {
        int32_t s = list[i]->set;
        list[i]->waits_for_set = s < 0 || (!runs[s] && lacks[s]);
    }
    free(runs);
    free(lacks);
    free(f.left);
    free(list);
}

static void update_sets(struct group *g)
{
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        p->set = -1;
        p->waits_for_set = false;
    }
    if (!g->spec || g->spec->n_sets == 0) {
        return;
    }
    struct skr_rank_layout layout;
    skr_roles_layout(g, NULL, &layout);
    size_t n = skr_rank_layout_size(&layout);
    SKR_AUTO_FREE uint8_t *role = skr_alloc_array(n + 1, sizeof *role);
    SKR_AUTO_FREE int32_t *set = skr_alloc_array(n + 1, sizeof *set);
    skr_rank_layout_positions(&layout, role, set);
    for (size_t k = 0; k < g->spec->n_sets; k++) {
        fill_sets(g, k, role, set, n);
    }
}

/* ---- */

/* Whether the constraints fit roles that the members made. */
static void check_constraints(struct group *g)
{
    struct skr_group_role role[SKR_ROLES_MAX];
    struct skr_error error;
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
    update_sets(g);
}

void skr_roles_count(struct group *g)
{
    const struct pod_entry *p;
    for (size_t r = 0; r < g->roles.n; r++) {
        struct role *role = &g->roles.item[r];
        role->n_present = role->n_ready = role->n_bound = 0;
    }
    DL_FOREACH(g->members, p)
    {
        if (!counts(p) || p->role >= g->roles.n) {
            continue;
        }
        struct role *role = &g->roles.item[p->role];
        role->n_present++;
        role->n_bound += skr_pods_is_bound(p);
        role->n_ready += !skr_pods_is_bound(p) && !p->pod->foreign_gate && !p->waits_for_set;
    }
}

void skr_roles_fini(struct group *g)
{
    free_roles(g->roles.item, g->roles.n);
    free(g->roles.first_unknown);
    free(g->roles.defect);
    g->roles.item = NULL;
    g->roles.first_unknown = g->roles.defect = NULL;
    g->roles.n = 0;
}

bool skr_roles_are_complete(const struct group *g)
{
    for (size_t r = 0; g->roles.keyed && r < g->roles.n; r++) {
        if (g->roles.item[r].n_ready < g->roles.item[r].minimum) {
            return false;
        }
    }
    return true;
}

bool skr_roles_are_present(const struct group *g)
{
    for (size_t r = 0; g->roles.keyed && r < g->roles.n; r++) {
        if (g->roles.item[r].n_present < g->roles.item[r].minimum) {
            return false;
        }
    }
    return true;
}

bool skr_roles_are_bound(const struct group *g)
{
    for (size_t r = 0; g->roles.keyed && r < g->roles.n; r++) {
        if (g->roles.item[r].n_bound < g->roles.item[r].minimum) {
            return false;
        }
    }
    return true;
}

void skr_roles_layout(const struct group *g, const struct skr_tree *tree,
                      struct skr_rank_layout *ret)
{
    *ret = (struct skr_rank_layout){.n_roles = g->roles.n};
    for (size_t r = 0; r < g->roles.n; r++) {
        const struct role *role = &g->roles.item[r];
        bool in_sets = role->kind >= 0 && role->each > 0;
        ret->role[r].size = role->size;
        ret->role[r].kind = in_sets ? role->kind : -1;
        ret->role[r].each = in_sets ? role->each : 0;
    }
    ret->n_kinds = g->spec ? g->spec->n_sets : 0;
    for (size_t k = 0; k < ret->n_kinds; k++) {
        int32_t level = tree ? skr_tree_find_level(tree, g->spec->set[k].level) : 1;
        ret->kind[k].level = level > 0 ? level : 1;
        ret->kind[k].sets = sets_of(g, k);
    }
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

void skr_roles_say_missing(const struct group *g, struct skr_strbuf *b)
{
    size_t n = 0, total = g->roles.n > NAMED_MAX ? NAMED_MAX + 1 : g->roles.n;
    for (int lacking = 1; lacking >= 0; lacking--) { /* those that lack pods come first */
        for (size_t r = 0; r < g->roles.n && n < NAMED_MAX; r++) {
            const struct role *role = &g->roles.item[r];
            int32_t have = role->n_ready + role->n_bound;
            if ((have < role->minimum) == (lacking == 1)) {
                add_part(b, &n, total, ", ");
                skr_strbuf_addf(b, "%d of %d %s pods", (int)have, (int)role->minimum, role->name);
            }
        }
    }
    if (g->roles.n > NAMED_MAX) {
        skr_strbuf_addf(b, " and %zu other role%s", g->roles.n - NAMED_MAX,
                        g->roles.n == NAMED_MAX + 1 ? "" : "s");
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
