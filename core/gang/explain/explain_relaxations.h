/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_EXPLAIN_EXPLAIN_RELAXATIONS_H
#define SKR_CORE_GANG_EXPLAIN_EXPLAIN_RELAXATIONS_H
/*
 * One thing that would make a group fit: an object with a phrase for users and the changes for
 * programs.
 *
 *   {"text":"the rack constraint is soft",
 *    "changes":[{"change":"constraint","path":"constraints.rack.hard","value":false}]}
 */
#include "core/gang/report/sentence.h"

/* The object being written: its parts grow together. */
struct relaxation {
    struct skr_strbuf text, changes;
    struct skr_strbuf set; /* "PATH=VALUE", blank separated: the changes as flags --set */
    bool unquoted;         /* all of set may be used in a command as it is */
};

void skr_relaxation_begin(struct relaxation *r);
/* Appends it to b, comma separated, and ends it. *ret_set: takes set if it was NULL; ret_set
 * NULL: not wanted. */
void skr_relaxation_end(struct relaxation *r, struct skr_strbuf *b, char **ret_set);
/* Ends it without a trace. */
void skr_relaxation_drop(struct relaxation *r);
/* " and ", if the phrase has begun. */
void skr_relaxation_and(struct relaxation *r);
/* A value of the group: a text, or a number, false or null. */
void skr_relaxation_add(struct relaxation *r, const char *change, const char *path,
                        const char *value, bool is_text);
/* explain_role_ways.c: sets of a kind, or only their being exclusive, are dropped. */
void skr_relaxation_add_kind(const struct account *a, const struct skr_relaxation_atom *atom,
                             struct relaxation *r);
/* Sets of members that run cannot be dissolved: roles_change.h. */
bool skr_relaxation_is_possible(const struct account *a, const struct skr_relaxation *of);

#endif
