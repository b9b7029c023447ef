/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_BOOKED_H
#define SKR_CORE_GANG_CACHE_BOOKED_H
/*
 * Reservations in the daemon: who may use the room before them. This is the one place where the
 * engine takes reserved room away: problems of the solver, cached slots and filter all ask here.
 *
 * A group or pod holds its room in a window from now on. In front of a reservation it may use what
 * stays free at every instant of that window:
 *
 *   free now + what ends by a limit until then - what other groups have reserved then
 *
 * An end at the start of a reservation is in time. An end that is not known is never in time. A group or
 * pod of a higher PriorityClass is kept off by no reservation of a lower one. Nor is a group kept off the
 * seats that are held for it, unless they yield to the group with the reservation, or that was made on the
 * word of the members that left them: it begins at the end of their limits or later. Rounds
 * (core/gang/time/rounds.h) make reservations, move them and end them. Without reservations nothing
 * here has an effect.
 */
#include <string.h>

#include "core/gang/state/booking.h"

/* How long room is used, and by which class. */
struct window {
    int64_t holds; /* seconds from now on; SKR_INSTANT_NEVER: for ever */
    int64_t cut;   /* an instant: it ends by then; SKR_INSTANT_NEVER: unset */
    int32_t
        class_; /* the lowest PriorityClass: it is kept off by no group all of whose pods have less */
};

static inline bool skr_window_equal(const struct window *a, const struct window *b)
{
    return a->holds == b->holds && a->cut == b->cut && a->class_ == b->class_;
}

/* Whose reservations count. */
enum booked_counting {
    BOOKED_ALL,       /* those of all others */
    BOOKED_NOT_BELOW, /* of others that have the group's priority or a higher one */
    BOOKED_NONE,
};

struct booked_for {
    const struct group *group; /* its own reservation never counts; NULL: a single pod */
    struct window window;
    bool seats; /* only those that take the seats that are held for the group */
};

/* Whether the reservation of another group counts for g. O(1). */
bool skr_booked_any(const struct skr_gang *e, const struct group *g);
/* Takes from n rooms of a node what is booked. O(1) for a node without reservations, else O(its
 * reservations and pods with an end). */
void skr_booked_take_off(const struct skr_gang *e, const struct booked_for *who, const char *node,
                         const uint16_t *resource, size_t n, int64_t *room);
/* What pods of the node that end by that instant may give up now at the most, all together, so that
 * nothing reserved lacks room: skr_booked_take_off() counts their room from their ends on already.
 * INT64_MAX: no reservation begins then within the window. Cost as above. */
int64_t skr_booked_slack(const struct skr_gang *e, const struct booked_for *who, const char *node,
                         uint16_t resource, int64_t end);
/* Whether reservations of the node need the room of the pod at its end, beside what spared has,
 * [SKR_RESOURCES_MAX]; if not, it is added to spared. *ret: one that does. Cost as above. */
bool skr_booked_needs(const struct skr_gang *e, const struct booked_node *node,
                      const struct end_row *row, int64_t *spared, const struct booking **ret);
/* A single pod, for questions about many nodes. Call skr_fit_cache_see_changes() before. Valid until the
 * next event. O(members of groups with a reservation). */
struct booked_pod {
    const struct skr_pod *pod;
    struct booked_for who;
    int64_t now, end; /* of its window */
    const char *on;   /* where it is charged; NULL: nowhere */
    bool outranks;    /* it goes before some of these groups */
};
struct booked_pod skr_booked_pod(struct skr_gang *e, const struct skr_pod *pod);
/* Whether the pod of these amounts is kept off the node: a reservation there would lack room while the
 * pod is there. O(1) for a node without reservations, and for a pod without an end, as long as nothing
 * changes on the node; else as above. at: the node in the ledger; NULL: unknown, which is slower. */
bool skr_booked_keeps(struct skr_gang *e, const struct booked_pod *pod,
                      const struct skr_amounts *amounts, const char *node,
                      const struct skr_ledger_node *at);
/* Room or an end on the node is another one. O(1). */
void skr_booked_stale(struct skr_gang *e, const char *node);
/* A pod of that class goes to the node: it is noted with the reservations there that it goes before. */
void skr_booked_note_passed(struct skr_gang *e, const struct window *window, const char *uid,
                            const char *node);
/* Whether a pod of a higher class, which was let pass to a node of the reservation, is there. */
bool skr_booked_outranked(const struct skr_gang *e, const struct booking *b);
/* Nodes with reservations: begins with NULL; NULL at the end. */
const struct booked_node *skr_booked_next(const struct skr_gang *e, const struct booked_node *node);
/* A number below 4,096 of a name: most names without a reservation differ in it from all with one, so
 * that they are told apart without a look-up. */
static inline uint32_t skr_booked_bit(const char *node)
{
    const size_t n = strlen(node), from = n > sizeof(uint32_t) ? n - sizeof(uint32_t) : 0;
    uint32_t last = 0; /* its last characters */
    memcpy(&last, node + from, n - from);
    return last * UINT32_C(2654435761) >> 20;
}
const struct booked_node *skr_booked_find(const struct skr_gang *e,
                                          const char *node); /* NULL: none */

#endif
