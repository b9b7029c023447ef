/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_SALVAGE_H
#define SKR_SERVER_KUBE_SALVAGE_H
/*
 * What can be read of a list page or a watch line that the JSON parser refuses as a whole: one
 * object of somebody must cost nothing but itself. The text is cut into values by its quotes and
 * brackets alone, then each value is parsed by itself.
 *
 * An object that stays unreadable becomes a stub that says which one it is:
 *
 *   {"metadata": {"namespace": …, "name": …, "uid": …, "resourceVersion": …}, "error": "1:7: …"}
 *
 * Cost O(n), and the tree of what could be read. No limits of its own: pages and lines have theirs.
 */
#include <jansson.h>
#include <stddef.h>

#include "topology/base/error.h"

/* A page {"metadata": {…}, "items": [those that could be read]} in *ret_page and stubs of the others
 * in *ret_unreadable, an array; the caller drops both. SKR_INVALID: its metadata, or where its
 * items begin and end, cannot be read, or an unreadable item has no name. */
int skr_salvage_page(const char *text, size_t n, json_t **ret_page, json_t **ret_unreadable,
                     struct skr_error *error);

/* A line {"type": …, "object": STUB} in *ret; json_decref(). SKR_INVALID: it has no type, or its
 * object no name. */
int skr_salvage_line(const char *text, size_t n, json_t **ret, struct skr_error *error);

#endif
