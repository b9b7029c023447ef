/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_SET_H
#define SKR_SERVER_LAB_SIMULATE_SET_H
/*
 * One value of a group changed before a simulation begins, to see what it would do:
 *
 *   [NAMESPACE/]GROUP:PATH=VALUE
 *
 * PATH is size, priority, or constraints.LEVEL.KEY with KEY as in the group map (type, hard,
 * partitions, min, max, factor); VALUE null takes the key away. The group is one of a group
 * ConfigMap in the files; of a PodGroup, size alone. Without NAMESPACE: default.
 * What the engine would ignore with a warning (a level that no tree of the input has, an unknown
 * KEY or type, a negative number) is refused, so that a slip does not look like an answer.
 */
#include "server/lab/simulate/input.h"

/* Whether the text has this form; else errors says so, with a line end. */
bool skr_simulate_set_is_read(const char *text, struct skr_strbuf *errors);
/* Changes the object in the input. Errors are reported in errors, with a line end: SKR_INVALID (not
 * understood, or the group would be malformed), SKR_NOT_FOUND (no such group in the files). */
int skr_simulate_set(struct skr_simulate_input *input, const char *text, struct skr_strbuf *errors);

/* ---- changes of any kind of object: [NAMESPACE/]NAME:PATH=VALUE ---- */

struct skr_change {
    char *text;       /* free(); what follows are parts of it */
    char *namespace_; /* NULL: not said */
    char *name, *path, *value;
};
/* false: it is none; text is to be freed all the same. */
bool skr_change_parse(const char *text, struct skr_change *ret);

#endif
