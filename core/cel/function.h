/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_CEL_FUNCTION_H
#define SKR_CORE_CEL_FUNCTION_H
/*
 * Functions of CEL as rows of tables. The same row serves the checker (which types it takes) and the
 * evaluation (which kinds it takes, and what it does). Several rows may have one name.
 */
#include "core/cel/value.h"

struct skr_cel_regex;
struct skr_cel_function;

/* One evaluation. The caller sets all but what evaluation keeps. */
struct skr_cel_run {
    struct skr_arena *arena;          /* of what it makes, the result too */
    const struct skr_cel_value *root; /* in the order of the dialect's */
    void *context;                    /* for the functions of the dialect */
    uint64_t cost_max;                /* for all evaluations of this run */
    /* Kept by the evaluation: */
    uint64_t cost;
    bool over;                   /* a limit was reached: the error cannot be absorbed */
    struct skr_cel_value *local; /* variables of macros */
    /* Of the call that runs: its row and its number of arguments. */
    const struct skr_cel_function *row;
    size_t n;
    /* Its pattern, if that is constant; NULL: the function compiles it. */
    const struct skr_cel_regex *regex;
};

/* arg: run->n values, none of them an error, of kinds that the row takes. */
typedef struct skr_cel_value skr_cel_call(struct skr_cel_run *run, const struct skr_cel_value *arg);

enum skr_cel_form {
    SKR_CEL_GLOBAL, /* size(x) */
    SKR_CEL_MEMBER, /* x.size() */
};

/* What is charged before a call; the function charges the rest. */
enum skr_cel_price {
    SKR_CEL_FREE,
    SKR_CEL_TEXT,   /* argument 0 is looked at from begin to end, if it is a string */
    SKR_CEL_PART,   /* as many bytes of it as argument 1 has */
    SKR_CEL_SEARCH, /* at each place of argument 0 all of argument 1 */
};

struct skr_cel_function {
    const char *name;
    enum skr_cel_form form;
    /* Types of arguments and result, "ss:b|Ls:b": core/cel/type.h. */
    const char *types;
    skr_cel_call *call;
    enum skr_cel_price price;
    int way; /* for a call that serves several rows: which one this is */
};

/* Ends with name NULL. */
extern const struct skr_cel_function skr_cel_core_functions[]; /* conversions, size, type, time */
extern const struct skr_cel_function skr_cel_operators[];      /* "_+_", "_[_]": any kinds */
extern const struct skr_cel_function skr_cel_string_functions[];
extern const struct skr_cel_function skr_cel_list_functions[];
extern const struct skr_cel_function skr_cel_regex_functions[];
extern const struct skr_cel_function skr_cel_format_functions[];
extern const struct skr_cel_function skr_cel_amount_functions[]; /* quantities, versions */
extern const struct skr_cel_function skr_cel_net_functions[];    /* addresses, networks */
extern const struct skr_cel_function skr_cel_url_functions[];

/* Adds to the cost; false at the limit, where the function returns skr_cel_over(). */
bool skr_cel_charge(struct skr_cel_run *run, uint64_t cost);
/* The same for a text that is looked at from begin to end: a tenth of its bytes. */
bool skr_cel_charge_text(struct skr_cel_run *run, uint64_t bytes);
/* The same for the price of run->row. */
bool skr_cel_pay(struct skr_cel_run *run, const struct skr_cel_value *arg);
/* The same for skr_cel_get(), and for skr_cel_equal() or skr_cel_compare(), whose values may be trees. */
bool skr_cel_charge_look_up(struct skr_cel_run *run, const struct skr_cel_value *map,
                            const struct skr_cel_value *key);
bool skr_cel_charge_equality(struct skr_cel_run *run, const struct skr_cel_value *a,
                             const struct skr_cel_value *b);
/* Zeroed room for n items of size; NULL: run is over. It charges what it takes. */
void *skr_cel_room(struct skr_cel_run *run, size_t n, size_t size);
/* n bytes of text, copied. */
struct skr_cel_value skr_cel_copy(struct skr_cel_run *run, const char *text, size_t n);
/* A string as C has it. False: it has a NUL inside, or size bytes or more. */
bool skr_cel_copy_plain(const struct skr_cel_value *string, char *to, size_t size);

/* The error of a limit. */
struct skr_cel_value skr_cel_over(struct skr_cel_run *run);
/* A message of at most 159 bytes. */
struct skr_cel_value skr_cel_errorf(struct skr_cel_run *run, const char *format, ...)
    SKR_PRINTF(2, 3);
/* A number, bool, string, bytes or time as a string; ERROR: bytes that are not UTF-8. */
struct skr_cel_value skr_cel_to_string(struct skr_cel_run *run, const struct skr_cel_value *value);
/* "TEXT" is no TYPE. */
struct skr_cel_value skr_cel_is_no(struct skr_cel_run *run, const struct skr_cel_value *v,
                                   const char *type);
/* "NAME does not take KIND and KIND", of n values, of which two are named. */
struct skr_cel_value skr_cel_does_not_take(struct skr_cel_run *run, const char *name,
                                           const struct skr_cel_value *arg, size_t n);
/* The same for run->row. */
struct skr_cel_value skr_cel_no_overload(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                         size_t n);
/* The name of a row as people write it: "_+_" is "+", "size" is "size()". */
void skr_cel_name_write(const char *name, struct skr_strbuf *out);

#endif
