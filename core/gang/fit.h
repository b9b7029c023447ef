/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_FIT_H
#define SKR_CORE_GANG_FIT_H
/* Whether a group fits, without a solve; what was reported of that. The slots: fit_cache.h. */
#include "core/gang/gang.h"

struct kind;
struct kind_sizes;
struct pod_watch;

/* What the planner knows of a group without asking the solver. Written by fit.c alone, but for
 * report_at: fit_report_at(). */
struct fit {
    bool made;                /* for this */
    uint64_t input;           /* group->input_epoch */
    struct kind *kind;        /* a reference; NULL: the group is not one that is answered for */
    struct kind_sizes *sizes; /* of the kind, under the group's rules */
    struct watched *watched;
    int32_t n;               /* members to place */
    uint64_t solved_changes; /* plain_planning: fits was found at these changes of the kind */
    bool fits;
    /* Of the kind and the nodes when the group's reason was reported last. */
    uint64_t reported_changes, reported_nodes;
    bool reported_short;
    skr_time report_at; /* it is old, and reported anew then; 0: it stands */
};

enum fit_answer {
    FIT_UNKNOWN, /* ask the solver */
    FIT_YES,     /* on the slots; ordinary pods and probes may still say no */
    FIT_NO,      /* no placement */
};
enum fit_news { NEWS_NONE, NEWS_NUMBERS, NEWS_REASON };

/* After fit_cache_refresh(). */
enum fit_answer fit_judge(struct skr_gang *e, struct group *g);
/* The answer is of the group as it is, and has slots. */
bool fit_stands(const struct skr_gang *e, const struct group *g);
void fit_copy_slots(const struct fit *f, const struct skr_tree *tree, int64_t *ret);
/* No count is above the slots of its leaf. */
bool fit_holds(const struct fit *f, const struct skr_tree *tree, const int32_t *count);
/* The reason is being reported as things are now; what of it is old since (the answer must
 * stand). */
void fit_reported(const struct skr_gang *e, struct group *g);
enum fit_news fit_news(const struct skr_gang *e, const struct group *g);
void fit_report_at(struct group *g, skr_time at);
void fit_leave(struct group *g); /* lets go what is kept for it */

#endif
