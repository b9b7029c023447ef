/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_SEEN_H
#define SKR_CORE_GANG_STATE_SEEN_H
/*
 * What changed, and when. Every change gets a stamp: a number that grows with each change of the
 * engine. The table has the stamp of the last change of each kind. A cached answer keeps one stamp,
 * that of the instant at which its input was read; skr_seen_changed() says whether the answer is old.
 *
 * Stamps are compared, never added. 0 is older than every change: an answer that was never made.
 */
#include <stdbool.h>
#include <stdint.h>

/* Kinds of changes, as bits. */
enum {
    SEEN_CAPACITY = 1 << 0, /* all that can make a waiting group fit */
    SEEN_VICTIMS = 1 << 1,  /* the same, and all that can make a pod a victim */
    SEEN_ROOM = 1 << 2,     /* room of any leaf, more or less */
    SEEN_NODES = 1 << 3,    /* nodes, tree, vetoes: the reason of a waiting group may differ */
    SEEN_LIFTED =
        1 << 4, /* what refusals of kube-scheduler rest on: nodes that are new, other labels */
    SEEN_LATE_ROOM = 1 << 5, /* where pods with late volumes may land */
    SEEN_ENDS = 1 << 6,      /* what is known about the end of a pod or of its Job */
    SEEN_JOBS = 1 << 7,      /* deadlines and starts of Jobs: windows of groups */
    SEEN_WAITING = 1 << 8,   /* a group was found not to fit */
    SEEN_CENSUS = 1 << 9,    /* nodes that came or went, groups that went */
    SEEN_FACTS = 1 << 10,    /* all that an explanation may rest on */
};
enum { SEEN_COUNT = 11 };

struct skr_seen {
    uint64_t now; /* the last stamp */
    uint64_t last[SEEN_COUNT];
};

void skr_seen_init(struct skr_seen *seen);
/* A change of these kinds (bits; 0: of none of them). Returns its stamp. O(kinds). */
uint64_t skr_seen_note(struct skr_seen *seen, unsigned kinds);
/* The stamp of the last change of one of these kinds. O(kinds). */
uint64_t skr_seen_last(const struct skr_seen *seen, unsigned kinds);
/* Whether a change of one of these kinds is later than the stamp. O(kinds). */
bool skr_seen_changed(const struct skr_seen *seen, unsigned kinds, uint64_t since);

#endif
