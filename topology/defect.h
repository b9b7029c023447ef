/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_DEFECT_H
#define SKR_TOPOLOGY_DEFECT_H
/*
 * What is wrong in a ConfigMap of ours, for whoever wants all of it at once and by its name. The
 * parsers of the maps stop at the first defect and tell it as an error; given a receiver they tell
 * every defect they come across and go on where that makes sense. One source of rules, two readers:
 * the engine and lint.
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

/* Tells a defect by its error, or by its warning, which is one whose code means nothing. to NULL:
 * nobody wants to know. */
void skr_defect_add(const struct skr_defects *to, const char *code, bool is_warning,
                    const struct skr_error *error);

#endif
