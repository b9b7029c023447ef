/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_VICTIMS_TABLES_H
#define SKR_CORE_SOLVER_VICTIMS_TABLES_H
/* What sets of victims (victims.h) leave of a resource. More of them may leave less. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room of one resource of a leaf that is no sum of shares, such as devices, whose order decides. */
struct skr_victim_table {
    int32_t leaf;    /* tables are sorted by it */
    size_t resource; /* no pair of leaf and resource twice */
    size_t
        n; /* of victim, at most SKR_VICTIM_TABLE_MAX; each has a share of the leaf, whose amount of
                      * this resource says what it adds to any set at most */
    const size_t *victim;
    /* n at most SKR_VICTIM_TABLE_SETS: [1 << n], bit i: victim[i] is gone. Else [n + 1]: so many of the first ones
     * are. room[0] is what the problem's free says. */
    const int64_t *room;
};
enum { SKR_VICTIM_TABLE_MAX = 128, SKR_VICTIM_TABLE_SETS = 4 };

/* Index in table->room of the victims that are gone. */
size_t skr_victim_table_at(const struct skr_victim_table *table, const uint8_t *gone);

/* The same tables, whose room is the most that any part of a set leaves. NULL: they are equal.
 * skr_victim_tables_free(). O(room * victims). */
struct skr_victim_table *skr_victim_tables_raise(const struct skr_victim_table *of, size_t n);
void skr_victim_tables_free(struct skr_victim_table *table, size_t n); /* NULL allowed */
/* Takes victims back that leave less room than the raised tables say, where that suffices. */
void skr_victim_tables_lower(const struct skr_victim_table *of,
                             const struct skr_victim_table *raised, size_t n, uint8_t *gone);

#endif
