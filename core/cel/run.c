/* SPDX-License-Identifier: Apache-2.0 */
/* What functions get from the evaluation: cost, memory, errors. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/cel/function.h"
#include "core/cel/type.h"

bool skr_cel_charge(struct skr_cel_run *run, uint64_t cost)
{
    run->cost += cost;
    run->over = run->over || run->cost > run->cost_max;
    return !run->over;
}

bool skr_cel_charge_text(struct skr_cel_run *run, uint64_t bytes)
{
    return skr_cel_charge(run, bytes / 10 + 1);
}

struct skr_cel_value skr_cel_over(struct skr_cel_run *run)
{
    run->over = true;
    return skr_cel_error(run->cost > run->cost_max ? "it costs more than an evaluation may"
                                                   : "it takes more memory than an evaluation may");
}

void *skr_cel_room(struct skr_cel_run *run, size_t n, size_t size)
{
    void *room =
        skr_cel_charge(run, n * size / 256) ? skr_arena_array(run->arena, n + 1, size) : NULL;
    run->over = run->over || !room;
    return room;
}

struct skr_cel_value skr_cel_errorf(struct skr_cel_run *run, const char *format, ...)
{
    char text[160];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *copy = skr_arena_strdup(run->arena, text);
    return copy ? skr_cel_error(copy) : skr_cel_over(run);
}

struct skr_cel_value skr_cel_copy(struct skr_cel_run *run, const char *text, size_t n)
{
    char *copy = skr_cel_room(run, n, 1);
    if (!copy) {
        return skr_cel_over(run);
    }
    memcpy(copy, text, n);
    return skr_cel_string(copy, n);
}

struct skr_cel_value skr_cel_no_overload(struct skr_cel_run *run, const char *name,
                                         const struct skr_cel_value *arg, size_t n)
{
    const char second = n > 1 ? skr_cel_type_of(arg[1].kind) : '?';
    return n > 1 ? skr_cel_errorf(run, "%.40s does not take %s and %s", name,
                                  skr_cel_type_name(skr_cel_type_of(arg[0].kind)),
                                  skr_cel_type_name(second))
                 : skr_cel_errorf(run, "%.40s does not take %s", name,
                                  n > 0 ? skr_cel_type_name(skr_cel_type_of(arg[0].kind))
                                        : "no argument");
}
