/* SPDX-License-Identifier: Apache-2.0 */
/* Writes groups as a list, or one of them: /v1/groups, /v1/groups/NAMESPACE/NAME. In byte order of
 * namespace, then name. */
#include "core/gang/group/group_table.h"
#include "core/gang/state/map_entry.h"
#include "core/gang/state/pages.h"
#include "core/gang/view/view.h"

#include <string.h>

static int by_key(const void *a, const void *b)
{
    const struct group *g = *(const struct group *const *)a, *h = *(const struct group *const *)b;
    const int c = strcmp(g->namespace_, h->namespace_);
    return c ? c : strcmp(g->name, h->name);
}

static const struct skr_labels *labels_of(const struct group *g)
{
    static const struct skr_labels none = {0};
    if (g->source.kind == SOURCE_MAP && g->source.map) {
        return &g->source.map->map->meta.labels;
    }
    return g->source.kind == SOURCE_PODGROUP && g->source.podgroup
               ? &g->source.podgroup->pg->meta.labels
               : &none;
}

static bool is_wanted(const struct view *v, const struct group *g)
{
    const char *namespace_ = v->query->argument[SKR_VIEW_NAMESPACE];
    if (namespace_ && *namespace_ && strcmp(namespace_, g->namespace_) != 0) {
        return false;
    }
    return !v->query->selects || v->query->selects(v->query->context, labels_of(g));
}

static int write_list(struct view *v)
{
    size_t n = 0;
    SKR_AUTO_FREE const struct group **list =
        skr_alloc_array(HASH_COUNT(v->e->groups) + 1, sizeof *list);
    const struct group *g, *tmp;
    HASH_ITER(hh, v->e->groups, g, tmp)
    {
        if (is_wanted(v, g)) {
            list[n++] = g;
        }
    }
    qsort(list, n, sizeof *list, by_key);
    skr_json_open(&v->w, NULL, '{');
    skr_view_head(v, "GroupList");
    skr_json_open(&v->w, "items", '[');
    for (size_t i = 0; i < n && !skr_view_must_end(v); i++) {
        skr_json_open(&v->w, NULL, '{');
        skr_view_group(v, list[i], VIEW_SUMMARY);
        skr_json_close(&v->w, '}');
    }
    skr_json_close(&v->w, ']');
    skr_json_close(&v->w, '}');
    return 200;
}

/* The group of rest "NAMESPACE/NAME"; NULL if there is none (the refusal is written and *ret_code
 * set). */
static struct group *view_find_group(struct view *v, const char *rest, int *ret_code)
{
    const char *slash = strchr(rest, '/');
    struct map_entry *m;
    struct group *g = NULL;
    if (!slash || slash == rest || !slash[1]) {
        *ret_code = skr_view_refuse(v, 404, "a group is asked for as NAMESPACE/NAME");
    } else if (!(g = skr_groups_find_named(v->e, rest, &m))) {
        *ret_code = skr_view_refuse(v, 404, "no group \"%.100s\" in namespace \"%.*s\"", slash + 1,
                                    (int)(slash - rest < 100 ? slash - rest : 100), rest);
    }
    return g;
}

int skr_view_groups(struct view *v, const char *rest)
{
    int code = 200;
    if (!*rest) {
        return write_list(v);
    }
    const struct group *g = view_find_group(v, rest, &code);
    if (!g) {
        return code;
    }
    skr_json_open(&v->w, NULL, '{');
    skr_view_head(v, "Group");
    skr_view_group(v, g, VIEW_WHOLE);
    skr_json_close(&v->w, '}');
    return 200;
}
