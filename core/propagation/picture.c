/* SPDX-License-Identifier: Apache-2.0 */
/* Describes member clusters under provider, region and zone, and the replicas of bindings on them,
 * for the page /ui. The room of a cluster is the replicas that it has and the pods that are free. */
#include <stdlib.h>
#include <string.h>

#include "core/frame/picture_places.h"
#include "core/propagation/cluster.h"
#include "core/propagation/state.h"
#include "topology/base/arena.h"

static int make_tree(const struct skr_member_cluster *const *list, size_t n, struct skr_tree **ret)
{
    static const char *const level[] = {"provider", "region", "zone", "cluster"};
    struct skr_error error = {0};
    SKR_AUTO_FREE struct skr_picture_row *row = skr_alloc_array(n + 1, sizeof *row);
    for (size_t i = 0; i < n; i++) {
        row[i] = (struct skr_picture_row){.name = list[i]->meta.name,
                                          .part = {list[i]->provider, list[i]->region,
                                                   list[i]->n_zones > 0 ? list[i]->zone[0] : NULL}};
    }
    return skr_picture_tree_of("clusters", level, 3, row, n, ret, &error);
}

static enum skr_picture_state state_of(const struct skr_member_cluster *c)
{
    for (size_t i = 0; i < c->n_taints; i++) {
        if (strncmp(c->taint[i].key, "cluster.karmada.io/not-ready",
                    strlen("cluster.karmada.io/not-ready")) == 0 ||
            strncmp(c->taint[i].key, "cluster.karmada.io/unreachable",
                    strlen("cluster.karmada.io/unreachable")) == 0) {
            return SKR_PLACE_NOT_READY;
        }
    }
    return c->n_taints > 0 ? SKR_PLACE_CORDONED : SKR_PLACE_READY;
}

/* Replicas by leaf, of all bindings that are ours. An entry without a number counts as one. */
static int64_t *count_replicas(const struct skr_propagation *self, const struct skr_tree *tree)
{
    int64_t *used = skr_alloc_array((size_t)tree->n_leaves + 1, sizeof *used);
    const struct skr_binding_entry *e, *next;
    HASH_ITER(hh, self->binding, e, next)
    {
        const struct skr_binding *b = e->binding;
        for (size_t i = 0; skr_propagation_is_ours(self, b) && i < b->n_targets; i++) {
            const int32_t leaf = skr_tree_find_leaf(tree, b->target[i].name);
            if (leaf >= 0) {
                used[leaf] += b->target[i].has_replicas ? b->target[i].replicas : 1;
            }
        }
    }
    return used;
}

static void draw_clusters(const struct skr_member_cluster *const *list, size_t n,
                          const int64_t *used, struct skr_picture *picture,
                          const struct skr_tree *tree)
{
    int64_t most = 1;
    for (int32_t i = 0; i < tree->n_leaves; i++) {
        most = used[i] > most ? used[i] : most;
    }
    for (size_t i = 0; i < n; i++) {
        const int32_t leaf = skr_tree_find_leaf(tree, list[i]->meta.name);
        if (leaf < 0) {
            continue;
        }
        const int64_t room =
            list[i]->has_summary && list[i]->free_pods > 0 ? list[i]->free_pods : 0;
        const int64_t all = list[i]->has_summary ? used[leaf] + room : most;
        skr_picture_place(picture, skr_picture_place_of(picture, leaf), state_of(list[i]), all,
                          used[leaf], room);
    }
}

static void draw_binding(const struct skr_binding *b, struct skr_picture *picture,
                         const struct skr_tree *tree)
{
    int64_t placed = 0;
    for (size_t i = 0; i < b->n_targets; i++) {
        placed += b->target[i].has_replicas ? b->target[i].replicas : 1;
    }
    const bool scheduled = strcmp(b->condition_status, "True") == 0;
    const struct skr_picture_subject subject = {
        .namespace_ = b->meta.namespace_,
        .name = b->meta.name,
        .kind = b->meta.namespace_[0] != '\0' ? "ResourceBinding" : "ClusterResourceBinding",
        .status = scheduled                ? "Scheduled"
                  : b->condition_status[0] ? "Unscheduled"
                                           : "Waiting",
        .reason = scheduled ? "" : b->condition_reason,
        .sentence = scheduled ? "" : b->condition_message,
        .size = b->replicas > 0 ? b->replicas : placed,
        .present = placed,
        .bound = placed,
        .priority = b->priority,
        .each = 1,
        .since = b->condition_since,
    };
    const uint32_t number = skr_picture_subject(picture, &subject);
    skr_picture_unseat(picture, number);
    for (size_t i = 0; i < b->n_targets; i++) {
        const int32_t leaf = skr_tree_find_leaf(tree, b->target[i].name);
        const int32_t replicas = b->target[i].has_replicas ? b->target[i].replicas : 1;
        if (leaf >= 0 && replicas > 0) {
            const bool leaves = skr_binding_is_evicting(b, b->target[i].name);
            skr_picture_seat(picture, number, skr_picture_place_of(picture, leaf), replicas,
                             replicas, leaves ? SKR_SEAT_PLANNED : SKR_SEAT_FIRM);
        }
    }
}

int skr_propagation_draw(void *object, skr_time now, struct skr_picture *picture,
                         enum skr_picture_news *ret_news, struct skr_strbuf *change)
{
    struct skr_propagation *self = object;
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = NULL;
    const struct skr_binding_entry *e, *next;
    size_t n;
    if (!skr_frame_is_synced(self->frame) || !skr_frame_is_leader(self->frame)) {
        return -SKR_RETRY;
    }
    const struct skr_member_cluster *const *list = skr_propagation_clusters(self, &n);
    if (n == 0 || make_tree(list, n, &tree) < 0) {
        return -SKR_NOT_FOUND;
    }
    SKR_AUTO_FREE int64_t *used = count_replicas(self, tree);
    (void)skr_picture_begin(picture, tree, "replicas", now);
    draw_clusters(list, n, used, picture, tree);
    HASH_ITER(hh, self->binding, e, next)
    {
        if (skr_propagation_is_ours(self, e->binding)) {
            draw_binding(e->binding, picture, tree);
        }
    }
    *ret_news = skr_picture_end(picture, change);
    return 0;
}
