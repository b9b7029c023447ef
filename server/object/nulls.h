/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_OBJECT_NULLS_H
#define SKR_SERVER_OBJECT_NULLS_H
/*
 * What kube-apiserver makes of JSON null, which YAML writes as a key without a value. A member of a
 * struct that is null is absent. In a map, the key stays: null is the zero value of the map's type,
 * which is "" in a map of strings and "0" in a map of quantities. So it is in lists: an element that
 * is null is "" or an empty struct. Sources: encoding/json, Unmarshal;
 * apimachinery pkg/api/resource/quantity.go, UnmarshalJSON.
 *
 * A custom resource has typed metadata alone. Elsewhere in it a null is dropped, in maps too
 * (apiextensions-apiserver pkg/apiserver/schema/defaulting/prunenulls.go).
 */
#include <jansson.h>
#include <stdbool.h>

/* Whether a null is anywhere in it. Recursion: the depth of value, which the caller bounds. */
bool skr_nulls_any(const json_t *value);
/* A reference to the object with its nulls resolved: the same one if there are none, else a tree
 * that shares what has none. custom: a custom resource. known (NULL allowed): its value in the same
 * place has no nulls. Recursion as above. */
json_t *skr_nulls_resolved(const json_t *object, bool custom, const char *kind,
                           const json_t *known);
/* The same for an object that says its apiVersion and kind. */
json_t *skr_nulls_resolved_alone(const json_t *object);

#endif
