/* SPDX-License-Identifier: Apache-2.0 */
/* A growing list of keys; aborts without memory. */
#include "core/gang/report/desired_keys.h"

#include "topology/base/arena.h"

void skr_desired_keys_add(struct desired_keys *w, const char *key, const char *value)
{
    skr_grow(&w->item, &w->cap, w->n + 1, sizeof *w->item);
    w->item[w->n].key = key;
    w->item[w->n++].value = skr_strdup(value);
}

void skr_desired_keys_fini(struct desired_keys *w)
{
    for (size_t i = 0; i < w->n; i++) {
        free((void *)(uintptr_t)w->item[i].value);
    }
    free(w->item);
    *w = (struct desired_keys){0};
}
