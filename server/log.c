/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log records. A record is built in a string buffer of its own and written with one write() under a
 * lock, so records of several threads never mix. Text follows klog (header, quoted message,
 * key="value"); JSON has one object a line. A write that fails is given up: there is nowhere to
 * report it. Limit: SKR_LOG_VALUE_MAX bytes a value.
 */
#include "server/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/clock.h"
#include "server/log_limit.h"
#include "topology/base/unshown.h"

static pthread_mutex_t write_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t limit_lock = PTHREAD_MUTEX_INITIALIZER;
static struct skr_log_limit limit;
static atomic_bool any_held;
static atomic_int log_level = SKR_LOG_LEVEL_DEFAULT;
static atomic_int log_format = SKR_LOG_TEXT;

static const char *const severity_names[] = {"info", "warning", "error"};
_Static_assert(sizeof severity_names / sizeof severity_names[0] == SKR_LOG_SEVERITY_COUNT,
               "one name a severity");

void skr_log_set_format(enum skr_log_format format)
{
    atomic_store(&log_format, (int)format);
}

void skr_log_set_level(int level)
{
    int clamped = level < SKR_LOG_LEVEL_QUIET ? SKR_LOG_LEVEL_QUIET : level;
    atomic_store(&log_level, clamped > SKR_LOG_LEVEL_MAX ? SKR_LOG_LEVEL_MAX : clamped);
}

int skr_log_get_level(void)
{
    return atomic_load(&log_level);
}

bool skr_log_enabled(int v)
{
    return v <= atomic_load(&log_level);
}

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* As %q: what a terminal obeys is escaped, beyond JSON's own too. */
static void add_string(struct skr_strbuf *out, const char *s)
{
    SKR_STRBUF(quoted);
    skr_strbuf_add_json(&quoted, s);
    const char *from = quoted.s;
    for (const char *at = from; *at; at++) {
        uint32_t code;
        size_t n = skr_unshown(at, &code);
        if (n > 0) {
            skr_strbuf_addn(out, from, (size_t)(at - from));
            skr_strbuf_addf(out, "\\u%04x", code);
            from = at + n;
            at = from - 1;
        }
    }
    skr_strbuf_add(out, from);
}

/* A JSON string is also what klog's %q writes for the characters that occur here. */
static void add_quoted(struct skr_strbuf *out, const char *s)
{
    if (!s) {
        s = "";
    }
    size_t n = strnlen(s, SKR_LOG_VALUE_MAX + 1);
    if (n <= SKR_LOG_VALUE_MAX) {
        add_string(out, s);
        return;
    }
    SKR_STRBUF(cut);
    skr_strbuf_addn(&cut, s, SKR_LOG_VALUE_MAX);
    skr_strbuf_add(&cut, "...");
    add_string(out, cut.s);
}

static void add_value(struct skr_strbuf *out, const struct skr_log_pair *pair)
{
    switch (pair->kind) {
    case SKR_LOG_PAIR_STRING:
        add_quoted(out, pair->string);
        break;
    case SKR_LOG_PAIR_INT:
        skr_strbuf_add_int(out, pair->number);
        break;
    case SKR_LOG_PAIR_END:
        break;
    }
}

static void write_text(struct skr_strbuf *out, enum skr_log_severity severity,
                       const struct timespec *when, int32_t process, const char *file, int line,
                       const char *message, const struct skr_log_pair *pair)
{
    struct tm tm;
    localtime_r(&when->tv_sec, &tm);
    skr_strbuf_addf(out, "%c%02d%02d %02d:%02d:%02d.%06ld %7d %s:%d] ", "IWE"[severity],
                    tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
                    when->tv_nsec / 1000, (int)process, base_name(file), line);
    add_quoted(out, message);
    for (; pair->kind != SKR_LOG_PAIR_END; pair++) {
        skr_strbuf_addf(out, " %s=", pair->key);
        add_value(out, pair);
    }
}

static void write_json(struct skr_strbuf *out, enum skr_log_severity severity, int v,
                       const struct timespec *when, const char *file, int line, const char *message,
                       const struct skr_log_pair *pair)
{
    skr_strbuf_addf(out, "{\"ts\":%lld.%06ld,\"severity\":\"%s\",\"v\":%d,\"caller\":\"%s:%d\",",
                    (long long)when->tv_sec, when->tv_nsec / 1000, severity_names[severity], v,
                    base_name(file), line);
    skr_strbuf_add(out, "\"msg\":");
    add_quoted(out, message);
    for (; pair->kind != SKR_LOG_PAIR_END; pair++) {
        skr_strbuf_addf(out, ",\"%s\":", pair->key);
        add_value(out, pair);
    }
    skr_strbuf_addc(out, '}');
}

void skr_log_write(struct skr_strbuf *out, enum skr_log_format format,
                   enum skr_log_severity severity, int v, const struct timespec *when,
                   int32_t process, const char *file, int line, const char *message,
                   const struct skr_log_pair *pair)
{
    if (format == SKR_LOG_JSON) {
        write_json(out, severity, v, when, file, line, message, pair);
    } else {
        write_text(out, severity, when, process, file, line, message, pair);
    }
}

static void write_all(int fd, const char *s, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, s, n);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return;
        }
        s += done;
        n -= (size_t)done;
    }
}

void skr_log_emit(enum skr_log_severity severity, int v, const char *file, int line,
                  const char *message, const struct skr_log_pair *pair)
{
    if (!skr_log_enabled(v)) {
        return;
    }
    struct timespec when;
    clock_gettime(CLOCK_REALTIME, &when);
    SKR_STRBUF(out);
    skr_log_write(&out, (enum skr_log_format)atomic_load(&log_format), severity, v, &when,
                  (int32_t)getpid(), file, line, message, pair);
    skr_strbuf_addc(&out, '\n');
    pthread_mutex_lock(&write_lock);
    write_all(STDERR_FILENO, out.s, out.len);
    pthread_mutex_unlock(&write_lock);
}

/* ---- what users provoke ---- */

static void say(const struct skr_log_held *held)
{
    const struct skr_log_pair pair[] = {SKR_LOG_S("message", held->message),
                                        SKR_LOG_S("namespace", held->namespace_),
                                        SKR_LOG_I("lines", held->n), SKR_LOG_END};
    skr_log_emit(SKR_LOG_WARNING, 0, __FILE__, __LINE__, "Lines were held back", pair);
}

void skr_log_emit_limited(enum skr_log_severity severity, int v, const char *file, int line,
                          const char *message, const char *namespace_,
                          const struct skr_log_pair *pair)
{
    struct skr_log_held held;
    if (!skr_log_enabled(v)) {
        return;
    }
    pthread_mutex_lock(&limit_lock);
    bool goes = skr_log_limit_take(&limit, severity != SKR_LOG_INFO, message, namespace_,
                                   skr_clock_monotonic(), &held);
    if (!goes) {
        atomic_store(&any_held, true);
    }
    pthread_mutex_unlock(&limit_lock);
    if (!goes) {
        return;
    }
    if (held.n > 0) {
        say(&held);
    }
    skr_log_emit(severity, v, file, line, message, pair);
}

void skr_log_say_held(bool all)
{
    struct skr_log_held held;
    bool more = atomic_load(&any_held);
    while (more) {
        pthread_mutex_lock(&limit_lock);
        more = skr_log_limit_due(&limit, all, skr_clock_monotonic(), &held);
        pthread_mutex_unlock(&limit_lock);
        if (more) {
            say(&held);
        }
    }
}
