/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_STORED_H
#define SKR_CORE_GANG_TIME_STORED_H
/*
 * The reservation of a group as its object has it, in annotation sakkara.reservation:
 *
 *   {"v":1,"start":"2026-01-01T12:00:00Z","promised":"...","since":"...","guess":false,
 *    "nodes":{"node-0":2}}
 */
#include "core/gang/state/booking.h"
#include "core/time/round.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

#define SKR_ANNOTATION_RESERVATION "sakkara.reservation"

enum { SKR_RESERVATION_TEXT_MAX = 256 * 1024 };

/* In arena; NULL: the text is no reservation that this version knows. Nodes are in tree order. */
/* Brings its leaves into tree order. */
void skr_stored_reservation_sort(const struct skr_stored_reservation *s);
struct skr_stored_reservation *skr_stored_reservation_read(const char *text,
                                                           const struct skr_tree *tree,
                                                           struct skr_arena *arena);
/* Appends its nodes; nothing if they are too many to be written. */
void skr_reservation_write_nodes(const struct booking *booking, struct skr_strbuf *ret);
void skr_reservation_write(const struct booking *booking, struct skr_strbuf *ret);

#endif
