/* SPDX-License-Identifier: Apache-2.0 */
/* Describes nodes by class, and the pods of workloads on them, for the page /ui. */
#include <stdio.h>
#include <stdlib.h>

#include "core/frame/picture_places.h"
#include "core/spotmix/object.h"
#include "core/spotmix/page.h"
#include "core/spotmix/view.h"
#include "topology/base/arena.h"

static int make_tree(const struct skr_spotmix_node_row *node, size_t n, struct skr_tree **ret)
{
    static const char *const level[] = {"class", "node"};
    struct skr_error error = {0};
    SKR_AUTO_FREE struct skr_picture_row *row = skr_alloc_array(n + 1, sizeof *row);
    for (size_t i = 0; i < n; i++) {
        row[i] = (struct skr_picture_row){.name = node[i].name,
                                          .part = {skr_spotmix_class_name[node[i].class_]}};
    }
    return skr_picture_tree_of("classes", level, 1, row, n, ret, &error);
}

static void draw_workload(const struct skr_spotmix *mix, const struct skr_spotmix_row *row,
                          struct skr_picture *picture, const struct skr_tree *tree)
{
    char detail[160], max[24];
    const size_t *actual = row->actual;
    const int64_t *desired = row->desired;
    struct skr_spotmix_pod_row *pod;
    (void)snprintf(max, sizeof max, "%lld", (long long)row->rule.max);
    (void)snprintf(detail, sizeof detail,
                   "max %s, on-demand %zu of %lld, spot %zu of %lld, drift %zu",
                   row->rule.all ? "all" : max, actual[SKR_SPOTMIX_ON_DEMAND],
                   (long long)desired[SKR_SPOTMIX_ON_DEMAND], actual[SKR_SPOTMIX_SPOT],
                   (long long)desired[SKR_SPOTMIX_SPOT], row->drift);
    const size_t live = actual[SKR_SPOTMIX_ON_DEMAND] + actual[SKR_SPOTMIX_SPOT];
    const struct skr_picture_subject subject = {
        .namespace_ = row->namespace_,
        .name = row->name,
        .kind = skr_spotmix_types[row->kind]->resource->kind,
        .status = row->drift > 0 ? "Drift" : "AsWanted",
        .reason = row->reason ? row->reason : "",
        .detail = detail,
        .size = row->replicas,
        .present = (int64_t)live,
        .bound = (int64_t)(live - (row->drift < live ? row->drift : live)),
        .each = 1,
    };
    const uint32_t number = skr_picture_subject(picture, &subject);
    skr_picture_unseat(picture, number);
    const size_t n = skr_spotmix_pod_rows(mix, row->key, &pod);
    for (size_t i = 0; i < n; i++) {
        const int32_t leaf = *pod[i].node ? skr_tree_find_leaf(tree, pod[i].node) : -1;
        if (leaf >= 0) {
            skr_picture_seat(picture, number, skr_picture_place_of(picture, leaf), 1, 1,
                             SKR_SEAT_FIRM);
        }
    }
    free(pod);
}

bool skr_spotmix_draw(const struct skr_spotmix *mix, skr_time now, struct skr_picture *picture,
                      enum skr_picture_news *ret_news, struct skr_strbuf *change)
{
    SKR_AUTO_FREE struct skr_spotmix_node_row *node = NULL;
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = NULL;
    const size_t n_nodes = skr_spotmix_node_rows(mix, &node);
    size_t most = 1;
    if (n_nodes == 0 || make_tree(node, n_nodes, &tree) < 0) {
        return false;
    }
    SKR_AUTO_FREE struct skr_spotmix_row *row = NULL;
    (void)skr_picture_begin(picture, tree, "pods", now);
    for (size_t i = 0; i < n_nodes; i++) {
        most = node[i].pods > most ? node[i].pods : most;
    }
    for (size_t i = 0; i < n_nodes; i++) {
        const int32_t leaf = skr_tree_find_leaf(tree, node[i].name);
        if (leaf >= 0) {
            skr_picture_place(picture, skr_picture_place_of(picture, leaf), SKR_PLACE_READY,
                              (int64_t)most, (int64_t)node[i].pods, 0);
        }
    }
    const size_t n = skr_spotmix_rows(mix, &row);
    for (size_t i = 0; i < n; i++) {
        draw_workload(mix, &row[i], picture, tree);
    }
    *ret_news = skr_picture_end(picture, change);
    return true;
}
