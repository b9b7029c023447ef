/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_OBJECT_PATH_H
#define SKR_SERVER_OBJECT_PATH_H
/*
 * Reads and changes JSON trees of the simulated cluster. Trees in the store are shared by the history
 * and by readers, and never change: a change copies the objects on its path and shares the rest.
 * "Own" below means a tree whose top has no other holder.
 *
 * Paths are keys joined by dots ("spec.template.spec"); keys that hold dots themselves (labels)
 * have functions of their own. Everything that is read is borrowed; JSON null counts as absent.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* NULL when absent. object NULL allowed, here and below. */
const json_t *skr_path_get(const json_t *object, const char *path);
/* "" when absent or no string. */
const char *skr_path_text(const json_t *object, const char *path);
/* otherwise when absent or no integer. */
int64_t skr_path_int(const json_t *object, const char *path, int64_t otherwise);
bool skr_path_true(const json_t *object, const char *path);
/* A string, number or boolean as text; "" for anything else. */
const char *skr_path_scalar(const json_t *object, const char *path, char number[24]);
const char *skr_path_label(const json_t *object, const char *key);      /* NULL when absent */
const char *skr_path_annotation(const json_t *object, const char *key); /* NULL when absent */
/* What Go's decoder calls it in its errors: "object", "number", "bool"; never NULL. */
const char *skr_path_go_type(const json_t *value);
/* Element of an array of objects whose field has this value; NULL. */
const json_t *skr_path_find(const json_t *array, const char *field, const char *value);
/* Whether an array of strings holds value. */
bool skr_path_holds(const json_t *array, const char *value);

/* Another reference: libjansson counts them in the value, which is no change of it. */
json_t *skr_path_ref(const json_t *value);
/* Own: object. Makes its member key an object (an empty one if need be) that is own, too: a copy if it
 * has another holder. */
json_t *skr_path_own(json_t *object, const char *key);
/* A copy of every object and array; strings and numbers, which never change, are shared. */
json_t *skr_path_copy(const json_t *value);
/* Likewise, but what is the value of known in the same place stays that. */
json_t *skr_path_copy_beside(const json_t *value, const json_t *known);
/* As skr_path_own(), an array. */
json_t *skr_path_own_array(json_t *object, const char *key);
/* A new reference to a tree with value (taken; NULL removes) at path, the rest shared. */
json_t *skr_path_with(const json_t *object, const char *path, json_t *value);

enum { SKR_PATH_DEPTH_MAX = 64 };
bool skr_path_too_deep(const json_t *value);
/* The same; values that known shares with the object in the same place are not checked again. */
bool skr_path_too_deep_beside(const json_t *object, const json_t *known);

#endif
