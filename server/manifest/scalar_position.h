/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_MANIFEST_SCALAR_POSITION_H
#define SKR_SERVER_MANIFEST_SCALAR_POSITION_H
/*
 * Maps a place inside a string to its place in the file, for example in a JSON document inside a
 * block scalar. Apart from blanks, line ends and escapes, value and text have the same characters, so
 * the k-th character of the value is the k-th of the text.
 *
 * Exact for plain, quoted and block scalars of YAML and for strings of JSON, with any indent, folding,
 * chomping and escapes. A place between two characters (a blank, the end) is reported as the one
 * behind the character before it.
 */
#include <stdbool.h>
#include <stddef.h>

struct skr_yaml_mark {
    size_t line; /* from 1 */
    size_t column;
};

enum skr_scalar_style {
    SKR_SCALAR_NONE,
    SKR_SCALAR_PLAIN,
    SKR_SCALAR_SINGLE,
    SKR_SCALAR_DOUBLE,
    SKR_SCALAR_BLOCK, /* literal and folded */
    SKR_SCALAR_JSON,  /* columns of begin and of the answer count bytes, else characters */
};

/* begin: of the scalar in the text of n bytes, anchor and tag included. value: what it stands for;
 * offset: a byte of it, or its length. O(n). */
struct skr_yaml_mark skr_scalar_position(const char *text, size_t n, struct skr_yaml_mark begin,
                                         enum skr_scalar_style style, const char *value,
                                         size_t offset);

/* Offset of a position in a text. in_bytes: its lines end with LF alone, its column counts bytes;
 * else as libyaml counts. The end of the line or of the text when it is beyond. */
size_t skr_text_offset(const char *text, size_t n, struct skr_yaml_mark at, bool in_bytes);

#endif
