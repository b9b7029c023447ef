/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/time/place_names.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/strbuf.h"

enum { PLACE_UNITS_SHOWN = 3 };

static int by_node(const void *a, const void *b)
{
    const struct skr_timeline_node *x = a, *y = b;
    return strcmp(x->name, y->name);
}

bool gathering_nodes(const struct gathering *in, const struct skr_place *place,
                     struct skr_timeline_nodes *ret)
{
    const struct skr_tree *tree = in->e->topology.tree;
    struct skr_timeline_node *node = skr_arena_array(in->arena, place->n + 1, sizeof *node);
    for (size_t i = 0; node && i < place->n; i++) {
        node[i] = (struct skr_timeline_node){
            .name = tree->unit_name[tree->first_leaf + place->at[i].leaf],
            .count = place->at[i].count};
    }
    if (node && place->n > 0) {
        qsort(node, place->n, sizeof *node, by_node);
    }
    *ret = (struct skr_timeline_nodes){.n = place->n, .node = node};
    return node;
}

const char *gathering_short_name(const struct gathering *in, const struct group *g,
                                 const char *name)
{
    const size_t own = strlen(g->namespace_);
    const bool same = strncmp(name, g->namespace_, own) == 0 && name[own] == '/';
    const char *from = same ? name + own + 1 : name;
    return skr_arena_strndup(in->arena, from, strcspn(from, "@"));
}

const char *gathering_place(const struct gathering *in, const struct skr_place *place)
{
    const struct skr_tree *tree = in->e->topology.tree;
    int32_t level = tree->n_levels, last = -1;
    size_t n = 0;
    SKR_STRBUF(b);
    for (size_t i = 1; i < place->n; i++) {
        while (level > 1 && skr_tree_unit_at(tree, place->at[i].leaf, level) !=
                                skr_tree_unit_at(tree, place->at[0].leaf, level)) {
            level--;
        }
    }
    for (size_t i = 0; i < place->n; i++) { /* leaves are in tree order */
        const int32_t unit = skr_tree_unit_at(tree, place->at[i].leaf, level);
        n += unit != last;
        if (unit != last && n <= PLACE_UNITS_SHOWN) {
            skr_strbuf_addf(&b, "%s%s", n > 1 ? "," : "", tree->unit_name[unit]);
        }
        last = unit;
    }
    if (n > PLACE_UNITS_SHOWN) {
        skr_strbuf_addf(&b, ",+%zu", n - PLACE_UNITS_SHOWN);
    }
    return skr_arena_strdup(in->arena, b.s);
}
