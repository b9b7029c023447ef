/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one formatted line to one listener. */
#include "server/lab/scheduler/trace.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE_MAX_BYTES = 2048 };

void skr_trace_add(const struct skr_trace *trace, enum skr_trace_kind kind, skr_time now,
                   const char *format, ...)
{
    char text[LINE_MAX_BYTES];
    va_list args;
    if (!trace->line) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    trace->line(trace->context, kind, now, text);
}
