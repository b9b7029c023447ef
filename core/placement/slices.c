/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three stable assignments: clusters to groups (by selectors), clusters of a group to parts,
 * clusters of a part to objects. A cluster stays where it is if its part or object still exists and
 * has room. Free places are counted before clusters leave, because additions are written before
 * removals.
 */
#include "core/placement/slice_planner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/decimal.h"

/* ---- what is there ---- */

static uint64_t number_of(const char *placement, const char *name)
{
    static const char middle[] = "-decision-";
    const size_t n = strlen(placement), m = sizeof middle - 1;
    int64_t number;
    if (strncmp(name, placement, n) != 0 || strncmp(name + n, middle, m) != 0) {
        return 0;
    }
    const char *digits = name + n + m;
    const size_t len = strspn(digits, "0123456789");
    if (len == 0 || digits[len] || digits[0] == '0' || !skr_decimal_parse(digits, len, &number)) {
        return 0;
    }
    return (uint64_t)number;
}

static int by_number(const void *a, const void *b)
{
    const struct skr_old_slice *s = a, *t = b;
    if (s->number != t->number) {
        return s->number - 1 < t->number - 1 ? -1 : 1; /* 0 is last */
    }
    return strcmp(s->decision->meta.name, t->decision->meta.name);
}

static int by_part(const void *a, const void *b)
{
    const struct skr_old_part *s = a, *t = b;
    int order = strcmp(s->group_name, t->group_name);
    return order != 0 ? order : (s->group > t->group) - (s->group < t->group);
}

