/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_PRUNE_H
#define SKR_SERVER_KUBE_PRUNE_H
/*
 * JSON of API objects without metadata.managedFields, which nobody here reads and which often is
 * the larger half of an object: left out while the text is handed to the JSON parser, so it costs
 * a scan instead of a tree. Arrays alone are emptied; a ConfigMap key of that name holds a string
 * and stays. Text that is no JSON is handed on as far as it is not understood.
 */
#include <stddef.h>

struct skr_prune {
    const char *text; /* borrowed */
    size_t n;
    size_t at;     /* handed out so far, or skipped */
    size_t stop;   /* end of the part being handed out */
    size_t resume; /* beginning of the next part */
};

void skr_prune_init(struct skr_prune *prune, const char *text, size_t n);
/* A json_load_callback_t: ctx is a struct skr_prune. */
size_t skr_prune_read(void *buffer, size_t size, void *context);

#endif
