/* SPDX-License-Identifier: Apache-2.0 */
/* Draws rows of cells; columns are as wide as the widest name and the widest row. */
#include "server/lab/report/picture.h"

#include <stdlib.h>
#include <string.h>

#include "server/render/page.h"

enum cell { CELL_USED, CELL_FREE, CELL_PLACED, CELL_VICTIM, CELL_UNUSABLE };

static const char *glyph(bool ascii, enum cell cell)
{
    static const char *const utf8[] = {"█", "░", "▒", "x", "·"};
    static const char *const plain[] = {"#", ".", "%", "x", ":"};
    return ascii ? plain[cell] : utf8[cell];
}

enum { BEFORE_WIDTH_MIN = 18, NAME_WIDTH_MIN = 12, GAP = 4 };

/* Slots that the members on a leaf take. */
static int32_t taken_on(const struct skr_picture *p, int32_t leaf)
{
    int32_t n = 0;
    for (size_t r = 0; r < p->n_roles; r++) {
        n += p->role[r].cells[leaf];
    }
    return p->n_roles > 0 ? n : p->leaf[leaf].placed;
}

/* Slots of a row: of the empty node, or those of its members if they are more. */
static int32_t slots_on(const struct skr_picture *p, int32_t leaf)
{
    const int32_t slots = p->leaf[leaf].slots;
    const int32_t taken = p->n_roles > 0 ? taken_on(p, leaf) : 0;
    return taken > slots ? taken : slots;
}

int32_t skr_picture_scale(const struct skr_picture *picture)
{
    int32_t most = 0;
    for (int32_t i = 0; i < picture->tree->n_leaves; i++) {
        const int32_t slots = slots_on(picture, i);
        most = slots > most ? slots : most;
    }
    return most <= SKR_PICTURE_CELLS_MAX
               ? 1
               : (most + SKR_PICTURE_CELLS_MAX - 1) / SKR_PICTURE_CELLS_MAX;
}

static bool is_touched(const struct skr_picture_leaf *leaf)
{
    return leaf->placed > 0 || leaf->victims > 0;
}

static bool is_drawn(const struct skr_picture *p, int32_t leaf)
{
    return p->tree->n_leaves <= SKR_PICTURE_NODES_MAX || is_touched(&p->leaf[leaf]);
}

/* Cells for slots: rounded, at least one if there are any, at most room. */
static int32_t cells_of(int32_t slots, int32_t scale, int32_t room)
{
    int32_t n = (slots + scale / 2) / scale;
    n = slots > 0 && n == 0 ? 1 : n;
    return n < room ? n : room;
}

static void add_cells(const struct skr_picture *p, enum cell cell, int32_t n,
                      struct skr_strbuf *out)
{
    for (int32_t i = 0; i < n; i++) {
        skr_strbuf_add(out, glyph(p->ascii, cell));
    }
}

static int32_t width_of(const struct skr_picture *p, int32_t leaf, int32_t scale)
{
    const int32_t slots = slots_on(p, leaf);
    return slots > 0 ? (slots + scale - 1) / scale : 0;
}

/* n cells of what is placed; of several roles their letters, in order. */
static void add_placed(const struct skr_picture *p, int32_t leaf, int32_t scale, int32_t n,
                       struct skr_strbuf *out)
{
    if (p->n_roles == 0) {
        add_cells(p, CELL_PLACED, n, out);
    }
    for (size_t r = 0; r < p->n_roles; r++) {
        const int32_t cells = cells_of(p->role[r].cells[leaf], scale, n);
        for (int32_t i = 0; i < cells; i++) {
            skr_strbuf_addc(out, p->role[r].letter);
        }
        n -= cells;
    }
    for (; p->n_roles > 0 && n > 0; n--) {
        skr_strbuf_addc(out, p->role[p->n_roles - 1].letter);
    }
}

/* Used, placed, rest; the rest is free or unusable. */
static void draw_row(const struct skr_picture *p, int32_t i, int32_t scale, bool after,
                     struct skr_strbuf *out)
{
    const struct skr_picture_leaf *leaf = &p->leaf[i];
    int32_t room = width_of(p, i, scale);
    int32_t placed = after ? cells_of(taken_on(p, i), scale, room) : 0;
    int32_t victims = after ? 0 : cells_of(leaf->victims, scale, room);
    int32_t used = leaf->slots - leaf->free - leaf->victims;
    used = cells_of(used > 0 ? used : 0, scale, room - placed - victims);
    add_cells(p, CELL_USED, used, out);
    add_cells(p, CELL_VICTIM, victims, out);
    add_placed(p, i, scale, placed, out);
    add_cells(p, leaf->unusable ? CELL_UNUSABLE : CELL_FREE, room - used - placed - victims, out);
}

