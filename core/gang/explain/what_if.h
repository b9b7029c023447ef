/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_EXPLAIN_WHAT_IF_H
#define SKR_CORE_GANG_EXPLAIN_WHAT_IF_H
/*
 * What if a group were different: another size, priority or rule, or without some nodes.
 *
 * A question is answered by up to three solves on copies: the changed group; an open group with the
 * members that fit; victims. The group has the changed spec while a problem is built and while its
 * answer is read, within one call. Afterwards everything is as before: seats are dealt again, which
 * depends on pods and spec alone. Nothing is marked, written or reported.
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/requests.h"
#include "core/gang/state/solve_request.h"

struct what_if;
struct what_if *skr_what_if_create(const struct skr_what_if *asked); /* copied */
void skr_what_if_destroy(struct what_if *w);                         /* NULL allowed */
/* The next solve. NULL: none is needed, skr_what_if_write() has the answer. */
struct skr_solve_request *skr_what_if_next(struct skr_gang *e, struct group *g, struct what_if *w);
/* The solve of skr_what_if_next() has ended. g NULL: the group is gone. */
void skr_what_if_solved(struct skr_gang *e, struct group *g, struct what_if *w,
                        const struct skr_solve_request *request);
void skr_what_if_late(struct what_if *w);
/* FOUND: appends docs/reference.md, "What if"; else the reason as plain text. */
enum skr_explain_status skr_what_if_write(const struct group *g, const struct what_if *w,
                                          struct skr_strbuf *out);

#endif
