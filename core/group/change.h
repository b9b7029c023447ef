/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GROUP_CHANGE_H
#define SKR_CORE_GROUP_CHANGE_H
/*
 * Changes one value of a group to see the effect, for `simulate --set` and for /v1/whatif.
 *
 * PATH is size, minimum, step, priority, within, or constraints.LEVEL.KEY with KEY as in the group map (type, hard,
 * partitions, min, max, factor); VALUE null removes the key. Of roles:
 *
 *   roles.ROLE.size, roles.ROLE.minimum       in key roles, which has the role; key size goes
 *   constraints.roles.ROLE.LEVEL.KEY          own rules of a role
 *   constraints.sets.N.exclusive              of the N-th set kind, from 0
 *   constraints.sets.N                        with null: its sets need not lie in one unit
 *
 * The engine ignores some values with a
 * warning: a level that no tree has, an unknown KEY or type, a negative number. They are refused here,
 * so that a typing error does not look like an answer.
 */
#include <jansson.h>

#include "topology/base/strbuf.h"

/* Whether a tree has the level; else the reason is appended to why. */
struct skr_change_levels {
    bool (*has)(const void *context, const char *level, struct skr_strbuf *why);
    const void *context;
};

/* data: the keys of a group map, as an object of texts; changed in place. False: why has the
 * reason, and data is as it was. Whether the group is well-formed afterwards is not checked. */
bool skr_group_change(json_t *data, const char *path, const char *value,
                      const struct skr_change_levels *levels, struct skr_strbuf *why);
/* A number, true, false or null as such; any other text as a string. New reference. */
json_t *skr_change_value(const char *text);

#endif
