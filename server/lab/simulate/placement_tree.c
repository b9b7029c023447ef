/* SPDX-License-Identifier: Apache-2.0 */
/* Builds one row per decided cluster; place_tree.c draws them. */
#include "server/lab/simulate/placement_tree.h"

#include <stdlib.h>
#include <string.h>

#include "server/lab/simulate/place_tree.h"
#include "topology/base/arena.h"

enum { NAME_COLUMN = 28 };
_Static_assert(SKR_SPREAD_LEVELS_MAX + 1 <= SKR_PLACE_PARTS_MAX, "a part a level, and the cluster");

/* The row of a decided cluster: values from the first level on, then its name. */
static struct skr_place_row make_row(const struct skr_placement *placement,
                                     const struct skr_managed_cluster *cluster, const char *name,
                                     const char *decision)
{
    struct skr_place_row row = {
        .number = 1, .text = decision, .note = cluster ? NULL : "  (no such cluster)"};
    const size_t n_levels = placement->misconfigured[0] ? 0 : placement->n_constraints;
    bool missing = !cluster;
    for (size_t i = 0; i < n_levels; i++) {
        const struct skr_spread_constraint *c = &placement->constraint[i];
        const char *value =
            missing
                ? NULL
                : skr_labels_get(c->of_claim ? &cluster->claims : &cluster->meta.labels, c->key);
        missing = !value;
        row.part[row.n_parts++] = missing ? "<none>" : value[0] ? value : "\"\"";
    }
    row.part[row.n_parts++] = name;
    return row;
}

static void draw(const struct skr_placement *placement, const struct skr_placement_hub *hub,
                 bool ascii, struct skr_strbuf *out)
{
    struct skr_strbuf title;
    size_t n = 0, cap = 0;
    SKR_AUTO_FREE struct skr_place_row *row = NULL;
    for (size_t i = 0; i < hub->n_decisions; i++) {
        const struct skr_placement_decision *decision = hub->decision[i];
        for (size_t c = 0; c < decision->n; c++) {
            const int64_t at =
                skr_object_search(hub->cluster, hub->n_clusters, decision->cluster[c]);
            skr_grow(&row, &cap, n + 1, sizeof *row);
            row[n++] = make_row(placement, at < 0 ? NULL : hub->cluster[at], decision->cluster[c],
                                decision->meta.name);
        }
    }
    skr_strbuf_init(&title);
    skr_strbuf_addf(&title, "%s/%s", placement->meta.namespace_, placement->meta.name);
    skr_place_tree_write(title.s, row, n, NAME_COLUMN, ascii, out);
    skr_strbuf_fini(&title);
}

void skr_placement_tree_write(struct skr_fleet_input *input, const char *namespace_, bool ascii,
                              struct skr_strbuf *out)
{
    const struct skr_placement *placement;
    for (size_t i = 0; (placement = skr_placement_at(input, i)); i++) {
        const char *own = placement->meta.namespace_;
        struct skr_arena *arena = skr_arena_create(SKR_PLACEMENT_CYCLE_BYTES_MAX, 0);
        struct skr_placement_hub hub;
        struct skr_error error = {0};
        if (namespace_ && strcmp(namespace_, own) != 0) {
            skr_arena_destroy(arena);
            continue;
        }
        if (arena && skr_placement_hub(input, placement, arena, &hub, &error) == 0) {
            draw(placement, &hub, ascii, out);
        } else {
            skr_strbuf_addf(out, "%s/%s: too many objects\n", own, placement->meta.name);
        }
        skr_arena_destroy(arena);
    }
}
