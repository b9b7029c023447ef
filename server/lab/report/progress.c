/* SPDX-License-Identifier: Apache-2.0 */
/* Draws at most four times a second, so that it may be called at every step. */
#include "server/lab/report/progress.h"
#include "server/clock.h"

#include <string.h>
#include <unistd.h>

enum { BAR_CELLS = 10, NUMBER_SIZE = 32 };
#define SILENT_NS ((int64_t)1000000000)
#define EVERY_NS  ((int64_t)250000000)

void skr_progress_begin(struct skr_progress *progress, FILE *out, const char *verb,
                        const char *unit)
{
    *progress = (struct skr_progress){.out = out, .verb = verb, .unit = unit};
    if (out) {
        progress->terminal = isatty(fileno(out)) == 1;
        progress->begin_ns = skr_clock_monotonic();
    }
}

/* 12,204 */
static void write_number(size_t n, char buffer[NUMBER_SIZE])
{
    char digits[NUMBER_SIZE];
    int len = snprintf(digits, sizeof digits, "%zu", n), at = 0;
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0) {
            buffer[at++] = ',';
        }
        buffer[at++] = digits[i];
    }
    buffer[at] = '\0';
}

/* 8.1k */
static void write_rate(size_t per_s, char buffer[NUMBER_SIZE])
{
    if (per_s < 1000) {
        snprintf(buffer, NUMBER_SIZE, "%zu", per_s);
    } else {
        snprintf(buffer, NUMBER_SIZE, "%zu.%zuk", per_s / 1000, per_s % 1000 / 100);
    }
}

void skr_progress_write(const struct skr_progress *progress, size_t done, size_t all,
                        int64_t took_ns, char *buffer, size_t size)
{
    char bar[3 * BAR_CELLS + 1] = "", of[NUMBER_SIZE], to[NUMBER_SIZE], rate[NUMBER_SIZE];
    size_t share = all > 0 ? done * 100 / all : 0, took_ms = (size_t)(took_ns / 1000000);
    size_t per_s = took_ms > 0 ? done * 1000 / took_ms : 0;
    for (size_t i = 0; i < BAR_CELLS; i++) {
        memcpy(bar + 3 * i, i < share * BAR_CELLS / 100 ? "█" : "░", 4);
    }
    write_number(done, of);
    write_number(all, to);
    write_rate(per_s, rate);
    int n = snprintf(buffer, size, "%s  [%s]  %zu%%  %s/%s %s  %s/s", progress->verb, bar, share,
                     of, to, progress->unit, rate);
    if (per_s > 0 && n > 0 && (size_t)n < size) {
        snprintf(buffer + n, size - (size_t)n, "  eta %zus", (all - done + per_s - 1) / per_s);
    }
}

void skr_progress_update(struct skr_progress *progress, size_t done, size_t all)
{
    struct skr_progress *p = progress;
    char line[160];
    int64_t now = p->out ? skr_clock_monotonic() : 0;
    if (!p->out || now - p->begin_ns < SILENT_NS || now - p->drawn_ns < EVERY_NS) {
        return;
    }
    int tenth = all > 0 ? (int)(done * 10 / all) : 0;
    if (!p->terminal && tenth == p->tenth) {
        return;
    }
    p->drawn_ns = now;
    p->tenth = tenth;
    p->shown = true;
    skr_progress_write(p, done, all, now - p->begin_ns, line, sizeof line);
    fprintf(p->out, p->terminal ? "\r\033[K%s" : "%s\n", line);
    fflush(p->out);
}

void skr_progress_end(struct skr_progress *progress)
{
    if (progress->shown && progress->terminal) {
        fputs("\r\033[K", progress->out);
        fflush(progress->out);
    }
}
