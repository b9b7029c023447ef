/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_SET_H
#define SKR_SERVER_LAB_SIMULATE_SET_H
/*
 * Changes values of groups before a simulation begins, to see the effect:
 *
 *   [NAMESPACE/]GROUP:PATH=VALUE
 *
 * PATH and VALUE are those of core/group/change.h. The group is defined by a group ConfigMap in the
 * files; of a PodGroup only size can change. Of a group of a workload (job/train) size, within and
 * constraints can change: they are annotations of its pods and pod templates. Without NAMESPACE:
 * default.
 */
#include "server/lab/simulate/input.h"

/* Whether the text has this form; else writes an error, with a line end. */
bool skr_simulate_set_is_read(const char *text, struct skr_strbuf *errors);
/* Changes the objects in the input, n times in order. Whether a map is well-formed counts after all
 * changes: sizes of roles in sets change together. Errors are written to errors, with a line end:
 * SKR_INVALID (unreadable, or the group would be malformed), SKR_NOT_FOUND (no such group in the
 * files). */
int skr_simulate_set(struct skr_simulate_input *input, const char *const *text, size_t n,
                     struct skr_strbuf *errors);

/* ---- changes of any kind of object: [NAMESPACE/]NAME:PATH=VALUE ---- */

struct skr_change {
    char *text;       /* free(); the other members point into it */
    char *namespace_; /* NULL: not given */
    char *name, *path, *value;
};
/* False: malformed; text must be freed in any case. */
bool skr_change_parse(const char *text, struct skr_change *ret);

#endif
