/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_SIMULATED_H
#define SKR_TEST_UNIT_SIMULATED_H
/* The two reports of one run of `sakkara simulate`. */

/* Fails the test unless the text (with pictures) says what the JSON says, and the JSON agrees with
 * itself: counts, the row and the reason of each group, seats and ranks of members, nodes used,
 * the order of events and what they say of groups. */
void simulated_check(const char *name, const char *text, const char *json);

#endif
