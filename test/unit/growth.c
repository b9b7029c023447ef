/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/growth.h"

#include <time.h>

#include "test/test.h"

enum { TRIES = 7, MOST = 6 };

static double processor_seconds(void)
{
    struct timespec t;

    assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t), 0);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cost(void (*run)(void *context, size_t n), void *context, size_t n, int times)
{
    const double begin = processor_seconds();

    for (int i = 0; i < times; i++) {
        run(context, n);
    }
    return processor_seconds() - begin;
}

void assert_cost_is_linear(void (*run)(void *context, size_t n), void *context, size_t n)
{
    double few = 0, many = 0;

    for (int i = 0; i < TRIES; i++) {
        const double parts = cost(run, context, n / GROWTH_PARTS, GROWTH_PARTS);
        const double whole = cost(run, context, n, 1);
        few = i == 0 || parts < few ? parts : few;
        many = i == 0 || whole < many ? whole : many;
        if (many <= MOST * few) {
            return;
        }
    }
    fprintf(stderr, "%zu at once: %.4f s, in %d lots: %.4f s\n", n, many, (int)GROWTH_PARTS, few);
    fail();
}
