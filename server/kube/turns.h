/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_TURNS_H
#define SKR_SERVER_KUBE_TURNS_H
/*
 * Writes that wait, in turns of their namespaces. No namespace makes those of another one wait for
 * more than SKR_TURN_WRITES of its own.
 *
 * - Classes go in their order. Within a class, one namespace after the other sends a write. Within a
 *   namespace and a class, jobs go by order, then first come, first served.
 * - A namespace that has sent SKR_TURN_WRITES of the classes that decide (COMMIT to EVICT) comes after
 *   all others of these classes, in whatever class it waits, until they have sent as many or have
 *   none left. So a namespace whose writes are all of the highest class leaves room for the lower
 *   ones of others.
 * - Classes that only inform (STATUS and behind) come last, whatever was sent.
 *
 * Cluster-scoped objects are one namespace. Each call is O(1) amortised, but for a job of an earlier
 * order. Kube thread only.
 */
#include "server/kube/writer.h"

enum { SKR_TURN_WRITES = 8 };

struct skr_turn; /* one namespace */

/* All zero is empty; an empty one owns nothing. */
struct skr_turns {
    struct skr_turn *namespaces; /* hash: with jobs, or in idle */
    struct skr_turn *idle;       /* without jobs; they have sent in this round */
    struct skr_turn
        *ready[SKR_WRITE_CLASS_COUNT]; /* those with jobs of the class, the next first */
    struct skr_turn *spent[SKR_WRITE_CLASS_COUNT]; /* the same; they wait for the next round */
    uint64_t round;
    size_t n; /* jobs */
};

void skr_turns_put(struct skr_turns *turns, struct skr_kube_job *job);
/* The class of the job that comes next; SKR_WRITE_CLASS_COUNT: there is none. */
enum skr_write_class skr_turns_class(struct skr_turns *turns);
/* The job that comes next of this class, as skr_turns_class() gave it, or of another one that has jobs;
 * NULL: it has none. */
struct skr_kube_job *skr_turns_take(struct skr_turns *turns, enum skr_write_class class);

#endif
