/* SPDX-License-Identifier: Apache-2.0 */
/* A log of nodes whose counts are void; each of the needs knows up to where it has read it. */
#include "core/gang/cache/device_counts.h"

#include "core/gang/cache/device_needs.h"
#include "core/gang/cache/nodes.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { LOG_MAX = 4096 };

struct device_counts {
    struct device_needs *needs; /* the ones used last at the end */
    size_t n_counts;            /* of all needs */
    bool supposing;
    uint32_t *log; /* numbers of nodes */
    size_t n_log, cap_log;
    uint64_t log_begin;
};

void skr_device_counts_init(struct skr_gang *e)
{
    e->devices.counts = skr_alloc(sizeof *e->devices.counts);
}

static uint64_t log_end(const struct skr_gang *e)
{
    return e->devices.counts->log_begin + e->devices.counts->n_log;
}

void skr_device_counts_void(struct skr_gang *e, const char *node)
{
    const struct node_entry *n = node ? skr_nodes_find(e, node) : NULL;
    if (node && !n) {
        return; /* its counts are void when it comes: it gets another number */
    }
    if (!node || e->devices.counts->n_log == LOG_MAX) {
        e->devices.counts->log_begin = log_end(e) + 1;
        e->devices.counts->n_log = 0;
    } else {
        skr_grow(&e->devices.counts->log, &e->devices.counts->cap_log, e->devices.counts->n_log + 1,
                 sizeof *e->devices.counts->log);
        e->devices.counts->log[e->devices.counts->n_log++] = n->number;
    }
}

bool skr_device_counts_are_complete(const struct skr_gang *e, const struct device_needs *needs,
                                    bool differ)
{
    return needs->entered && needs->complete[differ] == log_end(e) + 1 &&
           needs->complete_tree[differ] == e->topology.tree;
}

void skr_device_counts_set_complete(struct skr_gang *e, struct device_needs *needs, bool differ)
{
    needs->own = needs->long_ = false;
    for (size_t i = 0; i < needs->n_counts; i++) {
        const struct device_count *count = &needs->count[i];
        needs->own = needs->own || (count->known && count->own);
        needs->long_ = needs->long_ || (count->known && count->long_);
    }
    needs->complete[differ] = log_end(e) + 1;
    needs->complete_tree[differ] = e->topology.tree;
}

void skr_device_counts_suppose(struct skr_gang *e, bool supposing)
{
    e->devices.counts->supposing = supposing;
}

/* Forgets what the log says. */
static void read_log(struct skr_gang *e, struct device_needs *needs)
{
    if (needs->seen == log_end(e)) {
        return;
    }
    if (needs->seen < e->devices.counts->log_begin) {
        for (size_t i = 0; i < needs->n_counts; i++) {
            needs->count[i].known = 0;
        }
        needs->seen = e->devices.counts->log_begin;
    }
    for (uint64_t i = needs->seen - e->devices.counts->log_begin; i < e->devices.counts->n_log;
         i++) {
        if (e->devices.counts->log[i] < needs->n_counts) {
            needs->count[e->devices.counts->log[i]].known = 0;
        }
    }
    needs->seen = log_end(e);
}

struct device_count *skr_device_counts_at(struct skr_gang *e, struct device_needs *needs,
                                          const char *node)
{
    const struct node_entry *n =
        needs->entered && !e->devices.counts->supposing ? skr_nodes_find(e, node) : NULL;
    if (!n) {
        return NULL;
    }
    read_log(e, needs);
    if (n->number >= needs->n_counts) {
        const size_t was = needs->n_counts;
        skr_grow(&needs->count, &needs->cap_counts, (size_t)n->number + 1, sizeof *needs->count);
        memset(&needs->count[was], 0, (n->number + 1 - was) * sizeof *needs->count);
        needs->n_counts = (size_t)n->number + 1;
        e->devices.counts->n_counts += needs->n_counts - was;
    }
    return &needs->count[n->number];
}

static void needs_free(struct skr_gang *e, struct device_needs *needs)
{
    if (needs->entered) {
        DL_DELETE(e->devices.counts->needs, needs);
        e->devices.counts->n_counts -= needs->n_counts;
    }
    for (size_t i = 0; i < needs->n; i++) {
        skr_device_shape_fini(e, &needs->shape[i]);
    }
    free(needs->count);
    free(needs);
}

struct device_needs *skr_device_counts_enter(struct skr_gang *e, struct device_needs *made)
{
    struct device_needs *found;
    DL_FOREACH(e->devices.counts->needs, found)
    {
        if (skr_devices_needs_equal(found, made)) {
            needs_free(e, made);
            found->refs++;
            DL_DELETE(e->devices.counts->needs, found);
            DL_APPEND(e->devices.counts->needs, found);
            return found;
        }
    }
    made->entered = true;
    made->seen = log_end(e);
    DL_APPEND(e->devices.counts->needs, made);
    return made;
}

void skr_device_counts_rest(struct skr_gang *e, struct device_needs *needs)
{
    struct device_needs *old, *next;
    size_t unused = 0;
    if (!needs->entered) {
        needs_free(e, needs);
        return;
    }
    DL_FOREACH(e->devices.counts->needs, old)
    {
        unused += old->refs == 0;
    }
    DL_FOREACH_SAFE(e->devices.counts->needs, old, next)
    {
        if (old->refs == 0 &&
            (unused > SKR_COUNTS_UNUSED_MAX || e->devices.counts->n_counts > SKR_COUNTS_MAX)) {
            unused--;
            needs_free(e, old);
        }
    }
}

void skr_device_counts_fini(struct skr_gang *e)
{
    while (e->devices.counts->needs) {
        needs_free(e, e->devices.counts->needs);
    }
    free(e->devices.counts->log);
    free(e->devices.counts);
}
