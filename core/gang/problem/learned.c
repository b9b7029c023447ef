/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/problem/learned.h"

#include "core/gang/cache/device_pools.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/problem/problem_roles.h"

#include <stdlib.h>

size_t skr_learned_count(struct skr_gang *e, struct group *g, struct pod_entry *const *newcomers,
                         size_t n)
{
    const struct shapes shapes = skr_shapes_of(newcomers, n);
    const char *why;
    struct device_needs *needs = skr_devices_explain(e, newcomers, n, &why);
    bool any = needs;
    bool shared = false;
    for (size_t i = 0; needs && i < needs->n; i++) {
        shared = shared || needs->shape[i].shared != 0;
    }
    const size_t joint = g->roles.n > 1 && needs && !shared;
    g->uncounted = skr_devices_uncounted(why);
    skr_devices_needs_unref(e, needs);
    for (size_t i = 0; i < shapes.n && g->vetoes.n > 0; i++) {
        any = any || skr_vetoes_have_counted(e, g, shapes.item[i]);
    }
    return !any ? 0 : skr_problem_by_roles(g, newcomers, n) ? g->roles.n + joint : 1;
}

void skr_learned_open(struct skr_gang *e, const struct group *g, struct pod_entry *const *newcomers,
                      size_t n, size_t n_learned, struct skr_learned *ret)
{
    SKR_AUTO_FREE struct pod_entry **list =
        n_learned > 0 ? skr_alloc_array(n + 1, sizeof *list) : NULL;
    *ret = (struct skr_learned){.n = n_learned};
    for (size_t k = 0; k < n_learned; k++) {
        struct skr_learned_part *part = &ret->of[k];
        const bool joint = n_learned > 1 && k == g->roles.n;
        for (size_t i = 0; i < n; i++) {
            if (n_learned == 1 || joint || newcomers[i]->role == k) {
                list[part->n++] = newcomers[i];
            }
        }
        part->shapes = skr_shapes_of(list, joint ? 0 : part->n);
        part->needs = skr_devices_needs(e, list, part->n);
        part->devices = joint && part->needs && part->needs->n > 1;
        part->pools = skr_device_pools_most(e, g, part->needs);
        part->pools_ever = skr_device_pools_ever(e, part->needs);
    }
}

void skr_learned_note(struct group *g, const struct skr_learned *learned)
{
    for (size_t k = 0; k < learned->n; k++) {
        const struct device_needs *needs = learned->of[k].needs;
        g->uncounted = needs && needs->uncounted ? needs->uncounted : g->uncounted;
    }
}

void skr_learned_close(struct skr_gang *e, struct skr_learned *learned)
{
    for (size_t k = 0; k < learned->n; k++) {
        skr_devices_needs_unref(e, learned->of[k].needs);
    }
}

int64_t skr_learned_of(struct skr_gang *e, const struct group *g,
                       const struct skr_learned_part *part, const struct node_entry *node,
                       bool guess)
{
    if (part->devices) {
        const int32_t devices = skr_devices_free(e, g, part->needs, node->name, false);
        return devices == INT32_MAX ? SKR_ROOM_UNLIMITED : devices;
    }
    int32_t most = part->needs ? skr_devices_most(e, g, part->needs, node->name) : INT32_MAX;
    most = part->pools < most ? part->pools : most;
    for (size_t i = 0; i < part->shapes.n; i++) {
        int32_t one = skr_vetoes_most(e, g, part->shapes.item[i], node->name);
        if (one == INT32_MAX && guess && node->node) {
            one = skr_vetoes_guess(e, g, part->shapes.item[i], node->node);
        }
        most = one < most ? one : most;
    }
    return most == INT32_MAX ? SKR_ROOM_UNLIMITED : most;
}

int64_t skr_learned_ever(struct skr_gang *e, const struct skr_learned_part *part,
                         const struct node_entry *node, int64_t now)
{
    if (part->devices) {
        const int32_t devices = skr_devices_free(e, NULL, part->needs, node->name, true);
        return devices == INT32_MAX || now == SKR_ROOM_UNLIMITED ? SKR_ROOM_UNLIMITED
               : now > devices                                   ? now
                                                                 : devices;
    }
    if (part->needs && part->needs->n > 1) {
        return SKR_ROOM_UNLIMITED; /* the least of members that differ is no bound of all */
    }
    int32_t most = part->needs ? skr_devices_most_ever(e, part->needs, node->name) : INT32_MAX;
    most = part->pools_ever < most ? part->pools_ever : most;
    return most == INT32_MAX || now == SKR_ROOM_UNLIMITED ? SKR_ROOM_UNLIMITED
           : now > most                                   ? now
                                                          : most;
}
