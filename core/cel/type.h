/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_CEL_TYPE_H
#define SKR_CORE_CEL_TYPE_H
/*
 * Types as texts in prefix notation. One character is one type; L and M have those of their content
 * behind them: "i" is int, "Ls" a list of strings, "Ms?" a map from string to anything.
 *
 *     n null   b bool   i int   u uint   d double   s string   y bytes   T type
 *     t timestamp   r duration   q quantity   v version   p IP address   c network   w URL
 *     L list   M map   ? anything (dyn: known in evaluation only)
 *     A B      in rows of functions: any type, the same at each place
 */
#include <stdbool.h>
#include <stddef.h>

#include "core/cel/value.h"

enum { SKR_CEL_ARGUMENTS_MAX = 16 }; /* of a call, its receiver included */

/* Behind the type at text. */
const char *skr_cel_type_end(const char *type);
/* Whether a value of one type may be one of the other. */
bool skr_cel_type_fits(const char *a, const char *b);
/* What results of two functions are: the same type, or "?". */
const char *skr_cel_type_join(const char *a, const char *b);
/* What values of both types are together: the more general one, or "?" if they do not fit. */
const char *skr_cel_type_common(const char *a, const char *b);
/* "map(string, list(int))" */
void skr_cel_type_write(const char *type, struct skr_strbuf *out);
/* The type's name, as type() gives it: "list", "google.protobuf.Timestamp". */
const char *skr_cel_type_name(char type);
/* The type of values of a kind, as far as it is known without their content: "i", "L?"; "?" for an
 * error. Constant. */
const char *skr_cel_outer_type(enum skr_cel_kind kind);
/* Its first character. */
char skr_cel_type_of(enum skr_cel_kind kind);

/* Whether a row of types takes these arguments. *ret: the result, in the arena or constant; NULL:
 * the arena is full. */
bool skr_cel_types_take(const char *types, const char *const *arg, size_t n,
                        struct skr_arena *arena, const char **ret);
/* Whether it takes these values, by their outermost kinds. n: at most SKR_CEL_ARGUMENTS_MAX. */
bool skr_cel_types_take_values(const char *types, const struct skr_cel_value *arg, size_t n);

#endif
