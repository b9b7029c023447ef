/* SPDX-License-Identifier: Apache-2.0 */
/* Describes clusters under the spread levels of Placements, and which Placements selected them, for
 * the page /ui. A decision takes one unit; the cluster with most decisions is full. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/frame/picture_places.h"
#include "core/placement/state.h"
#include "topology/base/arena.h"

/* The Placement with most spread constraints, the first by key among equals; NULL: none has any. */
static const struct skr_placement *model_of(const struct skr_placements *self)
{
    const struct skr_placement_entry *e, *next, *best = NULL;
    HASH_ITER(hh, self->entry, e, next)
    {
        const struct skr_placement *p = e->placement;
        if (!p || p->misconfigured[0] || p->n_constraints == 0) {
            continue;
        }
        if (!best || p->n_constraints > best->placement->n_constraints ||
            (p->n_constraints == best->placement->n_constraints && strcmp(e->key, best->key) < 0)) {
            best = e;
        }
    }
    return best ? best->placement : NULL;
}

static const char *short_name(const char *key)
{
    const char *slash = strrchr(key, '/');
    return slash && slash[1] != '\0' ? slash + 1 : key;
}

static int make_tree(const struct skr_placements *self, struct skr_tree **ret)
{
    const struct skr_placement *model = model_of(self);
    const char *level[SKR_SPREAD_LEVELS_MAX + 1];
    struct skr_error error = {0};
    const size_t n_levels = model ? model->n_constraints : 0;
    _Static_assert((int)SKR_SPREAD_LEVELS_MAX <= (int)SKR_PICTURE_LEVELS_MAX, "a part each");
    SKR_AUTO_FREE struct skr_picture_row *row = skr_alloc_array(self->n_clusters + 1, sizeof *row);
    for (size_t l = 0; l < n_levels; l++) {
        level[l] = short_name(model->constraint[l].key);
    }
    level[n_levels] = "cluster";
    for (size_t i = 0; i < self->n_clusters; i++) {
        const struct skr_managed_cluster *c = self->cluster[i];
        row[i].name = c->meta.name;
        for (size_t l = 0; l < n_levels; l++) {
            row[i].part[l] =
                skr_labels_get(model->constraint[l].of_claim ? &c->claims : &c->meta.labels,
                               model->constraint[l].key);
        }
    }
    return skr_picture_tree_of("clusters", level, n_levels, row, self->n_clusters, ret, &error);
}

static enum skr_picture_state state_of(const struct skr_managed_cluster *c)
{
    for (size_t i = 0; i < c->n_taints; i++) {
        if (strcmp(c->taint[i].key, SKR_OCM "unreachable") == 0 ||
            strcmp(c->taint[i].key, SKR_OCM "unavailable") == 0) {
            return SKR_PLACE_NOT_READY;
        }
    }
    return c->n_taints > 0 ? SKR_PLACE_CORDONED : SKR_PLACE_READY;
}

static void draw_clusters(const struct skr_placements *self, struct skr_picture *picture,
                          const struct skr_tree *tree)
{
    uint32_t most = 1;
    for (size_t i = 0; i < self->n_clusters; i++) {
        most = self->loads[i] > most ? self->loads[i] : most;
    }
    for (size_t i = 0; i < self->n_clusters; i++) {
        const int32_t leaf = skr_tree_find_leaf(tree, self->cluster[i]->meta.name);
        if (leaf >= 0) {
            skr_picture_place(picture, skr_picture_place_of(picture, leaf),
                              state_of(self->cluster[i]), most, self->loads[i], 0);
        }
    }
}

static void draw_placement(const struct skr_placement_entry *e, struct skr_picture *picture,
                           const struct skr_tree *tree)
{
    const struct skr_placement *p = e->placement;
    size_t n = 0;
    for (size_t i = 0; i < e->n_decisions; i++) {
        n += e->decision[i]->n;
    }
    const bool satisfied = p->satisfied.is_set && strcmp(p->satisfied.status, "True") == 0;
    const struct skr_placement_condition *why =
        p->misconfigured[0] ? &p->misconfiguration : &p->satisfied;
    const struct skr_picture_subject subject = {
        .namespace_ = p->meta.namespace_,
        .name = p->meta.name,
        .kind = "Placement",
        .status = p->misconfigured[0] ? "Misconfigured"
                  : satisfied         ? "Satisfied"
                                      : "Unsatisfied",
        .reason = satisfied || !why->is_set ? "" : why->reason,
        .sentence = satisfied || !why->is_set ? "" : why->message,
        .size = p->has_number ? p->number : (int64_t)n,
        .present = (int64_t)n,
        .bound = (int64_t)n,
        .each = 1,
    };
    const uint32_t number = skr_picture_subject(picture, &subject);
    skr_picture_unseat(picture, number);
    for (size_t i = 0; i < e->n_decisions; i++) {
        for (size_t k = 0; k < e->decision[i]->n; k++) {
            const int32_t leaf = skr_tree_find_leaf(tree, e->decision[i]->cluster[k]);
            if (leaf >= 0) {
                skr_picture_seat(picture, number, skr_picture_place_of(picture, leaf), 1, 1,
                                 SKR_SEAT_FIRM);
            }
        }
    }
}

int skr_placement_draw(void *object, skr_time now, struct skr_picture *picture,
                       enum skr_picture_news *ret_news, struct skr_strbuf *change)
{
    struct skr_placements *self = object;
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = NULL;
    const struct skr_placement_entry *e, *next;
    if (!skr_frame_is_synced(self->frame) || !skr_frame_is_leader(self->frame)) {
        return -SKR_RETRY;
    }
    skr_placements_sort(self);
    if (self->n_clusters == 0 || make_tree(self, &tree) < 0) {
        return -SKR_NOT_FOUND;
    }
    (void)skr_picture_begin(picture, tree, "decisions", now);
    draw_clusters(self, picture, tree);
    HASH_ITER(hh, self->entry, e, next)
    {
        if (e->placement) {
            draw_placement(e, picture, tree);
        }
    }
    *ret_news = skr_picture_end(picture, change);
    return 0;
}