static int read_old(struct skr_slice_planner *p,
                    const struct skr_placement_decision *const *existing, size_t n)
{
    p->old = skr_arena_array(p->arena, n + 1, sizeof *p->old);
    p->old_part = skr_arena_array(p->arena, n + 1, sizeof *p->old_part);
    p->part_of_old = skr_arena_array(p->arena, n + 1, sizeof *p->part_of_old);
    p->fullest = skr_arena_array(p->arena, n + 1, sizeof *p->fullest);
    p->n_bound = skr_arena_array(p->arena, n + 1, sizeof *p->n_bound);
    p->of_part = skr_arena_array(p->arena, n + 1, sizeof *p->of_part);
    p->open_at = skr_arena_array(p->arena, n + 1, sizeof *p->open_at);
    if (!p->old || !p->old_part || !p->part_of_old || !p->fullest || !p->n_bound || !p->of_part ||
        !p->open_at) {
        return skr_slices_no_room(p);
    }
    for (size_t i = 0; i < n; i++) {
        const struct skr_labels *labels = &existing[i]->meta.labels;
        const char *index = skr_labels_get(labels, SKR_DECISION_GROUP_INDEX_LABEL);
        const char *name = skr_labels_get(labels, SKR_DECISION_GROUP_NAME_LABEL);
        struct skr_old_slice *old = &p->old[p->n_old++];
        *old = (struct skr_old_slice){.decision = existing[i], .group_name = name ? name : ""};
        old->number = number_of(p->placement->meta.name, existing[i]->meta.name);
        if (!index || !skr_decimal_parse(index, strlen(index), &old->group) || old->group < 0) {
            old->group = 0;
        }
        p->old_part[i] = (struct skr_old_part){.group_name = old->group_name, .group = old->group};
    }
    if (n == 0) {
        return 0;
    }
    qsort(p->old, n, sizeof *p->old, by_number);
    qsort(p->old_part, n, sizeof *p->old_part, by_part);
    for (size_t i = 0; i < n; i++) {
        if (p->n_old_parts == 0 ||
            by_part(&p->old_part[i], &p->old_part[p->n_old_parts - 1]) != 0) {
            p->old_part[p->n_old_parts++] = p->old_part[i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        const struct skr_old_part wanted = {p->old[i].group_name, p->old[i].group, 0};
        const struct skr_old_part *found =
            bsearch(&wanted, p->old_part, p->n_old_parts, sizeof *p->old_part, by_part);
        p->old[i].old_part = (size_t)(found - p->old_part);
    }
    return 0;
}

/* ---- members ---- */

static int member_by_name(const void *a, const void *b)
{
    return strcmp(((const struct skr_slice_member *)a)->name,
                  ((const struct skr_slice_member *)b)->name);
}

static size_t group_of(const struct skr_placement *placement,
                       const struct skr_managed_cluster *cluster)
{
    size_t g = 0;
    while (g < placement->n_groups &&
           !skr_cluster_selector_matches(&placement->group[g].selector, cluster)) {
        g++;
    }
    return g;
}

/* A cluster that is in several objects, as in the middle of a write, belongs to the first one. */
static int read_members(struct skr_slice_planner *p,
                        const struct skr_managed_cluster *const *cluster, size_t n)
{
    p->member = skr_arena_array(p->arena, n + 1, sizeof *p->member);
    p->joined = skr_arena_array(p->arena, n + 1, sizeof *p->joined);
    if (!p->member || !p->joined) {
        return skr_slices_no_room(p);
    }
    p->n_members = n;
    for (size_t i = 0; i < n; i++) {
        p->member[i] =
            (struct skr_slice_member){cluster[i]->meta.name, group_of(p->placement, cluster[i]),
                                      SKR_SLICE_NONE, SKR_SLICE_NONE};
    }
    for (size_t o = 0; o < p->n_old; o++) {
        const struct skr_placement_decision *d = p->old[o].decision;
        for (size_t i = 0; n > 0 && i < d->n; i++) {
            const struct skr_slice_member wanted = {.name = d->cluster[i]};
            struct skr_slice_member *m =
                bsearch(&wanted, p->member, n, sizeof *p->member, member_by_name);
            if (m && m->old == SKR_SLICE_NONE &&
                strcmp(skr_slices_group_name(p, m->group), p->old[o].group_name) == 0) {
                m->old = o;
                p->old_part[p->old[o].old_part].n_members++;
            }
        }
    }
    const int64_t all = (int64_t)n;
    const int64_t size = p->placement->group_size;
    p->length = !p->placement->group_is_percent ? size : (size * all + 99) / 100;
    p->length = p->length < 1 || p->length > all ? all : p->length;
    return 0;
}

/* ---- objects ---- */

struct open_slice {
    struct skr_slice slice;
    size_t old;    /* SKR_SLICE_NONE */
    size_t places; /* free ones, before clusters leave */
};

/* number: never less than at the call before. */
static bool is_used(struct skr_slice_planner *p, uint64_t number)
{
    while (p->next_used < p->n_old && p->old[p->next_used].number != 0 &&
           p->old[p->next_used].number < number) {
        p->next_used++;
    }
    return p->next_used < p->n_old && p->old[p->next_used].number == number;
}

static int name_slice(struct skr_slice_planner *p, struct skr_slice *slice)
{
    const size_t size = strlen(p->placement->meta.name) + 40;
    char *name = skr_arena_alloc(p->arena, size);
    if (!name) {
        return skr_slices_no_room(p);
    }
    do {
        p->next_number++;
    } while (is_used(p, p->next_number));
    slice->number = p->next_number;
    snprintf(name, size, "%s-decision-%" PRIu64, p->placement->meta.name, slice->number);
    slice->name = name;
    return 0;
}

static int add_cluster(struct skr_slice_planner *p, struct skr_slice *slice, const char *cluster)
{
    if (!slice->cluster) {
        slice->cluster = skr_arena_array(p->arena, SKR_SLICE_CLUSTERS_MAX, sizeof *slice->cluster);
    }
    if (!slice->cluster) {
        return skr_slices_no_room(p);
    }
    slice->cluster[slice->n++] = cluster;
    return 0;
}

/* Lists the old objects by their new part. */
static int sort_old(struct skr_slice_planner *p)
{
    const size_t n_parts = p->plan->n_parts;
    p->first_of = skr_arena_array(p->arena, n_parts + 2, sizeof *p->first_of);
    if (!p->first_of) {
        return skr_slices_no_room(p);
    }
    for (size_t i = 0; i < p->n_old; i++) {
        const size_t part = p->part_of_old[p->old[i].old_part];
        p->open_at[i] = SKR_SLICE_NONE;
        if (part != SKR_SLICE_NONE) {
            p->first_of[part + 2]++; /* moves down by one as the part is filled */
        }
    }
    for (size_t i = 2; i < n_parts + 2; i++) {
        p->first_of[i] += p->first_of[i - 1];
    }
    for (size_t i = 0; i < p->n_old; i++) {
        const size_t part = p->part_of_old[p->old[i].old_part];
        if (part != SKR_SLICE_NONE) {
            p->of_part[p->first_of[part + 1]++] = i;
        }
    }
    return 0;
}

/* The existing objects of the part. */
static size_t open_slices(struct skr_slice_planner *p, size_t part, struct open_slice *open)
{
    size_t n = 0;
    for (size_t i = p->first_of[part]; i < p->first_of[part + 1]; i++) {
        const struct skr_old_slice *old = &p->old[p->of_part[i]];
        const size_t had = old->decision->n;
        p->open_at[p->of_part[i]] = n;
        open[n++] = (struct open_slice){
            {.existing = old->decision, .name = old->decision->meta.name, .number = old->number},
            p->of_part[i],
            had < SKR_SLICE_CLUSTERS_MAX ? SKR_SLICE_CLUSTERS_MAX - had : 0};
    }
    return n;
}

static int fill_slices(struct skr_slice_planner *p, const size_t *mine, size_t n_mine,
                       struct open_slice *open, size_t *n_open)
{
    size_t n_joined = 0, to = 0;
    for (size_t i = 0; i < n_mine; i++) {
        const struct skr_slice_member *m = &p->member[mine[i]];
        const size_t at = m->old == SKR_SLICE_NONE ? SKR_SLICE_NONE : p->open_at[m->old];
        struct open_slice *own = at < *n_open && open[at].old == m->old ? &open[at] : NULL;
        if (own && own->slice.n < SKR_SLICE_CLUSTERS_MAX) {
            if (add_cluster(p, &own->slice, m->name) < 0) {
                return -SKR_LIMIT;
            }
        } else {
            p->joined[n_joined++] = mine[i];
        }
    }
    for (size_t i = 0; i < n_joined; i++) {
        while (to < *n_open && open[to].places == 0) {
            to++;
        }
        if (to == *n_open) {
            open[to] = (struct open_slice){.old = SKR_SLICE_NONE, .places = SKR_SLICE_CLUSTERS_MAX};
            ++*n_open;
            if (name_slice(p, &open[to].slice) < 0) {
                return -SKR_LIMIT;
            }
        }
        open[to].places--;
        if (add_cluster(p, &open[to].slice, p->member[p->joined[i]].name) < 0) {
            return -SKR_LIMIT;
        }
    }
    return 0;
}

/* Objects without clusters are surplus, except the one that stands for an empty selection. */
static int keep_slices(struct skr_slice_planner *p, size_t part, struct open_slice *open, size_t n)
{
    struct skr_slice_plan *plan = p->plan;
    plan->part[part].first = plan->n_slices;
    if (n == 0 && p->n_members == 0) {
        open[n] = (struct open_slice){.old = SKR_SLICE_NONE};
        if (name_slice(p, &open[n++].slice) < 0) {
            return -SKR_LIMIT;
        }
    }
    for (size_t i = 0; i < n; i++) {
        struct skr_slice *slice = &open[i].slice;
        if (slice->n > 0 || (p->n_members == 0 && i == 0)) {
            skr_names_sort(slice->cluster, slice->n);
            slice->group = (int32_t)part;
            slice->group_name = plan->part[part].group_name;
            plan->slice[plan->n_slices++] = *slice;
            plan->part[part].n_slices++;
        } else if (slice->existing) {
            plan->surplus[plan->n_surplus++] = slice->existing;
        }
    }
    return 0;
}

/* Members by part, in name order within each. */
static size_t *sort_by_part(struct skr_slice_planner *p)
{
    const size_t n_parts = p->plan->n_parts;
    size_t *sorted = skr_arena_array(p->arena, p->n_members + 1, sizeof *sorted);
    size_t *next = skr_arena_array(p->arena, n_parts + 1, sizeof *next);
    if (!sorted || !next) {
        return NULL;
    }
    for (size_t i = 0; i + 1 < n_parts; i++) {
        next[i + 1] = next[i] + p->plan->part[i].n_clusters;
    }
    for (size_t i = 0; i < p->n_members; i++) {
        sorted[next[p->member[i].part]++] = i;
    }
    return sorted;
}

static int make_slices(struct skr_slice_planner *p)
{
    struct skr_slice_plan *plan = p->plan;
    const size_t most = p->n_old + p->n_members + 2;
    const size_t *mine = sort_by_part(p);
    struct open_slice *open = skr_arena_array(p->arena, most, sizeof *open);
    plan->slice = skr_arena_array(p->arena, most, sizeof *plan->slice);
    plan->surplus = skr_arena_array(p->arena, p->n_old + 1, sizeof *plan->surplus);
    if (!mine || !open || !plan->slice || !plan->surplus) {
        return skr_slices_no_room(p);
    }
    if (sort_old(p) < 0) {
        return skr_slices_no_room(p);
    }
    for (size_t part = 0; part < plan->n_parts; part++) {
        const size_t n_mine = plan->part[part].n_clusters;
        size_t n_open = open_slices(p, part, open);
        if (fill_slices(p, mine, n_mine, open, &n_open) < 0 ||
            keep_slices(p, part, open, n_open) < 0) {
            return skr_slices_no_room(p);
        }
        mine += n_mine;
    }
    for (size_t i = 0; i < p->n_old; i++) {
        if (p->part_of_old[p->old[i].old_part] == SKR_SLICE_NONE) {
            plan->surplus[plan->n_surplus++] = p->old[i].decision;
        }
    }
    return 0;
}

int skr_slices_plan(const struct skr_placement *placement,
                    const struct skr_managed_cluster *const *cluster, size_t n,
                    const struct skr_placement_decision *const *existing, size_t n_existing,
                    struct skr_arena *arena, struct skr_slice_plan *ret, struct skr_error *error)
{
    struct skr_slice_planner p = {
        .placement = placement, .arena = arena, .error = error, .plan = ret};
    int rc;
    *ret = (struct skr_slice_plan){0};
    if ((rc = read_old(&p, existing, n_existing)) < 0 || (rc = read_members(&p, cluster, n)) < 0 ||
        (rc = skr_slices_make_parts(&p)) < 0) {
        return rc;
    }
    return make_slices(&p);
}
