/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_GROWTH_H
#define SKR_TEST_UNIT_GROWTH_H
/*
 * Whether what somebody can make large costs what it is, and not its square. One large lot is
 * compared with GROWTH_PARTS small ones of the same sum, in processor time: a linear cost is the
 * same, a square GROWTH_PARTS times as much, and less than a half of that is asked for. The least
 * of some tries counts, since what the machine does beside it only ever adds.
 */
#include <stddef.h>

enum { GROWTH_PARTS = 16 };

/* run: with n things; what it sets up should cost little beside what is measured. */
void assert_cost_is_linear(void (*run)(void *context, size_t n), void *context, size_t n);

#endif
