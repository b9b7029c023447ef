/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_DESIRED_KEYS_H
#define SKR_CORE_GANG_REPORT_DESIRED_KEYS_H
/* Keys of an object's data as they shall be; group_objects.c writes what differs. {0} is an empty list. */
#include "core/gang/state/gang.h"

struct desired_keys {
    struct skr_label *item; /* value NULL: the key must not be there */
    size_t n, cap;
};

/* key: borrowed, mostly a literal. value: copied; NULL: the key must not be there. */
void skr_desired_keys_add(struct desired_keys *w, const char *key, const char *value);
void skr_desired_keys_fini(struct desired_keys *w); /* empty afterwards */

#endif
