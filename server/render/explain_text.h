/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_RENDER_EXPLAIN_TEXT_H
#define SKR_SERVER_RENDER_EXPLAIN_TEXT_H
/*
 * An explanation (docs/reference.md, "Explanations") for people:
 *
 *   Group a-3 (default) is not placed: TopologyPlacementFailed, for 2m4s.
 *
 *     group a-3 needs 6 slots in one rack, best rack has 5
 *     (6 pods x 2 GPU, rack=pack, hard; 20 GPU free in all, no rack has 12)
 *
 *     RACK    FREE  FITS  SHORT  BLOCKED-BY
 *     rack-1  10    5/6   1      b-1 (priority 1, 2 GPU)
 *
 *     Would fit if: 2 GPU free up on node-3, or the rack constraint is soft.
 *
 *   Next: kubectl get nodes,pods,configmaps -A -o json > dump.json
 *         sakkara simulate -f dump.json --set a-3:constraints.rack.hard=false
 *
 * At most SKR_EXPLAIN_LINES lines unless verbose; at most SKR_PAGE_WIDTH columns, where words
 * are shorter than that. Pure.
 */
#include <jansson.h>
#include <stdbool.h>

#include "topology/base/strbuf.h"

enum { SKR_EXPLAIN_LINES = 16 };

struct skr_explain_look {
    bool verbose;     /* all domains, all that would help */
    const char *dump; /* file it was read from: named in what comes next; NULL: a live cluster */
};

/* The words of text in lines of SKR_PAGE_WIDTH, the first behind `first`, the others behind
 * as many blanks as hang says. */
void skr_explain_add_wrapped(struct skr_strbuf *out, const char *first, size_t hang,
                             const char *value);
void skr_explain_write_text(const json_t *explanation, const struct skr_explain_look *look,
                            struct skr_strbuf *out);
/* "Would fit if: ..., or ....", wrapped and indented; nothing when nothing is known to help. At
 * most `most` alternatives; 0: all. */
void skr_explain_write_relaxations(const json_t *explanation, int indent, size_t most,
                                   struct skr_strbuf *out);

#endif
