/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_DEFECT_H
#define SKR_TOPOLOGY_DEFECT_H
/*
 * All that is wrong in a ConfigMap of ours, each defect with its name. Without a receiver, the parsers of
 * the maps stop at the first defect and return it as an error. With a receiver, they report every defect
 * and go on where that makes sense. The engine and lint thus share the rules.
 */
#include <stdbool.h>

#include "topology/base/error.h"

struct skr_defect {
    const char *code;        /* constant, CamelCase: what kind of defect this is */
    bool is_warning;         /* else the map is refused */
    const char *key;         /* of the map, or the label; "" when it is about none */
    struct skr_position at;  /* inside the key's value; line 0: about the key as a whole */
    struct skr_position see; /* where the same name stands before; line 0: nowhere */
    const char *text;        /* the sentence, without key and positions */
};

/* Borrowed by what takes it; the defect and its texts are valid during the call. */
struct skr_defects {
    void (*add)(void *context, const struct skr_defect *defect);
    void *context;
};

/* Reports a defect by its error or warning; the code of a warning has no meaning. to: NULL has no
 * effect. */
void skr_defect_add(const struct skr_defects *to, const char *code, bool is_warning,
                    const struct skr_error *error);

#endif
