/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_SIMULATED_H
#define SKR_TEST_UNIT_SIMULATED_H
/* The two reports of one run of `sakkara simulate`. */

#include "topology/base/strbuf.h"

/* Fails the test unless the text says what the JSON says, and the JSON agrees with itself: counts,
 * the row and the reason of each group, seats and ranks of members, the order of events and what
 * they say of groups. Appends who sits where, a line a node, to seats. */
void simulated_check(const char *name, const char *text, const char *json,
                     struct skr_strbuf *seats);

#endif
