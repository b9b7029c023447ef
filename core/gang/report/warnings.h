/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_WARNINGS_H
#define SKR_CORE_GANG_REPORT_WARNINGS_H
/* Oddities of a group that stop nothing: ignored rules, members that differ. One source for the
 * condition Valid, the group's page, its explanation and the Event. */
#include "core/gang/state/groups.h"

struct warnings {
    bool lint, levels, difference;         /* the requested kinds */
    size_t n;                              /* number found */
    const char *token;                     /* of the last one; NULL: none */
    void (*add)(void *, const char *text); /* called for each; the text is valid during the call */
    void *context;
};

/* O(rules * levels). */
void skr_warnings_each(const struct skr_gang *e, const struct group *g, struct warnings *w);
/* Appends all of the requested kinds in one line to b; returns the token of the last, NULL without
 * any. */
const char *skr_warnings_join(const struct skr_gang *e, const struct group *g,
                              struct warnings kinds, struct skr_strbuf *b);

#endif
