/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_SOLVE_FILE_H
#define SKR_SERVER_SOLVE_FILE_H
/*
 * A placement problem in a file: topology, nodes, the requests of one member, a group. The format
 * is in docs/reference.md, "Solve files". Topology and group have the keys of their ConfigMaps and
 * are read by the same parsers. Every refusal names line and column in the file.
 */
#include "core/group/group.h"
#include "core/solver/solver.h"

enum { SKR_SOLVE_TEXT_MAX = 64 * 1024 * 1024 }; /* bytes of a file */

struct skr_solve_file {
    struct skr_arena *arena;
    struct skr_tree *tree;
    struct skr_group_spec *group;
    struct skr_problem problem; /* pointers into arena and tree */
    size_t n_warnings;          /* "12:7: text" */
    const char **warning;
};

/* Errors: SKR_INVALID, SKR_LIMIT "LINE:COLUMN: subject: what is wrong". O(size of the text). */
int skr_solve_file_parse(const char *text, struct skr_solve_file **ret, struct skr_error *error);
void skr_solve_file_destroy(struct skr_solve_file *file); /* NULL allowed */

#endif
