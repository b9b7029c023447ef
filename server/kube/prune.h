/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_PRUNE_H
#define SKR_SERVER_KUBE_PRUNE_H
/*
 * JSON of API objects as the JSON parser can take it, changed while the text is handed over:
 *
 * - without metadata.managedFields, which nobody here reads and which often is the larger half of
 *   an object: it costs a scan instead of a tree. Arrays alone are emptied; a ConfigMap key of that
 *   name holds a string and stays;
 * - with "\\ufffd" (the replacement character) for every "\\u0000": API servers admit NUL in keys
 *   and values of maps, jansson refuses a whole document for one in a key, and cuts values short.
 *
 * Text that is no JSON is handed on as far as it is not understood.
 */
#include <stddef.h>

struct skr_prune {
    const char *text; /* borrowed */
    size_t n;
    size_t at;          /* handed out so far, or skipped */
    size_t stop;        /* end of the part being handed out */
    size_t resume;      /* beginning of the next part */
    const char *insert; /* what of the text between the two parts is still to be handed out */
    size_t next_key;    /* where "managedFields" and NUL stand next; n: nowhere */
    size_t next_nul;
};

void skr_prune_init(struct skr_prune *prune, const char *text, size_t n);
/* A json_load_callback_t: context is a struct skr_prune. */
size_t skr_prune_read(void *buffer, size_t size, void *context);

#endif
