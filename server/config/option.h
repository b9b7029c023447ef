/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CONFIG_OPTION_H
#define SKR_SERVER_CONFIG_OPTION_H
/* The table of options behind server/config/config.h: what each is called, how it is read, where it goes.
 * Only config*.c include this. */
#include "server/config/config.h"

enum skr_option_type {
    SKR_OPTION_STRING,
    SKR_OPTION_NAMES,           /* list of DNS names, at least one, no name twice */
    SKR_OPTION_NAME,            /* a DNS name */
    SKR_OPTION_BOOL,            /* true, false */
    SKR_OPTION_DURATION,        /* skr_time */
    SKR_OPTION_DURATION_OR_OFF, /* off is SKR_TIME_NEVER */
    SKR_OPTION_LISTEN,          /* an address with port */
    SKR_OPTION_LISTEN_OR_EMPTY,
    SKR_OPTION_INTEGER, /* int64_t */
    SKR_OPTION_WORD,    /* one of two words; a bool that is true for the second */
    SKR_OPTION_CHOICE,  /* one of the words; an enum in their order */
    SKR_OPTION_FIXED,   /* must be present and have the default's value */
    SKR_OPTION_NAME_OR_EMPTY,
    SKR_OPTION_PROPAGATION,      /* core/propagation/options.h */
    SKR_OPTION_LEVELS,           /* list of levels of labels; its default is none */
    SKR_OPTION_NAMESPACE_LIMITS, /* core/gang/changes/namespace_limits.h; numbers within min, max */
    SKR_OPTION_NAMESPACES,       /* a list of them, or "*"; stored as "a, b" */
    SKR_OPTION_KINDS,            /* a list of kinds of workloads; stored as bits */
    SKR_OPTION_SPARE,            /* core/gang/cache/spare.h */
    SKR_OPTION_TYPE_COUNT
};

enum { SKR_OPTION_NOWHERE = -1 };

struct skr_option {
    const char *key;
    enum skr_option_type type;
    const char *fallback; /* the default, as one would write it; names are separated by blanks */
    const char *word[4];  /* the words allowed, NULL at the end */
    int64_t min, max;     /* INTEGER; in ns for durations */
    ptrdiff_t offset;     /* into struct skr_config, or SKR_OPTION_NOWHERE */
    const char *text;     /* one sentence, no full stop */
};

extern const struct skr_option skr_options[];
extern const size_t skr_option_count;

/* What to do about a key that is an option no more; NULL: it never was one. */
const char *skr_option_removed(const char *key);
/* Index of the key or -1. */
ptrdiff_t skr_option_find(const char *key);
/* Stores one scalar (one element of NAMES) into config. The error text lacks the key. */
int skr_option_store(const struct skr_option *option, const char *text, struct skr_config *config,
                     struct skr_error *error);

#endif
