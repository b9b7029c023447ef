/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_CEL_FUNCTION_H
#define SKR_CORE_CEL_FUNCTION_H
/*
 * Functions of CEL as rows of tables. The same row serves the checker (which types it takes) and the
 * evaluation (which kinds it takes, and what it does). Several rows may have one name.
 */
#include "core/cel/value.h"

struct skr_cel_regex;

/* One evaluation. The caller sets all but what evaluation keeps. */
struct skr_cel_run {
    struct skr_arena *arena;
    const struct skr_cel_value *root; /* in the order of the dialect's */
    void *context;                    /* for the functions of the dialect */
    uint64_t cost_max;                /* for all evaluations of this run */
    /* Kept by the evaluation: */
    uint64_t cost;
    bool over;                   /* a limit was reached: the error cannot be absorbed */
    struct skr_cel_value *local; /* variables of macros */
    /* Of the call that runs, if its pattern is constant; NULL: the function compiles it. */
    const struct skr_cel_regex *regex;
};

/* arg: n values, none of them an error, of kinds that the row takes. */
typedef struct skr_cel_value skr_cel_call(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                          size_t n);

enum skr_cel_form {
    SKR_CEL_GLOBAL, /* size(x) */
    SKR_CEL_MEMBER, /* x.size() */
};

struct skr_cel_function {
    const char *name;
    enum skr_cel_form form;
    /* Types of arguments and result, "ss:b|Ls:b": core/cel/type.h. */
    const char *types;
    skr_cel_call *call;
};

/* Ends with name NULL. */
extern const struct skr_cel_function skr_cel_core_functions[]; /* conversions, size, type, time */
extern const struct skr_cel_function skr_cel_operators[];      /* "_+_", "_[_]": any kinds */
extern const struct skr_cel_function skr_cel_string_functions[];
extern const struct skr_cel_function skr_cel_list_functions[];
extern const struct skr_cel_function skr_cel_regex_functions[];
extern const struct skr_cel_function skr_cel_amount_functions[]; /* quantities, versions */

/* Adds to the cost; false at the limit, where the function returns skr_cel_over(). */
bool skr_cel_charge(struct skr_cel_run *run, uint64_t cost);
/* The error of a limit. */
struct skr_cel_value skr_cel_over(struct skr_cel_run *run);
/* The same for a text that is looked at from begin to end: a tenth of its bytes. */
bool skr_cel_charge_text(struct skr_cel_run *run, uint64_t bytes);
/* The same for skr_cel_get(), and for skr_cel_equal() or skr_cel_compare(), whose values may be trees. */
bool skr_cel_charge_look_up(struct skr_cel_run *run, const struct skr_cel_value *map,
                            const struct skr_cel_value *key);
bool skr_cel_charge_equality(struct skr_cel_run *run, const struct skr_cel_value *a,
                             const struct skr_cel_value *b);
/* Zeroed room for n items of size; NULL: run is over. It charges what it takes. */
void *skr_cel_room(struct skr_cel_run *run, size_t n, size_t size);
struct skr_cel_value skr_cel_errorf(struct skr_cel_run *run, const char *format, ...)
    SKR_PRINTF(2, 3);
struct skr_cel_value skr_cel_copy(struct skr_cel_run *run, const char *text, size_t n);
/* "no such overload": what a call gives for kinds that no row takes. */
struct skr_cel_value skr_cel_no_overload(struct skr_cel_run *run, const char *name,
                                         const struct skr_cel_value *arg, size_t n);

#endif
