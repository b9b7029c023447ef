/* SPDX-License-Identifier: Apache-2.0 */
#include "core/time/placements.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

/* The placements within bounds, and the best of them. */
struct part {
    struct skr_unit_bounds *leaf; /* [leaf] */
    struct skr_solution *best;
};

struct skr_placements {
    struct skr_timeline *timeline;
    const struct skr_start_question *question;
    struct skr_solver_cache *cache;
    int64_t at;
    struct part *part;
    size_t n, cap;
    struct part last; /* whose best was returned; best NULL: none yet */
    bool begun, all;
};

struct skr_placements *skr_placements_create(struct skr_timeline *timeline,
                                             const struct skr_start_question *question,
                                             struct skr_solver_cache *cache, int64_t at)
{
    struct skr_placements *p = skr_alloc(sizeof *p);
    *p = (struct skr_placements){.timeline = timeline,
                                 .question = question,
                                 .cache = cache,
                                 .at = at,
                                 .all = !question->problem->roles};
    return p;
}

static void part_fini(struct part *part)
{
    free(part->leaf);
    skr_solution_destroy(part->best);
    *part = (struct part){0};
}

void skr_placements_destroy(struct skr_placements *p)
{
    if (!p) {
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        part_fini(&p->part[i]);
    }
    part_fini(&p->last);
    free(p->part);
    free(p);
}

/* The part is there if it has a placement. leaf NULL: without bounds. */
static int add_part(struct skr_placements *p, const struct skr_unit_bounds *leaf, int64_t *steps,
                    struct skr_error *error)
{
    const struct skr_problem *problem = p->question->problem;
    const size_t leaves = (size_t)problem->tree->n_leaves;
    struct skr_start start;
    *steps -= problem->tree->n_leaves;
    const int rc = skr_start_at(p->timeline, p->question, p->cache, p->at, leaf, &start, error);
    p->all = p->all && start.exact;
    if (rc < 0 || !start.solution) {
        return rc;
    }
    skr_grow(&p->part, &p->cap, p->n + 1, sizeof *p->part);
    struct part *part = &p->part[p->n++];
    *part = (struct part){.leaf = skr_alloc_array(leaves + 1, sizeof *part->leaf),
                          .best = start.solution};
    for (size_t i = 0; i < leaves; i++) {
        part->leaf[i] = leaf ? leaf[i] : (struct skr_unit_bounds){0, problem->n};
    }
    return 0;
}

/* What the last part has beside its best. */
static int split(struct skr_placements *p, int64_t *steps, struct skr_error *error)
{
    const struct skr_tree *tree = p->question->problem->tree;
    struct skr_unit_bounds *fixed = p->last.leaf;
    int rc = 0;
    for (int32_t leaf = 0; leaf < tree->n_leaves && rc == 0 && *steps >= 0; leaf++) {
        struct skr_unit_bounds *here = &fixed[leaf];
        const struct skr_unit_bounds whole = *here;
        const int32_t count = p->last.best->count[leaf];
        if (whole.least < count) {
            here->most = count - 1;
            rc = add_part(p, fixed, steps, error);
        }
        if (rc == 0 && count < whole.most) {
            *here = (struct skr_unit_bounds){.least = count + 1, .most = whole.most};
            rc = add_part(p, fixed, steps, error);
        }
        *here = (struct skr_unit_bounds){.least = count, .most = count};
    }
    part_fini(&p->last);
    return rc;
}

/* The order of equal keys: the greater count of the first unit that differs, from the root down. */
static int compare_ties(const struct skr_tree *tree, const struct skr_solution *a,
                        const struct skr_solution *b)
{
    SKR_AUTO_FREE int64_t *more = skr_alloc_array((size_t)tree->n_units, sizeof *more);
    for (int32_t u = tree->n_units - 1; u > 0; u--) {
        if (u >= tree->first_leaf) {
            more[u] = a->count[u - tree->first_leaf] - b->count[u - tree->first_leaf];
        }
        more[tree->parent[u]] += more[u];
    }
    for (int32_t u = 1; u < tree->n_units; u++) {
        if (more[u] != 0) {
            return more[u] > 0 ? -1 : 1;
        }
    }
    return 0;
}

static struct part take_best(struct skr_placements *p)
{
    const struct skr_problem *problem = p->question->problem;
    size_t best = 0;
    for (size_t i = 1; i < p->n; i++) {
        const struct skr_solution *a = p->part[i].best, *b = p->part[best].best;
        const int order = skr_placement_compare(problem->tree, problem->rule, a->key, b->key);
        if (order < 0 || (order == 0 && compare_ties(problem->tree, a, b) < 0)) {
            best = i;
        }
    }
    const struct part part = p->part[best];
    p->part[best] = p->part[--p->n];
    return part;
}

int skr_placements_next(struct skr_placements *p, int64_t *steps, const struct skr_solution **ret,
                        bool *ret_all, struct skr_error *error)
{
    const struct skr_problem *problem = p->question->problem;
    int rc = 0;
    *ret = NULL;
    if (!p->begun) {
        p->begun = true;
        rc = add_part(p, NULL, steps, error);
    } else if (p->last.best && !problem->roles) {
        rc = split(p, steps, error);
    } else {
        part_fini(&p->last);
    }
    if (rc == 0 && p->n > 0 && *steps >= 0) {
        p->last = take_best(p);
        *ret = p->last.best;
    }
    *ret_all = p->all && *steps >= 0;
    return rc;
}
