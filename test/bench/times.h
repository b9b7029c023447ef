/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_BENCH_TIMES_H
#define SKR_TEST_BENCH_TIMES_H
/* What benchmarks do with times. */
#include <stddef.h>
#include <time.h>

/* Seconds of a clock. */
double times_now_s(clockid_t clock);
void times_sort(double *took, size_t n);
/* Sorts. */
double times_percentile(double *took, int n, int percent);
/* "3.14 us", "2.72 ms" */
void times_print(double us);

#endif
