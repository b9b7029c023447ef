/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_TABLE_H
#define SKR_SERVER_LAB_SANDBOX_TABLE_H
/*
 * Objects for `kubectl get`: meta.k8s.io/v1 Table with the columns of Kubernetes' own printers
 * (kubernetes pkg/printers/internalversion), and PartialObjectMetadata. Pure.
 */
#include <jansson.h>

#include "server/lab/store/store.h"

enum skr_table_include { SKR_TABLE_METADATA, SKR_TABLE_OBJECT, SKR_TABLE_NONE };

/* A Table of one object or of a list. New reference. now: for ages. */
json_t *skr_table_of(const struct skr_store_resource *resource, const json_t *object_or_list,
                     enum skr_table_include include, skr_time now);
/* The same with metadata only. */
json_t *skr_table_metadata_of(const json_t *object_or_list);

#endif
