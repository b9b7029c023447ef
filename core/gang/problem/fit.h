/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_FIT_H
#define SKR_CORE_GANG_PROBLEM_FIT_H
/* Whether a group fits, without a solve; what was reported of that. The slots: fit_cache.h. */
#include "core/gang/state/groups.h"

enum fit_answer {
    FIT_UNKNOWN, /* ask the solver */
    FIT_YES,     /* on the slots; ordinary pods and probes may still say no */
    FIT_NO,      /* no placement */
};
enum fit_news { NEWS_NONE, NEWS_NUMBERS, NEWS_REASON };

/* After skr_fit_cache_refresh(). */
enum fit_answer skr_fit_judge(struct skr_gang *e, struct group *g);
/* The answer is of the group as it is, and has slots. */
bool skr_fit_stands(const struct skr_gang *e, const struct group *g);
void skr_fit_copy_slots(const struct fit *f, const struct skr_tree *tree, int64_t *ret);
/* No count is above the slots of its leaf. */
bool skr_fit_holds(const struct fit *f, const struct skr_tree *tree, const int32_t *count);
/* The reason is being reported as things are now; what of it is old since (of a group without an answer: its
 * numbers, when room of any leaf changed). */
void skr_fit_reported(const struct skr_gang *e, struct group *g);
enum fit_news skr_fit_news(const struct skr_gang *e, const struct group *g);
void skr_fit_report_at(struct group *g, skr_time at);
void skr_fit_leave(struct group *g); /* lets go what is kept for it */

#endif
