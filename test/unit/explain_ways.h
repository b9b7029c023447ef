/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_EXPLAIN_WAYS_H
#define SKR_TEST_UNIT_EXPLAIN_WAYS_H
/* Explanations of group g of the namespace default in files, and what becomes of it when a way out is carried out. */
#include <jansson.h>
#include <stddef.h>

json_t *explain_ways_explain(const json_t *files); /* json_decref() it */
/* The group's row of the result of `sakkara simulate` with these --set. */
json_t *explain_ways_simulate(const json_t *files, const char *const *set, size_t n_sets,
                              int *ret_code);
/* The same, all changes of one way out carried out, in the files or by --set. */
json_t *explain_ways_apply(const json_t *files, const json_t *relaxation);

#endif
