/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/failure_log.h"

#include <stdio.h>
#include <string.h>

enum { LOGS_MAX = 8, LINES = 30 };

static struct {
    void (*print)(void *context);
    void *context;
} logs[LOGS_MAX];

void failure_log_add(void (*print)(void *context), void *context)
{
    for (size_t i = 0; i < LOGS_MAX; i++) {
        if (!logs[i].context) {
            logs[i].print = print;
            logs[i].context = context;
            return;
        }
    }
}

void failure_log_drop(const void *context)
{
    for (size_t i = 0; i < LOGS_MAX; i++) {
        if (logs[i].context == context) {
            logs[i].context = NULL;
        }
    }
}

void failure_log_tail(const char *text)
{
    const char *from = text + strlen(text);
    for (int lines = 0; from > text; from--) {
        lines += from[-1] == '\n' ? 1 : 0;
        if (lines > LINES) {
            break;
        }
    }
    fputs(from, stderr);
}

void failure_log_print(void)
{
    for (size_t i = 0; i < LOGS_MAX; i++) {
        if (logs[i].context) {
            logs[i].print(logs[i].context);
        }
    }
}

void failure_log_clear(void)
{
    memset(logs, 0, sizeof logs);
}
