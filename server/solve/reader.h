/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_SOLVE_READER_H
#define SKR_SERVER_SOLVE_READER_H
/*
 * Shared by the readers of a solve file's sections: the text, its JSON, refusals with positions.
 * Internal to server/solve/. A path is the list of names down to a value, NULL at the end.
 */
#include <jansson.h>

#include "server/solve/file.h"
#include "topology/base/json_position.h"

enum { SKR_SOLVE_RESOURCES_MAX = 32, SKR_SOLVE_PHRASE_MAX = 200, SKR_SOLVE_QUOTE_MAX = 64 };

struct skr_solve_roles; /* roles.h */

struct skr_solve_reader {
    const char *text;
    json_t *root;
    struct skr_solve_file *file;
    struct skr_error *error;
    size_t n_resources;
    const char *resource[SKR_SOLVE_RESOURCES_MAX]; /* borrowed from root */
    bool by_slots;                                 /* no member given: amounts are slots */
    bool has_capacity;                             /* some node has one */
    struct skr_solve_roles *roles;
};

/* Position of the value, or 1:1. */
struct skr_position skr_solve_locate(const struct skr_solve_reader *r, const char *const *path);

/* s for a message: control characters become '?', a long end is cut off. */
void skr_solve_quote(const char *s, char buffer[SKR_SOLVE_QUOTE_MAX]);
/* Sets the error "LINE:COLUMN: a.b.c: text" and returns its code, negative. */
int skr_solve_refuse(const struct skr_solve_reader *r, const char *const *path, const char *text);
int skr_solve_refuse_type(const struct skr_solve_reader *r, const char *const *path,
                          const char *what, const json_t *value);
int skr_solve_no_memory(const struct skr_solve_reader *r);

/* Refuses a key of the object that is not among known (NULL at the end); the message lists these and
 * names the nearest. path[0 .. n - 1] names the object and has room for two more. */
int skr_solve_check_keys(const struct skr_solve_reader *r, const json_t *object, const char **path,
                         size_t n, const char *const *known);

/* Quantity or integer in the units of the engine: cpu in millicores, all else in base units. */
int skr_solve_read_amount(const struct skr_solve_reader *r, const char *const *path,
                          const char *resource, const json_t *value, int64_t *ret);

/* nodes.c: "default" and "nodes". Tree, demand and resources have been read. */
int skr_solve_read_nodes(struct skr_solve_reader *r);

#endif
