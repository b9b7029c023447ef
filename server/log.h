/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LOG_H
#define SKR_SERVER_LOG_H
/*
 * Structured logs on stderr, one line a record, as klog writes them:
 *
 *   I1025 00:15:15.525108       1 daemon.c:116] "Group bound" group="default/a" took="1.2s"
 *   {"ts":1729815315.525108,"severity":"info","v":2,"caller":"daemon.c:116","msg":"Group
 * bound","group":"default/a"}
 *
 * A message starts upper case, is in the past tense where something happened, and has no full stop.
 * Stable keys: group, pod, node, reason, message, took, err, address, resource, write, request, lines. An
 * error is for what an administrator may have to act on. Tokens, keys and request headers are never
 * logged; callers pass names and numbers only.
 *
 * Thread safe: a record is formatted on the caller's stack and heap and leaves in one write under a
 * lock. Format and level may be changed at any time. Only server/ logs; core/ and topology/ do not.
 */
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "topology/base/attr.h"
#include "topology/base/strbuf.h"

enum skr_log_severity { SKR_LOG_INFO, SKR_LOG_WARNING, SKR_LOG_ERROR, SKR_LOG_SEVERITY_COUNT };
enum skr_log_format { SKR_LOG_TEXT, SKR_LOG_JSON, SKR_LOG_FORMAT_COUNT };

enum {
    SKR_LOG_LEVEL_DEFAULT = 2,
    SKR_LOG_LEVEL_MAX = 10,
    SKR_LOG_LEVEL_QUIET = -1, /* warnings and errors alone */
    SKR_LOG_VALUE_MAX = 4096, /* bytes of one value; the rest is cut and marked with "..." */
};

enum skr_log_kind { SKR_LOG_PAIR_END, SKR_LOG_PAIR_STRING, SKR_LOG_PAIR_INT };

struct skr_log_pair {
    enum skr_log_kind kind;
    const char *key;
    const char *string; /* NULL is written as "" */
    int64_t number;
};

/* Pairs of a record; the last one is always SKR_LOG_END. */
#define SKR_LOG_S(k, v)                                        \
    (struct skr_log_pair)                                      \
    {                                                          \
        .kind = SKR_LOG_PAIR_STRING, .key = (k), .string = (v) \
    }
#define SKR_LOG_I(k, v)                                              \
    (struct skr_log_pair)                                            \
    {                                                                \
        .kind = SKR_LOG_PAIR_INT, .key = (k), .number = (int64_t)(v) \
    }
#define SKR_LOG_END              \
    (struct skr_log_pair)        \
    {                            \
        .kind = SKR_LOG_PAIR_END \
    }

/* skr_log_info(2, "Group bound", SKR_LOG_S("group", name), SKR_LOG_END); v: 0 always, 2 default, 4
 * debugging, 6 every request. */
#define skr_log_info(v, message, ...)                              \
    skr_log_emit(SKR_LOG_INFO, (v), __FILE__, __LINE__, (message), \
                 (const struct skr_log_pair[]){__VA_ARGS__})
#define skr_log_warning(message, ...)                               \
    skr_log_emit(SKR_LOG_WARNING, 0, __FILE__, __LINE__, (message), \
                 (const struct skr_log_pair[]){__VA_ARGS__})
#define skr_log_error(message, ...)                               \
    skr_log_emit(SKR_LOG_ERROR, 0, __FILE__, __LINE__, (message), \
                 (const struct skr_log_pair[]){__VA_ARGS__})

void skr_log_emit(enum skr_log_severity severity, int v, const char *file, int line,
                  const char *message, const struct skr_log_pair *pair);

/* The same for what a user's object or request provokes: only so many lines of one message about one
 * namespace go (log_limit.h). A line that follows held ones is preceded by "Lines were held back" with their
 * number. namespace_: "" when there is none. */
void skr_log_emit_limited(enum skr_log_severity severity, int v, const char *file, int line,
                          const char *message, const char *namespace_,
                          const struct skr_log_pair *pair);
/* Logs the counts of held lines whose message has been silent for a while; all: of every message, at
 * the end of the process. Takes no lock while no line is held. */
void skr_log_say_held(bool all);

void skr_log_set_format(enum skr_log_format format);
/* Records with a v above the level are left out. Clamped to
 * SKR_LOG_LEVEL_QUIET..SKR_LOG_LEVEL_MAX. */
void skr_log_set_level(int level);
int skr_log_get_level(void);
bool skr_log_enabled(int v);

/* The line without its end of line, at a given time and process id: what tests look at. */
void skr_log_write(struct skr_strbuf *out, enum skr_log_format format,
                   enum skr_log_severity severity, int v, const struct timespec *when,
                   int32_t process, const char *file, int line, const char *message,
                   const struct skr_log_pair *pair);

#endif
