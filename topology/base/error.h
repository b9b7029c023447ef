/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_ERROR_H
#define SKR_TOPOLOGY_BASE_ERROR_H
/*
 * Errors: a code that says what to do, and a text with subject, position and numbers. The caller
 * owns the struct (on its stack), passes it last, and may pass NULL where only the code matters.
 * Functions that can fail return 0 or the negative code, and write their results only on success.
 *
 * What an error is about is in its text for people and in fields for programs, which never take a
 * text apart: "spec.nodeName: must be ...", "tree: 3:7: \"n1\" twice (see 2:5)".
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

enum { SKR_ERROR_TEXT_MAX = 320, SKR_ERROR_KEY_MAX = 256 }; /* bytes, NUL included */

struct skr_position {
    size_t line;   /* from 1; 0: none */
    size_t column; /* from 1, in bytes */
};

/* What an error is about. */
struct skr_subject {
    const char *key;         /* of a map, or the path of a field; NULL: none */
    bool is_label;           /* the key is a label's, and the text says so */
    struct skr_position at;  /* inside the key's value */
    struct skr_position see; /* where the same name stands before */
};

/* KEY: LINE:COLUMN: SENTENCE (see LINE:COLUMN), where all but SENTENCE may be missing. */
struct skr_error {
    enum skr_error_code code;
    char text[SKR_ERROR_TEXT_MAX];
    struct skr_position at, see;
    uint16_t key_at, key_length;           /* in text; length 0: none */
    uint16_t sentence_at, sentence_length; /* in text */
};

/* Formats the text (cut at the size of the buffer, control characters become '?') and returns
 * -code, so that failing is one line. error may be NULL. */
int skr_error_set(struct skr_error *error, enum skr_error_code code, const char *format, ...)
    SKR_PRINTF(3, 4);
/* The same about a key or the path of a field; format makes the sentence. */
int skr_error_set_key(struct skr_error *error, enum skr_error_code code, const char *key,
                      const char *format, ...) SKR_PRINTF(4, 5);
/* The same about a place in a key's value. */
int skr_error_set_at(struct skr_error *error, enum skr_error_code code,
                     const struct skr_subject *subject, const char *format, ...) SKR_PRINTF(4, 5);

/* Puts "key: " in front of the text that is there, which is then about that key as a whole. Returns
 * -error->code. error may be NULL: the code is not known then, and -SKR_INVALID is returned. */
int skr_error_prefix(struct skr_error *error, const char *format, ...) SKR_PRINTF(2, 3);
/* The same with a position: what is there becomes the sentence. */
int skr_error_prefix_at(struct skr_error *error, const struct skr_subject *subject);

/* Puts path in front of the key ("path.key: ..."), or of the text when it is about none; "" changes
 * nothing. Returns
 * -error->code; error may be NULL, as above. */
int skr_error_under(struct skr_error *error, const char *path);

/* Copies the key, "" without one. */
void skr_error_key(const struct skr_error *error, char key[SKR_ERROR_KEY_MAX]);

#endif
