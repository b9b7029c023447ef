/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_CEL_FORMAT_H
#define SKR_CORE_CEL_FORMAT_H
/* The clauses of TEXT.format([...]), for the checker and for the evaluation. */
#include "core/cel/value.h"

enum { SKR_CEL_PRECISION_MAX = 255 };

struct skr_cel_clause {
    size_t begin, end; /* the text in front of it, in which "%%" is "%" */
    char verb;         /* one of "sdfbxXo"; '\0': the format ends here */
    int precision;     /* of 'f' */
};

/* Reads from *at on, which is then behind the clause. Returns what is wrong with it, or NULL. */
const char *skr_cel_clause_next(const struct skr_cel_value *format, size_t *at,
                                struct skr_cel_clause *ret);
/* Whether a clause may have a value of this type: core/cel/type.h. */
bool skr_cel_clause_takes(char verb, char type);

#endif
