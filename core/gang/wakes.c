/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wakes: a binary heap of (time, sequence). An entry names its target by key; a target that is gone
 * is skipped. The shell is asked for one timer, the earliest wake.
 */
#include "core/gang/wakes.h"

#include "core/gang/groups.h"

static bool wake_before(const struct wake *a, const struct wake *b)
{
    return a->at != b->at ? a->at < b->at : a->seq < b->seq;
}

void wakes_add(struct skr_gang *e, skr_time at, enum wake_kind kind, const char *key)
{
    if (at == SKR_TIME_NEVER) {
        return;
    }
    skr_grow(&e->wake, &e->cap_wakes, e->n_wakes + 1, sizeof *e->wake);
    struct wake w = {.at = at, .seq = e->wake_seq++, .kind = kind, .key = skr_strdup(key)};
    size_t i = e->n_wakes++;
    while (i > 0 && wake_before(&w, &e->wake[(i - 1) / 2])) {
        e->wake[i] = e->wake[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    e->wake[i] = w;
}

struct wake wakes_pop(struct skr_gang *e)
{
    struct wake top = e->wake[0];
    struct wake last = e->wake[--e->n_wakes];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= e->n_wakes) {
            break;
        }
        if (child + 1 < e->n_wakes && wake_before(&e->wake[child + 1], &e->wake[child])) {
            child++;
        }
        if (!wake_before(&e->wake[child], &last)) {
            break;
        }
        e->wake[i] = e->wake[child];
        i = child;
    }
    if (e->n_wakes > 0) {
        e->wake[i] = last;
    }
    return top;
}

void wakes_group(struct skr_gang *e, struct group *g, skr_time at)
{
    if (g->wake_at > e->now && g->wake_at <= at) {
        return;
    }
    g->wake_at = at;
    wakes_add(e, at, WAKE_GROUP, g->key);
}

void wakes_fini(struct skr_gang *e)
{
    for (size_t i = 0; i < e->n_wakes; i++) {
        free(e->wake[i].key);
    }
    free(e->wake);
}
