/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_REPORT_PICTURE_H
#define SKR_SERVER_LAB_REPORT_PICTURE_H
/*
 * A group on the tree, drawn before and after its placement. A row a node, a cell a slot: room for
 * one member. Pure: numbers in, text out.
 *
 *               BEFORE            AFTER
 *   rack-0
 *     node-0    ░░░░░             ▒▒▒▒░   +4
 *     node-1    ████░             ████░
 *
 * Rows wider than SKR_PICTURE_CELLS_MAX are scaled: one cell is then several slots, every share
 * that is not zero has a cell. Of trees with more than SKR_PICTURE_NODES_MAX nodes only those are
 * drawn where something was placed or preempted, and the number of the others.
 */
#include <stdbool.h>
#include <stdint.h>

#include "topology/base/strbuf.h"
#include "topology/tree.h"

enum { SKR_PICTURE_CELLS_MAX = 24, SKR_PICTURE_NODES_MAX = 100 };

/* Of one node. */
struct skr_picture_leaf {
    int32_t slots;   /* of the empty node; 0: none */
    int32_t free;    /* before; at most slots */
    int32_t placed;  /* members now, of this placement */
    int32_t victims; /* slots that were freed by preemption: used before, free for this group */
    bool unusable;   /* cordoned, tainted or missing: its free slots do not count */
};

enum { SKR_PICTURE_ROLES_MAX = 9 };

/* Members of one role: drawn as a letter instead of the glyph of what is placed. */
struct skr_picture_role {
    char letter;
    const char *name;
    int32_t *cells; /* [tree->n_leaves] slots that its members take, 0 without one */
};

struct skr_picture {
    const struct skr_tree *tree;
    const struct skr_picture_leaf *leaf; /* [tree->n_leaves] */
    const struct skr_picture_role *role; /* [n_roles]; NULL: all members are alike */
    size_t n_roles;
    bool ascii;
    /* Appended after "+4": more about a leaf. NULL: nothing. */
    void (*note)(void *context, int32_t leaf, struct skr_strbuf *out);
    void *context;
};

/* Without legend; ends with a line end. */
void skr_picture_draw(const struct skr_picture *picture, struct skr_strbuf *out);
/* "█ used by others   ░ free   ..." */
void skr_picture_legend(bool ascii, struct skr_strbuf *out);
/* "L leader   w worker"; nothing without roles. */
void skr_picture_role_legend(const struct skr_picture *picture, struct skr_strbuf *out);
/* Slots per cell. */
int32_t skr_picture_scale(const struct skr_picture *picture);

#endif
