/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_SET_H
#define SKR_SERVER_LAB_SIMULATE_SET_H
/*
 * Changes one value of a group before a simulation begins, to see the effect:
 *
 *   [NAMESPACE/]GROUP:PATH=VALUE
 *
 * PATH is size, priority, within, or constraints.LEVEL.KEY with KEY as in the group map (type, hard,
 * partitions, min, max, factor); VALUE null removes the key. The group is defined by a group
 * ConfigMap in the files; of a PodGroup only size can change. Without NAMESPACE: default. A value
 * that the engine would ignore with a warning (a level that no tree of the input has, an unknown
 * KEY or type, a negative number) is refused, so that a typing error does not look like an answer.
 */
#include "server/lab/simulate/input.h"

/* Whether the text has this form; else writes an error, with a line end. */
bool skr_simulate_set_is_read(const char *text, struct skr_strbuf *errors);
/* Changes the object in the input. Errors are written to errors, with a line end: SKR_INVALID
 * (unreadable, or the group would be malformed), SKR_NOT_FOUND (no such group in the files). */
int skr_simulate_set(struct skr_simulate_input *input, const char *text, struct skr_strbuf *errors);

/* ---- changes of any kind of object: [NAMESPACE/]NAME:PATH=VALUE ---- */

struct skr_change {
    char *text;       /* free(); the other members point into it */
    char *namespace_; /* NULL: not given */
    char *name, *path, *value;
};
/* False: malformed; text must be freed in any case. */
bool skr_change_parse(const char *text, struct skr_change *ret);

#endif
