/* SPDX-License-Identifier: Apache-2.0 */
/* Rows sorted by place: what a row shares with the one before is drawn already. */
#include "server/lab/simulate/placement_tree.h"

#include <stdlib.h>
#include <string.h>

#include "server/render/page.h"
#include "topology/base/arena.h"

enum { PARTS_MAX = SKR_SPREAD_LEVELS_MAX + 1, NAME_COLUMN = 28 };

/* A cluster that a decision names. */
struct row {
    size_t n_parts;
    const char *part[PARTS_MAX]; /* values from the first level on, then the cluster's name */
    const char *decision;
    bool unknown; /* no such ManagedCluster */
};

static int by_place(const void *a, const void *b)
{
    const struct row *s = a, *t = b;
    int order = 0;
    for (size_t i = 0; order == 0 && i < s->n_parts; i++) {
        order = strcmp(s->part[i], t->part[i]);
    }
    return order != 0 ? order : strcmp(s->decision, t->decision);
}

/* How many of the first parts both have. */
static size_t shared(const struct row *a, const struct row *b)
{
    size_t n = 0;
    while (n < a->n_parts && strcmp(a->part[n], b->part[n]) == 0) {
        n++;
    }
    return n;
}

static struct row make_row(const struct skr_placement *placement,
                           const struct skr_managed_cluster *cluster, const char *name,
                           const char *decision)
{
    struct row row = {.decision = decision, .unknown = !cluster};
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

/* ---- lines ---- */

struct drawing {
    struct skr_strbuf *out;
    bool ascii;
    bool last[PARTS_MAX]; /* nothing follows below the same domain */
};

/* depth 0: the title */
static void begin_line(const struct drawing *d, size_t depth, const char *name)
{
    char *word = skr_page_word(name);
    const size_t used = 2 * depth + skr_page_width(word);
    for (size_t i = 0; i + 1 < depth; i++) {
        skr_strbuf_add(d->out, d->last[i] ? "  " : d->ascii ? "| " : "\u2502 ");
    }
    if (depth > 0) {
        const bool last = d->last[depth - 1];
        skr_strbuf_add(d->out,
                       d->ascii ? (last ? "\\-" : "|-") : (last ? "\u2514\u2500" : "\u251c\u2500"));
    }
    skr_strbuf_add(d->out, word);
    skr_page_pad(d->out, used < NAME_COLUMN ? NAME_COLUMN - used : 2);
    free(word);
}

/* Row i and the domains that begin with it. */
static void draw_row(struct drawing *d, const struct row *row, size_t n, size_t i)
{
    const size_t n_parts = row[i].n_parts;
    const size_t from = i > 0 ? shared(&row[i - 1], &row[i]) : 0;
    for (size_t level = from < n_parts ? from : n_parts - 1; level < n_parts; level++) {
        size_t end = i + 1;
        while (end < n && level + 1 < n_parts && shared(&row[i], &row[end]) > level) {
            end++;
        }
        d->last[level] = end == n || shared(&row[i], &row[end]) < level;
        begin_line(d, level + 1, row[i].part[level]);
        if (level + 1 < n_parts) {
            skr_strbuf_addf(d->out, "%zu\n", end - i);
        } else {
            skr_page_add_clean(d->out, row[i].decision, false);
            skr_strbuf_add(d->out, row[i].unknown ? "  (no such cluster)\n" : "\n");
        }
    }
}

/* ---- Placements ---- */

static void draw(const struct skr_placement *placement, const struct skr_placement_hub *hub,
                 bool ascii, struct skr_strbuf *out)
{
    struct drawing d = {.out = out, .ascii = ascii};
    struct skr_strbuf title;
    size_t n = 0, cap = 0;
    struct row *row = NULL;
    for (size_t i = 0; i < hub->n_decisions; i++) {
        const struct skr_placement_decision *decision = hub->decision[i];
        for (size_t c = 0; c < decision->n; c++) {
            const int64_t at = skr_placement_hub_find(hub, decision->cluster[c]);
            skr_grow(&row, &cap, n + 1, sizeof *row);
            row[n++] = make_row(placement, at < 0 ? NULL : hub->cluster[at], decision->cluster[c],
                                decision->meta.name);
        }
    }
    if (n > 1) {
        qsort(row, n, sizeof *row, by_place);
    }
    skr_strbuf_init(&title);
    skr_strbuf_addf(&title, "%s/%s",
                    placement->meta.namespace_[0] ? placement->meta.namespace_ : "default",
                    placement->meta.name);
    begin_line(&d, 0, title.s);
    skr_strbuf_addf(out, "%zu\n", n);
    for (size_t i = 0; i < n; i++) {
        draw_row(&d, row, n, i);
    }
    skr_strbuf_fini(&title);
    free(row);
}

void skr_placement_tree_write(struct skr_placement_world *world, const char *namespace_, bool ascii,
                              struct skr_strbuf *out)
{
    const struct skr_placement *placement;
    for (size_t i = 0; (placement = skr_placement_world_at(world, i)); i++) {
        const char *own = placement->meta.namespace_[0] ? placement->meta.namespace_ : "default";
        struct skr_arena *arena = skr_arena_create(SKR_PLACEMENT_CYCLE_BYTES_MAX, 0);
        struct skr_placement_hub hub;
        struct skr_error error = {0};
        if (namespace_ && strcmp(namespace_, own) != 0) {
            skr_arena_destroy(arena);
            continue;
        }
        if (arena && skr_placement_world_hub(world, placement, arena, &hub, &error) == 0) {
            draw(placement, &hub, ascii, out);
        } else {
            skr_strbuf_addf(out, "%s/%s: too many objects\n", own, placement->meta.name);
        }
        skr_arena_destroy(arena);
    }
}
