/* SPDX-License-Identifier: Apache-2.0 */
#include "test/bench/times.h"

#include <stdio.h>
#include <stdlib.h>

double times_now_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void times_sort(double *took, size_t n)
{
    qsort(took, n, sizeof *took, by_value);
}

double times_percentile(double *took, int n, int percent)
{
    times_sort(took, (size_t)n);
    return took[(n - 1) * percent / 100];
}

void times_print(double us)
{
    if (us < 1000) {
        printf("%.3g us", us);
    } else {
        printf("%.3g ms", us / 1000);
    }
}
