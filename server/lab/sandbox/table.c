/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Tables around the rows of table_columns.c. */
#include "server/lab/sandbox/table.h"

#include <string.h>

#include "server/lab/sandbox/table_columns.h"
#include "server/object/path.h"

static json_t *partial(const json_t *object)
{
    return json_pack("{s:s, s:s, s:o}", "kind", "PartialObjectMetadata", "apiVersion",
                     "meta.k8s.io/v1", "metadata",
                     skr_path_ref(json_object_get(object, "metadata")));
}

static json_t *definitions(const struct skr_table_column *column)
{
    json_t *list = json_array();
    for (; column->name; column++) {
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:s, s:i}", "name", column->name, "type", "string",
                            "format", strcmp(column->name, "Name") == 0 ? "name" : "",
                            "description", column->name, "priority", column->priority));
    }
    return list;
}

static json_t *row(const struct skr_table_column *column, const json_t *object,
                   enum skr_table_include include, skr_time now)
{
    json_t *cells = json_array();
    json_t *row_ = json_object();
    for (; column->name; column++) {
        json_array_append_new(cells, column->cell(&(struct skr_table_cell){column, object, now}));
    }
    json_object_set_new(row_, "cells", cells);
    if (include == SKR_TABLE_METADATA) {
        json_object_set_new(row_, "object", partial(object));
    } else if (include == SKR_TABLE_OBJECT) {
        json_object_set_new(row_, "object", skr_path_ref(object));
    }
    return row_;
}

static bool is_list(const json_t *object)
{
    return json_is_array(json_object_get(object, "items"));
}

json_t *skr_table_of(const struct skr_store_resource *resource, const json_t *object_or_list,
                     enum skr_table_include include, skr_time now)
{
    const struct skr_table_column *column = skr_table_columns_of(resource->kind);
    const json_t *items = json_object_get(object_or_list, "items");
    json_t *rows = json_array();
    json_t *meta;
    if (is_list(object_or_list)) {
        for (size_t i = 0; i < json_array_size(items); i++) {
            json_array_append_new(rows, row(column, json_array_get(items, i), include, now));
        }
        meta = skr_path_ref(json_object_get(object_or_list, "metadata"));
    } else {
        json_array_append_new(rows, row(column, object_or_list, include, now));
        meta = json_pack("{s:s}", "resourceVersion",
                         skr_path_text(object_or_list, "metadata.resourceVersion"));
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "kind", "Table", "apiVersion", "meta.k8s.io/v1",
                     "metadata", meta, "columnDefinitions", definitions(column), "rows", rows);
}

json_t *skr_table_metadata_of(const json_t *object_or_list)
{
    const json_t *items = json_object_get(object_or_list, "items");
    json_t *list = json_array();
    if (!is_list(object_or_list)) {
        json_decref(list);
        return partial(object_or_list);
    }
    for (size_t i = 0; i < json_array_size(items); i++) {
        json_array_append_new(list, partial(json_array_get(items, i)));
    }
    return json_pack("{s:s, s:s, s:o, s:o}", "kind", "PartialObjectMetadataList", "apiVersion",
                     "meta.k8s.io/v1", "metadata",
                     skr_path_ref(json_object_get(object_or_list, "metadata")), "items", list);
}
