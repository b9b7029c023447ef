/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_ERROR_H
#define SKR_TOPOLOGY_BASE_ERROR_H
/*
 * Errors: a code that says what to do, and a text with subject, position and numbers. The caller
 * owns the struct (on its stack), passes it last, and may pass NULL where only the code matters.
 * Functions that can fail return 0 or the negative code, and write their results only on success.
 */
#include "topology/base/attr.h"

enum skr_error_code {
    SKR_OK = 0,
    SKR_INVALID,   /* the input is wrong: tell whoever wrote it */
    SKR_LIMIT,     /* a limit was reached: the text names the limit and its number */
    SKR_CONFLICT,  /* somebody else changed the object: read it again */
    SKR_GONE,      /* it existed and does not any more */
    SKR_RETRY,     /* outcome unknown or busy: try again later */
    SKR_DENIED,    /* not allowed: an administrator has to act */
    SKR_NOT_FOUND, /* no such thing */
    SKR_NO_MEMORY, /* allocation failed */
    SKR_BUG,       /* our fault */
    SKR_ERROR_CODE_COUNT
};

struct skr_error {
    enum skr_error_code code;
    char text[256];
};

/* Formats the text (cut at the size of the buffer, control characters become '?') and returns
 * -code, so that failing is one line. error may be NULL. */
int skr_error_set(struct skr_error *error, enum skr_error_code code, const char *format, ...)
    SKR_PRINTF(3, 4);

/* Puts "prefix: " in front of the text that is there. Returns -error->code. error
 * may be NULL: the code is not known then, and -SKR_INVALID is returned. */
int skr_error_prefix(struct skr_error *error, const char *format, ...) SKR_PRINTF(2, 3);

#endif
