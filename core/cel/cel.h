/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_CEL_CEL_H
#define SKR_CORE_CEL_CEL_H
/*
 * The Common Expression Language (https://github.com/google/cel-spec) for selectors in Kubernetes
 * objects: literals, operators, macros, the standard functions, the extended functions of strings,
 * and what Kubernetes adds (quantities, versions, lists, regular expressions).
 *
 * A dialect is an environment: its root variables, and tables of functions beside the standard ones.
 * skr_cel_compile() parses an expression, resolves its names and checks its types, as far as types
 * are known without values. Whatever is not served is refused there, with its position. A program is
 * immutable and lives in the arena of its compilation.
 *
 * Evaluation is pure and bounded: it counts cost (about that of cel-go, one for a name or a field)
 * and ends with an error at a limit. Values that it makes are in the arena of its run. An error of
 * evaluation is a value with the position of what failed.
 *
 * Not served: optional values, messages (`Type{...}`), and functions that no table has.
 */
#include "core/cel/function.h"
#include "topology/base/error.h"

enum {
    SKR_CEL_TEXT_MAX = 10 * 1024, /* bytes of an expression, as Kubernetes admits for devices */
    SKR_CEL_NODES_MAX = 4096,     /* of one expression */
    SKR_CEL_DEPTH_MAX = 100,      /* nested operators, calls and brackets */
    SKR_CEL_COST_MAX = 1000000,   /* of one evaluation, as Kubernetes' PerCallLimit */
    SKR_CEL_RUN_BYTES_MAX = 8 * 1024 * 1024, /* suggested for the arena of a run */
};

/* A variable that the caller gives a value in each evaluation. */
struct skr_cel_root {
    const char *name;
    const char *type; /* core/cel/type.h */
};

struct skr_cel_dialect {
    const struct skr_cel_root *root; /* ends with name NULL */
    /* Beside the standard functions; ends with name NULL. NULL: none. */
    const struct skr_cel_function *function;
    bool binds; /* cel.bind() is served */
};

struct skr_cel_program;

/* SKR_INVALID, SKR_LIMIT: the sentence and the position (line and column in the expression) of
 * struct skr_error, whose text begins "LINE:COLUMN: ". SKR_NO_MEMORY: the arena is full. The dialect
 * is borrowed. O(bytes of text). */
int skr_cel_compile(const struct skr_cel_dialect *dialect, const char *text,
                    struct skr_arena *arena, const struct skr_cel_program **ret,
                    struct skr_error *error);
/* What is known of the result without values: core/cel/type.h. */
const char *skr_cel_program_type(const struct skr_cel_program *program);
/* Whether the expression calls a function of this name. */
bool skr_cel_program_calls(const struct skr_cel_program *program, const char *function);

/* run: core/cel/function.h. Its cost goes on counting. What the result points to is in run's arena,
 * the program's, or that of the roots. O(cost). */
struct skr_cel_value skr_cel_evaluate(const struct skr_cel_program *program,
                                      struct skr_cel_run *run);
/* What an evaluation costs at most, at most SKR_CEL_COST_MAX, of any text: also of one that is not served. O(bytes). */
uint64_t skr_cel_cost_bound(const char *text);
/* Line and column of a position (n of an ERROR) in the expression. */
struct skr_position skr_cel_position(const struct skr_cel_program *program, size_t at);

#endif