struct layout {
    int32_t scale, name_width, before_width;
};

static struct layout measure(const struct skr_picture *p)
{
    struct layout layout = {skr_picture_scale(p), NAME_WIDTH_MIN, BEFORE_WIDTH_MIN};
    const struct skr_tree *t = p->tree;
    for (int32_t i = 0; i < t->n_leaves; i++) {
        int32_t cells = width_of(p, i, layout.scale) + GAP;
        int32_t name =
            2 * (t->n_levels - 1) + (int32_t)strlen(t->unit_name[t->first_leaf + i]) + GAP;
        if (is_drawn(p, i)) {
            layout.before_width = cells > layout.before_width ? cells : layout.before_width;
            layout.name_width = name > layout.name_width ? name : layout.name_width;
        }
    }
    return layout;
}

static void draw_leaf(const struct skr_picture *p, const struct layout *layout, int32_t i,
                      struct skr_strbuf *out)
{
    const struct skr_tree *t = p->tree;
    const struct skr_picture_leaf *leaf = &p->leaf[i];
    const char *name = t->unit_name[t->first_leaf + i];
    int32_t indent = 2 * (t->n_levels - 1);
    skr_page_pad(out, (size_t)indent);
    skr_strbuf_add(out, name);
    if (slots_on(p, i) == 0) {
        skr_strbuf_addc(out, '\n');
        return;
    }
    skr_page_pad(out, (size_t)(layout->name_width - indent - (int32_t)strlen(name)));
    draw_row(p, i, layout->scale, false, out);
    skr_page_pad(out, (size_t)(layout->before_width - width_of(p, i, layout->scale)));
    draw_row(p, i, layout->scale, true, out);
    if (leaf->placed > 0) {
        skr_strbuf_addf(out, "   +%d", leaf->placed);
    }
    if (leaf->placed > 0 && p->note) {
        p->note(p->context, i, out);
    }
    skr_strbuf_addc(out, '\n');
}

/* Names the domains above a leaf that are not named yet, from the top. */
static void draw_domains(const struct skr_picture *p, int32_t leaf, int32_t *shown,
                         struct skr_strbuf *out)
{
    const struct skr_tree *t = p->tree;
    int32_t path[SKR_LEVELS_MAX + 1];
    int32_t unit = t->parent[t->first_leaf + leaf];
    for (int32_t level = t->n_levels - 1; level > 0; level--) {
        path[level] = unit;
        unit = t->parent[unit];
    }
    for (int32_t level = 1; level < t->n_levels; level++) {
        if (shown[level] != path[level]) {
            skr_page_pad(out, (size_t)(2 * (level - 1)));
            skr_strbuf_addf(out, "%s\n", t->unit_name[path[level]]);
            shown[level] = path[level];
        }
    }
}

void skr_picture_draw(const struct skr_picture *picture, struct skr_strbuf *out)
{
    const struct skr_picture *p = picture;
    struct layout layout = measure(p);
    int32_t shown[SKR_LEVELS_MAX + 1];
    int32_t left_out = 0;
    for (int32_t i = 0; i <= SKR_LEVELS_MAX; i++) {
        shown[i] = -1;
    }
    skr_page_pad(out, (size_t)layout.name_width);
    skr_strbuf_add(out, "BEFORE");
    skr_page_pad(out, (size_t)(layout.before_width - (int32_t)strlen("BEFORE")));
    skr_strbuf_add(out, "AFTER\n");
    for (int32_t i = 0; i < p->tree->n_leaves; i++) {
        if (!is_drawn(p, i)) {
            left_out++;
            continue;
        }
        draw_domains(p, i, shown, out);
        draw_leaf(p, &layout, i, out);
    }
    if (left_out > 0) {
        skr_strbuf_addf(out, "and %d node%s without a change\n", left_out,
                        left_out == 1 ? "" : "s");
    }
}

void skr_picture_role_legend(const struct skr_picture *picture, struct skr_strbuf *out)
{
    for (size_t r = 0; r < picture->n_roles; r++) {
        skr_strbuf_addf(out, "%s%c %s", r > 0 ? "   " : "", picture->role[r].letter,
                        picture->role[r].name);
    }
    if (picture->n_roles > 0) {
        skr_strbuf_addc(out, '\n');
    }
}

void skr_picture_legend(bool ascii, struct skr_strbuf *out)
{
    skr_strbuf_addf(out,
                    "%s used by others   %s free   %s placed now   %s preempted   %s unusable\n",
                    glyph(ascii, CELL_USED), glyph(ascii, CELL_FREE), glyph(ascii, CELL_PLACED),
                    glyph(ascii, CELL_VICTIM), glyph(ascii, CELL_UNUSABLE));
}
