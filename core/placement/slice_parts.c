/* SPDX-License-Identifier: Apache-2.0 */
/* Assigns the clusters of a group to parts. A cluster stays in its part if the part has room. */
#include "core/placement/slice_planner.h"

#include <stdlib.h>
#include <string.h>

int skr_slices_no_room(struct skr_slice_planner *p)
{
    return skr_error_set(p->error, SKR_LIMIT, "too many decisions for one cycle");
}

const char *skr_slices_group_name(const struct skr_slice_planner *p, size_t group)
{
    return group < p->placement->n_groups ? p->placement->group[group].name : "";
}

struct fullness {
    const struct skr_old_part *part;
    size_t at;
};

/* By name, then most members first, then lowest index. */
static int by_fullness(const void *a, const void *b)
{
    const struct fullness *s = a, *t = b;
    const int order = strcmp(s->part->group_name, t->part->group_name);
    if (order != 0 || s->part->n_members == t->part->n_members) {
        return order != 0 ? order : (s->at > t->at) - (s->at < t->at);
    }
    return s->part->n_members > t->part->n_members ? -1 : 1;
}

static int sort_by_fullness(struct skr_slice_planner *p)
{
    struct fullness *all = skr_arena_array(p->arena, p->n_old_parts + 1, sizeof *all);
    if (!all) {
        return skr_slices_no_room(p);
    }
    for (size_t i = 0; i < p->n_old_parts; i++) {
        all[i] = (struct fullness){&p->old_part[i], i};
    }
    if (p->n_old_parts > 0) {
        qsort(all, p->n_old_parts, sizeof *all, by_fullness);
    }
    for (size_t i = 0; i < p->n_old_parts; i++) {
        p->fullest[i] = all[i].at;
    }
    return 0;
}

/* The first old part whose name is not before this one, or, with after, behind it. */
static size_t bound_of(const struct skr_slice_planner *p, const char *name, bool after)
{
    size_t low = 0, high = p->n_old_parts;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(p->old_part[middle].group_name, name);
        if (order < 0 || (after && order == 0)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The n fullest old parts of this name that do not go on yet go on, in their order, as parts first,
 * first + 1, ...; what is left of n are new ones. */
static void bind_parts(struct skr_slice_planner *p, const char *name, size_t first, size_t n)
{
    const size_t low = bound_of(p, name, false), high = bound_of(p, name, true);
    size_t next = first;
    if (low == high) {
        return;
    }
    for (size_t i = 0; i < n && low + p->n_bound[low] < high; i++) {
        p->part_of_old[p->fullest[low + p->n_bound[low]++]] = SKR_SLICE_BOUND;
    }
    for (size_t i = low; i < high; i++) {
        if (p->part_of_old[i] == SKR_SLICE_BOUND) {
            p->part_of_old[i] = next++;
        }
    }
}

/* Members of the group stay in their part while it has places, in name order; the others join the
 * lowest part with a free one. */
static void fill_parts(struct skr_slice_planner *p, size_t group, size_t first, size_t n)
{
    struct skr_slice_part *part = p->plan->part;
    size_t n_joined = 0, to = first;
    for (size_t i = 0; i < p->n_members; i++) {
        struct skr_slice_member *m = &p->member[i];
        if (m->group != group) {
            continue;
        }
        size_t own =
            m->old == SKR_SLICE_NONE ? SKR_SLICE_NONE : p->part_of_old[p->old[m->old].old_part];
        if (own != SKR_SLICE_NONE && own >= first && own < first + n &&
            part[own].n_clusters < (size_t)p->length) {
            m->part = own;
            part[own].n_clusters++;
        } else {
            p->joined[n_joined++] = i;
        }
    }
    for (size_t i = 0; i < n_joined; i++) {
        while (part[to].n_clusters >= (size_t)p->length) {
            to++;
        }
        p->member[p->joined[i]].part = to;
        part[to].n_clusters++;
    }
}

int skr_slices_make_parts(struct skr_slice_planner *p)
{
    const size_t n_groups = p->placement->n_groups + 1;
    size_t *members = skr_arena_array(p->arena, n_groups, sizeof *members), n_parts = 0;
    if (!members) {
        return skr_slices_no_room(p);
    }
    for (size_t i = 0; i < p->n_members; i++) {
        members[p->member[i].group]++;
    }
    for (size_t i = 0; i < p->n_old_parts; i++) {
        p->part_of_old[i] = SKR_SLICE_NONE;
    }
    if (sort_by_fullness(p) < 0) {
        return skr_slices_no_room(p);
    }
    for (size_t g = 0; g < n_groups && p->length > 0; g++) {
        n_parts += (members[g] + (size_t)p->length - 1) / (size_t)p->length;
    }
    p->plan->part = skr_arena_array(p->arena, n_parts + 1, sizeof *p->plan->part);
    if (!p->plan->part) {
        return skr_slices_no_room(p);
    }
    for (size_t g = 0; g < n_groups && p->length > 0; g++) {
        const size_t first = p->plan->n_parts;
        const size_t n = (members[g] + (size_t)p->length - 1) / (size_t)p->length;
        p->plan->n_parts += n;
        for (size_t i = first; i < first + n; i++) {
            p->plan->part[i].group_name = skr_slices_group_name(p, g);
        }
        if (n > 0) {
            bind_parts(p, skr_slices_group_name(p, g), first, n);
            fill_parts(p, g, first, n);
        }
    }
    if (p->plan->n_parts == 0) { /* nothing is selected: one empty part, the first object's */
        p->plan->part[p->plan->n_parts++].group_name = "";
        if (p->n_old > 0) {
            p->part_of_old[p->old[0].old_part] = 0;
        }
    }
    return 0;
}
